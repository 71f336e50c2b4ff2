package ndjson

import (
	"fmt"
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	lines := `{"a":1, "b\u00e4" : [1,{"x":"]}"}] ,"c":"q\"}"}

{ }
{"a" :null,"a":-1.5e3}
{"a":tru}
{"d":1}
`
	const want = `a=1 bä=[1,{"x":"]}"}] c="q\"}" a=null a=-1.5e3 `
	for _, array := range []bool{false, true} {
		in := lines
		if array {
			in = strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(lines, "\n\n", "\n")), "\n", " ,\n") + "]"
		}
		var got strings.Builder
		records, end := Members(append(make([]byte, 0, len(in)+2), in...), array, true, func(key, value []byte) {
			fmt.Fprintf(&got, "%s=%s ", key, value)
		})
		if got.String() != want || records != 3 {
			t.Errorf("array %t: %d records, %s; want %s", array, records, got.String(), want)
		}
		if rest := in[end:]; !strings.Contains(rest, "tru}") || strings.Contains(rest, "-1.5") {
			t.Errorf("array %t: the rest is %q", array, rest)
		}
	}
}
