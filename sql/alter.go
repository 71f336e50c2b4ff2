package sql

import (
	"slices"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/parse"
)

// alterTable runs ALTER TABLE: its actions one after the other.
func (r *run) alterTable(stmt *ast.AlterTable) (*Result, error) {
	err := r.write(func(txn *columnar.Txn) error {
		t, err := r.stored(txn, stmt.Table)
		if stmt.IfExists && pgerr.Code(err) == pgerr.UndefinedTable {
			r.notice("relation \"%s\" does not exist, skipping", stmt.Table.Name)
			return nil
		}
		for _, a := range stmt.Actions {
			if err != nil {
				return err
			}
			s := t.Schema().Clone()
			changed, err := r.alter(t, s, a)
			if err != nil {
				return err
			}
			if !changed {
				continue
			}
			if a.RenameTo != nil && len(groupTables(txn, s.Name)) > 0 {
				return r.at(stmt.Table.Pos(), pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists", s.Name))
			}
			if err := txn.AlterTable(s); err != nil {
				return r.at(stmt.Table.Pos(), pgerr.From(err))
			}
			if t, err = txn.Table(s.Name); err != nil {
				return err
			}
			if a.Add != nil && len(a.Add.Column.Checks) > 0 {
				if err := r.addChecks(txn, t, a.Add.Column); err != nil {
					return err
				}
				if t, err = txn.Table(s.Name); err != nil {
					return err
				}
			}
		}
		return err
	})
	return command("ALTER TABLE"), err
}

// alter changes s, the schema of t, as one action says, and reports whether it did.
func (r *run) alter(t *columnar.Table, s *columnar.Schema, a ast.AlterAction) (bool, error) {
	switch {
	case a.Add != nil:
		return r.addColumn(t, s, a.Add)
	case a.Drop != nil:
		return r.dropColumn(s, a.Drop)
	case a.Rename != nil:
		return true, r.renameColumn(s, a.Rename)
	case a.RenameTo != nil:
		s.Name = a.RenameTo.Name
		return true, nil
	case a.SetDefault != nil:
		return true, r.setDefault(s, a.SetDefault)
	}
	return true, r.setNotNull(t, s, a.SetNotNull)
}

// columnAt returns the position of a column that must exist.
func (r *run) columnAt(s *columnar.Schema, id ast.Ident) (int, error) {
	pos := s.Lookup(id.Name)
	if pos < 0 {
		return 0, r.at(id.Pos(), pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", id.Name, s.Name))
	}
	return pos, nil
}

func (r *run) addColumn(t *columnar.Table, s *columnar.Schema, a *ast.AddColumn) (bool, error) {
	d := &a.Column
	if s.Lookup(d.Name) >= 0 {
		if a.IfNotExists {
			r.notice("column \"%s\" of relation \"%s\" already exists, skipping", d.Name, s.Name)
			return false, nil
		}
		return false, r.at(d.Pos(), pgerr.New(pgerr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", d.Name, s.Name))
	}
	if d.PrimaryKey || d.Unique {
		return false, r.at(d.Pos(), pgerr.New(pgerr.FeatureNotSupported, "keys cannot be added to a table").
			WithHint("Create a table with the key and copy the rows into it with COPY ... FROM (SELECT ...)."))
	}
	c := columnar.Column{Name: d.Name, Type: d.Type, NotNull: d.NotNull}
	c.Missing = columnar.Value{Type: d.Type, Null: true}
	if d.Default != nil {
		v, err := r.constant(d.Default, &c)
		if err != nil {
			return false, err
		}
		c.HasDefault, c.Default, c.Missing = true, d.Default.String(), v
	}
	if c.NotNull && c.Missing.Null && t.Rows() > 0 {
		return false, r.at(d.Pos(), pgerr.New(pgerr.NotNullViolation, "column \"%s\" of relation \"%s\" contains null values", c.Name, s.Name).
			WithHint("Give the column a DEFAULT."))
	}
	s.Columns = append(s.Columns, c)
	return true, nil
}

// addChecks adds the CHECK constraints of a new column and tests the rows there are.
func (r *run) addChecks(txn *columnar.Txn, t *columnar.Table, d ast.ColumnDef) error {
	b := tableBuilder{run: r, schema: t.Schema()}
	for _, c := range t.Schema().Constraints {
		b.names = append(b.names, c.Name)
	}
	for _, c := range d.Checks {
		if err := b.check(c, d.Name); err != nil {
			return err
		}
	}
	if err := r.addKeys(txn, t.Schema(), nil, b.checks); err != nil {
		return err
	}
	t, err := txn.Table(t.Schema().Name)
	if err != nil {
		return err
	}
	return r.checkRows(t)
}

// dropColumn removes a column and the constraints that need it.
func (r *run) dropColumn(s *columnar.Schema, a *ast.DropColumn) (bool, error) {
	if s.Lookup(a.Column.Name) < 0 && a.IfExists {
		r.notice("column \"%s\" of relation \"%s\" does not exist, skipping", a.Column.Name, s.Name)
		return false, nil
	}
	pos, err := r.columnAt(s, a.Column)
	if err != nil {
		return false, err
	}
	id := s.Columns[pos].ID
	s.Columns = slices.Delete(s.Columns, pos, pos+1)
	s.Constraints = slices.DeleteFunc(s.Constraints, func(c columnar.Constraint) bool {
		return slices.Contains(c.Columns, id)
	})
	return true, nil
}

// renameColumn renames a column, in the CHECK constraints too.
func (r *run) renameColumn(s *columnar.Schema, a *ast.RenameColumn) error {
	pos, err := r.columnAt(s, a.Column)
	if err != nil {
		return err
	}
	if s.Lookup(a.To.Name) >= 0 {
		return r.at(a.To.Pos(), pgerr.New(pgerr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", a.To.Name, s.Name))
	}
	s.Columns[pos].Name = a.To.Name
	for i := range s.Constraints {
		c := &s.Constraints[i]
		if c.Kind != columnar.Check {
			continue
		}
		e, err := parse.Expr(c.Expr)
		if err != nil {
			return err
		}
		ast.Walk(e, func(x ast.Expr) bool {
			if col, ok := x.(*ast.Column); ok && col.Name == a.Column.Name {
				col.Name = a.To.Name
			}
			return true
		})
		c.Expr = e.String()
	}
	return nil
}

func (r *run) setDefault(s *columnar.Schema, a *ast.SetDefault) error {
	pos, err := r.columnAt(s, a.Column)
	if err != nil {
		return err
	}
	c := &s.Columns[pos]
	c.HasDefault, c.Default = a.Value != nil, ""
	if a.Value == nil {
		return nil
	}
	c.Default = a.Value.String()
	_, err = r.constant(a.Value, c)
	return err
}

func (r *run) setNotNull(t *columnar.Table, s *columnar.Schema, a *ast.SetNotNull) error {
	pos, err := r.columnAt(s, a.Column)
	if err != nil {
		return err
	}
	c := &s.Columns[pos]
	if !a.Drop {
		for b, err := range t.ScanGathered(r.ctx, columnar.ScanOptions{Columns: []int{pos}}) {
			if err != nil {
				return err
			}
			for i := range b.Rows {
				if b.Cols[0].IsNull(i) {
					return r.at(a.Column.Pos(), pgerr.New(pgerr.NotNullViolation,
						"column \"%s\" of relation \"%s\" contains null values", c.Name, s.Name))
				}
			}
		}
		c.NotNull = true
		return nil
	}
	for _, k := range s.Constraints {
		if k.Kind == columnar.PrimaryKey && slices.Contains(k.Columns, c.ID) {
			return r.at(a.Column.Pos(), pgerr.New(pgerr.InvalidTableDefinition, "column \"%s\" is in a primary key", c.Name))
		}
	}
	c.NotNull = false
	return nil
}
