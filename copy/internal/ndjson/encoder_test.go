package ndjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/kernels"
)

// encode appends rows from to to-1 of r as lines.
func (r *testRows) encode(cols []Column, from, to int, before string, location *time.Location) []byte {
	vecs := make([]columnar.Vec, len(cols))
	for i := range cols {
		buf := &r.cols[i]
		v := columnar.MakeVec(buf.Type, len(buf.Offsets)-1, buf.Valid, buf.Fixed, buf.Bits, buf.Offsets, buf.Data, nil)
		vecs[i] = v.Slice(from, to-from)
	}
	return NewEncoder(cols, before, location).Append(nil, to-from, vecs)
}

func TestEncoderValues(t *testing.T) {
	long := "0123456789012345678901234567890123456789012345678901234567890123456789"
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	forms := func(k columnar.Kind) columnar.Type { return columnar.Type{Kind: k} }
	array := func(k columnar.Kind) columnar.Type { return columnar.Type{Kind: k, Array: true} }
	for _, c := range []struct {
		t    columnar.Type
		text string
		want string
	}{
		{forms(columnar.Int2), "-32768", "-32768"},
		{forms(columnar.Int4), "7", "7"},
		{forms(columnar.Int8), "-9223372036854775808", "-9223372036854775808"},
		{forms(columnar.Float8), "-0", "-0"},
		{forms(columnar.Float8), "1e300", "1e+300"},
		{forms(columnar.Float8), "NaN", `"NaN"`},
		{forms(columnar.Float8), "-inf", `"-Infinity"`},
		{forms(columnar.Float4), "0.1", "0.1"},
		{forms(columnar.Float4), "inf", `"Infinity"`},
		{forms(columnar.Numeric), "1e3", "1000"},
		{forms(columnar.Numeric), "123456789012345678901234567890.50", "123456789012345678901234567890.50"},
		{forms(columnar.Numeric), "-Infinity", `"-Infinity"`},
		{columnar.Type{Kind: columnar.Decimal, Precision: 30, Scale: 3}, "-.5", "-0.500"},
		{forms(columnar.Bool), "t", "true"},
		{forms(columnar.Bool), "f", "false"},
		{forms(columnar.Date), "2024-02-29", `"2024-02-29"`},
		{forms(columnar.Date), "infinity", `"infinity"`},
		{forms(columnar.Time), "12:30:00.5", `"12:30:00.5"`},
		{forms(columnar.Timestamp), "2024-02-29 01:02:03.004", `"2024-02-29T01:02:03.004"`},
		{forms(columnar.Timestamp), "0044-03-15 12:00:00 BC", `"0044-03-15T12:00:00 BC"`},
		{forms(columnar.Timestamp), "-infinity", `"-infinity"`},
		{forms(columnar.TimestampTZ), "2024-07-01 12:00:00Z", `"2024-07-01T14:00:00+02:00"`},
		{forms(columnar.TimestampTZ), "1800-01-01 00:00:00Z", `"1800-01-01T00:53:28+00:53:28"`},
		{forms(columnar.TimestampTZ), "0044-03-15 12:00:00Z BC", `"0044-03-15T12:53:28+00:53:28 BC"`},
		{forms(columnar.UUID), "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", `"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`},
		{forms(columnar.Bytea), `\x00ff`, `"\\x00ff"`},
		{forms(columnar.Text), "", `""`},
		{forms(columnar.Text), "a\"b\\c/d\b\f\n\r\t\x01\x7f\u00fc\u2028😀", `"a\"b\\c/d\b\f\n\r\t\u0001` + "\x7f\u00fc\u2028😀\""},
		{forms(columnar.Text), long + long, `"` + long + long + `"`},
		{forms(columnar.Text), long + "\x1f" + long, `"` + long + `\u001f` + long + `"`},
		{columnar.Type{Kind: columnar.Varchar, Length: 4}, `a"b`, `"a\"b"`},
		{forms(columnar.JSON), "{\"a\" :\n\t[1,\r\n\"\\n\"] }", "{\"a\" : \t[1,  \"\\n\"] }"},
		{array(columnar.Int4), "{1,NULL,-3}", "[1,null,-3]"},
		{array(columnar.Int4), "[0:1]={1,2}", "[1,2]"},
		{array(columnar.Int4), "{}", "[]"},
		{array(columnar.Float8), "{1.5,NaN}", `[1.5,"NaN"]`},
		{array(columnar.Bool), "{t,f}", "[true,false]"},
		{array(columnar.Text), `{a,"b c","NULL","q\"\\",""}`, `["a","b c","NULL","q\"\\",""]`},
		{array(columnar.Text), "{{a,b},{c,d}}", `[["a","b"],["c","d"]]`},
		{array(columnar.JSON), `{"{\"a\": 1}","\"x\"",2}`, `[{"a": 1},"x",2]`},
		{array(columnar.Timestamp), `{"2024-01-01 00:00:00"}`, `["2024-01-01T00:00:00"]`},
	} {
		cols := []Column{{Name: "a\"b", Type: c.t}}
		r := newTestRows(cols, 2)
		if !r.Parse(0, 0, []byte(c.text)) {
			t.Fatalf("%s %q is no value", c.t, c.text)
		}
		r.cols[0].Valid[0] = 1
		if c.t.Variable() {
			r.cols[0].Offsets[2] = r.cols[0].Offsets[1]
		}
		got := string(r.encode(cols, 0, 2, "", berlin))
		if want := `{"a\"b":` + c.want + "}\n" + `{"a\"b":null}` + "\n"; got != want {
			t.Errorf("%s %q: %s, want %s", c.t, c.text, got, want)
		}
	}
}

