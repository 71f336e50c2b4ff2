//go:build !purego

package kernels

import "github.com/ingotdb/ingot/asm"

func markStringStops(dst []uint64, b []byte) (ascii bool) {
	if Active() != NEON {
		return markStringStopsGo(dst, b)
	}
	high := asm.MarkStringStopsNEON(dst, b)
	whole := len(b) &^ 63
	return markStringStopsRef(dst[whole/64:], b[whole:]) && high == 0
}
