package expr

import (
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/sql/ast"
)

// in binds x [NOT] IN (list): by one look-up in a set if the list is of constants, else
// as comparisons joined by OR.
func (s *Scope) in(e *ast.In) (Node, error) {
	n, err := s.inSet(e)
	if err != nil {
		return nil, err
	}
	if n == nil {
		any := &logic{or: true}
		for _, item := range e.List {
			c, err := s.compare(e.Pos(), "=", e.X, item)
			if err != nil {
				return nil, err
			}
			any.args = append(any.args, onStored(c))
		}
		n = any
	}
	if e.Not {
		return &not{x: n}, nil
	}
	return n, nil
}

// minSet is the least length of a list for which a set is made.
const minSet = 4

// inSet returns nil if a set cannot answer e.
func (s *Scope) inSet(e *ast.In) (Node, error) {
	if len(e.List) < minSet {
		return nil, nil
	}
	x, err := s.Bind(e.X)
	if err != nil {
		return nil, err
	}
	t := x.Type()
	items := make([]Node, len(e.List))
	for i, item := range e.List {
		if items[i], err = s.Bind(item); err != nil {
			return nil, err
		}
		next, ok := unified(t, items[i].Type())
		if _, isConst := items[i].(*Const); !ok || !isConst {
			return nil, nil
		}
		t = next
	}
	if isText(t) || t.Kind == columnar.Invalid {
		t = textType
	}
	form := FormOf(t)
	if form != Ints && form != Bytes || !comparable(t, "=") {
		return nil, nil
	}
	if x, err = s.coerce(x, t, e.X.Pos()); err != nil {
		return nil, err
	}
	set := &member{x: x, ints: map[int64]struct{}{}, texts: map[string]struct{}{}}
	for i, item := range items {
		n, err := s.coerce(item, t, e.List[i].Pos())
		if err != nil {
			return nil, err
		}
		k, ok := n.(*Const)
		switch {
		case !ok:
			return nil, nil
		case k.vec.IsNull(0):
			set.hasNull = true
		case form == Ints:
			set.ints[k.vec.I[0]] = struct{}{}
		default:
			set.texts[string(k.vec.S[0])] = struct{}{}
		}
	}
	return set, nil
}

// member is x IN (constants).
type member struct {
	store
	x       Node
	ints    map[int64]struct{}
	texts   map[string]struct{}
	hasNull bool
}

// Type implements Node.
func (m *member) Type() columnar.Type { return boolType }

// Eval implements Node.
func (m *member) Eval(b *Batch, active []uint64) (*Vec, error) {
	v, err := m.x.Eval(b, active)
	if err != nil {
		return nil, err
	}
	n, at := b.Rows, v.index()
	out := m.start(boolType, n)
	m.strict(n, v)
	valid := v.valid(n)
	return out, wanted(n, active, valid, func(i int) error {
		found := false
		if v.I != nil {
			_, found = m.ints[v.I[i&at]]
		} else {
			_, found = m.texts[string(v.S[i&at])]
		}
		if m.setBool(i, found); !found && m.hasNull {
			m.setNull(i)
		}
		return nil
	})
}

// between binds x [NOT] BETWEEN lo AND hi as two comparisons.
func (s *Scope) between(e *ast.Between) (Node, error) {
	inside, err := s.within(e, e.Lo, e.Hi)
	if err != nil {
		return nil, err
	}
	if e.Symmetric {
		other, err := s.within(e, e.Hi, e.Lo)
		if err != nil {
			return nil, err
		}
		inside = &logic{or: true, args: []Node{inside, other}}
	}
	if e.Not {
		return &not{x: inside}, nil
	}
	return inside, nil
}

func (s *Scope) within(e *ast.Between, lo, hi ast.Expr) (Node, error) {
	above, err := s.compare(e.Pos(), ">=", e.X, lo)
	if err != nil {
		return nil, err
	}
	below, err := s.compare(e.Pos(), "<=", e.X, hi)
	if err != nil {
		return nil, err
	}
	return &logic{args: []Node{onStored(above), onStored(below)}}, nil
}

