package expr

import (
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/sql/ast"
)

// logic is AND or OR of its arguments, from left to right: an argument is wanted only
// for rows that those before it did not decide.
type logic struct {
	store
	or   bool
	args []Node
	open [MaxRows / 64]uint64
}

// Type implements Node.
func (l *logic) Type() columnar.Type { return boolType }

// Eval implements Node. The values are three bitmaps of which two are kept: rows known
// to be true and rows known to be false.
func (l *logic) Eval(b *Batch, active []uint64) (*Vec, error) {
	n := b.Rows
	out := l.start(boolType, n)
	isTrue, valid := out.B, l.allValid(n)
	open := l.open[:words(n)]
	for i := range open {
		open[i] = ^uint64(0)
		if active != nil {
			open[i] = active[i]
		}
		// AND of nothing is true, OR of nothing is false.
		isTrue[i] = ^uint64(0)
		if l.or {
			isTrue[i] = 0
		}
	}
	for _, a := range l.args {
		v, err := a.Eval(b, open)
		if err != nil {
			return nil, err
		}
		vb, vv := v.bits(n), v.valid(n)
		for i := range open {
			known := ^uint64(0)
			if vv != nil {
				known = vv[i]
			}
			t, f := vb[i]&known, ^vb[i]&known
			ot, of := isTrue[i]&valid[i], ^isTrue[i]&valid[i]
			if l.or {
				ot, of = ot|t, of&f
				open[i] &^= t
			} else {
				ot, of = ot&t, of|f
				open[i] &^= f
			}
			isTrue[i], valid[i] = ot, ot|of
		}
	}
	return out, nil
}

// not is NOT x.
type not struct {
	store
	x Node
}

// Type implements Node.
func (e *not) Type() columnar.Type { return boolType }

// Eval implements Node.
func (e *not) Eval(b *Batch, active []uint64) (*Vec, error) {
	v, err := e.x.Eval(b, active)
	if err != nil {
		return nil, err
	}
	out := e.start(boolType, b.Rows)
	for i, w := range v.bits(b.Rows) {
		out.B[i] = ^w
	}
	out.Valid = v.valid(b.Rows)
	return out, nil
}

// isNull is x IS [NOT] NULL.
type isNull struct {
	store
	x   Node
	not bool
}

// Type implements Node.
func (e *isNull) Type() columnar.Type { return boolType }

// Eval implements Node.
func (e *isNull) Eval(b *Batch, active []uint64) (*Vec, error) {
	v, err := e.x.Eval(b, active)
	if err != nil {
		return nil, err
	}
	out := e.start(boolType, b.Rows)
	valid := v.valid(b.Rows)
	if valid == nil {
		valid = allRows[:words(b.Rows)]
	}
	for i, w := range valid {
		if !e.not {
			w = ^w
		}
		out.B[i] = w
	}
	return out, nil
}

// isTruth is x IS [NOT] TRUE, FALSE or UNKNOWN.
type isTruth struct {
	store
	x    Node
	want ast.Truth
	not  bool
}

// Type implements Node.
func (e *isTruth) Type() columnar.Type { return boolType }

// Eval implements Node.
func (e *isTruth) Eval(b *Batch, active []uint64) (*Vec, error) {
	v, err := e.x.Eval(b, active)
	if err != nil {
		return nil, err
	}
	out := e.start(boolType, b.Rows)
	valid := v.valid(b.Rows)
	for i, w := range v.bits(b.Rows) {
		known := ^uint64(0)
		if valid != nil {
			known = valid[i]
		}
		switch e.want {
		case ast.True:
			w &= known
		case ast.False:
			w = ^w & known
		case ast.Unknown:
			w = ^known
		}
		if e.not {
			w = ^w
		}
		out.B[i] = w
	}
	return out, nil
}

// isDistinct is L IS [NOT] DISTINCT FROM R, from the comparison L = R.
type isDistinct struct {
	store
	equal *compare
	not   bool
}

// Type implements Node.
func (e *isDistinct) Type() columnar.Type { return boolType }

// Eval implements Node.
func (e *isDistinct) Eval(b *Batch, active []uint64) (*Vec, error) {
	v, err := e.equal.Eval(b, active)
	if err != nil {
		return nil, err
	}
	n := b.Rows
	out := e.start(boolType, n)
	l, r := e.equal.vecs[0].valid(n), e.equal.vecs[1].valid(n)
	for i, same := range v.bits(n) {
		lv, rv := ^uint64(0), ^uint64(0)
		if l != nil {
			lv = l[i]
		}
		if r != nil {
			rv = r[i]
		}
		w := lv&rv&same | ^lv&^rv
		if !e.not {
			w = ^w
		}
		out.B[i] = w
	}
	return out, nil
}

// choice takes every row from the first arm whose condition is true for it; from the
// last one, whose condition is nil, if there is none. It is CASE, COALESCE, NULLIF.
type choice struct {
	store
	typ   columnar.Type
	conds []Node // nil at the end: ELSE
	arms  []Node
	open  [MaxRows / 64]uint64
	take  [MaxRows / 64]uint64
}

// Type implements Node.
func (c *choice) Type() columnar.Type { return c.typ }

// Eval implements Node.
func (c *choice) Eval(b *Batch, active []uint64) (*Vec, error) {
	n := b.Rows
	out := c.start(c.typ, n)
	valid := c.allValid(n)
	clear(valid)
	open, take := c.open[:words(n)], c.take[:words(n)]
	for i := range open {
		open[i] = ^uint64(0)
		if active != nil {
			open[i] = active[i]
		}
	}
	for k, cond := range c.conds {
		copy(take, open)
		if cond != nil {
			v, err := cond.Eval(b, open)
			if err != nil {
				return nil, err
			}
			v.True(take, n)
			for i := range take {
				take[i] &= open[i]
				open[i] &^= take[i]
			}
		}
		if !anyActive(n, take) {
			continue
		}
		v, err := c.arms[k].Eval(b, take)
		if err != nil {
			return nil, err
		}
		c.takeRows(v, take, n)
	}
	return out, nil
}

// takeRows copies the rows in take from v.
func (c *choice) takeRows(v *Vec, take []uint64, n int) {
	from, out, at := v.valid(n), &c.vec, v.index()
	for i, w := range take {
		if from != nil {
			w &= from[i]
		}
		out.Valid[i] |= w
	}
	// Every row is valid where it is copied; wanted never fails without an error of each.
	_ = wanted(n, take, from, func(i int) error {
		switch {
		case out.I != nil:
			out.I[i] = v.I[i&at]
		case out.F != nil:
			out.F[i] = v.F[i&at]
		case out.B != nil:
			c.setBool(i, v.Bool(i))
		case out.D != nil:
			out.D[i] = v.D[i&at]
		default:
			out.S[i] = v.S[i&at]
		}
		return nil
	})
}
