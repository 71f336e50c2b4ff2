package kernels

import (
	"bytes"
	"testing"
)

func FuzzCountRecordEnds(f *testing.F) {
	f.Add([]byte("a,\"b\nc\"\r\nd\n"), byte('"'), byte('\n'))
	f.Add(bytes.Repeat([]byte("1,2,3\n"), 90), byte('"'), byte('\n'))
	f.Add(bytes.Repeat([]byte{0, 255}, 200), byte(0), byte(255))
	f.Fuzz(func(t *testing.T, b []byte, quote, eol byte) {
		if quote == eol {
			return
		}
		for _, l := range Levels() {
			undo := SetLevelForTest(l)
			checkRecordEnds(t, l.String(), b, quote, eol)
			undo()
		}
	})
}
