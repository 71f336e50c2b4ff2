package copy

import (
	"errors"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// arrowSink converts the columns of a part and stores them.
type arrowSink struct {
	out     *Sink
	columns []arrowColumn
	vecs    []columnar.Vec
	bad     []arrowBad
	lenient bool // ON_ERROR may forgive
}

// arrowBad is a value that its column does not take.
type arrowBad struct {
	row, column int
	err         *Error
}

// errFirstBad ends the conversion of a column at its first bad value.
var errFirstBad = errors.New("copy: a value is not taken")

// newArrowSink returns what converts to the given columns. trusted says that the arrays will
// be sound.
func newArrowSink(columns []Column, location *time.Location, out *Sink, trusted bool) *arrowSink {
	s := &arrowSink{out: out, columns: make([]arrowColumn, len(columns)), vecs: make([]columnar.Vec, len(columns)), lenient: out.g.l.sh.onError != ErrorStop}
	for i := range s.columns {
		s.columns[i] = arrowColumn{name: columns[i].Name, typ: columns[i].Type, parser: parser{location: location}, trusted: trusted}
		s.columns[i].reject = func(row int, e *Error) error {
			s.bad = append(s.bad, arrowBad{row: row, column: i, err: e})
			if s.fatal(e) {
				return errFirstBad
			}
			return nil
		}
	}
	return s
}

// fatal reports whether ON_ERROR does not forgive e. Bytes that are no text are no value
// that a type does not take: they end the COPY.
func (s *arrowSink) fatal(e *Error) bool {
	return !s.lenient || e.SQLState == pgerr.CharacterNotInRepertoire
}

// store converts and stores one batch. The bad values of all columns are told in the order
// of rows, whatever the order in which columns are converted. The rows before one that ends
// the COPY are stored first, because what is wrong with them comes first.
func (s *arrowSink) store(arrays []arrow.Array, rows int) error {
	s.bad = s.bad[:0]
	for i, arr := range arrays {
		var err error
		if s.vecs[i], err = s.columns[i].vec(arr); err == errFirstBad {
			s.vecs[i] = columnar.Vec{}
		} else if err != nil {
			return err
		}
	}
	slices.SortFunc(s.bad, func(a, b arrowBad) int {
		if a.row != b.row {
			return a.row - b.row
		}
		return a.column - b.column
	})
	for _, b := range s.bad {
		if s.fatal(b.err) {
			return s.end(arrays, b)
		}
		if err := s.out.Reject(b.row, b.column, b.err); err != nil {
			return err
		}
	}
	return s.out.Batch(Batch{Rows: rows, Cols: s.vecs})
}

// end ends the COPY with b, behind the rows before it.
func (s *arrowSink) end(arrays []arrow.Array, b arrowBad) error {
	if b.row > 0 {
		before := make([]arrow.Array, len(arrays))
		for i, arr := range arrays {
			before[i] = array.NewSlice(arr, 0, int64(b.row))
		}
		if err := s.store(before, b.row); err != nil {
			return err
		}
	}
	b.err.Column = s.columns[b.column].name
	return s.out.fail(b.err)
}
