package columnar

import (
	"context"
	"iter"
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// ArrowType returns the Arrow type that columns of type t are exported as.
//
// Bare numeric, json and arrays become utf8, uuid fixed_size_binary(16), decimals the narrowest
// of decimal32, decimal64 and decimal128.
func ArrowType(t Type) arrow.DataType {
	if t.Array {
		return arrow.BinaryTypes.String
	}
	switch t.Kind {
	case Bool:
		return arrow.FixedWidthTypes.Boolean
	case Int2:
		return arrow.PrimitiveTypes.Int16
	case Int4:
		return arrow.PrimitiveTypes.Int32
	case Int8:
		return arrow.PrimitiveTypes.Int64
	case Float4:
		return arrow.PrimitiveTypes.Float32
	case Float8:
		return arrow.PrimitiveTypes.Float64
	case Decimal:
		p, s := int32(t.Precision), int32(t.Scale)
		switch t.Width() {
		case 4:
			return &arrow.Decimal32Type{Precision: p, Scale: s}
		case 8:
			return &arrow.Decimal64Type{Precision: p, Scale: s}
		}
		return &arrow.Decimal128Type{Precision: p, Scale: s}
	case Bytea:
		return arrow.BinaryTypes.Binary
	case Date:
		return arrow.FixedWidthTypes.Date32
	case Time:
		return arrow.FixedWidthTypes.Time64us
	case Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case TimestampTZ:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case UUID:
		return &arrow.FixedSizeBinaryType{ByteWidth: 16}
	}
	return arrow.BinaryTypes.String
}

// ArrowSchema returns the Arrow schema of the given columns (positions; nil is all).
func ArrowSchema(s *Schema, columns []int) *arrow.Schema {
	if columns == nil {
		for i := range s.Columns {
			columns = append(columns, i)
		}
	}
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		col := &s.Columns[c]
		fields[i] = arrow.Field{Name: col.Name, Type: ArrowType(col.Type), Nullable: !col.NotNull}
	}
	return arrow.NewSchema(fields, nil)
}

// Records returns the live rows as Arrow record batches in row order, without copying
// values: each batch holds a lease on the mappings that its arrays point into until
// its last Release, also past the end of the snapshot. The consumer releases every
// batch. Batches have ScanOptions.BatchRows rows at most, a row group's by default.
// Only where many rows between others are deleted, those of a vector that are left are
// copied together instead.
//
// Arrow has no NaN in decimals and no infinite dates and timestamps: they become null.
// Reading a batch of a store whose file was cut by somebody else faults: readers of
// files they do not trust use ScanOptions.Copy, or mmap.Guard.
func (t *Table) Records(ctx context.Context, opt ScanOptions) iter.Seq2[arrow.RecordBatch, error] {
	if opt.BatchRows <= 0 {
		opt.BatchRows = visibility.GroupRows
	}
	return func(yield func(arrow.RecordBatch, error) bool) {
		schema := ArrowSchema(t.schema, opt.Columns)
		for b, err := range t.scan(ctx, scan{opt: opt, shape: gathered, keep: true}) {
			if err != nil {
				yield(nil, err)
				return
			}
			var rec arrow.RecordBatch
			if err := mmap.Guard(func() error {
				rec = b.record(schema)
				return nil
			}); err != nil {
				yield(nil, err)
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// record returns the batch as Arrow arrays over the same memory.
func (b *Batch) record(schema *arrow.Schema) arrow.RecordBatch {
	cols := make([]arrow.Array, 0, len(b.Cols))
	defer func() { // also when a column's memory cannot be read
		for _, c := range cols {
			c.Release()
		}
	}()
	for i := range b.Cols {
		cols = append(cols, b.Cols[i].arrow(schema.Field(i).Type, b.lease))
	}
	return array.NewRecordBatch(schema, cols, int64(b.Rows))
}

// arrow returns the rows as an array over the same memory. Bitmaps may start up to 63
// bits before the first row, so every buffer starts that many rows early and the array
// has that offset.
func (v *Vec) arrow(t arrow.DataType, m *mmap.Mapping) arrow.Array {
	valid := v.finite()
	buffers := []*memory.Buffer{nil, nil}
	nulls := 0
	if valid != nil {
		buffers[0] = leased(wordsAsBytes(valid), m)
		nulls = array.UnknownNullCount
	}
	switch {
	case v.offs != nil:
		end := v.offs[v.n] // read before there is a lease to lose
		buffers[1] = leased(sliceBytes(rewind(v.offs, v.off)), m)
		buffers = append(buffers, leased(v.data[:end], m))
	case v.bits != nil:
		buffers[1] = leased(wordsAsBytes(v.bits), m)
	default:
		buffers[1] = leased(rewind(v.fixed, v.off*v.typ.Width()), m)
	}
	data := array.NewData(t, v.n, buffers, nil, nulls, v.off)
	defer data.Release()
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	return array.MakeFromData(data)
}

// rewind returns s with n elements more in front. The elements are there: a Vec's
// rows lie v.off or more rows behind the start of the chunk it was sliced from.
func rewind[T any](s []T, n int) []T {
	if n == 0 {
		return s
	}
	first := unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), -n*int(unsafe.Sizeof(*new(T))))
	return unsafe.Slice((*T)(first), len(s)+n)
}

func sliceBytes(s []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 4*len(s))
}

// leased returns a buffer over b that keeps m mapped until its last release.
func leased(b []byte, m *mmap.Mapping) *memory.Buffer {
	if m == nil {
		return memory.NewBufferBytes(b)
	}
	m.Retain()
	return memory.NewBufferWithAllocator(b, lease{m})
}

// lease is the allocator of buffers that lie in a mapping: all it can do is let go.
type lease struct{ m *mmap.Mapping }

func (l lease) Allocate(int) []byte           { return nil }
func (l lease) Reallocate(int, []byte) []byte { return nil }
func (l lease) Free([]byte)                   { l.m.Release() }

// finite returns the validity bitmap, row 0 at bit v.off, with the values taken out
// that Arrow does not have: NaN of decimals, infinite dates and timestamps. It is v's
// own bitmap if there are none.
func (v *Vec) finite() []uint64 {
	out := v.valid
	own := false
	clear := func(i int) {
		if !own {
			own = true
			words := make([]uint64, (v.off+v.n+63)/64)
			for w := range words {
				words[w] = math.MaxUint64
			}
			copy(words, v.valid)
			out = words
		}
		out[(v.off+i)>>6] &^= 1 << ((v.off + i) & 63)
	}
	switch v.typ.Kind {
	case Decimal:
		for i := range v.n {
			if v.nan != nil && bit(v.nan, v.off+i) {
				clear(i)
			}
		}
	case Date:
		for i, d := range v.Int32s() {
			if d == math.MinInt32 || d == math.MaxInt32 {
				clear(i)
			}
		}
	case Timestamp, TimestampTZ:
		for i, ts := range v.Int64s() {
			if ts == math.MinInt64 || ts == math.MaxInt64 {
				clear(i)
			}
		}
	}
	return out
}
