package ndjson

import (
	"bytes"
	"math"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
)

// Encoder writes rows as objects, one on each line: the keys in the order of the columns,
// every one of them, NULL as null. One goroutine owns it.
//
//	column                          value
//	integers, floats, numeric       a number; "NaN", "Infinity", "-Infinity" as strings
//	boolean                         true, false
//	json                            as it is stored, line breaks as blanks
//	array                           an array, of arrays where it has dimensions; bounds are lost
//	date, time, timestamps          strings of ISO 8601, T between date and time; also "infinity"
//	text, bytea, uuid and others    strings of PostgreSQL's text
//
// Strings have escapes only where JSON wants them: double quotes, backslashes, and bytes
// below 0x20. What is written reads back as the same values.
type Encoder struct {
	cols     []encoderColumn
	location *time.Location
	before   string // every row
	text     []byte // scratch
}

// form is how the values of a type are written.
type form uint8

const (
	formText    form = iota // a string of the value's bytes
	formPrinted             // a string of its text, which needs no escape
	formEscaped             // a string of its text
	formNumber              // its text, or a string of that
	formInt16
	formInt32
	formInt64
	formFloat64
	formDecimal
	formBool
	formDate
	formStamp   // a timestamp
	formStampTZ // a timestamp with time zone
	formUUID
	formJSON // the value's bytes
	formArray
)

func formOf(t columnar.Type) form {
	if t.Array {
		return formArray
	}
	switch t.Kind {
	case columnar.Int2:
		return formInt16
	case columnar.Int4:
		return formInt32
	case columnar.Int8:
		return formInt64
	case columnar.Float8:
		return formFloat64
	case columnar.Decimal:
		return formDecimal
	case columnar.Float4, columnar.Numeric:
		return formNumber
	case columnar.Bool:
		return formBool
	case columnar.JSON:
		return formJSON
	case columnar.Date:
		return formDate
	case columnar.Time:
		return formPrinted
	case columnar.Timestamp:
		return formStamp
	case columnar.TimestampTZ:
		return formStampTZ
	case columnar.UUID:
		return formUUID
	case columnar.Bytea:
		return formEscaped
	}
	return formText
}

// encoderColumn is a column, and of a batch the values at hand.
type encoderColumn struct {
	key     []byte // with what stands before it, and the colon
	form    form
	element form // of an array
	vec     *columnar.Vec
	scratch []uint64 // for validity words
	valid   []uint64 // nil if nothing is null
	i16     []int16
	i32     []int32
	i64     []int64
	f64     []float64

	// Of text: the values are data[offsets[r]:offsets[r+1]], and marks are the bytes with an
	// escape, counted from data[base]; none if clean.
	data    []byte
	offsets []int32
	base    int
	marks   []uint64
	clean   bool
}

// NewEncoder returns an encoder of rows with the given columns; before is written in front
// of every row, and location is that in which a timestamptz is shown, nil for UTC.
func NewEncoder(cols []Column, before string, location *time.Location) *Encoder {
	if location == nil {
		location = time.UTC
	}
	e := &Encoder{cols: make([]encoderColumn, len(cols)), location: location, before: before}
	for i := range cols {
		c := &e.cols[i]
		open := byte(',')
		if i == 0 {
			open = '{'
		}
		c.key = append(appendString([]byte{open}, []byte(cols[i].Name)), ':')
		c.form = formOf(cols[i].Type)
		elem := cols[i].Type
		elem.Array = false
		c.element = formOf(elem)
	}
	return e
}

// Append appends the rows of a batch, one vector for each column, and keeps nothing of it.
func (e *Encoder) Append(dst []byte, rows int, vecs []columnar.Vec) []byte {
	for i := range e.cols {
		e.cols[i].open(&vecs[i], rows)
	}
	for r := range rows {
		dst = append(dst, e.before...)
		for i := range e.cols {
			c := &e.cols[i]
			dst = append(dst, c.key...)
			if c.valid != nil && c.valid[r>>6]>>(r&63)&1 == 0 {
				dst = append(dst, "null"...)
				continue
			}
			switch c.form {
			case formInt64:
				dst = pgtext.AppendInt(dst, c.i64[r])
			case formInt32:
				dst = pgtext.AppendInt(dst, int64(c.i32[r]))
			case formInt16:
				dst = pgtext.AppendInt(dst, int64(c.i16[r]))
			case formText:
				dst = c.appendText(dst, r)
			default:
				dst = e.appendValue(dst, c, r)
			}
		}
		if len(e.cols) == 0 {
			dst = append(dst, '{')
		}
		dst = append(dst, '}', '\n')
	}
	return dst
}

// open points c at the values of a batch.
func (c *encoderColumn) open(v *columnar.Vec, rows int) {
	c.vec, c.valid = v, nil
	if v.HasNulls() {
		if need := (rows + 63) / 64; len(c.scratch) < need {
			c.scratch = make([]uint64, need)
		}
		c.valid = v.ValidWords(c.scratch)
	}
	switch c.form {
	case formInt16:
		c.i16 = v.Int16s()
	case formInt32, formDate:
		c.i32 = v.Int32s()
	case formInt64, formStamp, formStampTZ:
		c.i64 = v.Int64s()
	case formFloat64:
		c.f64 = v.Float64s()
	case formText:
		c.data, c.offsets = v.Data(), v.Offsets()
		c.base = int(c.offsets[0])
		c.mark(c.data[c.base:c.offsets[rows]])
	}
}

