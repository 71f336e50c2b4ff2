//go:build !purego

package kernels

import "github.com/ingotdb/ingot/asm"

func countRecordEnds(b []byte, quote, eol byte) (outside, inside, quotes int) {
	if Active() != AVX2 {
		return countRecordEndsGo(b, quote, eol)
	}
	ends, in, q := asm.CountRecordEndsAVX2(b, quote, eol)
	return addRecordEndsTail(ends-in, in, q, b[len(b)&^63:], quote, eol)
}
