package expr

import (
	"math"
	"math/bits"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/num"
)

// unary binds an operator before its operand.
func (s *Scope) unary(e *ast.Unary) (Node, error) {
	if e.Op == "NOT" {
		x, err := s.boolean(e.X, "NOT")
		return &not{x: x}, err
	}
	x, err := s.Bind(e.X)
	if err != nil {
		return nil, err
	}
	if undecided(x) {
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.AmbiguousFunction, "operator is not unique: %s unknown", e.Op).
			WithHint("Could not choose a best candidate operator. You might need to add explicit type casts."))
	}
	t := x.Type()
	switch {
	case e.Op == "-" && isInt(t):
		return &ints{typ: t, op: '-', args: []Node{NewConst(columnar.Value{Type: t}), x}, vecs: make([]*Vec, 2)}, nil
	case e.Op == "-" && FormOf(t) == Floats:
		return newStrict(t, func(out result, a args) error { out.setFloat(-a.float(0)); return nil }, x), nil
	case e.Op == "-" && rank(t) == 4:
		return newStrict(numericType, func(out result, a args) error { out.setNum(a.num(0).Neg()); return nil }, x), nil
	case e.Op == "+" && rank(t) > 0:
		return x, nil
	case e.Op == "~" && isInt(t):
		return newStrict(t, func(out result, a args) error { out.setInt(^a.int(0)); return nil }, x), nil
	case e.Op == "@" && rank(t) > 0:
		return s.apply(e.Pos(), "abs", []Node{x}, []int{e.X.Pos()})
	}
	return nil, s.fail(e.Pos(), pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s %s", e.Op, typeName(t)).
		WithHint("No operator matches the given name and argument type. You might need to add an explicit type cast."))
}

// binary binds an operator between two operands.
func (s *Scope) binary(e *ast.Binary) (Node, error) {
	switch e.Op {
	case "AND", "OR":
		return s.chain(e)
	case "=", "<>", "<", "<=", ">", ">=":
		c, err := s.compare(e.Pos(), e.Op, e.L, e.R)
		if err != nil {
			return nil, err
		}
		return onStored(c), nil
	}
	l, err := s.Bind(e.L)
	if err != nil {
		return nil, err
	}
	r, err := s.Bind(e.R)
	if err != nil {
		return nil, err
	}
	return s.operate(e, l, r)
}

// chain binds a chain of ANDs or ORs as one Node, whatever its length.
func (s *Scope) chain(e *ast.Binary) (Node, error) {
	var operands []ast.Expr
	var l ast.Expr = e
	for {
		b, ok := l.(*ast.Binary)
		if !ok || b.Op != e.Op {
			operands = append(operands, l)
			break
		}
		operands = append(operands, b.R)
		l = b.L
	}
	out := &logic{or: e.Op == "OR"}
	for i := len(operands) - 1; i >= 0; i-- {
		n, err := s.boolean(operands[i], e.Op)
		if err != nil {
			return nil, err
		}
		out.args = append(out.args, n)
	}
	return out, nil
}

// operate returns the Node of an operator that is neither logic nor a comparison.
func (s *Scope) operate(e *ast.Binary, l, r Node) (Node, error) {
	lt, rt := l.Type(), r.Type()
	switch {
	case e.Op == "||":
		return s.concat(e, l, r)
	case missing[e.Op]:
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.FeatureNotSupported, "operator %s is not supported", e.Op))
	case undecided(l) && undecided(r):
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.AmbiguousFunction, "operator is not unique: unknown %s unknown", e.Op).
			WithHint("Could not choose a best candidate operator. You might need to add explicit type casts."))
	case undecided(l) && rank(rt) > 0:
		lt = rt
	case undecided(r) && rank(lt) > 0:
		rt = lt
	case undecided(r) && lt.Kind == columnar.Date && (e.Op == "+" || e.Op == "-"):
		rt = map[string]columnar.Type{"+": int4Type, "-": dateType}[e.Op]
	}
	if rank(lt) > 0 && rank(rt) > 0 {
		return s.arithmetic(e, l, r, promoted(lt, rt))
	}
	if timeRank(lt) > 0 || timeRank(rt) > 0 || lt.Kind == columnar.Time || rt.Kind == columnar.Time {
		return s.timeArithmetic(e, l, r, rt)
	}
	return nil, s.noOperator(e.Pos(), e.Op, l.Type(), r.Type())
}

