package expr

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/sql/internal/num"
)

// Stored returns the values of n rows in the layout of a stored column, in memory of
// its own. The type of a literal that nothing decided becomes text.
func (v *Vec) Stored(n int) columnar.Vec {
	t := v.Type
	if t.Kind == columnar.Invalid {
		t = columnar.Type{Kind: columnar.Text}
	}
	var valid []uint64
	if w := v.valid(n); w != nil {
		valid = append(valid, w...)
	}
	at := v.index()
	switch FormOf(t) {
	case Bits:
		return columnar.MakeVec(t, n, valid, nil, slices.Clone(v.bits(n)), nil, nil, nil)
	case Ints:
		return columnar.MakeVec(t, n, valid, v.fixedInts(t, n), nil, nil, nil, nil)
	case Floats:
		fixed := aligned(n * t.Width())
		for i := range n {
			if t.Kind == columnar.Float4 {
				binary.LittleEndian.PutUint32(fixed[i*4:], math.Float32bits(float32(v.F[i&at])))
			} else {
				binary.LittleEndian.PutUint64(fixed[i*8:], math.Float64bits(v.F[i&at]))
			}
		}
		return columnar.MakeVec(t, n, valid, fixed, nil, nil, nil, nil)
	case Numerics:
		if t.Kind == columnar.Decimal {
			return v.storedDecimals(t, n, valid)
		}
	}
	if t.Kind == columnar.UUID && !t.Array {
		fixed := aligned(n * 16)
		for i := range n {
			if !v.IsNull(i) {
				copy(fixed[i*16:], v.S[i&at])
			}
		}
		return columnar.MakeVec(t, n, valid, fixed, nil, nil, nil, nil)
	}
	offsets := make([]int32, n+1)
	var data []byte
	for i := range n {
		switch {
		case v.IsNull(i):
		case t.Kind == columnar.Numeric && !t.Array:
			data = v.D[i&at].AppendText(data)
		default:
			data = append(data, v.S[i&at]...)
		}
		offsets[i+1] = int32(len(data))
	}
	return columnar.MakeVec(t, n, valid, nil, nil, offsets, data, nil)
}

func (v *Vec) fixedInts(t columnar.Type, n int) []byte {
	w, at := t.Width(), v.index()
	fixed := aligned(n * w)
	for i := range n {
		switch x := v.I[i&at]; w {
		case 2:
			binary.LittleEndian.PutUint16(fixed[i*2:], uint16(x))
		case 4:
			binary.LittleEndian.PutUint32(fixed[i*4:], uint32(x))
		default:
			binary.LittleEndian.PutUint64(fixed[i*8:], uint64(x))
		}
	}
	return fixed
}

func (v *Vec) storedDecimals(t columnar.Type, n int, valid []uint64) columnar.Vec {
	w, at := t.Width(), v.index()
	fixed := aligned(n * w)
	var nan []uint64
	for i := range n {
		x := v.D[i&at]
		switch {
		case v.IsNull(i):
			continue
		case x.IsNaN():
			if nan == nil {
				nan = make([]uint64, words(n))
			}
			nan[i>>6] |= 1 << (i & 63)
			continue
		}
		hi, lo, _ := x.Decimal(columnar.MaxPrecision, int(t.Scale))
		switch w {
		case 4:
			binary.LittleEndian.PutUint32(fixed[i*4:], uint32(lo))
		case 8:
			binary.LittleEndian.PutUint64(fixed[i*8:], lo)
		default:
			binary.LittleEndian.PutUint64(fixed[i*16:], lo)
			binary.LittleEndian.PutUint64(fixed[i*16+8:], uint64(hi))
		}
	}
	return columnar.MakeVec(t, n, valid, fixed, nil, nil, nil, nan)
}

// aligned returns n zero bytes at an address that every value type can be read from.
func aligned(n int) []byte {
	if n == 0 {
		return nil
	}
	w := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), n)
}

// Gather returns the given rows of a stored column, in memory of its own.
func Gather(v *columnar.Vec, rows []int32) columnar.Vec {
	t, n := v.Type(), len(rows)
	var valid []uint64
	if v.HasNulls() {
		valid = make([]uint64, words(n))
		for i, r := range rows {
			if !v.IsNull(int(r)) {
				valid[i>>6] |= 1 << (i & 63)
			}
		}
	}
	if t.Kind == columnar.Bool && !t.Array {
		bits := make([]uint64, words(n))
		for i, r := range rows {
			if v.Bool(int(r)) {
				bits[i>>6] |= 1 << (i & 63)
			}
		}
		return columnar.MakeVec(t, n, valid, nil, bits, nil, nil, nil)
	}
	if w := t.Width(); w > 0 {
		return columnar.MakeVec(t, n, valid, gatherFixed(v, w, rows), nil, nil, nil, gatherNaN(v, rows))
	}
	offsets := make([]int32, n+1)
	size := 0
	from := v.Offsets()
	for _, r := range rows {
		size += int(from[r+1] - from[r])
	}
	data := make([]byte, 0, size)
	for i, r := range rows {
		data = append(data, v.Bytes(int(r))...)
		offsets[i+1] = int32(len(data))
	}
	return columnar.MakeVec(t, n, valid, nil, nil, offsets, data, nil)
}

