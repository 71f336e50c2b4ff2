package kernels

import (
	"encoding/binary"
	"math/bits"
)

// indexStructureGo is IndexStructure at Generic: eight bytes at a time by exact byte
// compares, whose results stand in the high bit of each byte.
func indexStructureGo(dst []uint32, quoteBits []uint64, b []byte, delim, quote, eol, other byte, inQuote bool) Structure {
	delimBytes, quoteBytes := swarOnes*uint64(delim), swarOnes*uint64(quote)
	eolBytes, otherBytes := swarOnes*uint64(eol), swarOnes*uint64(other)
	var quoted, state uint64
	if quote != eol {
		quoted = ^uint64(0)
	}
	if inQuote {
		state = ^uint64(0)
	}
	s := Structure{}
	whole := len(b) &^ 63
	var word uint64
	for i := 0; i < whole; i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q := swarZeros(w^quoteBytes) & quoted
		p := q ^ q<<8
		p ^= p << 16
		p ^= p << 32
		p ^= state
		state = uint64(int64(p) >> 63)
		s.Quotes += bits.OnesCount64(q)
		// Gathers the eight high bits in the top byte: bit 7+8k moves to 56+k, and no two
		// products meet.
		word = word>>8 | (q>>7*0x0102040810204080)&(0xff<<56)
		if i%64 == 56 {
			quoteBits[i/64] = word
		}
		e := swarZeros(w^eolBytes) &^ p
		s.Ends += bits.OnesCount64(e)
		s.Others += bits.OnesCount64(swarZeros(w^otherBytes) &^ p)
		for m := e | swarZeros(w^delimBytes)&^p; m != 0; m &= m - 1 {
			dst[s.Seps] = uint32(i + bits.TrailingZeros64(m)>>3)
			s.Seps++
		}
	}
	s.InQuote = state != 0
	return s.indexTail(dst, quoteBits, b, whole, delim, quote, eol, other)
}
