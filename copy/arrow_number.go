package copy

import (
	"encoding/binary"
	"math"
	"math/bits"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// integer is what arrays of integers hold.
type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// refusal returns why the column does not take the value of row i.
func (a *arrowColumn) refusal(arr arrow.Array, i int) *Error {
	if text, known := textOf(arr); known {
		if a.location == nil {
			a.location = time.UTC
		}
		t := text(nil, i)
		if e := valueError(a.typ, t, a.location); e != nil {
			return e.WithValue(string(t))
		}
	}
	switch a.typ.Kind {
	case columnar.Date, columnar.Time, columnar.Timestamp, columnar.TimestampTZ:
		// A number that stands for infinity in the column and for a day in Arrow, for instance.
		return pgerr.New(pgerr.DatetimeFieldOverflow, "%s out of range: \"%s\"", a.typ.Name(), arr.ValueStr(i)).WithValue(arr.ValueStr(i))
	}
	return pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", arr.ValueStr(i), a.typ.Name()).WithValue(arr.ValueStr(i))
}

// numbers converts between numbers, where that is no matter of text.
func (a *arrowColumn) numbers(arr arrow.Array) (v columnar.Vec, done bool, err error) {
	switch a.typ.Kind {
	case columnar.Int2, columnar.Int4, columnar.Int8:
		switch x := arr.(type) {
		case *array.Int8:
			return integers(a, arr, x.Int8Values())
		case *array.Int16:
			return integers(a, arr, x.Int16Values())
		case *array.Int32:
			return integers(a, arr, x.Int32Values())
		case *array.Int64:
			return integers(a, arr, x.Int64Values())
		case *array.Uint8:
			return integers(a, arr, x.Uint8Values())
		case *array.Uint16:
			return integers(a, arr, x.Uint16Values())
		case *array.Uint32:
			return integers(a, arr, x.Uint32Values())
		case *array.Uint64:
			return integers(a, arr, x.Uint64Values())
		}
	case columnar.Float4, columnar.Float8:
		return a.floats(arr)
	case columnar.Decimal:
		return a.decimals(arr)
	}
	return v, false, nil
}

// validWords returns which rows of arr are not null, nil if all are.
func validWords(arr arrow.Array) []uint64 {
	if arr.NullN() == 0 {
		return nil
	}
	n, off := arr.Len(), arr.Data().Offset()
	words := make([]uint64, (n+63)/64)
	bitmap.Or(words, 0, wordsOf(arr.Data().Buffers()[0], off+n), off, n)
	return words
}

// fixedRows makes a Vec of fixed width whose rows set stores; it reports which it cannot.
func (a *arrowColumn) fixedRows(arr arrow.Array, set func(fixed []byte, i int) bool) (columnar.Vec, error) {
	n := arr.Len()
	fixed := alignedBytes(n * a.typ.Width())
	valid := validWords(arr)
	for i := range n {
		if valid != nil && valid[i>>6]>>(i&63)&1 == 0 || set(fixed, i) {
			continue
		}
		var err error
		if valid, err = a.refuseRow(arr, valid, i); err != nil {
			return columnar.Vec{}, err
		}
	}
	return columnar.MakeVec(a.typ, n, valid, fixed, nil, nil, nil, nil), nil
}

// refuseRow refuses the value of row i and makes it null in valid.
func (a *arrowColumn) refuseRow(arr arrow.Array, valid []uint64, i int) ([]uint64, error) {
	if err := a.refuse(i, a.refusal(arr, i)); err != nil {
		return nil, err
	}
	if valid == nil {
		valid = make([]uint64, (arr.Len()+63)/64)
		setBits(valid, arr.Len())
	}
	valid[i>>6] &^= 1 << (i & 63)
	return valid, nil
}

// integers converts integers to the column's width.
func integers[S integer](a *arrowColumn, arr arrow.Array, src []S) (columnar.Vec, bool, error) {
	fixed := alignedBytes(len(src) * a.typ.Width())
	var fit bool
	switch a.typ.Width() {
	case 2:
		fit = narrow(view[int16](fixed, len(src)), src)
	case 4:
		fit = narrow(view[int32](fixed, len(src)), src)
	default:
		fit = narrow(view[int64](fixed, len(src)), src)
	}
	if fit {
		return columnar.MakeVec(a.typ, len(src), validWords(arr), fixed, nil, nil, nil, nil), true, nil
	}
	width := a.typ.Width()
	v, err := a.fixedRows(arr, func(fixed []byte, i int) bool {
		x := int64(src[i])
		if x < 0 != (src[i] < 0) || bits.Len64(uint64(x^(x>>63))) >= 8*width {
			return false
		}
		putInt(fixed[i*width:], x, width)
		return true
	})
	return v, true, err
}

// narrow stores src in dst and reports whether all of it fits, null rows included.
func narrow[S integer, D int16 | int32 | int64](dst []D, src []S) bool {
	bad := false
	for i, x := range src {
		d := D(x)
		dst[i] = d
		bad = bad || S(d) != x || d < 0 != (x < 0)
	}
	return !bad
}

// putInt stores x in width bytes.
func putInt(b []byte, x int64, width int) {
	switch width {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(x))
	default:
		binary.LittleEndian.PutUint64(b, uint64(x))
	}
}

