package copy

import (
	"encoding/binary"
	"io"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// tupleReader reads one tuple again, a field at a time, to say why it fails.
type tupleReader struct {
	binding *Binding
	src     *io.SectionReader
	off     int64 // of what is read next
	record  *Record
}

// failf returns the error for the structure of the tuple. Of a binary tuple no data is
// shown.
func (t *tupleReader) failf(column, format string, args ...any) *Error {
	e := pgerr.New(pgerr.BadCopyFileFormat, format, args...)
	e.Column = column
	return e
}

// bytes reads the next n bytes, if they are there.
func (t *tupleReader) bytes(n int64) ([]byte, error) {
	if t.src.Size()-t.off < n {
		return nil, nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(t.src, t.off, n), b); err != nil && n > 0 {
		return nil, err
	}
	t.off += n
	return b, nil
}

// Explain returns why a tuple fails: the number of its fields, then its fields from left to
// right, their lengths before their values.
func (t *tuples) Explain(src *io.SectionReader, record *Record) (*Error, error) {
	r := tupleReader{binding: t.binding, src: src, record: record}
	b, err := r.bytes(2)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return r.failf("", "unexpected EOF in COPY data"), nil
	}
	switch count := int16(binary.BigEndian.Uint16(b)); {
	case count == -1:
		return r.failf("", "received copy data after EOF marker"), nil
	case int(count) != t.fields:
		return r.failf("", "row field count is %d, expected %d", count, t.fields), nil
	}
	for i := range t.binding.Columns {
		if e, err := r.field(&t.binding.Columns[i]); e != nil || err != nil {
			return e, err
		}
	}
	return nil, nil
}

// field reads the next field.
func (t *tupleReader) field(f *Column) (e *Error, err error) {
	b, err := t.bytes(4)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return t.failf(f.Name, "unexpected EOF in COPY data"), nil
	}
	length := int32(binary.BigEndian.Uint32(b))
	switch {
	case length == -1:
		return nil, nil
	case length < -1:
		return t.failf(f.Name, "invalid field size"), nil
	}
	at := t.off
	if b, err = t.bytes(int64(length)); err != nil {
		return nil, err
	}
	if b == nil {
		return t.failf(f.Name, "unexpected EOF in COPY data"), nil
	}
	if _, e = appendBinaryText(nil, f.Type, b, t.binding.Location); e == nil && len(b) > columnar.MaxValueBytes {
		e = errTooLong(len(b))
	}
	if e != nil {
		e.Column = f.Name
		e.ByteOffset, e.HasOffset = t.record.Offset+at, true
	}
	return e, nil
}
