package expr

import (
	"bytes"
	"cmp"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/num"
)

// operators maps comparisons to the kernels' names of them.
var operators = map[string]kernels.Op{
	"=": kernels.Eq, "<>": kernels.Ne, "<": kernels.Lt, "<=": kernels.Le, ">": kernels.Gt, ">=": kernels.Ge,
}

// swapped is the comparison with its operands exchanged.
var swapped = [...]kernels.Op{
	kernels.Eq: kernels.Eq, kernels.Ne: kernels.Ne, kernels.Lt: kernels.Gt,
	kernels.Le: kernels.Ge, kernels.Gt: kernels.Lt, kernels.Ge: kernels.Le,
}

// compare is a comparison of two values of one form.
type compare struct {
	store
	op    kernels.Op
	args  []Node
	vecs  []*Vec
	right columnar.Type // of the right operand before it was cast
}

// compare binds l op r.
func (s *Scope) compare(pos int, op string, l, r ast.Expr) (*compare, error) {
	a, err := s.Bind(l)
	if err != nil {
		return nil, err
	}
	b, err := s.Bind(r)
	if err != nil {
		return nil, err
	}
	return s.comparison(pos, op, a, b, l.Pos(), r.Pos())
}

// comparison returns a op b in the type common to both.
func (s *Scope) comparison(pos int, op string, a, b Node, apos, bpos int) (*compare, error) {
	t, ok := common(a.Type(), b.Type())
	if t.Kind == columnar.Invalid {
		t = textType
	}
	if t.Kind == columnar.Varchar && !t.Array {
		t = textType
	}
	if !ok || !comparable(t, op) {
		return nil, s.noOperator(pos, op, a.Type(), b.Type())
	}
	right := b.Type()
	a, err := s.coerce(a, t, apos)
	if err != nil {
		return nil, err
	}
	if b, err = s.coerce(b, t, bpos); err != nil {
		return nil, err
	}
	return &compare{op: operators[op], args: []Node{a, b}, vecs: make([]*Vec, 2), right: right}, nil
}

// comparable reports whether values of t can be compared.
func comparable(t columnar.Type, op string) bool {
	if _, ok := operators[op]; !ok {
		return false
	}
	if t.Array {
		return (op == "=" || op == "<>") && exactText(t)
	}
	return t.Kind != columnar.JSON
}

// noOperator returns the error for an operator that does not exist for two types.
func (s *Scope) noOperator(pos int, op string, a, b columnar.Type) error {
	err := pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s %s %s", typeName(a), op, typeName(b)).
		WithHint("No operator matches the given name and argument types. You might need to add explicit type casts.")
	if a.Array || b.Array {
		err = pgerr.New(pgerr.FeatureNotSupported, "operator %s is not supported for arrays", op)
	}
	return s.fail(pos, err)
}

// Type implements Node.
func (c *compare) Type() columnar.Type { return boolType }

// Eval implements Node.
func (c *compare) Eval(b *Batch, active []uint64) (*Vec, error) {
	n, constant, err := inputs(b, active, c.args, c.vecs)
	if err != nil {
		return nil, err
	}
	out := c.start(boolType, n)
	out.Const = constant
	c.strict(n, c.vecs...)
	l, r, op := c.vecs[0], c.vecs[1], c.op
	if l.Const && !constant {
		l, r, op = r, l, swapped[op]
	}
	switch {
	case l.I != nil && r.Const:
		kernels.CompareInt64(out.B, l.I[:n], op, r.I[0])
	case l.I != nil:
		kernels.CompareColumnsInt(out.B, l.I[:n], r.I[:n], op)
	case l.F != nil && r.Const:
		kernels.CompareFloat64(out.B, l.F[:n], op, r.F[0])
	case l.F != nil:
		kernels.CompareColumnsFloat(out.B, l.F[:n], r.F[:n], op)
	case l.B != nil:
		compareBits(out.B, l.bits(n), r.bits(n), op)
	default:
		c.rows(l, r, op, active)
	}
	return out, nil
}

// rows compares row by row.
func (c *compare) rows(l, r *Vec, op kernels.Op, active []uint64) {
	out, la, ra := &c.vec, l.index(), r.index()
	if out.Const {
		active = nil
	}
	_ = wanted(out.Len, active, out.Valid, func(i int) error {
		order := 0
		switch {
		case l.D != nil:
			order = num.Cmp(l.D[i&la], r.D[i&ra])
		case op <= kernels.Ne:
			order = int(b2u(!bytes.Equal(l.S[i&la], r.S[i&ra])))
		default:
			order = bytes.Compare(l.S[i&la], r.S[i&ra])
		}
		c.setBool(i, holds(op, order))
		return nil
	})
}

// holds reports whether values whose order is below, at or above 0 are in relation op.
func holds(op kernels.Op, order int) bool {
	switch op {
	case kernels.Eq:
		return order == 0
	case kernels.Ne:
		return order != 0
	case kernels.Lt:
		return order < 0
	case kernels.Le:
		return order <= 0
	case kernels.Gt:
		return order > 0
	}
	return order >= 0
}

// compareBits compares booleans, of which false is the smaller.
func compareBits(dst, l, r []uint64, op kernels.Op) {
	for i := range dst {
		switch a, b := l[i], r[i]; op {
		case kernels.Eq:
			dst[i] = ^(a ^ b)
		case kernels.Ne:
			dst[i] = a ^ b
		case kernels.Lt:
			dst[i] = ^a & b
		case kernels.Le:
			dst[i] = ^a | b
		case kernels.Gt:
			dst[i] = a & ^b
		default:
			dst[i] = a | ^b
		}
	}
}

