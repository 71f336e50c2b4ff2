//go:build !purego

package asm

// The compare routines overwrite dst with a bit per value, inverted where flip is all
// ones (flip is 0 or ^0). len(v) is a multiple of 64 and dst has len(v)/64 words.

// EqualInt64AVX2 sets the bits of the values that equal bound.
//
//go:noescape
func EqualInt64AVX2(dst []uint64, v []int64, bound int64, flip uint64)

// LessInt64AVX2 sets the bits of the values below bound.
//
//go:noescape
func LessInt64AVX2(dst []uint64, v []int64, bound int64, flip uint64)

// EqualInt32AVX2 sets the bits of the values that equal bound.
//
//go:noescape
func EqualInt32AVX2(dst []uint64, v []int32, bound int32, flip uint64)

// LessInt32AVX2 sets the bits of the values below bound.
//
//go:noescape
func LessInt32AVX2(dst []uint64, v []int32, bound int32, flip uint64)

// EqualInt16AVX2 sets the bits of the values that equal bound.
//
//go:noescape
func EqualInt16AVX2(dst []uint64, v []int16, bound int16, flip uint64)

// LessInt16AVX2 sets the bits of the values below bound.
//
//go:noescape
func LessInt16AVX2(dst []uint64, v []int16, bound int16, flip uint64)

// EqualFloat64AVX2 sets the bits of the values that equal bound; a NaN equals nothing.
//
//go:noescape
func EqualFloat64AVX2(dst []uint64, v []float64, bound float64, flip uint64)

// LessFloat64AVX2 sets the bits of the values below bound; a NaN is below nothing.
//
//go:noescape
func LessFloat64AVX2(dst []uint64, v []float64, bound float64, flip uint64)

// LessEqualFloat64AVX2 sets the bits of the values at or below bound; a NaN is not.
//
//go:noescape
func LessEqualFloat64AVX2(dst []uint64, v []float64, bound float64, flip uint64)
