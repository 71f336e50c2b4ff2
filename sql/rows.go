package sql

import (
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// rowWriter puts rows into a Load for a table and tests NOT NULL and CHECK.
type rowWriter struct {
	run      *run
	schema   *columnar.Schema
	load     *columnar.Load
	check    *checker
	returned *returning // nil without RETURNING
	frag     *columnar.FragmentWriter
	index    int // of frag
	n        int // rows in frag
	rows     int64
}

// newRowWriter returns a writer of whole rows of a table. It ends with done or abort.
func (r *run) newRowWriter(s *columnar.Schema) (*rowWriter, error) {
	check, err := r.newChecker(s)
	if err != nil {
		return nil, err
	}
	load, err := r.store.NewLoad(r.ctx, columnar.LoadPlan{Schema: s})
	if err != nil {
		return nil, err
	}
	return &rowWriter{run: r, schema: s, load: load, check: check}, nil
}

// add writes n rows, at most expr.MaxRows; cols has a Vec for every column of the table.
func (w *rowWriter) add(n int, cols []columnar.Vec) error {
	if n == 0 {
		return nil
	}
	if err := w.run.ctx.Err(); err != nil {
		return err
	}
	if n > 1 && largest(cols) > maxBatchBytes {
		half := make([]columnar.Vec, len(cols))
		for _, part := range [][2]int{{0, n / 2}, {n / 2, n - n/2}} {
			for i := range cols {
				half[i] = cols[i].Slice(part[0], part[1])
			}
			if err := w.add(part[1], half); err != nil {
				return err
			}
		}
		return nil
	}
	col := func(pos int) columnar.Vec { return cols[pos] }
	if err := w.notNull(n, cols); err != nil {
		return err
	}
	if w.check != nil {
		if _, err := w.check.first(n, col); err != nil {
			return err
		}
	}
	if w.returned != nil {
		if err := w.returned.add(n, col); err != nil {
			return err
		}
	}
	if w.frag != nil && (w.n+n > columnar.MaxFragmentRows || w.full()) {
		if err := w.close(); err != nil {
			return err
		}
	}
	if w.frag == nil {
		var err error
		if w.frag, err = w.load.Fragment(w.index, max(n, 64)); err != nil {
			return err
		}
	}
	w.frag.Grow(w.n + n)
	for i := range cols {
		appendRows(&w.frag.Cols[i], w.n, &cols[i], n)
	}
	w.n += n
	w.rows += int64(n)
	return nil
}

// maxBatchBytes is the most bytes of a column that are added at once: with what a
// fragment holds before it closes they must stay below what an offset can say.
const maxBatchBytes = 1 << 30

// largest returns the bytes of the variable-length column that has the most.
func largest(cols []columnar.Vec) int {
	most := 0
	for i := range cols {
		if o := cols[i].Offsets(); o != nil {
			most = max(most, int(o[cols[i].Len()]-o[0]))
		}
	}
	return most
}

// notNull tests the NOT NULL columns of n rows: the first row that fails, and in it the
// first column.
func (w *rowWriter) notNull(n int, cols []columnar.Vec) error {
	row, at := n, 0
	for i := range w.schema.Columns {
		if !w.schema.Columns[i].NotNull || !cols[i].HasNulls() {
			continue
		}
		for k := range row {
			if cols[i].IsNull(k) {
				row, at = k, i
				break
			}
		}
	}
	if row == n {
		return nil
	}
	c := &w.schema.Columns[at]
	e := pgerr.New(pgerr.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", c.Name, w.schema.Name).
		WithDetail("Failing row contains (%s).", rowText(w.schema, row, func(pos int) columnar.Vec { return cols[pos] }))
	e.Table, e.Column = w.schema.Name, c.Name
	return e
}

// full reports whether the fragment has as many bytes as one should have.
func (w *rowWriter) full() bool {
	size := w.n * w.schema.RowBytes()
	for i := range w.frag.Cols {
		size += len(w.frag.Cols[i].Data)
	}
	return size >= columnar.FragmentBytes
}

func (w *rowWriter) close() error {
	if w.frag == nil {
		return nil
	}
	err := w.frag.Finish(w.n)
	w.frag, w.n = nil, 0
	w.index++
	return err
}

// done closes what is open and returns the load, which is the caller's then.
func (w *rowWriter) done() (*columnar.Load, error) {
	if err := w.close(); err != nil {
		return nil, err
	}
	return w.load, nil
}

// appendRows copies the n rows of v to c from row at on.
func appendRows(c *columnar.ColumnBuf, at int, v *columnar.Vec, n int) {
	var scratch [expr.MaxRows / 64]uint64
	if c.Valid != nil {
		bitmap.Or(c.Valid, at, v.ValidWords(scratch[:]), 0, n)
	}
	switch {
	case c.Offsets != nil:
		from := v.Offsets()
		base := int32(len(c.Data)) - from[0]
		c.Data = append(c.Data, v.Data()[from[0]:from[n]]...)
		for i := range n {
			c.Offsets[at+i+1] = from[i+1] + base
		}
	case c.Bits != nil:
		bitmap.Or(c.Bits, at, v.BoolWords(scratch[:]), 0, n)
	default:
		w := c.Type.Width()
		copy(c.Fixed[at*w:], v.Fixed()[:n*w])
		if v.HasNaN() {
			c.EnsureNaN(len(c.Fixed) / w)
			bitmap.Or(c.NaN, at, v.NaNWords(scratch[:]), 0, n)
		}
	}
}
