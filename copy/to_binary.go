package copy

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// binaryForm is how a COPY TO binary writes its columns. Immutable.
type binaryForm struct {
	types []columnar.Type
	even  int // bytes of a tuple without NULLs, if all columns have a fixed width; else 0
}

// binaryWriter is the writing side of the binary format, which has no options.
type binaryWriter struct{}

// Bind resolves the widths of the columns.
func (binaryWriter) Bind(b *Binding) (*Encoding, error) {
	if len(b.Columns) > maxTupleFields {
		return nil, errTooWide(len(b.Columns))
	}
	f := &binaryForm{types: make([]columnar.Type, len(b.Columns)), even: 2}
	for i := range b.Columns {
		f.types[i] = b.Columns[i].Type
	}
	for _, t := range f.types {
		width := fixedWidth(t)
		if width < 0 {
			f.even = 0
			break
		}
		f.even += 4 + int(width)
	}
	head := append([]byte(binarySignature), 0, 0, 0, 0, 0, 0, 0, 0)
	return &Encoding{Head: head, Tail: []byte{0xff, 0xff}, Encoder: f.encoder}, nil
}

func errTooWide(n int) *Error {
	return pgerr.New(pgerr.TooManyColumns, "COPY format \"binary\" has no more than %d fields, not %d", maxTupleFields, n)
}

func (f *binaryForm) encoder() Encoder {
	return &binaryEncoder{binaryForm: f, valid: make([][]uint64, len(f.types)), nulls: make([][]uint64, len(f.types))}
}

// binaryEncoder writes batches as tuples. One goroutine owns it.
type binaryEncoder struct {
	*binaryForm
	valid [][]uint64 // scratch by column
	nulls [][]uint64 // by column, the validity of the batch; nil if nothing is null
	text  []byte
}

// Append appends the tuples of a batch.
func (e *binaryEncoder) Append(dst []byte, b Batch) ([]byte, error) {
	some := false
	for i := range e.types {
		e.nulls[i] = nil
		if v := &b.Cols[i]; v.HasNulls() {
			if need := (b.Rows + 63) / 64; len(e.valid[i]) < need {
				e.valid[i] = make([]uint64, need)
			}
			e.nulls[i] = v.ValidWords(e.valid[i])
			some = some || e.nulls[i] != nil
		}
	}
	if e.even > 0 && !some {
		return e.appendEven(dst, b), nil
	}
	for r := range b.Rows {
		dst = binary.BigEndian.AppendUint16(dst, uint16(len(e.types)))
		for i := range e.types {
			if valid := e.nulls[i]; valid != nil && valid[r>>6]>>(r&63)&1 == 0 {
				dst = binary.BigEndian.AppendUint32(dst, lengthNull)
				continue
			}
			at := len(dst)
			var err error
			if dst, err = e.appendValue(append(dst, 0, 0, 0, 0), &b.Cols[i], r); err != nil {
				return dst, err
			}
			size := len(dst) - at - 4
			if size > math.MaxInt32 {
				return dst, errTooLong(size)
			}
			binary.BigEndian.PutUint32(dst[at:], uint32(size))
		}
	}
	return dst, nil
}

// evenRows is how many tuples appendEven writes a column of at a time, so that they stay
// in the cache for the next column.
const evenRows = 256

// appendEven is append for a batch whose tuples are all equally long: a column at a time.
func (e *binaryEncoder) appendEven(dst []byte, b Batch) []byte {
	for from := 0; from < b.Rows; from += evenRows {
		n := min(evenRows, b.Rows-from)
		at := len(dst)
		dst = extend(dst, n*e.even)
		rows := dst[at:]
		for r := range n {
			binary.BigEndian.PutUint16(rows[r*e.even:], uint16(len(e.types)))
		}
		off := 2
		for i := range e.types {
			width := int(fixedWidth(e.types[i]))
			e.putColumn(rows[off:], &b.Cols[i], from, n, width)
			off += 4 + width
		}
	}
	return dst
}

// extend returns dst with n bytes more, of any content.
func extend(dst []byte, n int) []byte {
	if cap(dst)-len(dst) < n {
		grown := make([]byte, len(dst), 2*cap(dst)+n)
		copy(grown, dst)
		dst = grown
	}
	return dst[:len(dst)+n]
}

