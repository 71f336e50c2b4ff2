package expr

import (
	"math"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/num"
)

// context says how a cast came about; a cast that is allowed in one is allowed in those
// after it.
type context uint8

const (
	implicit   context = iota // to make an operator or a function fit
	assignment                // into a column
	explicit                  // CAST and ::
	never
)

// cast binds CAST(x AS type).
func (s *Scope) cast(e *ast.Cast) (Node, error) {
	x, err := s.Bind(e.X)
	if err != nil {
		return nil, err
	}
	pos := e.Pos()
	if undecided(x) {
		pos = e.X.Pos() // it is the literal that does not read
	}
	return s.explicit(x, e.Type, pos)
}

// coerce returns n as type t where PostgreSQL casts unasked.
func (s *Scope) coerce(n Node, t columnar.Type, pos int) (Node, error) {
	out, ok, err := s.convert(n, t, implicit, pos)
	if err == nil && !ok {
		err = s.fail(pos, pgerr.New(pgerr.DatatypeMismatch, "type %s cannot be used as %s", typeName(n.Type()), t.Name()))
	}
	return out, err
}

// explicit returns n cast to t.
func (s *Scope) explicit(n Node, t columnar.Type, pos int) (Node, error) {
	out, ok, err := s.convert(n, t, explicit, pos)
	if err == nil && !ok {
		err = s.fail(pos, pgerr.New(pgerr.CannotCoerce, "cannot cast type %s to %s", typeName(n.Type()), t.Name()))
	}
	return out, err
}

// Assign returns n as a value for the column called column, of type t.
func (s *Scope) Assign(n Node, t columnar.Type, column string, pos int) (Node, error) {
	out, ok, err := s.convert(n, t, assignment, pos)
	if err == nil && !ok {
		err = s.fail(pos, pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" is of type %s but expression is of type %s",
			column, t.Name(), typeName(n.Type())).
			WithHint("You will need to rewrite or cast the expression."))
	}
	return out, err
}

// AssignDefault is Assign with the words of a DEFAULT.
func (s *Scope) AssignDefault(n Node, t columnar.Type, column string, pos int) (Node, error) {
	out, ok, err := s.convert(n, t, assignment, pos)
	if err == nil && !ok {
		err = s.fail(pos, pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" is of type %s but default expression is of type %s",
			column, t.Name(), typeName(n.Type())).
			WithHint("You will need to rewrite or cast the expression."))
	}
	return out, err
}

// convert returns n as type t; ok is false if there is no such cast in context c.
func (s *Scope) convert(n Node, t columnar.Type, c context, pos int) (out Node, ok bool, err error) {
	from := n.Type()
	switch {
	case undecided(n) && c == explicit && t.Length > 0:
		// A literal is cut to the length that it is cast to.
		if n, err = s.decide(n, textType, pos); err != nil {
			return nil, true, err
		}
		from = textType
	case undecided(n):
		out, err = s.decide(n, t, pos)
		return out, true, err
	case from == t:
		return n, true, nil
	}
	fn, need := s.castOf(from, t, c)
	if need > c {
		return nil, false, nil
	}
	if fn == nil {
		return promote(n, t), true, nil
	}
	return newStrict(t, fn, n), true, nil
}

// promotion is a value under another type with the same representation.
type promotion struct {
	x   Node
	typ columnar.Type
	vec Vec
}

func promote(n Node, t columnar.Type) Node {
	if k, ok := n.(*Const); ok {
		v := k.vec
		v.Type = t
		return &Const{vec: v}
	}
	return &promotion{x: n, typ: t}
}

// Type implements Node.
func (p *promotion) Type() columnar.Type { return p.typ }

// Eval implements Node.
func (p *promotion) Eval(b *Batch, active []uint64) (*Vec, error) {
	v, err := p.x.Eval(b, active)
	if err != nil {
		return nil, err
	}
	p.vec = *v
	p.vec.Type = p.typ
	return &p.vec, nil
}

