package copy

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Sink takes the rows of a part: batches by column, in the order of Binding.Columns.
// What it is given it has copied when it returns. One goroutine uses it.
type Sink struct {
	g        *gatherer
	of       *content
	row      int64      // of the input, the next
	arrow    *arrowSink // converts Arrow data
	bad      []uint64   // rows of the next batch that were rejected
	rejected []rejected
}

// Batch stores rows whose vectors have the very types of the columns.
func (s *Sink) Batch(b Batch) error {
	if len(b.Cols) != len(s.g.w.rows.sh.fields) {
		return errInternal("a batch of %d columns for %d", len(b.Cols), len(s.g.w.rows.sh.fields))
	}
	for i := range b.Cols {
		if want := s.g.w.rows.sh.fields[i].Type; b.Cols[i].Type() != want || b.Cols[i].Len() != b.Rows {
			return errInternal("a batch of %d rows has %d of type %s for a column of type %s", b.Rows, b.Cols[i].Len(), b.Cols[i].Type(), want)
		}
	}
	bad := s.bad
	s.bad = nil
	for bad != nil && len(bad) < (b.Rows+63)/64 {
		bad = append(bad, 0)
	}
	if err := s.g.add(b, bad); err != nil {
		return err
	}
	for i := range s.rejected {
		s.g.l.keep(s.g.w, s.rejected[i])
	}
	s.rejected = s.rejected[:0]
	s.row += int64(b.Rows)
	return nil
}

// Record stores the rows of a batch of Arrow data: values are taken as they are where the
// layout is the column's, and converted where it is not. What does not fit is an error or
// left to ON_ERROR, never changed. Offsets, indexes and lengths are looked at before use.
func (s *Sink) Record(rec arrow.RecordBatch) error {
	sh := s.g.w.rows.sh
	if int(rec.NumCols()) != len(sh.fields) {
		return errInternal("a batch of %d columns for %d", rec.NumCols(), len(sh.fields))
	}
	if s.arrow == nil {
		s.arrow = newArrowSink(sh.fields, sh.location, s, false)
	}
	for from := int64(0); from < rec.NumRows(); from += arrowRows {
		part := rec.NewSlice(from, min(from+arrowRows, rec.NumRows()))
		err := s.arrow.store(part.Columns(), int(part.NumRows()))
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// fail notes that a row of the next batch fails with err, and returns what Read returns.
func (s *Sink) fail(err error) error {
	e := *pgerr.From(err)
	s.g.l.failed.record(s.g.row, func() error { return s.placed(0, &e) })
	return errStopped
}

// Reject says before Batch that a row of that batch, counted from 0, has a value that its
// column does not take; e says why, and the vector has a NULL there. An error that it
// returns is returned by Read: ON_ERROR does not forgive it, and the COPY ends with e,
// unless an earlier row fails.
func (s *Sink) Reject(row, column int, e *Error) error {
	l := s.g.l
	e.Column = s.g.w.rows.sh.fields[column].Name
	if l.sh.onError == ErrorStop {
		l.failed.record(s.g.row+int64(row), func() error { return s.placed(int64(row), e) })
		return errStopped
	}
	for len(s.bad) <= row>>6 {
		s.bad = append(s.bad, 0)
	}
	first := s.bad[row>>6]>>(row&63)&1 == 0
	s.bad[row>>6] |= 1 << (row & 63)
	if l.tells() && (first || l.sh.onError == ErrorSetNull) {
		e = s.placed(int64(row), e)
		s.rejected = append(s.rejected, rejected{row: s.g.row + int64(row), file: e.File, line: e.Line, column: e.Column, value: e.Value, why: e.Message})
	}
	return nil
}

// Skip says that the next n rows of the part are passed over: none fulfils Binding.Where.
func (s *Sink) Skip(n int64) {
	s.row += n
	s.g.pass(n)
}

// placed gives e the place of a row of the next batch.
func (s *Sink) placed(row int64, e *Error) *Error {
	e.Table, e.File = s.g.l.sh.schema.Name, s.of.name
	if e.Line == 0 {
		e.Line = 1 + s.row + row
	}
	return e
}
