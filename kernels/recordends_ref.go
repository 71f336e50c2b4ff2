package kernels

// countRecordEndsRef is the definition of CountRecordEnds.
func countRecordEndsRef(b []byte, quote, eol byte) (outside, inside, quotes int) {
	for _, c := range b {
		switch {
		case c == quote:
			quotes++
		case c == eol && quotes%2 == 0:
			outside++
		case c == eol:
			inside++
		}
	}
	return outside, inside, quotes
}