// missing are operators of PostgreSQL on texts, arrays and json.
var missing = map[string]bool{
	"~": true, "~*": true, "!~": true, "!~*": true, "@>": true, "<@": true, "&&": true, "->": true, "->>": true,
	"#>": true, "#>>": true, "?": true, "?|": true, "?&": true, "@@": true,
}

// arithmetic returns an operator on numbers, computed in type t.
func (s *Scope) arithmetic(e *ast.Binary, l, r Node, t columnar.Type) (Node, error) {
	fn := integerOperators[e.Op]
	switch e.Op {
	case "^":
		if t.Kind == columnar.Numeric {
			return nil, s.fail(e.Pos(), pgerr.New(pgerr.FeatureNotSupported, "operator ^ is not supported for numeric").
				WithHint("Cast the operands to float8."))
		}
		t = float8Type
	case "<<", ">>":
		if t = l.Type(); !isInt(r.Type()) {
			fn = nil
		}
	}
	form := FormOf(t)
	switch {
	case e.Op == "^", e.Op == "+", e.Op == "-", e.Op == "*", e.Op == "/", e.Op == "%" && form != Floats:
	case fn != nil && form == Ints:
	default:
		return nil, s.noOperator(e.Pos(), e.Op, l.Type(), r.Type())
	}
	rt := t
	if e.Op == "<<" || e.Op == ">>" {
		rt = int4Type
	}
	l, err := s.coerce(l, t, e.L.Pos())
	if err != nil {
		return nil, err
	}
	if r, err = s.coerce(r, rt, e.R.Pos()); err != nil {
		return nil, err
	}
	switch {
	case fn != nil && form == Ints:
		return newStrict(t, func(out result, a args) error { out.setInt(fn(t, a.int(0), a.int(1))); return nil }, l, r), nil
	case form == Ints:
		return foldedInts(&ints{typ: t, op: e.Op[0], args: []Node{l, r}, vecs: make([]*Vec, 2)}), nil
	case form == Floats:
		return newStrict(t, floatOperator(e.Op[0], t), l, r), nil
	}
	return newStrict(t, numericOperator(e.Op[0]), l, r), nil
}

// integerOperators are the operators on bits.
var integerOperators = map[string]func(t columnar.Type, a, b int64) int64{
	"&": func(_ columnar.Type, a, b int64) int64 { return a & b },
	"|": func(_ columnar.Type, a, b int64) int64 { return a | b },
	"#": func(_ columnar.Type, a, b int64) int64 { return a ^ b },
	"<<": func(t columnar.Type, a, b int64) int64 {
		switch t.Kind {
		case columnar.Int2:
			return int64(int16(int32(a) << (uint(b) & 31)))
		case columnar.Int4:
			return int64(int32(a) << (uint(b) & 31))
		}
		return a << (uint(b) & 63)
	},
	">>": func(t columnar.Type, a, b int64) int64 {
		if t.Kind == columnar.Int8 {
			return a >> (uint(b) & 63)
		}
		return a >> (uint(b) & 31)
	},
}

// ints is + - * / % of integers.
type ints struct {
	store
	typ  columnar.Type
	op   byte
	args []Node
	vecs []*Vec

	constants [2][]int64 // operands that are constant, spread
}

func foldedInts(e *ints) Node {
	for _, a := range e.args {
		if _, ok := a.(*Const); !ok {
			return e
		}
	}
	v, err := e.Eval(&Batch{Rows: 1}, nil)
	if err != nil {
		return e
	}
	return &Const{vec: *v}
}

// Type implements Node.
func (e *ints) Type() columnar.Type { return e.typ }

