package graph

import (
	"math/bits"
	"slices"

	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// Pieces that workers take: nodes of a frontier, at most, and words of a bitmap. The latter are whole
// vectors.
const (
	pieceNodes = 256
	pieceWords = 512
)

// wide expands a level of about edges edges with bitmaps. back undoes all hops of the search,
// of which hops may be some.
func (q *search) wide(d *side, frontier []uint32, hops, back []hop, edges int) error {
	workers := q.opt.MaxWorkers
	if edges < q.opt.tuning.parallelEdges {
		workers = 1
	}
	words := len(d.visited)
	for len(q.next) < workers {
		q.next = append(q.next, nil)
	}
	for w := range workers {
		q.next[w] = clearedWords(q.next[w], words)
	}
	q.list(workers - 1)
	var err error
	if q.opt.Edges == nil && q.pullPays(d, len(frontier), edges) {
		err = q.pull(d, frontier, back, workers)
	} else {
		take := max(1, min(pieceNodes, len(frontier)/(4*workers)))
		err = parallel(q.ctx, workers, (len(frontier)+take-1)/take, func(w, piece int) error {
			return q.pushBits(w, hops, frontier[piece*take:min(len(frontier), (piece+1)*take)])
		})
	}
	if err != nil {
		return err
	}
	return q.join(d, workers)
}

// pushBits sets the bits of the neighbours of nodes in the bitmap of a worker.
func (q *search) pushBits(w int, hops []hop, nodes []uint32) error {
	next := q.next[w]
	for i := range hops {
		h := &hops[i]
		if q.opt.Edges == nil {
			h.setBits(next, &q.lists[w].rows, nodes)
			continue
		}
		err := q.gather(&q.lists[w], hops, i, nodes, func(arcs []arc) {
			for _, a := range arcs {
				next[a.node>>6] |= 1 << (a.node & 63)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// setBits sets the bits of the neighbours of nodes.
func (h *hop) setBits(next []uint64, rows *[]uint32, nodes []uint32) {
	offsets, neighbors, to := h.csr.Offsets, h.csr.Neighbors, h.to
	base := h.from + h.csr.Base
	ends := h.tests()
	if offsets == nil || ends.all {
		for _, u := range nodes {
			if r := u - h.from; r < h.rows {
				h.setBitsOf(next, rows, r)
			}
		}
		return
	}
	for i := 0; i < len(nodes); {
		u := nodes[i]
		i++
		r := u - base
		if uint64(r)+1 >= uint64(len(offsets)) {
			continue
		}
		if ends.has(u) {
			h.setBitsOf(next, rows, u-h.from)
			continue
		}
		end := r + 1
		for i < len(nodes) && nodes[i]-base == end && int(end)+1 < len(offsets) && !ends.has(nodes[i]) {
			end++ // the neighbours of consecutive nodes are consecutive
			i++
		}
		for _, v := range neighbors[offsets[r]:offsets[end]] {
			v += to
			next[v>>6] |= 1 << (v & 63)
		}
	}
}

// setBitsOf sets the bits of the neighbours of one row.
func (h *hop) setBitsOf(next []uint64, rows *[]uint32, row uint32) {
	lo, hi := h.csr.Range(row)
	if lo == hi {
		return
	}
	list := h.csr.Neighbors[lo:hi]
	if h.holes != nil {
		list = h.seen(rows, lo, hi)
	}
	for _, v := range list {
		v += h.to
		next[v>>6] |= 1 << (v & 63)
	}
}

// join makes the queue's next level of the workers' bitmaps, which it clears.
func (q *search) join(d *side, workers int) error {
	next := q.next[:workers]
	words := len(d.visited)
	pieces := (words + pieceWords - 1) / pieceWords
	q.found = slices.Grow(q.found[:0], pieces)[:pieces]
	joiners := min(workers, 1+words/q.opt.tuning.joinWords)
	err := parallel(q.ctx, joiners, pieces, func(_, piece int) error {
		lo, hi := piece*pieceWords, min(words, (piece+1)*pieceWords)
		n := next[0][lo:hi]
		for _, other := range next[1:] {
			other = other[lo:hi]
			for i := range n {
				n[i] |= other[i]
			}
			clear(other)
		}
		if q.nodesDeleted {
			q.g.maskDeleted(n, lo)
		}
		visited, count := d.visited[lo:hi], 0
		for i := range n {
			x := n[i] &^ visited[i]
			n[i] = x
			visited[i] |= x
			count += bits.OnesCount64(x)
		}
		q.found[piece] = count
		return nil
	})
	if err != nil {
		return err
	}
	start, total := len(d.queue), 0
	for i, n := range q.found {
		q.found[i] = total
		total += n
	}
	d.queue = slices.Grow(d.queue, total)[:start+total]
	level := d.depth + 1
	joiners = min(workers, 1+total/q.opt.tuning.joinWords)
	err = parallel(q.ctx, joiners, pieces, func(_, piece int) error {
		lo, hi := piece*pieceWords, min(words, (piece+1)*pieceWords)
		at := start + q.found[piece]
		for i := lo; i < hi; i++ {
			x := next[0][i]
			if x == 0 {
				continue
			}
			next[0][i] = 0
			for ; x != 0; x &= x - 1 {
				v := uint32(i<<6 | bits.TrailingZeros64(x))
				d.queue[at] = v
				at++
				if len(d.level) > 0 {
					d.level[v] = level
				}
			}
		}
		return nil
	})
	if err != nil || q.opt.Nodes == nil {
		return err
	}
	return mmap.Guard(func() error { return q.filterNodes(d, start) })
}

// maskDeleted clears the bits of deleted nodes in a range of a bitmap that begins with the
// word first; ranges are whole vectors, but for the end of the bitmap.
func (g *Graph) maskDeleted(words []uint64, first int) {
	const vectorWords = visibility.VectorRows / 64
	for i := 0; i < len(words); i += vectorWords {
		part := words[i:min(len(words), i+vectorWords)]
		u := uint32(first+i) << 6
		s := &g.nodes[g.space(u)]
		if row := u - s.first; s.holes && row < s.rows {
			group := s.vis.At(int(visibility.RowID(row).Group()))
			state, deleted := group.Vector(int(visibility.RowID(row).Row() / visibility.VectorRows))
			switch state {
			case visibility.All:
				clear(part)
			case visibility.Some:
				for j := range part {
					part[j] &^= deleted[j]
				}
			}
		}
	}
}

// pullPays reports whether it is cheaper to look for the frontier from the nodes that are
// not visited than to expand it. One that is not visited looks at its neighbours until one
// is in the frontier.
func (q *search) pullPays(d *side, frontier, edges int) bool {
	left := int(q.g.count) - len(d.queue)
	looks := min(q.degree, int(q.g.count)/frontier)
	return q.opt.tuning.pullCost*left*looks < edges
}

// pull sets the bits of the nodes that have a neighbour in the frontier.
func (q *search) pull(d *side, frontier []uint32, back []hop, workers int) error {
	words := len(d.visited)
	q.front = clearedWords(q.front, words)
	front := q.front
	for _, u := range frontier {
		front[u>>6] |= 1 << (u & 63)
	}
	err := parallel(q.ctx, workers, (words+pieceWords-1)/pieceWords, func(w, piece int) error {
		next := q.next[w]
		for i := piece * pieceWords; i < min(words, (piece+1)*pieceWords); i++ {
			for x := ^d.visited[i]; x != 0; x &= x - 1 {
				v := uint32(i<<6 | bits.TrailingZeros64(x))
				for j := range back {
					if back[j].leadsInto(front, &q.lists[w].rows, v) {
						next[i] |= x & -x
						break
					}
				}
			}
		}
		return nil
	})
	clearBits(front, frontier)
	return err
}

// leadsInto reports whether a neighbour of v is in a set.
func (h *hop) leadsInto(set []uint64, rows *[]uint32, v uint32) bool {
	r := v - h.from
	if r >= h.rows {
		return false
	}
	lo, hi := h.csr.Range(r)
	list := h.csr.Neighbors[lo:hi]
	if ends := h.tests(); lo < hi && ends.has(v) {
		list = h.seen(rows, lo, hi)
	}
	for _, u := range list {
		if u += h.to; inSet(set, u) {
			return true
		}
	}
	return false
}
