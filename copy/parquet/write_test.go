package parquet

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

func kind(k columnar.Kind) columnar.Type { return columnar.Type{Kind: k} }

func decimal(p, s uint8) columnar.Type {
	return columnar.Type{Kind: columnar.Decimal, Precision: p, Scale: s}
}

func arrayOf(t columnar.Type) columnar.Type {
	t.Array = true
	return t
}

// scalarTypes are all types but arrays.
var scalarTypes = []columnar.Type{
	kind(columnar.Bool), kind(columnar.Int2), kind(columnar.Int4), kind(columnar.Int8), kind(columnar.Float4), kind(columnar.Float8),
	decimal(5, 2), decimal(9, 0), decimal(18, 4), decimal(38, 10), kind(columnar.Numeric), kind(columnar.Text),
	{Kind: columnar.Varchar, Length: 30}, kind(columnar.Bytea), kind(columnar.Date), kind(columnar.Time), kind(columnar.Timestamp),
	kind(columnar.TimestampTZ), kind(columnar.UUID), kind(columnar.JSON),
}

// randomText returns the text of a value of type t; few says that values repeat.
func randomText(r *rand.Rand, t columnar.Type, few bool) string {
	if few {
		r = rand.New(rand.NewPCG(7, r.Uint64N(20)))
	}
	if t.Array {
		t.Array = false
		var elements []string
		for range r.IntN(4) {
			if r.IntN(5) == 0 {
				elements = append(elements, "NULL")
				continue
			}
			elements = append(elements, string(pgtext.AppendArrayElement(nil, []byte(randomText(r, t, false)))))
		}
		return "{" + strings.Join(elements, ",") + "}"
	}
	switch t.Kind {
	case columnar.Bool:
		return []string{"t", "f"}[r.IntN(2)]
	case columnar.Int2:
		return fmt.Sprint(int16(r.Uint32()))
	case columnar.Int4:
		return fmt.Sprint(int32(r.Uint32()))
	case columnar.Int8:
		return fmt.Sprint(int64(r.Uint64()))
	case columnar.Float4, columnar.Float8:
		return []string{"NaN", "Infinity", "-Infinity", "-0", "0", "1.5", fmt.Sprint(r.IntN(1000))}[r.IntN(7)]
	case columnar.Decimal:
		n := int(t.Precision) - int(t.Scale)
		s := fmt.Sprint(r.Uint64N(1 << 62))
		return []string{"", "-"}[r.IntN(2)] + s[:min(len(s), n)] + "." + strings.Repeat("7", int(t.Scale))
	case columnar.Numeric:
		return []string{"NaN", "0.00", "-123456789012345678901234567890.5", fmt.Sprint(r.IntN(100))}[r.IntN(4)]
	case columnar.Bytea:
		return fmt.Sprintf("\\x%08x", r.Uint32())
	case columnar.Date:
		return string(pgtext.AppendDate(nil, int32(r.IntN(100000))-50000))
	case columnar.Time:
		return string(pgtext.AppendTime(nil, r.Int64N(microsPerDay+1)))
	case columnar.Timestamp:
		return string(pgtext.AppendTimestamp(nil, r.Int64N(math.MaxInt64)/2-1e17))
	case columnar.TimestampTZ:
		return string(pgtext.AppendTimestampTZ(nil, r.Int64N(math.MaxInt64)/2-1e17, time.UTC))
	case columnar.UUID:
		return fmt.Sprintf("%08x-0000-4000-8000-%012x", r.Uint32(), r.Uint64N(1<<48))
	case columnar.JSON:
		return []string{`{"a": [1, null]}`, `"é"`, "12"}[r.IntN(3)]
	}
	return []string{"", "a", "NULL", `"q\,{}`, "🙂 and more than sixteen bytes", strings.Repeat("x", r.IntN(30))}[r.IntN(6)]
}

// vecOf returns a column of the texts; "~" is NULL.
func vecOf(t testing.TB, typ columnar.Type, texts []string) columnar.Vec {
	t.Helper()
	n := len(texts)
	c := columnar.ColumnBuf{Type: typ, Valid: make([]uint64, (n+63)/64)}
	switch w := typ.Width(); {
	case typ.Variable():
		c.Offsets = make([]int32, n+1)
	case w == 0:
		c.Bits = make([]uint64, (n+63)/64)
	default:
		c.Fixed = alignedBytes(n * w)
	}
	for i, s := range texts {
		v := columnar.Value{Type: typ, Null: s == "~"}
		if !v.Null {
			if canonical, st := columnar.AppendCanonical(nil, typ, []byte(s), time.UTC); st != pgtext.OK || string(canonical) != s {
				t.Fatalf("%q is no canonical %s", s, typ)
			}
			bitmap.Set(c.Valid, i, 1)
			setText(t, &v, s)
		}
		if typ.Kind == columnar.Decimal && !typ.Array && math.IsNaN(v.F) {
			c.EnsureNaN(n)
		}
		c.SetValue(i, v)
	}
	return columnar.MakeVec(typ, n, c.Valid, c.Fixed, c.Bits, c.Offsets, c.Data, c.NaN)
}

