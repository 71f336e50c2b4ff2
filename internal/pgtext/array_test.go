package pgtext

import (
	"bytes"
	"testing"
)

// verbatim is the element reader of a text array.
func verbatim(dst, text []byte) ([]byte, Status) { return append(dst, text...), OK }

// TestArray compares with what PostgreSQL prints; the texts were run on 15.18, those of
// empty nested arrays follow 17.
func TestArray(t *testing.T) {
	for _, c := range []struct{ in, want, detail string }{
		{`{}`, `{}`, ""},
		{` { a , "b" ,NULL, null, "NULL" } `, `{a,b,NULL,NULL,"NULL"}`, ""},
		{`{"a b","c,d","e\"f","g\\h",""}`, `{"a b","c,d","e\"f","g\\h",""}`, ""},
		{`{b c, d\ ,\{}`, `{"b c","d ","{"}`, ""},
		{`{{1,2},{3,4}}`, `{{1,2},{3,4}}`, ""},
		{`{{},{}}`, `{}`, ""},
		{`[1:2]={a,b}`, `{a,b}`, ""},
		{`[0:1]={a,b}`, `[0:1]={a,b}`, ""},
		{`[2]={a,b}`, `{a,b}`, ""},
		{``, "", `Array value must start with "{" or dimension information.`},
		{`a`, "", `Array value must start with "{" or dimension information.`},
		{`{a`, "", "Unexpected end of input."},
		{`{a,}`, "", `Unexpected "}" character.`},
		{`{,a}`, "", `Unexpected "," character.`},
		{`{a}b`, "", "Junk after closing right brace."},
		{`{a"b"}`, "", "Incorrectly quoted array element."},
		{`{"a"b}`, "", "Incorrectly quoted array element."},
		{`{{1},{2,3}}`, "", "Multidimensional arrays must have sub-arrays with matching dimensions."},
		{`{{1},2}`, "", "Multidimensional arrays must have sub-arrays with matching dimensions."},
		{`[1:3]={a,b}`, "", "Specified array dimensions do not match array contents."},
	} {
		got, bad, st := Array([]byte("x"), []byte(c.in), verbatim)
		want, wantSt := "x"+c.want, OK
		if c.detail != "" {
			want, wantSt = "x", Syntax
		}
		if string(got) != want || st != wantSt || bad != nil || ArrayDetail([]byte(c.in)) != c.detail {
			t.Errorf("%q: got %q, status %d, detail %q, want %q and %q", c.in, got, st, ArrayDetail([]byte(c.in)), want, c.detail)
		}
	}
	_, bad, st := Array(nil, []byte(`{1, "x y",3}`), func(dst, text []byte) ([]byte, Status) {
		if _, st := Int(text, 32); st != OK {
			return dst, st
		}
		return append(dst, text...), OK
	})
	if st != Syntax || string(bad) != "x y" {
		t.Errorf("a bad element: status %d, element %q", st, bad)
	}
}

func FuzzArray(f *testing.F) {
	f.Add([]byte(`[0:1]={{a,"b\"c"},{NULL,d}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		once, _, st := Array(nil, text, verbatim)
		if st != OK {
			return
		}
		twice, _, st := Array(nil, once, verbatim)
		if st != OK || !bytes.Equal(once, twice) {
			t.Fatalf("%q reads as %q, and that as %q (status %d)", text, once, twice, st)
		}
	})
}
