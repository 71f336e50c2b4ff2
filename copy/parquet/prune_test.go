package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/bitmap"
)

// bind opens a file whose fields fill columns of their own types, under a condition.
func bind(t testing.TB, b []byte, where ...copy.Predicate) *input {
	t.Helper()
	r, err := openFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	in := &input{reader: r}
	binding := &copy.Binding{Where: where, Location: time.UTC}
	var from []int
	for i := range r.fields {
		binding.Columns = append(binding.Columns, copy.Column{Name: r.fields[i].name, Type: r.fields[i].columnType(), Pos: i})
		from = append(from, i)
	}
	if err := in.Bind(binding, from); err != nil {
		t.Fatal(err)
	}
	return in
}

// pruned returns the numbers of the parts that are passed over.
func pruned(t testing.TB, in *input) (out []int) {
	t.Helper()
	for p, err := range in.Parts() {
		if err != nil {
			t.Fatal(err)
		}
		if p := p.(*part); p.pruned {
			out = append(out, p.group)
		}
	}
	return out
}

func holds(p *copy.Predicate, v columnar.Value) bool {
	if v.Null {
		return false
	}
	c := columnar.CompareValues(v, p.Value)
	switch p.Op {
	case copy.Equal:
		return c == 0
	case copy.Less:
		return c < 0
	case copy.LessEqual:
		return c <= 0
	case copy.Greater:
		return c > 0
	case copy.GreaterEqual:
		return c >= 0
	}
	return true
}

// TestPruning compares conditions on random columns with their values: no row group with a
// row for which the condition holds is passed over, and of sorted columns most others are.
func TestPruning(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, typ := range scalarTypes {
		if typ.Kind == columnar.JSON || typ.Kind == columnar.Numeric || typ.Length > 0 {
			continue
		}
		for _, sorted := range []bool{false, true} {
			const n, each = 400, 50
			var texts []string
			for range n {
				s := randomText(r, typ, false)
				b, _ := columnar.AppendCanonical(nil, typ, []byte(s), time.UTC)
				texts = append(texts, string(b))
			}
			v := vecOf(t, typ, texts)
			if sorted {
				slices.SortFunc(texts, func(a, b string) int { return columnar.CompareValues(valueOf(t, typ, a), valueOf(t, typ, b)) })
			}
			for i := range each {
				texts[2*each+i] = "~" // a row group of nulls
			}
			v = vecOf(t, typ, texts)
			b := writeColumns(t, []layout{newLayout("c", typ, false)}, []columnar.Vec{v}, codecSnappy, each, each)
			some := 0
			for trial := range 40 {
				p := copy.Predicate{Op: copy.Op(trial % 6), Value: valueOf(t, typ, randomText(r, typ, false))}
				got := pruned(t, bind(t, b, p))
				some += len(got)
				for _, g := range got {
					for i := g * each; i < (g+1)*each; i++ {
						if x := v.Value(i); holds(&p, x) {
							t.Fatalf("%s: row group %d was passed over and has %s: op %d, bound %s", typ, g, texts[i], p.Op, p.Value.AppendText(nil, time.UTC))
						}
					}
				}
			}
			if some < 40 { // those of nulls alone
				t.Errorf("%s: only %d row groups were passed over", typ, some)
			}
			if sorted && typ.Kind == columnar.Int8 && some < 80 {
				t.Errorf("%s sorted: only %d row groups were passed over", typ, some)
			}
		}
	}
}

func valueOf(t testing.TB, typ columnar.Type, text string) columnar.Value {
	v := columnar.Value{Type: typ}
	setText(t, &v, text)
	return v
}

// TestBounds compares the statistics that are written with the smallest and the largest value:
// of columns whose values repeat, which have a dictionary, and of others.
func TestBounds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, typ := range scalarTypes {
		if typ.Kind == columnar.JSON || typ.Kind == columnar.Numeric || typ.Kind == columnar.Bool || typ.Length > 0 {
			continue // bounds of text and bits are not those of the values
		}
		for _, few := range []bool{false, true} {
			var low, high columnar.Value
			var texts []string
			for range 200 {
				b, _ := columnar.AppendCanonical(nil, typ, []byte(randomText(r, typ, few)), time.UTC)
				v := valueOf(t, typ, string(b))
				if math.IsNaN(v.F) {
					continue
				}
				if len(texts) == 0 || columnar.CompareValues(v, low) < 0 {
					low = v
				}
				if len(texts) == 0 || columnar.CompareValues(v, high) > 0 {
					high = v
				}
				texts = append(texts, string(b))
			}
			in := bind(t, writeColumns(t, []layout{newLayout("c", typ, false)}, []columnar.Vec{vecOf(t, typ, texts)}, codecNone, 1000, 1000))
			d, s := &in.fields[0], &in.foot.groups[0].columns[0].stats
			least, ok1 := d.bound(s.min)
			most, ok2 := d.bound(s.max)
			if !ok1 || !ok2 || columnar.CompareValues(least, low) != 0 || columnar.CompareValues(most, high) != 0 {
				t.Errorf("%s: from %s to %s, want %s to %s", typ, least.AppendText(nil, time.UTC), most.AppendText(nil, time.UTC),
					low.AppendText(nil, time.UTC), high.AppendText(nil, time.UTC))
			}
		}
	}
}

