package ndjson

import (
	"bytes"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// Field is the value of one column in a record that was taken apart.
type Field struct {
	Null bool
	Text []byte // as the column's type reads it
	At   int    // of the value in the record
}

// Kind is what a record is.
type Kind uint8

// The kinds of records.
const (
	Line  Kind = iota
	First      // the first element of an array
	Later      // another element
)

// lead returns what an element begins with.
func (k Kind) lead() byte {
	if k == First {
		return '['
	}
	return ','
}

// Explain takes one record apart, slowly. It returns its values in the order of cols, or
// what is wrong with its bytes or its structure and where. A record is a line with or
// without its end; of an array an element with what leads to it, or what stands there instead.
func Explain(record []byte, kind Kind, cols []Column) (fields []Field, at int, e *pgerr.Error) {
	element := kind != Line && bytes.HasPrefix(bytes.TrimLeft(record, " \t\r\n"), []byte{kind.lead()})
	if pos, seq := pgtext.InvalidSequence(record); pos >= 0 && (kind == Line || element) {
		return nil, pos, pgerr.New(pgerr.CharacterNotInRepertoire, "%s", pgtext.EncodingMessage(seq))
	}
	d := NewDecoder(cols, nil)
	d.Begin(kind != Line)
	d.begun = kind == Later
	// A control byte that is no blank ends an element whose end is not there.
	behind := byte(0)
	body := record
	if kind == Line {
		behind, body = '\n', bytes.TrimSuffix(record, []byte{'\n'})
	}
	b := append(append(make([]byte, 0, len(body)+1), body...), behind)
	d.set(b)
	p := d.start(0)
	if p < 0 {
		p = len(b) - 1
	}
	row := d.addRow()
	if d.record(row, p) < 0 {
		at, e = d.why(b, p)
		return nil, at, e
	}
	d.ends = append(d.ends, len(b))
	d.room(1)
	fields = make([]Field, len(cols))
	for i := range fields {
		f := row[2*i:]
		if fields[i].Null = f[1] == 0; fields[i].Null {
			continue
		}
		text, str := d.text(i, 0)
		fields[i].At = int(f[0])
		if !str {
			fields[i].At++
			if cols[i].Type.Array && text[0] == '[' {
				text = appendArray(nil, text, cols[i].Type.Kind == columnar.JSON)
			}
		}
		fields[i].Text = text
	}
	return fields, 0, nil
}

// Alone is what is wrong with an element that nothing follows.
func Alone() *pgerr.Error {
	return pgerr.New(pgerr.BadCopyFileFormat, "record is not valid JSON").WithDetail("The array does not end.")
}

// why says what the fault of the record at p is, and where.
func (w *walker) why(b []byte, p int) (at int, e *pgerr.Error) {
	at = w.faultAt
	switch w.fault {
	case faultDepth:
		return at, pgerr.New(pgerr.StatementTooComplex, "record is nested too deeply").
			WithDetail("At most %d levels can be read.", MaxDepth)
	case faultSurrogate:
		return at, pgerr.New(pgerr.UntranslatableCharacter, "unsupported Unicode escape sequence").
			WithDetail("Half of a surrogate pair stands alone.")
	case faultZero:
		return at, pgerr.New(pgerr.UntranslatableCharacter, "unsupported Unicode escape sequence").
			WithDetail("\\u0000 cannot be converted to text.")
	case faultObject:
		return at, pgerr.New(pgerr.BadCopyFileFormat, "record is not a JSON object")
	}
	e = pgerr.New(pgerr.BadCopyFileFormat, "record is not valid JSON")
	if w.fault == faultLead {
		if b[p] == ']' || p == len(b)-1 {
			return at, e.WithDetail("The array ends before it, or not at all.")
		}
		return at, e.WithDetail("Expected \",\" or \"]\" behind an element of the array.")
	}
	text := b[:len(b)-1] // without the byte that was put behind it
	if w.array {
		if p = skipSpace(text, p+1); p == len(text) {
			return p, e.WithDetail("Expected an object.")
		}
	}
	if pos, valid := pgtext.ValidJSON(text[p:]); !valid {
		at = p + pos
		_, _, e.Detail, _ = pgtext.Describe(pgtext.Syntax, "json", text[p:])
	}
	return at, e
}
