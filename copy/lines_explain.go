package copy

import (
	"bytes"
	"iter"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// explainer says why a record of lines fails. It reads it byte by byte and in the order of
// the error rule: its bytes and its structure, then its fields from left to right.
type explainer struct {
	ln *lines
	d  *dialect
	r  *Record
}

// at gives e the record's position; n bytes of record were passed.
func (x *explainer) at(e *Error, record []byte, n int) *Error {
	e.Line = x.r.Line + countLines(x.d, record[:n])
	return e
}

// record returns why the record fails, or nil if nothing is wrong with its bytes and values.
// It includes its end if it has one.
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
			e.ByteOffset, e.HasOffset = x.r.Offset+int64(i), true
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
		marker := string(raw) == x.ln.null || i < len(x.ln.fields) && x.ln.bare(&x.ln.fields[i], raw) != fieldText
		if len(raw) > columnar.MaxValueBytes {
			return nil // it is too long, which is for fieldsOf to say
		}
		if text, valid := unescape(nil, raw); !valid && !marker {
			_, seq := pgtext.InvalidSequence(text)
			e := pgerr.New(pgerr.CharacterNotInRepertoire, "%s", pgtext.EncodingMessage(seq))
			e.ByteOffset, e.HasOffset = x.r.Offset+int64(at), true
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

// fieldsOf finds what is wrong with the fields.
func (x *explainer) fieldsOf(record, body []byte) *Error {
	fields := x.ln.fields
	raw := x.d.splitFields(body, max(len(fields), 1)+1)
	if len(raw) > max(len(fields), 1) || len(fields) == 0 && len(body) > 0 {
		return x.at(pgerr.New(pgerr.BadCopyFileFormat, "extra data after last expected column"), record, len(body))
	}
	missing := func() *Error {
		return x.at(pgerr.New(pgerr.BadCopyFileFormat, "missing data for column \"%s\"", fields[len(raw)].Name), record, len(body))
	}
	if len(raw) < len(fields) && x.ln.binding.OnError == ErrorIgnore {
		return missing() // whatever its values are: structure is never forgiven
	}
	start := 0
	for i := range fields {
		f := &fields[i]
		if i == len(raw) { // after what is there was read, as PostgreSQL does
			return missing()
		}
		text, kind := raw[i], x.ln.bare(f, raw[i])
		if kind == fieldText && len(raw[i]) <= columnar.MaxValueBytes && bytes.IndexByte(raw[i], x.d.quote) >= 0 {
			var closed bool
			text, closed = x.d.unquote(nil, raw[i])
			kind = x.ln.unquoted(f, text, closed)
		}
		if e := x.value(f, kind, text); e != nil {
			x.at(e, record, len(body))
			if e.SQLState != pgerr.BadCopyFileFormat {
				e.Column = f.Name
				e.WithValue(shown(text))
			}
			e.ByteOffset, e.HasOffset = x.r.Offset+int64(start), true
			if x.ln.binding.OnError != ErrorSetNull || e.SQLState == pgerr.BadCopyFileFormat || e.SQLState == pgerr.ProgramLimitExceeded {
				return e
			}
			if x.r.Forgiven != nil {
				x.r.Forgiven(e)
			}
		}
		start += len(raw[i]) + 1
	}
	return nil
}

// value converts one field and says what is wrong with it.
func (x *explainer) value(f *lineField, kind fieldKind, text []byte) *Error {
	switch {
	case kind == fieldNull, kind == fieldDefault && f.HasDefault:
		return nil
	case kind == fieldDefault:
		return pgerr.New(pgerr.BadCopyFileFormat, "unexpected default marker in COPY data").
			WithDetail("Column \"%s\" has no default value.", f.Name)
	case kind == fieldOpen:
		return pgerr.New(pgerr.BadCopyFileFormat, "unterminated CSV quoted field")
	}
	return valueError(f.Type, text, x.ln.location)
}
