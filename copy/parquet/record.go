package parquet

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot/columnar"
)

// retyped returns the rows of column i that were given away last as values of type t, whose
// layout is the same.
func (g *groupReader) retyped(i int, t columnar.Type, rows int) columnar.Vec {
	if g.vecs[i].Type() == t {
		return g.vecs[i]
	}
	v := g.columns[i].given().vec(t)
	return v.Slice(g.taken[i]-rows, rows)
}

// record returns the rows that were given away last as Arrow data over the same memory, for
// the core to convert.
func (g *groupReader) record(rows int) arrow.RecordBatch {
	fields := make([]arrow.Field, len(g.columns))
	arrays := make([]arrow.Array, len(g.columns))
	for i, c := range g.columns {
		t := c.field.columnType()
		fields[i] = arrow.Field{Name: c.field.name, Type: columnar.ArrowType(t), Nullable: true}
		arrays[i] = c.given().array(t, fields[i].Type, g.taken[i]-rows, rows)
	}
	rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(rows))
	for _, a := range arrays {
		a.Release()
	}
	return rec
}

// array returns rows of b as an array of type as.
func (b *batch) array(t columnar.Type, as arrow.DataType, from, rows int) arrow.Array {
	buffers := []*memory.Buffer{nil, nil}
	nulls := 0
	if b.nulls {
		buffers[0], nulls = memory.NewBufferBytes(bytesOf(b.valid)), array.UnknownNullCount
	}
	switch w := t.Width(); {
	case t.Variable():
		buffers[1] = memory.NewBufferBytes(bytesOf(b.offsets[:b.rows+1]))
		buffers = append(buffers, memory.NewBufferBytes(b.data))
	case w == 0:
		buffers[1] = memory.NewBufferBytes(bytesOf(b.bits))
	default:
		buffers[1] = memory.NewBufferBytes(b.fixed[:b.rows*w])
	}
	d := array.NewData(as, rows, buffers, nil, nulls, from)
	defer d.Release()
	return array.MakeFromData(d)
}

// bytesOf returns the memory of v.
func bytesOf[T uint64 | int32](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(*new(T))))
}
