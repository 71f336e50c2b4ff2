package graph

import (
	"context"
	"iter"

	"github.com/ingotdb/ingot/mmap"
)

// Neighbor is a node one edge away, and that edge.
type Neighbor struct {
	Node Node
	Edge Edge
}

// Neighbors returns the nodes one edge away from n, once for each edge; none if n is not
// visible. Their order is not defined.
func (g *Graph) Neighbors(ctx context.Context, n Node, opt *Options) iter.Seq2[Neighbor, error] {
	return func(yield func(Neighbor, error) bool) {
		q, err := g.open(ctx, opt)
		if err != nil {
			yield(Neighbor{}, err)
			return
		}
		defer func() { q.release(err) }()
		l := q.list(0)
		l.arcs = l.arcs[:0]
		err = mmap.Guard(func() error {
			u, ok, err := q.admits(n)
			if err != nil || !ok {
				return err
			}
			return q.loadPaths(l, q.along, u)
		})
		if err != nil {
			yield(Neighbor{}, err)
			return
		}
		for _, a := range l.arcs {
			if !yield(Neighbor{q.along[a.hop].node(g, a.node), edgeOf(q.along, a, false)}, nil) {
				return
			}
		}
	}
}

// Degree returns the number of edges that Neighbors returns. Where nothing is deleted or
// filtered, and for one direction, that is two reads for each run of the adjacency, however
// many they are.
func (g *Graph) Degree(ctx context.Context, n Node, opt *Options) (degree uint64, err error) {
	q, err := g.open(ctx, opt)
	if err != nil {
		return 0, err
	}
	defer func() { q.release(err) }()
	err = mmap.Guard(func() error {
		u, ok, err := q.admits(n)
		if err != nil || !ok {
			return err
		}
		if q.opt.Edges != nil || g.edgesDeleted() || q.nodesDeleted || q.opt.Nodes != nil || q.opt.Direction == Both {
			l := q.list(0)
			l.arcs = l.arcs[:0]
			err = q.loadPaths(l, q.along, u)
			degree = uint64(len(l.arcs))
			return err
		}
		for i := range q.along {
			_, list, _ := q.along[i].edges(u)
			degree += uint64(len(list))
		}
		return nil
	})
	return degree, err
}
