package sql

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// rowSeq is the batches of rows that a step gives. A batch is valid until the next step
// of the loop.
type rowSeq = iter.Seq2[*RowBatch, error]

// query runs SELECT and VALUES.
func (r *run) query(stmt *ast.Select) (*Result, error) {
	v, err := r.view()
	if err != nil {
		return nil, err
	}
	q, err := r.plan(v, stmt)
	if err != nil {
		v.release()
		return nil, err
	}
	return r.result("SELECT", q.columns(), q.rows(), v.release), nil
}

// result returns a Result whose rows come from seq; release is called when it ends.
func (r *run) result(statement string, cols []ResultColumn, seq rowSeq, release func()) *Result {
	res := &Result{Statement: statement, Columns: cols}
	res.end = func(err error) {
		release()
		if err != nil {
			_ = r.Session.fail(err)
		}
	}
	finish := func(err error) {
		if end := res.end; end != nil {
			res.end = nil
			end(err)
		}
	}
	res.Batches = func(yield func(*RowBatch, error) bool) {
		if res.end == nil {
			return // the loop was run before, or the session went on
		}
		err := mmap.Guard(func() error {
			for b, err := range seq {
				if err != nil {
					return err
				}
				res.Rows += int64(b.Rows)
				if !yield(b, nil) {
					return errStopped
				}
			}
			return nil
		})
		if err == errStopped {
			finish(nil)
			return
		}
		finish(err)
		if err != nil {
			yield(nil, err)
			return
		}
		res.Tag = fmt.Sprintf("%s %d", statement, res.Rows)
	}
	return res
}

// errStopped says that a consumer has left its loop.
var errStopped = errors.New("sql: loop was left")

// query is a SELECT ready to run.
type query struct {
	run   *run
	stmt  *ast.Select
	table *columnar.Table // nil without FROM
	items []item
	order []sortKey // by index in outputs

	visible int         // of the outputs; those behind are only sorted by
	outputs []expr.Node // over the rows of the table, or over the groups
	scope   *expr.Scope // of the table
	groups  *grouping   // nil if the query does not group
	series  *series     // the table function, instead of table

	limit, offset int64 // limit -1: none
}

// item is a column of the result.
type item struct {
	name string
	typ  columnar.Type
	expr ast.Expr
}

// columns describes the rows.
func (q *query) columns() []ResultColumn {
	out := make([]ResultColumn, q.visible)
	for i := range out {
		out[i] = ResultColumn{Name: q.items[i].name, Type: q.items[i].typ}
	}
	return out
}

// itemAt returns the place of item i in the statement.
func (q *query) itemAt(i int) int {
	if q.items[i].expr == nil {
		return q.stmt.Pos()
	}
	return q.items[i].expr.Pos()
}

// plan binds a SELECT to what v sees.
func (r *run) plan(v view, stmt *ast.Select) (*query, error) {
	q := &query{run: r, stmt: stmt, limit: -1}
	if err := q.source(v); err != nil {
		return nil, err
	}
	if err := q.expand(); err != nil {
		return nil, err
	}
	if err := q.limits(); err != nil {
		return nil, err
	}
	if stmt.Values != nil {
		return q, q.bindValues()
	}
	keys, err := q.groupKeys()
	if err != nil {
		return nil, err
	}
	if keys != nil || stmt.Having != nil || q.aggregates() {
		if err := q.bindGroups(keys); err != nil {
			return nil, err
		}
	}
	if err := q.bindOutputs(); err != nil {
		return nil, err
	}
	return q, q.checkWhere()
}

// checkWhere finds the errors of WHERE before the query runs, which binds it for each
// worker.
func (q *query) checkWhere() error {
	if q.stmt.Where == nil {
		return nil
	}
	s := q.scope.Copy()
	s.Clause = "WHERE"
	_, err := s.Boolean(q.stmt.Where)
	return err
}

// source resolves FROM.
func (q *query) source(v view) error {
	from := q.stmt.From
	if from == nil {
		q.scope = q.run.scope(nil, "", "")
		return nil
	}
	if from.Call != nil {
		return q.tableFunction(v, from)
	}
	t, err := q.run.readable(v, from.Table)
	if err != nil {
		return err
	}
	q.table = t
	q.scope = q.run.scope(t, from.Alias, "")
	return nil
}

// expand makes the items of the select list, stars replaced by columns.
func (q *query) expand() error {
	for i := range q.stmt.Items {
		it := &q.stmt.Items[i]
		if !it.Star {
			name := it.Alias
			if name == "" {
				name = columnName(it.Expr)
			}
			q.items = append(q.items, item{name: name, expr: it.Expr})
			continue
		}
		switch {
		case q.stmt.From == nil:
			return q.run.at(it.Pos(), pgerr.New(pgerr.SyntaxError, "SELECT * with no tables specified is not valid"))
		case it.Table != "" && it.Table != q.scope.Table:
			return q.run.at(it.Pos(), pgerr.New(pgerr.UndefinedTable, "missing FROM-clause entry for table \"%s\"", it.Table))
		}
		for _, c := range q.scope.Columns {
			q.items = append(q.items, item{name: c.Name, expr: &ast.Column{At: it.At, Name: c.Name}})
		}
	}
	q.visible = len(q.items)
	return nil
}