// Eval implements Node. Sums and products are computed for all rows and what does not
// fit is only noticed; then the rows are looked at one by one.
func (e *ints) Eval(b *Batch, active []uint64) (*Vec, error) {
	n, constant, err := inputs(b, active, e.args, e.vecs)
	if err != nil {
		return nil, err
	}
	out := e.start(e.typ, n)
	out.Const = constant
	e.strict(n, e.vecs...)
	if constant {
		if !anyActive(b.Rows, active) {
			return out, nil
		}
		active = nil
	}
	l, r := e.vecs[0], e.vecs[1]
	if e.op == '/' || e.op == '%' {
		return out, e.divide(l, r, active)
	}
	if e.fast(l, r, n) {
		return out, nil
	}
	la, ra := l.index(), r.index()
	lo, hi := intRange(e.typ)
	return out, wanted(n, active, out.Valid, func(i int) error {
		v, ok := exact(e.op, l.I[i&la], r.I[i&ra])
		if !ok || v < lo || v > hi {
			return outOfRange(e.typ)
		}
		return nil
	})
}

// fast computes all rows and reports whether every one fits, null rows included.
func (e *ints) fast(l, r *Vec, n int) bool {
	x, y, o := e.spread(0, l, n), e.spread(1, r, n), e.vec.I[:n]
	overflow := int64(0)
	switch e.op {
	case '+':
		for i := range o {
			v := x[i] + y[i]
			overflow |= (x[i] ^ v) & (y[i] ^ v)
			o[i] = v
		}
	case '-':
		for i := range o {
			v := x[i] - y[i]
			overflow |= (x[i] ^ y[i]) & (x[i] ^ v)
			o[i] = v
		}
	default:
		overflow = e.multiply(o, x, y)
	}
	if overflow < 0 {
		return false
	}
	if e.typ.Kind == columnar.Int8 {
		return true
	}
	lo, hi := intRange(e.typ)
	span, outside := uint64(hi-lo), false
	for _, v := range o {
		outside = outside || uint64(v-lo) > span
	}
	return !outside
}

// multiply stores the products of x and y and returns a negative number if one is no
// int64. Smaller types cannot overflow it.
func (e *ints) multiply(o, x, y []int64) (overflow int64) {
	if e.typ.Kind != columnar.Int8 {
		for i := range o {
			o[i] = x[i] * y[i]
		}
		return 0
	}
	for i := range o {
		v, ok := exact('*', x[i], y[i])
		if !ok {
			overflow = -1
		}
		o[i] = v
	}
	return overflow
}

// spread returns the n values of an operand, those of a constant too.
func (e *ints) spread(k int, v *Vec, n int) []int64 {
	if !v.Const || n == 1 {
		return v.I[:n]
	}
	s := e.constants[k]
	if len(s) >= n && s[0] == v.I[0] {
		return s[:n]
	}
	s = grown(&e.constants[k], n)
	for i := range s {
		s[i] = v.I[0]
	}
	e.constants[k] = s
	return s
}

// exact returns x op y; ok is false if it is no int64.
func exact(op byte, x, y int64) (v int64, ok bool) {
	switch op {
	case '+':
		v = x + y
		return v, (x^v)&(y^v) >= 0
	case '-':
		v = x - y
		return v, (x^y)&(x^v) >= 0
	}
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	high := int64(hi)
	if x < 0 {
		high -= y
	}
	if y < 0 {
		high -= x
	}
	v = int64(lo)
	return v, high == v>>63
}

func (e *ints) divide(l, r *Vec, active []uint64) error {
	la, ra, o := l.index(), r.index(), e.vec.I
	lo, hi := intRange(e.typ)
	return wanted(e.vec.Len, active, e.vec.Valid, func(i int) error {
		x, y := l.I[i&la], r.I[i&ra]
		switch {
		case y == 0:
			return divisionByZero()
		case y == -1 && e.op == '%':
			o[i] = 0
		case y == -1:
			if x == lo {
				return outOfRange(e.typ)
			}
			o[i] = -x
		case e.op == '%':
			o[i] = x % y
		default:
			o[i] = x / y
		}
		if o[i] < lo || o[i] > hi {
			return outOfRange(e.typ)
		}
		return nil
	})
}

