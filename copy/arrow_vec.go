package copy

import (
	"fmt"
	"time"
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
	name    string
	typ     columnar.Type
	row     int64 // of the source, the first of the array
	trusted bool  // arrays are sound: who made them has looked

	// reject is told, in the order of rows, of each value that the column does not take. If
	// it returns nil the value becomes NULL, else the error is what the conversion ends with.
	// Without it the first such value ends the conversion.
	reject func(i int, e *Error) error

	dict    arrow.ArrayData // that was converted last
	dictVec columnar.Vec
	dictBad map[int]*Error
}

// fail is the error for row i of the array.
func (a *arrowColumn) fail(i int, e *Error) *Error {
	e.Column = a.name
	if a.reject == nil {
		if e.Detail != "" {
			e.Detail += " "
		}
		e.Detail += fmt.Sprintf("It is in row %d of the Arrow data.", a.row+int64(i)+1)
	}
	return e
}

// refuse says that the column does not take the value of row i. If it returns nil the row
// is to be NULL.
func (a *arrowColumn) refuse(i int, e *Error) error {
	if a.fail(i, e); a.reject != nil {
		return a.reject(i, e)
	}
	return e
}

// vec returns the rows of arr: its own memory where it has the layout that the column
// has, else new memory. Offsets and text are looked at before anything is made of them.
func (a *arrowColumn) vec(arr arrow.Array) (columnar.Vec, error) {
	if ext, ok := arr.(array.ExtensionArray); ok {
		arr = ext.Storage()
	}
	if !a.trusted {
		if err := a.sound(arr); err != nil {
			return columnar.Vec{}, err
		}
	}
	if arr.Len() == 0 {
		return a.none(), nil
	}
	if v, ok := a.same(arr); ok {
		return a.inRange(arr, v)
	}
	if d, ok := arr.(*array.Dictionary); ok {
		return a.dictionary(d)
	}
	if !a.typ.Array {
		if v, ok, err := a.numbers(arr); ok || err != nil {
			return v, err
		}
		if v, ok, err := a.moments(arr); ok || err != nil {
			return v, err
		}
		if v, ok, err := a.bytes(arr); ok || err != nil {
			return v, err
		}
	}
	return a.byValue(arr)
}

