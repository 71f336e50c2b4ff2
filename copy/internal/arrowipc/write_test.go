package arrowipc

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// written are the types that are written, with values.
var written = []struct {
	typ  arrow.DataType
	json string
}{
	{arrow.FixedWidthTypes.Boolean, `[true, null, false, true, true]`},
	{arrow.PrimitiveTypes.Int16, `[1, null, -128, 127, 0]`},
	{arrow.PrimitiveTypes.Int32, `[1, null, -128, 127, 0]`},
	{arrow.PrimitiveTypes.Int64, `[1, 2, 3, 4, 5]`},
	{arrow.PrimitiveTypes.Float32, `[1.5, null, -2, 1e30, 0]`},
	{arrow.PrimitiveTypes.Float64, `[1.5, null, -2, 1e300, 0]`},
	{&arrow.Decimal128Type{Precision: 20, Scale: 2}, `["1.25", null, "-3.10", "0.00", "5.00"]`},
	{arrow.FixedWidthTypes.Date32, `["1969-12-31", null, "2000-01-01", "2000-01-02", "2000-01-03"]`},
	{arrow.FixedWidthTypes.Time64us, `["12:34:56.000001", null, "00:00:00", "00:00:01", "23:59:59"]`},
	{&arrow.TimestampType{Unit: arrow.Microsecond}, `["2001-02-03 04:05:06.000007", null, "1960-01-01", "1970-01-01", "2100-01-01"]`},
	{&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, `["2001-02-03 04:05:06Z", null, "1960-01-01 00:00:00Z", "1970-01-01 00:00:00Z", "2100-01-01 00:00:00Z"]`},
	{arrow.BinaryTypes.String, `["a", null, "", "` + strings.Repeat("repeated ", 12) + `", "é"]`},
	{arrow.BinaryTypes.Binary, `["AP8=", null, "", "AP8=", "AP8="]`},
	{&arrow.FixedSizeBinaryType{ByteWidth: 3}, `["AAAA", null, "AAAB", "AAAC", "AAAD"]`},
	{arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[1, 2], null, [], [3], [null, 4]]`},
	{arrow.ListOf(arrow.BinaryTypes.String), `[["x", "yy"], null, [], [null], ["zzz"]]`},
}

// arrayOf returns the buffers of an array without offset.
func arrayOf(arr arrow.Array) Array {
	data := arr.Data()
	a := Array{Rows: arr.Len(), Nulls: arr.NullN()}
	for _, b := range data.Buffers() {
		if b == nil {
			a.Buffers = append(a.Buffers, nil)
		} else {
			a.Buffers = append(a.Buffers, b.Bytes())
		}
	}
	for _, c := range data.Children() {
		child := arrayOf(array.MakeFromData(c))
		a.Child = &child
	}
	return a
}

// TestWrite writes all types in both forms with each codec, and reads them with arrow-go
// and with the package's own reader.
func TestWrite(t *testing.T) {
	var fields []arrow.Field
	var columns []Array
	var want []arrow.Array
	for i, w := range written {
		arr, _, err := array.FromJSON(memory.DefaultAllocator, w.typ, strings.NewReader(w.json))
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, arr)
		columns = append(columns, arrayOf(arr))
		fields = append(fields, arrow.Field{Name: strings.Repeat("name", i), Type: w.typ, Nullable: arr.NullN() > 0})
	}
	for _, file := range []bool{false, true} {
		for _, codec := range []Codec{Uncompressed, LZ4, Zstd} {
			var buf bytes.Buffer
			w, err := NewWriter(&buf, fields, file)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				p, err := Encode(columns, 5, codec)
				if err != nil {
					t.Fatal(err)
				}
				if w.at%64 != 0 || (w.at+int64(len(p.meta)))%64 != 0 {
					t.Errorf("a batch starts at %d, its body at %d", w.at, w.at+int64(len(p.meta)))
				}
				if err := w.Put(p); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			recs, err := arrowGo(buf.Bytes())
			if err != nil || len(recs) != 3 {
				t.Fatal(len(recs), err)
			}
			for i := range want {
				if f := recs[0].Schema().Field(i); f.Name != fields[i].Name || f.Nullable != fields[i].Nullable || !arrow.TypeEqual(f.Type, fields[i].Type) {
					t.Errorf("field %v, want %v", f, fields[i])
				}
				for _, rec := range recs {
					if !array.Equal(rec.Column(i), want[i]) {
						t.Errorf("file %v codec %d: %s: %v, want %v", file, codec, want[i].DataType(), rec.Column(i), want[i])
					}
				}
			}
			if rows, what, err := readAll(buf.Bytes(), 64); rows != 15 || err != nil {
				t.Errorf("own reader: %d rows, %s, %v", rows, what, err)
			}
			if rows, err := readStream(&buf); rows != 15 || err != nil {
				t.Errorf("own reader of streams: %d rows, %v", rows, err)
			}
		}
	}
}

// TestWriteNothing writes an input without batches, and a batch without columns.
func TestWriteNothing(t *testing.T) {
	for _, file := range []bool{false, true} {
		var buf bytes.Buffer
		w, err := NewWriter(&buf, nil, file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Encode(nil, 0, Uncompressed)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Put(p); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if recs, err := arrowGo(buf.Bytes()); err != nil || len(recs) != 1 {
			t.Errorf("file %v: %d batches, %v", file, len(recs), err)
		}
		if rows, _, err := readAll(buf.Bytes(), 64); rows != 0 || err != nil {
			t.Errorf("file %v: %d rows, %v", file, rows, err)
		}
	}
}

// TestLZ4 packs and unpacks, and unpacks into too little room.
func TestLZ4(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 4, 5, 12, 13, 14, 100, 65535, 65536, 65537, 300_000} {
		for _, kinds := range []int{1, 2, 16, 256} {
			src := make([]byte, n)
			for i := range src {
				src[i] = byte(rng.IntN(kinds))
			}
			if kinds == 16 {
				for i := 0; i+8 <= n; i += 8 {
					binary.LittleEndian.PutUint64(src[i:], uint64(i/800))
				}
			}
			packed := packLZ4(nil, src)
			dst := make([]byte, n)
			if got, err := unpackLZ4(dst, packed); err != nil || got != n || !bytes.Equal(dst, src) {
				t.Fatalf("%d bytes of %d kinds: %d, %v", n, kinds, got, err)
			}
			if n > 1000 && kinds < 256 && len(packed) > n*3/4 {
				t.Errorf("%d bytes of %d kinds became %d", n, kinds, len(packed))
			}
			if n > 0 {
				if _, err := unpackLZ4(dst[:n-1], packed); err == nil {
					t.Errorf("%d bytes went into %d", n, n-1)
				}
			}
		}
	}
}

// FuzzLZ4 unpacks anything, and packs it and unpacks that.
func FuzzLZ4(f *testing.F) {
	f.Add(packLZ4(nil, []byte(strings.Repeat("abc", 50))))
	f.Fuzz(func(t *testing.T, b []byte) {
		unpackLZ4(make([]byte, 4096), b)
		dst := make([]byte, len(b))
		if n, err := unpackLZ4(dst, packLZ4(nil, b)); err != nil || n != len(b) || !bytes.Equal(dst, b) {
			t.Fatalf("%d bytes came back as %d, %v", len(b), n, err)
		}
	})
}