// mark marks the bytes of b that have an escape.
func (c *encoderColumn) mark(b []byte) {
	if need := (len(b) + 63) / 64; len(c.marks) < need {
		c.marks = make([]uint64, need)
	}
	c.clean = true
	for at := 0; at < len(b); at += kernelBytes {
		part := b[at:min(at+kernelBytes, len(b))]
		marks := c.marks[at/64:][:(len(part)+63)/64]
		kernels.MarkStringStops(marks, part)
		for _, m := range marks {
			if m != 0 {
				c.clean = false
				break
			}
		}
	}
}

// appendText appends row r of a column of text.
func (c *encoderColumn) appendText(dst []byte, r int) []byte {
	from, to := int(c.offsets[r]), int(c.offsets[r+1])
	if c.clean || !anyBit(c.marks, from-c.base, to-c.base) {
		dst = append(dst, '"')
		dst = append(dst, c.data[from:to]...)
		return append(dst, '"')
	}
	return appendString(dst, c.data[from:to])
}

// anyBit reports whether a bit from from to to-1 is set.
func anyBit(marks []uint64, from, to int) bool {
	if from == to {
		return false
	}
	first, last := from>>6, (to-1)>>6
	head, tail := ^uint64(0)<<(from&63), ^uint64(0)>>(63-(to-1)&63)
	if first == last {
		return marks[first]&head&tail != 0
	}
	for _, m := range marks[first+1 : last] {
		if m != 0 {
			return true
		}
	}
	return marks[first]&head != 0 || marks[last]&tail != 0
}

// appendValue appends row r of a column of any other form.
func (e *Encoder) appendValue(dst []byte, c *encoderColumn, r int) []byte {
	switch c.form {
	case formFloat64:
		if f := c.f64[r]; math.IsNaN(f) || math.IsInf(f, 0) {
			return append(pgtext.AppendFloat8(append(dst, '"'), f), '"')
		}
		return pgtext.AppendFloat8(dst, c.f64[r])
	case formBool:
		if c.vec.Bool(r) {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case formJSON:
		return appendJSON(dst, c.vec.Bytes(r))
	case formDecimal:
		hi, lo, nan := c.vec.Decimal(r)
		if nan {
			return append(dst, `"NaN"`...)
		}
		return pgtext.AppendDecimal(dst, pgtext.Decimal128{Hi: hi, Lo: lo}, int(c.vec.Type().Scale))
	case formDate:
		return append(pgtext.AppendDate(append(dst, '"'), c.i32[r]), '"')
	case formStamp:
		dst = append(dst, '"')
		return iso(pgtext.AppendTimestamp(dst, c.i64[r]), len(dst))
	case formStampTZ:
		dst = append(dst, '"')
		return iso(pgtext.AppendTimestampTZ(dst, c.i64[r], e.location), len(dst))
	case formUUID:
		return append(pgtext.AppendUUID(append(dst, '"'), [16]byte(c.vec.Bytes(r))), '"')
	case formPrinted:
		return append(c.vec.AppendText(append(dst, '"'), r, e.location), '"')
	case formArray:
		return appendElements(dst, c.vec.Bytes(r), c.element)
	}
	e.text = c.vec.AppendText(e.text[:0], r, e.location)
	return appendForm(dst, e.text, c.form)
}

// appendForm appends a value of a form that is given by its text.
func appendForm(dst, text []byte, f form) []byte {
	switch f {
	case formBool:
		if text[0] == 't' {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case formInt16, formInt32, formInt64, formFloat64, formDecimal, formNumber:
		if last := text[len(text)-1]; last >= '0' && last <= '9' {
			return append(dst, text...)
		}
	case formJSON:
		return appendJSON(dst, text)
	case formStamp, formStampTZ:
		dst = append(dst, '"')
		return iso(append(dst, text...), len(dst))
	}
	return appendString(dst, text)
}

// iso gives the text of a timestamp, which is dst[at:], the form of ISO 8601: a T for the
// blank before the time, and minutes in the offset. It appends the closing quote.
func iso(dst []byte, at int) []byte {
	n := bytes.IndexByte(dst[at:], ' ')
	if n < 0 {
		return append(dst, '"') // infinity
	}
	dst[at+n] = 'T'
	const before = " BC"
	past := bytes.HasSuffix(dst, []byte(before))
	if past {
		dst = dst[:len(dst)-len(before)]
	}
	if sign := dst[len(dst)-3]; sign == '+' || sign == '-' {
		dst = append(dst, ":00"...)
	}
	if past {
		dst = append(dst, before...)
	}
	return append(dst, '"')
}

// appendJSON appends a value of type json. Line breaks in it are blanks between tokens.
func appendJSON(dst, v []byte) []byte {
	at := len(dst)
	dst = append(dst, v...)
	for i, c := range dst[at:] {
		if c == '\n' || c == '\r' {
			dst[at+i] = ' '
		}
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendString appends a string of text, with its quotes.
func appendString(dst, text []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(dst, text[start:]...), '"')
}
