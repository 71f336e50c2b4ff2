package columnar

import (
	"testing"
	"time"
)

// TestArrays reads arrays of every kind of element and says what is wrong with one.
func TestArrays(t *testing.T) {
	for _, c := range []struct {
		t                  Type
		in, want           string
		state, msg, detail string
	}{
		{Type{Kind: Int4, Array: true}, "{ 1, +2 ,NULL}", "{1,2,NULL}", "", "", ""},
		{Type{Kind: Float8, Array: true}, "{1e0,nan}", "{1,NaN}", "", "", ""},
		{Type{Kind: Bool, Array: true}, "{true,no}", "{t,f}", "", "", ""},
		{Type{Kind: Decimal, Precision: 4, Scale: 1, Array: true}, "{2.345e2}", "{234.5}", "", "", ""},
		{Type{Kind: Timestamp, Array: true}, `{2001-02-03T04:05}`, `{"2001-02-03 04:05:00"}`, "", "", ""},
		{Type{Kind: Text, Array: true}, `{a b,"c"}`, `{"a b",c}`, "", "", ""},
		{Type{Kind: Bytea, Array: true}, `{"\\x01ff"}`, `{"\\x01ff"}`, "", "", ""},
		{Type{Kind: Int4, Array: true}, "{1,x}", "", "22P02", `invalid input syntax for type integer: "x"`, ""},
		{Type{Kind: Int2, Array: true}, "{40000}", "", "22003", `value "40000" is out of range for type smallint`, ""},
		{Type{Kind: Int4, Array: true}, "{1", "", "22P02", `malformed array literal: "{1"`, "Unexpected end of input."},
		{Type{Kind: Varchar, Length: 2, Array: true}, "{abc}", "", "22001", "value too long for type character varying(2)", ""},
	} {
		got, st := AppendCanonical(nil, c.t, []byte(c.in), time.UTC)
		if c.state == "" {
			if st != 0 || string(got) != c.want {
				t.Errorf("%s %s: got %s, status %d", c.t, c.in, got, st)
			}
			continue
		}
		err := TextError(st, c.t, []byte(c.in), time.UTC)
		if st == 0 || err.SQLState != c.state || err.Message != c.msg || err.Detail != c.detail {
			t.Errorf("%s %s: status %d, %+v", c.t, c.in, st, err)
		}
	}
}
