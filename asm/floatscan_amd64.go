//go:build !purego

package asm

// ScanNumbersAVX2 reads n numbers, n at most 64, as kernels.ParseFloat64Column defines
// their text: record r is mantissa[r] * 10**exponent[r], negative if bit r of neg is set.
// With exponents 0 it takes none behind the digits.
//
// Null and slow records have their bits set and zeros stored. seps starts at the column's
// first separator and has (n-1)*stride+2 entries or more; n is at least 1. head holds the
// first 64 bytes of b, or all of it, from head[64] on, and zeros before. No content of
// seps or b makes it read outside b and head.
//
//go:noescape
func ScanNumbersAVX2(mantissa *[64]uint64, exponent *[64]int32, n int, b []byte, head *[128]byte, seps []uint32, stride int, trim, exponents uint64) (neg, null, slow uint64)
