package copy

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// tupleReader reads one tuple again, a field at a time, to say why it fails.
type tupleReader struct {
	sh    *shape
	src   io.ReaderAt
	off   int64 // of what is read next
	end   int64 // of the input
	place place // of the tuple; line is its number
}

// fail gives e its place. Of a binary tuple no data is shown.
func (t *tupleReader) fail(e *Error, column string) *Error {
	e.At(t.sh.schema.Name, t.place.file, t.place.line, column)
	if !e.HasOffset {
		e.ByteOffset, e.HasOffset = t.place.offset, true
	}
	return e
}

func (t *tupleReader) failf(column, format string, args ...any) *Error {
	return t.fail(pgerr.New(pgerr.BadCopyFileFormat, format, args...), column)
}

// bytes reads the next n bytes, if they are there.
func (t *tupleReader) bytes(n int64) ([]byte, error) {
	if t.end-t.off < n {
		return nil, nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(t.src, t.off, n), b); err != nil && n > 0 {
		return nil, err
	}
	t.off += n
	return b, nil
}

// explain returns why the tuple fails: the number of its fields, then its fields from left
// to right, their lengths before their values, then NOT NULL; check is what a CHECK said.
// nil and nil means that nothing is wrong with it.
func (t *tupleReader) explain(check error) (*Error, error) {
	b, err := t.bytes(2)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return t.failf("", "unexpected EOF in COPY data"), nil
	}
	switch count := int16(binary.BigEndian.Uint16(b)); {
	case count == -1:
		return t.failf("", "received copy data after EOF marker"), nil
	case int(count) != len(t.sh.fields):
		return t.failf("", "row field count is %d, expected %d", count, len(t.sh.fields)), nil
	}
	row := make([]string, len(t.sh.schema.Columns))
	null := make([]bool, len(row))
	for i := range t.sh.fields {
		f := &t.sh.fields[i]
		text, isNull, e, err := t.field(f)
		if e != nil || err != nil {
			return e, err
		}
		row[f.pos], null[f.pos] = text, isNull
	}
	t.sh.fillRow(row, null)
	if name, detail := t.sh.firstNull(row, null); name != "" {
		e := pgerr.New(pgerr.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", name, t.sh.schema.Name)
		e.Detail, e.NullInput = detail, true
		return t.fail(e, name), nil
	}
	if check != nil {
		e := *pgerr.From(check)
		return t.fail(&e, ""), nil
	}
	if t.off-t.place.offset > maxRecordBytes {
		return t.fail(pgerr.New(pgerr.ProgramLimitExceeded, "a record is longer than %d bytes", int64(maxRecordBytes)), ""), nil
	}
	return nil, nil
}

// field reads the next field and returns its text.
func (t *tupleReader) field(f *field) (text string, null bool, e *Error, err error) {
	b, err := t.bytes(4)
	if err != nil {
		return "", false, nil, err
	}
	if b == nil {
		return "", false, t.failf(f.name, "unexpected EOF in COPY data"), nil
	}
	length := int32(binary.BigEndian.Uint32(b))
	switch {
	case length == -1:
		return "null", true, nil, nil
	case length < -1:
		return "", false, t.failf(f.name, "invalid field size"), nil
	}
	at := t.off
	if b, err = t.bytes(int64(length)); err != nil {
		return "", false, nil, err
	}
	if b == nil {
		return "", false, t.failf(f.name, "unexpected EOF in COPY data"), nil
	}
	var dst []byte
	if dst, e = appendBinaryText(nil, f.typ, b, t.sh.location); e == nil && len(b) > columnar.MaxValueBytes {
		e = errTooLong(len(b))
	}
	if e != nil {
		e.ByteOffset, e.HasOffset = at, true
		return "", false, t.fail(e, f.name), nil
	}
	return string(dst), false, nil, nil
}

// fillRow adds the columns that the input does not fill.
func (sh *shape) fillRow(row []string, null []bool) {
	for i := range sh.consts {
		k := &sh.consts[i]
		if null[k.pos] = k.value.Null; k.value.Null {
			row[k.pos] = "null"
		} else {
			row[k.pos] = string(k.value.AppendText(nil, sh.location))
		}
	}
}

// firstNull returns the first column that must not be null and is, with the detail of the
// error, or "".
func (sh *shape) firstNull(row []string, null []bool) (name, detail string) {
	for i := range sh.schema.Columns {
		if c := &sh.schema.Columns[i]; c.NotNull && null[i] {
			return c.Name, "Failing row contains (" + strings.Join(row, ", ") + ")."
		}
	}
	return "", ""
}

// explainTuple is explain for the binary format.
func (l *loader) explainTuple(src io.ReaderAt, in *input, row, offset int64, check error) error {
	t := tupleReader{sh: l.sh, src: src, off: offset, end: in.end, place: place{file: in.name, line: row - in.firstRow + 1, offset: offset}}
	e, err := t.explain(check)
	switch {
	case err != nil:
		return readError(err, in.name)
	case e != nil:
		return e
	}
	return errInternal("tuple %d of \"%s\" at byte %d failed and nothing is wrong with it", t.place.line, in.name, offset)
}

// explainTuple is explain for the binary format.
func (p *parcel) explainTuple(sh *shape, name string, offset, row int64, check error) error {
	b := bytes.NewReader(p.b)
	t := tupleReader{sh: sh, src: b, off: offset, end: b.Size(), place: place{file: name, line: row + 1, offset: offset}}
	e, err := t.explain(check)
	switch {
	case err != nil:
		return err
	case e != nil:
		e.ByteOffset += p.offset
		return e
	}
	return errInternal("tuple %d of \"%s\" failed and nothing is wrong with it", t.place.line, name)
}
