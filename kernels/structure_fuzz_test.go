package kernels

import (
	"bytes"
	"testing"
)

func FuzzIndexStructure(f *testing.F) {
	f.Add([]byte("a,\"b\nc\"\r\nd\n"), byte(','), byte('"'), byte('\n'), byte('\r'), false)
	f.Add(bytes.Repeat([]byte("1\t2\\\t3\n"), 90), byte('\t'), byte('\n'), byte('\n'), byte('\r'), false)
	f.Add(bytes.Repeat([]byte(",\n"), 200), byte(','), byte('"'), byte('\n'), byte('\r'), true)
	out := newStructureOut(64 << 10)
	defer closeAll(f, out.dstBuffer, out.bitsBuffer)
	f.Fuzz(func(t *testing.T, b []byte, delim, quote, eol, other byte, inQuote bool) {
		if delim == quote || delim == eol || (other == quote && quote != eol) || len(b) > 64<<10 {
			return
		}
		for _, l := range Levels() {
			undo := SetLevelForTest(l)
			checkStructure(t, l.String(), out, b, syntax{delim, quote, eol, other}, inQuote)
			undo()
		}
	})
}
