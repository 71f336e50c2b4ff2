package kernels

// markStringStopsGo is MarkStringStops at Generic: eight bytes at a time by exact byte
// compares, whose results stand in the high bit of each byte.
func markStringStopsGo(dst []uint64, b []byte) (ascii bool) {
	var seen, word uint64
	whole := len(b) &^ 63
	for i := 0; i < whole; i += 8 {
		w := load8(b[i:])
		seen |= w
		m := swarZeros(w^swarOnes*'"') | swarZeros(w^swarOnes*'\\') | swarZeros(w&(swarOnes*0xe0))
		// Gathers the eight high bits in the top byte: bit 7+8k moves to 56+k, and no two
		// products meet.
		word = word>>8 | (m>>7*0x0102040810204080)&(0xff<<56)
		if i%64 == 56 {
			dst[i/64] = word
		}
	}
	return markStringStopsRef(dst[whole/64:], b[whole:]) && seen&(swarOnes<<7) == 0
}
