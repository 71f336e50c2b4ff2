package sql

import (
	"fmt"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// returning computes the RETURNING list of a statement from the rows that it writes or
// deletes. It is computed before the statement commits, so that an error in it undoes the
// statement, and kept in memory within the session's limit.
type returning struct {
	q     *query
	batch expr.Batch
	cols  []columnar.Vec
	rows  []*RowBatch
	bytes int64
}

// returning binds a RETURNING list over the columns of t; nil if there is none.
func (r *run) returning(t *columnar.Table, alias string, list []ast.SelectItem) (*returning, error) {
	if list == nil {
		return nil, nil
	}
	stmt := &ast.Select{Base: ast.Base{At: list[0].At}, Items: list, From: &ast.From{Table: ast.TableName{Name: t.Schema().Name}, Alias: alias}}
	q := &query{run: r, stmt: stmt, limit: -1, table: t, scope: r.scope(t, alias, "RETURNING")}
	if err := q.expand(); err != nil {
		return nil, err
	}
	if q.aggregates() {
		return nil, r.at(q.itemAt(0), pgerr.New(pgerr.GroupingError, "aggregate functions are not allowed in RETURNING"))
	}
	if err := q.bindOutputs(); err != nil {
		return nil, err
	}
	return &returning{q: q, cols: make([]columnar.Vec, len(q.scope.Refs))}, nil
}

// add computes the list for n rows; col gives their columns by position.
func (t *returning) add(n int, col func(pos int) columnar.Vec) error {
	for i, pos := range t.q.scope.Refs {
		t.cols[i] = col(pos)
	}
	t.batch.SetColumns(n, t.cols)
	out := &RowBatch{Rows: n, Cols: make([]columnar.Vec, len(t.q.outputs))}
	if err := evalAll(&t.batch, t.q.outputs, out.Cols); err != nil {
		return err
	}
	return t.keep(out)
}

// deleting returns the filter that finds the rows which are about to be deleted, and what
// computes the list for the given rows of a batch of its, of all for nil.
func (t *returning) deleting(where ast.Expr) (*filter, func(*columnar.Batch, []int32) error, error) {
	t.q.stmt.Where = where
	p, err := t.q.projector(t.q.outputs)
	if err != nil {
		return nil, nil, err
	}
	return &p.filter, func(b *columnar.Batch, rows []int32) error {
		out, err := p.project(b, rows)
		if err != nil {
			return err
		}
		return t.keep(out)
	}, nil
}

// keep takes a copy of a batch.
func (t *returning) keep(b *RowBatch) error {
	kept := &RowBatch{Rows: b.Rows, Cols: make([]columnar.Vec, len(b.Cols))}
	for i := range b.Cols {
		kept.Cols[i] = expr.Clone(&b.Cols[i])
		t.bytes += int64(len(kept.Cols[i].Fixed()) + len(kept.Cols[i].Data()) + 4*len(kept.Cols[i].Offsets()))
	}
	if limit := t.q.run.opt.MemoryLimit; t.bytes > limit {
		return pgerr.New(pgerr.OutOfMemory, "the rows of RETURNING take more than %d bytes", limit).
			WithHint("Return fewer rows or columns, or raise the memory limit.")
	}
	t.rows = append(t.rows, kept)
	return nil
}

// result gives the rows of a statement that is done; tag is its command tag.
func (t *returning) result(done *Result) *Result {
	seq := func(yield func(*RowBatch, error) bool) {
		for _, b := range t.rows {
			if !yield(b, nil) {
				return
			}
		}
	}
	n, tag := done.Rows, done.Tag
	res := t.q.run.result(done.Statement, t.q.columns(), seq, func() {})
	taken := res.Batches
	res.Batches = func(yield func(*RowBatch, error) bool) {
		taken(yield)
		res.Tag, res.Rows = tag, n
	}
	res.Tag = tag
	return res
}

// withReturning returns res, with the rows of t if the statement has RETURNING.
func withReturning(res *Result, t *returning, err error) (*Result, error) {
	if err != nil || t == nil {
		return res, err
	}
	return t.result(res), nil
}

// copyChange runs COPY (INSERT, UPDATE or DELETE ... RETURNING) TO: if the rows cannot be
// written, nothing is changed.
func (r *run) copyChange(stmt *ast.Copy, write func(copy *Result) (*Result, error)) (*Result, error) {
	own := r.tx == nil
	if own {
		r.tx = &transaction{}
	}
	inner, err := r.statement(stmt.Change)
	var res *Result
	if err == nil {
		res, err = write(inner)
	}
	if !own {
		return res, err
	}
	if err != nil {
		r.rollback()
		return nil, err
	}
	if _, err := r.commit(); err != nil {
		return nil, fmt.Errorf("the rows were written but the change was not committed: %w", err)
	}
	return res, nil
}
