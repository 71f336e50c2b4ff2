package ast

import "github.com/ingotdb/ingot/columnar"

// Number is a numeric literal: an optional minus, decimal digits, perhaps a point and
// an exponent. Hexadecimal, octal and binary integers and underscores are resolved. A
// minus before a literal belongs to it, so that -9223372036854775808 is a bigint.
type Number struct {
	At
	Text string
}

// String is a string literal, decoded. Its type is decided by where it stands.
type String struct {
	At
	Value string
}

// Bool is TRUE or FALSE.
type Bool struct {
	At
	Value bool
}

// Null is NULL.
type Null struct{ At }

// Default is DEFAULT as a value of INSERT or UPDATE.
type Default struct{ At }

// Param is $n.
type Param struct {
	At
	N int // from 1
}

// Column is a column, perhaps with its table's name or alias before it.
type Column struct {
	At
	Table string
	Name  string
}

// Unary is an operator before its operand: -, + or another operator, or NOT.
type Unary struct {
	At
	Op string
	X  Expr
}

// Binary is an operator between two operands, AND and OR included. <> is the one
// spelling of inequality. At is the operator's.
type Binary struct {
	At
	Op   string
	L, R Expr
}

// IsNull is X IS [NOT] NULL.
type IsNull struct {
	At
	X   Expr
	Not bool
}

// Truth is what IsTruth tests for.
type Truth uint8

// The truth values.
const (
	False Truth = iota
	True
	Unknown
)

// IsTruth is X IS [NOT] TRUE, FALSE or UNKNOWN.
type IsTruth struct {
	At
	X    Expr
	Want Truth
	Not  bool
}

// IsDistinct is L IS [NOT] DISTINCT FROM R.
type IsDistinct struct {
	At
	L, R Expr
	Not  bool
}

// In is X [NOT] IN (List).
type In struct {
	At
	X    Expr
	List []Expr
	Not  bool
}

// Between is X [NOT] BETWEEN [SYMMETRIC] Lo AND Hi.
type Between struct {
	At
	X, Lo, Hi Expr
	Not       bool
	Symmetric bool
}

// Like is X [NOT] LIKE or ILIKE Pattern [ESCAPE Escape].
type Like struct {
	At
	X, Pattern Expr
	Escape     Expr // nil: backslash
	Not        bool
	FoldCase   bool // ILIKE
}

// When is one arm of a Case.
type When struct {
	Cond, Result Expr
}

// Case is CASE [Operand] WHEN ... THEN ... [ELSE Else] END.
type Case struct {
	At
	Operand Expr // or nil
	Whens   []When
	Else    Expr // or nil
}

// Cast is CAST(X AS Type), X::Type and the typed literal type 'string'.
type Cast struct {
	At
	X    Expr
	Type columnar.Type
}

// Call is a call of a function or an aggregate. COALESCE, NULLIF, GREATEST, LEAST,
// EXTRACT, SUBSTRING, POSITION (whole first), TRIM (as btrim, ltrim, rtrim), AT TIME
// ZONE (as timezone) and CURRENT_TIMESTAMP (as now) are calls too.
type Call struct {
	At
	Name     string
	Args     []Expr
	Named    []NamedArg // of a table function: name => value, behind Args
	Star     bool       // count(*)
	Distinct bool
	Filter   Expr // or nil
}

// NamedArg is an argument with its name.
type NamedArg struct {
	Ident
	Value Expr
}

// Array is ARRAY[...].
type Array struct {
	At
	Elems []Expr
}

// Subscript is X[Index].
type Subscript struct {
	At
	X, Index Expr
}

// Quantified is X Op ANY (Array) or X Op ALL (Array).
type Quantified struct {
	At
	Op    string
	X     Expr
	All   bool
	Array Expr
}
