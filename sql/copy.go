package sql

import (
	"fmt"
	"iter"
	"sync"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// copy runs COPY.
func (r *run) copy(stmt *ast.Copy) (*Result, error) {
	if err := r.programAllowed(stmt); err != nil {
		return nil, err
	}
	if stmt.To {
		return r.copyTo(stmt)
	}
	if stmt.Endpoint == ast.Query {
		return r.copyQuery(stmt)
	}
	return r.copyFrom(stmt)
}

// options returns the options of a statement as package copy takes them.
func options(list []ast.Option) []copy.Option {
	kinds := map[ast.ValueKind]copy.ValueKind{
		ast.WordValue: copy.Word, ast.StringValue: copy.String, ast.NumberValue: copy.Number, ast.StarValue: copy.Star,
	}
	out := make([]copy.Option, len(list))
	for i, o := range list {
		out[i] = copy.Option{Name: o.Name, Pos: o.Pos(), List: o.Value.Kind == ast.ListValue}
		values := []ast.Value{o.Value}
		switch o.Value.Kind {
		case ast.NoValue:
			values = nil
		case ast.ListValue:
			values = o.Value.List
		}
		for _, v := range values {
			out[i].Values = append(out[i].Values, copy.OptionValue{Kind: kinds[v.Kind], Text: v.Text})
		}
	}
	return out
}

// env returns what package copy needs to know of the session.
func (r *run) env() copy.Env {
	return copy.Env{Files: r.opt.Files, MaxWorkers: r.opt.MaxWorkers, BlockSize: r.opt.BlockSize, MemoryLimit: r.opt.MemoryLimit, Notice: r.opt.OnNotice}
}

// copying returns the env of a COPY that begins, which others can watch until end.
func (r *run) copying(stmt *ast.Copy) (e copy.Env, end func()) {
	e = r.env()
	e.Progress = new(copy.Progress)
	if r.opt.OnProgress != nil {
		r.opt.OnProgress(e.Progress)
	}
	c := running{table: stmt.Table.Name, command: "COPY FROM", source: "PIPE", progress: e.Progress}
	if stmt.To {
		c.command = "COPY TO"
	}
	switch stmt.Endpoint {
	case ast.File:
		c.source = "FILE"
	case ast.Program:
		c.source = "PROGRAM"
	case ast.Query:
		c.source = "CALLBACK"
	}
	return e, r.opt.Shared.begin(c)
}

// positions returns the positions of a column list, nil for none.
func positions(s *columnar.Schema, list []ast.Ident) ([]int, error) {
	if list == nil {
		return nil, nil
	}
	names := make([]string, len(list))
	for i, id := range list {
		names[i] = id.Name
	}
	return copy.ColumnPositions(s, names)
}

// source returns what a COPY FROM reads.
func (r *run) copySource(stmt *ast.Copy, p *program) (copy.Source, error) {
	switch stmt.Endpoint {
	case ast.File:
		return copy.FromFiles(stmt.Paths...), nil
	case ast.Program:
		return copy.FromReader(p, ""), nil
	}
	if r.opt.Stdin == nil {
		return copy.Source{}, r.at(int(stmt.PathAt), pgerr.New(pgerr.ObjectNotInState, "there is no standard input to COPY from").
			WithHint("Give the session a reader, or name a file."))
	}
	return copy.FromReader(r.opt.Stdin, ""), nil
}

// target returns what package copy needs to know of the table of a COPY FROM.
func (r *run) target(t *columnar.Table, stmt *ast.Copy) (*copy.Target, error) {
	s := t.Schema()
	target := &copy.Target{Schema: s, Location: r.loc}
	var err error
	if target.Columns, err = positions(s, stmt.Columns); err != nil {
		return nil, err
	}
	for i := range s.Columns {
		if s.Columns[i].HasDefault {
			if target.Defaults, err = r.defaults(s); err != nil {
				return nil, err
			}
			break
		}
	}
	if target.Check, err = r.copyCheck(s); err != nil {
		return nil, err
	}
	if stmt.Where != nil {
		target.Where, target.Predicates, err = r.copyWhere(s, stmt.Where)
	}
	return target, err
}

// copyFrom runs COPY FROM a file or STDIN.
func (r *run) copyFrom(stmt *ast.Copy) (*Result, error) {
	ends, list, err := r.relEnds(stmt.Options)
	if err != nil {
		return nil, err
	}
	opt, err := copy.ParseFromOptions(options(list))
	if err != nil {
		return nil, err
	}
	p := &program{run: r}
	if stmt.Endpoint == ast.Program {
		p.command = stmt.Paths[0]
	}
	defer p.Close()
	src, err := r.copySource(stmt, p)
	if err != nil {
		return nil, err
	}
	return r.load(stmt, ends, opt, func(view, *copy.Target) (copy.Source, error) { return src, nil })
}

// load runs COPY FROM; source gives what to read, for what the statement sees.
func (r *run) load(stmt *ast.Copy, ends relEnds, opt *copy.FromOptions, source func(v view, t *copy.Target) (copy.Source, error)) (*Result, error) {
	var res copy.Result
	env, end := r.copying(stmt)
	defer end()
	bind := func(v view) (*copy.Target, copy.Source, error) {
		t, err := r.copyTable(v, stmt, ends)
		if err != nil {
			return nil, copy.Source{}, err
		}
		target, err := r.target(t, stmt)
		if err != nil {
			return nil, copy.Source{}, err
		}
		src, err := source(v, target)
		return target, src, err
	}
	if r.tx != nil {
		err := r.write(func(txn *columnar.Txn) error {
			target, src, err := bind(txn)
			if err != nil {
				return err
			}
			res, err = copy.FromTxn(r.ctx, r.store, txn, target, src, opt, env)
			return err
		})
		return copied(&res), err
	}
	v, err := r.view()
	if err != nil {
		return nil, err
	}
	defer v.release()
	target, src, err := bind(v)
	if err != nil {
		return nil, err
	}
	res, err = copy.From(r.ctx, r.store, target, src, opt, env)
	return copied(&res), err
}

func copied(res *copy.Result) *Result {
	return &Result{Tag: fmt.Sprintf("COPY %d", res.Rows), Statement: "COPY", Rows: res.Rows, Copy: res, Batches: none}
}

// copyQuery runs COPY t FROM (query). Values take the types of the columns as they do in
// an INSERT, and go from column to column.
func (r *run) copyQuery(stmt *ast.Copy) (*Result, error) {
	ends, list, err := r.relEnds(stmt.Options)
	if err != nil {
		return nil, err
	}
	opt, err := copy.ParseRowsOptions(options(list))
	if err != nil {
		return nil, err
	}
	return r.load(stmt, ends, opt, func(v view, t *copy.Target) (copy.Source, error) { return r.querySource(v, t, stmt) })
}

// querySource returns the source that the query of a COPY FROM is. The columns that it
// fills, which may be fewer than the statement names none of, are put into t.
func (r *run) querySource(v view, t *copy.Target, stmt *ast.Copy) (copy.Source, error) {
	q, err := r.plan(v, stmt.Query)
	if err != nil {
		return copy.Source{}, err
	}
	ins := inserter{run: r, stmt: &ast.Insert{Base: stmt.Base, Columns: stmt.Columns, Query: stmt.Query}, schema: t.Schema, targets: t.Columns}
	if ins.targets == nil {
		for i := range t.Schema.Columns {
			ins.targets = append(ins.targets, i)
		}
	}
	nodes, err := ins.outputs(q)
	if err != nil {
		return copy.Source{}, err
	}
	t.Columns = ins.targets[:len(nodes)]
	rows := func(yield func(copy.Batch, error) bool) {
		var batch expr.Batch
		cols := make([]columnar.Vec, len(nodes))
		for b, err := range q.rows() {
			if err == nil {
				batch.SetColumns(b.Rows, b.Cols)
				err = evalAll(&batch, nodes, cols)
			}
			if err != nil {
				yield(copy.Batch{}, err)
				return
			}
			if !yield(copy.Batch{Rows: b.Rows, Cols: cols}, nil) {
				return
			}
		}
	}
	class, n := q.cardinality()
	return copy.FromRows(rows, class, n), nil
}

// cardinality returns what is known of the number of rows of q before it runs.
func (q *query) cardinality() (copy.Cardinality, int64) {
	switch {
	case q.table == nil || q.groups != nil:
		return copy.Unknown, 0
	case q.stmt.Where != nil || q.stmt.Distinct:
		return copy.AtMost, int64(q.table.Rows())
	}
	n := max(0, int64(q.table.Rows())-q.offset)
	if q.limit >= 0 {
		n = min(n, q.limit)
	}
	return copy.Exact, n
}

// predicateOps are the comparisons that a format may use to leave rows out.
var predicateOps = map[kernels.Op]copy.Op{
	kernels.Eq: copy.Equal, kernels.Lt: copy.Less, kernels.Le: copy.LessEqual, kernels.Gt: copy.Greater, kernels.Ge: copy.GreaterEqual,
}

// copyWhere returns the test of a WHERE that COPY calls from its workers, and what a format
// may know of it.
func (r *run) copyWhere(s *columnar.Schema, where ast.Expr) (copy.FilterFunc, []copy.Predicate, error) {
	free := sync.Pool{}
	first, err := r.newCopyFilter(s, where)
	if err != nil {
		return nil, nil, err
	}
	var known []copy.Predicate
	for _, b := range expr.Bounds(first.node) {
		if op, ok := predicateOps[b.Op]; ok {
			known = append(known, copy.Predicate{Column: first.refs[b.Column], Op: op, Value: b.Value})
		}
	}
	free.Put(first)
	return func(n int, col func(pos int) columnar.Vec, keep []uint64) (int, error) {
		f, _ := free.Get().(*copyFilter)
		if f == nil {
			var err error
			if f, err = r.newCopyFilter(s, where); err != nil {
				return 0, err
			}
		}
		defer free.Put(f)
		return f.apply(n, col, keep)
	}, known, nil
}

// copyFilter is the WHERE of a COPY FROM. It is for one goroutine at a time.
type copyFilter struct {
	node  expr.Node
	refs  []int
	cols  []columnar.Vec
	part  []columnar.Vec
	batch expr.Batch
	mask  [expr.MaxRows / 64]uint64
}

func (r *run) newCopyFilter(s *columnar.Schema, where ast.Expr) (*copyFilter, error) {
	scope := &expr.Scope{Table: s.Name, Columns: columnsOf(s), Source: r.source, Location: r.loc, Now: r.now, Params: r.args, Clause: "COPY FROM WHERE conditions"}
	n, err := scope.Boolean(where)
	if err != nil {
		return nil, err
	}
	f := &copyFilter{node: n, refs: scope.Refs, cols: make([]columnar.Vec, len(scope.Refs))}
	f.part = make([]columnar.Vec, len(f.cols))
	return f, nil
}

// apply is a copy.FilterFunc.
func (f *copyFilter) apply(n int, col func(pos int) columnar.Vec, keep []uint64) (int, error) {
	for i, pos := range f.refs {
		f.cols[i] = col(pos)
	}
	for from := 0; from < n; from += expr.MaxRows {
		rows := min(n-from, expr.MaxRows)
		for i := range f.cols {
			f.part[i] = f.cols[i].Slice(from, rows)
		}
		f.batch.SetColumns(rows, f.part)
		active := keep[from/64:][:(rows+63)/64]
		v, err := f.node.Eval(&f.batch, active)
		if err != nil {
			return f.firstError(from, rows, active, err)
		}
		for i, b := range v.True(f.mask[:], rows) {
			active[i] &= b
		}
	}
	return n, nil
}

// firstError returns the first active row for which the condition has an error: each is
// tried by itself.
func (f *copyFilter) firstError(from, rows int, active []uint64, err error) (int, error) {
	one := make([]uint64, len(active))
	for i := range rows {
		if active[i>>6]>>(i&63)&1 == 0 {
			continue
		}
		clear(one)
		one[i>>6] = 1 << (i & 63)
		if _, err := f.node.Eval(&f.batch, one); err != nil {
			return from + i, err
		}
	}
	return from, err
}

// copyTo runs COPY TO.
func (r *run) copyTo(stmt *ast.Copy) (*Result, error) {
	opt, err := copy.ParseToOptions(options(stmt.Options))
	if err != nil {
		return nil, err
	}
	if stmt.Change != nil {
		return r.copyChange(stmt, func(res *Result) (*Result, error) {
			return r.unload(stmt, opt, func() (copy.Content, func(), error) { return res.content(), res.Close, nil })
		})
	}
	return r.unload(stmt, opt, func() (copy.Content, func(), error) {
		v, err := r.view()
		if err != nil {
			return copy.Content{}, nil, err
		}
		content, err := r.content(v, stmt)
		return content, v.release, err
	})
}

// content returns the rows of a statement that has run as what a COPY TO writes.
func (r *Result) content() copy.Content {
	var names []string
	var types []columnar.Type
	for _, c := range r.Columns {
		names = append(names, c.Name)
		types = append(types, c.Type)
	}
	return copy.QueryContent(names, types, batches(r.Batches))
}

// unload writes the rows of a COPY TO.
func (r *run) unload(stmt *ast.Copy, opt *copy.ToOptions, open func() (copy.Content, func(), error)) (_ *Result, err error) {
	var dst copy.Destination
	var command *program
	switch stmt.Endpoint {
	case ast.File:
		dst = copy.ToFile(stmt.Paths[0])
	case ast.Program:
		command = &program{run: r, command: stmt.Paths[0]}
		defer command.Close()
		dst = copy.ToWriter(command)
	case ast.Std:
		if r.opt.Stdout == nil {
			return nil, r.at(int(stmt.PathAt), pgerr.New(pgerr.ObjectNotInState, "there is no standard output to COPY to").
				WithHint("Give the session a writer, or name a file."))
		}
		dst = copy.ToWriter(r.opt.Stdout)
	}
	content, release, err := open()
	if release != nil {
		defer release()
	}
	if err != nil {
		return nil, err
	}
	env, end := r.copying(stmt)
	defer end()
	res, err := copy.To(r.ctx, content, dst, opt, r.loc, env)
	if err == nil && command != nil {
		err = command.finish()
	}
	return copied(&res), err
}

// content returns what a COPY TO writes.
func (r *run) content(v view, stmt *ast.Copy) (copy.Content, error) {
	if stmt.Query == nil {
		t, err := r.table(v, stmt.Table)
		if err != nil {
			return copy.Content{}, err
		}
		columns, err := positions(t.Schema(), stmt.Columns)
		if err != nil {
			return copy.Content{}, err
		}
		return copy.TableContent(t, columns)
	}
	q, err := r.plan(v, stmt.Query)
	if err != nil {
		return copy.Content{}, err
	}
	var names []string
	var types []columnar.Type
	for _, c := range q.columns() {
		names = append(names, c.Name)
		types = append(types, c.Type)
	}
	return copy.QueryContent(names, types, batches(q.rows())), nil
}

// batches gives rows in the form that package copy takes.
func batches(seq rowSeq) iter.Seq2[copy.Batch, error] {
	return func(yield func(copy.Batch, error) bool) {
		for b, err := range seq {
			if err != nil {
				yield(copy.Batch{}, err)
				return
			}
			if !yield(copy.Batch{Rows: b.Rows, Cols: b.Cols}, nil) {
				return
			}
		}
	}
}
