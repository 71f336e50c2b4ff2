package parse

import (
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// copy reads COPY in both of PostgreSQL's syntaxes.
func (p *parser) copy() ast.Stmt {
	s := &ast.Copy{Base: ast.Base{At: p.here()}}
	p.expect("copy")
	if p.tok.is("binary") && !p.peek(1).is("from") && !p.peek(1).is("to") {
		s.Options = append(s.Options, option(p.advance(), "format", wordValue("binary")))
	}
	if p.accept("(") {
		s.Query, s.Change = p.copyQuery()
		p.expect(")")
	} else {
		s.Table = p.table()
		if p.at("(") {
			s.Columns = p.columns()
		}
	}
	switch {
	case s.Query == nil && s.Change == nil && p.accept("from"):
	case p.accept("to"):
		s.To = true
	default:
		p.unexpected()
		return s
	}
	p.endpoint(s)
	if at := p.tok; p.accept("using", "delimiters") {
		s.Options = append(s.Options, option(at, "delimiter", stringValue(p.str())))
	}
	p.accept("with")
	if p.at("(") {
		s.Options = append(s.Options, p.options()...)
	} else {
		p.oldOptions(s)
	}
	if s.To && p.at("where") {
		p.fail(p.tok.start, pgerr.SyntaxError, "WHERE clause not allowed with COPY TO").
			WithHint("Write COPY (SELECT ... WHERE ...) TO.")
	}
	p.copyWhere = true
	s.Where = p.where()
	p.copyWhere = false
	return s
}

// copyQuery reads what stands in the parentheses of COPY (...) TO: a query, or a statement
// that changes a table and returns rows.
func (p *parser) copyQuery() (*ast.Select, ast.Stmt) {
	at := p.tok.start
	var s ast.Stmt
	var returning []ast.SelectItem
	switch {
	case p.at("insert"):
		ins := p.insert().(*ast.Insert)
		s, returning = ins, ins.Returning
	case p.at("update"):
		up := p.update().(*ast.Update)
		s, returning = up, up.Returning
	case p.at("delete"):
		del := p.delete().(*ast.Delete)
		s, returning = del, del.Returning
	default:
		return p.query(), nil
	}
	if returning == nil {
		p.fail(at, pgerr.FeatureNotSupported, "COPY query must have a RETURNING clause")
	}
	return nil, s
}

// endpoint reads what the rows come from or go to.
func (p *parser) endpoint(s *ast.Copy) {
	s.PathAt = p.here()
	switch {
	case p.accept("stdin"), p.accept("stdout"):
		s.Endpoint = ast.Std
	case p.accept("program"):
		s.Endpoint = ast.Program
		s.Paths = []string{p.str().text}
	case !s.To && p.at("(") && p.peek(1).kind == str:
		p.advance()
		s.Paths = []string{p.str().text}
		for p.accept(",") {
			s.Paths = append(s.Paths, p.str().text)
		}
		p.expect(")")
	case !s.To && p.accept("("):
		s.Endpoint = ast.Query
		s.Query = p.query()
		p.expect(")")
	default:
		s.Paths = []string{p.str().text}
	}
}

// options reads (name [value], ...).
func (p *parser) options() []ast.Option {
	p.expect("(")
	var list []ast.Option
	for {
		list = append(list, ast.Option{Ident: p.label(), Value: p.optionValue()})
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return list
}

// optionValue reads a word, a string, a number, *, a list, or nothing.
func (p *parser) optionValue() ast.Value {
	v := ast.Value{At: p.here()}
	switch {
	case p.at("*"):
		p.advance()
		v.Kind = ast.StarValue
	case p.accept("("):
		v.Kind = ast.ListValue
		for {
			e := p.optionValue()
			if e.Kind == ast.NoValue || e.Kind == ast.ListValue || e.Kind == ast.StarValue {
				p.unexpected()
				return v
			}
			v.List = append(v.List, e)
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
	case p.at("+", "-") || p.tok.kind == number:
		v.Kind = ast.NumberValue
		if p.accept("-") {
			v.Text = "-"
		} else {
			p.accept("+")
		}
		if p.tok.kind != number {
			p.unexpected()
		}
		v.Text += p.advance().text
	case p.tok.kind == str:
		v = stringValue(p.advance())
	case p.tok.kind == word || p.tok.kind == quoted:
		v.Kind = ast.WordValue
		v.Text = p.advance().text
	}
	return v
}

func stringValue(t token) ast.Value {
	return ast.Value{At: ast.At(t.start), Kind: ast.StringValue, Text: t.text}
}

func wordValue(w string) ast.Value { return ast.Value{Kind: ast.WordValue, Text: w} }

// option makes an option whose name and, if it has no place of its own, value stand at t.
func option(t token, name string, v ast.Value) ast.Option {
	if v.At == 0 {
		v.At = ast.At(t.start)
	}
	return ast.Option{Ident: ast.Ident{At: ast.At(t.start), Name: name}, Value: v}
}

// oldOptions reads the options of the syntax before PostgreSQL 9.0, without
// parentheses and commas.
func (p *parser) oldOptions(s *ast.Copy) {
	add := func(t token, name string, v ast.Value) { s.Options = append(s.Options, option(t, name, v)) }
	for {
		t := p.tok
		switch {
		case p.accept("binary"):
			add(t, "format", wordValue("binary"))
		case p.accept("csv"):
			add(t, "format", wordValue("csv"))
		case p.accept("freeze"):
			add(t, "freeze", wordValue("true"))
		case p.accept("header"):
			add(t, "header", wordValue("true"))
		case p.accept("delimiter"), p.accept("null"), p.accept("quote"), p.accept("escape"):
			p.accept("as")
			add(t, t.text, stringValue(p.str()))
		case p.accept("encoding"):
			add(t, t.text, stringValue(p.str()))
		case p.accept("force", "quote"):
			add(t, "force_quote", p.forced())
		case p.accept("force", "not", "null"):
			add(t, "force_not_null", p.forced())
		case p.accept("force", "null"):
			add(t, "force_null", p.forced())
		default:
			return
		}
	}
}

// forced reads the columns of a FORCE option: a, b or *.
func (p *parser) forced() ast.Value {
	v := ast.Value{At: p.here(), Kind: ast.ListValue}
	if p.accept("*") {
		v.Kind = ast.StarValue
		return v
	}
	for {
		id := p.ident()
		v.List = append(v.List, ast.Value{At: id.At, Kind: ast.WordValue, Text: id.Name})
		if !p.accept(",") {
			return v
		}
	}
}
