package arrowipc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// sampleTypes are the types that the samples have a column of, with values.
var sampleTypes = []struct {
	typ  arrow.DataType
	json string
}{
	{arrow.Null, `[null, null, null, null, null]`},
	{arrow.FixedWidthTypes.Boolean, `[true, null, false, true, true]`},
	{arrow.PrimitiveTypes.Int8, `[1, null, -128, 127, 0]`},
	{arrow.PrimitiveTypes.Uint64, `[1, null, 18446744073709551615, 7, 8]`},
	{arrow.PrimitiveTypes.Float64, `[1.5, null, -2, 1e300, 0]`},
	{&arrow.Decimal128Type{Precision: 20, Scale: 2}, `["1.25", null, "-3.10", "0.00", "5.00"]`},
	{arrow.FixedWidthTypes.Date32, `["1969-12-31", null, "2000-01-01", "2000-01-02", "2000-01-03"]`},
	{arrow.BinaryTypes.String, `["a", null, "", "long enough not to be inline", "é"]`},
	{arrow.BinaryTypes.LargeBinary, `["AP8=", null, "", "AP8=", "AP8="]`},
	{arrow.BinaryTypes.StringView, `["a", null, "", "long enough not to be inline", "another that is not inline"]`},
	{&arrow.FixedSizeBinaryType{ByteWidth: 3}, `["AAAA", null, "AAAB", "AAAC", "AAAD"]`},
	{arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[1, 2], null, [], [3], [null, 4]]`},
	{arrow.LargeListOf(arrow.BinaryTypes.String), `[["x", "yy"], null, [], [null], ["zzz"]]`},
	{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int16), `[[1, 2], null, [3, 4], [5, null], [6, 7]]`},
	{arrow.ListViewOf(arrow.PrimitiveTypes.Int32), `[[1, 2], null, [], [3], [null, 4]]`},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["u", null, "v", "u", "w"]`},
	{arrow.StructOf(arrow.Field{Name: "s", Type: arrow.PrimitiveTypes.Int32}), `[{"s": 1}, null, {"s": 2}, {"s": 3}, {"s": 4}]`},
	{arrow.ListOf(arrow.ListOf(arrow.BinaryTypes.String)), `[[["a"], ["b"]], null, [], [[]], [["c", null]]]`},
}

// sampleBatch has a column of each type, its rows repeated.
func sampleBatch(t testing.TB, repeat int) arrow.RecordBatch {
	t.Helper()
	var fields []arrow.Field
	var columns []arrow.Array
	for i, s := range sampleTypes {
		arr, _, err := array.FromJSON(memory.DefaultAllocator, s.typ, strings.NewReader(s.json))
		if err != nil {
			t.Fatalf("%s: %v", s.typ, err)
		}
		parts := make([]arrow.Array, repeat)
		for k := range parts {
			parts[k] = arr
		}
		if repeat > 1 {
			if arr, err = array.Concatenate(parts, memory.DefaultAllocator); err != nil {
				t.Fatalf("%s: %v", s.typ, err)
			}
		}
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: s.typ, Nullable: true})
		columns = append(columns, arr)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(columns[0].Len()))
}

// writer is what ipc's two writers have in common.
type writer interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// encode returns batches as arrow-go writes them.
func encode(t testing.TB, file bool, batches []arrow.RecordBatch, opts ...ipc.Option) []byte {
	t.Helper()
	var buf bytes.Buffer
	opts = append(opts, ipc.WithSchema(batches[0].Schema()))
	var w writer = ipc.NewWriter(&buf, opts...)
	if file {
		var err error
		if w, err = ipc.NewFileWriter(&buf, opts...); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// samples are good inputs of both forms and all codecs.
func samples(t testing.TB) [][]byte {
	b := sampleBatch(t, 1)
	many := []arrow.RecordBatch{b, b}
	return [][]byte{
		encode(t, true, many),
		encode(t, false, many),
		encode(t, true, many, ipc.WithZstd()),
		encode(t, false, many, ipc.WithLZ4()),
	}
}
