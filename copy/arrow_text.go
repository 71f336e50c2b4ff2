package copy

import (
	"math"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// byValue converts one value after the other: through its text, as if it had been read.
func (a *arrowColumn) byValue(arr arrow.Array) (columnar.Vec, error) {
	text, known := textOf(arr)
	if _, list := arr.(array.ListLike); !known || list && !a.isText() || list && a.typ.Kind == columnar.JSON && !a.typ.Array {
		return columnar.Vec{}, pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" is of type %s but the Arrow data is of type %s", a.name, a.typ.Name(), arr.DataType())
	}
	n := arr.Len()
	c := newColumnBuf(a.typ, n)
	if a.location == nil {
		a.location = time.UTC
	}
	var scratch []byte
	for i := range n {
		if isNull(arr, i) {
			c.SetValue(i, columnar.Value{Null: true})
			continue
		}
		scratch = text(scratch[:0], i)
		before := len(c.Data)
		st := a.store(&c, i, scratch)
		if st == ok && a.isText() {
			if pos, _ := pgtext.InvalidSequence(scratch); pos >= 0 {
				st = status(pgtext.InvalidEncoding)
			}
		}
		switch st {
		case ok:
			c.Valid[i>>6] |= 1 << (i & 63)
			continue
		case badSize:
			return columnar.Vec{}, a.fail(i, pgerr.New(pgerr.ProgramLimitExceeded, "value too long: %d bytes", len(scratch)))
		}
		if err := a.refuse(i, columnar.TextError(pgtext.Status(st), a.typ, scratch, a.location).WithValue(string(scratch))); err != nil {
			return columnar.Vec{}, err
		}
		c.Data = c.Data[:before]
		c.SetValue(i, columnar.Value{Null: true})
	}
	v := columnar.MakeVec(a.typ, n, c.Valid, c.Fixed, c.Bits, c.Offsets, c.Data, c.NaN)
	return v, nil
}

// isNull reports whether row i is null, in the array or in its dictionary.
func isNull(arr arrow.Array, i int) bool {
	if d, ok := arr.(*array.Dictionary); ok && d.IsValid(i) {
		return isNull(d.Dictionary(), d.GetValueIndex(i))
	}
	return arr.IsNull(i) || arr.DataType().ID() == arrow.NULL
}

// isText reports whether the column holds text as it is given.
func (a *arrowColumn) isText() bool {
	switch a.typ.Kind {
	case columnar.Text, columnar.Varchar, columnar.JSON:
		return true
	}
	return a.typ.Array
}

// textOf returns what appends PostgreSQL's text of row i of arr, which is not null.
func textOf(arr arrow.Array) (func(dst []byte, i int) []byte, bool) {
	switch arr := arr.(type) {
	case *array.Null:
		return func(dst []byte, _ int) []byte { return dst }, true
	case *array.Boolean:
		return func(dst []byte, i int) []byte { return pgtext.AppendBool(dst, arr.Value(i)) }, true
	case *array.Float16:
		return func(dst []byte, i int) []byte { return pgtext.AppendFloat4(dst, arr.Value(i).Float32()) }, true
	case *array.Float32:
		return func(dst []byte, i int) []byte { return pgtext.AppendFloat4(dst, arr.Value(i)) }, true
	case *array.Float64:
		return func(dst []byte, i int) []byte { return pgtext.AppendFloat8(dst, arr.Value(i)) }, true
	case *array.String:
		return func(dst []byte, i int) []byte { return append(dst, arr.Value(i)...) }, true
	case *array.LargeString:
		return func(dst []byte, i int) []byte { return append(dst, arr.Value(i)...) }, true
	case *array.StringView:
		return func(dst []byte, i int) []byte { return append(dst, arr.Value(i)...) }, true
	case *array.Binary:
		return func(dst []byte, i int) []byte { return pgtext.AppendBytea(dst, arr.Value(i)) }, true
	case *array.LargeBinary:
		return func(dst []byte, i int) []byte { return pgtext.AppendBytea(dst, arr.Value(i)) }, true
	case *array.BinaryView:
		return func(dst []byte, i int) []byte { return pgtext.AppendBytea(dst, arr.Value(i)) }, true
	case *array.FixedSizeBinary:
		return func(dst []byte, i int) []byte { return pgtext.AppendBytea(dst, arr.Value(i)) }, true
	case *array.Dictionary:
		text, ok := textOf(arr.Dictionary())
		if !ok {
			return nil, false
		}
		return func(dst []byte, i int) []byte { return text(dst, arr.GetValueIndex(i)) }, true
	case array.ExtensionArray:
		return textOf(arr.Storage())
	case array.ListLike:
		return listTextOf(arr)
	}
	if text := integerTextOf(arr); text != nil {
		return text, true
	}
	return timeTextOf(arr)
}

