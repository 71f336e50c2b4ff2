package expr

import (
	"slices"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/num"
)

// Column is a column that expressions can name.
type Column struct {
	Name string
	Type columnar.Type
}

// Scope is what names in an expression mean. Several expressions over the same batches
// are bound in one Scope, which collects the columns they read.
type Scope struct {
	Source   string // the statement, for positions; "" gives errors without
	Table    string // the name before a column; "" if there is no table
	Hidden   string // the name that an alias took the place of, or ""
	Columns  []Column
	Params   []columnar.Value // $1 and so on
	Location *time.Location   // of the session; nil is UTC
	Now      int64            // the time of the statement, in microseconds since 1970
	Clause   string           // what is bound, for messages: WHERE, CHECK constraints

	// Replace, if set, is asked first what an expression stands for: a group key, an
	// aggregate. A nil Node means that it stands for itself.
	Replace func(e ast.Expr) (Node, error)

	// Refs has the positions in Columns of the columns that were used. The batches that
	// bound expressions are given have their columns in this order.
	Refs []int

	names map[string]int // positions in Columns, made by the first look-up
	refs  map[int]int    // indexes in Refs
}

// Copy returns a Scope in which other columns can come to be used.
func (s *Scope) Copy() *Scope {
	c := *s
	c.Refs, c.refs = slices.Clone(s.Refs), nil
	return &c
}

// Loc returns the session's time zone.
func (s *Scope) Loc() *time.Location {
	if s.Location == nil {
		return time.UTC
	}
	return s.Location
}

// fail returns err with the place pos of the statement.
func (s *Scope) fail(pos int, err *pgerr.Error) error {
	if s.Source == "" {
		return err
	}
	return ast.NewError(s.Source, pos, err)
}

// Bind returns the Node of e. Its type may be undecided.
func (s *Scope) Bind(e ast.Expr) (Node, error) {
	if s.Replace != nil {
		if n, err := s.Replace(e); n != nil || err != nil {
			return n, err
		}
	}
	switch e := e.(type) {
	case *ast.Number:
		return s.number(e)
	case *ast.String:
		return &Const{vec: Vec{Len: 1, Const: true, S: [][]byte{[]byte(e.Value)}}}, nil
	case *ast.Bool:
		return NewConst(columnar.Value{Type: boolType, I: int64(b2u(e.Value))}), nil
	case *ast.Null:
		return undecidedNull(), nil
	case *ast.Param:
		return s.param(e)
	case *ast.Column:
		return s.column(e)
	case *ast.Unary:
		return s.unary(e)
	case *ast.Binary:
		return s.binary(e)
	case *ast.Cast:
		if a, ok := e.X.(*ast.Array); ok && len(a.Elems) == 0 && e.Type.Array {
			return NewConst(columnar.Value{Type: e.Type, S: "{}"}), nil
		}
		return s.cast(e)
	case *ast.Call:
		return s.call(e)
	case *ast.Case:
		return s.caseOf(e)
	}
	return s.bindPredicate(e)
}

// bindPredicate binds the expressions that have a syntax of their own and give a
// boolean, and refuses the rest.
func (s *Scope) bindPredicate(e ast.Expr) (Node, error) {
	switch e := e.(type) {
	case *ast.IsNull:
		x, err := s.Bind(e.X)
		if err != nil {
			return nil, err
		}
		return &isNull{x: x, not: e.Not}, nil
	case *ast.IsTruth:
		x, err := s.boolean(e.X, "IS "+map[bool]string{true: "NOT "}[e.Not]+[]string{"FALSE", "TRUE", "UNKNOWN"}[e.Want])
		if err != nil {
			return nil, err
		}
		return &isTruth{x: x, want: e.Want, not: e.Not}, nil
	case *ast.IsDistinct:
		c, err := s.compare(e.Pos(), "=", e.L, e.R)
		if err != nil {
			return nil, err
		}
		return &isDistinct{equal: c, not: e.Not}, nil
	case *ast.In:
		return s.in(e)
	case *ast.Between:
		return s.between(e)
	case *ast.Like:
		return s.like(e)
	case *ast.Array:
		return s.array(e)
	case *ast.Quantified:
		return s.quantified(e)
	case *ast.Default:
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.SyntaxError, "DEFAULT is not allowed in this context"))
	}
	return nil, s.fail(e.Pos(), pgerr.New(pgerr.FeatureNotSupported, "subscripts of arrays are not supported"))
}

