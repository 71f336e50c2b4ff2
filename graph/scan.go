package graph

import (
	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// pieceScan is how many nodes of a run a worker scans at a time.
const pieceScan = 4096

// scan calls each with every node that has edges in the run hops[i], and the rows of
// its neighbours in the table that the run leads to, from several goroutines. A node comes
// once, edges that the search may not use are left out, and nodes are not looked at: deleted
// ones come too. list belongs to the callee until it returns.
//
// This is how work over a whole graph reads it: in order, one run after the other.
func (q *search) scan(hops []hop, i int, each func(u uint32, list []uint32)) error {
	h := &hops[i]
	n := h.entries()
	workers := q.opt.MaxWorkers
	if len(h.csr.Neighbors) < q.opt.tuning.parallelEdges {
		workers = 1
	}
	q.list(workers - 1)
	return parallel(q.ctx, workers, (n+pieceScan-1)/pieceScan, func(w, piece int) error {
		for at := piece * pieceScan; at < min(n, (piece+1)*pieceScan); at++ {
			u, lo, hi := h.entry(at)
			if lo == hi {
				continue
			}
			list := h.csr.Neighbors[lo:hi]
			if q.opt.Edges != nil {
				var err error
				if list, err = q.filtered(&q.lists[w], hops, i, u); err != nil {
					return err
				}
			} else if h.holes != nil {
				list = h.seen(&q.lists[w].rows, lo, hi)
			}
			each(u, list)
		}
		return nil
	})
}

// entries returns the number of positions of entry.
func (h *hop) entries() int {
	if h.csr.Offsets != nil {
		return len(h.csr.Offsets) - 1
	}
	return len(h.csr.Keys)
}

// entry returns the number of the node at a position of the run, and where its neighbours are.
func (h *hop) entry(at int) (u, lo, hi uint32) {
	c := h.csr
	if c.Offsets != nil {
		return h.from + c.Base + uint32(at), c.Offsets[at], c.Offsets[at+1]
	}
	return h.from + c.Keys[at], c.Starts[at], c.Starts[at+1]
}

// filtered returns the rows of the neighbours of u over hops[i] by edges that may be used.
func (q *search) filtered(l *arcList, hops []hop, i int, u uint32) ([]uint32, error) {
	l.arcs, l.rows = l.arcs[:0], l.rows[:0]
	l.add(hops, i, u, true)
	if err := q.filterEdges(l, hops, 0); err != nil {
		return nil, err
	}
	for _, a := range l.arcs {
		l.rows = append(l.rows, a.node-hops[i].to)
	}
	return l.rows, nil
}

// admitted returns a bitmap of the nodes that are visible and pass the filter, in memory of
// the caller's.
func (q *search) admitted() ([]uint64, error) {
	g := q.g
	set := make([]uint64, g.words())
	for t := range g.nodes {
		s := &g.nodes[t]
		for i, group := range s.vis.All() {
			base := int(s.first) + i*visibility.GroupRows
			for run := range group.Runs() {
				bitmap.Set(set, base+int(run.Start), int(run.Length))
			}
		}
	}
	if q.opt.Nodes == nil {
		return set, nil
	}
	l := q.list(0)
	return set, mmap.Guard(func() error {
		for t := range g.nodes {
			s := &g.nodes[t]
			for row := uint32(0); row < s.rows; {
				l.ids = l.ids[:0]
				for ; row < s.rows && len(l.ids) < filterBatch; row++ {
					if inSet(set, s.first+row) {
						l.ids = append(l.ids, visibility.RowID(row))
					}
				}
				if len(l.ids) == 0 {
					continue
				}
				if err := q.ctx.Err(); err != nil {
					return err
				}
				if err := l.call(q.opt.Nodes, t); err != nil {
					return err
				}
				for i, id := range l.ids {
					if u := s.first + uint32(id); !inSet(l.keep, uint32(i)) {
						set[u>>6] &^= 1 << (u & 63)
					}
				}
			}
		}
		return nil
	})
}

// inSet reports whether a bit is set.
func inSet(words []uint64, u uint32) bool { return words[u>>6]>>(u&63)&1 != 0 }
