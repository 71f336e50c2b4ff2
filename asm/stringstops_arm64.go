//go:build !purego

package asm

// MarkStringStopsNEON sets bit i of dst iff b[i] is a double quote, a backslash or below
// 0x20, for the whole 64-byte blocks of b, one word per block. high is not zero iff one
// of their bytes is above 0x7f.
//
// The last len(b)%64 bytes are neither read nor marked. len(dst) is at least len(b)/64.
//
//go:noescape
func MarkStringStopsNEON(dst []uint64, b []byte) (high uint64)
