package copy

import (
	"math"
	"math/bits"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy/internal/arrowipc"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// arrowField returns the field that a column becomes in Arrow data. Decimals are of 128
// bits, which all readers know, and arrays are lists.
func arrowField(name string, t columnar.Type, notNull bool) arrow.Field {
	f := arrow.Field{Name: name, Nullable: !notNull}
	elem := t
	if elem.Array = false; elem.Kind == columnar.Decimal {
		f.Type = &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
	} else {
		f.Type = columnar.ArrowType(elem)
	}
	if t.Array {
		f.Type = arrow.ListOf(f.Type)
	}
	return f
}

// arrowPending is the rows of one column that wait for the batch to be full.
type arrowPending struct {
	name    string
	col     columnar.ColumnBuf
	rows    int
	cap     int
	list    *arrowPending // elements, if the column is of arrays; col then has their offsets
	parse   parser
	lenient bool   // what Arrow does not have becomes NULL
	wide    []byte // decimals in 128 bits
}

func newArrowPending(name string, t columnar.Type, lenient bool) *arrowPending {
	p := &arrowPending{name: name, col: columnar.ColumnBuf{Type: t}, lenient: lenient, parse: parser{location: time.UTC}}
	if t.Array {
		elem := t
		elem.Array = false
		p.list = newArrowPending(name, elem, lenient)
	}
	return p
}

// grow makes room for rows rows.
func (p *arrowPending) grow(rows int) {
	if rows <= p.cap {
		return
	}
	p.cap = max(rows, 2*p.cap, 64)
	words := func(old []uint64) []uint64 {
		w := make([]uint64, (p.cap+63)/64)
		copy(w, old)
		return w
	}
	p.col.Valid = words(p.col.Valid)
	switch w := p.col.Type.Width(); {
	case p.col.Type.Variable():
		o := make([]int32, p.cap+1)
		copy(o, p.col.Offsets)
		p.col.Offsets = o
	case w == 0:
		p.col.Bits = words(p.col.Bits)
	default:
		b := alignedBytes(p.cap * w)
		copy(b, p.col.Fixed)
		p.col.Fixed = b
	}
}

// room returns how many rows of v, from row from on, fit beside those that wait without
// their bytes exceeding what 32-bit offsets reach.
func (p *arrowPending) room(v *columnar.Vec, from, n int) int {
	if !p.col.Type.Variable() {
		return n
	}
	o := v.Offsets()
	for n > 0 && len(p.col.Data)+int(o[from+n]-o[from]) > maxDataBytes {
		n /= 2
	}
	return n
}

// add appends the rows of v.
func (p *arrowPending) add(v *columnar.Vec) error {
	n := v.Len()
	p.grow(p.rows + n)
	if err := p.finite(v); err != nil {
		return err
	}
	at := p.rows
	p.rows += n
	if p.list != nil {
		return p.addLists(v, at)
	}
	appendVec(&p.col, at, v)
	return nil
}

// errNotInArrow is the error for a value that Arrow's type does not have.
func (p *arrowPending) errNotInArrow(value string) *Error {
	state := pgerr.DatetimeFieldOverflow
	if p.col.Type.Kind == columnar.Decimal {
		state = pgerr.NumericValueOutOfRange
	}
	e := pgerr.New(state, "column \"%s\" has the value %s, which Arrow's type for it does not have", p.name, value).
		WithHint("NON_FINITE null writes it as NULL.")
	e.Column = p.name
	return e.WithValue(value)
}

// finite looks for infinite dates and times and for NaN among decimals, in rows that are
// not null.
func (p *arrowPending) finite(v *columnar.Vec) error {
	switch t := v.Type(); {
	case p.lenient, t.Array, t.Kind == columnar.Decimal && !v.HasNaN():
		return nil
	case t.Kind == columnar.Decimal, t.Kind == columnar.Date, t.Kind == columnar.Timestamp, t.Kind == columnar.TimestampTZ:
		for i := range v.Len() {
			if value := special(v, i); value != "" {
				return p.errNotInArrow(value)
			}
		}
	}
	return nil
}

// special returns the text of row i if it is a value that Arrow does not have.
func special(v *columnar.Vec, i int) string {
	if v.IsNull(i) {
		return ""
	}
	switch v.Type().Kind {
	case columnar.Decimal:
		if _, _, nan := v.Decimal(i); nan {
			return "NaN"
		}
	case columnar.Date:
		switch v.Int32s()[i] {
		case math.MaxInt32:
			return "infinity"
		case math.MinInt32:
			return "-infinity"
		}
	case columnar.Timestamp, columnar.TimestampTZ:
		switch v.Int64s()[i] {
		case math.MaxInt64:
			return "infinity"
		case math.MinInt64:
			return "-infinity"
		}
	}
	return ""
}

// addLists appends arrays, whose text is read, as lists.
func (p *arrowPending) addLists(v *columnar.Vec, at int) error {
	for i := range v.Len() {
		if !v.IsNull(i) {
			dims, items, ok := arrayItems(v.Bytes(i))
			if !ok {
				return errInternal("column \"%s\" holds what is no array", p.name)
			}
			if len(dims) > 1 || len(dims) == 1 && dims[0].lower != 1 {
				e := pgerr.New(pgerr.FeatureNotSupported, "column \"%s\" has an array that is no list: %s", p.name, shown(v.Bytes(i))).
					WithHint("Arrow's lists have one dimension and start at 1. Cast the column to text.")
				e.Column = p.name
				return e
			}
			for _, item := range items {
				if err := p.list.addText(item); err != nil {
					return err
				}
			}
			p.col.Valid[(at+i)>>6] |= 1 << ((at + i) & 63)
		}
		p.col.Offsets[at+i+1] = int32(p.list.rows)
	}
	return nil
}

// addText appends one value from its text; nil is NULL.
func (p *arrowPending) addText(text []byte) error {
	p.grow(p.rows + 1)
	i := p.rows
	p.rows++
	null := text == nil
	if !null {
		switch p.parse.store(&p.col, i, text) {
		case ok:
		case badSize:
			return pgerr.New(pgerr.ProgramLimitExceeded, "elements of column \"%s\" exceed 2 GiB in a batch", p.name).
				WithHint("BATCH_SIZE makes batches smaller.")
		default:
			return errInternal("column \"%s\" holds an element that is none of its type", p.name)
		}
	}
	if !null {
		p.col.Valid[i>>6] |= 1 << (i & 63)
		v := columnar.MakeVec(p.col.Type, p.rows, p.col.Valid, p.col.Fixed, p.col.Bits, p.col.Offsets, p.col.Data, p.col.NaN)
		if value := special(&v, i); value != "" {
			if !p.lenient {
				return p.errNotInArrow(value)
			}
			p.col.Valid[i>>6] &^= 1 << (i & 63)
		}
		return nil
	}
	if p.col.Offsets != nil {
		p.col.Offsets[i+1] = int32(len(p.col.Data))
	}
	return nil
}

// array returns the rows that wait as an Arrow array, over their memory.
func (p *arrowPending) array() arrowipc.Array {
	n := p.rows
	v := columnar.MakeVec(p.col.Type, n, p.col.Valid, p.col.Fixed, p.col.Bits, p.col.Offsets, p.col.Data, p.col.NaN)
	if p.lenient && p.list == nil {
		for i := range n {
			if special(&v, i) != "" {
				p.col.Valid[i>>6] &^= 1 << (i & 63)
			}
		}
	}
	a := arrowipc.Array{Rows: n, Nulls: n}
	for _, w := range p.col.Valid[:min(len(p.col.Valid), (n+63)/64)] {
		a.Nulls -= bits.OnesCount64(w)
	}
	a.Buffers = [][]byte{wordBytes(p.col.Valid)[:(n+7)/8]}
	switch {
	case p.list != nil:
		child := p.list.array()
		a.Buffers, a.Child = append(a.Buffers, offsetBytes(p.col.Offsets, n)), &child
	case p.col.Type.Variable():
		a.Buffers = append(a.Buffers, offsetBytes(p.col.Offsets, n), p.col.Data)
	case p.col.Type.Kind == columnar.Bool:
		a.Buffers = append(a.Buffers, wordBytes(p.col.Bits)[:(n+7)/8])
	case p.col.Type.Kind == columnar.Decimal:
		a.Buffers = append(a.Buffers, p.decimals(&v))
	default:
		a.Buffers = append(a.Buffers, p.col.Fixed[:n*p.col.Type.Width()])
	}
	return a
}

// reset forgets the rows and keeps the memory.
func (p *arrowPending) reset() {
	clear(p.col.Valid)
	clear(p.col.Bits)
	if p.list != nil {
		p.list.reset()
		clear(p.list.col.Fixed) // what is null is not written
	}
	p.col.Data, p.col.NaN, p.rows = p.col.Data[:0], nil, 0
}

// decimals returns the values of a Decimal in 128 bits each.
func (p *arrowPending) decimals(v *columnar.Vec) []byte {
	n := v.Len()
	if v.Type().Width() == 16 {
		return v.Fixed()[:16*n]
	}
	if len(p.wide) < 16*n {
		p.wide = alignedBytes(16 * p.cap)
	}
	out := view[int64](p.wide, 2*n)
	if v.Type().Width() == 4 {
		for i, x := range v.Int32s()[:n] {
			out[2*i], out[2*i+1] = int64(x), int64(x)>>63
		}
	} else {
		for i, x := range v.Int64s()[:n] {
			out[2*i], out[2*i+1] = x, x>>63
		}
	}
	return p.wide[:16*n]
}

// wordBytes returns the memory of w.
func wordBytes(w []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 8*len(w))
}

// offsetBytes returns the offsets of n rows as bytes. Without rows there is one offset.
func offsetBytes(o []int32, n int) []byte {
	if o == nil {
		return make([]byte, 4)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(o))), 4*(n+1))
}
