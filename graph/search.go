package graph

import (
	"context"
	"math"
	"slices"

	"github.com/ingotdb/ingot/visibility"
)

// search is one search: its options, resolved, and its memory.
type search struct {
	*scratch
	ctx     context.Context
	g       *Graph
	opt     Options
	along   []hop    // the direction's
	against []hop    // that undo those of along
	weights *weigher // nil if no column of weights is named

	nodesDeleted bool
	degree       int // neighbours of a node, on average, at least 1
}

// open starts a search. The caller ends it with release.
func (g *Graph) open(ctx context.Context, opt *Options) (*search, error) {
	o, err := opt.resolved()
	if err != nil {
		return nil, err
	}
	q := &search{ctx: ctx, g: g, opt: o, degree: 1}
	if q.weights, err = q.weigher(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.along, q.against = g.hops[q.opt.Direction], g.hops[q.opt.Direction.against()]
	q.nodesDeleted = g.nodesDeleted()
	edges := 0
	for i := range q.along {
		edges += len(q.along[i].csr.Neighbors)
	}
	if g.count > 0 {
		q.degree = max(1, edges/int(g.count))
	}
	q.scratch = pool.Get().(*scratch)
	q.list(0)
	return q, nil
}

// list returns the arc list of a worker. Only the goroutine that started the search may
// be the first to ask.
func (s *scratch) list(worker int) *arcList {
	for len(s.lists) <= worker {
		s.lists = append(s.lists, arcList{})
	}
	return &s.lists[worker]
}

// admits returns the number of n, and whether a path may start or end there.
func (q *search) admits(n Node) (u uint32, ok bool, err error) {
	if u, ok, err = q.g.number(n); err != nil || !ok || q.opt.Nodes == nil {
		return u, ok, err
	}
	l := q.list(0)
	l.ids = append(l.ids[:0], n.Row)
	if err := l.call(q.opt.Nodes, n.Table); err != nil {
		return 0, false, err
	}
	return u, l.keep[0] != 0, nil
}

// ends returns the numbers of the ends of a path, and whether both are admitted.
func (q *search) ends(from, to Node) (u, v uint32, ok bool, err error) {
	if u, ok, err = q.admits(from); err != nil {
		return 0, 0, false, err
	}
	v, okTo, err := q.admits(to)
	return u, v, ok && okTo, err
}

// tuning says when a search does what. Edges are counted as estimated: nodes of the frontier
// times the graph's average degree.
type tuning struct {
	wideEdges     int // a level with fewer edges is expanded node by node
	wordsPerEdge  int // and so is one with fewer edges than the words of a bitmap over this; 0 is no such bound
	narrowEdges   int // a level that is expanded node by node and has more edges is finished with bitmaps
	parallelEdges int // a level, or a run that is scanned, with fewer has one goroutine
	joinWords     int // words of bitmaps, or nodes found, that are worth another goroutine
	lanes         int // sources of each worker from which on they are searched together
	pullCost      int // what a look from a node that is not visited costs, in edges that are pushed
}

// usual is the tuning of all searches outside tests. A look of pull waits for the one before
// and ends in a branch that is hard to predict, which a push does not; a second goroutine takes
// ten microseconds or so to start, which is what five thousand edges take.
var usual = tuning{wideEdges: 8192, wordsPerEdge: 2, narrowEdges: 32768, parallelEdges: 65536, joinWords: 16384, lanes: 8, pullCost: 4}

// expand finds the nodes of the next level and makes them the frontier. hops lead there and
// back undo them.
func (q *search) expand(d *side, hops, back []hop) error {
	if err := q.ctx.Err(); err != nil {
		return err
	}
	frontier := d.frontier()
	start := len(d.queue)
	edges := len(frontier) * q.degree
	q.noteHoles(edges)
	t := q.opt.tuning
	words := 0 // edges that are worth a pass over the words of a bitmap
	if t.wordsPerEdge > 0 {
		words = len(d.visited) / t.wordsPerEdge
	}
	rest := hops
	var err error
	if edges < max(t.wideEdges, words) {
		// The nodes may have more edges than most.
		edges, rest, err = q.narrow(d, hops, frontier, max(t.narrowEdges, words))
	}
	if err == nil && len(rest) > 0 {
		err = q.wide(d, frontier, rest, back, edges)
	}
	d.from = start
	d.depth++
	return err
}

// noteHoles counts edges that are about to be looked at.
func (q *search) noteHoles(edges int) {
	for i := range q.g.rels {
		if r := &q.g.rels[i]; r.holes != nil {
			r.holes.note(q.g, r, edges)
		}
	}
}

// narrow expands a level node by node, until it has seen more edges than budget. It returns the
// hops over which the level is not wholly expanded then, and about how many edges it has.
func (q *search) narrow(d *side, hops []hop, frontier []uint32, budget int) (edges int, rest []hop, err error) {
	start := len(d.queue)
	for i := range hops {
		h := &hops[i]
		if q.opt.Edges == nil {
			n, seen := d.push(h, &q.list(0).rows, frontier, max(budget, 0))
			if budget -= seen; budget < 0 && n < len(frontier) {
				edges, rest = len(frontier)/n*seen*(len(hops)-i), hops[i:]
				break
			}
			continue
		}
		if err := q.pushFiltered(d, hops, i, frontier); err != nil {
			return 0, nil, err
		}
	}
	q.g.mark(d, start)
	return edges, rest, q.filterNodes(d, start)
}

// push adds the neighbours over h of the frontier to the queue that are not visited yet. It
// stops behind the node with which it has seen more edges than budget, and returns how many
// nodes and edges it has seen.
//
// Every neighbour is written behind the queue and the queue grows by one if it is new:
// which neighbours are new is hard to predict, and a wrong guess costs more than the store.
func (d *side) push(h *hop, rows *[]uint32, frontier []uint32, budget int) (nodes, edges int) {
	visited, queue := d.visited, d.queue
	ends := h.tests()
	offsets, neighbors := h.csr.Offsets, h.csr.Neighbors
	base := h.from + h.csr.Base
	for nodes = 0; nodes < len(frontier) && edges <= budget; nodes++ {
		u := frontier[nodes]
		var lo, hi uint32
		if r := u - base; uint64(r)+1 < uint64(len(offsets)) {
			lo, hi = offsets[r], offsets[r+1]
		} else if r := u - h.from; offsets == nil && r < h.rows {
			lo, hi = h.csr.Range(r)
		}
		if lo >= hi {
			continue
		}
		list := neighbors[lo:hi]
		edges += len(list)
		if ends.has(u) {
			list = h.seen(rows, lo, hi)
		}
		n := len(queue)
		if cap(queue)-n < len(list) {
			queue = slices.Grow(queue, len(list))
		}
		room := queue[n : n+len(list)]
		k := 0
		for _, v := range list {
			v += h.to
			w := &visited[v>>6]
			room[k] = v
			k += int(^*w >> (v & 63) & 1)
			*w |= 1 << (v & 63)
		}
		queue = queue[:n+k]
	}
	d.queue = queue
	return nodes, edges
}

// pushFiltered is push for hops[i] with a filter on edges.
func (q *search) pushFiltered(d *side, hops []hop, i int, frontier []uint32) error {
	return q.gather(q.list(0), hops, i, frontier, func(arcs []arc) {
		for _, a := range arcs {
			if w := &d.visited[a.node>>6]; *w>>(a.node&63)&1 == 0 {
				*w |= 1 << (a.node & 63)
				d.queue = append(d.queue, a.node)
			}
		}
	})
}

// gather calls each with the arcs of nodes over hops[i] that may be used, in batches.
func (q *search) gather(l *arcList, hops []hop, i int, nodes []uint32, each func([]arc)) error {
	l.arcs = l.arcs[:0]
	for j, u := range nodes {
		l.add(hops, i, u, true)
		if len(l.arcs) < filterBatch && j+1 < len(nodes) {
			continue
		}
		if err := q.filterEdges(l, hops, 0); err != nil {
			return err
		}
		each(l.arcs)
		l.arcs = l.arcs[:0]
	}
	return nil
}

// mark stores the level of the nodes from start on and drops those that are deleted from the
// queue. They stay visited, so that they are not looked at again. As long as nodes lie
// in one visible run it costs a comparison for each.
func (g *Graph) mark(d *side, start int) {
	var first, length uint32 // a range of numbers that are visible
	list, kept := d.queue[start:], 0
	for _, v := range list {
		if v-first >= length {
			s := &g.nodes[g.space(v)]
			if first, length = s.first, s.rows; s.holes {
				id := visibility.RowID(v - s.first)
				run := s.vis.At(int(id.Group())).LongestRun()
				first, length = v-id.Row()+run.Start, run.Length
				if !s.vis.Visible(id) {
					d.drop(v)
					continue
				}
			}
		}
		list[kept] = v
		kept++
		if len(d.level) > 0 {
			d.level[v] = d.depth + 1
		}
	}
	d.queue = d.queue[:start+kept]
}

// filterNodes drops the nodes from start on that do not pass the filter from the queue. They
// stay visited, too.
func (q *search) filterNodes(d *side, start int) error {
	if q.opt.Nodes == nil {
		return nil
	}
	l := q.list(0)
	kept, rest := d.queue[:start], d.queue[start:]
	for len(rest) > 0 {
		t := q.g.space(rest[0])
		s := &q.g.nodes[t]
		l.ids = l.ids[:0]
		for _, v := range rest[:min(len(rest), filterBatch)] {
			if v-s.first >= s.rows {
				break
			}
			l.ids = append(l.ids, visibility.RowID(v-s.first))
		}
		if err := l.call(q.opt.Nodes, t); err != nil {
			return err
		}
		for i, v := range rest[:len(l.ids)] {
			if l.keep[i>>6]>>(i&63)&1 != 0 {
				kept = append(kept, v)
			} else {
				d.drop(v)
			}
		}
		rest = rest[len(l.ids):]
	}
	d.queue = kept
	return nil
}

// drop notes that node v, which is visited, does not count: it is at no level.
func (d *side) drop(v uint32) {
	d.dropped = append(d.dropped, v)
	if len(d.level) > 0 {
		d.level[v] = math.MaxUint32
	}
}
