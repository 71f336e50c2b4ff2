package parse

import "github.com/ingotdb/ingot/sql/ast"

// special reads the call at the current token if it is of a function whose arguments
// have a syntax of their own.
func (p *parser) special(at ast.At) (ast.Expr, bool) {
	var read func(*parser, *ast.Call)
	switch p.tok.text {
	case "coalesce", "greatest", "least", "nullif":
		read = (*parser).plainCall
	case "extract":
		read = (*parser).extract
	case "substring":
		read = (*parser).substring
	case "position":
		read = (*parser).position
	case "trim":
		read = (*parser).trim
	case "overlay":
		read = (*parser).overlay
	}
	if read == nil || !p.peek(1).is("(") {
		return nil, false
	}
	c := &ast.Call{At: at, Name: p.advance().text}
	p.expect("(")
	read(p, c)
	p.expect(")")
	return c, true
}

func (p *parser) plainCall(c *ast.Call) {
	p.noSubquery()
	c.Args = p.list()
}

// extract reads field FROM x, or 'field', x.
func (p *parser) extract(c *ast.Call) {
	field := &ast.String{At: p.here()}
	if p.tok.kind == str {
		field.Value = p.advance().text
	} else {
		field.Value = p.label().Name
	}
	if !p.accept(",") {
		p.expect("from")
	}
	c.Args = []ast.Expr{field, p.expr()}
}

// substring reads x FROM a [FOR b], x FOR b, or a list of arguments.
func (p *parser) substring(c *ast.Call) {
	x := p.expr()
	var from, length ast.Expr
	for {
		switch at := p.here(); {
		case from == nil && p.accept("from"):
			from = p.expr()
			continue
		case length == nil && p.accept("for"):
			length = p.expr()
			if from == nil && !p.at("from") {
				from = &ast.Number{At: at, Text: "1"}
			}
			continue
		case p.at("similar"):
			p.refuse(int(at), "SUBSTRING with SIMILAR is")
		case from == nil && p.accept(","):
			c.Args = append([]ast.Expr{x}, p.list()...)
			return
		}
		break
	}
	if from == nil {
		c.Args = []ast.Expr{x}
		return
	}
	c.Args = []ast.Expr{x, from}
	if length != nil {
		c.Args = append(c.Args, length)
	}
}

// position reads part IN whole; the call has the whole first.
func (p *parser) position(c *ast.Call) {
	part := p.binary(bindOperator) // weaker operators end at IN
	p.expect("in")
	c.Args = []ast.Expr{p.binary(bindOperator), part}
}

// trim reads [BOTH | LEADING | TRAILING] [characters] [FROM] x, which are btrim, ltrim
// and rtrim.
func (p *parser) trim(c *ast.Call) {
	c.Name = "btrim"
	switch {
	case p.accept("leading"):
		c.Name = "ltrim"
	case p.accept("trailing"):
		c.Name = "rtrim"
	default:
		p.accept("both")
	}
	if p.accept("from") {
		c.Args = p.list()
		return
	}
	first := p.expr()
	switch {
	case p.accept("from"):
		c.Args = append(p.list(), first)
	case p.accept(","):
		c.Args = append([]ast.Expr{first}, p.list()...)
	default:
		c.Args = []ast.Expr{first}
	}
}

// overlay reads x PLACING y FROM a [FOR b], or a list of arguments.
func (p *parser) overlay(c *ast.Call) {
	x := p.expr()
	if p.accept(",") {
		c.Args = append([]ast.Expr{x}, p.list()...)
		return
	}
	p.expect("placing")
	y := p.expr()
	p.expect("from")
	c.Args = []ast.Expr{x, y, p.expr()}
	if p.accept("for") {
		c.Args = append(c.Args, p.expr())
	}
}
