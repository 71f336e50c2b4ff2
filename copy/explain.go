package copy

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// The pipeline only detects that a record fails. What is wrong with it is found here, by
// reading that one record again, slowly and in the order of the error rule: what its format
// says about its bytes, its structure and its fields from left to right, then NOT NULL and
// CHECK, which are the same for every format.

// suspect is a record that fails. src has the bytes of its input, off and end are positions
// in it: of the record, and of the end of the input or of what is there of it.
type suspect struct {
	in       *input
	src      io.ReaderAt
	off, end int64
	row      int64 // of the COPY
	record   Record
	check    error // what a CHECK, or the WHERE, said about it
}

// reason returns why s fails.
func (l *loader) reason(s *suspect) error {
	e, err := l.format(s)
	if err == nil && e == nil {
		e, err = l.constraint(s)
	}
	switch {
	case err != nil && l.ctx.Err() != nil:
		return l.ctx.Err()
	case err != nil:
		return readError(err, s.in.name)
	case e != nil:
		return l.placed(e, &s.record)
	}
	return errInternal("row %d of \"%s\" at byte %d failed and nothing is wrong with it", s.row, s.in.name, s.record.Offset)
}

// format returns what the format says, and reads the record.
func (l *loader) format(s *suspect) (e *Error, err error) {
	if walk := s.in.layout.Walk; walk != nil {
		e, err = walk.Explain(io.NewSectionReader(s.src, s.off, s.end-s.off), &s.record)
		if e != nil || err != nil {
			return e, err
		}
		end, _, err := walk.Skip(s.src, s.off, s.end)
		if err != nil || end-s.off > maxRecordBytes {
			return l.tooLong(), err
		}
		s.record.Bytes = make([]byte, end-s.off)
		_, err = io.ReadFull(io.NewSectionReader(s.src, s.off, end-s.off), s.record.Bytes)
		return nil, err
	}
	if s.record.Bytes, err = recordAt(l.ctx, s.in.layout.Scan, s.src, s.off, s.end); err != nil {
		return nil, err
	}
	if e, err = l.patiently(&s.record, s.in.layout.Scan.Explain); err != nil {
		return nil, err
	}
	if e == nil && len(s.record.Bytes) > maxRecordBytes {
		e = l.tooLong()
	}
	return e, nil
}

func (l *loader) tooLong() *Error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "a record is longer than %d bytes", int64(maxRecordBytes))
}

// placed gives e what it does not say about where it is.
func (l *loader) placed(e *Error, r *Record) *Error {
	e.Table = l.sh.schema.Name
	if e.File == "" {
		e.File = r.File
	}
	if e.Line == 0 {
		e.Line = r.Line
	}
	if !l.sh.format.Text && !e.HasOffset {
		e.ByteOffset, e.HasOffset = r.Offset, true
	}
	return e
}

// recordAt returns the record that starts at off, with its end if it has one.
func recordAt(ctx context.Context, scan Scanner, src io.ReaderAt, off, size int64) ([]byte, error) {
	for n := int64(blockBytes); ; n *= 4 {
		whole := off+n >= size
		if whole {
			n = size - off
		}
		b := make([]byte, n, n+slackBytes)
		for at := int64(0); at < n; at += longBytes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			part := b[at:min(at+longBytes, n)]
			if _, err := io.ReadFull(io.NewSectionReader(src, off+at, int64(len(part))), part); err != nil {
				return nil, err
			}
		}
		if end := scan.After(b, 0, 0, 1); end >= 0 {
			return b[:end], nil
		}
		if whole || n > maxRecordBytes {
			return b, nil
		}
	}
}

// longBytes is how long a record may be for the end of the COPY's context to wait until it
// is explained.
const longBytes = 1 << 20

// patiently returns what explain says of a record, whose bytes are its own. A long record is
// explained by a goroutine of its own, which is left behind if the COPY is cancelled.
func (l *loader) patiently(r *Record, explain func(*Record) *Error) (e *Error, err error) {
	if len(r.Bytes) <= longBytes || l.ctx.Done() == nil {
		return explain(r), nil
	}
	type answer struct {
		e   *Error
		err error
	}
	said := make(chan answer, 1)
	own := *r
	go func() {
		var a answer
		a.err = guarded(l.opt.Format, func() error {
			a.e = explain(&own)
			return nil
		})
		said <- a
	}()
	select {
	case a := <-said:
		return a.e, a.err
	case <-l.ctx.Done():
		return nil, l.ctx.Err()
	}
}

// body returns a record of text without its end.
func body(record []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(record, []byte("\n")), []byte("\r"))
}