// putColumn stores lengths and values of n rows of v from row from on, e.even bytes apart.
func (e *binaryEncoder) putColumn(dst []byte, v *columnar.Vec, from, n, width int) {
	step := e.even
	switch kind := v.Type().Kind; {
	case kind == columnar.Bool:
		for r := range n {
			p := dst[r*step:]
			binary.BigEndian.PutUint32(p, 1)
			p[4] = 0
			if v.Bool(from + r) {
				p[4] = 1
			}
		}
	case kind == columnar.UUID:
		for r := range n {
			p := dst[r*step:]
			binary.BigEndian.PutUint32(p, 16)
			copy(p[4:20], v.Bytes(from+r))
		}
	case kind == columnar.Date:
		for r, d := range v.Int32s()[from : from+n] {
			binary.BigEndian.PutUint64(dst[r*step:], 4<<32|uint64(uint32(dateToBinary(d))))
		}
	case width == 2:
		for r, x := range v.Int16s()[from : from+n] {
			p := dst[r*step:]
			binary.BigEndian.PutUint32(p, 2)
			binary.BigEndian.PutUint16(p[4:], uint16(x))
		}
	case kind == columnar.Float4:
		for r, x := range v.Float32s()[from : from+n] {
			binary.BigEndian.PutUint64(dst[r*step:], 4<<32|uint64(float4Bits(x)))
		}
	case width == 4:
		for r, x := range v.Int32s()[from : from+n] {
			binary.BigEndian.PutUint64(dst[r*step:], 4<<32|uint64(uint32(x)))
		}
	case kind == columnar.Float8:
		for r, x := range v.Float64s()[from : from+n] {
			p := dst[r*step:]
			binary.BigEndian.PutUint32(p, 8)
			binary.BigEndian.PutUint64(p[4:], float8Bits(x))
		}
	default:
		moment := kind == columnar.Timestamp || kind == columnar.TimestampTZ
		for r, x := range v.Int64s()[from : from+n] {
			if moment {
				x = timestampToBinary(x)
			}
			p := dst[r*step:]
			binary.BigEndian.PutUint32(p, 8)
			binary.BigEndian.PutUint64(p[4:], uint64(x))
		}
	}
}

// dateToBinary returns days since 2000-01-01; an infinity stays one.
func dateToBinary(days int32) int32 {
	if days == math.MinInt32 || days == math.MaxInt32 {
		return days
	}
	return days - epochDays
}

// timestampToBinary returns microseconds since 2000-01-01; an infinity stays one.
func timestampToBinary(us int64) int64 {
	if us == math.MinInt64 || us == math.MaxInt64 {
		return us
	}
	return us - epochMicros
}

// appendValue appends the bytes of row r of v, which is not NULL.
func (e *binaryEncoder) appendValue(dst []byte, v *columnar.Vec, r int) ([]byte, error) {
	t := v.Type()
	if t.Array {
		return e.appendArray(dst, t, v.Bytes(r))
	}
	switch t.Kind {
	case columnar.Bool:
		if v.Bool(r) {
			return append(dst, 1), nil
		}
		return append(dst, 0), nil
	case columnar.Int2:
		return binary.BigEndian.AppendUint16(dst, uint16(v.Int16s()[r])), nil
	case columnar.Int4:
		return binary.BigEndian.AppendUint32(dst, uint32(v.Int32s()[r])), nil
	case columnar.Int8, columnar.Time:
		return binary.BigEndian.AppendUint64(dst, uint64(v.Int64s()[r])), nil
	case columnar.Float4:
		return binary.BigEndian.AppendUint32(dst, float4Bits(v.Float32s()[r])), nil
	case columnar.Float8:
		return binary.BigEndian.AppendUint64(dst, float8Bits(v.Float64s()[r])), nil
	case columnar.Date:
		return binary.BigEndian.AppendUint32(dst, uint32(dateToBinary(v.Int32s()[r]))), nil
	case columnar.Timestamp, columnar.TimestampTZ:
		return binary.BigEndian.AppendUint64(dst, uint64(timestampToBinary(v.Int64s()[r]))), nil
	case columnar.Numeric:
		return appendNumeric(dst, v.Bytes(r)), nil
	case columnar.Decimal:
		e.text = v.AppendText(e.text[:0], r, time.UTC)
		return appendNumeric(dst, e.text), nil
	}
	return append(dst, v.Bytes(r)...), nil // text, varchar, json, bytea, uuid
}

