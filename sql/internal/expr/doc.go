// Package expr binds expressions to columns and evaluates them over batches of rows.
//
// Bind turns a syntax tree into a Node with a type, by PostgreSQL's rules: literals of
// unknown type take the type of their surroundings, numbers are promoted along
// int2, int4, int8, numeric, float4, float8, and what does not fit is an error with a
// position. Eval computes a Node for up to MaxRows rows at once.
//
// Values are in one of five forms, whatever their type (see Form): integers and times
// as int64, floats as float64, booleans as bits, numerics as num.Num, everything else as
// bytes. A computation is done in the form's widest type and then checked against the
// range of its result, so int4 + int4 is an int64 addition and a comparison.
//
// An error counts only for rows that are wanted: Eval takes the set of active rows, and
// CASE, AND, OR and COALESCE pass their operands the rows that reach them. So
// CASE WHEN x <> 0 THEN 1/x END does not divide by zero.
//
// A Node owns the memory of its result and reuses it at its next Eval. A tree is
// therefore for one goroutine; bind once per worker.
package expr

import (
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/visibility"
)

// MaxRows is the most rows of one Batch.
const MaxRows = visibility.VectorRows

// Node is a bound expression.
type Node interface {
	// Type returns the type of the value; the zero Type is a literal, or NULL, whose
	// type nothing has decided yet.
	Type() columnar.Type
	// Eval computes the value of every row of b. active holds the rows that are wanted,
	// a bit each, nil for all; the value of another row is undefined, and it raises no
	// error. The result is valid until the next Eval of the same Node, and as long as b.
	Eval(b *Batch, active []uint64) (*Vec, error)
}
