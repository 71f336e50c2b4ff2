package ast

import "strings"

func (d *ColumnDef) print(p *printer) {
	p.words(d.Ident.String(), d.Type.String())
	p.flag(d.NotNull, " NOT NULL")
	p.flag(d.PrimaryKey, " PRIMARY KEY")
	p.flag(d.Unique, " UNIQUE")
	if d.Default != nil {
		p.WriteString(" DEFAULT ")
		p.operand(d.Default)
	}
	for _, c := range d.Checks {
		p.WriteByte(' ')
		c.print(p)
	}
}

func (c Check) print(p *printer) {
	if c.Name != "" {
		p.words("CONSTRAINT", Quote(c.Name), "")
	}
	p.WriteString("CHECK (")
	c.Expr.print(p)
	p.WriteByte(')')
}

func (k Key) print(p *printer) {
	if k.Name != "" {
		p.words("CONSTRAINT", Quote(k.Name), "")
	}
	p.WriteString([]string{"UNIQUE ", "PRIMARY KEY "}[b2i(k.Primary)])
	p.names(k.Columns)
}

// list writes parts with commas between them, in the order given.
func (p *printer) list(parts []printable) {
	for i, c := range parts {
		p.flag(i > 0, ", ")
		c.print(p)
	}
}

func (s *CreateTable) print(p *printer) {
	p.WriteString("CREATE TABLE ")
	p.flag(s.IfNotExists, "IF NOT EXISTS ")
	p.WriteString(s.Table.String() + " (")
	var parts []printable
	for i := range s.Columns {
		parts = append(parts, &s.Columns[i])
	}
	for _, k := range s.Keys {
		parts = append(parts, k)
	}
	for _, c := range s.Checks {
		parts = append(parts, c)
	}
	p.list(parts)
	p.WriteByte(')')
}

func (r RelPair) print(p *printer) { p.words("FROM", r.From.String(), "TO", r.To.String()) }

func (s *CreateRelTable) print(p *printer) {
	p.WriteString("CREATE REL TABLE ")
	p.flag(s.IfNotExists, "IF NOT EXISTS ")
	p.WriteString(s.Table.String() + " (")
	var parts []printable
	for _, r := range s.Pairs {
		parts = append(parts, r)
	}
	for i := range s.Columns {
		parts = append(parts, &s.Columns[i])
	}
	p.list(parts)
	p.WriteByte(')')
}

func (s *AlterTable) print(p *printer) {
	p.WriteString("ALTER TABLE ")
	p.flag(s.IfExists, "IF EXISTS ")
	p.WriteString(s.Table.String() + " ")
	for i, a := range s.Actions {
		p.flag(i > 0, ", ")
		a.print(p)
	}
}

func (a AlterAction) print(p *printer) {
	switch {
	case a.Add != nil:
		p.WriteString("ADD COLUMN ")
		p.flag(a.Add.IfNotExists, "IF NOT EXISTS ")
		a.Add.Column.print(p)
	case a.Drop != nil:
		p.WriteString("DROP COLUMN ")
		p.flag(a.Drop.IfExists, "IF EXISTS ")
		p.WriteString(a.Drop.Column.String())
		p.flag(a.Drop.Cascade, " CASCADE")
	case a.Rename != nil:
		p.words("RENAME COLUMN", a.Rename.Column.String(), "TO", a.Rename.To.String())
	case a.RenameTo != nil:
		p.words("RENAME TO", a.RenameTo.String())
	case a.SetDefault != nil && a.SetDefault.Value == nil:
		p.words("ALTER COLUMN", a.SetDefault.Column.String(), "DROP DEFAULT")
	case a.SetDefault != nil:
		p.words("ALTER COLUMN", a.SetDefault.Column.String(), "SET DEFAULT ")
		a.SetDefault.Value.print(p)
	case a.SetNotNull != nil:
		p.words("ALTER COLUMN", a.SetNotNull.Column.String(),
			[]string{"SET", "DROP"}[b2i(a.SetNotNull.Drop)], "NOT NULL")
	}
}

