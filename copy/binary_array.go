package copy

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// An array in the binary format is the number of its dimensions, whether it has NULLs,
// PostgreSQL's number for the type of its elements, for each dimension its size and its
// first index, and the elements, each as in a tuple, the last dimension running fastest.
// An array without elements has no dimensions.

const (
	maxArrayDims  = 6
	maxArrayItems = math.MaxInt32 / 8
)

// elementTypes has PostgreSQL's number of each type.
var elementTypes = map[columnar.Kind]uint32{
	columnar.Bool: 16, columnar.Bytea: 17, columnar.Int8: 20, columnar.Int2: 21, columnar.Int4: 23, columnar.Text: 25,
	columnar.JSON: 114, columnar.Float4: 700, columnar.Float8: 701, columnar.Varchar: 1043, columnar.Date: 1082, columnar.Time: 1083,
	columnar.Timestamp: 1114, columnar.TimestampTZ: 1184, columnar.Numeric: 1700, columnar.Decimal: 1700, columnar.UUID: 2950,
}

// dimension is the size of one dimension of an array and its first index.
type dimension struct{ size, lower int32 }

// arrayHead reads what stands before the elements of an array. There are as many elements
// as the product of the sizes, none if there is no dimension, and bytes for all of them.
func arrayHead(v []byte, element columnar.Type) (dims []dimension, rest []byte, err *Error) {
	if len(v) < 12 {
		return nil, nil, errShort()
	}
	n := int32(binary.BigEndian.Uint32(v))
	switch {
	case n < 0:
		return nil, nil, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid number of dimensions: %d", n)
	case n > maxArrayDims:
		return nil, nil, pgerr.New(pgerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", n, maxArrayDims)
	case binary.BigEndian.Uint32(v[4:]) > 1:
		return nil, nil, errBinary("invalid array flags")
	}
	if oid, want := binary.BigEndian.Uint32(v[8:]), elementTypes[element.Kind]; oid != want {
		return nil, nil, pgerr.New(pgerr.DatatypeMismatch, "binary data has array element type %d instead of expected %d (%s)", oid, want, element.Name())
	}
	if v = v[12:]; len(v) < int(8*n) {
		return nil, nil, errShort()
	}
	items := int64(1)
	for range n {
		d := dimension{size: int32(binary.BigEndian.Uint32(v)), lower: int32(binary.BigEndian.Uint32(v[4:]))}
		v = v[8:]
		if items *= int64(d.size); d.size < 0 || items > maxArrayItems {
			return nil, nil, pgerr.New(pgerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxArrayItems)
		}
		if int64(d.lower)+int64(d.size) > math.MaxInt32 {
			return nil, nil, pgerr.New(pgerr.ProgramLimitExceeded, "array lower bound is too large: %d", d.lower)
		}
		dims = append(dims, d)
	}
	if items == 0 || n == 0 {
		if len(v) > 0 {
			return nil, nil, errLeft()
		}
		return nil, nil, nil
	}
	if int64(len(v)) < 4*items {
		return nil, nil, errShort()
	}
	return dims, v, nil
}

// appendBinaryArray is appendBinaryText for arrays: the canonical text, as they are stored.
func appendBinaryArray(dst []byte, t columnar.Type, v []byte, loc *time.Location) ([]byte, *Error) {
	t.Array = false
	dims, v, err := arrayHead(v, t)
	if err != nil {
		return dst, err
	}
	if len(dims) == 0 {
		return append(dst, "{}"...), nil
	}
	a := arrayText{dst: dst, v: v, element: t, loc: loc}
	for _, d := range dims {
		if d.lower != 1 {
			for _, d := range dims {
				a.dst = append(a.dst, '[')
				a.dst = strconv.AppendInt(a.dst, int64(d.lower), 10)
				a.dst = append(a.dst, ':')
				a.dst = strconv.AppendInt(a.dst, int64(d.lower)+int64(d.size)-1, 10)
				a.dst = append(a.dst, ']')
			}
			a.dst = append(a.dst, '=')
			break
		}
	}
	if err := a.level(dims); err != nil {
		return dst, err
	}
	if len(a.v) > 0 {
		return dst, errLeft()
	}
	return a.dst, nil
}

// arrayText makes the text of an array from its elements.
type arrayText struct {
	dst     []byte
	v       []byte // elements that are left
	element columnar.Type
	loc     *time.Location
	scratch []byte
	count   int
}

// level appends one pair of braces and what is between them.
func (a *arrayText) level(dims []dimension) *Error {
	a.dst = append(a.dst, '{')
	for i := range dims[0].size {
		if i > 0 {
			a.dst = append(a.dst, ',')
		}
		var err *Error
		if len(dims) > 1 {
			err = a.level(dims[1:])
		} else {
			err = a.item()
		}
		if err != nil {
			return err
		}
	}
	a.dst = append(a.dst, '}')
	return nil
}

// item appends the next element.
func (a *arrayText) item() *Error {
	a.count++
	if len(a.v) < 4 {
		return errShort()
	}
	n := int32(binary.BigEndian.Uint32(a.v))
	a.v = a.v[4:]
	switch {
	case n == -1:
		a.dst = append(a.dst, "NULL"...)
		return nil
	case n < -1 || int(n) > len(a.v):
		return errBinary("insufficient data left in message")
	}
	text, err := appendBinaryText(a.scratch[:0], a.element, a.v[:n], a.loc)
	if err != nil {
		if err.Message == leftOver {
			return pgerr.New(pgerr.InvalidBinaryRepresentation, "improper binary format in array element %d", a.count)
		}
		return err
	}
	if len(a.dst) > columnar.MaxValueBytes {
		return errTooLong(len(a.dst))
	}
	a.v = a.v[n:]
	a.scratch = text
	a.dst = pgtext.AppendArrayElement(a.dst, text)
	return nil
}

// arrayItems reads the canonical text of an array: its dimensions, and its elements,
// nil for NULL, in the order of the binary format. ok is false if text is no such thing.
//
// The elements alias text or are new.
func arrayItems(text []byte) (dims []dimension, items [][]byte, ok bool) {
	r := itemReader{b: text}
	for r.is('[') {
		lower, ok1 := r.number(':')
		upper, ok2 := r.number(']')
		if !ok1 || !ok2 || upper < lower || len(r.dims) == maxArrayDims {
			return nil, nil, false
		}
		r.dims = append(r.dims, dimension{size: int32(upper - lower + 1), lower: int32(lower)})
	}
	r.given = len(r.dims) > 0
	if r.given && !r.is('=') {
		return nil, nil, false
	}
	if string(r.b[r.at:]) == "{}" {
		return nil, nil, !r.given
	}
	if !r.level(0) || r.at != len(r.b) {
		return nil, nil, false
	}
	return r.dims, r.items, true
}

type itemReader struct {
	b     []byte
	at    int
	given bool // the dimensions stood before the braces
	dims  []dimension
	items [][]byte
}

// is skips c if it comes next.
func (r *itemReader) is(c byte) bool {
	if r.at < len(r.b) && r.b[r.at] == c {
		r.at++
		return true
	}
	return false
}

// number reads an index and the byte behind it.
func (r *itemReader) number(end byte) (int64, bool) {
	start := r.at
	for r.at < len(r.b) && r.b[r.at] != end {
		r.at++
	}
	n, err := strconv.ParseInt(string(r.b[start:r.at]), 10, 32)
	return n, err == nil && r.is(end)
}

// level reads one pair of braces, which is depth pairs deep.
func (r *itemReader) level(depth int) bool {
	if !r.is('{') || depth == maxArrayDims {
		return false
	}
	if len(r.dims) == depth {
		r.dims = append(r.dims, dimension{lower: 1})
	}
	n := int32(0)
	for {
		n++
		if r.at < len(r.b) && r.b[r.at] == '{' {
			if !r.level(depth + 1) {
				return false
			}
		} else if depth != len(r.dims)-1 || !r.item() {
			return false
		}
		if r.is('}') {
			break
		}
		if !r.is(',') {
			return false
		}
	}
	if r.dims[depth].size == 0 {
		r.dims[depth].size = n
	}
	return r.dims[depth].size == n
}

// item reads one element.
func (r *itemReader) item() bool {
	if !r.is('"') {
		start := r.at
		for r.at < len(r.b) && r.b[r.at] != ',' && r.b[r.at] != '}' {
			r.at++
		}
		item := r.b[start:r.at]
		if string(item) == "NULL" {
			item = nil
		}
		r.items = append(r.items, item)
		return r.at > start
	}
	item := []byte{}
	for !r.is('"') {
		r.is('\\')
		if r.at == len(r.b) {
			return false
		}
		item = append(item, r.b[r.at])
		r.at++
	}
	r.items = append(r.items, item)
	return true
}
