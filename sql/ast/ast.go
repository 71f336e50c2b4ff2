// Package ast has the tree of a statement: what package parse makes and what the
// binder reads.
//
// Every node knows the byte at which it starts in the statement's text (At), so that
// an error can point at it. String prints a node as a statement or an expression
// that parses to the same tree, positions aside: the schema stores CHECK and DEFAULT
// expressions in that form, and EXPLAIN shows them so.
//
// A tree holds what was written, resolved as far as the text alone allows: names are
// folded to lower case, string escapes are decoded, type names are columnar types,
// SUBSTRING(x FROM a FOR b) and its kind are ordinary calls. It does not know whether
// a table or a function exists.
package ast

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// At is where a node starts: a byte offset in the text that was parsed.
type At int

// Pos returns the offset.
func (a At) Pos() int { return int(a) }

// Stmt is a statement. String prints it without the closing semicolon.
type Stmt interface {
	fmt.Stringer
	Pos() int
	// Source returns the text that the statement was parsed from, to which positions
	// in it refer; "" if it was not parsed.
	Source() string
	// SetSource sets what Source returns.
	SetSource(text string)
	print(*printer)
}

// Base is what every statement has.
type Base struct {
	At
	source string
}

// Source returns the text that the statement was parsed from.
func (b *Base) Source() string { return b.source }

// SetSource sets what Source returns.
func (b *Base) SetSource(text string) { b.source = text }

// Expr is an expression.
type Expr interface {
	fmt.Stringer
	Pos() int
	print(*printer)
	// operand reports whether the printed form can stand as an operand as it is.
	operand() bool
}

// Ident is a name with its position: a column, an option, a constraint.
type Ident struct {
	At
	Name string
}

// String returns the name, quoted if it must be.
func (i Ident) String() string { return Quote(i.Name) }

// TableName is a table, perhaps with a schema before it. The store has one schema,
// public; the binder refuses others.
type TableName struct {
	At
	Schema string
	Name   string
}

// String returns the name, its parts quoted where they must be.
func (n TableName) String() string {
	if n.Schema != "" {
		return Quote(n.Schema) + "." + Quote(n.Name)
	}
	return Quote(n.Name)
}

// Error is an error with its place in a statement's text. errors.As finds the
// *pgerr.Error inside.
type Error struct {
	Err      *pgerr.Error
	Position int // characters from 1, as PostgreSQL counts
	Line     int // lines from 1
}

// NewError returns err at the byte offset of src. An offset outside src means its end.
func NewError(src string, offset int, err *pgerr.Error) *Error {
	if offset < 0 || offset > len(src) {
		offset = len(src)
	}
	before := src[:offset]
	return &Error{
		Err:      err,
		Position: utf8.RuneCountInString(before) + 1,
		Line:     strings.Count(before, "\n") + 1,
	}
}

// Error returns the message, its place and its SQLSTATE.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at character %d [%s]", e.Err.Message, e.Position, e.Err.SQLState)
}

// Unwrap returns the error without its place.
func (e *Error) Unwrap() error { return e.Err }
