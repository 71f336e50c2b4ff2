package parse

import (
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// create reads CREATE TABLE and CREATE REL TABLE.
func (p *parser) create() ast.Stmt {
	at := p.here()
	p.expect("create")
	if p.at("temp", "temporary", "unlogged", "global", "local") {
		p.refuse(p.tok.start, "temporary and unlogged tables are").
			WithHint("Create a table, or open a second store for what need not last.")
	}
	if p.accept("rel") {
		p.expect("table")
		return p.createRelTable(at)
	}
	if p.accept("node") && !p.at("table") {
		p.unexpected()
	}
	p.objectIsTable("CREATE")
	s := &ast.CreateTable{Base: ast.Base{At: at}}
	s.IfNotExists = p.accept("if", "not", "exists")
	s.Table = p.table()
	switch {
	case p.at("as"):
		p.refuse(p.tok.start, "CREATE TABLE AS is").
			WithHint("CREATE TABLE with its columns, then INSERT INTO ... SELECT or COPY ... FROM (SELECT ...).")
	case p.at("partition", "of"):
		p.refuse(p.tok.start, "partitioning and typed tables are")
	}
	p.expect("(")
	if !p.accept(")") {
		p.element(s)
		for p.accept(",") {
			p.element(s)
		}
		p.expect(")")
	}
	switch {
	case p.at("inherits", "partition", "with", "tablespace", "using", "on", "without"):
		p.refuse(p.tok.start, "storage options of CREATE TABLE are")
	case p.at("as"):
		p.refuse(p.tok.start, "CREATE TABLE AS is")
	}
	return s
}

// element reads a column or a constraint of CREATE TABLE.
func (p *parser) element(s *ast.CreateTable) {
	if p.at("like") {
		p.refuse(p.tok.start, "CREATE TABLE with LIKE is").WithHint("Write the columns out.")
	}
	if !p.at("constraint", "primary", "unique", "check", "foreign", "exclude") {
		s.Columns = append(s.Columns, p.columnDef())
		return
	}
	at, name := p.here(), p.constraintName()
	switch {
	case p.accept("primary", "key"):
		s.Keys = append(s.Keys, ast.Key{At: at, Name: name, Primary: true, Columns: p.columns()})
	case p.accept("unique"):
		p.nullsDistinct()
		s.Keys = append(s.Keys, ast.Key{At: at, Name: name, Columns: p.columns()})
	case p.accept("check"):
		s.Checks = append(s.Checks, p.check(name))
	case p.at("foreign"):
		p.refuseReferences()
	case p.at("exclude"):
		p.refuse(p.tok.start, "exclusion constraints are")
	default:
		p.unexpected()
	}
	p.attributes()
}

// constraintName reads [CONSTRAINT name].
func (p *parser) constraintName() string {
	if p.accept("constraint") {
		return p.ident().Name
	}
	return ""
}

func (p *parser) nullsDistinct() {
	if p.accept("nulls", "distinct") {
		return
	}
	if p.at("nulls") {
		p.refuse(p.tok.start, "NULLS NOT DISTINCT is")
	}
}

// attributes reads the attributes that a constraint may have when they change nothing.
func (p *parser) attributes() {
	for p.accept("not", "deferrable") || p.accept("initially", "immediate") {
	}
	if p.at("deferrable", "initially") || p.atWords("not", "valid") || p.atWords("not", "enforced") ||
		p.atWords("no", "inherit") || p.at("using", "include") {
		p.refuse(p.tok.start, "this attribute of a constraint is")
	}
}

// check reads (expr) of a CHECK constraint.
func (p *parser) check(name string) ast.Check {
	p.expect("(")
	c := ast.Check{Name: name, Expr: p.expr()}
	p.expect(")")
	return c
}

func (p *parser) refuseReferences() {
	p.refuse(p.tok.start, "foreign keys are").
		WithHint("CREATE REL TABLE r (FROM a TO b) relates the rows of two tables.")
}

// columnDef reads a column with its type and constraints.
func (p *parser) columnDef() ast.ColumnDef {
	d := ast.ColumnDef{Ident: p.ident()}
	d.Type = p.typeName()
	null := false
	for {
		at, name := p.here(), p.constraintName()
		switch {
		case p.accept("not", "null"):
			d.NotNull = true
		case p.accept("null"):
			null = true
		case p.accept("primary", "key"):
			if d.PrimaryKey {
				p.fail(int(at), pgerr.InvalidTableDefinition, "multiple primary keys are not allowed")
			}
			d.PrimaryKey = true
		case p.accept("unique"):
			p.nullsDistinct()
			d.Unique = true
		case p.accept("default"):
			if d.Default != nil {
				p.fail(int(at), pgerr.SyntaxError, "multiple default values specified for column \"%s\"", d.Name)
			}
			d.Default = p.expr()
		case p.accept("check"):
			d.Checks = append(d.Checks, p.check(name))
		case p.at("references"):
			p.refuseReferences()
		case p.at("generated"):
			p.refuse(p.tok.start, "generated and identity columns are")
		case p.at("collate"):
			p.collate()
		default:
			if name != "" {
				p.unexpected()
			}
			if null && (d.NotNull || d.PrimaryKey) {
				p.fail(d.Pos(), pgerr.SyntaxError, "conflicting NULL/NOT NULL declarations for column \"%s\"", d.Name)
			}
			return d
		}
		p.attributes()
	}
}

// collate reads COLLATE "C", the one order of text.
func (p *parser) collate() {
	p.expect("collate")
	if at := p.tok; p.label().Name != "C" {
		p.refuse(at.start, "a collation other than \"C\" is")
	}
}

func (p *parser) createRelTable(at ast.At) ast.Stmt {
	s := &ast.CreateRelTable{Base: ast.Base{At: at}}
	s.IfNotExists = p.accept("if", "not", "exists")
	s.Table = p.table()
	p.expect("(")
	for {
		if len(s.Columns) == 0 && p.accept("from") {
			r := ast.RelPair{From: p.table()}
			p.expect("to")
			r.To = p.table()
			s.Pairs = append(s.Pairs, r)
		} else if len(s.Pairs) > 0 {
			s.Columns = append(s.Columns, p.columnDef())
		} else {
			p.unexpected()
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return s
}

// alterTable reads ALTER TABLE.
func (p *parser) alterTable() ast.Stmt {
	s := &ast.AlterTable{Base: ast.Base{At: p.here()}}
	p.expect("alter")
	p.objectIsTable("ALTER")
	s.IfExists = p.accept("if", "exists")
	p.accept("only")
	s.Table = p.table()
	for {
		s.Actions = append(s.Actions, p.alterAction())
		if !p.accept(",") {
			return s
		}
	}
}

func (p *parser) alterAction() ast.AlterAction {
	switch {
	case p.accept("add"):
		if p.at("constraint", "primary", "unique", "check", "foreign", "exclude") {
			p.refuse(p.tok.start, "ALTER TABLE ADD of a constraint is").
				WithHint("Give constraints with CREATE TABLE.")
		}
		p.accept("column")
		a := &ast.AddColumn{IfNotExists: p.accept("if", "not", "exists")}
		a.Column = p.columnDef()
		return ast.AlterAction{Add: a}
	case p.accept("drop"):
		if p.at("constraint") {
			p.refuse(p.tok.start, "ALTER TABLE DROP CONSTRAINT is")
		}
		p.accept("column")
		a := &ast.DropColumn{IfExists: p.accept("if", "exists")}
		a.Column = p.ident()
		a.Cascade = p.behaviour()
		return ast.AlterAction{Drop: a}
	case p.accept("rename"):
		if p.accept("to") {
			to := p.ident()
			return ast.AlterAction{RenameTo: &to}
		}
		if p.at("constraint") {
			p.refuse(p.tok.start, "ALTER TABLE RENAME CONSTRAINT is")
		}
		p.accept("column")
		a := &ast.RenameColumn{Column: p.ident()}
		p.expect("to")
		a.To = p.ident()
		return ast.AlterAction{Rename: a}
	case p.accept("alter"):
		p.accept("column")
		return p.alterColumn(p.ident())
	case p.at("set", "owner", "enable", "disable", "attach", "detach", "inherit", "cluster", "validate", "replica"):
		p.refuse(p.tok.start, "this form of ALTER TABLE is")
	default:
		p.unexpected()
	}
	return ast.AlterAction{}
}

func (p *parser) alterColumn(c ast.Ident) ast.AlterAction {
	switch {
	case p.accept("set", "default"):
		return ast.AlterAction{SetDefault: &ast.SetDefault{Column: c, Value: p.expr()}}
	case p.accept("drop", "default"):
		return ast.AlterAction{SetDefault: &ast.SetDefault{Column: c}}
	case p.accept("set", "not", "null"):
		return ast.AlterAction{SetNotNull: &ast.SetNotNull{Column: c}}
	case p.accept("drop", "not", "null"):
		return ast.AlterAction{SetNotNull: &ast.SetNotNull{Column: c, Drop: true}}
	case p.at("type") || p.atWords("set", "data", "type"):
		p.refuse(p.tok.start, "a change of a column's type is").
			WithHint("Add a column, fill it with UPDATE, drop the old one and rename.")
	case p.at("set", "add", "drop", "reset"):
		p.refuse(p.tok.start, "this form of ALTER COLUMN is")
	default:
		p.unexpected()
	}
	return ast.AlterAction{}
}
