package parse

import (
	"strings"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

const (
	engineHint = "ingot stores tables and scans one at a time: read them as Arrow batches with a query engine."
	joinHint   = "Load the parts into tables and let a query engine join them through Arrow."
)

// statement reads one statement up to its semicolon.
func (p *parser) statement() ast.Stmt {
	at := p.here()
	if p.tok.kind != word {
		if p.at("(") {
			p.refuse(p.tok.start, "a query in parentheses is")
		}
		p.unexpected()
		return nil
	}
	switch p.tok.text {
	case "select", "values":
		return p.query()
	case "copy":
		return p.copy()
	case "insert":
		return p.insert()
	case "update":
		return p.update()
	case "delete":
		return p.delete()
	case "create":
		return p.create()
	case "alter":
		return p.alterTable()
	case "drop":
		return p.dropTable()
	case "truncate":
		return p.truncate()
	case "explain":
		return p.explain()
	case "begin", "start", "commit", "end", "rollback", "abort":
		return p.transaction()
	case "checkpoint":
		p.advance()
		return &ast.Checkpoint{Base: ast.Base{At: at}}
	case "vacuum":
		return p.vacuum()
	case "set", "reset":
		return p.set()
	case "show":
		p.advance()
		if p.accept("time", "zone") {
			return &ast.Show{Base: ast.Base{At: at}, Name: "timezone"}
		}
		return &ast.Show{Base: ast.Base{At: at}, Name: p.label().Name}
	}
	p.otherStatement()
	return nil
}

// otherStatement refuses a statement that only PostgreSQL has, or no one.
func (p *parser) otherStatement() {
	switch p.tok.text {
	case "with":
		p.refuse(p.tok.start, "WITH is").WithHint(engineHint)
	case "table":
		p.refuse(p.tok.start, "TABLE as a statement is").WithHint("Write SELECT * FROM.")
	case "savepoint", "release":
		p.refuse(p.tok.start, "savepoints are").WithHint("A transaction commits or rolls back as a whole.")
	case "merge":
		p.refuse(p.tok.start, "MERGE is").WithHint("COPY with ON_CONFLICT replace writes rows by key.")
	case "analyze", "analyse":
		p.refuse(p.tok.start, "ANALYZE is").WithHint("Statistics are kept with every column chunk.")
	case "call", "cluster", "close", "comment", "deallocate", "declare", "discard", "do", "execute",
		"fetch", "grant", "import", "listen", "load", "lock", "move", "notify", "prepare", "reassign",
		"refresh", "reindex", "revoke", "security", "unlisten":
		p.refuse(p.tok.start, strings.ToUpper(p.tok.text)+" is")
	default:
		p.unexpected()
	}
}

func (p *parser) insert() ast.Stmt {
	s := &ast.Insert{Base: ast.Base{At: p.here()}}
	p.expect("insert", "into")
	s.Table = p.table()
	if p.accept("as") {
		s.Alias = p.ident().Name
	}
	if p.at("(") && !p.peek(1).is("select") && !p.peek(1).is("values") {
		s.Columns = p.columns()
	}
	if p.at("overriding") {
		p.refuse(p.tok.start, "OVERRIDING is")
	}
	if p.accept("default", "values") {
		s.DefaultValues = true
	} else if p.accept("(") {
		s.Query = p.query()
		p.expect(")")
	} else {
		s.Query = p.queryOf(true)
	}
	if p.atWords("on", "conflict") {
		p.refuse(p.tok.start, "ON CONFLICT is").WithHint("COPY has the option ON_CONFLICT error, ignore or replace.")
	}
	s.Returning = p.returning()
	return s
}

// returning reads [RETURNING list].
func (p *parser) returning() []ast.SelectItem {
	if !p.accept("returning") {
		return nil
	}
	list := []ast.SelectItem{p.selectItem()}
	for p.accept(",") {
		list = append(list, p.selectItem())
	}
	return list
}

// alias reads [AS] name, or nothing.
func (p *parser) alias() string {
	if p.accept("as") {
		return p.ident().Name
	}
	if p.tok.kind == quoted || p.tok.kind == word && ast.CategoryOf(p.tok.text) != ast.Reserved &&
		ast.CategoryOf(p.tok.text) != ast.FunctionName && !p.at("set", "cascade") {
		return p.ident().Name
	}
	return ""
}

func (p *parser) update() ast.Stmt {
	s := &ast.Update{Base: ast.Base{At: p.here()}}
	p.expect("update")
	p.accept("only")
	s.Table = p.table()
	s.Alias = p.alias()
	p.expect("set")
	for {
		if p.at("(") {
			p.refuse(p.tok.start, "assignment to a list of columns is").WithHint("Assign the columns one by one.")
		}
		a := ast.Assignment{Column: p.ident()}
		if p.at(".") {
			p.fail(a.Column.Pos(), pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", a.Column.Name, s.Table.Name).
				WithHint("Columns are assigned without the table's name.")
		}
		if p.at("[") {
			p.refuse(p.tok.start, "assignment to a part of a column is")
		}
		p.expect("=")
		a.Value = p.valueOrDefault()
		s.Set = append(s.Set, a)
		if !p.accept(",") {
			break
		}
	}
	if p.at("from") {
		p.refuse(p.tok.start, "UPDATE with FROM is").WithHint(joinHint)
	}
	s.Where = p.where()
	s.Returning = p.returning()
	return s
}

func (p *parser) delete() ast.Stmt {
	s := &ast.Delete{Base: ast.Base{At: p.here()}}
	p.expect("delete", "from")
	p.accept("only")
	s.Table = p.table()
	s.Alias = p.alias()
	if p.at("using") {
		p.refuse(p.tok.start, "DELETE with USING is").WithHint(joinHint)
	}
	s.Where = p.where()
	s.Cascade = p.accept("cascade")
	s.Returning = p.returning()
	return s
}

// where reads [WHERE expr].
func (p *parser) where() ast.Expr {
	if !p.accept("where") {
		return nil
	}
	if p.atWords("current", "of") {
		p.refuse(p.tok.start, "cursors are")
	}
	return p.expr()
}

// valueOrDefault reads an expression or DEFAULT.
func (p *parser) valueOrDefault() ast.Expr {
	if at := p.here(); p.accept("default") {
		return &ast.Default{At: at}
	}
	return p.expr()
}

func (p *parser) dropTable() ast.Stmt {
	s := &ast.DropTable{Base: ast.Base{At: p.here()}}
	p.expect("drop")
	p.objectIsTable("DROP")
	s.IfExists = p.accept("if", "exists")
	s.Tables = p.tables()
	s.Cascade = p.behaviour()
	return s
}

// behaviour reads [CASCADE | RESTRICT].
func (p *parser) behaviour() (cascade bool) {
	if p.accept("cascade") {
		return true
	}
	p.accept("restrict")
	return false
}

// objectIsTable moves past TABLE and refuses the other objects of PostgreSQL.
func (p *parser) objectIsTable(verb string) {
	if p.accept("table") {
		return
	}
	what := map[string]string{
		"index":    "Lookups by primary key need no index; a scan prunes by zone maps.",
		"view":     engineHint,
		"schema":   "There is one schema, public.",
		"database": "A store is a directory: open another one.",
		"type":     "", "domain": "", "function": "", "procedure": "", "trigger": "", "role": "",
		"user": "", "sequence": "", "extension": "", "materialized": "", "unique": "", "policy": "",
		"rule": "", "server": "", "foreign": "", "publication": "", "subscription": "",
		"statistics": "", "collation": "", "aggregate": "", "operator": "", "cast": "",
		"language": "", "tablespace": "", "event": "", "or": "", "recursive": "",
		"conversion": "", "access": "", "text": "", "group": "", "owned": "", "system": "",
		"default": "", "large": "",
	}
	hint, known := what[p.tok.text]
	if p.tok.kind != word || !known {
		p.unexpected()
		return
	}
	err := p.refuse(p.tok.start, verb+" "+strings.ToUpper(p.tok.text)+" is")
	if hint != "" {
		err.WithHint("%s", hint)
	}
}

func (p *parser) truncate() ast.Stmt {
	s := &ast.Truncate{Base: ast.Base{At: p.here()}}
	p.expect("truncate")
	p.accept("table")
	p.accept("only")
	s.Tables = p.tables()
	if p.accept("restart", "identity") || p.accept("continue", "identity") {
		s.Cascade = p.behaviour()
		return s
	}
	s.Cascade = p.behaviour()
	return s
}

// transaction reads the statements that begin and end a transaction.
func (p *parser) transaction() ast.Stmt {
	t := p.advance()
	at := ast.At(t.start)
	switch t.text {
	case "start":
		p.expect("transaction")
		return p.modes(&ast.Begin{Base: ast.Base{At: at}, Start: true})
	case "begin":
		p.work()
		return p.modes(&ast.Begin{Base: ast.Base{At: at}})
	}
	if p.at("prepared") {
		p.refuse(p.tok.start, "two-phase commit is")
	}
	p.work()
	if p.at("to") {
		p.refuse(p.tok.start, "savepoints are").WithHint("A transaction commits or rolls back as a whole.")
	}
	if p.accept("and", "chain") {
		p.refuse(p.last, "AND CHAIN is")
	}
	p.accept("and", "no", "chain")
	if t.text == "commit" || t.text == "end" {
		return &ast.Commit{Base: ast.Base{At: at}}
	}
	return &ast.Rollback{Base: ast.Base{At: at}}
}

// work reads [WORK | TRANSACTION].
func (p *parser) work() {
	if !p.accept("work") {
		p.accept("transaction")
	}
}

// modes reads the modes of a transaction. Every isolation level is accepted and means the
// same: one writer at a time, and a transaction that has read what has changed since
// cannot write.
func (p *parser) modes(s *ast.Begin) ast.Stmt {
	for p.tok.kind == word {
		switch {
		case p.accept("read", "only"):
			s.ReadOnly = true
		case p.accept("read", "write"):
			s.ReadOnly = false
		case p.accept("isolation", "level"):
			if !p.accept("serializable") && !p.accept("repeatable", "read") &&
				!p.accept("read", "committed") && !p.accept("read", "uncommitted") {
				p.unexpected()
			}
		case p.accept("deferrable"), p.accept("not", "deferrable"):
		default:
			p.unexpected()
		}
		if p.accept(",") && p.tok.kind != word {
			p.unexpected()
		}
	}
	return s
}

func (p *parser) vacuum() ast.Stmt {
	s := &ast.Vacuum{Base: ast.Base{At: p.here()}}
	p.expect("vacuum")
	if p.at("(", "full", "freeze", "verbose", "analyze", "analyse") {
		p.refuse(p.tok.start, "options of VACUUM are").WithHint("Write VACUUM or VACUUM table.")
	}
	if p.tok.kind == word || p.tok.kind == quoted {
		s.Tables = p.tables()
	}
	return s
}

// set reads SET and RESET.
func (p *parser) set() ast.Stmt {
	s := &ast.Set{Base: ast.Base{At: p.here()}}
	if p.accept("reset") {
		s.Default = true
		s.Name = p.settingName()
		return s
	}
	p.expect("set")
	if !p.peek(1).is("to") && !p.peek(1).is("=") && !p.accept("session") {
		s.Local = p.accept("local")
	}
	if p.accept("time", "zone") {
		s.Name = "timezone"
	} else {
		if p.at("transaction", "constraints", "characteristics") && !p.peek(1).is("=") {
			p.refuse(p.tok.start, "SET "+strings.ToUpper(p.tok.text)+" is").
				WithHint("Give the mode with BEGIN.")
		}
		s.Name = p.settingName()
		if !p.accept("to") {
			p.expect("=")
		}
	}
	if p.accept("default") || s.Name == "timezone" && p.accept("local") {
		s.Default = true
		return s
	}
	s.Value = p.settingValue()
	if !p.at(",") {
		return s
	}
	list := ast.Value{At: s.Value.At, Kind: ast.ListValue, List: []ast.Value{s.Value}}
	for p.accept(",") {
		list.List = append(list.List, p.settingValue())
	}
	s.Value = list
	return s
}

func (p *parser) settingName() string {
	if p.accept("time", "zone") {
		return "timezone"
	}
	return p.label().Name
}

func (p *parser) settingValue() ast.Value {
	if p.at("interval") {
		p.refuse(p.tok.start, "an interval as a time zone is").WithHint("Write SET TIME ZONE with a name such as 'Europe/Berlin'.")
	}
	v := p.optionValue()
	if v.Kind == ast.NoValue || v.Kind == ast.StarValue || v.Kind == ast.ListValue {
		p.unexpected()
	}
	return v
}

// explain reads EXPLAIN [ANALYZE] [(options)] statement.
func (p *parser) explain() ast.Stmt {
	s := &ast.Explain{Base: ast.Base{At: p.here()}}
	p.expect("explain")
	if p.at("(") && !p.peek(1).is("select") {
		p.explainOptions(s)
	} else {
		s.Analyze = p.accept("analyze") || p.accept("analyse")
		p.accept("verbose")
		if p.at("(") {
			p.explainOptions(s)
		}
	}
	if !p.at("select", "values", "copy", "insert", "update", "delete") {
		p.unexpected()
		return s
	}
	s.Stmt = p.statement()
	return s
}

func (p *parser) explainOptions(s *ast.Explain) {
	for _, o := range p.options() {
		on := true
		switch o.Value.Text {
		case "false", "off", "0":
			on = false
		}
		switch strings.ToLower(o.Name) {
		case "analyze", "analyse":
			s.Analyze = on
		case "format":
			switch strings.ToLower(o.Value.Text) {
			case "json":
				s.JSON = true
			case "text":
				s.JSON = false
			default:
				p.fail(o.Pos(), pgerr.InvalidParameterValue,
					"unrecognized value for EXPLAIN option \"format\": \"%s\"", o.Value.Text).
					WithHint("Use text or json.")
			}
		case "verbose", "costs", "buffers", "timing", "summary", "settings", "wal":
			// They choose what PostgreSQL prints; here everything known is printed.
		default:
			p.fail(o.Pos(), pgerr.SyntaxError, "unrecognized EXPLAIN option \"%s\"", o.Name)
		}
	}
}