func setText(t testing.TB, v *columnar.Value, s string) {
	b := []byte(s)
	st := pgtext.OK
	if v.Type.Array {
		v.S = s
		return
	}
	switch v.Type.Kind {
	case columnar.Bool:
		if s == "t" {
			v.I = 1
		}
	case columnar.Int2, columnar.Int4, columnar.Int8:
		v.I, st = pgtext.Int(b, 64)
	case columnar.Float4:
		var f float32
		f, st = pgtext.Float4(b)
		v.F = float64(f)
	case columnar.Float8:
		v.F, st = pgtext.Float8(b)
	case columnar.Decimal:
		var d pgtext.Decimal128
		var special pgtext.Special
		d, special, st = pgtext.ParseDecimal(b, int(v.Type.Precision), int(v.Type.Scale))
		if v.Hi, v.I = d.Hi, int64(d.Lo); special == pgtext.NaN {
			v.F = math.NaN()
		}
	case columnar.Date:
		var d int32
		d, st = pgtext.Date(b)
		v.I = int64(d)
	case columnar.Time:
		v.I, st = pgtext.Time(b)
	case columnar.Timestamp:
		v.I, st = pgtext.Timestamp(b)
	case columnar.TimestampTZ:
		v.I, st = pgtext.TimestampTZ(b, time.UTC)
	case columnar.UUID:
		u, _ := pgtext.UUID(b)
		v.S = string(u[:])
	case columnar.Bytea:
		x, _ := pgtext.Bytea(nil, b)
		v.S = string(x)
	default:
		v.S = s
	}
	if st != pgtext.OK {
		t.Fatalf("%q: status %d", s, st)
	}
}

