package columnar

import (
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/mmap"
)

// Sizes of edge sorts.
const (
	sortRows    = 1 << 16 // edges that justify a worker
	sortPart    = 1 << 21 // edges that are passed over at most between looks at the context
	sortSmall   = 1 << 12 // up to here edges are sorted in one piece
	sortBuckets = 1 << 10 // at most; each is a stream of stores, and more would miss the TLB
)

// workersFor returns how many goroutines n edges are worth, limit at most; a limit of 0 is
// one worker.
func workersFor(n, limit int) int { return max(1, min(limit, n/sortRows)) }

// inParallel calls fn with 0 to n-1, in any order, from up to workers goroutines of which
// the caller's is one, each under mmap.Guard. It returns the first error that happened and
// stops early then, or when ctx ends.
func inParallel(ctx context.Context, workers, n int, fn func(i int) error) error {
	var next atomic.Int64
	var once sync.Once
	var failed error
	work := func() {
		err := mmap.Guard(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := fn(i); err != nil {
					return err
				}
			}
		})
		if err != nil {
			next.Store(int64(n))
			once.Do(func() { failed = err })
		}
	}
	var wg sync.WaitGroup
	for range min(workers, n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return failed
}

// edgeSort is a stable sort of edges by one of their ends.
type edgeSort struct {
	key []uint32 // the end of each edge to sort by; sorted afterwards
	val []uint32 // the other end
	pos []uint32 // the edge; nil if that is its index

	outVal []uint32 // val in the new order; not val's memory
	outPos []uint32 // pos in the new order; nil if not wanted

	scratch *edgeScratch // nil: new memory
}

// edgeScratch is the memory of one sort after another.
type edgeScratch struct {
	kv  []uint64
	pos []uint32
}

// take returns room for n edges, and for their positions if they are wanted.
func (s *edgeScratch) take(n int, positions bool) (kv []uint64, pos []uint32) {
	if s == nil {
		s = &edgeScratch{}
	}
	if cap(s.kv) < n {
		s.kv = make([]uint64, n)
	}
	if positions {
		if cap(s.pos) < n {
			s.pos = make([]uint32, n)
		}
		pos = s.pos[:n]
	}
	return s.kv[:n], pos
}

// run sorts. Edges are first parted by the high bits of their key, so that what follows
// stays in a core's cache, then each part is sorted by counting, or by comparing where
// there are many more possible keys than edges.
func (s *edgeSort) run(ctx context.Context, workers int) error {
	n := len(s.key)
	if n == 0 {
		return nil
	}
	kv, pos := s.scratch.take(n, s.outPos != nil)
	if n <= sortSmall {
		for i, k := range s.key {
			kv[i] = uint64(k)<<32 | uint64(s.val[i])
		}
		if pos != nil {
			s.takePos(pos, 0)
		}
		s.compare(kv, pos, 0)
		return nil
	}
	top := slices.Max(s.key)
	shift := max(0, bits.Len32(top)-bits.Len(uint(min(sortBuckets, n/sortSmall*4)))+1)
	buckets := int(top>>shift) + 1
	workers = workersFor(n, workers)
	parts := max(workers, n/sortPart)
	at := func(p int) int { return int(uint64(n) * uint64(p) / uint64(parts)) }
	counts := make([][]uint32, parts)
	err := inParallel(ctx, workers, parts, func(p int) error {
		c := make([]uint32, buckets)
		for _, k := range s.key[at(p):at(p+1)] {
			c[k>>shift]++
		}
		counts[p] = c
		return nil
	})
	if err != nil {
		return err
	}
	starts := make([]int, buckets+1)
	sum := uint32(0)
	for b := range buckets {
		starts[b] = int(sum)
		for p := range parts {
			counts[p][b], sum = sum, sum+counts[p][b]
		}
	}
	starts[buckets] = n
	if err := inParallel(ctx, workers, parts, func(p int) error {
		s.scatter(kv, pos, counts[p], shift, at(p), at(p+1))
		return nil
	}); err != nil {
		return err
	}
	scratch := sync.Pool{New: func() any { return new([]uint32) }}
	return inParallel(ctx, workers, buckets, func(b int) error {
		from, to := starts[b], starts[b+1]
		if from == to {
			return nil
		}
		tmp := scratch.Get().(*[]uint32)
		defer scratch.Put(tmp)
		part := pos
		if pos != nil {
			part = pos[from:to]
		}
		if to-from < 1<<shift/4 {
			s.compare(kv[from:to], part, from)
		} else {
			s.count(kv[from:to], part, from, uint32(b)<<shift, 1<<shift, tmp)
		}
		return nil
	})
}

// takePos fills dst with the positions of edges from on.
func (s *edgeSort) takePos(dst []uint32, from int) {
	if s.pos != nil {
		copy(dst, s.pos[from:])
		return
	}
	for i := range dst {
		dst[i] = uint32(from + i)
	}
}

// scatter puts edges from to to-1 to the next places of their buckets.
func (s *edgeSort) scatter(kv []uint64, pos, next []uint32, shift, from, to int) {
	key, val := s.key[from:to], s.val[from:to]
	for i, k := range key {
		at := next[k>>shift]
		next[k>>shift] = at + 1
		kv[at] = uint64(k)<<32 | uint64(val[i])
		if pos != nil {
			if s.pos != nil {
				pos[at] = s.pos[from+i]
			} else {
				pos[at] = uint32(from + i)
			}
		}
	}
}

