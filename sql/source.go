package sql

import (
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// hasRow reports whether WHERE leaves the one row of a query without FROM.
func (q *query) hasRow() (bool, error) {
	if q.stmt.Where == nil {
		return true, nil
	}
	n, err := q.run.scope(nil, "", "WHERE").Boolean(q.stmt.Where)
	if err != nil {
		return false, err
	}
	v, err := single(n)
	return !v.Null && v.I != 0, err
}

// oneRow gives the outputs of a query without FROM.
func (q *query) oneRow() rowSeq {
	return func(yield func(*RowBatch, error) bool) {
		b := &expr.Batch{Rows: 1}
		if ok, err := q.hasRow(); err != nil {
			yield(nil, err)
			return
		} else if !ok {
			return
		}
		out := &RowBatch{Rows: 1, Cols: make([]columnar.Vec, len(q.outputs))}
		if err := evalAll(b, q.outputs, out.Cols); err != nil {
			yield(nil, err)
			return
		}
		yield(out, nil)
	}
}

// tableRows gives the outputs for the rows that WHERE leaves.
func (q *query) tableRows() rowSeq {
	workers := q.run.workers(q.table)
	if workers > 1 && q.stmt.Where != nil && (q.limit < 0 || len(q.order) > 0) {
		return q.parallelRows(workers)
	}
	return func(yield func(*RowBatch, error) bool) {
		p, err := q.projector(q.outputs)
		if err != nil {
			yield(nil, err)
			return
		}
		err = p.filter.each(func(b *columnar.Batch, rows []int32) error {
			out, err := p.project(b, rows)
			if err == nil && !yield(out, nil) {
				err = errStopped
			}
			return err
		})
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

// projector computes the outputs of rows of the table. It is for one goroutine.
type projector struct {
	filter  filter
	outputs []expr.Node
	used    int  // of the columns read, those that the outputs use, which come first
	copies  bool // the outputs stay valid when the scan goes on
	batch   expr.Batch
	in      []columnar.Vec
	packed  []columnar.Packed // of in
	out     RowBatch
}

// projector returns a projector for outputs that were bound in q.scope before anything
// else was.
func (q *query) projector(outputs []expr.Node) (*projector, error) {
	p := &projector{filter: filter{run: q.run, table: q.table}, outputs: outputs, used: len(q.scope.Refs)}
	q.scope.Clause = "WHERE"
	if err := p.filter.bind(q.scope, q.stmt.Where); err != nil {
		return nil, err
	}
	p.in, p.packed = make([]columnar.Vec, p.used), make([]columnar.Packed, p.used)
	return p, nil
}

// take returns those columns of the given rows of b that the outputs use, which stay until
// it is called again.
func (p *projector) take(b *columnar.Batch, rows []int32) []columnar.Vec {
	for i := range p.in {
		p.in[i] = p.packed[i].Take(&b.Cols[i], rows)
	}
	return p.in
}

// project returns the outputs of the given rows of b, of all for nil.
func (p *projector) project(b *columnar.Batch, rows []int32) (*RowBatch, error) {
	n, in := b.Rows, b.Cols[:p.used]
	if rows != nil {
		if p.copies {
			p.packed = make([]columnar.Packed, p.used)
		}
		n, in = len(rows), p.take(b, rows)
	} else if p.copies {
		in = p.in
		for i := range in {
			in[i] = expr.Clone(&b.Cols[i])
		}
	}
	out := &p.out
	out.Rows = n
	out.Cols = make([]columnar.Vec, len(p.outputs))
	p.batch.SetColumns(n, in)
	return out, evalAll(&p.batch, p.outputs, out.Cols)
}

// parallelRows is tableRows on several workers: each computes whole row groups.
func (q *query) parallelRows(workers int) rowSeq {
	return func(yield func(*RowBatch, error) bool) {
		err := inOrder(q.run.ctx, q.table.Groups(), workers,
			func() (*projector, error) {
				w, err := q.again()
				if err != nil {
					return nil, err
				}
				p, err := w.projector(w.outputs)
				if p != nil {
					p.copies = true
				}
				return p, err
			},
			func(p *projector, g int) ([]*RowBatch, error) {
				var list []*RowBatch
				err := p.filter.group(g, func(b *columnar.Batch, rows []int32) error {
					out, err := p.project(b, rows)
					if err == nil {
						list = append(list, &RowBatch{Rows: out.Rows, Cols: out.Cols})
					}
					return err
				})
				return list, err
			},
			func(list []*RowBatch) error {
				for _, b := range list {
					if !yield(b, nil) {
						return errStopped
					}
				}
				return nil
			})
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

// again returns the query bound anew over the same table, for another goroutine.
func (q *query) again() (*query, error) {
	c := &query{run: q.run, stmt: q.stmt, table: q.table, limit: q.limit, offset: q.offset}
	alias := ""
	if q.stmt.From != nil {
		alias = q.stmt.From.Alias
	}
	c.scope = q.run.scope(q.table, alias, "")
	if err := c.expand(); err != nil {
		return nil, err
	}
	keys, err := c.groupKeys()
	if err != nil {
		return nil, err
	}
	if q.groups != nil {
		if err := c.bindGroups(keys); err != nil {
			return nil, err
		}
	}
	return c, c.bindOutputs()
}

// series is rows that no table holds: those of VALUES by column, a range of integers, or what
// a function produces.
type series struct {
	produce        func(each func(n int, cols []columnar.Vec) error) error // nil for the others
	values         [][]columnar.Value
	from, to, step int64
	typ            columnar.Type
}

// tableFunction resolves FROM function(...).
func (q *query) tableFunction(v view, from *ast.From) error {
	c := from.Call
	if _, ok := graphFunctions[c.Name]; ok {
		return q.graphFunction(v, from)
	}
	if len(c.Named) > 0 {
		return q.run.at(c.Named[0].Pos(), pgerr.New(pgerr.UndefinedFunction, "%s has no argument named \"%s\"", c.Name, c.Named[0].Name))
	}
	if c.Name == "copy_progress" && len(c.Args) == 0 {
		t, err := q.run.opt.Shared.progress()
		if err != nil {
			return err
		}
		q.table = t
		q.scope = q.run.scope(t, from.Alias, "")
		return nil
	}
	if c.Name != "generate_series" {
		return q.run.at(c.Pos(), pgerr.New(pgerr.UndefinedFunction, "table function %s does not exist", c.Name).
			WithHint("There are generate_series, copy_progress, neighbors, reachable, shortest_path and all_shortest_paths. Files are read with COPY."))
	}
	if len(c.Args) != 2 && len(c.Args) != 3 {
		return q.run.at(c.Pos(), pgerr.New(pgerr.UndefinedFunction, "generate_series takes two or three arguments"))
	}
	scope := q.run.scope(nil, "", "functions in FROM")
	s := &series{step: 1, typ: columnar.Type{Kind: columnar.Int4}}
	for i, a := range c.Args {
		n, err := scope.Bind(a)
		if err != nil {
			return err
		}
		if n.Type().Kind == columnar.Int8 {
			s.typ = n.Type()
		}
		if n, err = scope.Assign(n, columnar.Type{Kind: columnar.Int8}, c.Name, a.Pos()); err != nil {
			return err
		}
		v, err := single(n)
		if err != nil {
			return err
		}
		if v.Null {
			s.from, s.to, s.step = 1, 0, 1
			break
		}
		*[]*int64{&s.from, &s.to, &s.step}[i] = v.I
	}
	if s.step == 0 {
		return q.run.at(c.Pos(), pgerr.New(pgerr.InvalidParameterValue, "step size cannot equal zero"))
	}
	name := c.Name
	if from.Alias != "" {
		name = from.Alias
	}
	q.series = s
	q.scope = q.run.scope(nil, "", "")
	q.scope.Table = name
	q.scope.Columns = []expr.Column{{Name: name, Type: s.typ}}
	return nil
}

// batches calls each with the rows of the series.
func (s *series) batches(each func(n int, cols []columnar.Vec) error) error {
	if s.produce != nil {
		return s.produce(each)
	}
	if s.values != nil {
		for from := 0; from < len(s.values[0]); from += expr.MaxRows {
			n := min(len(s.values[0])-from, expr.MaxRows)
			cols := make([]columnar.Vec, len(s.values))
			for i, v := range s.values {
				cols[i] = expr.FromValues(v[0].Type, v[from:from+n])
			}
			if err := each(n, cols); err != nil {
				return err
			}
		}
		return nil
	}
	values := make([]columnar.Value, 0, expr.MaxRows)
	at, more := s.from, (s.step > 0) == (s.from <= s.to) || s.from == s.to
	for more {
		values = append(values, columnar.Value{Type: s.typ, I: at})
		next := at + s.step
		more = (next > at) == (s.step > 0) && (s.step > 0 && next <= s.to || s.step < 0 && next >= s.to)
		at = next
		if len(values) == expr.MaxRows || !more {
			if err := each(len(values), []columnar.Vec{expr.FromValues(s.typ, values)}); err != nil {
				return err
			}
			values = values[:0]
		}
	}
	return nil
}

// seriesBatches calls each with the rows of the series that WHERE leaves, as columns in
// the order that the scope refers to them.
func (q *query) seriesBatches(each func(n int, cols []columnar.Vec) error) error {
	f := filter{run: q.run}
	used := len(q.scope.Refs)
	if q.stmt.Values != nil {
		for i := range q.scope.Columns {
			q.scope.Column(i)
		}
		used = len(q.scope.Refs)
	}
	q.scope.Clause = "WHERE"
	if err := f.bind(q.scope, q.stmt.Where); err != nil {
		return err
	}
	return q.series.batches(func(n int, all []columnar.Vec) error {
		if err := q.run.ctx.Err(); err != nil {
			return err
		}
		b := &columnar.Batch{Rows: n}
		for _, pos := range q.scope.Refs {
			b.Cols = append(b.Cols, all[pos])
		}
		mask, left, err := f.matching(b)
		if err != nil || left == 0 {
			return err
		}
		cols := b.Cols[:used]
		if mask != nil {
			f.rows = expr.AppendRows(f.rows[:0], mask, n)
			for i := range cols {
				cols[i] = expr.Gather(&cols[i], f.rows)
			}
		}
		return each(left, cols)
	})
}

// seriesRows gives the outputs for the rows of a series.
func (q *query) seriesRows() rowSeq {
	return func(yield func(*RowBatch, error) bool) {
		var batch expr.Batch
		err := q.seriesBatches(func(n int, cols []columnar.Vec) error {
			batch.SetColumns(n, cols)
			out := &RowBatch{Rows: n, Cols: make([]columnar.Vec, len(q.outputs))}
			if err := evalAll(&batch, q.outputs, out.Cols); err != nil {
				return err
			}
			if !yield(out, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}
