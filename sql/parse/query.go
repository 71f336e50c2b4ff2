package parse

import (
	"strings"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// query reads SELECT or VALUES with what may follow them.
func (p *parser) query() *ast.Select { return p.queryOf(false) }

// queryOf reads a query; in INSERT its VALUES can hold DEFAULT.
func (p *parser) queryOf(insert bool) *ast.Select {
	s := &ast.Select{Base: ast.Base{At: p.here()}}
	switch {
	case p.accept("values"):
		p.values(s, insert)
	case p.accept("select"):
		p.selectBody(s)
	case p.at("with"):
		p.refuse(p.tok.start, "WITH is").WithHint(engineHint)
	case p.at("table"):
		p.refuse(p.tok.start, "TABLE as a query is").WithHint("Write SELECT * FROM.")
	default:
		p.unexpected()
	}
	if p.at("union", "intersect", "except") {
		p.refuse(p.tok.start, strings.ToUpper(p.tok.text)+" is").WithHint(engineHint)
	}
	p.order(s)
	p.limits(s)
	if p.at("for") {
		p.refuse(p.tok.start, "row locking is").WithHint("Readers see a snapshot and need no locks.")
	}
	return s
}

func (p *parser) values(s *ast.Select, insert bool) {
	for {
		at := p.here()
		p.expect("(")
		var row []ast.Expr
		for {
			if p.at("default") && !insert {
				p.fail(p.tok.start, pgerr.SyntaxError, "DEFAULT is not allowed in this context")
			}
			row = append(row, p.valueOrDefault())
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		s.Values = append(s.Values, row)
		if len(row) != len(s.Values[0]) {
			p.fail(int(at), pgerr.SyntaxError, "VALUES lists must all be the same length")
		}
		if !p.accept(",") {
			return
		}
	}
}

// selectBody reads what stands between SELECT and ORDER BY.
func (p *parser) selectBody(s *ast.Select) {
	if p.accept("distinct") {
		s.Distinct = true
		if p.at("on") {
			p.refuse(p.tok.start, "DISTINCT ON is").WithHint(engineHint)
		}
	} else {
		p.accept("all")
	}
	if p.tok.kind != end && !p.at(";", ")", "from", "where", "group", "having", "order", "limit", "offset",
		"fetch", "into", "union", "intersect", "except", "for", "window") {
		s.Items = append(s.Items, p.selectItem())
		for p.accept(",") {
			s.Items = append(s.Items, p.selectItem())
		}
	}
	if p.at("into") {
		p.refuse(p.tok.start, "SELECT INTO is").WithHint("CREATE TABLE, then INSERT INTO ... SELECT.")
	}
	if p.accept("from") {
		s.From = p.from()
	}
	s.Where = p.where()
	if p.accept("group", "by") {
		p.groupBy(s)
	}
	if p.accept("having") {
		s.Having = p.expr()
	}
	if p.at("window") {
		p.refuse(p.tok.start, "WINDOW is").WithHint(engineHint)
	}
}

func (p *parser) selectItem() ast.SelectItem {
	i := ast.SelectItem{At: p.here()}
	if p.accept("*") {
		i.Star = true
		return i
	}
	if (p.tok.kind == word || p.tok.kind == quoted) && p.peek(1).is(".") && p.peek(2).is("*") {
		i.Star = true
		i.Table = p.ident().Name
		p.expect(".", "*")
		return i
	}
	i.Expr = p.expr()
	switch {
	case p.accept("as"):
		i.Alias = p.label().Name
	case p.tok.kind == quoted, p.tok.kind == word && ast.BareLabel(p.tok.text):
		i.Alias = p.label().Name
	}
	return i
}

// from reads the one table or table function of a query.
func (p *parser) from() *ast.From {
	f := &ast.From{}
	switch {
	case p.at("("):
		p.refuse(p.tok.start, "a subquery in FROM is").WithHint(engineHint)
	case p.at("lateral"):
		p.refuse(p.tok.start, "LATERAL is").WithHint(engineHint)
	}
	p.accept("only")
	if at := p.here(); p.tok.kind == word && p.peek(1).is("(") {
		name := p.name(ast.CategoryOf(p.tok.text) != ast.Reserved).Name
		f.Call = p.tableFunction(at, name)
	} else {
		f.Table = p.table()
		p.accept("*")
	}
	f.Alias = p.alias()
	if f.Alias != "" && p.at("(") {
		p.refuse(p.tok.start, "renaming columns in FROM is").WithHint("Name them in the select list with AS.")
	}
	switch {
	case p.at(","), p.at("join", "inner", "left", "right", "full", "cross", "natural"):
		p.refuse(p.tok.start, "joins are").WithHint(joinHint)
	case p.at("tablesample"):
		p.refuse(p.tok.start, "TABLESAMPLE is")
	}
	return f
}

// tableFunction reads the arguments of a function in FROM: those by position, then those by
// name.
func (p *parser) tableFunction(at ast.At, name string) *ast.Call {
	c := &ast.Call{At: at, Name: name}
	p.expect("(")
	for !p.at(")") {
		if p.at("*", "distinct", "variadic") {
			p.fail(int(at), pgerr.SyntaxError, "a table function takes a list of arguments")
		}
		if p.peek(1).is("=>") {
			a := ast.NamedArg{Ident: p.label()}
			p.expect("=>")
			a.Value = p.expr()
			c.Named = append(c.Named, a)
		} else {
			p.noSubquery()
			if len(c.Named) > 0 {
				p.fail(p.tok.start, pgerr.SyntaxError, "positional argument cannot follow named argument")
			}
			c.Args = append(c.Args, p.expr())
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return c
}

func (p *parser) groupBy(s *ast.Select) {
	for {
		if p.at("rollup", "cube") && p.peek(1).is("(") || p.atWords("grouping", "sets") || p.atWords("(", ")") {
			p.refuse(p.tok.start, "grouping sets are").WithHint("Run one query for each grouping.")
		}
		s.GroupBy = append(s.GroupBy, p.expr())
		if !p.accept(",") {
			return
		}
	}
}

// order reads [ORDER BY ...].
func (p *parser) order(s *ast.Select) {
	if !p.accept("order", "by") {
		return
	}
	for {
		o := ast.OrderItem{Expr: p.expr()}
		if p.at("using") {
			p.refuse(p.tok.start, "ORDER BY ... USING is").WithHint("Write ASC or DESC.")
		}
		if !p.accept("asc") {
			o.Desc = p.accept("desc")
		}
		o.NullsFirst = o.Desc
		if p.accept("nulls") {
			o.NullsFirst = p.accept("first")
			if !o.NullsFirst {
				p.expect("last")
			}
		}
		s.OrderBy = append(s.OrderBy, o)
		if !p.accept(",") {
			return
		}
	}
}

// limits reads LIMIT, FETCH FIRST and OFFSET in any order.
func (p *parser) limits(s *ast.Select) {
	limit, offset := false, false
	for {
		at := p.tok
		switch {
		case !limit && p.accept("limit"):
			limit = true
			if !p.accept("all") {
				s.Limit = p.expr()
			}
			if p.at(",") {
				p.fail(p.tok.start, pgerr.SyntaxError, "LIMIT #,# syntax is not supported").
					WithHint("Use separate LIMIT and OFFSET clauses.")
			}
		case !limit && p.accept("fetch"):
			limit = true
			if !p.accept("first") {
				p.expect("next")
			}
			if p.at("row", "rows") {
				s.Limit = &ast.Number{At: ast.At(at.start), Text: "1"}
			} else {
				s.Limit = p.expr()
			}
			p.rows(true)
			if p.atWords("with", "ties") {
				p.refuse(p.tok.start, "WITH TIES is")
			}
			p.expect("only")
		case !offset && p.accept("offset"):
			offset = true
			s.Offset = p.expr()
			p.rows(false)
		default:
			return
		}
	}
}

// rows reads ROW or ROWS.
func (p *parser) rows(must bool) {
	if !p.accept("row") && !p.accept("rows") && must {
		p.unexpected()
	}
}