// columnName returns the name that PostgreSQL gives a column of a result.
func columnName(e ast.Expr) string {
	name, _ := figureName(e)
	return name
}

// figureName returns a name for e and whether it is a strong one, which a cast or a CASE
// around it keeps.
func figureName(e ast.Expr) (name string, strong bool) {
	switch e := e.(type) {
	case *ast.Column:
		return e.Name, true
	case *ast.Call:
		return e.Name, true
	case *ast.Array:
		return "array", true
	case *ast.Cast:
		if name, strong := figureName(e.X); strong {
			return name, true
		}
		return typeLabel(e.Type), false
	case *ast.Case:
		if e.Else != nil {
			if name, strong := figureName(e.Else); strong {
				return name, true
			}
		}
		return "case", false
	case *ast.Bool:
		return "bool", false
	case *ast.Subscript:
		return figureName(e.X)
	}
	return "?column?", false
}

// typeLabel returns the name of a cast's result: the type's short name.
func typeLabel(t columnar.Type) string {
	t.Length = 0
	if t.Kind == columnar.Decimal {
		return "numeric"
	}
	t.Array = false
	return t.String()
}

// limits evaluates LIMIT and OFFSET.
func (q *query) limits() (err error) {
	if q.stmt.Limit != nil {
		if q.limit, err = q.count(q.stmt.Limit, "LIMIT", -1); err != nil {
			return err
		}
	}
	if q.stmt.Offset != nil {
		q.offset, err = q.count(q.stmt.Offset, "OFFSET", 0)
	}
	return err
}

// count evaluates a number of rows; NULL means none.
func (q *query) count(e ast.Expr, what string, none int64) (int64, error) {
	if pos := columnIn(e); pos >= 0 {
		return 0, q.run.at(pos, pgerr.New(pgerr.InvalidColumnReference, "argument of %s must not contain variables", what))
	}
	scope := q.run.scope(nil, "", what)
	n, err := scope.Bind(e)
	if err == nil {
		n, err = scope.Assign(n, columnar.Type{Kind: columnar.Int8}, what, e.Pos())
	}
	if err != nil {
		return 0, err
	}
	v, err := single(n)
	switch {
	case err != nil:
		return 0, err
	case v.Null:
		return none, nil
	case v.I < 0:
		state := "2201W"
		if what == "OFFSET" {
			state = "2201X"
		}
		return 0, q.run.at(e.Pos(), pgerr.New(state, "%s must not be negative", what))
	}
	return v.I, nil
}

// columnIn returns the place of a column in e, -1 if there is none.
func columnIn(e ast.Expr) int {
	pos := -1
	ast.Walk(e, func(x ast.Expr) bool {
		if _, ok := x.(*ast.Column); ok && pos < 0 {
			pos = x.Pos()
		}
		return pos < 0
	})
	return pos
}

// bindOutputs binds the select list and ORDER BY.
func (q *query) bindOutputs() error {
	scope, clause := q.scope, "SELECT"
	if q.groups != nil {
		scope = q.groups.scope
	}
	scope.Clause = clause
	for i := range q.items {
		n, err := scope.Decided(q.items[i].expr)
		if err != nil {
			return err
		}
		q.items[i].typ = n.Type()
		q.outputs = append(q.outputs, n)
	}
	scope.Clause = "ORDER BY"
	for _, o := range q.stmt.OrderBy {
		i, err := q.orderOutput(scope, o.Expr)
		if err != nil {
			return err
		}
		if err := q.orders(i, o.Expr); err != nil {
			return err
		}
		q.order = append(q.order, sortKey{i, o.Desc, o.NullsFirst})
	}
	for i := range q.items[:q.visible] {
		if q.stmt.Distinct && q.items[i].typ.Kind == columnar.JSON {
			return q.run.at(q.itemAt(i), pgerr.New(pgerr.UndefinedFunction, "could not identify an equality operator for type json"))
		}
	}
	if q.groups != nil {
		return q.groups.finish()
	}
	return nil
}

// orders refuses to sort by an output that has no order.
func (q *query) orders(output int, e ast.Expr) error {
	switch t := q.items[output].typ; {
	case t.Array:
		return q.run.at(e.Pos(), pgerr.New(pgerr.FeatureNotSupported, "sorting by arrays is not supported"))
	case t.Kind == columnar.JSON:
		return q.run.at(e.Pos(), pgerr.New(pgerr.UndefinedFunction, "could not identify an ordering operator for type json"))
	}
	return nil
}

