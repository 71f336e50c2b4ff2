package sql

import (
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/internal/expr"
	"github.com/ingotdb/ingot/visibility"
)

// partial is the groups of some rows. Groups are numbered in the order of their first
// rows.
type partial struct {
	table keyTable
	keys  []expr.Builder
	aggs  []aggregator
	n     int // groups

	numbers []uint32 // scratch: the group of each row
	key     []byte
	want    [expr.MaxRows / 64]uint64
	valid   [expr.MaxRows / 64]uint64
	vecs    []*expr.Vec
}

// partial returns an empty partial; without keys it has the one group there is.
func (g *grouping) partial() *partial {
	p := &partial{}
	for _, n := range g.nodes {
		p.keys = append(p.keys, expr.NewBuilder(n.Type()))
	}
	for _, a := range g.aggs {
		p.aggs = append(p.aggs, a.new())
	}
	switch {
	case len(g.nodes) == 0:
		p.n = 1
	case len(g.nodes) == 1:
		p.table.ints = expr.FormOf(g.nodes[0].Type()) == expr.Ints
	}
	return p
}

// count adds rows to aggregates that all count rows.
func (p *partial) count(rows int64) {
	for _, a := range p.aggs {
		a.(*counter).n = []int64{rows}
	}
}

// add adds the rows of b that are in mask, all for nil. Without keys, first is the id of
// the first row.
func (p *partial) add(g *grouping, b *expr.Batch, mask []uint64, first visibility.RowID) error {
	var numbers []uint32
	if len(g.nodes) > 0 {
		if err := p.assign(g, b); err != nil {
			return err
		}
		numbers = p.numbers[:b.Rows]
	}
	for i, a := range g.aggs {
		in := aggInput{rows: b.Rows, want: mask, first: first}
		if a.filter != nil {
			f, err := a.filter.Eval(b, mask)
			if err != nil {
				return err
			}
			in.want = f.True(p.want[:], b.Rows)
			if mask != nil {
				and(in.want, mask)
			}
		}
		if a.arg != nil {
			if err := p.argument(a, b, &in); err != nil {
				return err
			}
		}
		p.aggs[i].add(&in, numbers, p.n)
	}
	return nil
}

// argument evaluates the argument of an aggregate and takes its nulls out of in.want. A
// stored column is not loaded unless the aggregate asks for it.
func (p *partial) argument(a *aggregate, b *expr.Batch, in *aggInput) error {
	if a.kind == firstRow {
		in.batch, in.index = b, a.arg.(*expr.Ref).Index
		return nil
	}
	if ref, ok := a.arg.(*expr.Ref); ok {
		if in.stored, ok = b.Stored(ref.Index); ok {
			in.batch, in.index = b, ref.Index
			in.want = p.present(in.stored.ValidWords(p.valid[:]), in.want, b.Rows)
			return nil
		}
	}
	v, err := a.arg.Eval(b, in.want)
	if err != nil {
		return err
	}
	in.v = v
	in.want = p.present(v.ValidRows(b.Rows), in.want, b.Rows)
	return nil
}

// present returns want without the rows that are not valid.
func (p *partial) present(valid, want []uint64, n int) []uint64 {
	switch {
	case valid == nil:
		return want
	case want == nil:
		want = p.want[:len(valid)]
		copy(want, valid)
		if n&63 != 0 {
			want[len(want)-1] &= 1<<(n&63) - 1
		}
		return want
	}
	out := p.want[:len(valid)]
	copy(out, want)
	and(out, valid)
	return out
}

func and(dst, src []uint64) {
	for i := range dst {
		dst[i] &= src[i]
	}
}

// assign gives every row of b the number of its group.
func (p *partial) assign(g *grouping, b *expr.Batch) error {
	p.vecs = p.vecs[:0]
	for _, n := range g.nodes {
		v, err := n.Eval(b, nil)
		if err != nil {
			return err
		}
		p.vecs = append(p.vecs, v)
	}
	if p.numbers == nil {
		p.numbers = make([]uint32, expr.MaxRows)
	}
	switch {
	case p.table.ints:
		p.assignInts(p.vecs[0], b.Rows)
	case len(p.vecs) == 1 && expr.FormOf(p.vecs[0].Type) == expr.Bytes:
		p.assignBytes(p.vecs[0], b.Rows)
	default:
		p.assignKeys(b.Rows)
	}
	p.n = p.table.len()
	return nil
}

