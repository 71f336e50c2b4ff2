//go:build !purego

package asm

// MinMaxInt64AVX2 returns the extremes of the values whose bit in valid is set, and
// math.MaxInt64, math.MinInt64 when there are none.
//
// len(v) is a multiple of 64; valid is empty (all present) or has len(v)/64 words.
//
//go:noescape
func MinMaxInt64AVX2(v []int64, valid []uint64) (min, max int64)

// MinMaxInt32AVX2 returns the extremes of the values whose bit in valid is set, and
// math.MaxInt32, math.MinInt32 when there are none.
//
// len(v) is a multiple of 64; valid is empty (all present) or has len(v)/64 words.
//
//go:noescape
func MinMaxInt32AVX2(v []int32, valid []uint64) (min, max int32)

// MinMaxInt16AVX2 returns the extremes of the values whose bit in valid is set, and
// math.MaxInt16, math.MinInt16 when there are none.
//
// len(v) is a multiple of 64; valid is empty (all present) or has len(v)/64 words.
//
//go:noescape
func MinMaxInt16AVX2(v []int16, valid []uint64) (min, max int16)

// MinMaxFloat64AVX2 returns the extremes of the values whose bit in valid is set and
// that are not NaN, +Inf, -Inf when there are none, and whether a NaN is among the
// present values (nan != 0). The sign of a zero is unspecified.
//
// len(v) is a multiple of 64; valid is empty (all present) or has len(v)/64 words.
//
//go:noescape
func MinMaxFloat64AVX2(v []float64, valid []uint64) (min, max float64, nan uint64)
