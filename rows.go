package ingot

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/mmap"
)

// Column is a column of a result.
type Column struct {
	Name string
	Type columnar.Type
}

// Rows are the rows of a query, read forward once: row by row with Next and Scan, or in
// columns with Batches. They are for one goroutine. Close them; the last Next and the end
// of Batches do so, too.
type Rows struct {
	res    *Result
	loc    *time.Location // of the session
	closed bool
	err    error
	done   func() error // ends the session; called once

	next  func() (*Batch, error, bool)
	stop  func()
	batch *Batch
	row   int
}

// NewRows returns the rows of a result of session s, to be read one by one. It takes the
// result over; closing the rows leaves the session open.
func NewRows(s *Session, res *Result) *Rows {
	return newRows(res, s.Location(), func() error { return nil })
}

func newRows(res *Result, loc *time.Location, done func() error) *Rows {
	r := &Rows{res: res, loc: loc, done: done}
	r.next, r.stop = iter.Pull2(res.Batches)
	return r
}

// Columns returns the columns, nil if the statement returns no rows.
func (r *Rows) Columns() []Column {
	var out []Column
	for _, c := range r.res.Columns {
		out = append(out, Column{c.Name, c.Type})
	}
	return out
}

// Next moves to the next row. It returns false behind the last one and after an error,
// which Err returns.
func (r *Rows) Next() bool {
	if r.closed {
		return false
	}
	if r.batch != nil && r.row+1 < r.batch.Rows {
		r.row++
		return true
	}
	for r.advance() {
		if r.batch.Rows > 0 {
			return true
		}
	}
	return false
}

// advance moves to the next batch, before its first row; at the end it closes r.
func (r *Rows) advance() bool {
	batch, err, ok := r.next()
	r.batch, r.row = batch, 0
	if ok && err == nil {
		return true
	}
	r.err = errors.Join(err, r.Close())
	return false
}

// Err returns the error that ended the rows, nil if they ended by themselves.
func (r *Rows) Err() error { return r.err }

// Close gives the rows up. More than once is harmless.
func (r *Rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed, r.batch = true, nil
	r.stop()
	r.res.Close()
	return r.done()
}

// Batches returns the rows by column, in batches. A batch and what its columns point to
// are valid during their step only. Do not mix it with Next.
func (r *Rows) Batches() iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		for !r.closed && r.advance() {
			if !yield(r.batch, nil) {
				break
			}
		}
		if err := errors.Join(r.err, r.Close()); err != nil {
			yield(nil, err)
		}
	}
}

// Scan stores the values of the current row in dest, one pointer per column:
//
//   - *string takes every type, as PostgreSQL prints it;
//   - *int64, *int, *int32, *int16 take integers that fit, *float64 and *float32 integers
//     and floats, *bool bool;
//   - *time.Time takes date, timestamp and timestamptz, in UTC unless the type has a zone;
//     the infinities do not fit;
//   - *[]byte takes bytea as bytes and every other type as *string does;
//   - *any takes everything: int64, float64, bool, time.Time, []byte for bytea, else string;
//   - **T takes what *T takes, and NULL as nil. Only those and *any take NULL.
func (r *Rows) Scan(dest ...any) error {
	if r.batch == nil {
		return errors.New("ingot: Scan without a row: call Next first")
	}
	if len(dest) != len(r.batch.Cols) {
		return fmt.Errorf("ingot: Scan into %d values: the row has %d", len(dest), len(r.batch.Cols))
	}
	return mmap.Guard(func() error {
		for i := range dest {
			if err := scanValue(dest[i], &r.batch.Cols[i], r.row, r.loc); err != nil {
				return fmt.Errorf("ingot: Scan column %q: %w", r.res.Columns[i].Name, err)
			}
		}
		return nil
	})
}

