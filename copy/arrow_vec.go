package copy

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// arrowColumn turns arrays into rows of one column.
type arrowColumn struct {
	parser
	name string
	typ  columnar.Type
	row  int64 // of the source, the first of the array
}

// fail is the error for row i of the array.
func (a *arrowColumn) fail(i int, e *Error) error {
	e.Column = a.name
	if e.Detail != "" {
		e.Detail += " "
	}
	e.Detail += fmt.Sprintf("It is in row %d of the Arrow data.", a.row+int64(i)+1)
	return e
}

// vec returns the rows of arr: its own memory where it has the layout that the column
// has, else new memory. Offsets and text are looked at before anything is made of them.
func (a *arrowColumn) vec(arr arrow.Array) (columnar.Vec, error) {
	if ext, ok := arr.(array.ExtensionArray); ok {
		arr = ext.Storage()
	}
	if err := a.sound(arr); err != nil {
		return columnar.Vec{}, err
	}
	if v, ok := a.same(arr); ok {
		return v, a.inRange(&v)
	}
	if ints := integersOf(arr); ints != nil && !a.typ.Array {
		switch a.typ.Kind {
		case columnar.Int2, columnar.Int4, columnar.Int8:
			return a.integers(arr, ints)
		}
	}
	return a.byValue(arr)
}

// sound checks the lengths that an array claims against the bytes that it has.
func (a *arrowColumn) sound(arr arrow.Array) error {
	bad := func(what string) error {
		return a.fail(0, pgerr.New(pgerr.DataCorrupted, "the Arrow data of column \"%s\" is damaged: %s", a.name, what))
	}
	end := arr.Data().Offset() + arr.Len()
	buffers := arr.Data().Buffers()
	room := func(k int, bytes int) bool {
		return end == 0 || k < len(buffers) && buffers[k] != nil && buffers[k].Len() >= bytes
	}
	if len(buffers) > 0 && buffers[0] != nil && buffers[0].Len() < (end+7)/8 {
		return bad("its validity bitmap is too short")
	}
	switch t := arr.DataType().(type) {
	case *arrow.StringType, *arrow.BinaryType:
		if !room(1, 4*(end+1)) {
			return bad("its offsets are too short")
		}
		if end > 0 && !ascending(view[int32](buffers[1].Bytes(), end+1)[arr.Data().Offset():], bufferLen(buffers, 2)) {
			return bad("its offsets leave its bytes")
		}
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		if !room(1, 8*(end+1)) {
			return bad("its offsets are too short")
		}
		if end > 0 && !ascending(view[int64](buffers[1].Bytes(), end+1)[arr.Data().Offset():], bufferLen(buffers, 2)) {
			return bad("its offsets leave its bytes")
		}
	case *arrow.BooleanType:
		if !room(1, (end+7)/8) {
			return bad("its values are too short")
		}
	case arrow.FixedWidthDataType:
		if t.ID() != arrow.DICTIONARY && !room(1, end*t.BitWidth()/8) {
			return bad("its values are too short")
		}
	}
	if d, ok := arr.(*array.Dictionary); ok {
		for i := range d.Len() {
			if k := d.GetValueIndex(i); d.IsValid(i) && (k < 0 || k >= d.Dictionary().Len()) {
				return bad(fmt.Sprintf("index %d is not in its dictionary of %d values", k, d.Dictionary().Len()))
			}
		}
		return a.sound(d.Dictionary())
	}
	return nil
}

func bufferLen(buffers []*memory.Buffer, k int) int64 {
	if k >= len(buffers) || buffers[k] == nil {
		return 0
	}
	return int64(buffers[k].Len())
}

// ascending reports whether offsets never fall and stay between 0 and n.
func ascending[T int32 | int64](offsets []T, n int64) bool {
	if offsets[0] < 0 || int64(offsets[len(offsets)-1]) > n {
		return false
	}
	for i := 1; i < len(offsets); i++ {
		if offsets[i] < offsets[i-1] {
			return false
		}
	}
	return true
}