// constraint returns which constraint a record violates that its format takes.
func (l *loader) constraint(s *suspect) (*Error, error) {
	place := func(e *Error) *Error {
		e.At(l.sh.schema.Name, s.in.name, s.record.Line, "")
		if l.sh.format.Text {
			e.Line += s.in.lines(body(s.record.Bytes))
		}
		return e
	}
	if e := l.violation(l.decoded(s)); e != nil {
		column := e.Column
		place(e).Column = column
		return e, nil
	}
	if s.check == nil {
		return nil, nil
	}
	e := *pgerr.From(s.check)
	if place(&e); l.sh.format.Text {
		e.WithValue(shown(body(s.record.Bytes)))
	}
	return &e, nil
}

// decoded returns the row that a record becomes, constraints aside: one of every column, as
// the table has it. It is nil if the record cannot be decoded.
func (l *loader) decoded(s *suspect) []columnar.Value {
	cols := l.sh.schema.Columns
	out := &columnar.FragmentWriter{Rows: 1, Cols: make([]columnar.ColumnBuf, len(cols))}
	for i := range cols {
		out.Cols[i] = newColumnBuf(cols[i].Type, 1)
	}
	r := Rows{sh: l.sh, out: out, sieve: &sieve{onError: l.sh.onError, lack: make([][]uint64, len(cols))}}
	r.sieve.begin(1)
	dec := l.sh.records.Decoder()
	defer dec.Close()
	dec.Begin(&s.in.layout)
	if ready, _ := dec.Index(s.record.Bytes, true); ready == 0 {
		return nil
	}
	if n, _ := dec.Decode(&r, 1); n == 0 {
		return nil
	}
	for i := range l.sh.consts {
		k := &l.sh.consts[i]
		out.Cols[k.pos].SetValue(0, k.value)
	}
	row := make([]columnar.Value, len(cols))
	for i := range row {
		b := &out.Cols[i]
		v := columnar.MakeVec(b.Type, 1, b.Valid, b.Fixed, b.Bits, b.Offsets, b.Data, b.NaN)
		row[i] = v.Value(0)
	}
	return row
}

// violation returns the error for the first column of a row that must not be null and is.
func (l *loader) violation(row []columnar.Value) *Error {
	for i := range row {
		c := &l.sh.schema.Columns[i]
		if !c.NotNull || !row[i].Null {
			continue
		}
		text := make([]string, len(row))
		for k := range row {
			if text[k] = "null"; !row[k].Null {
				text[k] = shown(row[k].AppendText(nil, l.sh.location))
			}
		}
		e := pgerr.New(pgerr.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", c.Name, l.sh.schema.Name).
			WithDetail("Failing row contains (%s).", strings.Join(text, ", "))
		e.Table, e.Column, e.NullInput = l.sh.schema.Name, c.Name, true
		return e
	}
	return nil
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

// ValueError returns what is wrong with text as a value of Columns[i], in PostgreSQL's words,
// or nil. Column and Value are set.
func (b *Binding) ValueError(i int, text []byte) *Error {
	e := valueError(b.Columns[i].Type, text, b.Location)
	if e != nil {
		e.Column = b.Columns[i].Name
		e.WithValue(shown(text))
	}
	return e
}

// valueError returns what is wrong with text as a value of type t, or nil.
func valueError(t columnar.Type, text []byte, location *time.Location) *Error {
	if len(text) > columnar.MaxValueBytes {
		return errTooLong(len(text))
	}
	buf := columnar.ColumnBuf{Type: t, Fixed: make([]byte, t.Width()), Bits: make([]uint64, 1), Offsets: make([]int32, 2)}
	p := parser{location: location}
	switch st := p.store(&buf, 0, text); st {
	case ok:
		return nil
	case badSize:
		return errTooLong(len(text))
	default:
		return columnar.TextError(pgtext.Status(st), t, text, location)
	}
}

// guarded calls fn, which calls into the format of that name. A panic in it becomes an
// error: a format may be anybody's, and the program is not its to end.
func guarded(format string, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(format, p)
		}
	}()
	return fn()
}

// panicked returns the error for a panic in the format of that name; called while it is
// recovered from.
func panicked(format string, p any) *Error {
	e := pgerr.New(pgerr.InternalError, "COPY format \"%s\" panicked: %v", format, p)
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	// The first panic is the last on the stack: others only passed it on.
	for f, more := frames.Next(); more; f, more = frames.Next() {
		switch {
		case f.Function == "runtime.gopanic":
			e.Detail = ""
		case e.Detail == "" && !strings.HasPrefix(f.Function, "runtime."):
			e.WithDetail("It did in %s, line %d.", f.Function, f.Line)
		}
	}
	return e
}
