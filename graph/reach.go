package graph

import (
	"context"
	"iter"

	"github.com/ingotdb/ingot/mmap"
)

// Reached is a node and the length of the shortest path to it.
type Reached struct {
	Node Node
	Hops int
}

// Reachable returns the nodes whose distance from a node is within hops, the nearest first,
// each once. The node itself is 0 hops away.
func (g *Graph) Reachable(ctx context.Context, from Node, hops Hops, opt *Options) iter.Seq2[Reached, error] {
	return func(yield func(Reached, error) bool) {
		least, most, err := hops.limits()
		if err != nil {
			yield(Reached{}, err)
			return
		}
		q, err := g.open(ctx, opt)
		if err != nil {
			yield(Reached{}, err)
			return
		}
		defer func() { q.release(err) }()
		d := &q.sides[0]
		err = mmap.Guard(func() error {
			u, ok, err := q.admits(from)
			if ok && err == nil {
				d.start(g.count, u, false)
			}
			return err
		})
		for err == nil && len(d.frontier()) > 0 {
			if d.depth >= least {
				for _, u := range d.frontier() {
					if !yield(Reached{g.node(u), int(d.depth)}, nil) {
						return
					}
				}
			}
			if d.depth >= most {
				return
			}
			err = mmap.Guard(func() error { return q.expand(d, q.along, q.against) })
		}
		if err != nil {
			yield(Reached{}, err)
		}
	}
}

// ReachableCount returns, for each source, how many nodes Reachable returns. A source may come
// more than once.
//
// Many sources are searched 64 at a time, which reads the neighbours of a node once for all
// searches that come to it at the same distance, and takes 24 bytes for each row of the node tables
// and worker. Few are searched one by one. Workers take different sources; a single source is
// searched by all of them.
func (g *Graph) ReachableCount(ctx context.Context, sources []Node, hops Hops, opt *Options) ([]uint64, error) {
	least, most, err := hops.limits()
	if err != nil {
		return nil, err
	}
	counts := make([]uint64, len(sources))
	o, err := opt.resolved()
	if err != nil {
		return nil, err
	}
	group := o.tuning.group(len(sources), o.MaxWorkers)
	if o.Edges != nil {
		group = 1
	}
	groups := (len(sources) + group - 1) / group
	workers := min(o.MaxWorkers, groups)
	if workers > 1 {
		o.MaxWorkers = 1
	}
	searches := make([]*search, max(workers, 1))
	for i := range searches {
		if searches[i], err = g.open(ctx, &o); err != nil {
			searches = searches[:i]
			break
		}
	}
	defer func() {
		for _, q := range searches {
			q.release(err)
		}
	}()
	if err != nil {
		return nil, err
	}
	err = parallel(ctx, workers, groups, func(w, i int) (err error) {
		q := searches[w]
		if group > 1 {
			from, to := i*group, min(len(sources), (i+1)*group)
			return q.countLanes(sources[from:to], counts[from:to], least, most)
		}
		counts[i], err = q.count(sources[i], least, most)
		return err
	})
	if err != nil {
		return nil, err
	}
	return counts, nil
}

// count returns the number of nodes from least to most hops away.
func (q *search) count(from Node, least, most uint32) (n uint64, err error) {
	u, ok, err := q.admits(from)
	if err != nil || !ok {
		return 0, err
	}
	d := &q.sides[0]
	d.start(q.g.count, u, false)
	for {
		if d.depth >= least {
			n += uint64(len(d.frontier()))
		}
		if d.depth >= most || len(d.frontier()) == 0 {
			break
		}
		if err := q.expand(d, q.along, q.against); err != nil {
			return 0, err
		}
	}
	d.reset()
	return n, nil
}
