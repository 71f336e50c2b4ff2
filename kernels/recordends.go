package kernels

import "fmt"

// CountRecordEnds counts record ends in b for both states that b may start in, in one
// pass: outside is the number of eol bytes that an even number of quote bytes of b
// precedes, inside the number that an odd number precedes, quotes the number of quote
// bytes.
//
// If b starts outside quotes, outside is the number of records that end in b; if it
// starts inside, it is inside. quotes&1 says whether the state changes from the start
// of b to its end. So splits of a file are counted in any order and summed up left to
// right afterwards.
//
// quote and eol may be any bytes but must differ, or CountRecordEnds panics. No byte
// outside b is read at any level. Callers bound b to about 64 KiB so the goroutine stays
// preemptible. The result is the same at every Level; countRecordEndsRef is the
// definition.
func CountRecordEnds(b []byte, quote, eol byte) (outside, inside, quotes int) {
	if quote == eol {
		panic(fmt.Sprintf("kernels: CountRecordEnds: quote and eol are both %#02x", quote))
	}
	return countRecordEnds(b, quote, eol)
}
