package sql

import (
	"fmt"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
	"github.com/ingotdb/ingot/visibility"
)

// delete runs DELETE.
func (r *run) delete(stmt *ast.Delete) (*Result, error) {
	var n int
	var returned *returning
	err := r.write(func(txn *columnar.Txn) error {
		t, err := r.table(txn, stmt.Table)
		if err != nil {
			return err
		}
		if returned, err = r.returning(t, stmt.Alias, stmt.Returning); err != nil {
			return err
		}
		ids, err := r.deleted(t, stmt, returned)
		if err != nil {
			return err
		}
		if stmt.Cascade {
			n, _, err = txn.DeleteCascade(t.Schema().Name, ids)
		} else {
			n, err = txn.Delete(t.Schema().Name, ids)
		}
		return err
	})
	return withReturning(&Result{Tag: fmt.Sprintf("DELETE %d", n), Statement: "DELETE", Rows: int64(n), Batches: none}, returned, err)
}

// deleted returns the ids of the rows that a DELETE is about to delete, and adds them to
// returned unless that is nil.
func (r *run) deleted(t *columnar.Table, stmt *ast.Delete, returned *returning) (ids []visibility.RowID, err error) {
	f, keep := &filter{run: r, table: t}, func(*columnar.Batch, []int32) error { return nil }
	if returned == nil {
		err = f.bind(r.scope(t, stmt.Alias, "WHERE"), stmt.Where)
	} else {
		f, keep, err = returned.deleting(stmt.Where)
	}
	if err != nil {
		return nil, err
	}
	err = f.each(func(b *columnar.Batch, rows []int32) error {
		ids = appendIDs(ids, b, rows)
		if err := keep(b, rows); err != nil {
			return err
		}
		return r.ctx.Err()
	})
	return ids, err
}

// appendIDs appends the ids of the given rows of a batch, of all for nil.
func appendIDs(ids []visibility.RowID, b *columnar.Batch, rows []int32) []visibility.RowID {
	if rows == nil {
		for i := range b.Rows {
			ids = append(ids, b.First+visibility.RowID(i))
		}
		return ids
	}
	for _, i := range rows {
		ids = append(ids, b.First+visibility.RowID(i))
	}
	return ids
}

// update runs UPDATE: the rows that WHERE gives are deleted and appended with their new
// values, in one transaction.
func (r *run) update(stmt *ast.Update) (*Result, error) {
	var n int64
	var returned *returning
	err := r.write(func(txn *columnar.Txn) error {
		t, err := r.table(txn, stmt.Table)
		if err != nil {
			return err
		}
		w, err := r.newRowWriter(t.Schema())
		if err != nil {
			return err
		}
		defer w.load.Abort()
		if returned, err = r.returning(t, stmt.Alias, stmt.Returning); err != nil {
			return err
		}
		w.returned = returned
		ids, err := r.updated(t, stmt, w)
		if err != nil {
			return err
		}
		load, err := w.done()
		if err != nil {
			return err
		}
		n = w.rows
		_, err = txn.Replace(r.ctx, t.Schema().Name, ids, load)
		return err
	})
	return withReturning(&Result{Tag: fmt.Sprintf("UPDATE %d", n), Statement: "UPDATE", Rows: n, Batches: none}, returned, err)
}

// updated writes the new rows of an UPDATE and returns the ids of the old ones.
func (r *run) updated(t *columnar.Table, stmt *ast.Update, w *rowWriter) ([]visibility.RowID, error) {
	s := t.Schema()
	scope := r.scope(t, stmt.Alias, "UPDATE")
	nodes := make([]expr.Node, len(s.Columns))
	for i := range nodes {
		nodes[i] = scope.Column(i) // every column is read, in schema order
	}
	if err := r.assignments(scope, stmt, s, nodes); err != nil {
		return nil, err
	}
	f := filter{run: r, table: t}
	scope.Clause = "WHERE"
	if err := f.bind(scope, stmt.Where); err != nil {
		return nil, err
	}
	var ids []visibility.RowID
	var batch expr.Batch
	cols := make([]columnar.Vec, len(nodes))
	gathered, packed := make([]columnar.Vec, len(nodes)), make([]columnar.Packed, len(nodes))
	err := f.each(func(b *columnar.Batch, rows []int32) error {
		ids = appendIDs(ids, b, rows)
		n, in := b.Rows, b.Cols
		if rows != nil {
			n, in = len(rows), gathered
			for i := range gathered {
				gathered[i] = packed[i].Take(&b.Cols[i], rows)
			}
		}
		batch.SetColumns(n, in)
		if err := evalAll(&batch, nodes, cols); err != nil {
			return err
		}
		return w.add(n, cols)
	})
	return ids, err
}

// assignments replaces the nodes of the columns that an UPDATE sets.
func (r *run) assignments(scope *expr.Scope, stmt *ast.Update, s *columnar.Schema, nodes []expr.Node) error {
	var defaults []columnar.Value
	set := make(map[int]bool)
	for _, a := range stmt.Set {
		pos, err := r.targets(s, []ast.Ident{a.Column})
		if err != nil {
			return err
		}
		at := pos[0]
		if set[at] {
			return r.at(a.Column.Pos(), pgerr.New(pgerr.SyntaxError, "multiple assignments to same column \"%s\"", a.Column.Name))
		}
		set[at] = true
		if _, ok := a.Value.(*ast.Default); ok {
			if defaults == nil {
				if defaults, err = r.defaults(s); err != nil {
					return err
				}
			}
			nodes[at] = expr.NewConst(defaults[at])
			continue
		}
		if nodes[at], err = scope.BindTo(a.Value, s.Columns[at].Type, a.Column.Name); err != nil {
			return err
		}
	}
	return nil
}
