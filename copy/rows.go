package copy

import (
	"errors"
	"iter"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
)

// rowSource is a source that has its rows by column already.
type rowSource struct {
	class Cardinality
	rows  int64 // as class says
	open  func(sh *shape) (iter.Seq2[Batch, error], error)
}

// FromRows returns the source of batches that are columns already, such as the result of
// a query. A batch has a Vec for each column that the COPY fills, in that order and of its
// very type; it need only be valid until the next step. class and n say how many rows
// there are; n means nothing for Unknown.
func FromRows(rows iter.Seq2[Batch, error], class Cardinality, n int64) Source {
	return Source{rows: &rowSource{class: class, rows: n, open: func(*shape) (iter.Seq2[Batch, error], error) { return rows, nil }}}
}

// columnOptions are the options that mean something for a source without text.
var columnOptions = map[string]bool{"parallelism": true, "rows": true, "on_conflict": true, "freeze": true, "log_verbosity": true}

// ParseRowsOptions checks the options of a COPY FROM whose source is rows and not text:
// of a query, or of Arrow data.
func ParseRowsOptions(list []Option) (*FromOptions, error) {
	o, err := ParseFromOptions(list)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if !columnOptions[strings.ToLower(list[i].Name)] {
			return nil, pgerr.New(pgerr.FeatureNotSupported, "COPY %s cannot be used with COPY FROM a query", strings.ToUpper(list[i].Name)).
				WithHint("It is about the text of a file, and there is none.")
		}
	}
	return o, nil
}

// gatherer puts batches into fragments, one after the other. One goroutine owns it.
type gatherer struct {
	l    *loader
	w    *worker
	plan []int // rows of the fragments; nil if they grow
	most int   // rows of a fragment
	open int   // rows that a fragment is begun with, if it is not planned

	out   *columnar.FragmentWriter
	first int   // index of the first fragment
	index int   // of out, counted from there
	at    int   // rows in out
	began int64 // row of the COPY that is the first of out's
	took  int   // rows that were looked at for it: what a plan counts

	row   int64 // of the COPY, the next
	rows  int64 // that were taken
	bytes int64
	place func(row int64, e *Error) // says where a row of the COPY stands; may be nil
}

// errStopped says that a row has failed, which the loader knows of.
var errStopped = errors.New("copy: a row has failed")

// fromRows stores the rows of src.
func (l *loader) fromRows(src *rowSource) error {
	l.workers, l.result.Workers, l.result.Cardinality = 1, 1, src.class
	rows, err := src.open(l.sh)
	if err != nil {
		return err
	}
	g := &gatherer{l: l, w: l.newWorker(), most: l.fragmentRows(), open: 64}
	plan := columnar.LoadPlan{}
	exact := src.class == Exact && l.sh.filter == nil
	if exact && !l.variable() {
		g.plan = planRows(src.rows, g.most)
		plan.Fragments = g.plan
	}
	if exact {
		g.open = int(min(src.rows, int64(g.most)))
	}
	if l.load, err = l.newLoad(plan); err != nil {
		return err
	}
	g.w.clock.start(StageRead, l.labels)
	defer g.w.clock.stop()
	err = mmap.Guard(func() error {
		for b, err := range rows {
			if err == nil {
				err = l.ctx.Err()
			}
			if err != nil {
				return err
			}
			g.w.clock.enter(StageConvert)
			if err := g.add(b, nil); err != nil {
				return err
			}
			g.w.clock.enter(StageRead)
		}
		return g.close()
	})
	l.rows, l.bytes = g.rows, g.bytes
	if l.failed.err != nil {
		return l.failed.err
	}
	if err != nil {
		return err
	}
	if src.class == Exact && l.rows != src.rows {
		return errInternal("a source of %d rows gave %d", src.rows, l.rows)
	}
	return l.checkRows()
}

// planRows returns the sizes of the fragments of so many rows.
func planRows(rows int64, most int) []int {
	plan := []int{}
	for ; rows > 0; rows -= int64(most) {
		plan = append(plan, int(min(rows, int64(most))))
	}
	return plan
}

