//go:build !purego

package asm

// IndexStructureNEON indexes the whole 64-byte blocks of b: it stores in dst[0:seps] the
// positions of the delim and eol bytes outside quotes and in quoteBits one word per
// block, and counts the eol and other bytes outside quotes and the quote bytes.
//
// quoted is all ones, or zero to take no byte for a quote; inQuote is all ones if b
// starts inside quotes, else zero. The last len(b)%64 bytes are neither read nor
// indexed. dst[seps : len(b)&^63] may be overwritten; len(dst) is at least len(b)&^63,
// len(quoteBits) at least len(b)/64.
//
//go:noescape
func IndexStructureNEON(dst []uint32, quoteBits []uint64, b []byte, delim, quote, eol, other byte, quoted, inQuote uint64) (seps, ends, others, quotes int)
