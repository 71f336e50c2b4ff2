package ndjson

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		text string
		end  int
	}{
		{"0", 1}, {"-0", 2}, {"7", 1}, {"12345678", 8}, {"123456789", 9}, {"12345678901234567890", 20},
		{"1.5", 3}, {"-0.25e-10", 9}, {"1E+3", 4}, {"1e3x", 3}, {"01", 1}, {"1,", 1}, {"1.5.", 3},
		{"-", -1}, {"--1", -1}, {"1.", -1}, {"1.e3", -1}, {"1e", -1}, {"1e+", -1}, {"-a", -1}, {"0.", -1},
	} {
		for _, behind := range []string{"\n", "\n, some more bytes behind"} {
			if end := number([]byte(c.text+behind), 0); end != c.end {
				t.Errorf("%q: %d, want %d", c.text+behind, end, c.end)
			}
		}
	}
}

// TestWide has more columns than the window has room for, and escapes in the records that
// are walked over again.
func TestWide(t *testing.T) {
	const n, records = 3000, 150
	cols := make([]Column, n)
	for i := range cols {
		cols[i] = Column{Name: fmt.Sprint("c", i), Type: columnar.Type{Kind: columnar.Text}}
	}
	var in []byte
	for k := range records {
		in = fmt.Appendf(in, `{"c%d":"a\n%d","x":1,"c7":%d}`+"\n", 10+k*13%2000, k, k)
	}
	d := NewDecoder(cols, time.UTC)
	d.Begin(false)
	ready, bad := d.Index(in, true)
	if ready != records || bad {
		t.Fatal(ready, bad)
	}
	r := newTestRows(cols, records)
	for left := records; left > 0; {
		done, ok := d.Decode(r, left)
		if !ok || done == 0 || done > leastWindow {
			t.Fatal(done, ok)
		}
		r.at += done
		left -= done
	}
	for k := range records {
		present := 0
		for i := range cols {
			text, ok := r.text(i, k)
			if !ok {
				continue
			}
			present++
			want := fmt.Sprint("a\n", k)
			if i == 7 {
				want = fmt.Sprint(k)
			}
			if text != want {
				t.Fatalf("record %d column %d: %q", k, i, text)
			}
		}
		if present != 2 {
			t.Fatalf("record %d has %d values", k, present)
		}
	}
}

// TestHostile measures what is allocated for inputs that ask for much.
func TestHostile(t *testing.T) {
	wide := make([]Column, 5000)
	for i := range wide {
		wide[i] = Column{Name: fmt.Sprint("c", i), Type: columnar.Type{Kind: columnar.Int8}}
	}
	var keys strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&keys, `,"key%d":0`, i)
	}
	for _, c := range []struct {
		name string
		in   string
		cols []Column
	}{
		{"brackets", `{"a":` + strings.Repeat("[", 1<<20), mixedColumns},
		{"braces", strings.Repeat(`{"a":`, 1<<18), mixedColumns},
		{"empty records", strings.Repeat("{}\n", 1<<17), wide},
		{"keys", "{" + keys.String()[1:] + "}\n{" + keys.String()[1:] + "}\n", mixedColumns},
		{"a long key", `{"` + strings.Repeat("k", 1<<20) + `":1}`, mixedColumns},
		{"blank lines", strings.Repeat("\n", 1<<20), mixedColumns},
		{"one quote", `{"` + strings.Repeat("x", 1<<20), mixedColumns},
	} {
		d := NewDecoder(c.cols, time.UTC)
		for _, array := range []bool{false, true} {
			d.Begin(array)
			b := append(make([]byte, 0, len(c.in)+2), c.in...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 4 {
				d.Index(b, true)
			}
			runtime.ReadMemStats(&after)
			if got, most := after.TotalAlloc-before.TotalAlloc, uint64(8*len(b)+8*leastWindow*2*4*len(c.cols)); got > most {
				t.Errorf("%s, array %t: %d bytes allocated for %d", c.name, array, got, len(b))
			}
		}
	}
}