// variable reports whether the table has columns whose values have no fixed width.
func (l *loader) variable() bool {
	for i := range l.sh.schema.Columns {
		if l.sh.schema.Columns[i].Type.Variable() {
			return true
		}
	}
	return false
}

// fragmentRows returns the rows of a fragment whose strings are short.
func (l *loader) fragmentRows() int { return fragmentRows(l.sh.schema) }

func fragmentRows(s *columnar.Schema) int {
	most := max(64, columnar.FragmentBytes/max(1, s.RowBytes())&^63)
	return min(most, columnar.MaxFragmentRows)
}

// add puts the rows of b behind those before. bad has a bit for each row with a value that
// was not taken; nil if there is none.
func (g *gatherer) add(b Batch, bad []uint64) error {
	for from := 0; from < b.Rows; {
		if g.l.failed.row.Load() < g.row {
			return errStopped
		}
		if err := g.room(); err != nil {
			return err
		}
		n := min(b.Rows-from, g.out.Rows-g.took)
		if g.plan == nil {
			n = min(b.Rows-from, g.most-g.at)
			g.out.Grow(g.at + n)
		}
		if err := g.take(b.Cols, from, n, bad); err != nil {
			return err
		}
		from += n
	}
	return nil
}

// pass counts n rows that are not stored.
func (g *gatherer) pass(n int64) {
	g.row += n
	g.rows += n
	if g.out != nil && g.l.keyed() {
		g.w.punch(make([]uint64, (n+63)/64), int(n))
		g.w.taken += int(n)
	}
	g.l.sifted.excluded.Add(n)
	g.l.env.Progress.TuplesExcluded.Add(n)
}

// room makes g.out a fragment with room for a row.
func (g *gatherer) room() error {
	if g.out != nil && g.at < g.most && (g.plan == nil || g.took < g.out.Rows) && g.size() < 2*columnar.FragmentBytes {
		return nil
	}
	if err := g.close(); err != nil {
		return err
	}
	rows := g.open
	if g.plan != nil {
		if g.index >= len(g.plan) {
			return errInternal("a source has more rows than it said")
		}
		rows = g.plan[g.index]
	}
	var err error
	if g.out, err = g.l.load.Fragment(g.first+g.index, rows); err != nil {
		return err
	}
	g.w.begin(g.out)
	g.at, g.took, g.began = 0, 0, g.row
	return nil
}

// size returns the bytes of strings in the open fragment; 0 for one whose rows are planned.
func (g *gatherer) size() (n int) {
	if g.plan != nil {
		return 0
	}
	for i := range g.out.Cols {
		n += len(g.out.Cols[i].Data)
	}
	return n
}

// close finishes the open fragment.
func (g *gatherer) close() error {
	if g.out == nil {
		return nil
	}
	g.w.clock.enter(StageStore)
	g.l.note(g.w, g.first+g.index, g.began, g.w.taken, g.at)
	err := g.out.Finish(g.at)
	g.w.clock.enter(StageConvert)
	g.out = nil
	g.index++
	return err
}

