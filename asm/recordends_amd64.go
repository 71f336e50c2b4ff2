//go:build !purego

package asm

// CountRecordEndsAVX2 counts in the whole 64-byte blocks of b: the eol bytes, those of
// them that an odd number of quote bytes precedes, and the quote bytes.
//
// The last len(b)%64 bytes are neither read nor counted. quote and eol differ.
//
//go:noescape
func CountRecordEndsAVX2(b []byte, quote, eol byte) (ends, inside, quotes int)
