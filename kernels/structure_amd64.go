//go:build !purego

package kernels

import "github.com/ingotdb/ingot/asm"

func indexStructure(dst []uint32, quoteBits []uint64, b []byte, delim, quote, eol, other byte, inQuote bool) Structure {
	if Active() != AVX2 {
		return indexStructureGo(dst, quoteBits, b, delim, quote, eol, other, inQuote)
	}
	var quoted, state uint64
	if quote != eol {
		quoted = ^uint64(0)
	}
	if inQuote {
		state = ^uint64(0)
	}
	var s Structure
	s.Seps, s.Ends, s.Others, s.Quotes = asm.IndexStructureAVX2(dst, quoteBits, b, delim, quote, eol, other, quoted, state)
	s.InQuote = inQuote != (s.Quotes%2 != 0)
	return s.indexTail(dst, quoteBits, b, len(b)&^63, delim, quote, eol, other)
}