func (r result) setNum(v num.Num) { r.vec.D[r.row] = v }

func (a args) num(k int) num.Num { v := a.vecs[k]; return v.D[a.row&v.index()] }

// numericOperator returns + - * / % of numerics.
func numericOperator(op byte) function {
	return func(out result, a args) error {
		x, y := a.num(0), a.num(1)
		var v num.Num
		ok := true
		switch op {
		case '+':
			v = num.Add(x, y)
		case '-':
			v = num.Sub(x, y)
		case '*':
			v = num.Mul(x, y)
		case '/':
			v, ok = num.Div(x, y)
		default:
			v, ok = num.Mod(x, y)
		}
		if !ok {
			return divisionByZero()
		}
		if !v.Fits() {
			return pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")
		}
		out.setNum(v)
		return nil
	}
}

// floatOperator returns + - * / ^ of floats of type t.
func floatOperator(op byte, t columnar.Type) function {
	return func(out result, a args) error {
		x, y := a.float(0), a.float(1)
		var v float64
		switch op {
		case '+':
			v = x + y
		case '-':
			v = x - y
		case '*':
			v = x * y
		case '/':
			if y == 0 && !math.IsNaN(x) {
				return divisionByZero()
			}
			v = x / y
		default:
			return power(out, x, y)
		}
		v, err := checkFloat(v, t, math.IsInf(x, 0) || math.IsInf(y, 0),
			(op == '*' || op == '/') && (x == 0 || op == '*' && y == 0 || math.IsInf(y, 0)) || op == '+' || op == '-')
		out.setFloat(v)
		return err
	}
}

// checkFloat returns v rounded to t. An infinity is an overflow unless inf says that an
// operand was one; zero is an underflow unless zero says that it is right.
func checkFloat(v float64, t columnar.Type, inf, zero bool) (float64, error) {
	if t.Kind == columnar.Float4 {
		v = float64(float32(v))
	}
	switch {
	case math.IsInf(v, 0) && !inf:
		return v, outOfRange(t)
	case v == 0 && !zero:
		return v, pgerr.New(pgerr.NumericValueOutOfRange, "value out of range: underflow")
	}
	return v, nil
}

func power(out result, x, y float64) error {
	switch {
	case x == 0 && y < 0:
		return pgerr.New("2201F", "zero raised to a negative power is undefined")
	case x < 0 && y != math.Trunc(y) && !math.IsInf(y, 0):
		return pgerr.New("2201F", "a negative number raised to a non-integer power yields a complex result")
	}
	v, err := checkFloat(math.Pow(x, y), float8Type, math.IsInf(x, 0) || math.IsInf(y, 0), x == 0 || math.IsInf(x, 0) || math.IsInf(y, 0))
	out.setFloat(v)
	return err
}

// concat returns l || r.
func (s *Scope) concat(e *ast.Binary, l, r Node) (Node, error) {
	lt, rt := l.Type(), r.Type()
	join := func(out result, a args) error {
		out.append(func(dst []byte) []byte { return append(append(dst, a.bytes(0)...), a.bytes(1)...) })
		return nil
	}
	t := textType
	switch {
	case lt.Kind == columnar.Bytea && (rt == lt || undecided(r)), rt.Kind == columnar.Bytea && undecided(l):
		t = byteaType
	case lt.Array || rt.Array, !isText(lt) && !isText(rt) && !undecided(l) && !undecided(r):
		return nil, s.noOperator(e.Pos(), e.Op, lt, rt)
	}
	l, err := s.explicit(l, t, e.L.Pos())
	if err != nil {
		return nil, err
	}
	if r, err = s.explicit(r, t, e.R.Pos()); err != nil {
		return nil, err
	}
	return newStrict(t, join, l, r), nil
}
