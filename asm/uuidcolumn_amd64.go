//go:build !purego

package asm

// ParseUUIDsAVX2 parses one hyphenated uuid for each 16 bytes of dst, as
// kernels.ParseUUIDColumn defines it.
//
// len(dst) is a multiple of 16 and at least 16; null and slow have a bit for each. seps
// starts at the column's first separator and has (len(dst)/16-1)*stride+2 entries or
// more. No content of seps or b makes it read outside b.
//
//go:noescape
func ParseUUIDsAVX2(dst []byte, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint64)
