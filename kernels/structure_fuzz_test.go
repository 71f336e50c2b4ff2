package kernels

import (
	"bytes"
	"testing"
)

func FuzzIndexStructure(f *testing.F) {
	f.Add([]byte("a,\"b\nc\"\r\nd\n"), byte(','), byte('"'), byte('\n'), byte('\r'), false)
	f.Add(bytes.Repeat([]byte("1\t2\\\t3\n"), 90), byte('\t'), byte('\n'), byte('\n'), byte('\r'), false)
	f.Add(bytes.Repeat([]byte(",\n"), 200), byte(','), byte('"'), byte('\n'), byte('\r'), true)
	f.Fuzz(func(t *testing.T, b []byte, delim, quote, eol, other byte, inQuote bool) {
		if delim == quote || delim == eol || (other == quote && quote != eol) {
			return
		}
		out := newStructureOut(len(b))
		defer closeAll(t, out.dstBuffer, out.bitsBuffer)
		for _, l := range Levels() {
			undo := SetLevelForTest(l)
			checkStructure(t, l.String(), out, b, syntax{delim, quote, eol, other}, inQuote)
			undo()
		}
	})
}
