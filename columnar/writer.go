package columnar

import (
	"encoding/binary"
	"math"

	"github.com/ingotdb/ingot/kernels"
)

// ColumnBuf is one column of a fragment that is being written.
//
// The writer stores row i's value at its final place in Fixed or Bits, or appends its
// bytes to Data and sets Offsets[i+1] = len(Data), and sets bit i of Valid if the
// value is present. A null row leaves Fixed as it is (zero) and repeats the offset.
type ColumnBuf struct {
	Type    Type
	Fixed   []byte   // rows*Width bytes
	Bits    []uint64 // Bool
	Valid   []uint64 // nil if the column is NOT NULL
	NaN     []uint64 // Decimal; nil until EnsureNaN
	Offsets []int32  // rows+1, Offsets[0] = 0
	Data    []byte   // owned by the writer until Finish
}

// Int16s returns Fixed as the values of an Int2 column.
func (c *ColumnBuf) Int16s() []int16 { return view[int16](c.Fixed) }

// Int32s returns Fixed as the values of a 4-byte integer type.
func (c *ColumnBuf) Int32s() []int32 { return view[int32](c.Fixed) }

// Int64s returns Fixed as the values of an 8-byte integer type.
func (c *ColumnBuf) Int64s() []int64 { return view[int64](c.Fixed) }

// Float32s returns Fixed as the values of a Float4 column.
func (c *ColumnBuf) Float32s() []float32 { return view[float32](c.Fixed) }

// Float64s returns Fixed as the values of a Float8 column.
func (c *ColumnBuf) Float64s() []float64 { return view[float64](c.Fixed) }

// EnsureNaN makes room for the NaN bits of a Decimal column of the given rows.
func (c *ColumnBuf) EnsureNaN(rows int) {
	if need := (rows + 63) / 64; len(c.NaN) < need {
		c.NaN = append(c.NaN, make([]uint64, need-len(c.NaN))...)
	}
}

// SetDecimal stores an unscaled Decimal at row i, in the width of the type, without
// touching Valid. The value must fit the type's precision.
func (c *ColumnBuf) SetDecimal(i int, hi int64, lo uint64) {
	switch c.Type.Width() {
	case 4:
		c.Int32s()[i] = int32(lo)
	case 8:
		c.Int64s()[i] = int64(lo)
	default:
		binary.LittleEndian.PutUint64(c.Fixed[i*16:], lo)
		binary.LittleEndian.PutUint64(c.Fixed[i*16+8:], uint64(hi))
	}
}

// SetValue stores v, of the column's type, at row i; rows must come in ascending
// order for variable-length types, with no gaps.
func (c *ColumnBuf) SetValue(i int, v Value) {
	if v.Null {
		if c.Offsets != nil {
			c.Offsets[i+1] = int32(len(c.Data))
		}
		return
	}
	if c.Valid != nil {
		c.Valid[i>>6] |= 1 << (i & 63)
	}
	switch {
	case c.Type.Variable():
		c.Data = append(c.Data, v.S...)
		c.Offsets[i+1] = int32(len(c.Data))
	case c.Type.Kind == UUID:
		copy(c.Fixed[i*16:], v.S)
	case c.Type.Kind == Bool:
		if v.I != 0 {
			c.Bits[i>>6] |= 1 << (i & 63)
		}
	case c.Type.Kind == Float4:
		c.Float32s()[i] = float32(v.F)
	case c.Type.Kind == Float8:
		c.Float64s()[i] = v.F
	case c.Type.Kind == Decimal && math.IsNaN(v.F):
		c.EnsureNaN(len(c.Fixed) / c.Type.Width())
		c.NaN[i>>6] |= 1 << (i & 63)
	case c.Type.Kind == Decimal:
		c.SetDecimal(i, v.Hi, uint64(v.I))
	case c.Type.Width() == 2:
		c.Int16s()[i] = int16(v.I)
	case c.Type.Width() == 4:
		c.Int32s()[i] = int32(v.I)
	default:
		c.Int64s()[i] = v.I
	}
}

// FillConst stores v at rows from to to-1.
func (c *ColumnBuf) FillConst(from, to int, v Value) {
	for i := from; i < to; i++ {
		c.SetValue(i, v)
	}
}

// carve points c into mem, the memory of a chunk of rows rows laid out as l.
func (c *ColumnBuf) carve(mem []byte, l columnLayout, rows int) {
	if l.valid > 0 {
		c.Valid = view[uint64](mem[l.valid : l.valid+bitmapBytes(rows)])[:(rows+63)/64]
	}
	switch {
	case c.Type.Variable():
		c.Offsets = view[int32](mem[l.values : l.values+4*int64(rows+1)])
	case c.Type.Kind == Bool:
		c.Bits = view[uint64](mem[l.values : l.values+bitmapBytes(rows)])[:(rows+63)/64]
	default:
		c.Fixed = mem[l.values : l.values+int64(rows)*int64(c.Type.Width())]
	}
}

// vec returns the first rows of c and how many of them are null.
func (c *ColumnBuf) vec(rows int) (Vec, int) {
	v := Vec{typ: c.Type, n: rows}
	nulls := 0
	if c.Valid != nil {
		nulls = rows - kernels.PopCount(c.Valid, rows)
		if nulls > 0 {
			v.valid = c.Valid[:(rows+63)/64]
		}
	}
	switch {
	case c.Offsets != nil:
		c.Data = c.Data[:c.Offsets[rows]] // what rows behind the last one have appended
		v.offs, v.data = c.Offsets[:rows+1], c.Data
	case c.Bits != nil:
		v.bits = c.Bits[:(rows+63)/64]
	default:
		v.fixed = c.Fixed[:rows*c.Type.Width()]
	}
	if c.NaN != nil {
		v.nan = c.NaN[:(rows+63)/64]
	}
	return v, nulls
}

// FragmentWriter is a fragment being written: one ColumnBuf per column of the load's
// schema. One goroutine owns it until Finish.
type FragmentWriter struct {
	Rows int // capacity: exactly the planned rows, or what Grow made room for
	Cols []ColumnBuf

	load  *Load
	index int
	mem   []byte // header and fixed parts of every column, in layout order
	base  int64  // mem's offset in the data file; 0 in memory
}

// Grow makes room for at least rows rows and keeps what was written. It is for loads
// whose row count is unknown; room at least doubles, so growth costs amortised O(1).
func (w *FragmentWriter) Grow(rows int) {
	if rows <= w.Rows {
		return
	}
	rows = max(rows, min(2*w.Rows, MaxFragmentRows))
	old := w.Cols
	w.Rows = rows
	w.mem = alignedBytes(int(fragmentSize(w.load.schema.Columns, rows)))
	w.carve()
	for i := range old {
		o, c := &old[i], &w.Cols[i]
		copy(c.Fixed, o.Fixed)
		copy(c.Bits, o.Bits)
		copy(c.Valid, o.Valid)
		copy(c.Offsets, o.Offsets)
		if c.Data = o.Data; o.NaN != nil {
			c.NaN = o.NaN
			c.EnsureNaN(rows)
		}
	}
}

// carve points the columns into mem.
func (w *FragmentWriter) carve() {
	cols := w.load.schema.Columns
	w.Cols = make([]ColumnBuf, len(cols))
	at := int64(0)
	for i := range cols {
		l := layoutOf(cols[i].Type, cols[i].NotNull, w.Rows)
		w.Cols[i].Type = cols[i].Type
		w.Cols[i].carve(w.mem[at:at+l.size:at+l.size], l, w.Rows)
		at += l.size
	}
}
