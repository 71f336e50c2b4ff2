package ndjson

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
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
		{"[", false, 0, true},
		{" \r\n[ {", false, 3, true},
	} {
		if start, enough := ArrayStart([]byte(c.head), c.whole); start != c.start || enough != c.enough {
			t.Errorf("%q, whole %t: %d %t, want %d %t", c.head, c.whole, start, enough, c.start, c.enough)
		}
	}
}

// walkAll walks over an array as package copy does, in windows of size bytes, where records
// end at or before multiples of until. It returns the records and what stands behind them.
func walkAll(in string, size, until int) (records []string, step Step) {
	at, limit := 0, until
	for at < len(in) {
		end := min(at+size, len(in))
		n, passed, next := Elements([]byte(in[at:end]), end == len(in), max(0, min(limit, end)-at), 1<<20)
		if passed == 0 && next == Short && end < len(in) {
			e, skipped, err := SkipElement(strings.NewReader(in), int64(at), int64(len(in)))
			if err != nil {
				panic(err)
			}
			if n, next = int(e)-at, skipped; next == Enough && int(e) > limit {
				n = 0
			} else if next == Enough {
				passed = 1
			}
		}
		from := at
		for range passed {
			e, _ := element([]byte(in), from)
			records = append(records, in[from:e])
			from = e
		}
		at, step = at+n, next
		switch {
		case passed > 0:
		case next == Enough:
			limit += until
		default:
			return records, next
		}
	}
	return records, step
}

// TestElements walks over arrays in windows of every size.
func TestElements(t *testing.T) {
	for _, c := range []struct {
		in   string
		want string
	}{
		{`[]`, `; end`},
		{"[ \n] \r\n", `; end`},
		{`[{"a":1}]`, `[{"a":1}; end`},
		{`[ {"a":[1,"],"]} , {"b":"\\"}` + "\n\t,{}]", `[ {"a":[1,"],"]}| , {"b":"\\"}|` + "\n\t" + `,{}; end`},
		{`[{},]`, `[{}|,; end`}, // the second fails
		{`[{}] x`, `[{}; bad`},
		{`[{}][{}]`, `[{}; bad`},
		{`[{}`, `; bad`}, // nothing follows
		{`[{} {}]`, `[{}; bad`},
		{`[{}{}]`, `[{}; bad`},
		{`[{},{"a":"`, `[{}; short`},
		{`[{},{"a":"]`, `[{}; short`},
		{`[{`, `; short`},
		{`[`, `; short`},
		{`[1}],2]`, `[1}; bad`},
		{`[[1,[2]],x]`, `[[1,[2]]|,x; end`},
		{`[{"a":1]},{}]`, `[{"a":1]; bad`},
	} {
		for size := 1; size <= len(c.in); size++ {
			for until := 1; until <= len(c.in); until++ {
				records, step := walkAll(c.in, size, until)
				got := strings.Join(records, "|") + "; " + [...]string{"enough", "short", "end", "bad"}[step]
				if got != c.want {
					t.Fatalf("%q in windows of %d, records up to multiples of %d: %s, want %s", c.in, size, until, got, c.want)
				}
			}
		}
	}
	if n, passed, step := Elements([]byte("[{} [{}]"), true, 8, 9); n != 5 || passed != 1 || step != Bad {
		t.Errorf("a second bracket: %d %d %d", n, passed, step)
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
		{"[1" + long[:len(long)-1], 2, 2, Short},
		{"[1]" + strings.Repeat(" ", 3<<20), 2, 3 + (3 << 20), End},
		{"[1]" + strings.Repeat(" ", 3<<20) + "x", 2, 2, Bad},
		{"[1]", 1, 1, Bad},
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
	for _, c := range []struct {
		in, want string
		alone    bool
	}{
		{`[{"a":1},{"b"`, `[{"a":1}`, false},
		{`,"` + long + `"]  `, `,"` + long + `"`, false},
		{`,{"` + long, `,{"` + long, false},
		{`] x`, `] x`, false},
		{"\n{\"a\":1}\n,{}]", "\n{\"a\":1}", false},
		{`,{}` + strings.Repeat("\n", 100<<10) + "]", `,{}`, false},
		{`,{}` + strings.Repeat("\n", 100<<10), `,{}`, true},
		{`,{}`, `,{}`, true},
	} {
		b, alone, err := ReadElement(io.NewSectionReader(strings.NewReader(c.in), 0, int64(len(c.in))))
		if string(b) != c.want || alone != c.alone || err != nil {
			t.Errorf("%.20q: %.20q %t %v", c.in, b, alone, err)
		}
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		in           string
		lines, array bool
	}{
		{"", true, false},
		{" \r\n\t\n", true, false},
		{"\n]\n", false, true},
		{"]", false, true},
		{"]]", false, false},
		{" [\n]", false, true},
		{"[", false, false},
		{"x", false, false},
		{strings.Repeat(" ", 10000) + "]" + strings.Repeat("\n", 10000), false, true},
		{strings.Repeat(" ", 10000) + "1", false, false},
	} {
		for array, want := range map[bool]bool{false: c.lines, true: c.array} {
			if got, err := Ends(strings.NewReader(c.in), array); got != want || err != nil {
				t.Errorf("%.20q, array %t: %t %v", c.in, array, got, err)
			}
		}
	}
	if _, err := Ends(iotest.ErrReader(io.ErrUnexpectedEOF), false); err == nil {
		t.Error("an error of reading is none")
	}
}