// writeColumns writes columns of equal length, step rows at a time.
func writeColumns(t testing.TB, layouts []layout, cols []columnar.Vec, codec int32, groupRows, step int) []byte {
	t.Helper()
	var out bytes.Buffer
	a, err := newArchive(&out, layouts, codec, groupRows, false)
	if err != nil {
		t.Fatal(err)
	}
	p := a.packer()
	n := cols[0].Len()
	for from := 0; from < n; from += step {
		k := min(step, n-from)
		part := make([]columnar.Vec, len(cols))
		for i := range cols {
			part[i] = cols[i].Slice(from, k)
		}
		if err := p.add(part, k); err != nil {
			t.Fatal(err)
		}
		groups, err := p.pack(from+k == n)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.put(groups); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readTexts reads all fields of a file together, as text by column.
func readTexts(t testing.TB, b []byte) (*reader, [][]string) {
	t.Helper()
	f, err := openFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	got := make([][]string, len(f.fields))
	var all []int
	for k := range f.fields {
		all = append(all, k)
	}
	for g := range f.foot.groups {
		if err := readGroup(f, g, all, func(vecs []columnar.Vec, rows int) {
			for k := range vecs {
				for i := range rows {
					s := "~"
					if !vecs[k].IsNull(i) {
						s = string(vecs[k].AppendText(nil, i, time.UTC))
					}
					got[k] = append(got[k], s)
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	return f, got
}

// TestRoundTrip writes columns of every type and reads them again, with arrow-go too.
func TestRoundTrip(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for trial := range trials(12) {
		r := rand.New(rand.NewPCG(seed, uint64(trial)))
		n := []int{1, 63, 64, 65, 1000, 9000}[r.IntN(6)]
		codec := []int32{codecNone, codecSnappy, codecGzip, codecZstd}[trial%4]
		var layouts []layout
		var cols []columnar.Vec
		var want [][]string
		for i, base := range scalarTypes {
			for _, typ := range []columnar.Type{base, arrayOf(base)} {
				few, nulls := r.IntN(2) == 0, r.IntN(4)
				var texts []string
				for range n {
					s := "~"
					if nulls == 0 || r.IntN(4) >= nulls {
						s = randomText(r, typ, few)
						if typ.Kind == columnar.Decimal || typ.Kind == columnar.Float4 || typ.Kind == columnar.Float8 || typ.Array {
							b, st := columnar.AppendCanonical(nil, typ, []byte(s), time.UTC)
							if st != pgtext.OK {
								t.Fatalf("%s: %q", typ, s)
							}
							s = string(b)
						}
					}
					texts = append(texts, s)
				}
				layouts = append(layouts, newLayout(fmt.Sprint("c", i, typ.Array), typ, nulls == 0))
				cols = append(cols, vecOf(t, typ, texts))
				want = append(want, texts)
			}
		}
		b := writeColumns(t, layouts, cols, codec, []int{100, 5000, 131072}[r.IntN(3)], []int{7, 2048, 100000}[r.IntN(3)])
		f, got := readTexts(t, b)
		for k := range want {
			typ := layouts[k].typ
			if !slices.Equal(got[k], want[k]) {
				t.Fatalf("trial %d: %s: got %.200q, want %.200q", trial, typ, got[k], want[k])
			}
			if natural := f.fields[k].columnType(); typ.Kind != columnar.Varchar && typ.Kind != columnar.Numeric && natural != typ {
				t.Errorf("%s comes back as %s", typ, natural)
			}
			if typ.Array {
				continue
			}
			theirs, err := arrowGoText(b, f.fields[k].at)
			if err != nil {
				t.Fatalf("%s: arrow-go: %v", typ, err)
			}
			ours, err := physicalText(f, k)
			if err != nil || !slices.Equal(ours, theirs) {
				t.Fatalf("trial %d: %s: arrow-go reads %.200q, we %.200q, %v", trial, typ, theirs, ours, err)
			}
		}
	}
}

// TestInfinities writes values that Parquet does not have.
func TestInfinities(t *testing.T) {
	for _, tc := range []struct {
		typ   columnar.Type
		texts []string
		state string
		want  []string
	}{
		{kind(columnar.Date), []string{"2000-01-01", "infinity"}, pgerr.DatetimeFieldOverflow, []string{"2000-01-01", "~"}},
		{kind(columnar.Timestamp), []string{"~", "-infinity", "1970-01-01 00:00:00"}, pgerr.DatetimeFieldOverflow, []string{"~", "~", "1970-01-01 00:00:00"}},
		{kind(columnar.TimestampTZ), []string{"infinity"}, pgerr.DatetimeFieldOverflow, []string{"~"}},
		{decimal(4, 1), []string{"NaN", "1.0"}, pgerr.NumericValueOutOfRange, []string{"~", "1.0"}},
		{arrayOf(decimal(30, 1)), []string{"{1.0,NaN}"}, pgerr.NumericValueOutOfRange, []string{"{1.0,NULL}"}},
		{arrayOf(kind(columnar.Date)), []string{"{infinity,2000-01-01}"}, pgerr.DatetimeFieldOverflow, []string{"{NULL,2000-01-01}"}},
		{arrayOf(kind(columnar.Int4)), []string{"{{1,2},{3,4}}"}, pgerr.FeatureNotSupported, nil},
		{arrayOf(kind(columnar.Int4)), []string{"[0:1]={1,2}"}, pgerr.FeatureNotSupported, nil},
	} {
		v := vecOf(t, tc.typ, tc.texts)
		layouts := []layout{newLayout("c", tc.typ, false)}
		for _, null := range []bool{false, true} {
			var out bytes.Buffer
			a, err := newArchive(&out, layouts, codecNone, groupRows, null)
			if err != nil {
				t.Fatal(err)
			}
			p := a.packer()
			err = p.add([]columnar.Vec{v}, v.Len())
			if !null || tc.want == nil {
				if pgerr.Code(err) != tc.state {
					t.Errorf("%s %q: %v, want %s", tc.typ, tc.texts, err, tc.state)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			groups, err := p.pack(true)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.put(groups); err != nil {
				t.Fatal(err)
			}
			if err := a.close(); err != nil {
				t.Fatal(err)
			}
			if _, got := readTexts(t, out.Bytes()); !slices.Equal(got[0], tc.want) {
				t.Errorf("%s: got %q, want %q", tc.typ, got[0], tc.want)
			}
		}
	}
}

// TestLongValues writes values so long that few make a page, among short ones and nulls, and
// lists of them, and looks at the size of the pages.
func TestLongValues(t *testing.T) {
	long := strings.Repeat("x", pageBytes/4)
	for _, typ := range []columnar.Type{kind(columnar.Text), kind(columnar.Bytea), arrayOf(kind(columnar.Text))} {
		for _, nulls := range []bool{false, true} {
			var texts []string
			for i := range 1000 {
				s := fmt.Sprint(i)
				if i >= 950 {
					s += long
				}
				switch {
				case nulls && i%3 == 0:
					s = "~"
				case typ.Array:
					s = "{" + s + "}"
				case typ.Kind == columnar.Bytea:
					s = fmt.Sprintf("\\x%x", s)
				}
				texts = append(texts, s)
			}
			b := writeColumns(t, []layout{newLayout("c", typ, false)}, []columnar.Vec{vecOf(t, typ, texts)}, codecNone, 2000, 1000)
			f, got := readTexts(t, b)
			if !slices.Equal(got[0], texts) {
				t.Errorf("%s, nulls %v: other values", typ, nulls)
			}
			pages, n := f.pages(&f.foot.groups[0].columns[0]), 0
			for ; pages.left() > trailingBytes; n++ {
				h, err := pages.header()
				if err != nil {
					t.Fatal(err)
				}
				if h.uncompressed > 5*pageBytes/2 {
					t.Errorf("%s, nulls %v: a page of %d bytes", typ, nulls, h.uncompressed)
				}
				pages.skip(&h)
			}
			if n > 30 {
				t.Errorf("%s, nulls %v: %d pages", typ, nulls, n)
			}
		}
	}
}
