// Package fixedwidth is a format of COPY for lines whose fields have fixed widths, as
// mainframes and old accounting systems write them:
//
//	000001Ada Lovelace  1815-12-10
//	000002Alan Turing   1912-06-23
//
// It is an example of a format that is not part of ingot: a complete one, both ways, made of
// nothing but what package copy exports. Importing it makes it known:
//
//	import _ "github.com/ingotdb/ingot/examples/fixedwidth"
//
//	COPY people FROM 'people.dat' (FORMAT fixedwidth, WIDTHS '6,14,10')
//
// Widths are bytes; no field begins inside a character. Blanks around a value mean nothing, a
// field of blanks is NULL. Every line has the same length and ends with LF, which the last
// may lack. On the way out numbers stand on the right, everything else on the left; a value
// that is wider than its field is an error, as are line breaks in a value.
//
// What a format does not do here shows how little it need know: several goroutines, files,
// compression, WHERE, ON_ERROR and its notices, NOT NULL, CHECK, keys, and which of several
// errors is told are package copy's.
package fixedwidth

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ingotdb/ingot/copy"
)

// Name is what the format is registered as.
const Name = "fixedwidth"

func init() {
	if err := copy.Register(Name, Format()); err != nil {
		panic(err) // two packages of the program want the same name
	}
}

// Format returns the format, to be registered under any name.
func Format() copy.Format {
	return copy.Format{
		Text:     true,
		Suffixes: []string{".dat", ".fwf"},
		ReadRecords: func(o *copy.Options) (copy.RecordReader, error) {
			w, err := parse(o)
			return reader(w), err
		},
		WriteRecords: func(o *copy.Options) (copy.RecordWriter, error) {
			w, err := parse(o)
			return writer(w), err
		},
	}
}

// widths are the bytes of the fields.
type widths []int

// parse reads the options: WIDTHS, a list of numbers, which must be there.
func parse(o *copy.Options) (w widths, err error) {
	for i := range o.List {
		opt := &o.List[i]
		if !strings.EqualFold(opt.Name, "widths") {
			return nil, opt.Unrecognized()
		}
		text, err := opt.Text()
		if err != nil {
			return nil, err
		}
		for field := range strings.SplitSeq(text, ",") {
			n, err := strconv.ParseUint(strings.TrimSpace(field), 10, 16)
			if err != nil || n == 0 {
				return nil, failf("22023", "\"%s\" is not the width of a field", field)
			}
			w = append(w, int(n))
		}
	}
	if w == nil {
		return nil, failf("42601", "format %s requires the option WIDTHS", o.Format)
	}
	return w, nil
}

// line returns the bytes of a line without its end.
func (w widths) line() (n int) {
	for _, width := range w {
		n += width
	}
	return n
}

// check returns an error if there is not one width for each column.
func (w widths) check(b *copy.Binding) error {
	if len(w) != len(b.Columns) {
		return failf("22023", "WIDTHS has %d fields and the COPY has %d columns", len(w), len(b.Columns))
	}
	return nil
}

// reader is the reading side.
type reader widths

// Bind returns the lines of one COPY.
func (r reader) Bind(b *copy.Binding) (copy.Records, error) {
	w := widths(r)
	return &lines{binding: b, widths: w, length: w.line()}, w.check(b)
}

// lines are the lines of one COPY, and find where they end. Immutable.
type lines struct {
	binding *copy.Binding
	widths  widths
	length  int // of a line without its end
}

// Head returns the layout of an input, which has no head.
func (l *lines) Head(*copy.Head) (copy.Layout, error) { return copy.Layout{Scan: l}, nil }

// Count counts line ends. A format with quotes would have more states than one.
func (l *lines) Count(b []byte, _ int64) copy.Tally {
	t := copy.EmptyTally()
	t.Lines = int64(bytes.Count(b, newline))
	t.Ends[0] = t.Lines
	t.Open[0] = b[len(b)-1] != '\n'
	return t
}

var newline = []byte{'\n'}

// After returns the position behind the k-th line end.
func (l *lines) After(b []byte, _ int64, _ copy.State, k int64) int {
	at := 0
	for range k {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	return at
}

// Explain says what is wrong with a line: its length, its bytes, then its fields from left
// to right.
func (l *lines) Explain(r *copy.Record) *copy.Error {
	line := bytes.TrimSuffix(r.Bytes, newline)
	switch {
	case len(line) != l.length:
		return r.Error(failf("22P04", "line has %d bytes, expected %d", len(line), l.length), 0, 0).WithValue(string(line))
	case !text(line):
		return r.Error(failf("22021", "invalid byte sequence for encoding \"UTF8\""), 0, 0)
	}
	if i := l.cut(line); i >= 0 {
		e := r.Error(failf("22021", "field %d ends inside a character", i+1), 0, 0)
		e.Column = l.binding.Columns[i].Name
		return e
	}
	at := 0
	for i, width := range l.widths {
		value := line[at : at+width]
		trimmed := bytes.Trim(value, " ")
		if len(trimmed) > 0 {
			if e := l.binding.ValueError(i, trimmed); e != nil {
				e = r.Error(e, 0, at+bytes.Index(value, trimmed))
				if r.Forgiven == nil {
					return e
				}
				r.Forgiven(e)
			}
		}
		at += width
	}
	return nil
}

// text reports whether b can be text: UTF-8 without zero bytes.
func text(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

// cut returns the first field of a line, which is text, that ends inside a character, or -1.
func (l *lines) cut(line []byte) int {
	at := 0
	for i, width := range l.widths {
		if at += width; at < len(line) && !utf8.RuneStart(line[at]) {
			return i
		}
	}
	return -1
}

func failf(state, format string, args ...any) *copy.Error { return copy.Errorf(state, format, args...) }
