package copy

import (
	"cmp"
	"errors"
	"slices"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// Edges. The rows of a rel table are loaded with the keys of their ends, which the store
// looks up when the load is complete. An end that is not there is like a key that is there
// already: it is known by the position in the load, and told by the place in the input.
// ON_ERROR ignore leaves such an edge out.

// newLoad returns a load for the table.
func (l *loader) newLoad(p columnar.LoadPlan) (*columnar.Load, error) {
	p.Schema = l.sh.schema
	p.SkipMissing = l.opt.OnError == ErrorIgnore
	p.Workers = l.env.limit(l.opt.Parallelism)
	return l.store.NewLoad(l.ctx, p)
}

// missing returns the error of an edge whose end is not there with its place in the
// input; before is the number of rows in the loads before this one. It returns err if that is
// something else.
func (l *loader) missing(err error, before int64) error {
	var m *columnar.MissingError
	if !errors.As(err, &m) {
		return err
	}
	e := *pgerr.From(err)
	e.Err, e.Table, e.Column = err, l.sh.schema.Name, m.Column
	e.File, e.Line = l.lineOfRow(before + m.Row)
	return e.WithValue(m.Key)
}

// skipMissing accounts for the edges that were left out of a load.
func (l *loader) skipMissing(list []columnar.MissingEnd, before int64) error {
	n := int64(0)
	last := int64(-1)
	for _, m := range list {
		if m.Row != last { // both ends may be missing
			last = m.Row
			n++
		}
	}
	l.sifted.unlinked += n
	l.env.Progress.TuplesSkipped.Add(n)
	if !l.tells() {
		return nil
	}
	last = -1
	for _, m := range list {
		if m.Row == last {
			continue
		}
		last = m.Row
		r := rejected{row: l.recordOf(before + m.Row), column: m.Column, value: m.Key, unlinked: true, why: "no node has the key " + m.Key}
		r.file, r.line = l.lineOfRow(before + m.Row)
		l.sifted.rejects = append(l.sifted.rejects, r)
	}
	return l.limitMissing()
}

// limitMissing returns the error of the record that is one more than REJECT_LIMIT, counting
// those with a missing end.
func (l *loader) limitMissing() error {
	q := &l.sifted
	if l.opt.RejectLimit == 0 || q.skipped.Load()+q.unlinked <= l.opt.RejectLimit {
		return nil
	}
	bad := slices.Clone(q.worst)
	for _, r := range q.rejects {
		if r.unlinked {
			bad = append(bad, r)
		}
	}
	slices.SortFunc(bad, func(a, b rejected) int { return cmp.Compare(a.row, b.row) })
	r := bad[min(int(l.opt.RejectLimit), len(bad)-1)]
	e := pgerr.New(pgerr.ForeignKeyViolation, "skipped more than REJECT_LIMIT (%d) rows", l.opt.RejectLimit)
	return e.At(l.sh.schema.Name, r.file, r.line, "")
}
