package ast

import (
	"strconv"
	"strings"
)

// printer collects the text of a tree. Operands that are not simple stand between
// parentheses, so the text does not depend on precedence.
type printer struct {
	strings.Builder
}

type printable interface{ print(*printer) }

func text(n printable) string {
	var p printer
	n.print(&p)
	return p.String()
}

// words writes parts with a blank between them.
func (p *printer) words(parts ...string) {
	for i, s := range parts {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.WriteString(s)
	}
}

// flag writes s if on.
func (p *printer) flag(on bool, s string) {
	if on {
		p.WriteString(s)
	}
}

// operand writes e so that it can stand beside any operator.
func (p *printer) operand(e Expr) {
	if e.operand() {
		e.print(p)
		return
	}
	p.WriteByte('(')
	e.print(p)
	p.WriteByte(')')
}

// exprs writes list with commas between its elements.
func (p *printer) exprs(list []Expr) {
	for i, e := range list {
		p.flag(i > 0, ", ")
		e.print(p)
	}
}

// names writes (a, b), or nothing for an empty list.
func (p *printer) names(list []Ident) {
	for i, n := range list {
		p.WriteString([]string{"(", ", "}[min(i, 1)])
		p.WriteString(n.String())
	}
	p.flag(len(list) > 0, ")")
}

// tables writes list with commas.
func (p *printer) tables(list []TableName) {
	for i, t := range list {
		p.flag(i > 0, ", ")
		p.WriteString(t.String())
	}
}

// clause writes word and e, or nothing for nil.
func (p *printer) clause(word string, e Expr) {
	if e != nil {
		p.words("", word, "")
		e.print(p)
	}
}

// label returns name as it must be written where every word is allowed.
func label(name string) string {
	if plain(name) {
		return name
	}
	return Quote(name)
}

func (e *Number) print(p *printer)  { p.WriteString(e.Text) }
func (e *String) print(p *printer)  { p.WriteString(QuoteString(e.Value)) }
func (e *Null) print(p *printer)    { p.WriteString("NULL") }
func (e *Default) print(p *printer) { p.WriteString("DEFAULT") }
func (e *Param) print(p *printer)   { p.WriteString("$" + strconv.Itoa(e.N)) }

func (e *Bool) print(p *printer) {
	p.WriteString(strings.ToUpper(strconv.FormatBool(e.Value)))
}

func (e *Column) print(p *printer) {
	if e.Table != "" {
		p.WriteString(Quote(e.Table) + ".")
	}
	p.WriteString(Quote(e.Name))
}

func (e *Unary) print(p *printer) {
	p.WriteString(e.Op)
	p.flag(e.Op != "-" && e.Op != "+", " ")
	p.operand(e.X)
}

func (e *Binary) print(p *printer) {
	// AND and OR are associative to the left and so need no parentheses there.
	if l, ok := e.L.(*Binary); ok && l.Op == e.Op && (e.Op == "AND" || e.Op == "OR") {
		l.print(p)
	} else {
		p.operand(e.L)
	}
	p.WriteString(" " + e.Op + " ")
	p.operand(e.R)
}

func not(on bool) string {
	if on {
		return "NOT "
	}
	return ""
}

func (e *IsNull) print(p *printer) {
	p.operand(e.X)
	p.WriteString(" IS " + not(e.Not) + "NULL")
}

func (e *IsTruth) print(p *printer) {
	p.operand(e.X)
	p.WriteString(" IS " + not(e.Not) + []string{"FALSE", "TRUE", "UNKNOWN"}[e.Want])
}

func (e *IsDistinct) print(p *printer) {
	p.operand(e.L)
	p.WriteString(" IS " + not(e.Not) + "DISTINCT FROM ")
	p.operand(e.R)
}

func (e *In) print(p *printer) {
	p.operand(e.X)
	p.WriteString(" " + not(e.Not) + "IN (")
	p.exprs(e.List)
	p.WriteByte(')')
}

func (e *Between) print(p *printer) {
	p.operand(e.X)
	p.WriteString(" " + not(e.Not) + "BETWEEN ")
	p.flag(e.Symmetric, "SYMMETRIC ")
	p.operand(e.Lo)
	p.WriteString(" AND ")
	p.operand(e.Hi)
}

func (e *Like) print(p *printer) {
	p.operand(e.X)
	p.WriteString(" " + not(e.Not))
	p.flag(e.FoldCase, "I")
	p.WriteString("LIKE ")
	p.operand(e.Pattern)
	if e.Escape != nil {
		p.WriteString(" ESCAPE ")
		p.operand(e.Escape)
	}
}

