package columnar

import (
	"encoding/binary"
	"math"
	"time"
	"unsafe"

	"github.com/ingotdb/ingot/internal/pgtext"
)

// Vec is consecutive rows of one column, read-only.
//
// Its slices alias the store (mapped memory or memory of an inline fragment) or
// whatever MakeVec was given. A Vec from a Batch is valid until the scan's next step
// unless the batch was made with ScanOptions.Copy. Reads of mapped memory belong
// inside mmap.Guard.
type Vec struct {
	typ   Type
	n     int
	off   int // first row's bit in valid, bits and nan, below 64
	valid []uint64
	fixed []byte
	bits  []uint64
	nan   []uint64
	offs  []int32
	data  []byte
}

// MakeVec returns a Vec of n rows over memory of the caller's, in the layout of a
// plain chunk: valid is nil if no row is null; fixed holds the values of fixed-width
// types; bits those of Bool; offsets (n+1) and data those of variable-length types;
// nan marks the NaN values of a Decimal and may be nil.
func MakeVec(t Type, n int, valid []uint64, fixed []byte, bits []uint64, offsets []int32, data []byte, nan []uint64) Vec {
	return Vec{typ: t, n: n, valid: valid, fixed: fixed, bits: bits, nan: nan, offs: offsets, data: data}
}

// Type returns the column's type.
func (v *Vec) Type() Type { return v.typ }

// Len returns the number of rows.
func (v *Vec) Len() int { return v.n }

// HasNulls reports whether rows may be null; false is certain.
func (v *Vec) HasNulls() bool { return v.valid != nil }

// HasNaN reports whether a Decimal column's rows may be NaN; false is certain.
func (v *Vec) HasNaN() bool { return v.nan != nil }

// IsNull reports whether row i is null.
func (v *Vec) IsNull(i int) bool { return v.valid != nil && !bit(v.valid, v.off+i) }

func bit(words []uint64, i int) bool { return words[i>>6]>>(i&63)&1 != 0 }

// Bool returns row i of a Bool column; false if it is null.
func (v *Vec) Bool(i int) bool { return bit(v.bits, v.off+i) }

// Fixed returns the little-endian values of a fixed-width column, Type().Width()
// bytes each.
func (v *Vec) Fixed() []byte { return v.fixed }

// Int16s returns the values of an Int2 column; what a null row holds is not defined.
func (v *Vec) Int16s() []int16 { return view[int16](v.fixed) }

// Int32s returns the values of an Int4, Date or narrow Decimal column.
func (v *Vec) Int32s() []int32 { return view[int32](v.fixed) }

// Int64s returns the values of an Int8, Time, timestamp or middle Decimal column.
func (v *Vec) Int64s() []int64 { return view[int64](v.fixed) }

// Float32s returns the values of a Float4 column.
func (v *Vec) Float32s() []float32 { return view[float32](v.fixed) }

// Float64s returns the values of a Float8 column.
func (v *Vec) Float64s() []float64 { return view[float64](v.fixed) }