// integerTextOf is textOf for integers, nil for others.
func integerTextOf(arr arrow.Array) func(dst []byte, i int) []byte {
	var value func(i int) int64
	switch arr := arr.(type) {
	case *array.Int8:
		value = func(i int) int64 { return int64(arr.Value(i)) }
	case *array.Int16:
		value = func(i int) int64 { return int64(arr.Value(i)) }
	case *array.Int32:
		value = func(i int) int64 { return int64(arr.Value(i)) }
	case *array.Int64:
		value = arr.Value
	case *array.Uint8:
		value = func(i int) int64 { return int64(arr.Value(i)) }
	case *array.Uint16:
		value = func(i int) int64 { return int64(arr.Value(i)) }
	case *array.Uint32:
		value = func(i int) int64 { return int64(arr.Value(i)) }
	case *array.Uint64:
		return func(dst []byte, i int) []byte { return strconv.AppendUint(dst, arr.Value(i), 10) }
	default:
		return nil
	}
	return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, value(i), 10) }
}

// listTextOf is textOf for lists: the text of an array, whose elements may be lists.
func listTextOf(arr array.ListLike) (func(dst []byte, i int) []byte, bool) {
	values := arr.ListValues()
	elem, ok := textOf(values)
	if !ok {
		return nil, false
	}
	_, nested := values.(array.ListLike)
	var scratch []byte
	return func(dst []byte, i int) []byte {
		dst = append(dst, '{')
		from, to := arr.ValueOffsets(i)
		for k := from; k < to; k++ {
			if k > from {
				dst = append(dst, ',')
			}
			switch {
			case isNull(values, int(k)):
				dst = append(dst, "NULL"...)
			case nested:
				dst = elem(dst, int(k))
			default:
				scratch = elem(scratch[:0], int(k))
				dst = pgtext.AppendArrayElement(dst, scratch)
			}
		}
		return append(dst, '}')
	}, true
}

// timeTextOf is textOf for decimals, dates and times.
func timeTextOf(arr arrow.Array) (func(dst []byte, i int) []byte, bool) {
	switch arr := arr.(type) {
	case *array.Decimal32, *array.Decimal64, *array.Decimal128, *array.Decimal256:
		return func(dst []byte, i int) []byte { return append(dst, arr.ValueStr(i)...) }, true
	case *array.Date32:
		return func(dst []byte, i int) []byte { return pgtext.AppendDate(dst, int32(arr.Value(i))) }, true
	case *array.Date64:
		return func(dst []byte, i int) []byte {
			return pgtext.AppendDate(dst, int32(min(max(dayOf(int64(arr.Value(i))), math.MinInt32), math.MaxInt32)))
		}, true
	case *array.Time32:
		unit := micros(arr.DataType().(*arrow.Time32Type).Unit)
		return func(dst []byte, i int) []byte { return pgtext.AppendTime(dst, int64(arr.Value(i))*unit) }, true
	case *array.Time64:
		if arr.DataType().(*arrow.Time64Type).Unit == arrow.Nanosecond {
			return func(dst []byte, i int) []byte {
				return pgtext.AppendTime(dst, pgtext.MicrosOfNanos(int64(arr.Value(i))))
			}, true
		}
		return func(dst []byte, i int) []byte { return pgtext.AppendTime(dst, int64(arr.Value(i))) }, true
	case *array.Timestamp:
		unit := arr.DataType().(*arrow.TimestampType).Unit
		zoned := arr.DataType().(*arrow.TimestampType).TimeZone != ""
		return func(dst []byte, i int) []byte {
			t := int64(arr.Value(i))
			switch m := micros(unit); {
			case unit == arrow.Nanosecond:
				t = pgtext.MicrosOfNanos(t)
			case t > pgtext.MaxTimestamp/m || t < pgtext.MinTimestamp/m:
				return append(dst, arr.ValueStr(i)...) // beyond every limit, as the parser will say
			default:
				t *= m
			}
			if dst = pgtext.AppendTimestamp(dst, t); zoned {
				dst = append(dst, "+00"...)
			}
			return dst
		}, true
	}
	return nil, false
}

// micros returns the microseconds of a unit that is not shorter.
func micros(u arrow.TimeUnit) int64 {
	switch u {
	case arrow.Second:
		return 1_000_000
	case arrow.Millisecond:
		return 1_000
	}
	return 1
}
