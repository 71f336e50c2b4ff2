package sql

import (
	"fmt"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
	"github.com/ingotdb/ingot/sql/parse"
)

// defaults returns the evaluated defaults of a table by column position, NULL where
// there is none.
func (r *run) defaults(s *columnar.Schema) ([]columnar.Value, error) {
	out := make([]columnar.Value, len(s.Columns))
	for i := range s.Columns {
		c := &s.Columns[i]
		out[i] = columnar.Value{Type: c.Type, Null: true}
		if !c.HasDefault {
			continue
		}
		e, err := parse.Expr(c.Default)
		if err != nil {
			return nil, fmt.Errorf("sql: default of column %s: %w", c.Name, err)
		}
		plain := *r
		plain.source = "" // the default's positions are not in the statement
		if out[i], err = plain.constant(e, c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// targets returns the positions of the columns that an INSERT names, all for none.
func (r *run) targets(s *columnar.Schema, list []ast.Ident) ([]int, error) {
	var out []int
	seen := make(map[int]bool)
	at := make(map[string]int, len(s.Columns))
	for i := range s.Columns {
		at[s.Columns[i].Name] = i
	}
	for _, id := range list {
		pos, ok := at[id.Name]
		if !ok {
			e := pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", id.Name, s.Name)
			if near := expr.Near(id.Name, columnNames(s)); near != "" {
				e.WithHint("Perhaps you meant the column \"%s\".", near)
			}
			return nil, r.at(id.Pos(), e)
		}
		if seen[pos] {
			return nil, r.at(id.Pos(), pgerr.New(pgerr.DuplicateColumn, "column \"%s\" specified more than once", id.Name))
		}
		seen[pos] = true
		out = append(out, pos)
	}
	if list == nil {
		for i := range s.Columns {
			out = append(out, i)
		}
	}
	return out, nil
}

func columnNames(s *columnar.Schema) []string {
	names := make([]string, len(s.Columns))
	for i := range s.Columns {
		names[i] = s.Columns[i].Name
	}
	return names
}

// insert runs INSERT. Outside a transaction the rows are computed before the write lock
// is taken.
func (r *run) insert(stmt *ast.Insert) (*Result, error) {
	var rows int64
	var returned *returning
	store := func(v view) (*columnar.Load, string, error) {
		t, err := r.table(v, stmt.Table)
		if err != nil {
			return nil, "", err
		}
		w, err := r.insertRows(v, t, stmt)
		if err != nil {
			return nil, "", err
		}
		rows, returned = w.rows, w.returned
		load, err := w.done()
		if err != nil {
			w.load.Abort()
		}
		return load, t.Schema().Name, err
	}
	if r.tx != nil {
		err := r.write(func(txn *columnar.Txn) error {
			load, name, err := store(txn)
			if err != nil {
				return err
			}
			return r.append(txn, name, load)
		})
		return withReturning(inserted(rows), returned, err)
	}
	v, err := r.view()
	if err != nil {
		return nil, err
	}
	defer v.release()
	load, name, err := store(v)
	if err != nil {
		return nil, err
	}
	defer load.Abort() // does nothing once the load is appended
	if err := load.Sync(r.ctx); err != nil {
		return nil, err
	}
	err = r.write(func(txn *columnar.Txn) error { return r.append(txn, name, load) })
	return withReturning(inserted(rows), returned, err)
}

// append gives a load to the transaction.
func (r *run) append(txn *columnar.Txn, table string, load *columnar.Load) error {
	defer load.Abort()
	_, err := txn.Append(r.ctx, table, load)
	return err
}

func inserted(rows int64) *Result {
	return &Result{Tag: fmt.Sprintf("INSERT 0 %d", rows), Statement: "INSERT", Rows: rows, Batches: none}
}

// insertRows computes the rows of an INSERT.
func (r *run) insertRows(v view, t *columnar.Table, stmt *ast.Insert) (w *rowWriter, err error) {
	s := t.Schema()
	targets, err := r.targets(s, stmt.Columns)
	if err != nil {
		return nil, err
	}
	if w, err = r.newRowWriter(s); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.load.Abort()
		}
	}()
	if w.returned, err = r.returning(t, stmt.Alias, stmt.Returning); err != nil {
		return w, err
	}
	defaults, err := r.defaults(s)
	if err != nil {
		return w, err
	}
	ins := inserter{run: r, stmt: stmt, schema: s, targets: targets, defaults: defaults, w: w}
	switch {
	case stmt.DefaultValues:
		return w, ins.values([][]ast.Expr{nil})
	case stmt.Query.Values != nil && len(stmt.Query.OrderBy) == 0 && stmt.Query.Limit == nil && stmt.Query.Offset == nil:
		return w, ins.values(stmt.Query.Values)
	}
	return w, ins.query(v)
}

// inserter computes the rows of one INSERT.
type inserter struct {
	*run
	stmt     *ast.Insert
	schema   *columnar.Schema
	targets  []int
	defaults []columnar.Value
	w        *rowWriter
}

// fits checks the number of values against that of the columns.
func (ins *inserter) fits(n, at int) error {
	switch {
	case n > len(ins.targets):
		return ins.at(at, pgerr.New(pgerr.SyntaxError, "INSERT has more expressions than target columns"))
	case n < len(ins.targets) && ins.stmt.Columns != nil:
		return ins.at(ins.stmt.Columns[n].Pos(), pgerr.New(pgerr.SyntaxError, "INSERT has more target columns than expressions"))
	}
	return nil
}

// values writes the rows of VALUES, 2,048 at a time.
func (ins *inserter) values(rows [][]ast.Expr) error {
	if len(rows[0]) > 0 {
		at := rows[0][min(len(rows[0])-1, len(ins.targets))].Pos()
		if err := ins.fits(len(rows[0]), at); err != nil {
			return err
		}
	}
	given := make(map[int]int, len(ins.targets)) // the expression for a column
	for k, pos := range ins.targets {
		given[pos] = k
	}
	for len(rows) > 0 {
		n := min(len(rows), expr.MaxRows)
		cols := make([]columnar.Vec, len(ins.schema.Columns))
		values := make([]columnar.Value, n)
		for pos := range ins.schema.Columns {
			k, ok := given[pos]
			if !ok {
				k = -1
			}
			for i, row := range rows[:n] {
				v, err := ins.value(row, k, pos)
				if err != nil {
					return err
				}
				values[i] = v
			}
			cols[pos] = expr.FromValues(ins.schema.Columns[pos].Type, values)
		}
		if err := ins.w.add(n, cols); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// value returns expression k of a row for the column at pos, its default for none.
func (ins *inserter) value(row []ast.Expr, k, pos int) (columnar.Value, error) {
	if k < 0 || k >= len(row) {
		return ins.defaults[pos], nil
	}
	if _, ok := row[k].(*ast.Default); ok {
		return ins.defaults[pos], nil
	}
	c := &ins.schema.Columns[pos]
	n, err := ins.scope(nil, "", "VALUES").BindTo(row[k], c.Type, c.Name)
	if err != nil {
		return columnar.Value{}, err
	}
	return single(n)
}

// query writes the rows of a SELECT.
func (ins *inserter) query(v view) error {
	q, err := ins.plan(v, ins.stmt.Query)
	if err != nil {
		return err
	}
	given, err := ins.outputs(q)
	if err != nil {
		return err
	}
	nodes := make([]expr.Node, len(ins.schema.Columns))
	for i := range nodes {
		nodes[i] = expr.NewConst(ins.defaults[i])
	}
	for i, n := range given {
		nodes[ins.targets[i]] = n
	}
	var batch expr.Batch
	cols := make([]columnar.Vec, len(nodes))
	for b, err := range q.rows() {
		if err != nil {
			return err
		}
		batch.SetColumns(b.Rows, b.Cols)
		if err := evalAll(&batch, nodes, cols); err != nil {
			return err
		}
		if err := ins.w.add(b.Rows, cols); err != nil {
			return err
		}
	}
	return nil
}

// outputs returns what the outputs of q are as values of the columns that they are for.
func (ins *inserter) outputs(q *query) ([]expr.Node, error) {
	out := q.columns()
	if err := ins.fits(len(out), ins.stmt.Query.Pos()); err != nil {
		return nil, err
	}
	scope := &expr.Scope{Source: ins.source, Location: ins.loc, Now: ins.now}
	for _, c := range out {
		scope.Columns = append(scope.Columns, expr.Column{Name: c.Name, Type: c.Type})
	}
	for i := range out { // a column's index is its position, whatever is a literal
		scope.Column(i)
	}
	nodes := make([]expr.Node, len(out))
	for i := range out {
		var err error
		if nodes[i], err = ins.assigned(scope, q, i, &ins.schema.Columns[ins.targets[i]]); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// assigned returns output i of a query as a value for column c. A literal there takes the
// column's type.
func (ins *inserter) assigned(scope *expr.Scope, q *query, i int, c *columnar.Column) (expr.Node, error) {
	switch e := q.items[i].expr.(type) {
	case *ast.String, *ast.Null:
		return scope.BindTo(e, c.Type, c.Name)
	}
	return scope.Assign(scope.Column(i), c.Type, c.Name, q.itemAt(i))
}

// evalAll computes nodes into cols.
func evalAll(b *expr.Batch, nodes []expr.Node, cols []columnar.Vec) error {
	for i, n := range nodes {
		if ref, ok := n.(*expr.Ref); ok {
			if v, stored := b.Stored(ref.Index); stored {
				cols[i] = *v
				continue
			}
		}
		v, err := n.Eval(b, nil)
		if err != nil {
			return err
		}
		cols[i] = v.Stored(b.Rows)
	}
	return nil
}
