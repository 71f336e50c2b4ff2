package kernels

// indexStructureRef is the definition of IndexStructure.
func indexStructureRef(dst []uint32, quoteBits []uint64, b []byte, delim, quote, eol, other byte, inQuote bool) Structure {
	s := Structure{InQuote: inQuote}
	clear(quoteBits[:(len(b)+63)/64])
	for i, c := range b {
		if c == quote && quote != eol {
			quoteBits[i/64] |= 1 << (i % 64)
			s.Quotes++
			s.InQuote = !s.InQuote
			continue
		}
		if s.InQuote {
			continue
		}
		if c == other {
			s.Others++
		}
		if c == eol {
			s.Ends++
		}
		if c == delim || c == eol {
			dst[s.Seps] = uint32(i)
			s.Seps++
		}
	}
	return s
}