// none returns no rows.
func (a *arrowColumn) none() columnar.Vec {
	var offsets []int32
	if a.typ.Variable() {
		offsets = []int32{0}
	}
	return columnar.MakeVec(a.typ, 0, nil, nil, nil, offsets, nil, nil)
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
	case arrow.BinaryViewDataType:
		if err := array.ValidateFull(arr); err != nil {
			return bad(err.Error())
		}
	case arrow.ListLikeType:
		if err := array.ValidateFull(arr); err != nil {
			return bad(err.Error())
		}
		inner := *a
		return inner.sound(arr.(array.ListLike).ListValues())
	case arrow.FixedWidthDataType:
		if t.ID() != arrow.DICTIONARY && !room(1, end*t.BitWidth()/8) {
			return bad("its values are too short")
		}
	}
	if d, ok := arr.(*array.Dictionary); ok {
		if t := d.Indices().DataType().(arrow.FixedWidthDataType); !room(1, end*t.BitWidth()/8) {
			return bad("its indexes are too short")
		}
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
func view[T int16 | int32 | int64 | uint64](b []byte, n int) []T {
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

// wordsOf returns b as words; nil for nil.
func wordsOf(b *memory.Buffer, n int) []uint64 {
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
	if a.typ.Array || !a.sameLayout(arr.DataType()) || a.typ.Length > 0 && !short(arr, a.typ.Length) {
		return v, false
	}
	data := arr.Data()
	off, n := data.Offset(), arr.Len()
	end := off + n
	buffers := data.Buffers()
	var valid []uint64
	if arr.NullN() > 0 {
		valid = wordsOf(buffers[0], end)
	}
	switch {
	case a.typ.Kind == columnar.Bool:
		v = columnar.MakeVec(a.typ, end, valid, nil, wordsOf(buffers[1], end), nil, nil, nil)
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
		return t.Unit == arrow.Microsecond && a.stamps(t)
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
		return a.typ.Kind == columnar.Text || a.typ.Kind == columnar.Varchar
	case arrow.BINARY:
		return a.typ.Kind == columnar.Bytea
	}
	return false
}

// stamps reports whether timestamps of type t are, but for their unit, those of the
// column. Those without a zone are in the session's.
func (a *arrowColumn) stamps(t *arrow.TimestampType) bool {
	return a.typ.Kind == columnar.Timestamp ||
		a.typ.Kind == columnar.TimestampTZ && (t.TimeZone != "" || a.location == nil || a.location == time.UTC)
}

// short reports whether no value of arr, which is utf8, has more than most bytes.
func short(arr arrow.Array, most int32) bool {
	o := arr.(*array.String).ValueOffsets()
	for i := 1; i < len(o); i++ {
		if o[i]-o[i-1] > most {
			return false
		}
	}
	return true
}

// inRange checks what Arrow's types hold and the column's do not: text that is none, times
// beyond PostgreSQL's, and decimals with more digits than their type says.
func (a *arrowColumn) inRange(arr arrow.Array, v columnar.Vec) (columnar.Vec, error) {
	if v.Len() == 0 {
		return v, nil
	}
	switch a.typ.Kind {
	case columnar.Text, columnar.Varchar:
		return v, a.isText8(&v)
	case columnar.Date:
		return strike(a, arr, v, v.Int32s(), pgtext.MinDate, pgtext.MaxDate)
	case columnar.Time:
		return strike(a, arr, v, v.Int64s(), 0, microsPerDay)
	case columnar.Timestamp, columnar.TimestampTZ:
		return strike(a, arr, v, v.Int64s(), pgtext.MinTimestamp, pgtext.MaxTimestamp)
	case columnar.Decimal:
		most := int64(powersOf10[a.typ.Precision][1]) - 1 // of fewer than 64 bits
		switch a.typ.Width() {
		case 4:
			return strike(a, arr, v, v.Int32s(), -int32(most), int32(most))
		case 8:
			return strike(a, arr, v, v.Int64s(), -most, most)
		}
		return a.struck(arr, v, func(i int) bool {
			hi, lo, _ := v.Decimal(i)
			return !a.digits(hi, lo)
		})
	}
	return v, nil
}

// isText8 checks that the bytes of text are UTF-8 without zero bytes.
func (a *arrowColumn) isText8(v *columnar.Vec) error {
	o := v.Offsets()
	if invalidText(v.Data()[o[0]:o[v.Len()]]) < 0 && charactersWhole(v) {
		return nil
	}
	for i := range v.Len() {
		if v.IsNull(i) {
			continue
		}
		if pos, seq := pgtext.InvalidSequence(v.Bytes(i)); pos >= 0 {
			if err := a.refuse(i, pgerr.New(pgerr.CharacterNotInRepertoire, "%s", pgtext.EncodingMessage(seq))); err != nil {
				return err
			}
		}
	}
	return nil
}

// strike refuses the values that are not from low to high.
func strike[T int32 | int64](a *arrowColumn, arr arrow.Array, v columnar.Vec, values []T, low, high T) (columnar.Vec, error) {
	least, most := values[0], values[0]
	for _, x := range values {
		least, most = min(least, x), max(most, x)
	}
	if least >= low && most <= high {
		return v, nil
	}
	return a.struck(arr, v, func(i int) bool { return values[i] < low || values[i] > high })
}

// struck refuses the values of v, which has fixed width and the rows of arr, that are
// outside of the column's range.
func (a *arrowColumn) struck(arr arrow.Array, v columnar.Vec, outside func(i int) bool) (columnar.Vec, error) {
	var valid []uint64
	for i := range v.Len() {
		if v.IsNull(i) || !outside(i) {
			continue
		}
		if err := a.refuse(i, a.refusal(arr, i)); err != nil {
			return columnar.Vec{}, err
		}
		if valid == nil {
			valid = make([]uint64, (v.Len()+63)/64)
			setBits(valid, v.Len())
			if v.HasNulls() {
				copy(valid, v.ValidWords(make([]uint64, len(valid))))
			}
		}
		valid[i>>6] &^= 1 << (i & 63)
	}
	if valid == nil {
		return v, nil
	}
	return columnar.MakeVec(a.typ, v.Len(), valid, v.Fixed(), nil, nil, nil, nil), nil
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