// TestRoundTrip reads what it wrote of random rows, and wants the same.
func TestRoundTrip(t *testing.T) {
	const seed = 51
	for _, l := range kernels.Levels() {
		undo := kernels.SetLevelForTest(l)
		r := rand.New(rand.NewPCG(seed, 0))
		for round := range 150 {
			rows := randomRows(r, 1+r.IntN(200))
			n := rows.at
			from := r.IntN(n)
			before := []string{"", ","}[r.IntN(2)]
			text := rows.encode(modelColumns, from, n, before, nil)
			array := before != ""
			in := text
			if array {
				in = append(append([]byte{'['}, text[1:]...), ']')
			}
			for line := range bytes.SplitSeq(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
				if !json.Valid(bytes.TrimPrefix(line, []byte(","))) {
					t.Fatalf("seed %d round %d: %s", seed, round, line)
				}
			}
			got := decodeAll(in, array, 1<<16, 1<<20, false)
			if got.n != n-from {
				t.Fatalf("seed %d round %d: %d rows of %d: %s", seed, round, got.n, n-from, in)
			}
			for k := range got.n {
				for i := range modelColumns {
					a, okA := rows.text(i, from+k)
					b, okB := got.rows.text(i, k)
					if a != b || okA != okB {
						t.Fatalf("seed %d round %d: row %d column %d was %q (%t), is %q (%t)", seed, round, k, i, a, okA, b, okB)
					}
				}
			}
		}
		undo()
	}
}

// randomRows returns n rows of modelColumns.
func randomRows(r *rand.Rand, n int) *testRows {
	rows := newTestRows(modelColumns, n)
	for k := range n {
		rows.at = k
		for i, c := range modelColumns {
			for {
				text := randomText(r, c.Type)
				if text == "" && c.Type.Kind != columnar.Text || r.IntN(8) == 0 {
					rows.cols[i].Offsets[k+1] = int32(len(rows.cols[i].Data))
					break
				}
				if rows.Parse(i, 0, []byte(text)) {
					rows.cols[i].Valid[k>>6] |= 1 << (k & 63)
					break
				}
			}
		}
	}
	rows.at = n
	return rows
}

func randomText(r *rand.Rand, t columnar.Type) string {
	if t.Array {
		return []string{"{}", "{1}", `{"a b",NULL,"\"x\""}`, "{{1,2},{3,4}}", `{"{\"a\":[1,2]}",null}`}[r.IntN(5)]
	}
	switch t.Kind {
	case columnar.Int2, columnar.Int8:
		return fmt.Sprint(int64(r.Uint64()) >> (48 + r.IntN(16)))
	case columnar.Float8:
		return fmt.Sprint(math.Float64frombits(r.Uint64()))
	case columnar.Numeric:
		return fmt.Sprintf("%d.%d", r.Int64(), r.IntN(1000))
	case columnar.Decimal:
		return fmt.Sprintf("%.2f", r.Float64()*1e6-5e5)
	case columnar.Bool:
		return []string{"t", "f"}[r.IntN(2)]
	case columnar.Date:
		return fmt.Sprintf("%04d-%02d-%02d", 1+r.IntN(3000), 1+r.IntN(12), 1+r.IntN(28))
	case columnar.Time:
		return fmt.Sprintf("%02d:%02d:%02d.%06d", r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1e6))
	case columnar.TimestampTZ:
		return fmt.Sprintf("%04d-%02d-%02d %02d:00:00.%d+00%s", 1+r.IntN(3000), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(1e6), []string{"", "", " BC"}[r.IntN(3)])
	case columnar.UUID:
		return fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())
	case columnar.Bytea:
		return fmt.Sprintf(`\x%016x`, r.Uint64())
	case columnar.JSON:
		return []string{"1", `{"a": [true, null, "\u00e4\n"]}`, `"x"`, "[1.50, 2]", "null"}[r.IntN(4)]
	}
	text := ""
	for range r.IntN(4) {
		text += []string{"a", "ü", "\"", "\\", "\n", "\x01", "😀", "plain text that is longer"}[r.IntN(8)]
	}
	return text
}

func BenchmarkEncode(b *testing.B) {
	block := mixedLines(rand.New(rand.NewPCG(1, 2)), 300)
	d := NewDecoder(mixedColumns, time.UTC)
	d.Begin(false)
	r := newTestRows(mixedColumns, 300)
	d.Index(block, false)
	d.Decode(r, 300)
	vecs := make([]columnar.Vec, len(mixedColumns))
	for i := range vecs {
		buf := &r.cols[i]
		vecs[i] = columnar.MakeVec(buf.Type, 300, buf.Valid, buf.Fixed, buf.Bits, buf.Offsets, buf.Data, nil)
	}
	e := NewEncoder(mixedColumns, "", nil)
	var out []byte
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		out = e.Append(out[:0], 300, vecs)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/300, "ns/record")
}
