package copy

import (
	"iter"
	"math"
	"strings"

	"github.com/ingotdb/ingot/columnar"
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

// gatherer puts batches into fragments.
type gatherer struct {
	l     *loader
	w     *worker
	exact bool // fragments have their planned sizes
	plan  []int
	most  int // rows of a fragment
	first int // rows that a fragment is begun with, if it is not planned

	out   *columnar.FragmentWriter
	index int // of out
	at    int // rows in out
}

// fromRows stores the rows of src.
func (l *loader) fromRows(src *rowSource) error {
	l.workers, l.result.Workers, l.result.Cardinality = 1, 1, src.class
	rows, err := src.open(l.sh)
	if err != nil {
		return err
	}
	g := &gatherer{l: l, w: l.newWorker(), most: l.fragmentRows()}
	plan := columnar.LoadPlan{Schema: l.sh.schema}
	if g.exact = src.class == Exact && l.sh.filter == nil && !l.variable(); g.exact {
		g.plan = []int{}
		for left := src.rows; left > 0; left -= int64(g.most) {
			g.plan = append(g.plan, int(min(left, int64(g.most))))
		}
		plan.Fragments = g.plan
	}
	g.first = 64
	if src.class == Exact && l.sh.filter == nil {
		g.first = int(min(src.rows, int64(g.most)))
	}
	if l.load, err = l.store.NewLoad(l.ctx, plan); err != nil {
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
			if err := g.add(b); err != nil {
				return err
			}
			g.w.clock.enter(StageRead)
		}
		return g.close()
	})
	if err != nil {
		return err
	}
	if src.class == Exact && l.rows != src.rows {
		return errInternal("a source of %d rows gave %d", src.rows, l.rows)
	}
	return l.checkRows()
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
func (l *loader) fragmentRows() int {
	most := max(64, columnar.FragmentBytes/max(1, l.sh.schema.RowBytes())&^63)
	return min(most, columnar.MaxFragmentRows)
}

// add puts the rows of b behind those before.
func (g *gatherer) add(b Batch) error {
	for from := 0; from < b.Rows; {
		if err := g.room(); err != nil {
			return err
		}
		n := min(b.Rows-from, g.out.Rows-g.at)
		if !g.exact {
			n = min(b.Rows-from, g.most-g.at)
			g.out.Grow(g.at + n)
		}
		if err := g.rows(b.Cols, from, n); err != nil {
			return err
		}
		from += n
	}
	return nil
}

// room makes g.out a fragment with room for a row.
func (g *gatherer) room() error {
	if g.out != nil && g.at < g.most && (!g.exact || g.at < g.out.Rows) && g.size() < 2*columnar.FragmentBytes {
		return nil
	}
	if err := g.close(); err != nil {
		return err
	}
	rows := g.first
	if g.exact {
		if g.index >= len(g.plan) {
			return errInternal("a source has more rows than it said")
		}
		rows = g.plan[g.index]
	}
	var err error
	if g.out, err = g.l.load.Fragment(g.index, rows); err != nil {
		return err
	}
	g.w.begin(g.out)
	g.at = 0
	return nil
}

// size returns the bytes of strings in the open fragment; 0 for one whose rows are planned.
func (g *gatherer) size() (n int) {
	if g.exact {
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
	err := g.out.Finish(g.at)
	g.w.clock.enter(StageConvert)
	g.out = nil
	g.index++
	return err
}

// rows stores rows from to from+n of the columns.
func (g *gatherer) rows(cols []columnar.Vec, from, n int) error {
	c := &g.w.conv
	size := int64(0)
	if c.sieve != nil {
		c.sieve.begin(n)
	}
	fails := n
	for i := range g.l.sh.fields {
		f := &g.l.sh.fields[i]
		v := cols[i].Slice(from, n)
		if f.notNull && v.HasNulls() {
			fails = min(fails, firstNull(&v, fails))
		}
		buf := &g.out.Cols[f.pos]
		if buf.Offsets != nil && len(buf.Data)+int(v.Offsets()[n]-v.Offsets()[0]) > maxDataBytes {
			return pgerr.New(pgerr.ProgramLimitExceeded, "values of column \"%s\" exceed 2 GiB in a row group", f.name)
		}
		size += appendVec(buf, g.at, &v)
	}
	for i := range g.l.sh.consts {
		k := &g.l.sh.consts[i]
		if k.notNull {
			fails = 0
		}
		g.out.Cols[k.pos].FillConst(g.at, g.at+n, k.value)
	}
	if err := g.check(fails); err != nil {
		return err
	}
	if fails < n {
		return g.notNull(cols, from+fails)
	}
	t := batch{at: g.at}
	c.stored = n
	if c.sieve != nil {
		if good := c.sift(&t, n); good < n {
			return c.checkErr
		}
		g.l.sifted.excluded.Add(c.sieve.excluded)
		g.l.env.Progress.TuplesExcluded.Add(c.sieve.excluded)
	}
	g.at += c.stored
	g.l.rows += int64(n)
	g.l.bytes += size
	g.w.clock.bytes[StageConvert] += size
	g.l.advance(size, int64(c.stored))
	return nil
}

// check tests the CHECK constraints of the first n rows that were stored last, unless the
// sieve does.
func (g *gatherer) check(n int) error {
	if g.l.sh.check == nil || n == 0 || g.w.conv.sieve != nil {
		return nil
	}
	_, err := g.l.sh.check(g.out, g.at, g.at+n)
	return err
}

// firstNull returns the first of n rows that is null, or n.
func firstNull(v *columnar.Vec, n int) int {
	for i := range n {
		if v.IsNull(i) {
			return i
		}
	}
	return n
}

// notNull is the error for a row in which a column is null that must not be.
func (g *gatherer) notNull(cols []columnar.Vec, row int) error {
	sh := g.l.sh
	text := make([]string, len(sh.schema.Columns))
	null := make([]bool, len(text))
	set := func(pos int, v columnar.Value) {
		if text[pos], null[pos] = "null", v.Null; !v.Null {
			text[pos] = string(v.AppendText(nil, sh.location))
		}
	}
	for i := range sh.fields {
		set(sh.fields[i].pos, cols[i].Value(row))
	}
	for i := range sh.consts {
		set(sh.consts[i].pos, sh.consts[i].value)
	}
	for i := range sh.schema.Columns {
		if c := &sh.schema.Columns[i]; c.NotNull && null[i] {
			e := pgerr.New(pgerr.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", c.Name, sh.schema.Name).
				WithDetail("Failing row contains (%s).", strings.Join(text, ", "))
			e.Table, e.Column = sh.schema.Name, c.Name
			return e
		}
	}
	return errInternal("no column of row %d is null", row)
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
		appendBits(c.Valid, at, v.ValidWords(words(v.HasNulls())), n)
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
		appendBits(c.Bits, at, v.BoolWords(words(true)), n)
		return int64(n+7) / 8
	}
	w := c.Type.Width()
	if v.HasNaN() {
		c.EnsureNaN(len(c.Fixed) / w)
		appendBits(c.NaN, at, v.NaNWords(words(true)), n)
	}
	return int64(copy(c.Fixed[at*w:], v.Fixed()[:n*w]))
}

// appendBits sets the n bits of src, all of them if it is nil, in dst from bit at on.
func appendBits(dst []uint64, at int, src []uint64, n int) {
	for i := 0; i < n; i += 64 {
		b := uint64(math.MaxUint64)
		if src != nil {
			b = src[i>>6]
		}
		if n-i < 64 {
			b &= 1<<(n-i) - 1
		}
		orBits(dst, at+i, []uint64{b})
	}
}
