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
	if len(g.nodes) == 0 {
		p.n = 1
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
			v, err := a.arg.Eval(b, in.want)
			if err != nil {
				return err
			}
			in.v = v
			if ref, ok := a.arg.(*expr.Ref); ok {
				in.stored, _ = b.Stored(ref.Index)
			}
			in.want = p.present(v, in.want, b.Rows)
		}
		p.aggs[i].add(&in, numbers, p.n)
	}
	return nil
}

// present returns want without the rows that are null in v.
func (p *partial) present(v *expr.Vec, want []uint64, n int) []uint64 {
	valid := v.ValidRows(n)
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
	for i := range b.Rows {
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
	p.n = p.table.len()
	return nil
}

// merge adds the groups of q, whose rows come behind those of p.
func (p *partial) merge(q *partial) error {
	to := make([]uint32, q.n)
	for i := range q.table.len() {
		number, fresh := p.table.number(q.table.key(uint32(i)))
		to[i] = number
		if fresh {
			for k := range p.keys {
				p.keys[k].Append(q.keys[k].Rows(i&^63, min(64, q.n-i&^63)), i&63)
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
	want   []uint64         // rows that count, not null in v; nil for all
	v      *expr.Vec        // the argument; nil for count(*)
	stored *columnar.Vec    // the argument as stored, if it is a column
	first  visibility.RowID // of the first row, where the rows are consecutive
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
