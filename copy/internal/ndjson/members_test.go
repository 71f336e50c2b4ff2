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
			in = "[" + strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(lines, "\n\n", "\n")), "\n", " ,\n") + "]"
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

func TestFirstRecord(t *testing.T) {
	for _, c := range []struct {
		in    string
		array bool
		want  string
		at    int
	}{
		{"", false, "", 0},
		{" \n\r\n", false, "", 4},
		{"\n {\"a\":1}\n{}", false, "{\"a\":1}", 2},
		{"{", false, "{", 0},
		{",{},1", true, ",{}", 0},
		{"{", true, "{", 0},
		{" ]\n", true, "", 0},
	} {
		if got, at := FirstRecord([]byte(c.in), c.array); string(got) != c.want || at != c.at {
			t.Errorf("%q, array %t: %q at %d, want %q at %d", c.in, c.array, got, at, c.want, c.at)
		}
	}
}
