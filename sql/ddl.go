package sql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// schemaOf refuses a schema other than the one there is.
func (r *run) schemaOf(name ast.TableName) error {
	if name.Schema != "" && name.Schema != "public" {
		return r.at(name.Pos(), pgerr.New("3F000", "schema \"%s\" does not exist", name.Schema).
			WithHint("There is one schema, public."))
	}
	return nil
}

// createTable runs CREATE TABLE.
func (r *run) createTable(stmt *ast.CreateTable) (*Result, error) {
	if err := r.schemaOf(stmt.Table); err != nil {
		return nil, err
	}
	s := &columnar.Schema{Name: stmt.Table.Name}
	b := tableBuilder{run: r, schema: s, stmt: stmt, seen: make(map[string]bool)}
	for i := range stmt.Columns {
		if err := b.column(&stmt.Columns[i]); err != nil {
			return nil, err
		}
	}
	if err := b.constraints(); err != nil {
		return nil, err
	}
	err := r.write(func(txn *columnar.Txn) error {
		_, err := txn.Table(s.Name)
		group := len(groupTables(txn, s.Name)) > 0
		switch {
		case stmt.IfNotExists && (err == nil || group):
			r.notice("relation \"%s\" already exists, skipping", s.Name)
			return nil
		case group:
			return r.at(stmt.Table.Pos(), pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists", s.Name))
		}
		if err := txn.CreateTable(s); err != nil {
			return r.at(stmt.Table.Pos(), pgerr.From(err))
		}
		return r.addKeys(txn, s, b.keys, b.checks)
	})
	return command("CREATE TABLE"), err
}

// addKeys gives a table that has its column IDs the constraints that name columns.
func (r *run) addKeys(txn *columnar.Txn, s *columnar.Schema, keys []keyDef, checks []checkDef) error {
	if len(keys)+len(checks) == 0 {
		return nil
	}
	c := s.Clone()
	for _, k := range keys {
		con := columnar.Constraint{Name: k.name, Kind: k.kind}
		for _, pos := range k.columns {
			con.Columns = append(con.Columns, c.Columns[pos].ID)
		}
		c.Constraints = append(c.Constraints, con)
	}
	for _, k := range checks {
		con := columnar.Constraint{Name: k.name, Kind: columnar.Check, Expr: k.text}
		for _, pos := range k.columns {
			con.Columns = append(con.Columns, c.Columns[pos].ID)
		}
		c.Constraints = append(c.Constraints, con)
	}
	return txn.AlterTable(c)
}

// keyDef is a PRIMARY KEY or UNIQUE constraint by column positions.
type keyDef struct {
	name    string
	kind    columnar.ConstraintKind
	columns []int
}

// checkDef is a CHECK constraint with the positions of the columns it reads.
type checkDef struct {
	name, text string
	columns    []int
}

// tableBuilder turns the columns and constraints of a statement into a schema.
type tableBuilder struct {
	*run
	schema *columnar.Schema
	stmt   *ast.CreateTable
	keys   []keyDef
	checks []checkDef
	names  []string // of constraints
	seen   map[string]bool
}

// column adds a column without its constraints.
func (b *tableBuilder) column(d *ast.ColumnDef) error {
	if b.seen[d.Name] {
		return b.at(d.Pos(), pgerr.New(pgerr.DuplicateColumn, "column \"%s\" specified more than once", d.Name))
	}
	b.seen[d.Name] = true
	c := columnar.Column{Name: d.Name, Type: d.Type, NotNull: d.NotNull || d.PrimaryKey}
	if d.Default != nil {
		if _, err := b.constant(d.Default, &c); err != nil {
			return err
		}
		c.HasDefault, c.Default = true, d.Default.String()
	}
	b.schema.Columns = append(b.schema.Columns, c)
	return nil
}

// constant evaluates a DEFAULT for column c.
func (r *run) constant(e ast.Expr, c *columnar.Column) (columnar.Value, error) {
	scope := r.scope(nil, "", "DEFAULT expressions")
	var named ast.Expr
	ast.Walk(e, func(x ast.Expr) bool {
		if _, ok := x.(*ast.Column); ok && named == nil {
			named = x
		}
		return true
	})
	if named != nil {
		return columnar.Value{}, r.at(named.Pos(), pgerr.New(pgerr.FeatureNotSupported, "cannot use column reference in DEFAULT expression"))
	}
	n, err := scope.Bind(e)
	if err != nil {
		return columnar.Value{}, err
	}
	if n, err = scope.AssignDefault(n, c.Type, c.Name, e.Pos()); err != nil {
		return columnar.Value{}, err
	}
	return single(n)
}

// single evaluates an expression without columns.
func single(n expr.Node) (columnar.Value, error) {
	v, err := n.Eval(&expr.Batch{Rows: 1}, nil)
	if err != nil {
		return columnar.Value{}, err
	}
	return v.Value(0), nil
}

// constraints adds the constraints of the columns and of the table.
func (b *tableBuilder) constraints() error {
	primary := 0
	for i := range b.stmt.Columns {
		d := &b.stmt.Columns[i]
		if d.PrimaryKey {
			primary++
			if err := b.key(d.Pos(), "", columnar.PrimaryKey, []int{i}); err != nil {
				return err
			}
		}
		if d.Unique {
			if err := b.key(d.Pos(), "", columnar.Unique, []int{i}); err != nil {
				return err
			}
		}
		for _, c := range d.Checks {
			if err := b.check(c, d.Name); err != nil {
				return err
			}
		}
	}
	for _, k := range b.stmt.Keys {
		kind := columnar.Unique
		if k.Primary {
			kind = columnar.PrimaryKey
			primary++
		}
		columns, err := b.positions(k.Columns)
		if err != nil {
			return err
		}
		if err := b.key(k.Pos(), k.Name, kind, columns); err != nil {
			return err
		}
	}
	if primary > 1 {
		return b.at(b.stmt.Table.Pos(), pgerr.New(pgerr.InvalidTableDefinition,
			"multiple primary keys for table \"%s\" are not allowed", b.schema.Name))
	}
	for _, c := range b.stmt.Checks {
		if err := b.check(c, ""); err != nil {
			return err
		}
	}
	return nil
}

// positions returns where the columns of a key are.
func (b *tableBuilder) positions(list []ast.Ident) ([]int, error) {
	var out []int
	for _, id := range list {
		pos := b.schema.Lookup(id.Name)
		if pos < 0 {
			return nil, b.at(id.Pos(), pgerr.New(pgerr.UndefinedColumn, "column \"%s\" named in key does not exist", id.Name))
		}
		if slices.Contains(out, pos) {
			return nil, b.at(id.Pos(), pgerr.New(pgerr.DuplicateColumn, "column \"%s\" appears twice in key", id.Name))
		}
		out = append(out, pos)
	}
	return out, nil
}

// key adds a key over the columns at the given positions.
func (b *tableBuilder) key(at int, name string, kind columnar.ConstraintKind, columns []int) error {
	parts := []string{b.schema.Name}
	for _, pos := range columns {
		c := &b.schema.Columns[pos]
		if c.Type.Array || c.Type.Kind == columnar.JSON {
			return b.at(at, pgerr.New(pgerr.UndefinedObject, "column \"%s\" of type %s cannot be a key", c.Name, c.Type))
		}
		if kind == columnar.PrimaryKey {
			c.NotNull = true
		} else {
			parts = append(parts, c.Name)
		}
	}
	suffix := "key"
	if kind == columnar.PrimaryKey {
		suffix = "pkey"
	}
	name, err := b.constraintName(at, name, strings.Join(append(parts, suffix), "_"))
	if err == nil {
		b.keys = append(b.keys, keyDef{name, kind, columns})
	}
	return err
}

// constraintName returns the given name of a constraint, which must be free, or one made
// from base.
func (b *tableBuilder) constraintName(at int, name, base string) (string, error) {
	if name != "" {
		if slices.Contains(b.names, name) {
			return "", b.at(at, pgerr.New(pgerr.DuplicateObject, "constraint \"%s\" for relation \"%s\" already exists", name, b.schema.Name))
		}
	} else {
		name = base
		for i := 1; slices.Contains(b.names, name); i++ {
			name = fmt.Sprintf("%s%d", base, i)
		}
	}
	b.names = append(b.names, name)
	return name, nil
}

// check adds a CHECK constraint; column is the one it was written behind, or "".
func (b *tableBuilder) check(c ast.Check, column string) error {
	scope := &expr.Scope{Source: b.source, Table: b.schema.Name, Columns: columnsOf(b.schema),
		Params: nil, Location: b.loc, Now: b.now, Clause: "check constraints"}
	if _, err := scope.Boolean(c.Expr); err != nil {
		return err
	}
	def := checkDef{text: c.Expr.String(), columns: scope.Refs}
	base := b.schema.Name + "_check"
	switch {
	case column != "":
		base = b.schema.Name + "_" + column + "_check"
	case len(def.columns) == 1:
		base = b.schema.Name + "_" + b.schema.Columns[def.columns[0]].Name + "_check"
	}
	name, err := b.constraintName(c.Expr.Pos(), c.Name, base)
	if err == nil {
		def.name = name
		b.checks = append(b.checks, def)
	}
	return err
}

// dropTable runs DROP TABLE.
func (r *run) dropTable(stmt *ast.DropTable) (*Result, error) {
	err := r.write(func(txn *columnar.Txn) error {
		tables, err := r.namedAll(txn, stmt.Tables, stmt.IfExists)
		for _, t := range tables {
			if err := r.cascading(txn, t, stmt.Cascade, "drop cascades to rel table %s", txn.DropTable); err != nil {
				return err
			}
		}
		return err
	})
	return command("DROP TABLE"), err
}

// truncate runs TRUNCATE.
func (r *run) truncate(stmt *ast.Truncate) (*Result, error) {
	err := r.write(func(txn *columnar.Txn) error {
		tables, err := r.namedAll(txn, stmt.Tables, false)
		for _, t := range tables {
			if err := r.cascading(txn, t, stmt.Cascade, "truncate cascades to rel table \"%s\"", txn.TruncateTable); err != nil {
				return err
			}
		}
		return err
	})
	return command("TRUNCATE TABLE"), err
}
