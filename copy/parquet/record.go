package parquet

import (
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
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

// record returns the rows that were given away last as Arrow data, for the core to convert to
// columns of the types want. It is over the same memory, but for what becomes text.
func (g *groupReader) record(want []copy.Column, rows int) arrow.RecordBatch {
	fields := make([]arrow.Field, len(g.columns))
	arrays := make([]arrow.Array, len(g.columns))
	for i, c := range g.columns {
		t := c.field.columnType()
		if to := want[i].Type; !t.Variable() && !to.Array && (to.Kind == columnar.Text || to.Kind == columnar.Varchar || to.Kind == columnar.Numeric) {
			arrays[i] = texts(&g.vecs[i], c.location)
		} else {
			arrays[i] = c.given().array(t, columnar.ArrowType(t), g.taken[i]-rows, rows)
		}
		fields[i] = arrow.Field{Name: c.field.name, Type: arrays[i].DataType(), Nullable: true}
	}
	rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(rows))
	for _, a := range arrays {
		a.Release()
	}
	return rec
}

// texts returns the rows of v as PostgreSQL's text of them.
func texts(v *columnar.Vec, location *time.Location) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(v.Len())
	var text []byte
	for i := range v.Len() {
		if v.IsNull(i) {
			b.AppendNull()
			continue
		}
		text = v.AppendText(text[:0], i, location)
		b.Append(string(text))
	}
	return b.NewArray()
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
