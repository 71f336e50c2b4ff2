package ast

// Walk calls visit with e and, where it returns true, with the expressions inside e, from
// left to right. Nil expressions are passed over.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	all := func(list ...Expr) {
		for _, x := range list {
			Walk(x, visit)
		}
	}
	switch e := e.(type) {
	case *Unary:
		all(e.X)
	case *Binary:
		all(e.L, e.R)
	case *IsNull:
		all(e.X)
	case *IsTruth:
		all(e.X)
	case *IsDistinct:
		all(e.L, e.R)
	case *In:
		all(e.X)
		all(e.List...)
	case *Between:
		all(e.X, e.Lo, e.Hi)
	case *Like:
		all(e.X, e.Pattern, e.Escape)
	case *Case:
		all(e.Operand)
		for _, w := range e.Whens {
			all(w.Cond, w.Result)
		}
		all(e.Else)
	case *Cast:
		all(e.X)
	case *Call:
		all(e.Args...)
		for _, a := range e.Named {
			all(a.Value)
		}
		all(e.Filter)
	case *Array:
		all(e.Elems...)
	case *Subscript:
		all(e.X, e.Index)
	case *Quantified:
		all(e.X, e.Array)
	}
}