// Boolean binds a condition.
func (s *Scope) Boolean(e ast.Expr) (Node, error) {
	what := s.Clause
	if short, ok := conditions[what]; ok {
		what = short
	}
	return s.boolean(e, what)
}

// conditions has the clauses whose condition is called by another name.
var conditions = map[string]string{"COPY FROM WHERE conditions": "WHERE", "check constraints": "CHECK"}

// boolean binds an argument of what, which must be a boolean.
func (s *Scope) boolean(e ast.Expr, what string) (Node, error) {
	n, err := s.Bind(e)
	if err != nil {
		return nil, err
	}
	if undecided(n) {
		return s.decide(n, boolType, e.Pos())
	}
	if n.Type() != boolType {
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.DatatypeMismatch,
			"argument of %s must be type boolean, not type %s", what, n.Type().Name()))
	}
	return n, nil
}

// BindTo binds e as a value for a column of type t, by the rules of an assignment.
func (s *Scope) BindTo(e ast.Expr, t columnar.Type, column string) (Node, error) {
	n, err := s.Bind(e)
	if err != nil {
		return nil, err
	}
	return s.Assign(n, t, column, e.Pos())
}

// Decided binds e; what is undecided becomes text.
func (s *Scope) Decided(e ast.Expr) (Node, error) {
	n, err := s.Bind(e)
	if err != nil || !undecided(n) {
		return n, err
	}
	return s.decide(n, textType, e.Pos())
}

var (
	boolType        = columnar.Type{Kind: columnar.Bool}
	textType        = columnar.Type{Kind: columnar.Text}
	int4Type        = columnar.Type{Kind: columnar.Int4}
	int8Type        = columnar.Type{Kind: columnar.Int8}
	float4Type      = columnar.Type{Kind: columnar.Float4}
	float8Type      = columnar.Type{Kind: columnar.Float8}
	numericType     = columnar.Type{Kind: columnar.Numeric}
	dateType        = columnar.Type{Kind: columnar.Date}
	timeType        = columnar.Type{Kind: columnar.Time}
	timestampType   = columnar.Type{Kind: columnar.Timestamp}
	timestampTZType = columnar.Type{Kind: columnar.TimestampTZ}
	byteaType       = columnar.Type{Kind: columnar.Bytea}
	jsonType        = columnar.Type{Kind: columnar.JSON}
)

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Const is a constant.
type Const struct{ vec Vec }

// NewConst returns v as a Node.
func NewConst(v columnar.Value) *Const { return &Const{vec: *FromValue(v)} }

func undecidedNull() *Const {
	return &Const{vec: Vec{Len: 1, Const: true, Valid: []uint64{0}, S: [][]byte{nil}}}
}

// Type implements Node.
func (c *Const) Type() columnar.Type { return c.vec.Type }

// Eval implements Node.
func (c *Const) Eval(*Batch, []uint64) (*Vec, error) { return &c.vec, nil }

// Value returns the constant.
func (c *Const) Value() columnar.Value { return c.vec.Value(0) }

// undecided reports whether n is a literal whose type nothing has decided.
func undecided(n Node) bool { return n.Type().Kind == columnar.Invalid }

// number returns a numeric literal as the smallest of int4, int8 and numeric that holds it.
func (s *Scope) number(e *ast.Number) (Node, error) {
	if !strings.ContainsAny(e.Text, ".e") && len(e.Text) <= 20 {
		v, ok := num.Parse([]byte(e.Text))
		if i, fits := v.Int64(); ok && fits {
			t := int8Type
			if i == int64(int32(i)) {
				t = int4Type
			}
			return NewConst(columnar.Value{Type: t, I: i}), nil
		}
	}
	canonical, st := pgtext.ParseNumericText(nil, []byte(e.Text))
	n, ok := num.Parse(canonical)
	if st != pgtext.OK || !ok {
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format"))
	}
	return &Const{vec: Vec{Type: numericType, Len: 1, Const: true, D: []num.Num{n}}}, nil
}