// decide returns the literal n, whose type nothing has decided, as type t.
func (s *Scope) decide(n Node, t columnar.Type, pos int) (Node, error) {
	k, ok := n.(*Const)
	if !ok || !undecided(n) {
		return s.coerce(n, t, pos)
	}
	if k.vec.IsNull(0) {
		return NewConst(columnar.Value{Type: t, Null: true}), nil
	}
	v, err := ParseText(k.vec.S[0], t, s.Loc())
	if err != nil {
		return nil, s.fail(pos, pgerr.From(err))
	}
	return NewConst(v), nil
}

// ParseText reads the text form of a value of type t.
func ParseText(text []byte, t columnar.Type, loc *time.Location) (columnar.Value, error) {
	var o store
	o.start(t, 1)
	if err := readText(result{&o, 0}, text, t, loc); err != nil {
		return columnar.Value{}, err
	}
	return o.vec.Value(0), nil
}

// castOf returns the function that casts from one type to another, nil if the value
// stays as it is, and the context that the cast needs.
func (s *Scope) castOf(from, to columnar.Type, c context) (function, context) {
	if from.Array || to.Array {
		return s.arrayCast(from, to, c)
	}
	fr, tr := rank(from), rank(to)
	switch {
	case fr > 0 && tr > 0:
		return numberCast(from, to)
	case isText(from) && isText(to):
		if to.Length == 0 {
			return nil, implicit
		}
		return limitText(to, c), implicit
	case isText(to):
		return s.toText(from, to, c), assignment
	case isText(from):
		loc := s.Loc()
		return func(out result, a args) error { return readText(out, a.bytes(0), to, loc) }, explicit
	case timeRank(from) > 0 && (timeRank(to) > 0 || to.Kind == columnar.Time):
		return s.timeCast(from, to)
	case from.Kind == columnar.Bool && to.Kind == columnar.Int4:
		return func(out result, a args) error { out.setInt(int64(b2u(a.bool(0)))); return nil }, explicit
	case from.Kind == columnar.Int4 && to.Kind == columnar.Bool:
		return func(out result, a args) error { out.bool(a.int(0) != 0); return nil }, explicit
	}
	return nil, never
}

// numberCast returns the cast between two numeric types.
func numberCast(from, to columnar.Type) (function, context) {
	need := assignment
	if rank(from) < rank(to) || to.Kind == columnar.Numeric && rank(from) == 4 {
		need = implicit
	}
	switch f, t := FormOf(from), FormOf(to); {
	case f == Ints && t == Ints:
		if rank(from) <= rank(to) {
			return nil, implicit
		}
		return func(out result, a args) error { return setInt(out, a.int(0), to) }, assignment
	case f == Ints && t == Floats:
		return func(out result, a args) error {
			v := float64(a.int(0))
			if to.Kind == columnar.Float4 {
				v = float64(float32(a.int(0)))
			}
			out.setFloat(v)
			return nil
		}, implicit
	case f == Floats && t == Floats:
		if to.Kind == columnar.Float8 {
			return nil, implicit
		}
		return func(out result, a args) error {
			v, err := checkFloat(a.float(0), to, math.IsInf(a.float(0), 0), a.float(0) == 0)
			out.setFloat(v)
			return err
		}, assignment
	case f == Floats && t == Ints:
		return func(out result, a args) error { return floatToInt(out, a.float(0), to) }, assignment
	case f == Numerics && t == Ints:
		return func(out result, a args) error { return numericToInt(out, a.num(0), to) }, assignment
	case f == Numerics && t == Floats:
		return func(out result, a args) error { return numericToFloat(out, a.num(0), to) }, implicit
	}
	bits := 64
	if from.Kind == columnar.Float4 {
		bits = 32
	}
	value := func(a args) num.Num { return a.num(0) }
	switch FormOf(from) {
	case Ints:
		value = func(a args) num.Num { return num.Int(a.int(0)) }
	case Floats:
		value = func(a args) num.Num { return num.Float(a.float(0), bits) }
	}
	if to.Kind == columnar.Numeric {
		if FormOf(from) == Numerics {
			return nil, implicit
		}
		return func(out result, a args) error { out.setNum(value(a)); return nil }, need
	}
	if rank(from) == 4 || need == implicit {
		need = assignment
	}
	return func(out result, a args) error { return fitDecimal(out, value(a), to) }, need
}