func TestExplain(t *testing.T) {
	cols := []Column{{Name: "a", Type: columnar.Type{Kind: columnar.Text}}, {Name: "b", Type: columnar.Type{Kind: columnar.Int4}}}
	deep := strings.Repeat("[", MaxDepth)
	for _, c := range []struct {
		record string
		kind   Kind
		at     int
		state  string
		detail string
	}{
		{`{"a":1}xyz`, Line, 7, "22P04", `Token "xyz" is invalid.`},
		{`{"a":"\u20A"}`, Line, 7, "22P04", `"\u" must be followed by four hexadecimal digits.`},
		{`{"a":"\ud83e x"}`, Line, 6, "22P05", "Half of a surrogate pair stands alone."},
		{`{"x":"\ud83e x"}`, Line, 6, "22P05", "Half of a surrogate pair stands alone."},
		{`{"a":"x\u0000"}`, Line, 5, "22P05", `\u0000 cannot be converted to text.`},
		{`{"a":f1234`, Line, 5, "22P04", `Token "f1234" is invalid.`},
		{`{"kk:17}`, Line, 1, "22P04", `Token ""kk:17}" is invalid.`},
		{`{"a":NaN}`, Line, 5, "22P04", `Token "NaN" is invalid.`},
		{`{"a":01}`, Line, 5, "22P04", `Token "01" is invalid.`},
		{`{"a":1,}`, Line, 7, "22P04", `Expected string, but found "}".`},
		{`{"a":1`, Line, 6, "22P04", `The input string ended unexpectedly.`},
		{"{\"a\":\"\t\"}", Line, 6, "22P04", "Character with value 0x09 must be escaped."},
		{`[1,2]`, Line, 0, "22P04", ""},
		{`"x"`, Line, 0, "22P04", ""},
		{`{"x":` + deep + `}`, Line, 4 + MaxDepth, "54001", fmt.Sprintf("At most %d levels can be read.", MaxDepth)},
		{"{\"x\":\"a\xff\"}", Line, 7, "22021", ""},
		{`,{"a":tru}`, Later, 6, "22P04", `Token "tru" is invalid.`},
		{"{}\xff", Later, 0, "22P04", "Expected \",\" or \"]\" behind an element of the array."},
		{",{\"a\":\"\xff\"}", Later, 7, "22021", ""},
		{` {"a":1}]`, Later, 1, "22P04", "Expected \",\" or \"]\" behind an element of the array."},
		{`[{}`, Later, 0, "22P04", "Expected \",\" or \"]\" behind an element of the array."},
		{`[1`, First, 1, "22P04", ""},
		{`, `, Later, 2, "22P04", "Expected an object."},
		{`] x`, Later, 0, "22P04", "The array ends before it, or not at all."},
		{` `, Later, 1, "22P04", "The array ends before it, or not at all."},
	} {
		_, at, e := Explain([]byte(c.record), c.kind, cols)
		if e == nil || at != c.at || e.SQLState != c.state || e.Detail != c.detail {
			t.Errorf("%.60s: at %d %+v, want at %d %s %s", c.record, at, e, c.at, c.state, c.detail)
		}
	}
	fields, _, e := Explain([]byte(`{"b":"7" , "c":0,"a":[1, 2]}`+"\r\n"), Line, cols)
	if e != nil || string(fields[0].Text) != "[1, 2]" || fields[0].At != 21 || string(fields[1].Text) != "7" || fields[1].At != 5 {
		t.Errorf("%+v, %v", fields, e)
	}
}

// TestArrayLiteral has what becomes of JSON arrays.
func TestArrayLiteral(t *testing.T) {
	typ := columnar.Type{Kind: columnar.Text, Array: true}
	for _, c := range []struct{ in, want string }{
		{`[]`, "{}"},
		{`[ 1 , -2.50 , true , null ]`, "{1,-2.50,true,NULL}"},
		{`["a","b c","","null","\u00e4\"\\"]`, `{a,"b c","","null","ä\"\\"}`},
		{`[[1,2],[3,4]]`, "{{1,2},{3,4}}"},
		{`[{"a":[1,"]"]},2]`, `{"{\"a\":[1,\"]\"]}",2}`},
		{`[[[[[[1]]]]]]`, "{{{{{{1}}}}}}"},
		{`[[[[[[[1]]]]]]]`, "number of array dimensions exceeds the maximum allowed (6)"},
		{`[[1],2]`, "malformed array literal: \"{{1},2}\""},
	} {
		literal := appendArray(nil, []byte(c.in), false)
		got, st := columnar.AppendCanonical(nil, typ, literal, time.UTC)
		if st != 0 {
			got = []byte(columnar.TextError(st, typ, literal, time.UTC).Message)
		}
		if string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
	deep := strings.Repeat("[", MaxDepth-1) + strings.Repeat("1,", 1<<19) + "1" + strings.Repeat("]", MaxDepth-1)
	if n := len(appendArray(nil, []byte(deep), false)); n > 20 {
		t.Errorf("%d bytes for a deep array", n)
	}
}

// TestGaps has records of two kinds, one after the other: what was learned of the first is
// forgotten.
func TestGaps(t *testing.T) {
	first := bytes.Repeat([]byte(`{"id":1,"note":"a","price":1}`+"\n"), 200)
	second := bytes.Repeat([]byte(`{"w":1,"x":2,"y":3,"z":4}`+"\n"), 200)
	d := NewDecoder(mixedColumns, time.UTC)
	d.Begin(false)
	for round, block := range [][]byte{first, first, second, second, second, first, first} {
		d.Index(block, true)
		want := "id"
		if round >= 2 && round <= 4 {
			want = "w"
		}
		if round != 2 && round != 5 && (len(d.gaps) == 0 || d.gaps[0].key != want) {
			t.Errorf("round %d: the gaps are %+v", round, d.gaps)
		}
		if len(d.keys) > len(mixedColumns)+4 || len(d.places) > len(mixedColumns)+4 {
			t.Errorf("round %d: %d keys and %d places are known", round, len(d.keys), len(d.places))
		}
	}
}
