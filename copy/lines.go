package copy

import (
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// Text returns the format of lines with a delimiter and backslashes: PostgreSQL's text.
// It is registered as "text".
func Text() Format { return lineFormat(textKind, ".tsv", ".tbl") }

// CSV returns the format of lines with a delimiter and quotes. It is registered as "csv".
func CSV() Format { return lineFormat(csvKind, ".csv") }

func lineFormat(kind lineKind, suffixes ...string) Format {
	return Format{
		Text: true, Suffixes: suffixes,
		ReadRecords: func(o *Options) (RecordReader, error) { return newLineReader(kind, o) },
		WriteRecords: func(o *Options) (RecordWriter, error) {
			r, d, err := readLineOptions(kind, o)
			if err != nil {
				return nil, err
			}
			return &lineWriter{structure: d, text: kind == textKind, header: r.header != nil && r.header.Records > 0, forceQuote: r.forceQuote}, nil
		},
	}
}

// lineReader is the reading side of text or csv, with its options.
type lineReader struct {
	structure
	text         bool
	header       Header
	headerGiven  bool
	forceNotNull columnSet
	forceNull    columnSet
	dflt         string
	hasDefault   bool
}

func newLineReader(kind lineKind, o *Options) (*lineReader, error) {
	r, d, err := readLineOptions(kind, o)
	if err != nil {
		return nil, err
	}
	l := &lineReader{structure: d, text: kind == textKind, forceNotNull: r.forceNotNil, forceNull: r.forceNull}
	if r.header != nil {
		l.header, l.headerGiven = *r.header, true
	}
	if r.dflt != nil {
		l.dflt, l.hasDefault = *r.dflt, true
	}
	return l, nil
}

// dialect returns the dialect of the lines, without a line style.
func (o *lineReader) dialect() dialect {
	return dialect{delim: o.delimiter, quote: o.quote, escape: o.escape, text: o.text}
}

// lines are the lines of one COPY FROM. Immutable.
type lines struct {
	binding  *Binding
	fields   []lineField
	proto    dialect // without a line style
	header   Header
	null     string
	marker   string // of DEFAULT
	hasMark  bool
	checked  bool // some field takes any bytes, so encoding is checked
	location *time.Location
}

// lineField is one field of the lines.
type lineField struct {
	Column
	emptyNull bool // an empty field without quotes is NULL
	keepNull  bool // FORCE_NOT_NULL
	forceNull bool // FORCE_NULL
	careful   bool // a marker looks like a value: every field goes the slow way
}

// Bind resolves the options against the columns.
func (o *lineReader) Bind(b *Binding) (Records, error) {
	ln := &lines{
		binding: b, fields: make([]lineField, len(b.Columns)), proto: o.dialect(), header: o.header, null: o.null,
		marker: o.dflt, hasMark: o.hasDefault, location: b.Location,
	}
	// Bytes that are no text are no value that a type does not take: they end the COPY.
	ln.checked = b.OnError != ErrorStop
	for i := range b.Columns {
		f := &ln.fields[i]
		f.Column, f.emptyNull = b.Columns[i], o.null == ""
		f.careful = !f.Type.Variable() && (!inert(o.quote) ||
			o.null != "" && accepts(f.Type, o.null, b.Location) || o.hasDefault && accepts(f.Type, o.dflt, b.Location))
		switch k := f.Type.Kind; {
		case f.Type.Array, k == columnar.Text, k == columnar.Varchar, k == columnar.Bytea, k == columnar.JSON:
			ln.checked = true
		}
	}
	for _, force := range []struct {
		set   columnSet
		name  string
		apply func(f *lineField)
	}{
		{o.forceNotNull, "FORCE_NOT_NULL", func(f *lineField) { f.keepNull, f.emptyNull = true, false }},
		{o.forceNull, "FORCE_NULL", func(f *lineField) { f.forceNull = true }},
	} {
		chosen, err := force.set.resolve(b, force.name)
		if err != nil {
			return nil, err
		}
		for _, i := range chosen {
			force.apply(&ln.fields[i])
		}
	}
	return ln, nil
}

// inert reports whether no value of a fixed-width type can hold c, so that a field which
// a parser takes as it stands has no quote in it.
func inert(c byte) bool { return strings.IndexByte("\"'|~`\\^$", c) >= 0 }

// Expansion allows for the defaults that a marker stands for, and guesses that numbers are
// not longer than their text by more than that.
func (ln *lines) Expansion(rows, bytes int64) (n int64) {
	for i := range ln.fields {
		if f := &ln.fields[i]; ln.hasMark && f.Type.Variable() {
			n += rows * int64(len(f.Default.S))
		}
	}
	if growing(ln.binding) {
		n += bytes
	}
	return n
}

// growing reports whether a value of a column may take more bytes than its text.
func growing(b *Binding) bool {
	for i := range b.Columns {
		if t := b.Columns[i].Type; t.Kind == columnar.Numeric || t.Array {
			return true
		}
	}
	return false
}

// lineScan finds the ends of the lines of one input.
type lineScan struct {
	d  dialect
	ln *lines
}

// Count returns the tally of b.
func (s *lineScan) Count(b []byte, _ int64) Tally { return s.d.count(b) }

// After returns the position behind the k-th record end of b.
func (s *lineScan) After(b []byte, _ int64, state State, k int64) int {
	return s.d.afterEnd(b, state, k)
}

// Explain returns why a record fails.
func (s *lineScan) Explain(r *Record) *Error {
	x := explainer{ln: s.ln, d: &s.d, r: r}
	e := x.record(r.Bytes)
	if e != nil && e.Line == 1 && e.Column != "" && s.ln.header.Records == 0 && strings.EqualFold(e.Value, e.Column) {
		e.WithHint("If the first line holds names, say HEADER.")
	}
	return e
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// Head finds where the records of an input begin and how they end.
func (ln *lines) Head(h *Head) (Layout, error) { return ln.head(h, ln.header) }

func (ln *lines) head(h *Head, header Header) (Layout, error) {
	b := h.Bytes
	if !h.Whole && len(b) < len(byteOrderMark) {
		return Layout{}, ErrShort
	}
	s := &lineScan{d: ln.proto, ln: ln}
	s.d.setStyle(styleLF)
	pos := 0
	if !ln.proto.text && bytes.HasPrefix(b, byteOrderMark) {
		pos = len(byteOrderMark)
	}
	style := s.d.firstStyle(b[pos:], h.Whole)
	if style == styleNone && !h.Whole {
		return Layout{}, ErrShort
	}
	if style == styleNone && header.Match && pos == len(b) {
		return Layout{}, ln.matchHeader(&s.d, nil, 0)
	}
	s.d.setStyle(style)
	for range header.Records {
		if pos == len(b) {
			break
		}
		end := s.d.afterEnd(b[pos:], outside, 1)
		if end < 0 && !h.Whole {
			return Layout{}, ErrShort
		}
		if end < 0 {
			end = len(b) - pos
		}
		if ln.proto.text && s.d.isEnd(b[pos:]) {
			if header.Match {
				return Layout{}, ln.matchHeader(&s.d, nil, countLines(&s.d, b[:pos])+1)
			}
			break
		}
		x := explainer{ln: ln, d: &s.d, r: &Record{File: h.Name, Line: 1 + countLines(&s.d, b[:pos]), Offset: int64(pos)}}
		if e := x.bytes(b[pos : pos+end]); e != nil {
			return Layout{}, e
		}
		if header.Match {
			if err := ln.matchHeader(&s.d, x.body(b[pos:pos+end]), countLines(&s.d, b[:pos+end])); err != nil {
				return Layout{}, err
			}
		}
		pos += end
	}
	return Layout{Start: int64(pos), Lines: countLines(&s.d, b[:pos]), Scan: s}, nil
}

func countLines(d *dialect, b []byte) int64 { return int64(bytes.Count(b, []byte{d.eol})) }

// firstStyle returns how the first record of b ends: styleNone if it does not, or if
// b breaks off behind a CR and is not whole.
func (d *dialect) firstStyle(b []byte, whole bool) lineStyle {
	s := outside
	for i, c := range b {
		if s == outside {
			switch {
			case c == '\n':
				return styleLF
			case c == '\r' && i+1 < len(b) && b[i+1] == '\n':
				return styleCRLF
			case c == '\r' && (i+1 < len(b) || whole):
				return styleCR
			case c == '\r':
				return styleNone
			}
		}
		s = d.next(s, c)
	}
	return styleNone
}

// matchHeader compares the fields of a header record with the columns.
func (ln *lines) matchHeader(d *dialect, body []byte, lines int64) error {
	fail := func(format string, args ...any) error {
		e := pgerr.New(pgerr.BadCopyFileFormat, format, args...)
		e.Line = max(lines, 1)
		return e.WithValue(shown(body))
	}
	raw := d.splitFields(body, columnar.MaxColumns+1)
	if len(raw) != len(ln.fields) {
		return fail("wrong number of fields in header line: got %d, expected %d", len(raw), len(ln.fields))
	}
	for i, b := range raw {
		want := ln.fields[i].Name
		if string(b) == ln.null {
			return fail("column name mismatch in header line field %d: got null value (\"%s\"), expected \"%s\"", i+1, ln.null, want)
		}
		if name, _ := d.unquote(nil, b); string(name) != want {
			return fail("column name mismatch in header line field %d: got \"%s\", expected \"%s\"", i+1, name, want)
		}
	}
	return nil
}

// End looks for the end-of-copy marker between from and to, where what looks like one is.
func (s *lineScan) End(src io.ReaderAt, start, from, to, size int64, state State) (int64, error) {
	if state == escaped {
		from-- // at least the backslash is in the input
	}
	b := make([]byte, min(to+3, size)-from)
	if _, err := io.ReadFull(io.NewSectionReader(src, from, int64(len(b))), b); err != nil {
		return -1, err
	}
	at := firstMarker(b)
	if at < 0 || !s.d.isEnd(b[at:]) {
		return -1, nil
	}
	begins, err := s.d.beginsLine(src, start, from+int64(at))
	if err != nil || !begins {
		return -1, err
	}
	return from + int64(at), nil
}
