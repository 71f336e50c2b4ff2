//go:build !purego

package asm

// SumInt64AVX2 returns what the 128-bit sum of v is made of: the sum of the values
// modulo 2^64, and the sum of (v[i] + 2^63) >> 32 over all i, where values whose bit in
// valid is clear count as 0.
//
// len(v) is a multiple of 64 below 2^32; valid is empty (all present) or has len(v)/64
// words.
//
//go:noescape
func SumInt64AVX2(v []int64, valid []uint64) (high, wrapped uint64)

// SumInt32AVX2 returns the sum of the values whose bit in valid is set.
//
// len(v) is a multiple of 64; valid is empty (all present) or has len(v)/64 words.
//
//go:noescape
func SumInt32AVX2(v []int32, valid []uint64) int64

// SumInt16AVX2 returns the sum of the values whose bit in valid is set.
//
// len(v) is a multiple of 64 below 2^19; valid is empty (all present) or has len(v)/64
// words.
//
//go:noescape
func SumInt16AVX2(v []int16, valid []uint64) int64

// SumFloat64AVX2 adds v[i] to acc[i%8], in order of i, for every i whose bit in valid
// is set.
//
// len(v) is a multiple of 64; valid is empty (all present) or has len(v)/64 words.
//
//go:noescape
func SumFloat64AVX2(acc *[8]float64, v []float64, valid []uint64)