// appendArray appends an array given by its canonical text.
func (e *binaryEncoder) appendArray(dst []byte, t columnar.Type, text []byte) ([]byte, error) {
	t.Array = false
	dims, items, ok := arrayItems(text)
	if !ok {
		return dst, errInternal("a stored array is malformed: %.40q", text)
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(dims)))
	flags := uint32(0)
	for _, item := range items {
		if item == nil {
			flags = 1
		}
	}
	dst = binary.BigEndian.AppendUint32(dst, flags)
	dst = binary.BigEndian.AppendUint32(dst, elementTypes[t.Kind])
	for _, d := range dims {
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.size))
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.lower))
	}
	for _, item := range items {
		if item == nil {
			dst = binary.BigEndian.AppendUint32(dst, lengthNull)
			continue
		}
		at := len(dst)
		var err error
		if dst, err = appendText(append(dst, 0, 0, 0, 0), t, item); err != nil {
			return dst, err
		}
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst, nil
}

// appendText appends the value whose canonical text is given.
func appendText(dst []byte, t columnar.Type, text []byte) ([]byte, error) {
	buf := columnar.ColumnBuf{Type: t, Fixed: make([]byte, t.Width()), Bits: make([]uint64, 1), Offsets: make([]int32, 2)}
	p := parser{location: time.UTC}
	if t.Kind == columnar.Decimal || t.Kind == columnar.Numeric {
		return appendNumeric(dst, text), nil
	}
	if p.store(&buf, 0, text) != ok {
		return dst, errInternal("a stored value of type %s is malformed: %.40q", t, text)
	}
	v := columnar.MakeVec(t, 1, nil, buf.Fixed, buf.Bits, buf.Offsets, buf.Data, nil)
	var e binaryEncoder
	return e.appendValue(dst, &v, 0)
}

// appendNumeric appends a numeric given in PostgreSQL's output form.
func appendNumeric(dst, text []byte) []byte {
	put := func(v int) { dst = binary.BigEndian.AppendUint16(dst, uint16(v)) }
	sign := signPositive
	switch string(text) {
	case "NaN":
		sign = signNaN
	case "Infinity":
		sign = signInf
	case "-Infinity":
		sign = signNegInf
	}
	if sign != signPositive {
		put(0)
		put(0)
		put(sign)
		if sign == signNaN {
			put(0)
		} else {
			put(32) // what PostgreSQL finds in the header of its infinities
		}
		return dst
	}
	if len(text) > 0 && text[0] == '-' {
		sign = signNegative
		text = text[1:]
	}
	point := len(text)
	scale := 0
	for i, c := range text {
		if c == '.' {
			point, scale = i, len(text)-i-1
		}
	}
	whole, behind := text[:point], text[min(point+1, len(text)):]
	head := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0)
	weight := (len(whole)+3)/4 - 1
	count := 0
	for i := -((4 - len(whole)&3) & 3); i < len(whole); i += 4 {
		put(group(whole, i))
		count++
	}
	for i := 0; i < len(behind); i += 4 {
		put(group(behind, i))
		count++
	}
	digits := dst[head+8:]
	for count > 0 && digits[0] == 0 && digits[1] == 0 {
		digits = digits[2:]
		count--
		weight--
	}
	for count > 0 && digits[2*count-1] == 0 && digits[2*count-2] == 0 {
		count--
	}
	if count == 0 {
		weight, sign = 0, signPositive
	}
	copy(dst[head+8:], digits[:2*count])
	binary.BigEndian.PutUint16(dst[head:], uint16(count))
	binary.BigEndian.PutUint16(dst[head+2:], uint16(weight))
	binary.BigEndian.PutUint16(dst[head+4:], uint16(sign))
	binary.BigEndian.PutUint16(dst[head+6:], uint16(scale))
	return dst[:head+8+2*count]
}

// group returns the number that four digits from i on make; digits before the first and
// behind the last are zeros.
func group(digits []byte, i int) (g int) {
	for k := i; k < i+4; k++ {
		g *= 10
		if k >= 0 && k < len(digits) {
			g += int(digits[k] - '0')
		}
	}
	return g
}

// float8Bits returns the bits of x; every NaN is the one that PostgreSQL reads from text.
func float8Bits(x float64) uint64 {
	if x != x {
		return 0x7ff8 << 48
	}
	return math.Float64bits(x)
}

// float4Bits is float8Bits for real.
func float4Bits(x float32) uint32 {
	if x != x {
		return 0x7fc0 << 16
	}
	return math.Float32bits(x)
}