// caseOf binds CASE.
func (s *Scope) caseOf(e *ast.Case) (Node, error) {
	out := &choice{}
	var exprs []ast.Expr
	if e.Else != nil {
		exprs = append(exprs, e.Else) // whose type counts first
	}
	for _, w := range e.Whens {
		var cond Node
		var err error
		if e.Operand != nil {
			cond, err = s.compare(w.Cond.Pos(), "=", e.Operand, w.Cond)
		} else {
			cond, err = s.boolean(w.Cond, "CASE/WHEN")
		}
		if err != nil {
			return nil, err
		}
		out.conds = append(out.conds, cond)
		exprs = append(exprs, w.Result)
	}
	arms, t, err := s.Unify(exprs, "CASE")
	if err != nil {
		return nil, err
	}
	if e.Else != nil {
		out.conds = append(out.conds, nil)
		arms = append(arms[1:], arms[0])
	}
	out.arms, out.typ = arms, t
	return out, nil
}

// Unify binds expressions in the type common to all of them.
func (s *Scope) Unify(exprs []ast.Expr, what string) ([]Node, columnar.Type, error) {
	nodes := make([]Node, len(exprs))
	var t columnar.Type
	for i, x := range exprs {
		n, err := s.Bind(x)
		if err != nil {
			return nil, t, err
		}
		nodes[i] = n
		next, ok := unified(t, n.Type())
		if !ok {
			return nil, t, s.fail(x.Pos(), pgerr.New(pgerr.DatatypeMismatch, "%s types %s and %s cannot be matched",
				what, typeName(t), typeName(n.Type())))
		}
		t = next
	}
	if t.Kind == columnar.Invalid {
		t = textType
	}
	for i, x := range exprs {
		n, err := s.coerce(nodes[i], t, x.Pos())
		if err != nil {
			return nil, t, err
		}
		nodes[i] = n
	}
	return nodes, t, nil
}

// coalesce binds COALESCE.
func (s *Scope) coalesce(e *ast.Call) (Node, error) {
	arms, t, err := s.Unify(e.Args, "COALESCE")
	if err != nil {
		return nil, err
	}
	out := &choice{arms: arms, typ: t}
	for _, a := range arms {
		out.conds = append(out.conds, &isNull{x: a, not: true})
	}
	return out, nil
}

// nullif binds NULLIF(a, b): a where it is not b.
func (s *Scope) nullif(e *ast.Call) (Node, error) {
	if len(e.Args) != 2 {
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.SyntaxError, "NULLIF takes two arguments"))
	}
	equal, err := s.compare(e.Pos(), "=", e.Args[0], e.Args[1])
	if err != nil {
		return nil, err
	}
	a, err := s.Bind(e.Args[0])
	if err != nil {
		return nil, err
	}
	// There are operators between types of integers, of floats and of days; for others
	// the first argument is cast to what they are compared in.
	b := equal.right
	keeps := isInt(a.Type()) && isInt(b) || rank(a.Type()) >= rank(float4Type) && rank(b) > 0 ||
		timeRank(a.Type()) > 0 && timeRank(b) > 0
	if !keeps || undecided(a) {
		if a, err = s.coerce(a, equal.args[0].Type(), e.Args[0].Pos()); err != nil {
			return nil, err
		}
	}
	return &choice{typ: a.Type(), conds: []Node{&isTruth{x: equal, want: ast.True, not: true}}, arms: []Node{a}}, nil
}

// extreme binds GREATEST and LEAST: the extreme of the arguments that are not null.
func (s *Scope) extreme(e *ast.Call, op kernels.Op) (Node, error) {
	nodes, t, err := s.Unify(e.Args, map[kernels.Op]string{kernels.Gt: "GREATEST", kernels.Lt: "LEAST"}[op])
	if err != nil {
		return nil, err
	}
	if !comparable(t, "<") {
		return nil, s.noOperator(e.Pos(), "<", t, t)
	}
	return &strict{typ: t, args: nodes, vecs: make([]*Vec, len(nodes)), lax: true, fn: func(out result, a args) error {
		best := -1
		for k, v := range a.vecs {
			if v.IsNull(a.row) {
				continue
			}
			if best < 0 || holds(op, CompareRows(v, a.row, a.vecs[best], a.row)) {
				best = k
			}
		}
		if best < 0 {
			out.null()
			return nil
		}
		out.copy(a.vecs[best], a.row)
		return nil
	}}, nil
}

// copy makes the value row i of v, which is not null.
func (r result) copy(v *Vec, i int) {
	at := i & v.index()
	switch {
	case v.I != nil:
		r.vec.I[r.row] = v.I[at]
	case v.F != nil:
		r.vec.F[r.row] = v.F[at]
	case v.B != nil:
		r.bool(v.Bool(i))
	case v.D != nil:
		r.vec.D[r.row] = v.D[at]
	default:
		r.vec.S[r.row] = v.S[at]
	}
}
