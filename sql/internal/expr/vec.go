package expr

import (
	"math"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/sql/internal/num"
)

// Form is how the values of a type are held.
type Form uint8

// The forms.
const (
	Bytes    Form = iota // text, varchar, bytea, json, uuid, arrays
	Ints                 // int2, int4, int8, date, time, timestamps
	Floats               // float4, float8
	Bits                 // bool
	Numerics             // numeric of both kinds
)

// FormOf returns the form of a type.
func FormOf(t columnar.Type) Form {
	if t.Array {
		return Bytes
	}
	switch t.Kind {
	case columnar.Int2, columnar.Int4, columnar.Int8, columnar.Date, columnar.Time,
		columnar.Timestamp, columnar.TimestampTZ:
		return Ints
	case columnar.Float4, columnar.Float8:
		return Floats
	case columnar.Bool:
		return Bits
	case columnar.Decimal, columnar.Numeric:
		return Numerics
	}
	return Bytes
}

// Vec is the values of an expression: of one form, the slice that belongs to it is set.
// A constant Vec has one value that stands for every row.
type Vec struct {
	Type  columnar.Type
	Len   int
	Const bool
	Valid []uint64 // a bit per value, set for not null; nil if none is null
	I     []int64
	F     []float64
	B     []uint64 // a bit per value
	S     [][]byte
	D     []num.Num
}

// index returns what to and a row with to find its value: 0 for a constant.
func (v *Vec) index() int {
	if v.Const {
		return 0
	}
	return -1
}

// IsNull reports whether row i is null.
func (v *Vec) IsNull(i int) bool {
	i &= v.index()
	return v.Valid != nil && v.Valid[i>>6]>>(i&63)&1 == 0
}

// Bool returns row i of a boolean that is not null.
func (v *Vec) Bool(i int) bool {
	i &= v.index()
	return v.B[i>>6]>>(i&63)&1 != 0
}

// Bytes returns row i of a Vec of the form Bytes that is not null.
func (v *Vec) Bytes(i int) []byte { return v.S[i&v.index()] }

// Words of constant bitmaps.
var (
	noRows  [MaxRows / 64]uint64
	allRows = func() (w [MaxRows / 64]uint64) {
		for i := range w {
			w[i] = ^uint64(0)
		}
		return w
	}()
)

// valid returns the validity of n rows, nil if none is null; a constant is spread.
func (v *Vec) valid(n int) []uint64 {
	switch {
	case v.Valid == nil:
		return nil
	case !v.Const:
		return v.Valid[:words(n)]
	case v.Valid[0]&1 != 0:
		return nil
	}
	return noRows[:words(n)]
}

// bits returns the values of n rows of a boolean; a constant is spread.
func (v *Vec) bits(n int) []uint64 {
	switch {
	case !v.Const:
		return v.B[:words(n)]
	case v.B[0]&1 != 0:
		return allRows[:words(n)]
	}
	return noRows[:words(n)]
}

// words returns how many words n bits take.
func words(n int) int { return (n + 63) / 64 }

// lastWord returns the mask of the bits that exist in the last word of n bits.
func lastWord(n int) uint64 {
	if n&63 == 0 {
		return ^uint64(0)
	}
	return 1<<(n&63) - 1
}

// True returns which of n rows are true, nothing behind them, in dst.
func (v *Vec) True(dst []uint64, n int) []uint64 {
	dst = dst[:words(n)]
	copy(dst, v.bits(n))
	if valid := v.valid(n); valid != nil {
		for i := range dst {
			dst[i] &= valid[i]
		}
	}
	if n > 0 {
		dst[len(dst)-1] &= lastWord(n)
	}
	return dst
}

// store is the memory of a Node's result.
type store struct {
	vec   Vec
	valid []uint64
	i     []int64
	f     []float64
	b     []uint64
	s     [][]byte
	d     []num.Num
	arena []byte
}