func setInt(out result, v int64, t columnar.Type) error {
	if lo, hi := intRange(t); v < lo || v > hi {
		return outOfRange(t)
	}
	out.setInt(v)
	return nil
}

// floatToInt rounds half to even.
func floatToInt(out result, f float64, t columnar.Type) error {
	r := math.RoundToEven(f)
	if math.IsNaN(r) || r < -(1<<63) || r >= 1<<63 {
		return outOfRange(t)
	}
	return setInt(out, int64(r), t)
}

// numericToInt rounds half away from zero.
func numericToInt(out result, n num.Num, t columnar.Type) error {
	if !n.IsFinite() {
		what := "infinity"
		if n.IsNaN() {
			what = "NaN"
		}
		return pgerr.New(pgerr.FeatureNotSupported, "cannot convert %s to %s", what, t.Name())
	}
	v, ok := n.Int64()
	if !ok {
		return outOfRange(t)
	}
	return setInt(out, v, t)
}

func numericToFloat(out result, n num.Num, t columnar.Type) error {
	f := n.Float64()
	if t.Kind == columnar.Float4 {
		f = float64(float32(f))
	}
	if math.IsInf(f, 0) && n.IsFinite() || f == 0 && n.Sign() != 0 {
		return pgerr.New(pgerr.NumericValueOutOfRange, "\"%s\" is out of range for type %s", n, t.Name())
	}
	out.setFloat(f)
	return nil
}

// fitDecimal stores n rounded to the scale of t.
func fitDecimal(out result, n num.Num, t columnar.Type) error {
	if n.IsNaN() {
		out.setNum(n)
		return nil
	}
	hi, lo, ok := n.Decimal(int(t.Precision), int(t.Scale))
	if !ok {
		st := pgtext.FieldOverflow
		if !n.IsFinite() {
			st = pgtext.InfiniteField
		}
		return describe(st, t, nil)
	}
	out.setNum(num.Scaled(hi, lo, int(t.Scale)))
	return nil
}

// describe returns the error of a text that is no value of type t.
func describe(st pgtext.Status, t columnar.Type, text []byte) error {
	state, message, detail, hint := pgtext.Describe(st, modified(t), text)
	return &pgerr.Error{SQLState: state, Message: message, Detail: detail, Hint: hint}
}

// limitText cuts a text to the length of a varchar(n): silently if the cast was asked
// for, else only blanks.
func limitText(t columnar.Type, c context) function {
	return func(out result, a args) error {
		b := a.bytes(0)
		cut, ok := pgtext.Truncate(b, int(t.Length))
		if !ok && c != explicit {
			return describe(pgtext.TooLong, t, b)
		}
		out.bytes(b[:cut])
		return nil
	}
}

// toText casts a value to its text form.
func (s *Scope) toText(from, to columnar.Type, c context) function {
	loc := s.Loc()
	return func(out result, a args) error {
		out.append(func(dst []byte) []byte { return appendText(dst, a.vecs[0], a.row, loc) })
		if to.Length == 0 {
			return nil
		}
		b := out.vec.S[out.row]
		cut, ok := pgtext.Truncate(b, int(to.Length))
		if !ok && c != explicit {
			return describe(pgtext.TooLong, to, b)
		}
		out.bytes(b[:cut])
		return nil
	}
}