func (s *DropTable) print(p *printer) {
	p.WriteString("DROP TABLE ")
	p.flag(s.IfExists, "IF EXISTS ")
	p.tables(s.Tables)
	p.flag(s.Cascade, " CASCADE")
}

func (s *Truncate) print(p *printer) {
	p.WriteString("TRUNCATE ")
	p.tables(s.Tables)
	p.flag(s.Cascade, " CASCADE")
}

func (s *Insert) print(p *printer) {
	p.words("INSERT INTO", s.Table.String())
	p.alias(s.Alias)
	p.flag(len(s.Columns) > 0, " ")
	p.names(s.Columns)
	p.WriteByte(' ')
	if s.DefaultValues {
		p.WriteString("DEFAULT VALUES")
	} else {
		s.Query.print(p)
	}
	p.returning(s.Returning)
}

// returning writes RETURNING and its list, or nothing if there is none.
func (p *printer) returning(list []SelectItem) {
	for i := range list {
		p.WriteString([]string{" RETURNING ", ", "}[min(i, 1)])
		list[i].print(p)
	}
}

// alias writes AS and name, or nothing if there is no alias.
func (p *printer) alias(alias string) {
	if alias != "" {
		p.words("", "AS", Quote(alias))
	}
}

func (s *Update) print(p *printer) {
	p.WriteString("UPDATE ")
	p.WriteString(s.Table.String())
	p.alias(s.Alias)
	p.WriteString(" SET ")
	for i, a := range s.Set {
		p.flag(i > 0, ", ")
		p.words(a.Column.String(), "= ")
		a.Value.print(p)
	}
	p.clause("WHERE", s.Where)
	p.returning(s.Returning)
}

func (s *Delete) print(p *printer) {
	p.WriteString("DELETE FROM ")
	p.WriteString(s.Table.String())
	p.alias(s.Alias)
	p.clause("WHERE", s.Where)
	p.flag(s.Cascade, " CASCADE")
	p.returning(s.Returning)
}

func (s *Copy) print(p *printer) {
	p.WriteString("COPY ")
	switch {
	case s.Change != nil:
		p.WriteByte('(')
		s.Change.print(p)
		p.WriteByte(')')
	case s.Table.Name == "":
		p.subquery(s.Query)
	default:
		p.WriteString(s.Table.String())
		p.flag(len(s.Columns) > 0, " ")
		p.names(s.Columns)
	}
	p.WriteString([]string{" FROM ", " TO "}[b2i(s.To)])
	switch s.Endpoint {
	case File:
		p.flag(len(s.Paths) > 1, "(")
		for i, path := range s.Paths {
			p.flag(i > 0, ", ")
			p.WriteString(QuoteString(path))
		}
		p.flag(len(s.Paths) > 1, ")")
	case Std:
		p.WriteString([]string{"STDIN", "STDOUT"}[b2i(s.To)])
	case Program:
		p.words("PROGRAM", QuoteString(s.Paths[0]))
	case Query:
		p.subquery(s.Query)
	}
	for i, o := range s.Options {
		p.WriteString([]string{" WITH (", ", "}[min(i, 1)])
		p.WriteString(label(o.Name))
		p.flag(o.Value.Kind != NoValue, " ")
		o.Value.print(p)
	}
	p.flag(len(s.Options) > 0, ")")
	p.clause("WHERE", s.Where)
}

func (p *printer) subquery(q *Select) {
	p.WriteByte('(')
	q.print(p)
	p.WriteByte(')')
}

func (v Value) print(p *printer) {
	switch v.Kind {
	case WordValue:
		p.WriteString(label(v.Text))
	case StringValue:
		p.WriteString(QuoteString(v.Text))
	case NumberValue:
		p.WriteString(v.Text)
	case StarValue:
		p.WriteByte('*')
	case ListValue:
		p.WriteByte('(')
		v.elements(p)
		p.WriteByte(')')
	}
}

func (v Value) elements(p *printer) {
	for i, e := range v.List {
		p.flag(i > 0, ", ")
		e.print(p)
	}
}

// String returns the value as it was written, NoValue as nothing.
func (v Value) String() string { return text(v) }

