package expr

import (
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// arrayCast returns the cast from or to an array, which goes through its text.
func (s *Scope) arrayCast(from, to columnar.Type, c context) (function, context) {
	loc := s.Loc()
	switch {
	case from.Array && isText(to):
		return s.toText(from, to, c), assignment
	case to.Array && isText(from), from.Array && to.Array:
		need := explicit
		if from.Array {
			need = assignment
		}
		return func(out result, a args) error { return readText(out, a.bytes(0), to, loc) }, need
	}
	return nil, never
}

// array binds ARRAY[...].
func (s *Scope) array(e *ast.Array) (Node, error) {
	if len(e.Elems) == 0 {
		return nil, s.fail(e.Pos(), pgerr.New("42P18", "cannot determine type of empty array").
			WithHint("Explicitly cast to the desired type, for example ARRAY[]::integer[]."))
	}
	nodes, t, err := s.Unify(e.Elems, "ARRAY")
	if err != nil {
		return nil, err
	}
	if t.Array {
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.FeatureNotSupported, "arrays of more than one dimension are not supported in expressions").
			WithHint("Write it as a literal: '{{1,2},{3,4}}'::int[]."))
	}
	t = unmodified(t)
	t.Array = true
	loc := s.Loc()
	return folded(&strict{typ: t, args: nodes, vecs: make([]*Vec, len(nodes)), lax: true, fn: func(out result, a args) error {
		text := []byte{'{'}
		for i, v := range a.vecs {
			if i > 0 {
				text = append(text, ',')
			}
			if v.IsNull(a.row) {
				text = append(text, "NULL"...)
				continue
			}
			text = append(text, '"')
			for _, c := range appendOutput(nil, v, a.row, loc) {
				if c == '"' || c == '\\' {
					text = append(text, '\\')
				}
				text = append(text, c)
			}
			text = append(text, '"')
		}
		return readText(out, append(text, '}'), t, loc)
	}}), nil
}

// quantified binds x op ANY (ARRAY[...]) and x op ALL (ARRAY[...]) as comparisons with
// the elements, joined by OR or AND.
func (s *Scope) quantified(e *ast.Quantified) (Node, error) {
	array, ok := e.Array.(*ast.Array)
	if _, comparison := operators[e.Op]; !ok || !comparison {
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.FeatureNotSupported, "ANY and ALL are supported only to compare with ARRAY[...]"))
	}
	if e.Op == "=" && !e.All && len(array.Elems) > 0 {
		return s.in(&ast.In{At: e.At, X: e.X, List: array.Elems})
	}
	out := &logic{or: !e.All}
	for _, x := range array.Elems {
		c, err := s.compare(e.Pos(), e.Op, e.X, x)
		if err != nil {
			return nil, err
		}
		out.args = append(out.args, onStored(c))
	}
	return out, nil
}

// exactText reports whether equal values of an array type have the same text, so that
// their texts can be compared in their place.
func exactText(t columnar.Type) bool {
	switch t.Kind {
	case columnar.Float4, columnar.Float8, columnar.Numeric, columnar.JSON:
		return false
	}
	return true
}