// appendText appends the text that row i of v, which is not null, is cast to.
func appendText(dst []byte, v *Vec, i int, loc *time.Location) []byte {
	at := i & v.index()
	if v.Type.Array {
		return append(dst, v.S[at]...)
	}
	switch v.Type.Kind {
	case columnar.Bool:
		if v.Bool(i) {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case columnar.Decimal, columnar.Numeric:
		return v.D[at].AppendText(dst)
	case columnar.Text, columnar.Varchar, columnar.JSON:
		return append(dst, v.S[at]...)
	}
	return v.Value(i).AppendText(dst, loc)
}

// appendOutput appends the text that row i of v, which is not null, is printed as.
func appendOutput(dst []byte, v *Vec, i int, loc *time.Location) []byte {
	if v.Type.Kind == columnar.Bool && !v.Type.Array {
		return pgtext.AppendBool(dst, v.Bool(i))
	}
	return appendText(dst, v, i, loc)
}

// readText reads the text form of a value of type t.
func readText(out result, b []byte, t columnar.Type, loc *time.Location) error {
	st := pgtext.OK
	if t.Array {
		out.append(func(dst []byte) []byte {
			dst, st = columnar.AppendCanonical(dst, t, b, loc)
			return dst
		})
		if st != pgtext.OK {
			return columnar.TextError(st, t, b, loc)
		}
		return nil
	}
	switch t.Kind {
	case columnar.Int2, columnar.Int4, columnar.Int8:
		var v int64
		v, st = pgtext.Int(b, t.Width()*8)
		out.setInt(v)
	case columnar.Float8:
		var v float64
		v, st = pgtext.Float8(b)
		out.setFloat(v)
	case columnar.Float4:
		var v float32
		v, st = pgtext.Float4(b)
		out.setFloat(float64(v))
	case columnar.Bool:
		var v bool
		v, st = pgtext.Bool(b)
		out.bool(v)
	case columnar.Numeric:
		var text []byte
		text, st = pgtext.ParseNumericText(nil, b)
		n, _ := num.Parse(text) // canonical
		out.setNum(n)
	case columnar.Decimal:
		d, special, s := pgtext.ParseDecimal(b, int(t.Precision), int(t.Scale))
		st = s
		out.setNum(num.Scaled(d.Hi, d.Lo, int(t.Scale)))
		if special == pgtext.NaN {
			out.setNum(num.NaN)
		}
	default:
		return readOther(out, b, t, loc)
	}
	if st != pgtext.OK {
		return describe(st, t, b)
	}
	return nil
}

func readOther(out result, b []byte, t columnar.Type, loc *time.Location) error {
	st := pgtext.OK
	switch t.Kind {
	case columnar.Date:
		var v int32
		v, st = pgtext.Date(b)
		out.setInt(int64(v))
	case columnar.Time:
		var v int64
		v, st = pgtext.Time(b)
		out.setInt(v)
	case columnar.Timestamp:
		var v int64
		v, st = pgtext.Timestamp(b)
		out.setInt(v)
	case columnar.TimestampTZ:
		var v int64
		v, st = pgtext.TimestampTZ(b, loc)
		out.setInt(v)
	case columnar.UUID:
		var v [16]byte
		v, st = pgtext.UUID(b)
		out.append(func(dst []byte) []byte { return append(dst, v[:]...) })
	case columnar.Bytea:
		out.append(func(dst []byte) []byte {
			dst, st = pgtext.Bytea(dst, b)
			return dst
		})
	case columnar.JSON:
		if _, ok := pgtext.ValidJSON(b); !ok {
			st = pgtext.Syntax
		}
		out.bytes(b)
	case columnar.Varchar:
		cut := len(b)
		if t.Length > 0 {
			var ok bool
			if cut, ok = pgtext.Truncate(b, int(t.Length)); !ok {
				st = pgtext.TooLong
			}
		}
		out.bytes(b[:cut])
	default:
		out.bytes(b)
	}
	if st != pgtext.OK {
		return describe(st, t, b)
	}
	return nil
}