// take stores rows from to from+n of the columns.
func (g *gatherer) take(cols []columnar.Vec, from, n int, bad []uint64) error {
	r := &g.w.rows
	r.at = g.at
	size := int64(0)
	if r.sieve != nil {
		r.sieve.begin(n)
		for i := range n {
			if k := from + i; bad != nil && bad[k>>6]>>(k&63)&1 != 0 {
				r.sieve.bad[i>>6] |= 1 << (i & 63)
			}
		}
	}
	fails := n
	for i := range r.sh.fields {
		f := &r.sh.fields[i]
		v := cols[i].Slice(from, n)
		if f.NotNull && v.HasNulls() {
			fails = min(fails, r.Nulls(i, n, nullWords(&v)))
		}
		buf := r.Column(i)
		if buf.Offsets != nil && len(buf.Data)+int(v.Offsets()[n]-v.Offsets()[0]) > maxDataBytes {
			return pgerr.New(pgerr.ProgramLimitExceeded, "values of column \"%s\" exceed 2 GiB in a row group", f.Name)
		}
		size += appendVec(buf, g.at, &v)
	}
	taken, failed := fails, fails < n
	if fails > 0 {
		if taken, failed = r.complete(fails); fails < n && !failed {
			failed = true
		}
	}
	if r.sieve != nil {
		g.l.account(g.w, taken)
	}
	if failed {
		g.l.failed.record(g.row+int64(taken), func() error { return g.reason(cols, from+taken, taken) })
		return errStopped
	}
	g.at += r.stored
	g.took += n
	g.row += int64(n)
	g.rows += int64(n)
	g.bytes += size
	g.w.clock.bytes[StageConvert] += size
	if g.place != nil {
		size = 0 // progress is told by part
	}
	g.l.advance(size, int64(r.stored))
	return nil
}

// nullWords has a bit for each row of v that is null.
func nullWords(v *columnar.Vec) []uint64 {
	null := v.ValidWords(make([]uint64, (v.Len()+63)/64))
	words := make([]uint64, len(null))
	setBits(words, v.Len())
	for w := range words {
		words[w] &^= null[w]
	}
	return words
}

// reason returns why a row fails: row of the batch, whose record is that of the fragment.
func (g *gatherer) reason(cols []columnar.Vec, row, record int) error {
	sh := g.w.rows.sh
	values := make([]columnar.Value, len(sh.schema.Columns))
	for i := range sh.fields {
		values[sh.fields[i].Pos] = cols[i].Value(row)
	}
	for i := range sh.consts {
		values[sh.consts[i].pos] = sh.consts[i].value
	}
	e := g.l.violation(values)
	if e == nil {
		err := g.w.rows.checkError(g.at + record)
		if err == nil {
			return errInternal("row %d failed and nothing is wrong with it", g.row+int64(record))
		}
		if g.place == nil {
			return err
		}
		placed := *pgerr.From(err)
		e = &placed
	}
	if g.place != nil {
		g.place(g.row+int64(record), e)
	}
	return e
}

// newColumnBuf returns a column, in memory of its own, with room for n rows of type t that all
// are NULL so far.
func newColumnBuf(t columnar.Type, n int) columnar.ColumnBuf {
	words := (n + 63) / 64
	c := columnar.ColumnBuf{Type: t, Valid: make([]uint64, words)}
	switch w := t.Width(); {
	case t.Variable():
		c.Offsets = make([]int32, n+1)
	case w == 0:
		c.Bits = make([]uint64, words)
	default:
		c.Fixed = alignedBytes(n * w)
	}
	return c
}

// appendVec copies the rows of v to row at of c and on and returns the bytes that they
// took.
func appendVec(c *columnar.ColumnBuf, at int, v *columnar.Vec) int64 {
	n := v.Len()
	words := func(has bool) []uint64 {
		if !has {
			return nil
		}
		return make([]uint64, (n+63)/64)
	}
	if c.Valid != nil {
		bitmap.Or(c.Valid, at, v.ValidWords(words(v.HasNulls())), 0, n)
	}
	switch {
	case c.Offsets != nil:
		from := v.Offsets()
		data := v.Data()[from[0]:from[n]]
		base := int32(len(c.Data)) - from[0]
		c.Data = append(c.Data, data...)
		to := c.Offsets[at+1 : at+1+n]
		for i := range to {
			to[i] = from[i+1] + base
		}
		return int64(len(data))
	case c.Bits != nil:
		bitmap.Or(c.Bits, at, v.BoolWords(words(true)), 0, n)
		return int64(n+7) / 8
	}
	w := c.Type.Width()
	if v.HasNaN() {
		c.EnsureNaN(len(c.Fixed) / w)
		bitmap.Or(c.NaN, at, v.NaNWords(words(true)), 0, n)
	}
	return int64(copy(c.Fixed[at*w:], v.Fixed()[:n*w]))
}
