//go:build !purego

package asm

// ParseBoolsAVX2 parses n booleans, n at least 1, as kernels.ParseBoolColumn defines it,
// into the (n+63)/64 words of dst, null and slow that belong to them.
//
// words and hash are the table of kernels: entry w*hash>>61 holds the word w of a field's
// bytes, its length in the highest one, and what such a field is: bit 0 null, bit 1 slow,
// bit 2 true. seps starts at the column's first separator and has (n-1)*stride+2 entries
// or more. tail holds the last 64 bytes of b, or all of it, up to tail[64], and zeros
// behind. No content of seps or b makes it read outside b and tail.
//
//go:noescape
func ParseBoolsAVX2(dst []uint64, n int, null, slow []uint64, b []byte, tail *[96]byte, seps []uint32, stride int, trim uint64, words *[8][2]uint64, hash uint64)