// param returns a parameter's value, whose type may be undecided.
func (s *Scope) param(e *ast.Param) (Node, error) {
	if e.N > len(s.Params) {
		return nil, s.fail(e.Pos(), pgerr.New("42P02", "there is no parameter $%d", e.N).
			WithHint("%d arguments were given.", len(s.Params)))
	}
	v := s.Params[e.N-1]
	if v.Type.Kind != columnar.Invalid {
		return NewConst(v), nil
	}
	if v.Null {
		return undecidedNull(), nil
	}
	return &Const{vec: Vec{Len: 1, Const: true, S: [][]byte{[]byte(v.S)}}}, nil
}

// Ref is a column of the batch.
type Ref struct {
	Index int // in the batch
	typ   columnar.Type
}

// NewRef returns a Node for column index of the batches.
func NewRef(index int, t columnar.Type) *Ref { return &Ref{Index: index, typ: t} }

// Type implements Node.
func (r *Ref) Type() columnar.Type { return r.typ }

// Eval implements Node.
func (r *Ref) Eval(b *Batch, _ []uint64) (*Vec, error) { return b.Column(r.Index), nil }

// Lookup returns the position of the column that e names.
func (s *Scope) Lookup(e *ast.Column) (int, error) {
	if e.Table != "" && e.Table != s.Table {
		err := pgerr.New(pgerr.UndefinedTable, "missing FROM-clause entry for table \"%s\"", e.Table)
		if e.Table == s.Hidden {
			err.Message = "invalid reference to FROM-clause entry for table \"" + e.Table + "\""
			err.WithHint("Perhaps you meant to reference the table alias \"%s\".", s.Table)
		} else if s.Table != "" {
			err.WithHint("The table of this query is \"%s\".", s.Table)
		}
		return 0, s.fail(e.Pos(), err)
	}
	if s.names == nil {
		s.names = make(map[string]int, len(s.Columns))
		for i := len(s.Columns) - 1; i >= 0; i-- {
			s.names[s.Columns[i].Name] = i
		}
	}
	if i, ok := s.names[e.Name]; ok {
		return i, nil
	}
	name := "\"" + e.Name + "\""
	if e.Table != "" {
		name = e.Table + "." + e.Name
	}
	err := pgerr.New(pgerr.UndefinedColumn, "column %s does not exist", name)
	if near := s.near(e.Name); near != "" {
		err.WithHint("Perhaps you meant to reference the column \"%s\".", near)
	}
	return 0, s.fail(e.Pos(), err)
}

func (s *Scope) column(e *ast.Column) (Node, error) {
	i, err := s.Lookup(e)
	if err != nil {
		return nil, err
	}
	return s.Column(i), nil
}

// Column returns a Node for the column at position i.
func (s *Scope) Column(i int) *Ref {
	if s.refs == nil {
		s.refs = make(map[int]int)
		for at, pos := range s.Refs {
			s.refs[pos] = at
		}
	}
	at, ok := s.refs[i]
	if !ok {
		at = len(s.Refs)
		s.refs[i] = at
		s.Refs = append(s.Refs, i)
	}
	return NewRef(at, s.Columns[i].Type)
}

// near returns the column whose name is most like name, or "".
func (s *Scope) near(name string) string {
	names := make([]string, 0, min(len(s.Columns), 2000))
	for i := range cap(names) {
		names = append(names, s.Columns[i].Name)
	}
	return Near(name, names)
}

// Near returns the one of names that is most like name, or "" if none is.
func Near(name string, names []string) string {
	best, most := "", (len(name)+1)/2
	for _, n := range names {
		d := distance(strings.ToLower(name), strings.ToLower(n), most)
		if d <= most && (best == "" || d < most) {
			best, most = n, d
		}
	}
	return best
}

// distance returns how many characters must change to turn a into b; a number above
// most if they are more than that.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
