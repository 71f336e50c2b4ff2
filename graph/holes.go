package graph

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/visibility"
)

// edgeHoles is the deleted edges of a rel table, as searches need to know them.
//
// A search begins by testing ranges of edges, and single ones where a range is not wholly
// visible. Once searches have together tested as many edges as it costs to look up the ends of
// all deleted ones, that is done: from then on only nodes at the end of a deleted edge are
// tested, and a few deletes cost a search nothing, wherever they are.
type edgeHoles struct {
	vis  *visibility.Groups
	runs []columnar.AdjacencyRun
	cost int64        // edges to test before the ends are looked up; negative for never
	seen atomic.Int64 // edges tested

	looking sync.Mutex
	ends    atomic.Pointer[endSets]
}

// endSets is the nodes at an end of a deleted edge: [0] is sources, [1] destinations.
type endSets [2]endSet

// endSet is a set of nodes that may have more nodes than were put in: bit u&mask of bits is
// set for each node u. It is as small as the number of nodes allows, so that looking at it does
// not take the place of something else in the caches. The sets of no node and of every node are
// looked at in the same way, so that a table with deletes costs what one without costs.
type endSet struct {
	bits []uint64
	mask uint32
	all  bool // every node is in the set
}

// noNode and everyNode are never written to.
var (
	noNode    = endSet{bits: []uint64{0}, mask: 63}
	everyNode = endSet{bits: []uint64{^uint64(0)}, mask: 63, all: true}
)

// newEndSet returns an empty set with room for n nodes below count.
func newEndSet(n int64, count uint32) endSet {
	size := uint64(minEndBits)
	for size < uint64(n)*bitsPerEnd && size < uint64(count) {
		size *= 2
	}
	return endSet{bits: make([]uint64, size/64), mask: uint32(size - 1)}
}

// An endSet has at least bitsPerEnd bits for each node, but no more than there are nodes.
const (
	minEndBits = 1 << 12
	bitsPerEnd = 256
)

func (s *endSet) add(u uint32) { s.bits[u&s.mask>>6] |= 1 << (u & 63) }

// has reports whether u may be in the set.
func (s *endSet) has(u uint32) bool { return s.bits[u&s.mask>>6]>>(u&63)&1 != 0 }

// Looking up the ends of one deleted edge takes as long as lookupEdges tests. It is not done
// where more than one edge in manyHoles is deleted, as most nodes would be at an end of one.
const (
	lookupEdges = 16
	manyHoles   = 16
	fewTests    = 4096
)

// newHoles returns the holes of a rel table; nil if there are none.
func newHoles(vis *visibility.Groups, runs []columnar.AdjacencyRun) *edgeHoles {
	deleted := int64(vis.Rows() - vis.Live())
	if deleted == 0 {
		return nil
	}
	h := &edgeHoles{vis: vis, runs: runs, cost: -1}
	if deleted <= int64(vis.Rows())/manyHoles {
		h.cost = fewTests + lookupEdges*deleted
		for i := range runs {
			if runs[i].Forward.Edges != nil {
				h.cost += int64(len(runs[i].Forward.Edges))
			}
		}
	}
	return h
}

// note counts edges that a search is about to test, and looks up the ends if that pays. It
// reads the adjacency.
func (h *edgeHoles) note(g *Graph, r *relSpace, edges int) {
	if h.cost < 0 || h.ends.Load() != nil || h.seen.Add(int64(edges)) < h.cost || !h.looking.TryLock() {
		return
	}
	defer h.looking.Unlock()
	if h.ends.Load() != nil {
		return
	}
	from, to := g.nodes[r.from].first, g.nodes[r.to].first
	deleted := int64(h.vis.Rows() - h.vis.Live())
	e := endSets{newEndSet(deleted, g.count), newEndSet(deleted, g.count)}
	mark := func(u, v uint32) {
		e[0].add(u + from)
		e[1].add(v + to)
	}
	for i := range h.runs {
		h.eachHole(&h.runs[i], mark)
	}
	h.ends.Store(&e)
}

// eachHole calls mark with the rows at the ends of the deleted edges of a run.
func (h *edgeHoles) eachHole(run *columnar.AdjacencyRun, mark func(from, to uint32)) {
	c := &run.Forward
	if c.Edges == nil {
		end := run.First + visibility.RowID(len(c.Neighbors))
		for id := h.next(run.First, end); id < end; id = h.next(id+1, end) {
			at := uint32(id - run.First)
			mark(sourceOf(c, at), c.Neighbors[at])
		}
		return
	}
	w := hop{rows: ^uint32(0), csr: c}
	for i := range w.entries() {
		u, lo, hi := w.entry(i)
		for at := lo; at < hi; at++ {
			if !h.vis.Visible(run.First + visibility.RowID(c.Edges[at])) {
				mark(u, c.Neighbors[at])
			}
		}
	}
}

// next returns the first deleted edge from id on, or end if there is none below it.
func (h *edgeHoles) next(id, end visibility.RowID) visibility.RowID {
	for id < end {
		g := h.vis.At(int(id.Group()))
		if g == nil {
			return end
		}
		run := g.NextRun(id.Row())
		if run.Length == 0 || run.Start != id.Row() {
			return id
		}
		id = visibility.RowID(id.Group())<<visibility.GroupShift + visibility.RowID(run.End())
	}
	return end
}

// sourceOf returns the node whose neighbours are around position at.
func sourceOf(c *columnar.CSR, at uint32) uint32 {
	if c.Offsets != nil {
		return c.Base + uint32(sort.Search(len(c.Offsets), func(i int) bool { return c.Offsets[i] > at })) - 1
	}
	return c.Keys[sort.Search(len(c.Starts), func(i int) bool { return c.Starts[i] > at })-1]
}

// tests returns the nodes that may have edges which are deleted.
func (h *hop) tests() endSet {
	if h.holes == nil {
		return noNode
	}
	e := h.holes.ends.Load()
	switch {
	case e == nil:
		return everyNode
	case h.reversed:
		return e[1]
	}
	return e[0]
}

// seen returns the neighbours at positions [lo, hi) of the run whose edges are not deleted.
// If some are, it uses the memory of rows.
func (h *hop) seen(rows *[]uint32, lo, hi uint32) []uint32 {
	list, edges := h.csr.Neighbors[lo:hi], h.csr.Edges
	if edges == nil && h.whole(lo, hi) {
		return list
	}
	vis, out := h.holes.vis, (*rows)[:0]
	for i, v := range list {
		at := lo + uint32(i)
		if edges != nil {
			at = edges[at]
		}
		if vis.Visible(h.id(at)) {
			out = append(out, v)
		}
	}
	*rows = out
	return out
}
