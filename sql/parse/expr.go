package parse

import (
	"math"
	"strconv"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// Binding strengths, PostgreSQL's.
const (
	bindOr = iota + 1
	bindAnd
	bindNot
	bindIs         // not associative, like the next two
	bindComparison // < > = <= >= <>
	bindLike       // BETWEEN IN LIKE ILIKE
	bindOperator   // every other operator
	bindAdd
	bindMultiply
	bindPower
	bindZone // AT TIME ZONE, COLLATE
	bindSign
)

// binding returns how strongly the current token binds as an operator, 0 if it is none.
func (p *parser) binding() int {
	switch p.tok.kind {
	case word:
		switch p.tok.text {
		case "or":
			return bindOr
		case "and":
			return bindAnd
		case "is", "isnull", "notnull":
			return bindIs
		case "between", "in", "like", "ilike", "similar":
			return bindLike
		case "not":
			switch next := p.peek(1); {
			case next.is("between"), next.is("in"), next.is("like"), next.is("ilike"), next.is("similar"):
				return bindLike
			}
		case "at", "collate":
			return bindZone
		case "overlaps", "operator":
			return bindOperator
		}
	case op:
		switch p.tok.text {
		case "<", ">", "=", "<=", ">=", "<>":
			return bindComparison
		case "+", "-":
			return bindAdd
		case "*", "/", "%":
			return bindMultiply
		case "^":
			return bindPower
		case "(", ")", "[", "]", ",", ";", ".", ":", "::", "..", ":=", "=>":
			return 0
		}
		return bindOperator
	}
	return 0
}

// expr reads an expression.
func (p *parser) expr() ast.Expr {
	if p.depth == 0 {
		p.operators = 0
	}
	if !p.nest() {
		return &ast.Null{}
	}
	defer func() { p.depth-- }()
	return p.binary(bindOr)
}

// binary reads an expression of operators that bind at least as strongly as least.
func (p *parser) binary(least int) ast.Expr {
	x := p.unary()
	most := bindSign
	for {
		b := p.binding()
		if b == 0 || b < least || b > most || !p.countOperator() {
			return x
		}
		switch b {
		case bindIs:
			x = p.is(x)
		case bindLike:
			x = p.like(x)
		case bindZone:
			x = p.zone(x)
		default:
			x = p.infix(x, b)
		}
		switch x.(type) {
		case *ast.IsNull, *ast.IsTruth, *ast.In:
			most = bindSign // nothing stands to the right, so every operator can follow
			continue
		}
		most = b
		if b == bindIs || b == bindComparison || b == bindLike {
			most = b - 1
		}
	}
}

// countOperator counts an operator and reports whether it is still allowed.
func (p *parser) countOperator() bool {
	p.operators++
	if p.operators > maxOperators {
		p.fail(p.tok.start, pgerr.StatementTooComplex, "expression has too many operators").
			WithHint("At most %d operators are allowed in one expression; IN takes a list of any length.", maxOperators)
		return false
	}
	return true
}

// infix reads an operator and what stands to its right of x.
func (p *parser) infix(x ast.Expr, b int) ast.Expr {
	t := p.advance()
	at := ast.At(t.start)
	switch t.text {
	case "or":
		t.text = "OR"
	case "and":
		t.text = "AND"
	case "overlaps":
		p.refuse(t.start, "OVERLAPS is")
	case "operator":
		p.refuse(t.start, "OPERATOR() is").WithHint("Write the operator itself.")
	}
	if (b == bindComparison || b == bindOperator) && p.at("any", "some", "all") && p.peek(1).is("(") {
		q := &ast.Quantified{At: at, Op: t.text, X: x, All: p.at("all")}
		p.advance()
		p.expect("(")
		p.noSubquery()
		q.Array = p.expr()
		p.expect(")")
		return q
	}
	return &ast.Binary{At: at, Op: t.text, L: x, R: p.binary(b + 1)}
}

// is reads what follows x from IS on.
func (p *parser) is(x ast.Expr) ast.Expr {
	at := p.here()
	if p.accept("isnull") {
		return &ast.IsNull{At: at, X: x}
	}
	if p.accept("notnull") {
		return &ast.IsNull{At: at, X: x, Not: true}
	}
	p.expect("is")
	not := p.accept("not")
	switch {
	case p.accept("null"):
		return &ast.IsNull{At: at, X: x, Not: not}
	case p.accept("true"):
		return &ast.IsTruth{At: at, X: x, Want: ast.True, Not: not}
	case p.accept("false"):
		return &ast.IsTruth{At: at, X: x, Want: ast.False, Not: not}
	case p.accept("unknown"):
		return &ast.IsTruth{At: at, X: x, Want: ast.Unknown, Not: not}
	case p.accept("distinct", "from"):
		return &ast.IsDistinct{At: at, L: x, R: p.binary(bindComparison), Not: not}
	case p.at("document", "normalized", "nfc", "nfd", "nfkc", "nfkd", "json", "of"):
		p.refuse(p.tok.start, "this form of IS is")
	default:
		p.unexpected()
	}
	return x
}

// like reads what follows x from [NOT] BETWEEN, IN, LIKE or ILIKE on.
func (p *parser) like(x ast.Expr) ast.Expr {
	at := p.here()
	not := p.accept("not")
	switch {
	case p.accept("between"):
		e := &ast.Between{At: at, X: x, Not: not, Symmetric: p.accept("symmetric")}
		p.accept("asymmetric")
		e.Lo = p.binary(bindOperator)
		p.expect("and")
		e.Hi = p.binary(bindOperator)
		return e
	case p.accept("in"):
		p.expect("(")
		p.noSubquery()
		e := &ast.In{At: at, X: x, Not: not, List: p.list()}
		p.expect(")")
		return e
	case p.at("like", "ilike"):
		e := &ast.Like{At: at, X: x, Not: not, FoldCase: p.advance().text == "ilike"}
		e.Pattern = p.binary(bindOperator)
		if p.accept("escape") {
			e.Escape = p.binary(bindOperator)
		}
		return e
	}
	p.refuse(p.tok.start, "SIMILAR TO is").WithHint("LIKE has the wildcards %% and _.")
	return x
}

// zone reads what follows x from AT TIME ZONE or COLLATE on.
func (p *parser) zone(x ast.Expr) ast.Expr {
	at := p.here()
	if p.at("collate") {
		p.collate()
		return x
	}
	p.expect("at", "time", "zone")
	return &ast.Call{At: at, Name: "timezone", Args: []ast.Expr{p.binary(bindZone + 1), x}}
}

// list reads expressions with commas between them.
func (p *parser) list() []ast.Expr {
	list := []ast.Expr{p.expr()}
	for p.accept(",") {
		list = append(list, p.expr())
	}
	return list
}

// noSubquery refuses a subquery at the current token.
func (p *parser) noSubquery() {
	if p.at("select", "values", "with", "table") {
		p.refuse(p.tok.start, "subqueries are").WithHint(engineHint)
	}
}

// unary reads an operand with the operators before and behind it.
func (p *parser) unary() ast.Expr {
	if p.at("not", "-", "+") || p.tok.kind == op && p.binding() == bindOperator {
		return p.prefix()
	}
	x := p.primary()
	for p.at("::", "[") && p.countOperator() {
		at := p.here()
		if p.accept("::") {
			x = &ast.Cast{At: at, X: x, Type: p.typeName()}
			continue
		}
		p.expect("[")
		if p.at(":") {
			p.refuse(p.tok.start, "array slices are")
		}
		x = &ast.Subscript{At: at, X: x, Index: p.expr()}
		if p.at(":") {
			p.refuse(p.tok.start, "array slices are")
		}
		p.expect("]")
	}
	return x
}

// prefix reads an operator and the operand behind it.
func (p *parser) prefix() ast.Expr {
	if !p.nest() {
		return &ast.Null{}
	}
	defer func() { p.depth-- }()
	at := p.here()
	switch t := p.advance(); t.text {
	case "not":
		return &ast.Unary{At: at, Op: "NOT", X: p.binary(bindNot)}
	case "-":
		x := p.unary()
		if n, ok := x.(*ast.Number); ok {
			return negative(at, n)
		}
		return &ast.Unary{At: at, Op: "-", X: x}
	case "+":
		return &ast.Unary{At: at, Op: "+", X: p.unary()}
	default:
		return &ast.Unary{At: at, Op: t.text, X: p.binary(bindOperator + 1)}
	}
}

func negative(at ast.At, n *ast.Number) ast.Expr {
	if n.Text[0] == '-' {
		return &ast.Number{At: at, Text: n.Text[1:]}
	}
	return &ast.Number{At: at, Text: "-" + n.Text}
}

// primary reads an operand.
func (p *parser) primary() ast.Expr {
	at := p.here()
	switch t := p.tok; t.kind {
	case number:
		p.advance()
		return &ast.Number{At: at, Text: t.text}
	case str:
		p.advance()
		return &ast.String{At: at, Value: t.text}
	case param:
		p.advance()
		n, err := strconv.ParseUint(t.text, 10, 64)
		if err != nil || n > math.MaxInt32 {
			p.fail(t.start, pgerr.SyntaxError, "parameter number too large at or near \"$%s\"", t.text)
		} else if n == 0 || n > maxParams {
			p.fail(t.start, "42P02", "there is no parameter $%d", n)
		}
		return &ast.Param{At: at, N: int(n)}
	case word:
		return p.wordPrimary(at)
	case quoted:
		return p.columnOrCall(at)
	}
	if !p.accept("(") {
		p.unexpected()
		return &ast.Null{At: at}
	}
	p.noSubquery()
	x := p.expr()
	if p.at(",") {
		p.refuse(int(at), "row values are").WithHint("Compare the columns one by one with AND.")
	}
	p.expect(")")
	return x
}

// maxParams is the largest parameter number, as in PostgreSQL's protocol.
const maxParams = math.MaxUint16

// wordPrimary reads an operand that starts with an unquoted word.
func (p *parser) wordPrimary(at ast.At) ast.Expr {
	t := p.tok
	switch t.text {
	case "true", "false":
		p.advance()
		return &ast.Bool{At: at, Value: t.text == "true"}
	case "null":
		p.advance()
		return &ast.Null{At: at}
	case "case":
		return p.caseExpr()
	case "cast":
		p.advance()
		p.expect("(")
		e := &ast.Cast{At: at, X: p.expr()}
		p.expect("as")
		e.Type = p.typeName()
		p.expect(")")
		return e
	case "array":
		return p.array()
	case "default":
		p.fail(t.start, pgerr.SyntaxError, "DEFAULT is not allowed in this context")
		return &ast.Null{At: at}
	case "exists", "row":
		if p.peek(1).is("(") {
			p.refuse(t.start, map[string]string{"exists": "subqueries are", "row": "row values are"}[t.text]).
				WithHint(engineHint)
		}
	case "current_timestamp", "current_date", "localtimestamp", "current_time", "localtime":
		return p.now(at)
	case "current_user", "current_role", "session_user", "user", "current_catalog", "current_schema":
		p.refuse(t.start, t.text+" is")
		return &ast.Null{At: at}
	}
	if e, ok := p.special(at); ok {
		return e
	}
	if p.typedLiteral() {
		typ := p.typeName()
		s := p.str()
		return &ast.Cast{At: at, X: &ast.String{At: ast.At(s.start), Value: s.text}, Type: typ}
	}
	return p.columnOrCall(at)
}

// typedLiteral reports whether a literal with its type before it follows: date
// '2001-01-01', timestamp with time zone '...', numeric(5,2) '1.5'.
func (p *parser) typedLiteral() bool {
	if !isType(p.tok.text) {
		return false
	}
	switch next := p.peek(1); {
	case next.kind == str:
		return true
	case p.at("double"):
		return next.is("precision") && p.peek(2).kind == str
	case p.at("character", "char"):
		return next.is("varying")
	case p.at("time", "timestamp"):
		return (next.is("with") || next.is("without")) && p.peek(2).is("time")
	}
	return false
}

// now reads CURRENT_TIMESTAMP and the like, which are now() in another type.
func (p *parser) now(at ast.At) ast.Expr {
	kind := map[string]columnar.Kind{
		"current_date": columnar.Date, "localtimestamp": columnar.Timestamp, "localtime": columnar.Time,
		"current_time": columnar.Invalid, "current_timestamp": columnar.TimestampTZ,
	}[p.tok.text]
	t := p.advance()
	p.timePrecision()
	call := &ast.Call{At: at, Name: "now"}
	switch kind {
	case columnar.Invalid:
		p.refuse(t.start, "type time with time zone is").WithHint("Use LOCALTIME or CURRENT_TIMESTAMP.")
	case columnar.TimestampTZ:
		return call
	}
	return &ast.Cast{At: at, X: call, Type: columnar.Type{Kind: kind}}
}

func (p *parser) caseExpr() ast.Expr {
	e := &ast.Case{At: p.here()}
	p.expect("case")
	if !p.at("when") {
		e.Operand = p.expr()
	}
	for p.accept("when") {
		w := ast.When{Cond: p.expr()}
		p.expect("then")
		w.Result = p.expr()
		e.Whens = append(e.Whens, w)
	}
	if len(e.Whens) == 0 {
		p.unexpected()
	}
	if p.accept("else") {
		e.Else = p.expr()
	}
	p.expect("end")
	return e
}

func (p *parser) array() ast.Expr {
	e := &ast.Array{At: p.here()}
	p.expect("array")
	if p.at("(") {
		p.refuse(p.tok.start, "subqueries are").WithHint(engineHint)
	}
	p.expect("[")
	if !p.at("]") {
		if p.at("[") {
			p.refuse(p.tok.start, "arrays of more than one dimension are")
		}
		e.Elems = p.list()
	}
	p.expect("]")
	return e
}

// columnOrCall reads a column, a column of a table, or a call.
func (p *parser) columnOrCall(at ast.At) ast.Expr {
	if p.peek(1).is("(") {
		c := ast.CategoryOf(p.tok.text)
		ok := p.tok.kind == quoted || c == ast.Unreserved || c == ast.FunctionName
		return p.call(at, p.name(ok).Name)
	}
	first := p.ident().Name
	if !p.accept(".") {
		return &ast.Column{At: at, Name: first}
	}
	if p.at("*") {
		p.unexpected()
	}
	if p.peek(1).is("(") {
		if first != "pg_catalog" {
			p.refuse(int(at), "functions of a schema are")
		}
		return p.call(at, p.label().Name)
	}
	e := &ast.Column{At: at, Table: first, Name: p.label().Name}
	if p.accept(".") {
		if e.Table != "public" {
			p.refuse(int(at), "columns of columns are")
		}
		e.Table, e.Name = e.Name, p.label().Name
	}
	return e
}

// call reads the arguments of a function from its parenthesis on.
func (p *parser) call(at ast.At, name string) *ast.Call {
	c := &ast.Call{At: at, Name: name}
	p.expect("(")
	switch {
	case p.accept("*"):
		c.Star = true
	case p.at(")"):
	default:
		if p.at("variadic") {
			p.refuse(p.tok.start, "VARIADIC is")
		}
		c.Distinct = p.accept("distinct")
		if !c.Distinct {
			p.accept("all")
		}
		p.noSubquery()
		if !p.peek(1).is("=>") {
			c.Args = p.list()
		}
		if p.at("=>", ":=") || p.peek(1).is("=>") {
			p.refuse(p.tok.start, "named arguments are")
		}
		if p.at("order") {
			p.refuse(p.tok.start, "ORDER BY inside an aggregate is").WithHint(engineHint)
		}
	}
	p.expect(")")
	if p.at("within") {
		p.refuse(p.tok.start, "WITHIN GROUP is").WithHint(engineHint)
	}
	if p.at("filter") && p.peek(1).is("(") {
		p.expect("filter", "(", "where")
		c.Filter = p.expr()
		p.expect(")")
	}
	if p.at("over") && p.copyWhere {
		p.fail(p.tok.start, pgerr.WindowingError, "window functions are not allowed in COPY FROM WHERE conditions")
	}
	if p.at("over") {
		p.refuse(p.tok.start, "window functions are").WithHint(engineHint)
	}
	return c
}