// view returns the first n values of b. They are copied if b does not lie where values of
// their width must.
func view[T int32 | int64 | uint64](b []byte, n int) []T {
	if n == 0 {
		return nil
	}
	size := int(unsafe.Sizeof(*new(T)))
	p := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(p)%uintptr(size) == 0 {
		return unsafe.Slice((*T)(p), n)
	}
	out := make([]T, n)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out))), n*size), b)
	return out
}

// alignedBytes returns n zero bytes that lie where any value may.
func alignedBytes(n int) []byte {
	words := make([]uint64, n/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// bitmap returns b as words; nil for nil.
func bitmap(b *memory.Buffer, n int) []uint64 {
	words := (n + 63) / 64
	if b == nil || words == 0 {
		return nil
	}
	bytes := b.Bytes()
	if cap(bytes) >= 8*words {
		return view[uint64](bytes[:8*words], words)
	}
	out := make([]uint64, words)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out))), 8*words), bytes)
	return out
}

// same returns the rows of arr over its own memory, if that has the layout of the column.
func (a *arrowColumn) same(arr arrow.Array) (v columnar.Vec, ok bool) {
	if a.typ.Array || !a.sameLayout(arr.DataType()) {
		return v, false
	}
	data := arr.Data()
	off, n := data.Offset(), arr.Len()
	end := off + n
	buffers := data.Buffers()
	var valid []uint64
	if arr.NullN() > 0 {
		valid = bitmap(buffers[0], end)
	}
	switch {
	case end == 0 && a.typ.Variable():
		v = columnar.MakeVec(a.typ, 0, nil, nil, nil, []int32{0}, nil, nil)
	case end == 0:
		v = columnar.MakeVec(a.typ, 0, nil, nil, nil, nil, nil, nil)
	case a.typ.Kind == columnar.Bool:
		v = columnar.MakeVec(a.typ, end, valid, nil, bitmap(buffers[1], end), nil, nil, nil)
	case a.typ.Variable():
		var bytes []byte
		if buffers[2] != nil {
			bytes = buffers[2].Bytes()
		}
		v = columnar.MakeVec(a.typ, end, valid, nil, nil, view[int32](buffers[1].Bytes(), end+1), bytes, nil)
	default:
		fixed := buffers[1].Bytes()[:end*a.typ.Width()]
		if uintptr(unsafe.Pointer(unsafe.SliceData(fixed)))%uintptr(min(8, a.typ.Width())) != 0 {
			fixed = append(alignedBytes(len(fixed))[:0], fixed...)
		}
		v = columnar.MakeVec(a.typ, end, valid, fixed, nil, nil, nil, nil)
	}
	return v.Slice(off, n), true
}

// sameLayout reports whether arrays of type t are what plain chunks of the column are.
func (a *arrowColumn) sameLayout(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return t.Unit == arrow.Microsecond && (a.typ.Kind == columnar.Timestamp || a.typ.Kind == columnar.TimestampTZ)
	case *arrow.Time64Type:
		return t.Unit == arrow.Microsecond && a.typ.Kind == columnar.Time
	case *arrow.FixedSizeBinaryType:
		return t.ByteWidth == 16 && a.typ.Kind == columnar.UUID
	case arrow.DecimalType:
		return a.typ.Kind == columnar.Decimal && t.GetScale() == int32(a.typ.Scale) && t.GetPrecision() <= int32(a.typ.Precision) &&
			t.BitWidth() == 8*a.typ.Width()
	}
	switch t.ID() {
	case arrow.BOOL:
		return a.typ.Kind == columnar.Bool
	case arrow.INT16:
		return a.typ.Kind == columnar.Int2
	case arrow.INT32:
		return a.typ.Kind == columnar.Int4
	case arrow.INT64:
		return a.typ.Kind == columnar.Int8
	case arrow.FLOAT32:
		return a.typ.Kind == columnar.Float4
	case arrow.FLOAT64:
		return a.typ.Kind == columnar.Float8
	case arrow.DATE32:
		return a.typ.Kind == columnar.Date
	case arrow.STRING:
		return a.typ.Kind == columnar.Text || a.typ.Kind == columnar.Varchar && a.typ.Length == 0
	case arrow.BINARY:
		return a.typ.Kind == columnar.Bytea
	}
	return false
}

