//go:build purego || !(amd64 || arm64)

package kernels

func indexStructure(dst []uint32, quoteBits []uint64, b []byte, delim, quote, eol, other byte, inQuote bool) Structure {
	return indexStructureGo(dst, quoteBits, b, delim, quote, eol, other, inQuote)
}