// count sorts one bucket, whose keys are keys from low on, into place from at on.
func (s *edgeSort) count(kv []uint64, pos []uint32, at int, low uint32, keys int, tmp *[]uint32) {
	next := slices.Grow((*tmp)[:0], keys)[:keys]
	*tmp = next
	clear(next)
	for _, x := range kv {
		next[uint32(x>>32)-low]++
	}
	sum := uint32(0)
	for i, c := range next {
		next[i], sum = sum, sum+c
	}
	key, val := s.key[at:at+len(kv)], s.outVal[at:at+len(kv)]
	for i, x := range kv {
		k := uint32(x >> 32)
		to := next[k-low]
		next[k-low] = to + 1
		key[to], val[to] = k, uint32(x)
		if pos != nil {
			s.outPos[at+int(to)] = pos[i]
		}
	}
}

// compare sorts one bucket by comparing.
func (s *edgeSort) compare(kv []uint64, pos []uint32, at int) {
	order := make([]uint64, len(kv))
	for i, x := range kv {
		order[i] = x>>32<<32 | uint64(i)
	}
	slices.Sort(order)
	for to, o := range order {
		i := uint32(o)
		s.key[at+to], s.outVal[at+to] = uint32(o>>32), uint32(kv[i])
		if pos != nil {
			s.outPos[at+to] = pos[i]
		}
	}
}

// indexOf fills the offsets of a dense CSR whose edges have the given sorted keys.
func indexOf(ctx context.Context, keys []uint32, base uint32, offsets []uint32, workers int) error {
	workers = workersFor(len(keys), workers)
	parts := max(workers, len(keys)/sortPart)
	at := func(p int) int { return int(uint64(len(keys)) * uint64(p) / uint64(parts)) }
	return inParallel(ctx, workers, parts, func(p int) error {
		from, to := at(p), at(p+1)
		n := 0 // the next node without an offset
		if from > 0 {
			n = int(keys[from-1]-base) + 1
		}
		for i := from; i < to; i++ {
			for k := int(keys[i] - base); n <= k; n++ {
				offsets[n] = uint32(i)
			}
		}
		if to == len(keys) {
			for ; n < len(offsets); n++ {
				offsets[n] = uint32(to)
			}
		}
		return nil
	})
}

// distinct returns how many different keys there are.
func distinct(keys []uint32) int {
	n := 0
	for i, k := range keys {
		n += b2i(i == 0 || keys[i-1] != k)
	}
	return n
}

// sparseIndex fills the index of a sparse CSR whose edges have the given sorted keys.
func sparseIndex(keys, nodes, starts []uint32) {
	n := 0
	for i, k := range keys {
		if i == 0 || keys[i-1] != k {
			nodes[n], starts[n] = k, uint32(i)
			n++
		}
	}
	starts[n] = uint32(len(keys))
}

// denseShare is how many nodes, in the range that edges have their keys in, an edge may
// stand for in a dense CSR: 32 bytes of offsets. A sparse one needs 8 bytes and a search.
const denseShare = 8

// dense reports whether edges that have keys from lo to hi have a dense CSR.
func dense(edges int, lo, hi uint32) bool {
	return edges > 0 && uint64(hi-lo) < denseShare*uint64(edges)
}

// makeCSR returns a CSR in memory of edges with the given sorted keys.
func makeCSR(ctx context.Context, keys, neighbors, edges []uint32, workers int) (c CSR, err error) {
	c = CSR{Neighbors: neighbors, Edges: edges}
	n := len(keys)
	if n > 0 && dense(n, keys[0], keys[n-1]) {
		c.Base = keys[0]
		c.Offsets = make([]uint32, uint64(keys[n-1]-keys[0])+2)
		return c, indexOf(ctx, keys, c.Base, c.Offsets, workers)
	}
	k := distinct(keys)
	c.Keys, c.Starts = make([]uint32, k), make([]uint32, k+1)
	sparseIndex(keys, c.Keys, c.Starts)
	return c, nil
}

// buildBoth fills both directions of a run in memory from edges in ascending order of
// their positions. It takes the slices over.
func buildBoth(ctx context.Context, a *AdjacencyRun, src, dst, pos []uint32, workers int) (err error) {
	n := len(src)
	key := slices.Clone(dst)
	b := edgeSort{key: key, val: src, pos: pos, outVal: make([]uint32, n), outPos: make([]uint32, n)}
	if err := b.run(ctx, workers); err != nil {
		return err
	}
	if a.Backward, err = makeCSR(ctx, key, b.outVal, b.outPos, workers); err != nil {
		return err
	}
	f := edgeSort{key: src, val: dst, pos: pos, outVal: make([]uint32, n), outPos: make([]uint32, n)}
	if err := f.run(ctx, workers); err != nil {
		return err
	}
	if identity(f.outPos) {
		f.outPos = nil
	}
	a.Forward, err = makeCSR(ctx, src, f.outVal, f.outPos, workers)
	return err
}

// identity reports whether every element is its index.
func identity(pos []uint32) bool {
	for i, p := range pos {
		if p != uint32(i) {
			return false
		}
	}
	return true
}