// inRange checks what Arrow's types hold and the column's do not: text that is none, and
// times beyond PostgreSQL's.
func (a *arrowColumn) inRange(v *columnar.Vec) error {
	if v.Len() == 0 {
		return nil
	}
	switch a.typ.Kind {
	case columnar.Text, columnar.Varchar:
		o := v.Offsets()
		if invalidText(v.Data()[o[0]:o[v.Len()]]) < 0 && charactersWhole(v) {
			return nil
		}
		for i := range v.Len() {
			if v.IsNull(i) {
				continue
			}
			if pos, seq := pgtext.InvalidSequence(v.Bytes(i)); pos >= 0 {
				return a.fail(i, pgerr.New(pgerr.CharacterNotInRepertoire, "%s", pgtext.EncodingMessage(seq)))
			}
		}
	case columnar.Date:
		for i, d := range v.Int32s() {
			if (d < pgtext.MinDate || d > pgtext.MaxDate) && !v.IsNull(i) {
				return a.fail(i, pgerr.New(pgerr.DatetimeFieldOverflow, "date out of range"))
			}
		}
	case columnar.Time:
		for i, t := range v.Int64s() {
			if (t < 0 || t > microsPerDay) && !v.IsNull(i) {
				return a.fail(i, pgerr.New(pgerr.DatetimeFieldOverflow, "time out of range"))
			}
		}
	case columnar.Timestamp, columnar.TimestampTZ:
		for i, t := range v.Int64s() {
			if (t < pgtext.MinTimestamp || t > pgtext.MaxTimestamp) && !v.IsNull(i) {
				return a.fail(i, pgerr.New(pgerr.DatetimeFieldOverflow, "timestamp out of range"))
			}
		}
	}
	return nil
}

// charactersWhole reports whether no row begins inside a character.
func charactersWhole(v *columnar.Vec) bool {
	data := v.Data()
	for _, o := range v.Offsets()[:v.Len()] {
		if int(o) < len(data) && data[o]&0xc0 == 0x80 {
			return false
		}
	}
	return true
}

const microsPerDay = 86_400_000_000

// integersOf returns the values of an array of integers, nil for others. One that int64
// does not hold is not ok.
func integersOf(arr arrow.Array) func(i int) (v int64, ok bool) {
	switch arr := arr.(type) {
	case *array.Int8:
		return func(i int) (int64, bool) { return int64(arr.Value(i)), true }
	case *array.Int16:
		return func(i int) (int64, bool) { return int64(arr.Value(i)), true }
	case *array.Int32:
		return func(i int) (int64, bool) { return int64(arr.Value(i)), true }
	case *array.Int64:
		return func(i int) (int64, bool) { return arr.Value(i), true }
	case *array.Uint8:
		return func(i int) (int64, bool) { return int64(arr.Value(i)), true }
	case *array.Uint16:
		return func(i int) (int64, bool) { return int64(arr.Value(i)), true }
	case *array.Uint32:
		return func(i int) (int64, bool) { return int64(arr.Value(i)), true }
	case *array.Uint64:
		return func(i int) (int64, bool) { return int64(arr.Value(i)), arr.Value(i) <= math.MaxInt64 }
	}
	return nil
}

// integers converts integers of one width to another.
func (a *arrowColumn) integers(arr arrow.Array, value func(i int) (int64, bool)) (columnar.Vec, error) {
	n := arr.Len()
	w := a.typ.Width()
	least, most := int64(math.MinInt64)>>(64-8*w), int64(math.MaxInt64)>>(64-8*w)
	b := alignedBytes(n * w)
	var valid []uint64
	if arr.NullN() > 0 {
		valid = make([]uint64, (n+63)/64)
	}
	for i := range n {
		if valid != nil {
			if arr.IsNull(i) {
				continue
			}
			valid[i>>6] |= 1 << (i & 63)
		}
		v, ok := value(i)
		if !ok || v < least || v > most {
			return columnar.Vec{}, a.fail(i, pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", arr.ValueStr(i), a.typ.Name()))
		}
		switch w {
		case 2:
			binary.LittleEndian.PutUint16(b[2*i:], uint16(v))
		case 4:
			binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
		default:
			binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
		}
	}
	return columnar.MakeVec(a.typ, n, valid, b, nil, nil, nil, nil), nil
}
