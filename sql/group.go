package sql

import (
	"slices"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// grouping is the GROUP BY and the aggregates of a query.
type grouping struct {
	q      *query
	keys   []ast.Expr
	nodes  []expr.Node // of the keys
	aggs   []*aggregate
	scope  *expr.Scope // over the groups: their keys, then their aggregates
	having expr.Node
}

// aggregates reports whether the select list or ORDER BY calls an aggregate.
func (q *query) aggregates() bool {
	found := false
	look := func(e ast.Expr) {
		ast.Walk(e, func(x ast.Expr) bool {
			found = found || expr.IsAggregate(x)
			return !found
		})
	}
	for _, it := range q.items {
		look(it.expr)
	}
	for _, o := range q.stmt.OrderBy {
		look(o.Expr)
	}
	return found
}

// groupKeys returns the expressions of GROUP BY: a position or the alias of an item, if
// no column has that name, stands for the item.
func (q *query) groupKeys() ([]ast.Expr, error) {
	var keys []ast.Expr
	for _, e := range q.stmt.GroupBy {
		if c, ok := e.(*ast.Column); ok && c.Table == "" {
			if slices.ContainsFunc(q.scope.Columns, func(col expr.Column) bool { return col.Name == c.Name }) {
				keys = append(keys, e)
				continue
			}
		}
		i, err := q.namedItem(e, "GROUP BY")
		if err != nil {
			return nil, err
		}
		if i >= 0 {
			e = q.items[i].expr
		}
		if pos := aggregateIn(e); pos >= 0 {
			return nil, q.run.at(pos, pgerr.New(pgerr.GroupingError, "aggregate functions are not allowed in GROUP BY"))
		}
		keys = append(keys, e)
	}
	return keys, nil
}

// aggregateIn returns the place of an aggregate in e, -1 if there is none.
func aggregateIn(e ast.Expr) int {
	pos := -1
	ast.Walk(e, func(x ast.Expr) bool {
		if pos < 0 && expr.IsAggregate(x) {
			pos = x.Pos()
		}
		return pos < 0
	})
	return pos
}

// bindGroups binds the keys and prepares the scope in which the rest is bound.
func (q *query) bindGroups(keys []ast.Expr) error {
	g := &grouping{q: q, keys: keys}
	q.groups = g
	q.scope.Clause = "GROUP BY"
	for _, k := range keys {
		n, err := q.scope.Decided(k)
		if err != nil {
			return err
		}
		if t := n.Type(); t.Array || t.Kind == columnar.JSON {
			return q.run.at(k.Pos(), pgerr.New(pgerr.UndefinedFunction, "could not identify an equality operator for type %s", t.Name()))
		}
		g.nodes = append(g.nodes, n)
	}
	g.scope = q.scope.Copy()
	g.scope.Replace = g.replace
	return nil
}

// finish binds HAVING, after everything else.
func (g *grouping) finish() error {
	if g.q.stmt.Having == nil {
		return nil
	}
	g.scope.Clause = "HAVING"
	n, err := g.scope.Boolean(g.q.stmt.Having)
	g.having = n
	return err
}

// replace returns what e is over the groups: a key, an aggregate; nil if e is an
// expression of them.
func (g *grouping) replace(e ast.Expr) (expr.Node, error) {
	column, isColumn := e.(*ast.Column)
	pos := -1
	if isColumn {
		var err error
		if pos, err = g.q.scope.Lookup(column); err != nil {
			return nil, err
		}
	}
	for i, k := range g.keys {
		same := false
		if kc, ok := k.(*ast.Column); ok && isColumn {
			kpos, err := g.q.scope.Lookup(kc)
			same = err == nil && kpos == pos
		} else if !ok && !isColumn {
			same = k.String() == e.String()
		}
		if same {
			return expr.NewRef(i, g.nodes[i].Type()), nil
		}
	}
	switch {
	case isColumn && g.decided():
		return g.first(column)
	case isColumn:
		return nil, g.q.run.at(e.Pos(), pgerr.New(pgerr.GroupingError,
			"column \"%s.%s\" must appear in the GROUP BY clause or be used in an aggregate function", g.q.scope.Table, column.Name))
	case expr.IsAggregate(e):
		return g.aggregate(e.(*ast.Call))
	}
	return nil, nil
}

// decided reports whether the keys hold the table's primary key, so that every group is
// one row.
func (g *grouping) decided() bool {
	if g.q.table == nil {
		return false
	}
	s := g.q.table.Schema()
	for _, c := range s.Constraints {
		if c.Kind != columnar.PrimaryKey {
			continue
		}
		for _, id := range c.Columns {
			if !slices.ContainsFunc(g.keys, func(k ast.Expr) bool {
				col, ok := k.(*ast.Column)
				return ok && s.Lookup(col.Name) >= 0 && s.Columns[s.Lookup(col.Name)].ID == id
			}) {
				return false
			}
		}
		return true
	}
	return false
}

// first returns a column of the first row of every group, as an aggregate that has no
// name in the language.
func (g *grouping) first(c *ast.Column) (expr.Node, error) {
	text := "first " + c.Name
	for i, a := range g.aggs {
		if a.text == text {
			return expr.NewRef(len(g.keys)+i, a.result), nil
		}
	}
	pos, err := g.q.scope.Lookup(c)
	if err != nil {
		return nil, err
	}
	a := &aggregate{text: text, kind: firstRow, arg: g.q.scope.Column(pos)}
	a.typ = a.arg.Type()
	a.result = a.typ
	g.aggs = append(g.aggs, a)
	return expr.NewRef(len(g.keys)+len(g.aggs)-1, a.result), nil
}

// aggregate returns the Node of an aggregate over the groups; calls that are written
// alike are one.
func (g *grouping) aggregate(c *ast.Call) (expr.Node, error) {
	text := c.String()
	for i, a := range g.aggs {
		if a.text == text {
			return expr.NewRef(len(g.keys)+i, a.result), nil
		}
	}
	for _, x := range append(slices.Clone(c.Args), c.Filter) {
		if pos := aggregateIn(x); pos >= 0 {
			return nil, g.q.run.at(pos, pgerr.New(pgerr.GroupingError, "aggregate function calls cannot be nested"))
		}
	}
	a := &aggregate{text: text, distinct: c.Distinct}
	if err := a.bind(g.q, c); err != nil {
		return nil, err
	}
	g.aggs = append(g.aggs, a)
	return expr.NewRef(len(g.keys)+len(g.aggs)-1, a.result), nil
}

// groupRows runs the grouping and gives the outputs of the groups.
func (q *query) groupRows() rowSeq {
	return func(yield func(*RowBatch, error) bool) {
		g := q.groups
		total, err := g.compute()
		if err != nil {
			yield(nil, err)
			return
		}
		vecs := make([]*expr.Vec, len(total.keys)+len(total.aggs))
		results := make([]*expr.Vec, len(total.aggs))
		for i, a := range total.aggs {
			if results[i], err = a.result(total.n); err != nil {
				yield(nil, err)
				return
			}
		}
		var batch expr.Batch
		for from := 0; from < total.n; from += expr.MaxRows {
			n := min(total.n-from, expr.MaxRows)
			for i := range total.keys {
				vecs[i] = total.keys[i].Rows(from, n)
			}
			for i, v := range results {
				vecs[len(total.keys)+i] = v.Slice(from, n)
			}
			batch.SetVecs(n, vecs)
			out, err := g.outputs(&batch)
			if err != nil {
				yield(nil, err)
				return
			}
			if out != nil && !yield(out, nil) {
				return
			}
		}
	}
}

// outputs computes the outputs of a batch of groups that HAVING leaves, nil for none.
func (g *grouping) outputs(b *expr.Batch) (*RowBatch, error) {
	var active []uint64
	n := b.Rows
	if g.having != nil {
		v, err := g.having.Eval(b, nil)
		if err != nil {
			return nil, err
		}
		active = v.True(make([]uint64, expr.MaxRows/64), b.Rows)
		if n = expr.Count(active); n == 0 {
			return nil, nil
		}
	}
	out := &RowBatch{Rows: n, Cols: make([]columnar.Vec, len(g.q.outputs))}
	for i, node := range g.q.outputs {
		v, err := node.Eval(b, active)
		if err != nil {
			return nil, err
		}
		out.Cols[i] = v.Stored(b.Rows)
		if n < b.Rows {
			out.Cols[i] = expr.Gather(&out.Cols[i], expr.AppendRows(nil, active, b.Rows))
		}
	}
	return out, nil
}

// compute groups all rows.
func (g *grouping) compute() (*partial, error) {
	q := g.q
	total := g.partial()
	switch {
	case q.series != nil:
		var batch expr.Batch
		err := q.seriesBatches(func(n int, cols []columnar.Vec) error {
			batch.SetColumns(n, cols)
			if err := total.add(g, &batch, nil, 0); err != nil {
				return err
			}
			return total.fits(q.run.opt.MemoryLimit)
		})
		return total, err
	case q.table == nil:
		if ok, err := q.hasRow(); err != nil || !ok {
			return total, err
		}
		return total, total.add(g, &expr.Batch{Rows: 1}, nil, 0)
	case g.onlyCounts():
		total.count(int64(q.table.Rows()))
		return total, nil
	}
	limit, workers := q.run.opt.MemoryLimit, q.run.workers(q.table)
	if workers == 1 && g.exact() {
		p, err := q.projector(nil)
		if err != nil {
			return total, err
		}
		w := &groupWorker{g: g, p: p}
		return total, p.filter.scan(p.filter.opt, w.into(total, limit))
	}
	err := inOrder(q.run.ctx, q.table.Groups(), workers,
		func() (*groupWorker, error) {
			w, err := q.again()
			if err != nil {
				return nil, err
			}
			p, err := w.projector(nil)
			return &groupWorker{g: w.groups, p: p}, err
		},
		func(w *groupWorker, i int) (*partial, error) { return w.rowGroup(i, limit) },
		func(p *partial) error {
			if err := total.merge(p); err != nil {
				return err
			}
			return total.fits(limit)
		})
	return total, err
}

// onlyCounts reports whether the table's number of rows answers everything.
func (g *grouping) onlyCounts() bool {
	for _, a := range g.aggs {
		if a.kind != countRows || a.filter != nil {
			return false
		}
	}
	return len(g.keys) == 0 && g.q.stmt.Where == nil
}

// groupWorker groups row groups of the table. It is for one goroutine.
type groupWorker struct {
	g *grouping
	p *projector
}

// exact reports whether the groups can be added to in any way that keeps the rows'
// order: whether no sum depends on where a row group ends.
func (g *grouping) exact() bool {
	if len(g.keys) == 0 {
		return true
	}
	for _, a := range g.aggs {
		if a.kind == sumFloats {
			return false
		}
	}
	return true
}

// rowGroup groups row group i.
func (w *groupWorker) rowGroup(i int, limit int64) (*partial, error) {
	part := w.g.partial()
	return part, w.p.filter.masks(i, w.into(part, limit))
}

// into returns what adds the rows of batches to part.
func (w *groupWorker) into(part *partial, limit int64) func(*columnar.Batch, []uint64, int) error {
	return func(b *columnar.Batch, mask []uint64, n int) error {
		if len(w.g.keys) == 0 {
			if err := part.add(w.g, &w.p.filter.batch, mask, b.First); err != nil {
				return err
			}
			return part.fits(limit)
		}
		batch := &w.p.batch
		if mask == nil {
			batch.SetColumns(b.Rows, b.Cols[:w.p.used])
		} else {
			rows := expr.AppendRows(w.p.filter.rows[:0], mask, b.Rows)
			w.p.filter.rows = rows
			batch.SetColumns(n, w.p.take(b, rows))
		}
		if err := part.add(w.g, batch, nil, b.First); err != nil {
			return err
		}
		return part.fits(limit)
	}
}
