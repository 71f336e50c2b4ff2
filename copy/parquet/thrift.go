package parquet

import (
	"encoding/binary"
	"errors"
	"math"
)

// The types of Thrift's compact protocol, as a field's or an element's head has them.
const (
	thriftStop   = 0
	thriftTrue   = 1 // a boolean field has its value as its type
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// maxThriftDepth is how deep structures may nest; Parquet's own need 6.
const maxThriftDepth = 24

// errThrift is the reason for every metadata that does not parse; errShort that its bytes end
// too early, which for a page header only means to read on.
var (
	errThrift = errors.New("parquet: metadata that cannot be read")
	errShort  = errors.New("parquet: metadata that ends too early")
)

// thriftReader reads the compact protocol from b. The first error stays: reads after it give
// zero, so that a caller checks once. No length is believed before the bytes are there, and
// nothing is allocated but by append for what was read; strings alias b.
type thriftReader struct {
	b     []byte
	pos   int
	depth int
	err   error
}

func (r *thriftReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.pos = len(r.b)
}

func (r *thriftReader) byte() byte {
	if r.pos >= len(r.b) {
		r.fail(errShort)
		return 0
	}
	r.pos++
	return r.b[r.pos-1]
}

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b[r.pos:])
	switch {
	case n == 0:
		r.fail(errShort)
		return 0
	case n < 0:
		r.fail(errThrift)
		return 0
	}
	r.pos += n
	return v
}

func (r *thriftReader) i64() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// i32 reads an integer that must fit 32 bits.
func (r *thriftReader) i32() int32 {
	v := r.i64()
	if v < math.MinInt32 || v > math.MaxInt32 {
		r.fail(errThrift)
		return 0
	}
	return int32(v)
}

func (r *thriftReader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.b)-r.pos) {
		r.fail(errShort)
		return nil
	}
	b := r.b[r.pos : r.pos+int(n) : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// list reads the head of a list or a set. Every element takes a byte at least, which bounds n.
func (r *thriftReader) list() (n int, typ byte) {
	h := r.byte()
	size := uint64(h >> 4)
	if size == 15 {
		size = r.uvarint()
	}
	if size > uint64(len(r.b)-r.pos) {
		r.fail(errShort)
		return 0, 0
	}
	return int(size), h & 15
}

// structure reads a structure: field is called with each field's number and type and
// reports whether it has read the value, which is skipped otherwise.
func (r *thriftReader) structure(field func(id int16, typ byte) bool) {
	if r.depth++; r.depth > maxThriftDepth {
		r.fail(errThrift)
	}
	defer func() { r.depth-- }()
	for id := int16(0); r.err == nil; {
		h := r.byte()
		typ := h & 15
		if r.err != nil || h == thriftStop {
			return
		}
		if delta := int16(h >> 4); delta != 0 {
			id += delta
		} else {
			id = int16(r.i64())
		}
		if !field(id, typ) {
			r.skip(typ, true)
		}
	}
}

// structures reads a list of structures; element reads one.
func (r *thriftReader) structures(typ byte, element func()) bool {
	if typ != thriftList {
		return false
	}
	n, of := r.list()
	if n > 0 && of != thriftStruct {
		r.fail(errThrift)
	}
	for range n {
		if r.err != nil {
			break
		}
		element()
	}
	return true
}

// skip reads a value without keeping it. Booleans in a structure have no bytes of their own,
// those in a list have one.
func (r *thriftReader) skip(typ byte, inStruct bool) {
	if r.err != nil {
		return
	}
	switch typ {
	case thriftTrue, thriftFalse:
		if !inStruct {
			r.byte()
		}
	case thriftByte:
		r.byte()
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		r.fixed(8)
	case thriftUUID:
		r.fixed(16)
	case thriftBinary:
		r.bytes()
	case thriftList, thriftSet:
		r.nested(func() {
			n, of := r.list()
			for i := 0; i < n && r.err == nil; i++ {
				r.skip(of, false)
			}
		})
	case thriftMap:
		r.nested(func() {
			n := r.uvarint()
			if n == 0 {
				return
			}
			types := r.byte()
			for i := uint64(0); i < n && r.err == nil; i++ {
				r.skip(types>>4, false)
				r.skip(types&15, false)
			}
		})
	case thriftStruct:
		r.structure(func(int16, byte) bool { return false })
	default:
		r.fail(errThrift)
	}
}

func (r *thriftReader) nested(read func()) {
	if r.depth++; r.depth > maxThriftDepth {
		r.fail(errThrift)
		return
	}
	read()
	r.depth--
}

func (r *thriftReader) fixed(n int) {
	if len(r.b)-r.pos < n {
		r.fail(errShort)
		return
	}
	r.pos += n
}

// thriftWriter appends the compact protocol. Fields of a structure are written in the order of
// their numbers.
type thriftWriter struct {
	b    []byte
	last []int16 // the number of the last field, of each open structure
}

// open begins a structure: one that stands alone or is a list's element.
func (w *thriftWriter) open() { w.last = append(w.last, 0) }

// close ends the structure.
func (w *thriftWriter) close() {
	w.b = append(w.b, thriftStop)
	w.last = w.last[:len(w.last)-1]
}

func (w *thriftWriter) field(id int16, typ byte) {
	top := &w.last[len(w.last)-1]
	if delta := id - *top; delta > 0 && delta < 16 {
		w.b = append(w.b, byte(delta)<<4|typ)
	} else {
		w.b = binary.AppendVarint(append(w.b, typ), int64(id))
	}
	*top = id
}

func (w *thriftWriter) i32(id int16, v int32) {
	w.field(id, thriftI32)
	w.b = binary.AppendVarint(w.b, int64(v))
}

func (w *thriftWriter) i64(id int16, v int64) {
	w.field(id, thriftI64)
	w.b = binary.AppendVarint(w.b, v)
}

func (w *thriftWriter) i8(id int16, v int8) {
	w.field(id, thriftByte)
	w.b = append(w.b, byte(v))
}

func (w *thriftWriter) bool(id int16, v bool) {
	typ := byte(thriftFalse)
	if v {
		typ = thriftTrue
	}
	w.field(id, typ)
}

func (w *thriftWriter) bytes(id int16, v []byte) {
	w.field(id, thriftBinary)
	w.b = append(binary.AppendUvarint(w.b, uint64(len(v))), v...)
}

func (w *thriftWriter) string(id int16, v string) {
	w.field(id, thriftBinary)
	w.b = append(binary.AppendUvarint(w.b, uint64(len(v))), v...)
}

// structure writes a field that is a structure.
func (w *thriftWriter) structure(id int16, fields func()) {
	w.field(id, thriftStruct)
	w.open()
	fields()
	w.close()
}

// list writes the head of a field that is a list of n elements.
func (w *thriftWriter) list(id int16, n int, of byte) {
	w.field(id, thriftList)
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|of)
		return
	}
	w.b = binary.AppendUvarint(append(w.b, 0xf0|of), uint64(n))
}

// item writes an element of a list of strings.
func (w *thriftWriter) item(v string) {
	w.b = append(binary.AppendUvarint(w.b, uint64(len(v))), v...)
}

func (w *thriftWriter) i16(id int16, v int16) {
	w.field(id, thriftI16)
	w.b = binary.AppendVarint(w.b, int64(v))
}