// start returns the Vec for n values of type t, none null, their slice uncleared.
func (o *store) start(t columnar.Type, n int) *Vec {
	o.vec = Vec{Type: t, Len: n}
	o.arena = o.arena[:0]
	switch FormOf(t) {
	case Ints:
		o.vec.I = grown(&o.i, n)
	case Floats:
		o.vec.F = grown(&o.f, n)
	case Bits:
		o.vec.B = grown(&o.b, words(n))
	case Numerics:
		o.vec.D = grown(&o.d, n)
	default:
		o.vec.S = grown(&o.s, n)
	}
	return &o.vec
}

// grown returns the first n values of *s, which it makes large enough.
func grown[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}

// allValid sets every row valid, in memory that can be changed.
func (o *store) allValid(n int) []uint64 {
	v := grown(&o.valid, words(n))
	for i := range v {
		v[i] = ^uint64(0)
	}
	o.vec.Valid = v
	return v
}

// strict sets the rows null that are null in one of the inputs.
func (o *store) strict(n int, in ...*Vec) {
	for _, v := range in {
		w := v.valid(n)
		if w == nil {
			continue
		}
		if o.vec.Valid == nil {
			o.vec.Valid = grown(&o.valid, words(n))
			copy(o.vec.Valid, w)
			continue
		}
		for i := range w {
			o.vec.Valid[i] &= w[i]
		}
	}
}

// setNull makes row i null.
func (o *store) setNull(i int) {
	if o.vec.Valid == nil {
		o.allValid(o.vec.Len)
	}
	o.vec.Valid[i>>6] &^= 1 << (i & 63)
}

// setBool sets row i of a boolean.
func (o *store) setBool(i int, b bool) {
	if b {
		o.vec.B[i>>6] |= 1 << (i & 63)
	} else {
		o.vec.B[i>>6] &^= 1 << (i & 63)
	}
}

// setBytes makes row i the bytes that put appends.
func (o *store) setBytes(i int, put func(dst []byte) []byte) {
	from := len(o.arena)
	o.arena = put(o.arena)
	o.vec.S[i] = o.arena[from:len(o.arena):len(o.arena)]
}

// Batch is consecutive rows of the columns that an expression reads.
type Batch struct {
	Rows int

	cols   []columnar.Vec // the columns as stored, or
	vecs   []*Vec         // as expressions gave them
	loaded []bool         // cols[i] is in stores[i]
	stores []store
	masks  [][]uint64 // scratch for validity and bits of columns
}

// SetColumns makes b the rows of stored columns.
func (b *Batch) SetColumns(rows int, cols []columnar.Vec) {
	b.Rows, b.cols, b.vecs = rows, cols, nil
	b.stores = grown(&b.stores, len(cols))
	b.loaded = grown(&b.loaded, len(cols))
	b.masks = grown(&b.masks, 3*len(cols))
	clear(b.loaded)
}

// SetVecs makes b the rows of columns that expressions gave.
func (b *Batch) SetVecs(rows int, vecs []*Vec) { b.Rows, b.cols, b.vecs = rows, nil, vecs }

// Stored returns column i as stored; ok is false if an expression gave it.
func (b *Batch) Stored(i int) (v *columnar.Vec, ok bool) {
	if b.cols == nil {
		return nil, false
	}
	return &b.cols[i], true
}

// Column returns column i.
func (b *Batch) Column(i int) *Vec {
	if b.vecs != nil {
		return b.vecs[i]
	}
	if !b.loaded[i] {
		b.load(i)
		b.loaded[i] = true
	}
	return &b.stores[i].vec
}

