package graph

import (
	"math/bits"

	"github.com/ingotdb/ingot/visibility"
)

// arc is an edge as one of its ends sees it.
type arc struct {
	node uint32 // the other end
	hop  uint32 // position in the hops that it was found by
	edge visibility.RowID
}

// arcList gathers arcs in batches. It is used by one goroutine at a time.
type arcList struct {
	arcs []arc
	ids  []visibility.RowID
	keep []uint64
	rows []uint32 // neighbours of one node

	asking bool // a filter was called and has not returned
}

// filterBatch is how many ids a filter is called with at most.
const filterBatch = 1024

// add appends the arcs of node u over hops[i] whose edges are visible. Filters have not
// seen them, and the nodes at their ends may be deleted. loops says whether an arc from u
// to itself is wanted.
func (l *arcList) add(hops []hop, i int, u uint32, loops bool) {
	h := &hops[i]
	lo, neighbors, edges := h.edges(u)
	if len(neighbors) == 0 {
		return
	}
	check := h.holes != nil && (edges != nil || !h.whole(lo, lo+uint32(len(neighbors))))
	for j, v := range neighbors {
		at := lo + uint32(j)
		if edges != nil {
			at = edges[j]
		}
		id := h.id(at)
		if v += h.to; check && !h.holes.vis.Visible(id) || v == u && !loops {
			continue
		}
		l.arcs = append(l.arcs, arc{v, uint32(i), id})
	}
}

// load appends the arcs of node u that the search may use, whatever is at their other ends.
func (q *search) load(l *arcList, hops []hop, u uint32) error {
	start := len(l.arcs)
	for i := range hops {
		l.add(hops, i, u, !(q.opt.Direction == Both && hops[i].reversed))
	}
	return q.filterEdges(l, hops, start)
}

// loadPaths appends the arcs of node u that the search may use, with what is at their other
// ends.
func (q *search) loadPaths(l *arcList, hops []hop, u uint32) error {
	start := len(l.arcs)
	if err := q.load(l, hops, u); err != nil {
		return err
	}
	return q.filterEnds(l, hops, start)
}

// filterEdges removes the arcs from start on whose edges do not pass the filter.
func (q *search) filterEdges(l *arcList, hops []hop, start int) error {
	if q.opt.Edges == nil {
		return nil
	}
	return l.filter(q.opt.Edges, start, func(a arc) (int, visibility.RowID) { return hops[a.hop].rel, a.edge })
}

// filterEnds removes the arcs from start on that lead to nodes which are deleted or do not
// pass the filter.
func (q *search) filterEnds(l *arcList, hops []hop, start int) error {
	g := q.g
	if q.nodesDeleted {
		kept := l.arcs[:start]
		for _, a := range l.arcs[start:] {
			if g.visible(hops[a.hop].target, a.node) {
				kept = append(kept, a)
			}
		}
		l.arcs = kept
	}
	if q.opt.Nodes == nil {
		return nil
	}
	return l.filter(q.opt.Nodes, start, func(a arc) (int, visibility.RowID) {
		t := hops[a.hop].target
		return t, visibility.RowID(a.node - g.nodes[t].first)
	})
}

// filter removes the arcs from start on whose row, which is what of returns, does not pass f.
func (l *arcList) filter(f Filter, start int, of func(arc) (table int, id visibility.RowID)) error {
	kept, rest := l.arcs[:start], l.arcs[start:]
	for len(rest) > 0 {
		table, id := of(rest[0])
		l.ids = append(l.ids[:0], id)
		for len(l.ids) < min(len(rest), filterBatch) {
			t, id := of(rest[len(l.ids)])
			if t != table {
				break
			}
			l.ids = append(l.ids, id)
		}
		if err := l.call(f, table); err != nil {
			return err
		}
		for w, word := range l.keep {
			for ; word != 0; word &= word - 1 {
				kept = append(kept, rest[w*64+bits.TrailingZeros64(word)])
			}
		}
		rest = rest[len(l.ids):]
	}
	l.arcs = kept
	return nil
}

// call calls f with l.ids and leaves the answer in l.keep. l.asking stays set where f does not
// return, or returns an error.
func (l *arcList) call(f Filter, table int) error {
	n := len(l.ids)
	l.keep = l.keep[:0]
	for i := 0; i < n; i += 64 {
		l.keep = append(l.keep, ^uint64(0))
	}
	l.trim()
	l.asking = true
	if err := f(table, l.ids, l.keep); err != nil {
		return err
	}
	l.asking = false
	l.trim()
	return nil
}

// trim clears the bits of l.keep behind the last id.
func (l *arcList) trim() {
	if n := len(l.ids) % 64; n != 0 {
		l.keep[len(l.keep)-1] &= 1<<n - 1
	}
}
