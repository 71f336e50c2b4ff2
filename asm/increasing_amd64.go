//go:build !purego

package asm

// StrictlyIncreasingInt64AVX2 reports whether every value of v is larger than the one
// before it.
//
// len(v) is at least 17.
//
//go:noescape
func StrictlyIncreasingInt64AVX2(v []int64) bool

// StrictlyIncreasingInt32AVX2 reports whether every value of v is larger than the one
// before it.
//
// len(v) is at least 33.
//
//go:noescape
func StrictlyIncreasingInt32AVX2(v []int32) bool
