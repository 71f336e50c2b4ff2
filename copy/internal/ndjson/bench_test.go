package ndjson

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/kernels"
)

// mixedColumns are ten columns of nine types.
var mixedColumns = []Column{
	{Name: "id", Type: columnar.Type{Kind: columnar.Int8}},
	{Name: "category", Type: columnar.Type{Kind: columnar.Text}},
	{Name: "quantity", Type: columnar.Type{Kind: columnar.Int4}},
	{Name: "price", Type: columnar.Type{Kind: columnar.Decimal, Precision: 12, Scale: 2}},
	{Name: "score", Type: columnar.Type{Kind: columnar.Float8}},
	{Name: "active", Type: columnar.Type{Kind: columnar.Bool}},
	{Name: "day", Type: columnar.Type{Kind: columnar.Date}},
	{Name: "seen", Type: columnar.Type{Kind: columnar.Timestamp}},
	{Name: "token", Type: columnar.Type{Kind: columnar.UUID}},
	{Name: "note", Type: columnar.Type{Kind: columnar.Text}},
}

// mixedLines returns n records of mixedColumns: nulls among the values, an escape in one
// note of 50.
func mixedLines(r *rand.Rand, n int) []byte {
	words := []string{"some", "set", "may", "table", "which", "down", "many", "his", "größer"}
	categories := []string{"books", "cameras", "furniture", "home, garden", "pets", "toys"}
	var b []byte
	or := func(percent int, v string) string {
		if r.IntN(100) < percent {
			return "null"
		}
		return v
	}
	for i := range n {
		note := `"`
		for range 1 + r.IntN(10) {
			note += words[r.IntN(len(words))] + " "
		}
		if r.IntN(50) == 0 {
			note += `\"so\" it is\n`
		}
		note += `"`
		b = fmt.Appendf(b, `{"id":%d,"category":"%s","quantity":%s,"price":%s,"score":%s,"active":%s,"day":%s,"seen":%s,"token":%s,"note":%s}`+"\n",
			i, categories[r.IntN(len(categories))],
			or(3, fmt.Sprint(int32(r.Uint32())>>r.IntN(30))), or(2, fmt.Sprintf("%.2f", r.Float64()*1e5)), or(5, fmt.Sprint(r.Float64())),
			or(2, fmt.Sprint(r.IntN(3) > 0)), or(1, fmt.Sprintf(`"19%02d-%02d-%02d"`, r.IntN(100), 1+r.IntN(12), 1+r.IntN(28))),
			or(2, fmt.Sprintf(`"20%02d-%02d-%02d %02d:%02d:%02d.%06d"`, r.IntN(100), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1e6))),
			or(1, fmt.Sprintf(`"%08x-%04x-%04x-%04x-%012x"`, r.Uint32(), r.IntN(1<<16), r.IntN(1<<16), r.IntN(1<<16), r.Int64N(1<<48))), or(27, note))
	}
	return b
}

// BenchmarkDecode converts blocks of about 64 KiB.
func BenchmarkDecode(b *testing.B) {
	block := mixedLines(rand.New(rand.NewPCG(1, 2)), 300)
	for _, l := range kernels.Levels() {
		b.Run("level="+l.String(), func(b *testing.B) {
			defer kernels.SetLevelForTest(l)()
			d := NewDecoder(mixedColumns, time.UTC)
			d.Begin(false)
			r := newTestRows(mixedColumns, 300)
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				n, bad := d.Index(block, false)
				for i := range r.cols {
					clear(r.cols[i].Bits)
					clear(r.cols[i].Valid)
					r.cols[i].Data = r.cols[i].Data[:0]
				}
				if done, ok := d.Decode(r, n); n != 300 || bad || done != n || !ok {
					b.Fatalf("%d records, bad %t; %d decoded, ok %t", n, bad, done, ok)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/300, "ns/record")
		})
	}
}

// reshaped returns the records of mixedLines rewritten.
func reshaped(r *rand.Rand, shape string) []byte {
	block := mixedLines(r, 300)
	if shape == "regular" {
		return block
	}
	var out []byte
	for line := range bytes.Lines(block) {
		var pairs [][]byte
		Members(bytes.Clone(line), false, true, func(key, value []byte) {
			if shape == "nested" && len(pairs) == 2 {
				value = fmt.Appendf(nil, `{"amount":%s,"unit":"piece","tags":["a","b",{"c":null}]}`, value)
			}
			if shape == "escaped" && len(pairs) == 9 {
				value = []byte(`"a \"note\" with\nlines \u00e4 and more of it"`)
			}
			if shape != "sparse" || r.IntN(3) > 0 {
				pairs = append(pairs, fmt.Appendf(nil, "%q:%s", key, value))
			}
		})
		between := ","
		switch shape {
		case "spaced":
			between = ", "
			for i := range pairs {
				pairs[i] = bytes.Replace(pairs[i], []byte(":"), []byte(": "), 1)
			}
		case "shuffled":
			r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		}
		out = append(append(append(out, '{'), bytes.Join(pairs, []byte(between))...), "}\n"...)
	}
	return out
}

// BenchmarkIndex is the walk alone, over records whose keys it can foresee and others.
func BenchmarkIndex(b *testing.B) {
	for _, shape := range []string{"regular", "spaced", "sparse", "shuffled", "nested", "escaped"} {
		b.Run("text="+shape, func(b *testing.B) {
			block := reshaped(rand.New(rand.NewPCG(1, 2)), shape)
			d := NewDecoder(mixedColumns, time.UTC)
			d.Begin(false)
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				if n, bad := d.Index(block, false); n != 300 || bad {
					b.Fatal(n, bad)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/300, "ns/record")
		})
	}
}

// BenchmarkCount counts the records of a megabyte.
func BenchmarkCount(b *testing.B) {
	lines := mixedLines(rand.New(rand.NewPCG(1, 2)), 4000)
	b.SetBytes(int64(len(lines)))
	for b.Loop() {
		Count(lines)
	}
}

// BenchmarkElements walks over the elements of an array.
func BenchmarkElements(b *testing.B) {
	lines := mixedLines(rand.New(rand.NewPCG(1, 2)), 4000)
	array := append([]byte{'['}, bytes.ReplaceAll(bytes.TrimSpace(lines), []byte("\n"), []byte(",\n"))...)
	array = append(array, ']')
	b.SetBytes(int64(len(array)))
	for b.Loop() {
		if _, n, _ := Elements(array, true, len(array), 1<<20); n != 4000 {
			b.Fatal(n)
		}
	}
}
