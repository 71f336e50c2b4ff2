package graph

import "math/bits"

// lanes is the memory of up to 64 searches that go on at the same time, each with a bit: its
// lane. In the pool all of it is zero.
//
// Searches from many sources in one graph soon look at the same nodes. Together they read
// the neighbours of a node once for all searches that have it in their frontier, and decide
// with one operation which of them find a neighbour for the first time.
type lanes struct {
	seen   []uint64 // lanes that have found a node; all if the node does not count
	visit  []uint64 // lanes that have it in their frontier
	next   []uint64 // lanes that find it in this level
	active []uint32 // nodes with visit
	found  []uint32 // nodes with next
}

const maxLanes = 64

// countLanes is count for up to 64 sources, without a filter on edges.
func (q *search) countLanes(sources []Node, counts []uint64, least, most uint32) error {
	d, l := &q.sides[0], &q.lanes
	n := int(q.g.count)
	l.seen, l.visit, l.next = clearedWords(l.seen, n), clearedWords(l.visit, n), clearedWords(l.next, n)
	l.active, l.found = l.active[:0], l.found[:0]
	d.visited, d.level = clearedWords(d.visited, q.g.words()), d.level[:0]
	for lane, s := range sources {
		u, ok, err := q.admits(s)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if l.next[u] == 0 {
			l.found = append(l.found, u)
		}
		l.next[u] |= 1 << lane
	}
	if err := l.settle(q, d, counts, least == 0); err != nil {
		return err
	}
	for depth := uint32(0); depth < most && len(l.active) > 0; depth++ {
		if err := q.ctx.Err(); err != nil {
			return err
		}
		q.noteHoles(len(l.active) * q.degree)
		for i := range q.along {
			l.push(&q.along[i], &q.list(0).rows)
		}
		for _, u := range l.active {
			l.visit[u] = 0
		}
		l.active = l.active[:0]
		if err := l.settle(q, d, counts, depth+1 >= least); err != nil {
			return err
		}
	}
	l.clear(d)
	d.reset()
	return nil
}

// push passes the lanes of active nodes on to their neighbours.
func (l *lanes) push(h *hop, rows *[]uint32) {
	ends := h.tests()
	for _, u := range l.active {
		r := u - h.from
		if r >= h.rows {
			continue
		}
		lo, hi := h.csr.Range(r)
		if lo == hi {
			continue
		}
		list := h.csr.Neighbors[lo:hi]
		if ends.has(u) {
			list = h.seen(rows, lo, hi)
		}
		from := l.visit[u]
		for _, v := range list {
			v += h.to
			fresh := from &^ l.seen[v]
			if fresh == 0 {
				continue
			}
			if l.next[v] == 0 {
				l.found = append(l.found, v)
			}
			l.next[v] |= fresh
		}
	}
}

// settle makes the nodes found the active ones, without those that do not count, and adds
// them to the counts of their lanes if counted.
func (l *lanes) settle(q *search, d *side, counts []uint64, counted bool) error {
	start, dropped := len(d.queue), len(d.dropped)
	for _, v := range l.found {
		if w := &d.visited[v>>6]; *w>>(v&63)&1 == 0 {
			*w |= 1 << (v & 63)
			d.queue = append(d.queue, v)
		}
	}
	q.g.mark(d, start)
	if err := q.filterNodes(d, start); err != nil {
		return err
	}
	for _, v := range d.dropped[dropped:] {
		l.seen[v], l.next[v] = ^uint64(0), 0
	}
	for _, v := range l.found {
		x := l.next[v]
		if l.next[v] = 0; x == 0 {
			continue
		}
		l.seen[v] |= x
		l.visit[v] = x
		l.active = append(l.active, v)
		for ; counted && x != 0; x &= x - 1 {
			counts[bits.TrailingZeros64(x)]++
		}
	}
	l.found = l.found[:0]
	return nil
}

// clear clears the lanes of all nodes that d has visited.
func (l *lanes) clear(d *side) {
	for _, list := range [][]uint32{d.queue, d.dropped} {
		for _, v := range list {
			l.seen[v], l.visit[v] = 0, 0
		}
	}
}

// group returns how many sources a worker should take at a time.
func (t *tuning) group(sources, workers int) int {
	n := min(maxLanes, (sources+workers-1)/workers)
	if n < t.lanes {
		return 1
	}
	return n
}
