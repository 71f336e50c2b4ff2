package copy

import (
	"bytes"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// The pipeline only detects that a record fails. What is wrong with it is found here, by
// reading that one record again, byte by byte and in the order of the error rule: its
// bytes and its structure, its fields from left to right, NOT NULL, CHECK.

// recordAt returns the record that starts at off, with its end if it has one.
func recordAt(d *dialect, src io.ReaderAt, off, size int64) ([]byte, error) {
	for n := int64(blockBytes); ; n *= 4 {
		whole := off+n >= size
		if whole {
			n = size - off
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(io.NewSectionReader(src, off, n), b); err != nil {
			return nil, err
		}
		if end := d.afterEnd(b, outside, 1); end >= 0 {
			return b[:end], nil
		}
		if whole || n > maxRecordBytes {
			return b, nil
		}
	}
}

// place is where a record stands.
type place struct {
	file   string
	line   int64 // of the record's first byte
	offset int64 // of the record's first byte
}

// explainer says why a record fails.
type explainer struct {
	sh    *shape
	d     *dialect
	place place

	forgiven func(*Error) // called with each value that ON_ERROR set_null makes NULL; may be nil
}

// at gives e the record's position; n bytes of record were passed.
func (x *explainer) at(e *Error, record []byte, n int) *Error {
	lines := int64(bytes.Count(record[:n], []byte{x.d.eol}))
	return e.At(x.sh.schema.Name, x.place.file, x.place.line+lines, "")
}

// record returns why the record fails, or nil if nothing is wrong with it but what a
// CHECK says. It includes its end if it has one.
func (x *explainer) record(record []byte) *Error {
	if e := x.bytes(record); e != nil {
		return e
	}
	body := x.body(record)
	e := x.fieldsOf(record, body)
	if e != nil && !e.HasValue && !e.NullInput {
		e.WithValue(shown(body))
	}
	return e
}

// body returns the record without its end, and without a lone backslash at the end of a
// text file.
func (x *explainer) body(record []byte) []byte {
	n := len(record)
	if n > 0 && record[n-1] == x.d.eol && x.closed(record[:n-1]) {
		n--
		if x.d.crlf && n > 0 && record[n-1] == '\r' {
			n--
		}
	}
	if x.d.text && oddRun(record[:n]) {
		n--
	}
	return record[:n]
}

// closed reports whether b, which starts outside quotes, ends there.
func (x *explainer) closed(b []byte) bool {
	s := outside
	for _, c := range b {
		s = x.d.next(s, c)
	}
	return s == outside
}

// bytes finds what is wrong with the bytes of a record: encoding, line breaks, an open
// quote, a marker; the first of them by position. Of text, then, escapes that make no
// valid text.
func (x *explainer) bytes(record []byte) *Error {
	invalid, seq := pgtext.InvalidSequence(record)
	s := outside
	for i, c := range record {
		if i == invalid {
			e := pgerr.New(pgerr.CharacterNotInRepertoire, "%s", pgtext.EncodingMessage(seq))
			e.ByteOffset, e.HasOffset = x.place.offset+int64(i), true
			return x.at(e, record, i)
		}
		if s == outside && (c == '\n' || c == '\r') {
			if e := x.lineBreak(record, i); e != nil {
				return x.at(e, record, i)
			}
		}
		if x.d.text && s == escaped && c == '.' {
			return x.at(x.d.markerError(record, i-1), record, i)
		}
		s = x.d.next(s, c)
	}
	if x.d.text {
		return x.escapes(record)
	}
	if s != outside {
		return x.at(pgerr.New(pgerr.BadCopyFileFormat, "unterminated CSV quoted field"), record, len(record))
	}
	return nil
}

// escapes finds the first field of a record of the text format whose escapes make bytes
// that are no text.
func (x *explainer) escapes(record []byte) *Error {
	body := x.body(record)
	at := 0
	i := -1
	for raw := range x.d.fields(body) {
		i++
		marker := string(raw) == x.sh.null || i < len(x.sh.fields) && x.sh.bare(&x.sh.fields[i], raw) != fieldText
		if len(raw) > columnar.MaxValueBytes {
			return nil // it is too long, which is for fieldsOf to say
		}
		if text, valid := unescape(nil, raw); !valid && !marker {
			_, seq := pgtext.InvalidSequence(text)
			e := pgerr.New(pgerr.CharacterNotInRepertoire, "%s", pgtext.EncodingMessage(seq))
			e.ByteOffset, e.HasOffset = x.place.offset+int64(at), true
			return x.at(e, record, len(body)).WithValue(shown(body))
		}
		at += len(raw) + 1
	}
	return nil
}

// lineBreak judges the line break at record[i], which stands outside quotes.
func (x *explainer) lineBreak(record []byte, i int) *Error {
	last := i == len(record)-1
	switch c := record[i]; {
	case !x.d.crlf && c == x.d.eol, x.d.crlf && c == '\n' && i > 0 && record[i-1] == '\r' && !(x.d.text && oddRun(record[:i-1])):
		return nil
	case x.d.crlf && c == '\r' && !last && record[i+1] == '\n':
		return nil
	case x.d.text && c == '\r':
		return pgerr.New(pgerr.BadCopyFileFormat, "literal carriage return found in data").
			WithHint("Use \"\\r\" to represent carriage return.")
	case x.d.text:
		return pgerr.New(pgerr.BadCopyFileFormat, "literal newline found in data").
			WithHint("Use \"\\n\" to represent newline.")
	case c == '\r':
		return pgerr.New(pgerr.BadCopyFileFormat, "unquoted carriage return found in data").
			WithHint("Use quoted CSV field to represent carriage return.")
	}
	return pgerr.New(pgerr.BadCopyFileFormat, "unquoted newline found in data").
		WithHint("Use quoted CSV field to represent newline.")
}

// fields yields the fields of a record without its end, quotes and all.
func (d *dialect) fields(body []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		s, start := outside, 0
		for i, c := range body {
			if c == d.delim && s == outside {
				if !yield(body[start:i]) {
					return
				}
				start = i + 1
			}
			s = d.next(s, c)
		}
		yield(body[start:])
	}
}

// splitFields returns the first fields of a record, most of them at most.
func (d *dialect) splitFields(body []byte, most int) (fields [][]byte) {
	for raw := range d.fields(body) {
		if fields = append(fields, raw); len(fields) == most {
			break
		}
	}
	return fields
}

// shownBytes is how much of a record or a value an error keeps.
const shownBytes = 64 << 10

// shown returns what an error shows of b: all of it, or the first shownBytes without the
// part of a character.
func shown(b []byte) string {
	if len(b) > shownBytes {
		b = b[:shownBytes]
		for len(b) > 0 && !utf8.RuneStart(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
		b = b[:max(0, len(b)-1)]
	}
	return string(b)
}

// fieldsOf finds what is wrong with the fields.
func (x *explainer) fieldsOf(record, body []byte) *Error {
	fields := x.sh.fields
	raw := x.d.splitFields(body, max(len(fields), 1)+1)
	if len(raw) > max(len(fields), 1) || len(fields) == 0 && len(body) > 0 {
		return x.at(pgerr.New(pgerr.BadCopyFileFormat, "extra data after last expected column"), record, len(body))
	}
	missing := func() *Error {
		return x.at(pgerr.New(pgerr.BadCopyFileFormat, "missing data for column \"%s\"", fields[len(raw)].name), record, len(body))
	}
	if len(raw) < len(fields) && x.sh.onError == ErrorIgnore {
		return missing() // whatever its values are: structure is never forgiven
	}
	row := make([]string, len(x.sh.schema.Columns))
	null := make([]bool, len(row))
	start := 0
	for i := range fields {
		f := &fields[i]
		if i == len(raw) { // after what is there was read, as PostgreSQL does
			return missing()
		}
		text, kind := raw[i], x.sh.bare(f, raw[i])
		if kind == fieldText && len(raw[i]) <= columnar.MaxValueBytes && bytes.IndexByte(raw[i], x.d.quote) >= 0 {
			var closed bool
			text, closed = x.d.unquote(nil, raw[i])
			kind = x.sh.unquoted(f, text, closed)
		}
		if e := x.value(f, kind, text); e != nil {
			x.at(e, record, len(body))
			if e.SQLState != pgerr.BadCopyFileFormat {
				e.Column = f.name
				e.WithValue(shown(text))
			}
			e.ByteOffset, e.HasOffset = x.place.offset+int64(start), true
			if x.sh.onError != ErrorSetNull || e.SQLState == pgerr.BadCopyFileFormat || e.SQLState == pgerr.ProgramLimitExceeded {
				return e
			}
			if kind = fieldNull; x.forgiven != nil {
				x.forgiven(e)
			}
		}
		start += len(raw[i]) + 1
		row[f.pos] = shown(text)
		if kind == fieldNull || kind == fieldDefault && f.dflt.Null {
			row[f.pos], null[f.pos] = "null", true
		} else if kind == fieldDefault {
			row[f.pos] = string(f.dflt.AppendText(nil, x.sh.location))
		}
	}
	for i := range x.sh.consts {
		k := &x.sh.consts[i]
		if null[k.pos] = k.value.Null; k.value.Null {
			row[k.pos] = "null"
		} else {
			row[k.pos] = string(k.value.AppendText(nil, x.sh.location))
		}
	}
	return x.notNull(record, len(body), row, null)
}

// notNull finds the first column that must not be null and is.
func (x *explainer) notNull(record []byte, n int, row []string, null []bool) *Error {
	s := x.sh.schema
	for i := range s.Columns {
		if c := &s.Columns[i]; c.NotNull && null[i] {
			e := pgerr.New(pgerr.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", c.Name, s.Name).
				WithDetail("Failing row contains (%s).", strings.Join(row, ", "))
			x.at(e, record, n)
			e.Column, e.NullInput = c.Name, true
			return e
		}
	}
	return nil
}

// value converts one field and says what is wrong with it.
func (x *explainer) value(f *field, kind fieldKind, text []byte) *Error {
	switch {
	case kind == fieldNull, kind == fieldDefault && f.hasDefault:
		return nil
	case kind == fieldDefault:
		return pgerr.New(pgerr.BadCopyFileFormat, "unexpected default marker in COPY data").
			WithDetail("Column \"%s\" has no default value.", f.name)
	case kind == fieldOpen:
		return pgerr.New(pgerr.BadCopyFileFormat, "unterminated CSV quoted field")
	}
	tooLong := func() *Error {
		return pgerr.New(pgerr.ProgramLimitExceeded, "value too long: %d bytes, at most %d can be stored", len(text), columnar.MaxValueBytes)
	}
	if len(text) > columnar.MaxValueBytes {
		return tooLong()
	}
	buf := columnar.ColumnBuf{Type: f.typ, Fixed: make([]byte, f.typ.Width()), Bits: make([]uint64, 1), Offsets: make([]int32, 2)}
	p := parser{location: x.sh.location}
	st := p.store(&buf, 0, text)
	switch st {
	case ok:
		return nil
	case badSize:
		return tooLong()
	}
	return columnar.TextError(pgtext.Status(st), f.typ, text, x.sh.location)
}