// view returns b as values of T. The caller's b is aligned to T's size: chunks start
// on 64-byte boundaries and hold whole values.
func view[T int16 | int32 | int64 | uint64 | float32 | float64](b []byte) []T {
	if len(b) == 0 || !littleEndian {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// ValidWords returns the validity bitmap with row 0 at bit 0, nil if no row is null.
// It aliases the store where the rows start on a word, else scratch, which must have
// room for Len rows. Bits past Len are not defined.
func (v *Vec) ValidWords(scratch []uint64) []uint64 { return v.words(v.valid, scratch) }

// BoolWords returns the values of a Bool column with row 0 at bit 0, under the same
// terms as ValidWords.
func (v *Vec) BoolWords(scratch []uint64) []uint64 { return v.words(v.bits, scratch) }

// NaNWords returns which rows of a Decimal column are NaN, nil if none, under the
// same terms as ValidWords.
func (v *Vec) NaNWords(scratch []uint64) []uint64 { return v.words(v.nan, scratch) }

func (v *Vec) words(src, scratch []uint64) []uint64 {
	if src == nil {
		return nil
	}
	n := (v.n + 63) / 64
	if v.off == 0 {
		return src[:n]
	}
	scratch = scratch[:n]
	copyBits(scratch, src, v.off, v.n)
	return scratch
}

// copyBits copies n bits of src from bit off on to dst from bit 0 on. Words of dst
// that hold a bit are written whole; src needs only the words that hold its bits.
func copyBits(dst, src []uint64, off, n int) {
	src = src[off>>6:]
	shift := uint(off & 63)
	if shift == 0 {
		copy(dst[:(n+63)/64], src)
		return
	}
	last := (int(shift) + n - 1) >> 6
	for i := range (n + 63) / 64 {
		w := src[i] >> shift
		if i+1 <= last {
			w |= src[i+1] << (64 - shift)
		}
		dst[i] = w
	}
}

// Offsets returns Len+1 offsets into Data, for variable-length types.
func (v *Vec) Offsets() []int32 { return v.offs }

// Data returns the bytes that Offsets point into.
func (v *Vec) Data() []byte { return v.data }

// Bytes returns row i of a variable-length or UUID column.
func (v *Vec) Bytes(i int) []byte {
	if v.typ.Kind == UUID && !v.typ.Array {
		return v.fixed[i*16 : i*16+16 : i*16+16]
	}
	a, b := v.offs[i], v.offs[i+1]
	return v.data[a:b:b]
}

// Decimal returns row i of a Decimal column, unscaled, as a 128-bit two's complement.
func (v *Vec) Decimal(i int) (hi int64, lo uint64, nan bool) {
	if v.nan != nil && bit(v.nan, v.off+i) {
		return 0, 0, true
	}
	switch v.typ.Width() {
	case 4:
		x := int64(v.Int32s()[i])
		return x >> 63, uint64(x), false
	case 8:
		x := v.Int64s()[i]
		return x >> 63, uint64(x), false
	}
	b := v.fixed[i*16 : i*16+16]
	return int64(binary.LittleEndian.Uint64(b[8:])), binary.LittleEndian.Uint64(b), false
}

// Value returns row i.
func (v *Vec) Value(i int) Value {
	out := Value{Type: v.typ}
	if v.IsNull(i) {
		out.Null = true
		return out
	}
	switch {
	case v.typ.Variable() || v.typ.Kind == UUID:
		out.S = string(v.Bytes(i))
	case v.typ.Kind == Bool:
		out.I = int64(b2i(v.Bool(i)))
	case v.typ.Kind == Float4:
		out.F = float64(v.Float32s()[i])
	case v.typ.Kind == Float8:
		out.F = v.Float64s()[i]
	case v.typ.Kind == Decimal:
		hi, lo, nan := v.Decimal(i)
		if out.Hi, out.I = hi, int64(lo); nan {
			out.F = math.NaN()
		}
	default:
		out.I = v.int(i)
	}
	return out
}

// int returns row i of a type that Value keeps in I.
func (v *Vec) int(i int) int64 {
	switch v.typ.Width() {
	case 2:
		return int64(v.Int16s()[i])
	case 4:
		return int64(v.Int32s()[i])
	}
	return v.Int64s()[i]
}

// AppendText appends PostgreSQL's text form of row i, which must not be null;
// timestamptz is shown in loc.
func (v *Vec) AppendText(dst []byte, i int, loc *time.Location) []byte {
	if v.typ.Array {
		return append(dst, v.Bytes(i)...)
	}
	switch v.typ.Kind {
	case Int2, Int4, Int8:
		return pgtext.AppendInt(dst, v.int(i))
	case Text, Varchar, Numeric, JSON:
		return append(dst, v.Bytes(i)...)
	case Bytea:
		return pgtext.AppendBytea(dst, v.Bytes(i))
	case Float8:
		return pgtext.AppendFloat8(dst, v.Float64s()[i])
	}
	return v.Value(i).AppendText(dst, loc)
}

// Slice returns rows from to from+n.
func (v *Vec) Slice(from, n int) Vec {
	s := Vec{typ: v.typ, n: n, off: (v.off + from) & 63}
	skip := (v.off + from) >> 6
	if v.valid != nil {
		s.valid = v.valid[skip:]
	}
	if v.bits != nil {
		s.bits = v.bits[skip:]
	}
	if v.nan != nil {
		s.nan = v.nan[skip:]
	}
	if w := v.typ.Width(); w > 0 {
		s.fixed = v.fixed[from*w : (from+n)*w]
	}
	if v.offs != nil {
		s.offs, s.data = v.offs[from:from+n+1], v.data
	}
	return s
}

// clone returns a copy that aliases nothing.
func (v *Vec) clone() Vec {
	words := (v.n + 63) / 64
	c := Vec{typ: v.typ, n: v.n}
	c.valid = v.cloneBits(v.valid, words)
	c.bits = v.cloneBits(v.bits, words)
	c.nan = v.cloneBits(v.nan, words)
	if len(v.fixed) > 0 {
		c.fixed = append(alignedBytes(len(v.fixed))[:0], v.fixed...)
	}
	if v.offs != nil {
		first := v.offs[0]
		c.offs = make([]int32, v.n+1)
		for i := range c.offs {
			c.offs[i] = v.offs[i] - first
		}
		c.data = append([]byte(nil), v.data[first:v.offs[v.n]]...)
	}
	return c
}

func (v *Vec) cloneBits(src []uint64, words int) []uint64 {
	if src == nil {
		return nil
	}
	dst := make([]uint64, words)
	copyBits(dst, src, v.off, v.n)
	return dst
}

// alignedBytes returns n zero bytes whose first is aligned for every value type.
func alignedBytes(n int) []byte {
	if n == 0 {
		return nil
	}
	w := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), len(w)*8)[:n]
}

// wordsAsBytes returns the memory of w.
func wordsAsBytes(w []uint64) []byte {
	if len(w) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), len(w)*8)
}
