package expr

import (
	"math/bits"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// inputs evaluates args and returns how many rows must be computed: one if all are
// constant, whose result then is constant too.
func inputs(b *Batch, active []uint64, args []Node, vecs []*Vec) (n int, constant bool, err error) {
	constant = true
	for i, a := range args {
		if vecs[i], err = a.Eval(b, active); err != nil {
			return 0, false, err
		}
		constant = constant && vecs[i].Const
	}
	if constant {
		return 1, true, nil
	}
	return b.Rows, false, nil
}

// anyActive reports whether one of n rows is wanted.
func anyActive(n int, active []uint64) bool {
	if active == nil || n == 0 {
		return n > 0
	}
	last := words(n) - 1
	for _, w := range active[:last] {
		if w != 0 {
			return true
		}
	}
	return active[last]&lastWord(n) != 0
}

// wanted calls each with the rows below n that are active and valid, until it fails.
func wanted(n int, active, valid []uint64, each func(i int) error) error {
	for at := range words(n) {
		w := ^uint64(0)
		if at == words(n)-1 {
			w = lastWord(n)
		}
		if active != nil {
			w &= active[at]
		}
		if valid != nil {
			w &= valid[at]
		}
		for ; w != 0; w &= w - 1 {
			if err := each(at<<6 + bits.TrailingZeros64(w)); err != nil {
				return err
			}
		}
	}
	return nil
}

// result is the row that a function computes.
type result struct {
	*store
	row int
}

func (r result) setInt(v int64)     { r.vec.I[r.row] = v }
func (r result) setFloat(v float64) { r.vec.F[r.row] = v }
func (r result) null()              { r.setNull(r.row) }
func (r result) bool(v bool)        { r.setBool(r.row, v) }
func (r result) bytes(v []byte)     { r.vec.S[r.row] = v }

// arena appends to the bytes of the result with put and makes them the value.
func (r result) append(put func(dst []byte) []byte) { r.setBytes(r.row, put) }

// function computes one row; the arguments are not null, and i is the row in each of
// them that is not constant.
type function func(out result, a args) error

// args are the arguments of a function at one row.
type args struct {
	vecs []*Vec
	row  int
}

func (a args) int(k int) int64     { v := a.vecs[k]; return v.I[a.row&v.index()] }
func (a args) float(k int) float64 { v := a.vecs[k]; return v.F[a.row&v.index()] }
func (a args) bool(k int) bool     { return a.vecs[k].Bool(a.row) }
func (a args) bytes(k int) []byte  { v := a.vecs[k]; return v.S[a.row&v.index()] }

// strict is a function that is null if an argument is, computed row by row.
type strict struct {
	store
	typ  columnar.Type
	args []Node
	vecs []*Vec
	fn   function
	lax  bool // fn is called with null arguments too
}

func newStrict(t columnar.Type, fn function, nodes ...Node) Node {
	return folded(&strict{typ: t, args: nodes, vecs: make([]*Vec, len(nodes)), fn: fn})
}

// Type implements Node.
func (s *strict) Type() columnar.Type { return s.typ }

// Eval implements Node.
func (s *strict) Eval(b *Batch, active []uint64) (*Vec, error) {
	n, constant, err := inputs(b, active, s.args, s.vecs)
	if err != nil {
		return nil, err
	}
	out := s.start(s.typ, n)
	out.Const = constant
	if !s.lax {
		s.strict(n, s.vecs...)
	}
	if constant {
		if !anyActive(b.Rows, active) {
			return out, nil
		}
		active = nil
	}
	valid := out.Valid
	if valid != nil {
		// fn may change what is valid while the rows are walked.
		var fixed [MaxRows / 64]uint64
		copy(fixed[:], valid)
		valid = fixed[:words(n)]
	}
	return out, wanted(n, active, valid, func(i int) error {
		if len(s.arena) > maxArena {
			return pgerr.New(pgerr.OutOfMemory, "out of memory").
				WithDetail("The values of an expression take more than %d bytes for %d rows.", maxArena, n)
		}
		return s.fn(result{&s.store, i}, args{s.vecs, i})
	})
}

// maxArena bounds the bytes that a function makes for one batch, but for the last value.
const maxArena = 256 << 20

// folded returns the constant that n is, if it computes one from constants without an
// error; an error waits until a row wants the value.
func folded(n Node) Node {
	switch s := n.(type) {
	case *strict:
		for _, a := range s.args {
			if _, ok := a.(*Const); !ok {
				return n
			}
		}
	default:
		return n
	}
	v, err := n.Eval(&Batch{Rows: 1}, nil)
	if err != nil || !v.Const {
		return n
	}
	return &Const{vec: *v}
}

// EachRow calls fn with the rows below n that are in mask, with all of them for nil.
func EachRow(n int, mask []uint64, fn func(i int)) {
	if mask == nil {
		for i := range n {
			fn(i)
		}
		return
	}
	for at, w := range mask[:words(n)] {
		for ; w != 0; w &= w - 1 {
			if i := at<<6 + bits.TrailingZeros64(w); i < n {
				fn(i)
			}
		}
	}
}

// ValidRows returns which of n rows are not null, nil if none is, with nothing defined
// behind them.
func (v *Vec) ValidRows(n int) []uint64 { return v.valid(n) }