// TestTrust gives chunks statistics of every kind of writer and asks for c = 0 or c > 100
// where the statistics, if they were true, would leave no such row.
func TestTrust(t *testing.T) {
	i32 := func(v int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }
	i64 := func(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }
	f64 := func(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) }
	be := func(v int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(v)) }
	newer := func(low, high []byte) statistics {
		return statistics{min: low, max: high, nullCount: -1}
	}
	older := func(low, high []byte) statistics {
		return statistics{oldMin: low, oldMax: high, nullCount: -1}
	}
	num := func(k columnar.Kind, v int64) columnar.Value { return columnar.Value{Type: kind(k), I: v} }
	text := func(s string) columnar.Value { return columnar.Value{Type: kind(columnar.Text), S: s} }
	dec := columnar.Value{Type: decimal(18, 2)}
	for _, tc := range []struct {
		name    string
		e       element
		s       statistics
		ordered bool
		op      copy.Op
		v       columnar.Value
		want    bool
	}{
		{"int", element{typ: physInt32}, newer(i32(5), i32(9)), true, copy.Equal, num(columnar.Int4, 0), true},
		{"int, another width", element{typ: physInt32}, newer(i32(5), i32(9)), true, copy.Equal, num(columnar.Int8, 0), true},
		{"int at the bound", element{typ: physInt32}, newer(i32(0), i32(9)), true, copy.Equal, num(columnar.Int4, 0), false},
		{"int without an order", element{typ: physInt32}, newer(i32(5), i32(9)), false, copy.Equal, num(columnar.Int4, 0), false},
		{"older int", element{typ: physInt32}, older(i32(5), i32(9)), false, copy.Equal, num(columnar.Int4, 0), true},
		{"int the wrong way round", element{typ: physInt32}, newer(i32(9), i32(5)), true, copy.Equal, num(columnar.Int4, 0), false},
		{"int of the wrong width", element{typ: physInt32}, newer(i64(5), i64(9)), true, copy.Equal, num(columnar.Int4, 0), false},
		{"one bound", element{typ: physInt32}, statistics{min: i32(5), nullCount: -1}, true, copy.Equal, num(columnar.Int4, 0), false},
		{"unsigned", element{typ: physInt32, converted: convertedUint32}, newer(i32(5), i32(-1)), true, copy.Equal, num(columnar.Int8, 0), true},
		{"unsigned, large", element{typ: physInt32, converted: convertedUint32}, newer(i32(5), i32(-1)), true, copy.Greater, num(columnar.Int8, 100), false},
		{"older unsigned", element{typ: physInt32, converted: convertedUint32}, older(i32(5), i32(9)), false, copy.Equal, num(columnar.Int8, 0), false},
		{"uint64", element{typ: physInt64, converted: convertedUint64}, newer(i64(5), i64(-1)), true, copy.Equal, columnar.Value{Type: decimal(20, 0)}, true},
		{"double", element{typ: physDouble}, newer(f64(5), f64(9)), true, copy.Equal, columnar.Value{Type: kind(columnar.Float8)}, true},
		{"double, NaN may be above", element{typ: physDouble}, newer(f64(5), f64(9)), true, copy.Greater, columnar.Value{Type: kind(columnar.Float8), F: 100}, false},
		{"double, NaN as a bound", element{typ: physDouble}, newer(f64(5), f64(math.NaN())), true, copy.Less, columnar.Value{Type: kind(columnar.Float8)}, false},
		{"older double", element{typ: physDouble}, older(f64(5), f64(9)), false, copy.Equal, columnar.Value{Type: kind(columnar.Float8)}, false},
		{"zeros of both signs", element{typ: physDouble}, newer(f64(0), f64(9)), true, copy.Equal, columnar.Value{Type: kind(columnar.Float8), F: math.Copysign(0, -1)}, false},
		{"decimal", element{typ: physInt64, converted: convertedDecimal, precision: 18, scale: 2}, newer(i64(5), i64(9)), true, copy.Equal, dec, true},
		{"older decimal", element{typ: physInt64, converted: convertedDecimal, precision: 18, scale: 2}, older(i64(5), i64(9)), false, copy.Equal, dec, true},
		{"fixed decimal", element{typ: physFixed, length: 8, converted: convertedDecimal, precision: 18, scale: 2}, newer(be(-9), be(-5)), true, copy.Equal, dec, true},
		{"fixed decimal compared as bytes", element{typ: physFixed, length: 8, converted: convertedDecimal, precision: 18, scale: 2}, newer(be(5), be(-5)), true, copy.Equal, dec, false},
		{"older fixed decimal", element{typ: physFixed, length: 8, converted: convertedDecimal, precision: 18, scale: 2}, older(be(5), be(9)), false, copy.Equal, dec, false},
		{"decimal of bytes", element{typ: physByteArray, converted: convertedDecimal, precision: 18, scale: 2}, newer(be(5), be(9)), true, copy.Equal, dec, false},
		{"decimal of another scale", element{typ: physInt64, converted: convertedDecimal, precision: 18, scale: 3}, newer(i64(5), i64(9)), true, copy.Equal, dec, false},
		{"int96", element{typ: physInt96}, newer(make([]byte, 12), make([]byte, 12)), true, copy.Equal, num(columnar.Timestamp, 0), false},
		{"text", element{typ: physByteArray, converted: convertedUTF8}, newer([]byte("b"), []byte("d")), true, copy.Equal, text("a"), true},
		{"text, a cut bound", element{typ: physByteArray, converted: convertedUTF8}, newer([]byte("b"), []byte("d")), true, copy.Equal, text("cz"), false},
		{"older text", element{typ: physByteArray, converted: convertedUTF8}, older([]byte("b"), []byte("d")), false, copy.Equal, text("a"), false},
		{"text into varchar(1)", element{typ: physByteArray, converted: convertedUTF8}, newer([]byte("b"), []byte("d")), true, copy.Equal,
			columnar.Value{Type: columnar.Type{Kind: columnar.Varchar, Length: 1}, S: "a"}, false},
		{"text into int", element{typ: physByteArray, converted: convertedUTF8}, newer([]byte("5"), []byte("9")), true, copy.Equal, num(columnar.Int4, 0), false},
		{"nanoseconds", element{typ: physInt64, logical: logicalType{kind: logicalTimestamp, unit: unitNanos}}, newer(i64(5001), i64(9001)), true, copy.Equal, num(columnar.Timestamp, 0), true},
		{"a date that none is", element{typ: physInt32, converted: convertedDate}, newer(i32(math.MinInt32), i32(-5)), true, copy.Equal, num(columnar.Date, 0), false},
		{"all null", element{typ: physInt32}, statistics{nullCount: 10}, false, copy.NotNull, num(columnar.Int4, 0), true},
		{"some null", element{typ: physInt32}, statistics{nullCount: 9}, false, copy.NotNull, num(columnar.Int4, 0), false},
		{"nulls not counted", element{typ: physInt32}, statistics{nullCount: -1}, false, copy.NotNull, num(columnar.Int4, 0), false},
	} {
		if tc.e.converted == 0 && tc.e.typ != physByteArray {
			tc.e.converted = convertedNone
		}
		d := field{name: "c"}
		if d.refused = d.leaf.set(&tc.e); d.refused != "" {
			t.Fatalf("%s: %s", tc.name, d.refused)
		}
		c := chunk{values: 10, stats: tc.s}
		if got := d.refutes(&c, tc.ordered, &copy.Predicate{Op: tc.op, Value: tc.v}); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestVarBytes compares what a part says of its bytes with what they are.
func TestVarBytes(t *testing.T) {
	for _, few := range []bool{false, true} {
		var texts []string
		total := int64(0)
		for i := range 5000 {
			s := fmt.Sprint("value ", i)
			if few {
				s = fmt.Sprint("value ", i%10)
			}
			texts = append(texts, s)
			total += int64(len(s))
		}
		typ := kind(columnar.Text)
		b := writeColumns(t, []layout{newLayout("c", typ, false)}, []columnar.Vec{vecOf(t, typ, texts)}, codecZstd, 100000, 100000)
		for p, err := range bind(t, b).Parts() {
			if err != nil {
				t.Fatal(err)
			}
			rows, n := p.Size()
			if rows != 5000 || n < total || few && n != total || n > total+4*5000+2000 {
				t.Errorf("%d rows, %d bytes of %d", rows, n, total)
			}
		}
	}
}

// TestVarBytesFixed compares what a part says of its bytes with what values of a fixed length
// are, whose dictionary has no lengths.
func TestVarBytesFixed(t *testing.T) {
	f := flat(physFixed, encDictionary, 1000, append([]byte{0}, binary.AppendUvarint(nil, 1000<<1)...))
	f.width, f.dict, f.dictN = 3, []byte("abc"), 1
	for p, err := range bind(t, f.bytes()).Parts() {
		if err != nil {
			t.Fatal(err)
		}
		if rows, n := p.Size(); rows != 1000 || n != 3000 {
			t.Errorf("%d rows, %d bytes", rows, n)
		}
	}
	if rows, _, err := f.read(); err != nil || rows != 1000 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// reads counts how often a file is read.
type reads struct {
	io.ReaderAt
	n int
}

func (r *reads) ReadAt(b []byte, off int64) (int, error) {
	r.n++
	return r.ReaderAt.ReadAt(b, off)
}

// TestVarBytesOfPieces counts the reads that tell how many bytes the pieces of a row group
// have: one for each page, however many pieces there are.
func TestVarBytesOfPieces(t *testing.T) {
	const n = 6 * splitRows
	offsets, data := make([]int32, n+1), make([]byte, 0, 12*n)
	for i := range n {
		data = fmt.Appendf(data, "value %06d", i)
		offsets[i+1] = int32(len(data))
	}
	typ := kind(columnar.Text)
	v := columnar.MakeVec(typ, n, nil, nil, nil, offsets, data, nil)
	in := bind(t, writeColumns(t, []layout{newLayout("s", typ, true)}, []columnar.Vec{v}, codecNone, n, 1<<16))
	counted := &reads{ReaderAt: in.r}
	in.r = counted
	parts, most := 0, int64(0)
	for p, err := range in.Parts() {
		if err != nil {
			t.Fatal(err)
		}
		_, n := p.Size()
		parts, most = parts+1, most+n
	}
	got := counted.n
	pages := in.pages(&in.foot.groups[0].columns[0])
	heads := 0
	for at := int64(0); at < n; heads++ {
		h, err := pages.header()
		if err != nil {
			t.Fatal(err)
		}
		at += int64(h.values)
		pages.skip(&h)
	}
	if parts != 6 || got > heads || most < int64(len(data)) || most > 2*int64(len(data)) {
		t.Errorf("%d parts, %d reads for %d pages, %d bytes at most of %d", parts, got, heads, most, len(data))
	}
}

// TestSplit reads a row group in pieces, with pages that several of them share.
func TestSplit(t *testing.T) {
	const n = 2*splitRows + 1000
	fixed, valid := alignedBytes(8*n), make([]uint64, (n+63)/64)
	offsets, data := make([]int32, n+1), []byte{}
	for i := range n {
		if i%5 != 0 {
			bitmap.Set(valid, i, 1)
			view[int64](fixed)[i] = int64(i)
			data = append(data, "value "...)
			data = append(data, byte('a'+i%26))
		}
		offsets[i+1] = int32(len(data))
	}
	cols := []columnar.Vec{
		columnar.MakeVec(kind(columnar.Int8), n, valid, fixed, nil, nil, nil, nil),
		columnar.MakeVec(kind(columnar.Text), n, valid, nil, nil, offsets, data, nil),
	}
	layouts := []layout{newLayout("i", kind(columnar.Int8), false), newLayout("s", kind(columnar.Text), false)}
	in := bind(t, writeColumns(t, layouts, cols, codecSnappy, n, 1<<16))
	row, parts, most := 0, 0, int64(0)
	for p, err := range in.Parts() {
		if err != nil {
			t.Fatal(err)
		}
		p := p.(*part)
		g, err := in.group(p.group, in.from, p.first, p.rows, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		for {
			rows, err := g.next()
			if err != nil {
				t.Fatal(err)
			}
			if rows == 0 {
				break
			}
			for i := range rows {
				null := row%5 == 0
				if g.vecs[0].IsNull(i) != null || g.vecs[1].IsNull(i) != null ||
					!null && (g.vecs[0].Int64s()[i] != int64(row) || string(g.vecs[1].Bytes(i)) != "value "+string(rune('a'+row%26))) {
					t.Fatalf("row %d is wrong", row)
				}
				row++
			}
		}
		g.release()
		most += p.varBytes
		parts++
	}
	if row != n || parts != 2 || most < int64(len(data)) || most > int64(len(data))*3/2 {
		t.Errorf("%d rows in %d parts, %d bytes at most of %d", row, parts, most, len(data))
	}
}
