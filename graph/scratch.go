package graph

import (
	"slices"
	"sync"
)

// scratch is the memory of one search. In the pool everything in it is clear.
type scratch struct {
	sides [2]side
	next  [][]uint64 // found in this level, by worker; clear between levels
	front []uint64   // the frontier as a bitmap; clear between levels
	lists []arcList  // by worker
	found []int      // nodes found in each range of words
	costs costs      // of a weighted search
	lanes lanes      // of searches from many sources
	met   []uint32   // where two searches met
	words []uint64   // of a path, the nodes on it; clear between searches
}

// side is one of the searches that run towards each other, or the only one.
type side struct {
	visited []uint64 // bit of each node found
	level   []uint32 // hops to each node found; nil if nobody asks
	queue   []uint32 // the nodes found, by level, without those in dropped
	dropped []uint32 // nodes whose bit is set in visited but that do not count
	from    int      // where the frontier starts in queue
	depth   uint32   // hops to the frontier
}

// pool holds the memory of searches that have ended, of any graph.
var pool = sync.Pool{New: func() any { return new(scratch) }}

// clearedWords returns w with room for n words, all zero. w is all zero itself.
func clearedWords(w []uint64, n int) []uint64 {
	if cap(w) < n {
		return make([]uint64, n)
	}
	return w[:n]
}

// start makes d a search over n nodes that has found u alone. levels says whether level
// is kept.
func (d *side) start(n uint32, u uint32, levels bool) {
	d.visited = clearedWords(d.visited, int((uint64(n)+63)/64))
	if !levels {
		d.level = d.level[:0]
	} else if d.level = d.level[:cap(d.level)]; uint64(len(d.level)) < uint64(n) {
		d.level = make([]uint32, n)
	}
	d.from, d.depth = 0, 0
	d.visited[u>>6] |= 1 << (u & 63)
	if levels {
		d.level[u] = 0
	}
	d.queue = append(d.queue[:0], u)
}

// frontier returns the nodes of the last level.
func (d *side) frontier() []uint32 { return d.queue[d.from:] }

// has reports whether node u was found.
func (d *side) has(u uint32) bool { return d.visited[u>>6]>>(u&63)&1 != 0 }

// at reports whether node u was found at the given level and counts.
func (d *side) at(u, level uint32) bool { return d.has(u) && d.level[u] == level }

// reset clears what the search has touched.
func (d *side) reset() {
	clearBits(d.visited, d.queue, d.dropped)
	d.queue, d.dropped, d.from = d.queue[:0], d.dropped[:0], 0
}

// clearBits clears the bits of the nodes in lists, which are all that are set.
func clearBits(words []uint64, lists ...[]uint32) {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	if n > len(words)/4 {
		clear(words)
		return
	}
	for _, l := range lists {
		for _, u := range l {
			words[u>>6] = 0
		}
	}
}

// release gives the scratch back. One whose search has failed, or whose filter has panicked,
// may hold anything and is left to the collector.
func (s *scratch) release(err error) {
	if err != nil || slices.ContainsFunc(s.lists, func(l arcList) bool { return l.asking }) {
		return
	}
	s.sides[0].reset()
	s.sides[1].reset()
	pool.Put(s)
}
