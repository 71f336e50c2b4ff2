package kernels

import (
	"encoding/binary"
	"math/bits"
)

// countRecordEndsGo is CountRecordEnds at Generic: eight bytes at a time, with the same
// prefix parity as the vector forms.
func countRecordEndsGo(b []byte, quote, eol byte) (outside, inside, quotes int) {
	quoteBytes, eolBytes := swarOnes*uint64(quote), swarOnes*uint64(eol)
	state := uint64(0) // all ones inside quotes
	whole := len(b) &^ 7
	for i := 0; i < whole; i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, e := swarZeros(w^quoteBytes), swarZeros(w^eolBytes)
		p := q ^ q<<8
		p ^= p << 16
		p ^= p << 32
		p ^= state
		state = uint64(int64(p) >> 63)
		in := bits.OnesCount64(e & p)
		outside += bits.OnesCount64(e) - in
		inside += in
		quotes += bits.OnesCount64(q)
	}
	return addRecordEndsTail(outside, inside, quotes, b[whole:], quote, eol)
}

// addRecordEndsTail returns the counts of some bytes followed by tail, given the counts
// of the former.
func addRecordEndsTail(outside, inside, quotes int, tail []byte, quote, eol byte) (_, _, _ int) {
	o, i, q := countRecordEndsRef(tail, quote, eol)
	if quotes%2 != 0 {
		o, i = i, o
	}
	return outside + o, inside + i, quotes + q
}
