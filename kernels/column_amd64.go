//go:build !purego && amd64

package kernels

import "github.com/ingotdb/ingot/asm"

// blockTail returns the last 64 bytes of b before 32 zeros, for fields that the assembly
// reads by their starts.
func blockTail(b []byte) (tail [96]byte) {
	end := b[len(b)-min(len(b), 64):]
	copy(tail[64-len(end):], end)
	return tail
}

func parseDateColumn(dst []int32, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	eights := 0
	if Active() == AVX2 && len(dst) >= 8 {
		eights = len(dst) &^ 7
		last := (len(dst) - 1) / 64
		null[last], slow[last] = 0, 0
		head := blockHead(b)
		asm.ParseDatesAVX2(dst[:eights], null, slow, b, &head, seps, stride, uint64(trim))
	}
	parseDateColumnGo(dst, eights, null, slow, b, seps, stride, trim)
}

func parseTimestampColumn(dst []int64, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	eights := 0
	if Active() == AVX2 && len(dst) >= 8 {
		eights = len(dst) &^ 7
		last := (len(dst) - 1) / 64
		null[last], slow[last] = 0, 0
		tail := blockTail(b)
		asm.ParseTimestampsAVX2(dst[:eights], null, slow, b, &tail, seps, stride, uint64(trim))
	}
	parseTimestampColumnGo(dst, eights, null, slow, b, seps, stride, trim)
}

func parseBoolColumn(dst []uint64, n int, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	if Active() != AVX2 {
		parseBoolColumnGo(dst, n, null, slow, b, seps, stride, trim)
		return
	}
	tail := blockTail(b)
	asm.ParseBoolsAVX2(dst, n, null, slow, b, &tail, seps, stride, uint64(trim), &boolWords, boolHash)
}

func parseUUIDColumn(dst []byte, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	if Active() != AVX2 {
		parseUUIDColumnGo(dst, null, slow, b, seps, stride, trim)
		return
	}
	asm.ParseUUIDsAVX2(dst, null, slow, b, seps, stride, uint64(trim))
}

func scanNumbers(s *numberScan, n int, b []byte, seps []uint32, stride int, trim uint32, exponents bool) {
	if Active() != AVX2 {
		scanNumbersGo(s, n, b, seps, stride, trim, exponents)
		return
	}
	// The first bytes of b behind zeros, for fields that are read by their ends.
	var head [128]byte
	copy(head[64:], b)
	allowed := uint64(0)
	if exponents {
		allowed = 1
	}
	s.neg, s.null, s.slow = asm.ScanNumbersAVX2(&s.mantissa, &s.exponent, n, b, &head, seps, stride, uint64(trim), allowed)
}

func allASCII(b []byte) bool {
	if Active() != AVX2 || len(b) < 32 {
		return allASCIIGo(b)
	}
	return asm.AllASCIIAVX2(b)
}

func validUTF8(b []byte) bool {
	if Active() != AVX2 || len(b) < 32 {
		return validUTF8Go(b)
	}
	if asm.AllASCIIAVX2(b) { // three times as fast, and it stops at the first other byte
		return true
	}
	if !asm.ValidUTF8AVX2(b) {
		return false
	}
	return validUTF8Go(b[unfinished(b[:len(b)&^31]):])
}

// unfinished returns where the character starts that goes on behind b, or len(b). Every
// character of b but that one is valid, and b is not empty.
func unfinished(b []byte) int {
	for i := 1; i <= min(3, len(b)); i++ {
		switch c := b[len(b)-i]; {
		case c < 0x80:
			return len(b)
		case c >= 0xf0 && i < 4, c >= 0xe0 && i < 3, c >= 0xc0 && i < 2:
			return len(b) - i
		case c >= 0xc0:
			return len(b)
		}
	}
	return len(b)
}

func copyFields(dst []byte, offsets []int32, null []uint64, b []byte, seps []uint32, stride int, trim uint32) int {
	n, room := len(offsets)-1, copyRoom(dst)
	if Active() != AVX2 {
		return copyFieldsGo(dst, offsets, 0, n, null, b, seps, stride, trim)
	}
	// A field that the assembly leaves is one near the end of b, or where to stop.
	for r := 0; r < n; r++ {
		r = asm.CopyFieldsAVX2(dst, offsets[1:], null, b, seps, stride, uint64(trim), r, int(offsets[r]), room)
		if r == n || copyFieldsGo(dst, offsets, r, r+1, null, b, seps, stride, trim) == r {
			return r
		}
	}
	return n
}
