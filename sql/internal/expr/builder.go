package expr

import (
	"encoding/binary"
	"math"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/sql/internal/num"
)

// Builder collects values of one type.
type Builder struct {
	vec   Vec
	bytes int64
	nulls bool
}

// NewBuilder returns an empty Builder.
func NewBuilder(t columnar.Type) Builder { return Builder{vec: Vec{Type: t}} }

// Len returns the number of values.
func (b *Builder) Len() int { return b.vec.Len }

// Bytes returns about how much memory the values take.
func (b *Builder) Bytes() int64 { return b.bytes }

// Append appends row i of v.
func (b *Builder) Append(v *Vec, i int) {
	at, n := i&v.index(), b.vec.Len
	b.vec.Len++
	if n&63 == 0 {
		b.vec.Valid = append(b.vec.Valid, 0)
	}
	null := v.IsNull(i)
	if null {
		b.nulls = true
	} else {
		b.vec.Valid[n>>6] |= 1 << (n & 63)
	}
	b.bytes += 9
	switch FormOf(b.vec.Type) {
	case Ints:
		b.vec.I = append(b.vec.I, v.I[at])
	case Floats:
		b.vec.F = append(b.vec.F, v.F[at])
	case Bits:
		if n&63 == 0 {
			b.vec.B = append(b.vec.B, 0)
		}
		if !null && v.Bool(i) {
			b.vec.B[n>>6] |= 1 << (n & 63)
		}
	case Numerics:
		b.bytes += 24
		b.vec.D = append(b.vec.D, v.D[at])
	default:
		var s []byte
		if !null {
			s = append([]byte(nil), v.S[at]...)
		}
		b.bytes += 24 + int64(len(s))
		b.vec.S = append(b.vec.S, s)
	}
}

// All returns all values; it is valid until the next Append.
func (b *Builder) All() *Vec { return &b.vec }

// Rows returns n values from the one at from on, which is a multiple of 64.
func (b *Builder) Rows(from, n int) *Vec {
	v := b.vec
	if !b.nulls {
		v.Valid = nil
	}
	return v.Slice(from, n)
}

// Slice returns n values from the one at from on, which is a multiple of 64.
func (v *Vec) Slice(from, n int) *Vec {
	out := &Vec{Type: v.Type, Len: n, Const: v.Const}
	if v.Const {
		*out = *v
		out.Len = n
		return out
	}
	if v.Valid != nil {
		out.Valid = v.Valid[from>>6:]
	}
	switch {
	case v.I != nil:
		out.I = v.I[from : from+n]
	case v.F != nil:
		out.F = v.F[from : from+n]
	case v.B != nil:
		out.B = v.B[from>>6:]
	case v.D != nil:
		out.D = v.D[from : from+n]
	case v.S != nil:
		out.S = v.S[from : from+n]
	}
	return out
}

// AppendKey appends a key of row i of v: equal values, and nulls, have equal keys, and
// keys of a row's columns one behind the other are equal only if the columns are.
func AppendKey(dst []byte, v *Vec, i int) []byte {
	if v.IsNull(i) {
		return append(dst, 0)
	}
	at := i & v.index()
	switch FormOf(v.Type) {
	case Ints:
		return binary.LittleEndian.AppendUint64(append(dst, 1), uint64(v.I[at]))
	case Floats:
		return binary.LittleEndian.AppendUint64(append(dst, 1), floatKey(v.F[at]))
	case Bits:
		return append(dst, 1+byte(b2u(v.Bool(i))))
	case Numerics:
		return numericKey(append(dst, 1), v.D[at])
	}
	dst = binary.AppendUvarint(append(dst, 1), uint64(len(v.S[at])))
	return append(dst, v.S[at]...)
}

// floatKey returns bits that order as the float does, NaN last; -0 is 0.
func floatKey(f float64) uint64 {
	if f == 0 {
		f = 0
	}
	if f != f {
		return math.MaxUint64
	}
	u := math.Float64bits(f)
	if u>>63 != 0 {
		return ^u
	}
	return u | 1<<63
}

func numericKey(dst []byte, n num.Num) []byte {
	var text [64]byte
	return pgtext.NumericKey(dst, n.AppendText(text[:0]))
}

// AppendSortKey appends a key of row i of v that orders, compared as bytes, as the values
// do; desc turns the order around. Nulls come first or last, whatever the order.
func AppendSortKey(dst []byte, v *Vec, i int, desc, nullsFirst bool) []byte {
	if v.IsNull(i) {
		if nullsFirst {
			return append(dst, 0)
		}
		return append(dst, 2)
	}
	dst = append(dst, 1)
	from, at := len(dst), i&v.index()
	switch FormOf(v.Type) {
	case Ints:
		dst = binary.BigEndian.AppendUint64(dst, uint64(v.I[at])^1<<63)
	case Floats:
		dst = binary.BigEndian.AppendUint64(dst, floatKey(v.F[at]))
	case Bits:
		dst = append(dst, byte(b2u(v.Bool(i))))
	case Numerics:
		dst = numericKey(dst, v.D[at])
	default:
		for _, c := range v.S[at] {
			if dst = append(dst, c); c == 0 {
				dst = append(dst, 0xff)
			}
		}
		dst = append(dst, 0, 0)
	}
	if desc {
		for k := from; k < len(dst); k++ {
			dst[k] = ^dst[k]
		}
	}
	return dst
}
