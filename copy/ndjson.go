package copy

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy/internal/ndjson"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// NDJSON returns the format of JSON objects, one on each line. A file that is one array of
// objects is read too, and written with FORCE_ARRAY.
func NDJSON() Format {
	return Format{
		Text: true, Named: true,
		Suffixes: []string{".ndjson", ".jsonl", ".json"},
		Magic:    []string{`{"`, `[{"`},
		ReadRecords: func(o *Options) (RecordReader, error) {
			_, err := forceArray(o)
			return ndjsonReader{}, err
		},
		WriteRecords: func(o *Options) (RecordWriter, error) {
			array, err := forceArray(o)
			return ndjsonWriter{array}, err
		},
	}
}

// jsonAlias returns the format under its other name, which is no better guess for a file.
func jsonAlias() Format {
	f := NDJSON()
	f.Suffixes, f.Magic = nil, nil
	return f
}

// forceArray reads the one option of the format.
func forceArray(o *Options) (array bool, err error) {
	for i := range o.List {
		opt := &o.List[i]
		switch {
		case !strings.EqualFold(opt.Name, "force_array"):
			return false, opt.Unrecognized()
		case o.From:
			return false, pgerr.New(pgerr.FeatureNotSupported, "COPY FORCE_ARRAY cannot be used with COPY FROM")
		}
		if array, err = opt.Bool(); err != nil {
			return false, err
		}
	}
	return array, nil
}

// ndjsonColumns returns the columns as package ndjson knows them.
func ndjsonColumns(b *Binding) []ndjson.Column {
	cols := make([]ndjson.Column, len(b.Columns))
	for i := range cols {
		cols[i] = ndjson.Column{Name: b.Columns[i].Name, Type: b.Columns[i].Type}
	}
	return cols
}

type ndjsonReader struct{}

func (ndjsonReader) Bind(b *Binding) (Records, error) {
	return &ndjsonRecords{b: b, cols: ndjsonColumns(b)}, nil
}

// ndjsonRecords is the records of one COPY.
type ndjsonRecords struct {
	b    *Binding
	cols []ndjson.Column
}

// ndjsonStart returns where the first record begins in the beginning of an input, and whether
// the input is an array. enough is false if it takes more to know.
func ndjsonStart(head []byte, whole bool) (start int, array, enough bool) {
	text := bytes.TrimPrefix(head, byteOrderMark)
	start = len(head) - len(text)
	first, enough := ndjson.ArrayStart(text, whole)
	if array = first >= 0; array {
		start += first
	}
	return start, array, enough
}

// Expansion guesses as that of lines does: numbers, and arrays of objects, may grow.
func (r *ndjsonRecords) Expansion(_, bytes int64) int64 {
	if growing(r.b) {
		return bytes
	}
	return 0
}

// Head passes a byte order mark and tells lines from an array.
func (r *ndjsonRecords) Head(h *Head) (l Layout, err error) {
	if !h.Whole && len(h.Bytes) < len(byteOrderMark) {
		return l, ErrShort
	}
	start, array, enough := ndjsonStart(h.Bytes, h.Whole)
	switch {
	case !enough:
		return l, ErrShort
	case array:
		l.Walk = ndjsonArray{r, int64(start)}
	default:
		l.Scan = ndjsonLines{r}
	}
	l.Start, l.Lines = int64(start), int64(bytes.Count(h.Bytes[:start], []byte{'\n'}))
	return l, nil
}

func (r *ndjsonRecords) Decoder() Decoder {
	return ndjsonDecoder{ndjson.NewDecoder(r.cols, r.b.Location)}
}

