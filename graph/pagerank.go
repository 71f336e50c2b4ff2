package graph

import (
	"context"
	"math"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// PageRankOptions say how ranks are computed. The zero value is the usual PageRank.
type PageRankOptions struct {
	Options

	Damping    float64 // share of a node's rank that it passes on, below 1; 0 is DefaultDamping
	Iterations int     // most rounds; 0 is DefaultIterations
	Tolerance  float64 // it ends when all ranks together change by no more; 0 is DefaultTolerance
}

// Defaults of PageRankOptions.
const (
	DefaultDamping    = 0.85
	DefaultIterations = 100
	DefaultTolerance  = 1e-7
)

func (o *PageRankOptions) defaults() error {
	if o.Damping == 0 {
		o.Damping = DefaultDamping
	}
	if o.Iterations == 0 {
		o.Iterations = DefaultIterations
	}
	if o.Tolerance == 0 {
		o.Tolerance = DefaultTolerance
	}
	if !(o.Damping > 0 && o.Damping < 1) || o.Iterations < 0 || !(o.Tolerance >= 0) {
		return pgerr.New(pgerr.InvalidParameterValue, "graph: damping %v, %d iterations, tolerance %v", o.Damping, o.Iterations, o.Tolerance)
	}
	return nil
}

// PageRank returns the rank of every node: ranks[t][row] is that of a row of node table t, 0 if
// it is no node. All ranks add up to 1; a node without edges passes its rank to all nodes alike.
//
// A round reads the adjacency once, against the direction, so that each rank is summed by one
// goroutine in the order of the edges: the result does not depend on the number of workers. It
// takes 28 bytes for each row of the node tables.
func (g *Graph) PageRank(ctx context.Context, opt *PageRankOptions) (ranks [][]float64, err error) {
	var o PageRankOptions
	if opt != nil {
		o = *opt
	}
	if err := o.defaults(); err != nil {
		return nil, err
	}
	q, err := g.open(ctx, &o.Options)
	if err != nil {
		return nil, err
	}
	defer func() { q.release(err) }()
	r := ranker{search: q, damping: o.Damping}
	if err = r.begin(); err != nil {
		return nil, err
	}
	for range o.Iterations {
		change, err := r.round()
		if err != nil {
			return nil, err
		}
		if change <= o.Tolerance {
			break
		}
	}
	ranks = make([][]float64, len(g.nodes))
	for t := range g.nodes {
		s := &g.nodes[t]
		ranks[t] = r.rank[s.first : s.first+s.rows : s.first+s.rows]
	}
	return ranks, nil
}

// ranker is a computation of ranks. Its arrays are by number of node.
type ranker struct {
	*search
	damping float64
	nodes   []uint64
	count   float64  // of nodes
	degree  []uint32 // edges that a node passes its rank along
	rank    []float64
	share   []float64 // what a node passes along each edge
	next    []float64
}

// begin counts degrees and gives all nodes one rank.
func (r *ranker) begin() (err error) {
	if r.nodes, err = r.admitted(); err != nil {
		return err
	}
	n := int(r.g.count)
	r.degree = make([]uint32, n)
	r.rank, r.share, r.next = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range r.along {
		h := &r.along[i]
		err := r.scan(r.along, i, func(u uint32, list []uint32) {
			for _, v := range list {
				if v += h.to; inSet(r.nodes, v) && !r.again(h, u, v) {
					r.degree[u]++
				}
			}
		})
		if err != nil {
			return err
		}
	}
	r.each(func(uint32) { r.count++ })
	r.each(func(u uint32) { r.rank[u] = 1 / r.count })
	return nil
}

// again reports whether an edge from u to v over h is an edge from a node to itself that
// was seen from its other end already.
func (r *ranker) again(h *hop, u, v uint32) bool {
	return u == v && h.reversed && r.opt.Direction == Both
}

// each calls do with every node.
func (r *ranker) each(do func(u uint32)) {
	for u := range r.g.count {
		if inSet(r.nodes, u) {
			do(u)
		}
	}
}

// round passes all ranks on once and returns by how much they changed, in sum.
func (r *ranker) round() (change float64, err error) {
	lost := 0.0 // the rank of nodes that have nobody to pass it to
	r.each(func(u uint32) {
		if r.degree[u] == 0 {
			lost += r.rank[u]
		} else {
			r.share[u] = r.rank[u] / float64(r.degree[u])
		}
	})
	clear(r.next)
	for i := range r.against {
		h := &r.against[i]
		err := r.scan(r.against, i, func(v uint32, list []uint32) {
			sum := 0.0
			for _, u := range list {
				if u += h.to; inSet(r.nodes, u) && !r.again(h, v, u) {
					sum += r.share[u]
				}
			}
			r.next[v] += sum
		})
		if err != nil {
			return 0, err
		}
	}
	base := (1 - r.damping + r.damping*lost) / r.count
	r.each(func(u uint32) {
		x := base + r.damping*r.next[u]
		change += math.Abs(x - r.rank[u])
		r.rank[u] = x
	})
	return change, nil
}