func (i *SelectItem) print(p *printer) {
	switch {
	case i.Star && i.Table != "":
		p.WriteString(Quote(i.Table) + ".*")
	case i.Star:
		p.WriteByte('*')
	default:
		i.Expr.print(p)
	}
	p.alias(i.Alias)
}

func (o OrderItem) print(p *printer) {
	o.Expr.print(p)
	p.flag(o.Desc, " DESC")
	if o.NullsFirst != o.Desc {
		p.words("", "NULLS", []string{"LAST", "FIRST"}[b2i(o.NullsFirst)])
	}
}

func (s *Select) print(p *printer) {
	if s.Values != nil {
		p.WriteString("VALUES ")
		for i, row := range s.Values {
			p.WriteString([]string{"(", ", ("}[min(i, 1)])
			p.exprs(row)
			p.WriteByte(')')
		}
	} else {
		p.WriteString("SELECT")
		p.flag(s.Distinct, " DISTINCT")
		for i := range s.Items {
			p.WriteString([]string{" ", ", "}[min(i, 1)])
			s.Items[i].print(p)
		}
	}
	if s.From != nil {
		p.WriteString(" FROM ")
		if s.From.Call != nil {
			s.From.Call.print(p)
		} else {
			p.WriteString(s.From.Table.String())
		}
		p.alias(s.From.Alias)
	}
	p.clause("WHERE", s.Where)
	if len(s.GroupBy) > 0 {
		p.WriteString(" GROUP BY ")
		p.exprs(s.GroupBy)
	}
	p.clause("HAVING", s.Having)
	for i, o := range s.OrderBy {
		p.WriteString([]string{" ORDER BY ", ", "}[min(i, 1)])
		o.print(p)
	}
	p.clause("LIMIT", s.Limit)
	p.clause("OFFSET", s.Offset)
}

func (s *Explain) print(p *printer) {
	p.WriteString("EXPLAIN ")
	var opts []string
	if s.Analyze {
		opts = append(opts, "ANALYZE")
	}
	if s.JSON {
		opts = append(opts, "FORMAT json")
	}
	if len(opts) > 0 {
		p.WriteString("(" + strings.Join(opts, ", ") + ") ")
	}
	s.Stmt.print(p)
}

func (s *Begin) print(p *printer) {
	p.WriteString([]string{"BEGIN", "START TRANSACTION"}[b2i(s.Start)])
	p.flag(s.ReadOnly, " READ ONLY")
}

func (s *Commit) print(p *printer)     { p.WriteString("COMMIT") }
func (s *Rollback) print(p *printer)   { p.WriteString("ROLLBACK") }
func (s *Checkpoint) print(p *printer) { p.WriteString("CHECKPOINT") }

func (s *Vacuum) print(p *printer) {
	p.WriteString("VACUUM")
	p.flag(len(s.Tables) > 0, " ")
	p.tables(s.Tables)
}

func (s *Set) print(p *printer) {
	p.WriteString("SET ")
	p.flag(s.Local, "LOCAL ")
	p.words(Quote(s.Name), "TO ")
	switch {
	case s.Default:
		p.WriteString("DEFAULT")
	case s.Value.Kind == ListValue:
		s.Value.elements(p)
	default:
		s.Value.print(p)
	}
}

func (s *Show) print(p *printer) { p.words("SHOW", Quote(s.Name)) }

func (s *CreateTable) String() string    { return text(s) }
func (s *CreateRelTable) String() string { return text(s) }
func (s *AlterTable) String() string     { return text(s) }
func (s *DropTable) String() string      { return text(s) }
func (s *Truncate) String() string       { return text(s) }
func (s *Insert) String() string         { return text(s) }
func (s *Update) String() string         { return text(s) }
func (s *Delete) String() string         { return text(s) }
func (s *Copy) String() string           { return text(s) }
func (s *Select) String() string         { return text(s) }
func (s *Explain) String() string        { return text(s) }
func (s *Begin) String() string          { return text(s) }
func (s *Commit) String() string         { return text(s) }
func (s *Rollback) String() string       { return text(s) }
func (s *Checkpoint) String() string     { return text(s) }
func (s *Vacuum) String() string         { return text(s) }
func (s *Set) String() string            { return text(s) }
func (s *Show) String() string           { return text(s) }