// orderOutput returns the index of the output that an element of ORDER BY sorts by: a
// position, the name of a result column, an item that is written alike, or a new one.
func (q *query) orderOutput(scope *expr.Scope, e ast.Expr) (int, error) {
	i, err := q.namedItem(e, "ORDER BY")
	if err != nil || i >= 0 {
		return i, err
	}
	text := e.String()
	for i := range q.items[:q.visible] {
		if q.items[i].expr != nil && q.items[i].expr.String() == text {
			return i, nil
		}
	}
	if q.stmt.Distinct {
		return 0, q.run.at(e.Pos(), pgerr.New(pgerr.InvalidColumnReference,
			"for SELECT DISTINCT, ORDER BY expressions must appear in select list"))
	}
	n, err := scope.Decided(e)
	if err != nil {
		return 0, err
	}
	q.outputs = append(q.outputs, n)
	q.items = append(q.items, item{typ: n.Type(), expr: e})
	return len(q.outputs) - 1, nil
}

// namedItem returns the item that e names by position or by its alias, -1 if it is
// another expression.
func (q *query) namedItem(e ast.Expr, clause string) (int, error) {
	switch e := e.(type) {
	case *ast.Null, *ast.Bool:
		return 0, q.run.at(e.Pos(), pgerr.New(pgerr.SyntaxError, "non-integer constant in %s", clause))
	case *ast.Number:
		if strings.ContainsAny(e.Text, ".e") {
			return 0, q.run.at(e.Pos(), pgerr.New(pgerr.SyntaxError, "non-integer constant in %s", clause))
		}
		for i := range q.visible {
			if fmt.Sprint(i+1) == e.Text {
				return i, nil
			}
		}
		return 0, q.run.at(e.Pos(), pgerr.New(pgerr.InvalidColumnReference, "%s position %s is not in select list", clause, e.Text))
	case *ast.Column:
		found := -1
		for i := range q.items[:q.visible] {
			if e.Table == "" && q.items[i].name == e.Name {
				if found >= 0 && q.items[found].expr.String() != q.items[i].expr.String() {
					return 0, q.run.at(e.Pos(), pgerr.New("42702", "%s \"%s\" is ambiguous", clause, e.Name))
				}
				found = i
			}
		}
		return found, nil
	case *ast.String:
		return 0, q.run.at(e.Pos(), pgerr.New(pgerr.SyntaxError, "non-integer constant in %s", clause))
	}
	return -1, nil
}

// bindValues makes the rows of VALUES the outputs of a query without a table: each
// column unified over the rows.
func (q *query) bindValues() error {
	for k := range q.stmt.Values[0] {
		q.items = append(q.items, item{name: fmt.Sprintf("column%d", k+1)})
		column := make([]ast.Expr, len(q.stmt.Values))
		for i, row := range q.stmt.Values {
			column[i] = row[k]
		}
		nodes, t, err := q.scope.Unify(column, "VALUES")
		if err != nil {
			return err
		}
		values := make([]columnar.Value, len(nodes))
		for i, n := range nodes {
			if values[i], err = single(n); err != nil {
				return err
			}
		}
		q.items[k].typ = t
		q.scope.Columns = append(q.scope.Columns, expr.Column{Name: q.items[k].name, Type: t})
		q.outputs = append(q.outputs, expr.NewRef(k, t))
		if q.series == nil {
			q.series = &series{}
		}
		q.series.values = append(q.series.values, values)
	}
	q.visible = len(q.items)
	for _, o := range q.stmt.OrderBy {
		i, err := q.namedItem(o.Expr, "ORDER BY")
		if err == nil && i < 0 {
			err = q.run.at(o.Expr.Pos(), pgerr.New(pgerr.FeatureNotSupported, "VALUES can be ordered by its columns only"))
		}
		if err != nil {
			return err
		}
		q.order = append(q.order, sortKey{i, o.Desc, o.NullsFirst})
	}
	return nil
}

// rows runs the query.
func (q *query) rows() rowSeq {
	var seq rowSeq
	switch {
	case q.groups != nil:
		seq = q.groupRows()
	case q.series != nil:
		seq = q.seriesRows()
	case q.table == nil:
		seq = q.oneRow()
	default:
		seq = q.tableRows()
	}
	if q.stmt.Distinct {
		seq = q.distinct(seq)
	}
	if len(q.order) > 0 {
		seq = q.sorted(seq)
	}
	return q.cut(seq)
}

// cut takes OFFSET and LIMIT and leaves the outputs out that were only sorted by.
func (q *query) cut(seq rowSeq) rowSeq {
	return func(yield func(*RowBatch, error) bool) {
		skip, left := q.offset, q.limit
		if left == 0 {
			return
		}
		for b, err := range seq {
			if err != nil {
				yield(nil, err)
				return
			}
			from, n := 0, b.Rows
			if skip > 0 {
				from = int(min(skip, int64(n)))
				skip -= int64(from)
				n -= from
			}
			if left >= 0 {
				n = int(min(left, int64(n)))
				left -= int64(n)
			}
			if n > 0 {
				out := &RowBatch{Rows: n, Cols: b.Cols[:q.visible:q.visible]}
				if n < b.Rows {
					out.Cols = make([]columnar.Vec, q.visible)
					for i := range out.Cols {
						out.Cols[i] = b.Cols[i].Slice(from, n)
					}
				}
				if !yield(out, nil) {
					return
				}
			}
			if left == 0 {
				return
			}
		}
	}
}