func (e *Case) print(p *printer) {
	p.WriteString("CASE")
	if e.Operand != nil {
		p.WriteByte(' ')
		e.Operand.print(p)
	}
	for _, w := range e.Whens {
		p.clause("WHEN", w.Cond)
		p.clause("THEN", w.Result)
	}
	p.clause("ELSE", e.Else)
	p.WriteString(" END")
}

func (e *Cast) print(p *printer) {
	p.operand(e.X)
	p.WriteString("::" + e.Type.String())
}

func (e *Call) print(p *printer) {
	p.WriteString(functionName(e.Name))
	p.WriteByte('(')
	p.flag(e.Star, "*")
	p.flag(e.Distinct, "DISTINCT ")
	p.exprs(e.Args)
	for i, a := range e.Named {
		p.flag(i > 0 || len(e.Args) > 0, ", ")
		p.WriteString(a.String() + " => ")
		a.Value.print(p)
	}
	p.WriteByte(')')
	if e.Filter != nil {
		p.WriteString(" FILTER (WHERE ")
		e.Filter.print(p)
		p.WriteByte(')')
	}
}

// functionName quotes name unless the grammar takes it as a function: unlike a column,
// a function may have the name of a FunctionName word, or of one with its own syntax.
func functionName(name string) string {
	switch name {
	case "coalesce", "nullif", "greatest", "least", "extract", "substring":
		return name
	}
	if plain(name) && keywords[name] == FunctionName {
		return name
	}
	return Quote(name)
}

func (e *Array) print(p *printer) {
	p.WriteString("ARRAY[")
	p.exprs(e.Elems)
	p.WriteByte(']')
}

func (e *Subscript) print(p *printer) {
	// A subscript cannot follow a cast or a number: 1[2] is no expression.
	switch e.X.(type) {
	case *Column, *Param, *Subscript:
		e.X.print(p)
	default:
		p.WriteByte('(')
		e.X.print(p)
		p.WriteByte(')')
	}
	p.WriteByte('[')
	e.Index.print(p)
	p.WriteByte(']')
}

func (e *Quantified) print(p *printer) {
	p.operand(e.X)
	p.WriteString(" " + e.Op + []string{" ANY (", " ALL ("}[b2i(e.All)])
	e.Array.print(p)
	p.WriteByte(')')
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (e *Number) operand() bool     { return e.Text[0] != '-' }
func (e *String) operand() bool     { return true }
func (e *Bool) operand() bool       { return true }
func (e *Null) operand() bool       { return true }
func (e *Default) operand() bool    { return true }
func (e *Param) operand() bool      { return true }
func (e *Column) operand() bool     { return true }
func (e *Unary) operand() bool      { return false }
func (e *Binary) operand() bool     { return false }
func (e *IsNull) operand() bool     { return false }
func (e *IsTruth) operand() bool    { return false }
func (e *IsDistinct) operand() bool { return false }
func (e *In) operand() bool         { return false }
func (e *Between) operand() bool    { return false }
func (e *Like) operand() bool       { return false }
func (e *Case) operand() bool       { return true }
func (e *Cast) operand() bool       { return true }
func (e *Call) operand() bool       { return true }
func (e *Array) operand() bool      { return true }
func (e *Subscript) operand() bool  { return true }
func (e *Quantified) operand() bool { return false }

func (e *Number) String() string     { return text(e) }
func (e *String) String() string     { return text(e) }
func (e *Bool) String() string       { return text(e) }
func (e *Null) String() string       { return text(e) }
func (e *Default) String() string    { return text(e) }
func (e *Param) String() string      { return text(e) }
func (e *Column) String() string     { return text(e) }
func (e *Unary) String() string      { return text(e) }
func (e *Binary) String() string     { return text(e) }
func (e *IsNull) String() string     { return text(e) }
func (e *IsTruth) String() string    { return text(e) }
func (e *IsDistinct) String() string { return text(e) }
func (e *In) String() string         { return text(e) }
func (e *Between) String() string    { return text(e) }
func (e *Like) String() string       { return text(e) }
func (e *Case) String() string       { return text(e) }
func (e *Cast) String() string       { return text(e) }
func (e *Call) String() string       { return text(e) }
func (e *Array) String() string      { return text(e) }
func (e *Subscript) String() string  { return text(e) }
func (e *Quantified) String() string { return text(e) }
