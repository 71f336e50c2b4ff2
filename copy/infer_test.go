package copy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
)

func TestInfer(t *testing.T) {
	tests := []struct {
		name, in, want string
		header         bool
	}{
		{"zip codes", "zip,lat,city\n00501,40.9,Holtsville\n10001,,NY\n", "zip text, lat float8, city text", true},
		{"zip codes without names", "00501,x\n02134,y\n", "c1 text, c2 text", false},
		{"no header", "1,a\n2,b\n", "c1 int8, c2 text", false},
		{"all text with names", "a,b\nx,y\n", "a text, b text", true},
		{"one record", "a,b\n", "c1 text, c2 text", false},
		{"empty column", "a,b\n1,\n2,\n", "a int8, b text", true},
		{"times", "d,ts,tz\n2001-02-03,2001-02-03 04:05:06,2001-02-03T04:05:06Z\n2001-02-03,2001-02-03,2001-02-03 04:05+02\n", "d date, ts timestamp, tz timestamptz", true},
		{"no dates", "d,t\n2001-02-30,2001-02-03 25:00\n", "d text, t text", true},
		{"bool and uuid", "b,u\nt,a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\nFALSE,a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12\n", "b bool, u uuid", true},
		{"zero and one are numbers", "b\n0\n1\n", "b int8", true},
		{"big integers", "i,f\n9223372036854775808,0.1234567890123456789\n1,2\n", "i numeric, f numeric", true},
		{"signs and exponents", "a,b,c\n-1,1e5,+3\n0,-0.5,4\n", "a int8, b float8, c text", true},
		{"mixed numbers", "a\n1\n2.5\n", "a float8", true},
		{"underscores and hex", "a,b\n1_000,0x1F\n", "a text, b text", true},
		{"quoted", "\"a b\",\"c\"\"d\"\n\"1\",\"x\ny\"\n", "a b int8, c\"d text", true},
		{"same names", "a,a\n1,2\n", "c1 text, c2 text", false},
		{"crlf", "a,b\r\n1,2\r\n", "a int8, b int8", true},
		{"byte order mark", "\xef\xbb\xbfid\n1\n", "id int8", true},
		{"wide then short", "a,b\n1,2\n3\n", "a int8, b int8", true},
	}
	opt, err := ParseFromOptions(headerOptions[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			inf, err := Infer(context.Background(), FromReader(strings.NewReader(tc.in), "stdin"), opt, Env{})
			if err != nil {
				t.Fatal(err)
			}
			var cols []string
			for _, c := range inf.Columns {
				cols = append(cols, fmt.Sprintf("%s %s", c.Name, c.Type))
			}
			if got := strings.Join(cols, ", "); got != tc.want || inf.Header != tc.header {
				t.Errorf("%s, header %t; want %s, header %t", got, inf.Header, tc.want, tc.header)
			}
			if !strings.Contains(inf.Says, strings.Join(cols, ", ")) {
				t.Errorf("says %q", inf.Says)
			}
		})
	}
}

// TestInferKeepsStream checks that what Infer has read of a stream is loaded too.
func TestInferKeepsStream(t *testing.T) {
	opt, err := ParseFromOptions(headerOptions[:1])
	if err != nil {
		t.Fatal(err)
	}
	in := "id,v\n" + strings.Repeat("1,some text\n", 900_000)
	inf, err := Infer(context.Background(), FromReader(strings.NewReader(in), "stdin"), opt, Env{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(inf.Says, "a sample") {
		t.Errorf("says %q", inf.Says)
	}
	store := newStore(t)
	target := createTable(t, store, schemaOf("t", inf))
	res, err := From(context.Background(), store, target, inf.Source, inf.Options, Env{})
	if err != nil || res.Rows != 900_000 {
		t.Fatal(res.Rows, err)
	}
}

func schemaOf(name string, inf *Inference) *columnar.Schema {
	return &columnar.Schema{Name: name, Columns: inf.Columns}
}
