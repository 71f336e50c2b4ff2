//go:build !purego

package asm

// ParseInt64ColumnAVX2 parses one field of up to a sign and 18 digits for each value of
// dst, as kernels.ParseInt64Column defines it.
//
// seps starts at the column's first separator and has (len(dst)-1)*stride+2 entries or
// more; null and slow have a bit for each value; len(dst) is at least 1. head holds the
// first 32 bytes of b, or all of it, from head[32] on, and zeros before. No content of
// seps or b makes it read outside b and head.
//
//go:noescape
func ParseInt64ColumnAVX2(dst []int64, null, slow []uint64, b []byte, head *[64]byte, seps []uint32, stride int, trim uint64)

// ParseInt32ColumnAVX2 is ParseInt64ColumnAVX2 for up to 10 digits that fit in 32 bits.
//
//go:noescape
func ParseInt32ColumnAVX2(dst []int32, null, slow []uint64, b []byte, head *[64]byte, seps []uint32, stride int, trim uint64)

// ParseInt16ColumnAVX2 is ParseInt64ColumnAVX2 for up to 5 digits that fit in 16 bits.
//
//go:noescape
func ParseInt16ColumnAVX2(dst []int16, null, slow []uint64, b []byte, head *[64]byte, seps []uint32, stride int, trim uint64)