// scanValue stores value i of v in dest.
func scanValue(dest any, v *columnar.Vec, i int, loc *time.Location) error {
	null := v.IsNull(i)
	switch d := dest.(type) {
	case *any:
		*d = nil
		if !null {
			return scanAny(d, v, i, loc)
		}
		return nil
	case **string:
		return scanPointer(d, v, i, loc)
	case **int64:
		return scanPointer(d, v, i, loc)
	case **int:
		return scanPointer(d, v, i, loc)
	case **int32:
		return scanPointer(d, v, i, loc)
	case **int16:
		return scanPointer(d, v, i, loc)
	case **float64:
		return scanPointer(d, v, i, loc)
	case **float32:
		return scanPointer(d, v, i, loc)
	case **bool:
		return scanPointer(d, v, i, loc)
	case **time.Time:
		return scanPointer(d, v, i, loc)
	case **[]byte:
		return scanPointer(d, v, i, loc)
	}
	if null {
		return fmt.Errorf("NULL does not fit a %T: use a pointer to a pointer", dest)
	}
	switch d := dest.(type) {
	case *string:
		*d = string(v.AppendText(nil, i, loc))
		return nil
	case *[]byte:
		if v.Type().Kind == columnar.Bytea && !v.Type().Array {
			*d = append([]byte(nil), v.Bytes(i)...)
		} else {
			*d = v.AppendText(nil, i, loc)
		}
		return nil
	case *int64:
		return scanInt(d, v, i, math.MinInt64, math.MaxInt64)
	case *int:
		return scanInt(d, v, i, math.MinInt, math.MaxInt)
	case *int32:
		return scanInt(d, v, i, math.MinInt32, math.MaxInt32)
	case *int16:
		return scanInt(d, v, i, math.MinInt16, math.MaxInt16)
	case *float64:
		f, err := scanFloat(v, i)
		*d = f
		return err
	case *float32:
		f, err := scanFloat(v, i)
		*d = float32(f)
		return err
	case *bool:
		if v.Type().Kind != columnar.Bool || v.Type().Array {
			return misfit(v, d)
		}
		*d = v.Bool(i)
		return nil
	case *time.Time:
		return scanTime(d, v, i)
	}
	return fmt.Errorf("cannot store into a %T", dest)
}

func misfit(v *columnar.Vec, dest any) error {
	return fmt.Errorf("%s does not fit a %T", v.Type(), dest)
}

// scanPointer stores a new T, or nil for NULL.
func scanPointer[T any](dest **T, v *columnar.Vec, i int, loc *time.Location) error {
	if v.IsNull(i) {
		*dest = nil
		return nil
	}
	*dest = new(T)
	return scanValue(*dest, v, i, loc)
}

func scanInt[T int16 | int32 | int64 | int](dest *T, v *columnar.Vec, i int, lo, hi int64) error {
	switch v.Type().Kind {
	case columnar.Int2, columnar.Int4, columnar.Int8:
	default:
		return misfit(v, dest)
	}
	n := v.Value(i).I
	if v.Type().Array || n < lo || n > hi {
		return fmt.Errorf("%d does not fit a %T", n, dest)
	}
	*dest = T(n)
	return nil
}

func scanFloat(v *columnar.Vec, i int) (float64, error) {
	switch val := v.Value(i); val.Type.Kind {
	case columnar.Float4, columnar.Float8:
		return val.F, nil
	case columnar.Int2, columnar.Int4, columnar.Int8:
		return float64(val.I), nil
	}
	return 0, misfit(v, new(float64))
}

func scanTime(dest *time.Time, v *columnar.Vec, i int) error {
	val := v.Value(i)
	switch {
	case val.Type.Array:
		return misfit(v, dest)
	case val.Type.Kind == columnar.Date && val.I != math.MinInt32 && val.I != math.MaxInt32:
		*dest = time.Unix(val.I*86400, 0).UTC()
	case (val.Type.Kind == columnar.Timestamp || val.Type.Kind == columnar.TimestampTZ) &&
		val.I != math.MinInt64 && val.I != math.MaxInt64:
		*dest = time.UnixMicro(val.I).UTC()
	default:
		return misfit(v, dest)
	}
	return nil
}

// scanAny stores a value that is not NULL as the Go type nearest to its own.
func scanAny(dest *any, v *columnar.Vec, i int, loc *time.Location) error {
	val := v.Value(i)
	kind := val.Type.Kind
	if val.Type.Array {
		kind = columnar.Invalid
	}
	switch kind {
	case columnar.Bool:
		*dest = v.Bool(i)
	case columnar.Int2, columnar.Int4, columnar.Int8:
		*dest = val.I
	case columnar.Float4, columnar.Float8:
		*dest = val.F
	case columnar.Bytea:
		*dest = append([]byte(nil), v.Bytes(i)...)
	case columnar.Date, columnar.Timestamp, columnar.TimestampTZ:
		var t time.Time
		if scanTime(&t, v, i) == nil {
			*dest = t
			return nil
		}
		fallthrough // infinity
	default:
		*dest = string(v.AppendText(nil, i, loc))
	}
	return nil
}
