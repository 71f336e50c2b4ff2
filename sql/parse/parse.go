// Package parse turns the text of statements into trees.
//
// The language is PostgreSQL's where PostgreSQL has it, lexical rules included: names
// fold to lower case, escape strings, dollar quotes, nested comments, operators cut as
// PostgreSQL cuts them. What the language knows but the store does not do (joins,
// subqueries, windows, other objects than tables) is recognised and refused with
// SQLSTATE 0A000 and a hint; everything else that does not fit is 42601 with the
// words PostgreSQL uses. Every error is an *ast.Error that says where.
//
// Statements, Statement and Expr parse a text. Scanner cuts a script into statements
// as they arrive and hands out the data that follows COPY FROM STDIN.
//
// Hostile input costs time and memory in proportion to its length: nesting is bounded
// by maxDepth and a chain of operators by maxOperators, both 54001.
package parse

import (
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// Bounds of one expression. A tree is never deeper than their sum, so that recursion
// over it is safe.
const (
	maxDepth     = 1_000  // parentheses, calls, CASE and other nesting
	maxOperators = 20_000 // operators outside of one another, such as a chain of ORs
)

// Statements parses a text of statements separated by semicolons. Empty statements
// leave nothing.
func Statements(src string) ([]ast.Stmt, error) {
	p, err := newParser(src)
	if err != nil {
		return nil, err
	}
	var list []ast.Stmt
	for p.err() == nil {
		for p.accept(";") {
		}
		if p.tok.kind == end {
			break
		}
		s := p.statement()
		if p.err() == nil {
			s.SetSource(src)
		}
		list = append(list, s)
		if p.tok.kind != end && !p.tok.is(";") {
			p.unexpected()
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return list, nil
}

// Statement parses a text that is one statement, perhaps with a semicolon behind it.
func Statement(src string) (ast.Stmt, error) {
	list, err := Statements(src)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, ast.NewError(src, len(src), pgerr.New(pgerr.SyntaxError, "the statement is empty"))
	case len(list) > 1:
		return nil, ast.NewError(src, list[1].Pos(), pgerr.New(pgerr.SyntaxError,
			"one statement expected, more were given"))
	}
	return list[0], nil
}

// Expr parses a text that is one expression.
func Expr(src string) (ast.Expr, error) {
	p, err := newParser(src)
	if err != nil {
		return nil, err
	}
	e := p.expr()
	if p.tok.kind != end {
		p.unexpected()
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return e, nil
}

// parser reads tokens with a look-ahead of two. The first error stays: from then on
// every token is the end, so that every loop stops, and what the methods return is
// thrown away.
type parser struct {
	lex   lexer
	tok   token    // the current token
	ahead [2]token // the next ones
	n     int      // how many of ahead are read
	last  int      // where the token before the current one ended

	depth     int  // of nesting, see nest
	operators int  // in the outermost expression
	copyWhere bool // inside the WHERE of a COPY FROM
}

// newParser returns a parser at the first token of src.
func newParser(src string) (*parser, error) {
	if i := firstInvalid(src); i >= 0 {
		return nil, ast.NewError(src, i, invalidUTF8(src[i:]))
	}
	p := &parser{lex: lexer{src: src}}
	p.tok = p.lex.next()
	return p, nil
}

func (p *parser) err() error {
	if p.lex.err == nil {
		return nil // not a nil *ast.Error inside an error
	}
	return p.lex.err
}

// advance moves to the next token and returns the one before it.
func (p *parser) advance() token {
	t := p.tok
	p.last = t.end
	if p.n > 0 {
		p.tok = p.ahead[0]
		p.ahead[0] = p.ahead[1]
		p.n--
	} else {
		p.tok = p.lex.next()
	}
	if p.lex.err != nil {
		p.stop()
	}
	return t
}

// stop makes all tokens from here the end.
func (p *parser) stop() {
	p.n = 0
	p.tok = token{kind: end, start: len(p.lex.src), end: len(p.lex.src)}
	p.lex.at = len(p.lex.src)
}

// peek returns the token i places after the current one, for i 0 to 2. An error in it
// is the error of the statement.
func (p *parser) peek(i int) token {
	if i == 0 {
		return p.tok
	}
	for p.n < i {
		if p.lex.err != nil {
			return token{kind: end}
		}
		p.ahead[p.n] = p.lex.next()
		p.n++
	}
	return p.ahead[i-1]
}

// fail records an error at byte at, if it is the first, and stops. The result is for
// a hint.
func (p *parser) fail(at int, state, format string, args ...any) *pgerr.Error {
	err := pgerr.New(state, format, args...)
	if p.lex.err == nil {
		p.lex.err = ast.NewError(p.lex.src, at, err)
	}
	p.stop()
	return err
}

// refuse records that what is not supported.
func (p *parser) refuse(at int, what string) *pgerr.Error {
	return p.fail(at, pgerr.FeatureNotSupported, "%s not supported", what)
}

// unexpected records a syntax error at the current token.
func (p *parser) unexpected() { p.unexpectedAt(p.tok) }

func (p *parser) unexpectedAt(t token) {
	if t.kind == end {
		p.fail(t.start, pgerr.SyntaxError, "syntax error at end of input")
		return
	}
	p.fail(t.start, pgerr.SyntaxError, "syntax error at or near \"%s\"", p.lex.src[t.start:t.end])
}

// at reports whether the current token is one of the operators or unquoted words s.
func (p *parser) at(s ...string) bool {
	for _, s := range s {
		if p.tok.is(s) {
			return true
		}
	}
	return false
}

// atWords reports whether the current token and those after it are the words s.
func (p *parser) atWords(s ...string) bool {
	for i, s := range s {
		if !p.peek(i).is(s) {
			return false
		}
	}
	return true
}

// accept moves past the words s if all of them follow and reports whether they did.
func (p *parser) accept(s ...string) bool {
	if !p.atWords(s...) {
		return false
	}
	for range s {
		p.advance()
	}
	return true
}

// expect moves past the words s, each of which must follow.
func (p *parser) expect(s ...string) {
	for _, s := range s {
		if !p.tok.is(s) {
			p.unexpected()
			return
		}
		p.advance()
	}
}

// nest enters one level of nesting and reports whether that is still allowed. Every
// true result is paired with a p.depth--.
func (p *parser) nest() bool {
	if p.depth >= maxDepth {
		p.fail(p.tok.start, pgerr.StatementTooComplex, "statement is nested too deeply").
			WithHint("At most %d levels of nesting are allowed.", maxDepth)
		return false
	}
	p.depth++
	return true
}

// ident reads a name of a column or a table.
func (p *parser) ident() ast.Ident {
	ok := p.tok.kind == quoted
	if p.tok.kind == word {
		c := ast.CategoryOf(p.tok.text)
		ok = c == ast.Unreserved || c == ast.ColumnName
	}
	return p.name(ok)
}

// label reads any word as a name.
func (p *parser) label() ast.Ident {
	return p.name(p.tok.kind == quoted || p.tok.kind == word)
}

// name reads the current token as a name if ok.
func (p *parser) name(ok bool) ast.Ident {
	if !ok {
		p.unexpected()
		return ast.Ident{}
	}
	t := p.advance()
	return ast.Ident{At: ast.At(t.start), Name: t.text}
}

// table reads a table's name with an optional schema.
func (p *parser) table() ast.TableName {
	first := p.ident()
	n := ast.TableName{At: first.At, Name: first.Name}
	if p.accept(".") {
		n.Schema, n.Name = n.Name, p.label().Name
	}
	if p.at(".") {
		p.refuse(first.Pos(), "names of other databases are")
	}
	return n
}

// tables reads table names with commas between them.
func (p *parser) tables() []ast.TableName {
	list := []ast.TableName{p.table()}
	for p.accept(",") {
		list = append(list, p.table())
	}
	return list
}

// columns reads (a, b, ...).
func (p *parser) columns() []ast.Ident {
	p.expect("(")
	list := []ast.Ident{p.ident()}
	for p.accept(",") {
		list = append(list, p.ident())
	}
	p.expect(")")
	return list
}

// str reads a string literal.
func (p *parser) str() token {
	if p.tok.kind != str {
		p.unexpected()
		return token{}
	}
	return p.advance()
}

// here returns the position of the current token.
func (p *parser) here() ast.At { return ast.At(p.tok.start) }
