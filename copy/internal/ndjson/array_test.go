package ndjson

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestArrayStart(t *testing.T) {
	for _, c := range []struct {
		head   string
		whole  bool
		start  int
		enough bool
	}{
		{"", true, -1, true},
		{"", false, -1, false},
		{" \n", false, -1, false},
		{"{", false, -1, true},
		{"\n {\"a\":1}", true, -1, true},
		{"[", false, -1, false},
		{"[", true, 1, true},
		{" \r\n[ {", false, 4, true},
		{"[]", false, 1, true},
		{"[ ,{", false, 0, true}, // so that the record fails
	} {
		if start, enough := ArrayStart([]byte(c.head), c.whole); start != c.start || enough != c.enough {
			t.Errorf("%q, whole %t: %d %t, want %d %t", c.head, c.whole, start, enough, c.start, c.enough)
		}
	}
}

// TestElements walks over arrays in windows of every size.
func TestElements(t *testing.T) {
	for _, c := range []struct {
		in   string // behind the bracket
		want string
	}{
		{`]`, `; end`},
		{" \n] \r\n", `; end`},
		{`{"a":1}]`, `{"a":1}; end`},
		{` {"a":[1,"],"]} , {"b":"\\"}` + "\n\t,{}]", ` {"a":[1,"],"]} |, {"b":"\\"}` + "\n\t" + `|,{}; end`},
		{`{},]`, `{}|,; end`}, // the second fails
		{`{}] x`, `{}; bad`},
		{`{}`, `; short`},
		{`{},{"a":"`, `{}; short`},
		{`{},{"a":"]`, `{}; short`},
		{`{`, `; short`},
		{`1}],2]`, `1}; bad`},
		{`[1,[2]],x]`, `[1,[2]]|,x; end`},
	} {
		for size := 1; size <= len(c.in); size++ {
			got, at := "", 0
			step := Short
			for window := size; ; {
				end := min(at+window, len(c.in))
				n, passed, next := Elements([]byte(c.in[at:end]), end == len(c.in), size, 1)
				if passed > 0 {
					got += "|" + c.in[at:at+n]
				}
				at += n
				if step = next; passed == 0 && next != Short && next != Enough || next == Short && passed == 0 && end == len(c.in) {
					break
				}
				if window = size; passed == 0 {
					window = 2 * (end - at) // Short, or an element that is longer than it may be
					if next == Enough {
						e := element([]byte(c.in[at:]), 0)
						got += "|" + c.in[at:at+e]
						at += e
						window = size
					}
				}
			}
			got = fmt.Sprintf("%s; %s", strings.TrimPrefix(got, "|"), [...]string{"enough", "short", "end", "bad"}[step])
			if got != c.want {
				t.Errorf("%q in windows of %d: %s, want %s", c.in, size, got, c.want)
			}
		}
	}
}

func TestSkipElement(t *testing.T) {
	long := `,{"a":"` + strings.Repeat("x", 3<<20) + `"}`
	for _, c := range []struct {
		in   string
		off  int64
		want int64
		step Step
	}{
		{"[1" + long + "]", 2, int64(2 + len(long)), Enough},
		{"[1" + long, 2, 2, Short},
		{"[1]" + strings.Repeat(" ", 3<<20), 2, 2, End},
		{"[1]" + strings.Repeat(" ", 3<<20) + "x", 2, 2, Bad},
	} {
		n, step, err := SkipElement(bytes.NewReader([]byte(c.in)), c.off, int64(len(c.in)))
		if n != c.want || step != c.step || err != nil {
			t.Errorf("%.20q: %d %d %v, want %d %d", c.in, n, step, err, c.want, c.step)
		}
	}
	if _, _, err := SkipElement(bytes.NewReader([]byte("[1")), 1, 10); err == nil {
		t.Error("an input that is shorter than it says is no error")
	}
}

func TestReadElement(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for _, c := range []struct{ in, want string }{
		{`{"a":1},{"b"`, `{"a":1},`},
		{`,"` + long + `"]  `, `,"` + long + `"]`},
		{`{"` + long, `{"` + long},
		{`] x`, `] x`},
	} {
		b, err := ReadElement(io.NewSectionReader(strings.NewReader(c.in), 0, int64(len(c.in))))
		if string(b) != c.want || err != nil {
			t.Errorf("%.20q: %.20q %v", c.in, b, err)
		}
	}
}