// explain says what is wrong with a record; alone is that it is an element with nothing
// behind it.
func (r *ndjsonRecords) explain(rec *Record, text []byte, kind ndjson.Kind, alone bool) *Error {
	body := bytes.Trim(text, " \t\r\n")
	place := func(e *Error, at int) *Error {
		return rec.Error(e, int64(bytes.Count(text[:at], []byte{'\n'})), at)
	}
	fields, at, e := ndjson.Explain(text, kind, r.cols)
	if e == nil && alone {
		at, e = len(text), ndjson.Alone()
	}
	if e != nil {
		return place(e, at).WithValue(shown(body))
	}
	for i, f := range fields {
		if f.Null {
			continue
		}
		e := r.b.ValueError(i, f.Text)
		if e == nil {
			continue
		}
		place(e, f.At)
		if r.b.OnError != ErrorSetNull || e.SQLState == pgerr.ProgramLimitExceeded {
			return e
		}
		if rec.Forgiven != nil {
			rec.Forgiven(e)
		}
	}
	return nil
}

// ndjsonLines is records on lines. In state 0 a line has nothing on it so far but blanks,
// in state 1 it has.
type ndjsonLines struct{ *ndjsonRecords }

func (r ndjsonLines) Count(b []byte, _ int64) (t Tally) {
	n := ndjson.Count(b)
	t.Lines = n.Lines
	for s := range State(2) {
		ends, after := n.Records(s == 1)
		t.Ends[s] = ends
		if t.Open[s] = after; after {
			t.Next[s] = 1
		}
	}
	return t
}

func (r ndjsonLines) After(b []byte, _ int64, s State, k int64) int {
	return ndjson.After(b, s == 1, k)
}

func (r ndjsonLines) Padding(src *io.SectionReader) (bool, error) { return ndjson.Ends(src, false) }

func (r ndjsonLines) Explain(rec *Record) *Error {
	return r.explain(rec, rec.Bytes, ndjson.Line, false)
}

// ndjsonArray is records that are the elements of an array.
type ndjsonArray struct {
	*ndjsonRecords
	start int64 // of the first
}

func elementKind(first bool) ndjson.Kind {
	if first {
		return ndjson.First
	}
	return ndjson.Later
}

func (r ndjsonArray) Walk(b []byte, last bool, until int, most int64) (n int, rows int64, next Step) {
	n, rows, step := ndjson.Elements(b, last, until, most)
	return n, rows, arrayStep(step)
}

func (r ndjsonArray) Skip(src io.ReaderAt, off, end int64) (n int64, next Step, err error) {
	n, step, err := ndjson.SkipElement(src, off, end)
	return n, arrayStep(step), err
}

func (r ndjsonArray) Explain(src *io.SectionReader, rec *Record) (*Error, error) {
	text, alone, err := ndjson.ReadElement(src)
	if err != nil {
		return nil, err
	}
	return r.explain(rec, text, elementKind(rec.Offset == r.start), alone), nil
}

func (r ndjsonArray) Padding(src *io.SectionReader) (bool, error) { return ndjson.Ends(src, true) }

func arrayStep(s ndjson.Step) Step {
	return [...]Step{ndjson.Enough: StepEnough, ndjson.Short: StepShort, ndjson.End: StepEnd, ndjson.Bad: StepBad}[s]
}

type ndjsonDecoder struct{ *ndjson.Decoder }

func (d ndjsonDecoder) Begin(l *Layout) { d.Decoder.Begin(l.Walk != nil) }

func (d ndjsonDecoder) Decode(r *Rows, n int) (done int, ok bool) { return d.Decoder.Decode(r, n) }

func (d ndjsonDecoder) Close() {}

type ndjsonWriter struct{ array bool }

func (w ndjsonWriter) Bind(b *Binding) (*Encoding, error) {
	cols := ndjsonColumns(b)
	e := &Encoding{}
	before := ""
	if w.array {
		before = ","
		e.Head, e.Tail, e.Between = []byte("[\n"), []byte("]\n"), len(before)
	}
	e.Encoder = func() Encoder { return ndjsonEncoder{ndjson.NewEncoder(cols, before, b.Location)} }
	return e, nil
}