// CompareRows orders row i of a and row j of b, which are not null and of one form.
func CompareRows(a *Vec, i int, b *Vec, j int) int {
	i, j = i&a.index(), j&b.index()
	switch {
	case a.I != nil:
		return cmp.Compare(a.I[i], b.I[j])
	case a.F != nil:
		x, y := a.F[i], b.F[j]
		if x != x || y != y {
			return int(b2u(x != x)) - int(b2u(y != y))
		}
		return cmp.Compare(x, y)
	case a.B != nil:
		return int(b2u(a.Bool(i))) - int(b2u(b.Bool(j)))
	case a.D != nil:
		return num.Cmp(a.D[i], b.D[j])
	}
	return bytes.Compare(a.S[i], b.S[j])
}

// CompareValue orders row i of v, which is not null, and x, of the same form.
func CompareValue(v *Vec, i int, x columnar.Value) int {
	if v.S != nil {
		return cmp.Compare(string(v.S[i&v.index()]), x.S)
	}
	return CompareRows(v, i, FromValue(x), 0)
}

// stored is a comparison of a stored column with a constant, done on the column's own
// representation.
type stored struct {
	compare
	ref   *Ref
	bound columnar.Value // of the column's type
}

// Eval implements Node.
func (c *stored) Eval(b *Batch, active []uint64) (*Vec, error) {
	v, ok := b.Stored(c.ref.Index)
	if !ok {
		return c.compare.Eval(b, active)
	}
	n := b.Rows
	out := c.start(boolType, n)
	if v.HasNulls() {
		out.Valid = v.ValidWords(grown(&c.valid, words(n)))
	}
	switch t := v.Type(); t.Kind {
	case columnar.Int2:
		kernels.CompareInt16(out.B, v.Int16s(), c.op, int16(c.bound.I))
	case columnar.Int4, columnar.Date:
		kernels.CompareInt32(out.B, v.Int32s(), c.op, int32(c.bound.I))
	case columnar.Float4:
		kernels.CompareFloat32(out.B, v.Float32s(), c.op, float32(c.bound.F))
	case columnar.Float8:
		kernels.CompareFloat64(out.B, v.Float64s(), c.op, c.bound.F)
	case columnar.Decimal:
		if v.HasNaN() {
			return c.compare.Eval(b, active)
		}
		if t.Width() == 4 {
			kernels.CompareInt32(out.B, v.Int32s(), c.op, int32(c.bound.I))
		} else {
			kernels.CompareInt64(out.B, v.Int64s(), c.op, c.bound.I)
		}
	case columnar.Text, columnar.Varchar, columnar.Bytea, columnar.UUID:
		c.texts(v, n)
	default:
		kernels.CompareInt64(out.B, v.Int64s(), c.op, c.bound.I)
	}
	return out, nil
}

// texts compares the bytes of n rows, a word of the result at a time.
func (c *stored) texts(v *columnar.Vec, n int) {
	bound, equal := []byte(c.bound.S), c.op <= kernels.Ne
	flip := b2u(c.op == kernels.Ne)
	for at := 0; at < n; at += 64 {
		word := uint64(0)
		for i := range min(64, n-at) {
			b := v.Bytes(at + i)
			hit := uint64(0)
			if equal {
				hit = b2u(string(b) == string(bound)) ^ flip
			} else {
				hit = b2u(holds(c.op, bytes.Compare(b, bound)))
			}
			word |= hit << i
		}
		c.vec.B[at>>6] = word
	}
}

// onStored returns c, or a comparison on the stored column if c compares one with a
// constant that its type can hold.
func onStored(c *compare) Node {
	l, r, op := c.args[0], c.args[1], c.op
	if _, ok := l.(*Const); ok {
		l, r, op = r, l, swapped[op]
	}
	generic := []Node{l, r}
	k, ok := r.(*Const)
	if !ok || k.vec.IsNull(0) {
		return c
	}
	if p, ok := l.(*promotion); ok {
		l = p.x
	}
	ref, ok := l.(*Ref)
	if !ok || ref.typ.Array {
		return c
	}
	v, ok := exactly(k.Value(), ref.typ)
	if !ok {
		return c
	}
	out := &stored{compare: *c, ref: ref, bound: v}
	out.op, out.args = op, generic
	return out
}

// exactly returns v as a value of type t, ok only if a column of t compares with it
// exactly as with v.
func exactly(v columnar.Value, t columnar.Type) (columnar.Value, bool) {
	out := columnar.Value{Type: t}
	switch t.Kind {
	case columnar.Int2, columnar.Int4, columnar.Int8, columnar.Date, columnar.Timestamp, columnar.TimestampTZ, columnar.Time:
		if FormOf(v.Type) != Ints || !isInt(t) && v.Type.Kind != t.Kind {
			return out, false
		}
		lo, hi := intRange(t)
		out.I = v.I
		return out, !isInt(t) || v.I >= lo && v.I <= hi
	case columnar.Float8:
		out.F = v.F
		return out, v.Type.Kind == columnar.Float8
	case columnar.Float4:
		out.F = v.F
		return out, FormOf(v.Type) == Floats && float64(float32(v.F)) == v.F
	case columnar.Decimal:
		if FormOf(v.Type) != Numerics || t.Width() > 8 {
			return out, false
		}
		n := numOf(v)
		hi, lo, ok := n.Decimal(int(t.Precision), int(t.Scale))
		if !ok || num.Cmp(num.Scaled(hi, lo, int(t.Scale)), n) != 0 {
			return out, false
		}
		out.Hi, out.I = hi, int64(lo)
		return out, true
	case columnar.Text, columnar.Varchar, columnar.Bytea, columnar.UUID:
		out.S = v.S
		return out, FormOf(v.Type) == Bytes
	}
	return out, false
}