// load makes stores[i] the values of stored column i.
func (b *Batch) load(i int) {
	o, c, n := &b.stores[i], &b.cols[i], b.Rows
	t := c.Type()
	o.vec = Vec{Type: t, Len: n}
	o.vec.Valid = c.ValidWords(grown(&b.masks[3*i], words(n)))
	if t.Array || t.Variable() || t.Kind == columnar.UUID {
		if t.Kind == columnar.Numeric && !t.Array {
			loadNumerics(o, c, n)
			return
		}
		o.vec.S = grown(&o.s, n)
		for r := range n {
			o.vec.S[r] = c.Bytes(r)
		}
		return
	}
	switch t.Kind {
	case columnar.Int8, columnar.Time, columnar.Timestamp, columnar.TimestampTZ:
		o.vec.I = c.Int64s()
	case columnar.Int4, columnar.Date:
		o.vec.I = widened(&o.i, c.Int32s()[:n])
	case columnar.Int2:
		o.vec.I = widened(&o.i, c.Int16s()[:n])
	case columnar.Float8:
		o.vec.F = c.Float64s()
	case columnar.Float4:
		o.vec.F = grown(&o.f, n)
		for r, x := range c.Float32s()[:n] {
			o.vec.F[r] = float64(x)
		}
	case columnar.Bool:
		o.vec.B = c.BoolWords(grown(&b.masks[3*i+1], words(n)))
	case columnar.Decimal:
		loadDecimals(o, c, n)
	}
}

func widened[T int16 | int32](dst *[]int64, src []T) []int64 {
	out := grown(dst, len(src))
	for i, x := range src {
		out[i] = int64(x)
	}
	return out
}

func loadDecimals(o *store, c *columnar.Vec, n int) {
	o.vec.D = grown(&o.d, n)
	scale := int(c.Type().Scale)
	for r := range n {
		hi, lo, nan := c.Decimal(r)
		if nan {
			o.vec.D[r] = num.NaN
			continue
		}
		o.vec.D[r] = num.Scaled(hi, lo, scale)
	}
}

func loadNumerics(o *store, c *columnar.Vec, n int) {
	o.vec.D = grown(&o.d, n)
	for r := range n {
		if !c.IsNull(r) {
			o.vec.D[r], _ = num.Parse(c.Bytes(r)) // stored in canonical form
		}
	}
}

// FromValue returns v as a constant Vec.
func FromValue(v columnar.Value) *Vec {
	out := &Vec{Type: v.Type, Len: 1, Const: true}
	if v.Null {
		out.Valid = []uint64{0}
	}
	switch FormOf(v.Type) {
	case Ints:
		out.I = []int64{v.I}
	case Floats:
		out.F = []float64{v.F}
	case Bits:
		out.B = []uint64{uint64(v.I)}
	case Numerics:
		out.D = []num.Num{numOf(v)}
	default:
		out.S = [][]byte{[]byte(v.S)}
	}
	return out
}

func numOf(v columnar.Value) num.Num {
	if v.Null {
		return num.Num{}
	}
	if v.Type.Kind == columnar.Decimal {
		if math.IsNaN(v.F) {
			return num.NaN
		}
		return num.Scaled(v.Hi, uint64(v.I), int(v.Type.Scale))
	}
	n, _ := num.Parse([]byte(v.S)) // canonical by definition of Value
	return n
}

// Value returns row i as a value.
func (v *Vec) Value(i int) columnar.Value {
	out := columnar.Value{Type: v.Type}
	if v.IsNull(i) {
		out.Null = true
		return out
	}
	i &= v.index()
	switch FormOf(v.Type) {
	case Ints:
		out.I = v.I[i]
	case Floats:
		out.F = v.F[i]
	case Bits:
		if v.Bool(i) {
			out.I = 1
		}
	case Numerics:
		if v.Type.Kind == columnar.Numeric {
			out.S = v.D[i].String()
			break
		}
		if v.D[i].IsNaN() {
			out.F = math.NaN()
			break
		}
		hi, lo, _ := v.D[i].Decimal(columnar.MaxPrecision, int(v.Type.Scale))
		out.Hi, out.I = hi, int64(lo)
	default:
		out.S = string(v.S[i])
	}
	return out
}
