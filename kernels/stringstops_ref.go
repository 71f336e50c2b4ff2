package kernels

import "unicode/utf8"

// markStringStopsRef is the definition of MarkStringStops.
func markStringStopsRef(dst []uint64, b []byte) (ascii bool) {
	clear(dst[:(len(b)+63)/64])
	ascii = true
	for i, c := range b {
		if c == '"' || c == '\\' || c < 0x20 {
			dst[i/64] |= 1 << (i % 64)
		}
		if c >= utf8.RuneSelf {
			ascii = false
		}
	}
	return ascii
}