// assignKeys numbers n rows by a key made of all columns.
func (p *partial) assignKeys(n int) {
	for i := range n {
		key := p.key[:0]
		for _, v := range p.vecs {
			key = expr.AppendKey(key, v, i)
		}
		p.key = key
		number, fresh := p.table.number(key)
		p.numbers[i] = number
		if fresh {
			for k, v := range p.vecs {
				p.keys[k].Append(v, i)
			}
		}
	}
}

// assignInts numbers n rows by the one column there is, of integers.
func (p *partial) assignInts(v *expr.Vec, n int) {
	at, nulls := -1, v.Valid != nil
	if v.Const {
		at = 0
	}
	for i := range n {
		var number uint32
		var fresh bool
		if nulls && v.IsNull(i) {
			number, fresh = p.table.nullNumber()
		} else {
			number, fresh = p.table.numberInt(v.I[i&at])
		}
		p.numbers[i] = number
		if fresh {
			p.keys[0].Append(v, i)
		}
	}
}

// assignBytes numbers n rows by the one column there is, whose bytes are the key.
func (p *partial) assignBytes(v *expr.Vec, n int) {
	for i := range n {
		var number uint32
		var fresh bool
		if v.IsNull(i) {
			number, fresh = p.table.nullNumber()
		} else {
			number, fresh = p.table.number(v.Bytes(i))
		}
		p.numbers[i] = number
		if fresh {
			p.keys[0].Append(v, i)
		}
	}
}

// merge adds the groups of q, whose rows come behind those of p.
func (p *partial) merge(q *partial) error {
	to := make([]uint32, q.n)
	for i := range q.table.len() {
		var number uint32
		var fresh bool
		if uint32(i)+1 == q.table.null {
			number, fresh = p.table.nullNumber()
		} else {
			number, fresh = p.table.number(q.table.key(uint32(i)))
		}
		to[i] = number
		if fresh {
			for k := range p.keys {
				p.keys[k].Append(q.keys[k].All(), i)
			}
		}
	}
	if len(p.keys) > 0 {
		p.n = p.table.len()
	}
	for i, a := range p.aggs {
		a.merge(q.aggs[i], to, p.n)
	}
	return nil
}

// fits returns an error if the groups take more memory than limit.
func (p *partial) fits(limit int64) error {
	n := p.table.bytes()
	for i := range p.keys {
		n += p.keys[i].Bytes()
	}
	for _, a := range p.aggs {
		n += a.bytes()
	}
	if n > limit {
		return errMemory("groups", limit)
	}
	return nil
}

// errMemory returns the error of a statement that needs more memory than it may take.
func errMemory(what string, limit int64) error {
	return pgerr.New(pgerr.OutOfMemory, "out of memory").
		WithDetail("The %s of this query take more than %d bytes.", what, limit).
		WithHint("Raise the memory limit, or let the query select fewer rows.")
}

// aggInput is the rows that an aggregate is given.
type aggInput struct {
	rows   int
	want   []uint64      // rows that count, not null in v; nil for all
	v      *expr.Vec     // the argument; nil for count(*), and see vec
	stored *columnar.Vec // the argument as stored, if it is a column
	batch  *expr.Batch   // that it is column index of
	index  int
	first  visibility.RowID // of the first row, where the rows are consecutive
}

// vec returns the argument.
func (in *aggInput) vec() *expr.Vec {
	if in.v == nil && in.batch != nil {
		in.v = in.batch.Column(in.index)
	}
	return in.v
}

// count returns how many rows count.
func (in *aggInput) count() int64 {
	if in.want == nil {
		return int64(in.rows)
	}
	return int64(expr.Count(in.want))
}

// each calls fn with the rows that count.
func (in *aggInput) each(fn func(i int)) { expr.EachRow(in.rows, in.want, fn) }

// aggregator is the state of an aggregate for a number of groups.
type aggregator interface {
	// add adds row i to group groups[i], to group 0 if groups is nil; n groups exist.
	add(in *aggInput, groups []uint32, n int)
	// merge adds group i of from, an aggregator of the same kind, to group to[i].
	merge(from aggregator, to []uint32, n int)
	// result returns the values of n groups.
	result(n int) (*expr.Vec, error)
	// bytes returns about how much memory the state takes.
	bytes() int64
}

// extend returns s with at least n values.
func extend[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	return append(s, make([]T, n-len(s))...)
}
