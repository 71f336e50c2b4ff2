//go:build !purego

package asm

// ParseDatesAVX2 parses one field YYYY-MM-DD for each value of dst, as
// kernels.ParseDateColumn defines it, eight at a time.
//
// len(dst) is a multiple of 8 and at least 8. The len(dst)/8 first bytes of null and of
// slow are overwritten. seps starts at the column's first separator and has
// (len(dst)-1)*stride+2 entries or more. head holds the first 32 bytes of b, or all of
// it, from head[32] on, and zeros before. No content of seps or b makes it read outside b
// and head.
//
//go:noescape
func ParseDatesAVX2(dst []int32, null, slow []uint64, b []byte, head *[64]byte, seps []uint32, stride int, trim uint64)

// ParseTimestampsAVX2 parses one timestamp for each value of dst, as
// kernels.ParseTimestampColumn defines it, eight at a time.
//
// It is as ParseDatesAVX2, but tail holds the last 64 bytes of b, or all of it, up to
// tail[64], and zeros behind; what stands before them is not looked at.
//
//go:noescape
func ParseTimestampsAVX2(dst []int64, null, slow []uint64, b []byte, tail *[96]byte, seps []uint32, stride int, trim uint64)