func gatherFixed(v *columnar.Vec, w int, rows []int32) []byte {
	dst := aligned(len(rows) * w)
	src := v.Fixed()
	switch w {
	case 4:
		for i, r := range rows {
			binary.LittleEndian.PutUint32(dst[i*4:], binary.LittleEndian.Uint32(src[r*4:]))
		}
	case 8:
		for i, r := range rows {
			binary.LittleEndian.PutUint64(dst[i*8:], binary.LittleEndian.Uint64(src[r*8:]))
		}
	default:
		for i, r := range rows {
			copy(dst[i*w:i*w+w], src[int(r)*w:])
		}
	}
	return dst
}

func gatherNaN(v *columnar.Vec, rows []int32) []uint64 {
	if !v.HasNaN() {
		return nil
	}
	nan := make([]uint64, words(len(rows)))
	for i, r := range rows {
		if v.IsNull(int(r)) {
			continue
		}
		if _, _, is := v.Decimal(int(r)); is {
			nan[i>>6] |= 1 << (i & 63)
		}
	}
	return nan
}

// AppendRows appends the set bits of mask below n to rows.
func AppendRows(rows []int32, mask []uint64, n int) []int32 {
	for i, w := range mask[:words(n)] {
		for ; w != 0; w &= w - 1 {
			if r := i<<6 + bits.TrailingZeros64(w); r < n {
				rows = append(rows, int32(r))
			}
		}
	}
	return rows
}

// FromValues returns values of type t in the layout of a stored column.
func FromValues(t columnar.Type, values []columnar.Value) columnar.Vec {
	return VecOf(t, values).Stored(len(values))
}

// VecOf returns values of type t as a Vec.
func VecOf(t columnar.Type, values []columnar.Value) *Vec {
	v := &Vec{Type: t, Len: len(values), Valid: make([]uint64, words(len(values)))}
	switch FormOf(t) {
	case Ints:
		v.I = make([]int64, len(values))
	case Floats:
		v.F = make([]float64, len(values))
	case Bits:
		v.B = make([]uint64, words(len(values)))
	case Numerics:
		v.D = make([]num.Num, len(values))
	default:
		v.S = make([][]byte, len(values))
	}
	for i, x := range values {
		if x.Null {
			continue
		}
		v.Valid[i>>6] |= 1 << (i & 63)
		switch FormOf(t) {
		case Ints:
			v.I[i] = x.I
		case Floats:
			v.F[i] = x.F
		case Bits:
			v.B[i>>6] |= uint64(x.I) << (i & 63)
		case Numerics:
			v.D[i] = numOf(x)
		default:
			v.S[i] = []byte(x.S)
		}
	}
	return v
}

// Clone returns a stored column in memory of its own.
func Clone(v *columnar.Vec) columnar.Vec {
	rows := make([]int32, v.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	return Gather(v, rows)
}

// GatherFrom returns row rows[i] of from[i] for every i; the columns are of one type.
func GatherFrom(from []*columnar.Vec, rows []int32) columnar.Vec {
	n, t := len(rows), from[0].Type()
	valid := make([]uint64, words(n))
	var fixed, data []byte
	var bitmap, nan []uint64
	var offsets []int32
	w := t.Width()
	switch {
	case t.Kind == columnar.Bool && !t.Array:
		bitmap = make([]uint64, words(n))
	case w > 0:
		fixed = aligned(n * w)
	default:
		offsets = make([]int32, n+1)
	}
	for i, r := range rows {
		v := from[i]
		if !v.IsNull(int(r)) {
			valid[i>>6] |= 1 << (i & 63)
			switch {
			case bitmap != nil:
				bitmap[i>>6] |= b2u(v.Bool(int(r))) << (i & 63)
			case w > 0:
				copy(fixed[i*w:i*w+w], v.Fixed()[int(r)*w:])
				if !v.HasNaN() {
					break
				}
				if _, _, is := v.Decimal(int(r)); is {
					if nan == nil {
						nan = make([]uint64, words(n))
					}
					nan[i>>6] |= 1 << (i & 63)
				}
			default:
				data = append(data, v.Bytes(int(r))...)
			}
		}
		if offsets != nil {
			offsets[i+1] = int32(len(data))
		}
	}
	return columnar.MakeVec(t, n, valid, fixed, bitmap, offsets, data, nan)
}
