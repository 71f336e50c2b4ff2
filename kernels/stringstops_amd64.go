//go:build !purego

package kernels

import "github.com/ingotdb/ingot/asm"

func markStringStops(dst []uint64, b []byte) (ascii bool) {
	if Active() != AVX2 {
		return markStringStopsGo(dst, b)
	}
	high := asm.MarkStringStopsAVX2(dst, b)
	whole := len(b) &^ 63
	return markStringStopsRef(dst[whole/64:], b[whole:]) && high == 0
}