// floats converts floats and the integers that fit into one.
func (a *arrowColumn) floats(arr arrow.Array) (v columnar.Vec, done bool, err error) {
	var value func(i int) float64
	switch x := arr.(type) {
	case *array.Float16:
		value = func(i int) float64 { return float64(x.Value(i).Float32()) }
	case *array.Float32:
		src := x.Float32Values()
		value = func(i int) float64 { return float64(src[i]) }
	case *array.Float64:
		src := x.Float64Values()
		value = func(i int) float64 { return src[i] }
	case *array.Int8:
		value = func(i int) float64 { return float64(x.Value(i)) }
	case *array.Int16:
		value = func(i int) float64 { return float64(x.Value(i)) }
	case *array.Uint8:
		value = func(i int) float64 { return float64(x.Value(i)) }
	case *array.Uint16:
		value = func(i int) float64 { return float64(x.Value(i)) }
	default:
		return v, false, nil
	}
	set := func(fixed []byte, i int) bool {
		binary.LittleEndian.PutUint64(fixed[8*i:], math.Float64bits(value(i)))
		return true
	}
	if a.typ.Kind == columnar.Float4 {
		set = func(fixed []byte, i int) bool {
			wide := value(i)
			f := float32(wide)
			if math.IsInf(float64(f), 0) && !math.IsInf(wide, 0) || f == 0 && wide != 0 {
				return false
			}
			binary.LittleEndian.PutUint32(fixed[4*i:], math.Float32bits(f))
			return true
		}
	}
	v, err = a.fixedRows(arr, set)
	return v, true, err
}

// powersOf10 are those that 128 bits hold.
var powersOf10 = func() (p [columnar.MaxPrecision + 1][2]uint64) {
	p[0][1] = 1
	for i := 1; i < len(p); i++ {
		hi, lo := bits.Mul64(p[i-1][1], 10)
		p[i] = [2]uint64{hi + p[i-1][0]*10, lo}
	}
	return p
}()

// digits reports whether an unscaled decimal has no more digits than the column.
func (a *arrowColumn) digits(hi int64, lo uint64) bool {
	abs := [2]uint64{uint64(hi), lo}
	if hi < 0 {
		var borrow uint64
		abs[1], borrow = bits.Sub64(0, lo, 0)
		abs[0], _ = bits.Sub64(0, uint64(hi), borrow)
	}
	p := powersOf10[a.typ.Precision]
	return abs[0] < p[0] || abs[0] == p[0] && abs[1] < p[1]
}