type ndjsonEncoder struct{ e *ndjson.Encoder }

func (e ndjsonEncoder) Append(dst []byte, b Batch) ([]byte, error) {
	return e.e.Append(dst, b.Rows, b.Cols), nil
}

// Infer proposes a column for every key, in the order in which they are first seen. Its
// type is that of its values: boolean, bigint, numeric (integers beyond 64 bits, or more
// digits than a double keeps) or double precision for numbers, date, timestamp, timestamptz
// or uuid for strings of that form, json if one is an array or an object; else text. null
// fits every type; a column of nothing else is text.
func (ndjsonReader) Infer(ctx context.Context, samples []Sample) (*Proposal, error) {
	x := ndjsonInferrer{known: map[string]int{}}
	p := &Proposal{}
	for i := range samples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := &samples[i]
		start, array, enough := ndjsonStart(s.Bytes, s.Whole)
		if !enough {
			continue
		}
		text := slices.Clip(s.Bytes[start:])
		n, end := ndjson.Members(text, array, s.Whole, x.member)
		p.Rows += int64(n)
		if len(x.columns) > 0 || !s.Whole {
			continue
		}
		// There is nothing, or something that is wrong.
		record, first := ndjson.FirstRecord(text[end:], array)
		if len(record) == 0 {
			continue
		}
		kind := ndjson.Line
		if array {
			kind = elementKind(end == 0)
		}
		if _, at, e := ndjson.Explain(record, kind, nil); e != nil {
			first += start + end
			rec := Record{File: s.Name, Line: 1 + int64(bytes.Count(s.Bytes[:first], []byte{'\n'})), Offset: int64(first)}
			return nil, rec.Error(e, int64(bytes.Count(record[:at], []byte{'\n'})), at).WithValue(shown(record))
		}
	}
	if len(x.columns) > columnar.MaxColumns {
		return nil, pgerr.New(pgerr.TooManyColumns, "the records have %d keys, tables can have at most %d columns", len(x.columns), columnar.MaxColumns)
	}
	for i := range x.columns {
		c := &x.columns[i]
		kind := c.fits.choice(c.some)
		if c.nested {
			kind = columnar.JSON
		}
		p.Columns = append(p.Columns, columnar.Column{Name: c.name, Type: columnar.Type{Kind: kind}})
	}
	return p, nil
}

// ndjsonInferrer is what was seen of each key.
type ndjsonInferrer struct {
	known   map[string]int // index in columns
	columns []ndjsonKey
}

type ndjsonKey struct {
	name   string
	fits   candidates
	some   bool // a value was seen
	nested bool // an array or an object was seen
}

// member narrows the candidates of a key by one value.
func (x *ndjsonInferrer) member(key, value []byte) {
	i, ok := x.known[string(key)]
	if !ok {
		if len(key) == 0 || bytes.IndexByte(key, 0) >= 0 || len(x.columns) > columnar.MaxColumns {
			return // no column can be called so, or there are too many
		}
		i = len(x.columns)
		x.known[string(key)] = i
		x.columns = append(x.columns, ndjsonKey{name: string(key), fits: isAnything})
	}
	c := &x.columns[i]
	among := c.fits
	switch value[0] {
	case 'n':
		return
	case '{', '[':
		c.nested = true
		c.fits = 0
	case 't', 'f':
		c.fits &= isBool
	case '"':
		c.fits = stringFits(value[1:len(value)-1], among)
	default:
		c.fits &= numberFits(value)
	}
	c.some = true
}

// stringFits returns which of the types in among a string fits in its plainest form: none
// that JSON has numbers or names for.
func stringFits(v []byte, among candidates) candidates {
	switch string(v) {
	case "NaN", "Infinity", "-Infinity":
		return among & (isFloat | isNumeric) // which is how they are written
	}
	return fitsOf(v, among&(isDate|isTimestamp|isTimestampTZ|isUUID))
}