// decimals converts decimals of the column's scale, and integers if it has none after the
// point.
func (a *arrowColumn) decimals(arr arrow.Array) (v columnar.Vec, done bool, err error) {
	if t, ok := arr.DataType().(arrow.DecimalType); ok && t.GetScale() != int32(a.typ.Scale) {
		return v, false, nil
	}
	if x, ok := arr.(*array.Decimal128); ok && a.typ.Width() < 16 {
		if v, ok := a.narrowDecimals(x); ok {
			return v, true, nil
		}
	}
	var value func(i int) (hi int64, lo uint64)
	small := func(x int64) (int64, uint64) { return x >> 63, uint64(x) }
	switch x := arr.(type) {
	case *array.Decimal32:
		value = func(i int) (int64, uint64) { return small(int64(x.Value(i))) }
	case *array.Decimal64:
		value = func(i int) (int64, uint64) { return small(int64(x.Value(i))) }
	case *array.Decimal128:
		value = func(i int) (int64, uint64) { d := x.Value(i); return d.HighBits(), d.LowBits() }
	case *array.Int32:
		value = func(i int) (int64, uint64) { return small(int64(x.Value(i))) }
	case *array.Int64:
		value = func(i int) (int64, uint64) { return small(x.Value(i)) }
	case *array.Uint64:
		value = func(i int) (int64, uint64) { return 0, x.Value(i) }
	default:
		return v, false, nil
	}
	if a.typ.Scale != 0 && !arrow.IsDecimal(arr.DataType().ID()) {
		return v, false, nil
	}
	c := columnar.ColumnBuf{Type: a.typ}
	v, err = a.fixedRows(arr, func(fixed []byte, i int) bool {
		hi, lo := value(i)
		if !a.digits(hi, lo) {
			return false
		}
		c.Fixed = fixed
		c.SetDecimal(i, hi, lo)
		return true
	})
	return v, true, err
}

// narrowDecimals converts decimals to fewer bits if all of them fit, null rows included.
func (a *arrowColumn) narrowDecimals(x *array.Decimal128) (columnar.Vec, bool) {
	src := x.Values()
	fixed := alignedBytes(len(src) * a.typ.Width())
	most := int64(powersOf10[a.typ.Precision][1]) - 1
	bad := false
	if a.typ.Width() == 4 {
		dst := view[int32](fixed, len(src))
		for i := range dst {
			n := int64(src[i].LowBits())
			dst[i] = int32(n)
			bad = bad || src[i].HighBits() != n>>63 || n > most || n < -most
		}
	} else {
		dst := view[int64](fixed, len(src))
		for i := range dst {
			n := int64(src[i].LowBits())
			dst[i] = n
			bad = bad || src[i].HighBits() != n>>63 || n > most || n < -most
		}
	}
	return columnar.MakeVec(a.typ, len(src), validWords(x), fixed, nil, nil, nil, nil), !bad
}

// moments converts dates and times of other units.
func (a *arrowColumn) moments(arr arrow.Array) (v columnar.Vec, done bool, err error) {
	var micro func(i int) (int64, bool)
	low, high := int64(0), int64(microsPerDay)
	switch x := arr.(type) {
	case *array.Timestamp:
		t := x.DataType().(*arrow.TimestampType)
		if !a.stamps(t) {
			return v, false, nil
		}
		low, high = pgtext.MinTimestamp, pgtext.MaxTimestamp
		m := micros(t.Unit)
		if micro = func(i int) (int64, bool) {
			t := int64(x.Value(i))
			return t * m, t <= high/m && t >= low/m
		}; t.Unit == arrow.Nanosecond {
			micro = func(i int) (int64, bool) { return pgtext.MicrosOfNanos(int64(x.Value(i))), true }
		}
	case *array.Time32:
		m := micros(x.DataType().(*arrow.Time32Type).Unit)
		micro = func(i int) (int64, bool) { return int64(x.Value(i)) * m, true }
	case *array.Time64:
		micro = func(i int) (int64, bool) { return pgtext.MicrosOfNanos(int64(x.Value(i))), true }
	case *array.Date64:
		if a.typ.Kind != columnar.Date {
			return v, false, nil
		}
		v, err = a.fixedRows(arr, func(fixed []byte, i int) bool {
			day := dayOf(int64(x.Value(i)))
			binary.LittleEndian.PutUint32(fixed[4*i:], uint32(int32(day)))
			return day >= pgtext.MinDate && day <= pgtext.MaxDate
		})
		return v, true, err
	default:
		return v, false, nil
	}
	if _, stamp := arr.(*array.Timestamp); !stamp && a.typ.Kind != columnar.Time {
		return v, false, nil
	}
	v, err = a.fixedRows(arr, func(fixed []byte, i int) bool {
		t, fits := micro(i)
		binary.LittleEndian.PutUint64(fixed[8*i:], uint64(t))
		return fits && t >= low && t <= high
	})
	return v, true, err
}

// dayOf returns the day that a time in milliseconds is in.
func dayOf(ms int64) int64 {
	day := ms / 86_400_000
	if ms%86_400_000 < 0 {
		day--
	}
	return day
}
