package columnar

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
)

// keyRun is a sealed part of a key index: the keys of consecutive rows, by hash.
// Immutable.
//
//	hash    partition | fingerprint, 24 bits | not used
//	parts   [ partition 0 ][ partition 1 ][ ...       each at most 3/4 full
//	slot    fingerprint << 40 | row - from + 1        0 is an empty one
//
// A key's place is where its fingerprint is in proportion to the size of its partition, or
// the next empty slot behind it, around the end. The key itself is read from the row, so
// a slot whose row has another key by now, or is gone, is harmless; only a missing slot is
// not. A partition fits the processor's cache, so that filling it does not miss.
type keyRun struct {
	from, to uint64 // ids of the rows whose keys are in it
	shift    uint   // partition = hash >> shift
	parts    [][]uint64
	size     int // slots of all partitions
}

const (
	keyRowBits      = 40
	keyPrintBits    = 64 - keyRowBits
	keyRowMask      = 1<<keyRowBits - 1
	partitionKeys   = 1 << 14 // keys of a partition, on average, at most
	partitionsLimit = 1 << 15
)

// place returns the partition of a hash, the slot to begin at, and the fingerprint, where
// it is in a slot.
func (r *keyRun) place(h uint64) (slots []uint64, at int, print uint64) {
	slots = r.parts[h>>r.shift]
	print = h << (64 - r.shift) >> keyRowBits
	return slots, int(print * uint64(len(slots)) >> keyPrintBits), print << keyRowBits
}

// bytes returns the memory that r takes.
func (r *keyRun) bytes() int64 { return int64(r.size+3*len(r.parts)) * 8 }

// partitionSlots returns the slots of a partition of n keys: one is always empty.
func partitionSlots(n int) int { return n + n/3 + 1 }

// runBytes returns at least what a run of n rows takes.
func runBytes(n int) int64 {
	parts := 1 << partitionBits(n)
	return int64(partitionSlots(n)+4*parts) * 8
}

func partitionBits(n int) int {
	return min(bits.Len(uint(n/partitionKeys)), bits.Len(uint(partitionsLimit-1)))
}

// keyRows is consecutive rows of a fragment whose keys go into a run.
type keyRows struct {
	frag     *fragment
	lo, rows int    // rows [lo, lo+rows) of frag
	id       uint64 // of row lo
}

// runBuilder makes a run.
type runBuilder struct {
	ctx     context.Context
	key     []*Column
	rows    []keyRows            // ascending by id, without gaps
	skip    func(id uint64) bool // rows to leave out; nil is none
	workers int

	// repeated is told of rows later, whose key is that of the row earlier before it in the
	// run. It returns which of them the run keeps; partition p is where it was met. Calls
	// with one p come one at a time, ordered by later. Nil if no two rows have a key.
	repeated func(p int, earlier, later uint64) (keep uint64)
	readers  []*keyReader // of rows, if repeated is set
}

// keyBlock is how many rows are hashed, or looked up, at a time.
const keyBlock = 512

// keyWorkerRows is how many rows justify one more goroutine: 100,000 rows are hashed and
// placed in about 1.5 ms.
const keyWorkerRows = 1 << 16

// keyWorkers returns how many goroutines n rows justify, limit at most; 0 is the number
// of processors.
func keyWorkers(n, limit int) int {
	if limit <= 0 {
		limit = runtime.GOMAXPROCS(0)
	}
	return max(1, min(limit, n/keyWorkerRows))
}

// build returns the run.
//
// The rows are hashed twice: to count what goes into each partition, which makes every
// size exact, and to put it there. Rows of a partition stay in order, whatever the number
// of workers, so that repeated keys are found the same way. A partition is first the list
// of its rows, at its beginning, and then made a table in place.
func (b *runBuilder) build() (*keyRun, error) {
	n := 0
	for i := range b.rows {
		n += b.rows[i].rows
	}
	r := &keyRun{}
	if len(b.rows) > 0 {
		r.from = b.rows[0].id
	}
	r.to = r.from + uint64(n)
	pbits := partitionBits(n)
	r.shift = uint(64 - pbits)
	parts := 1 << pbits
	tasks := b.tasks(n)
	counts := make([][]int, len(tasks))
	err := inParallel(b.ctx, b.workers, len(tasks), func(t int) error {
		c := make([]int, parts)
		counts[t] = c
		return b.hash(tasks[t], func(hs []uint64, id uint64) {
			for i, h := range hs {
				if h != noKey && (b.skip == nil || !b.skip(id+uint64(i))) {
					c[h>>r.shift]++
				}
			}
		})
	})
	if err != nil {
		return nil, err
	}
	filled := make([]int, parts)
	for p := range parts {
		for t := range counts {
			c := counts[t][p]
			counts[t][p] = filled[p]
			filled[p] += c
		}
		r.size += partitionSlots(filled[p])
	}
	r.parts = make([][]uint64, parts)
	err = inParallel(b.ctx, b.workers, parts, func(p int) error {
		r.parts[p] = make([]uint64, partitionSlots(filled[p]))
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = inParallel(b.ctx, b.workers, len(tasks), func(t int) error {
		next := counts[t]
		return b.hash(tasks[t], func(hs []uint64, id uint64) {
			for i, h := range hs {
				if h != noKey && (b.skip == nil || !b.skip(id+uint64(i))) {
					p := h >> r.shift
					r.parts[p][next[p]] = h<<(64-r.shift)>>keyRowBits<<keyRowBits | (id + uint64(i) - r.from + 1)
					next[p]++
				}
			}
		})
	})
	if err != nil {
		return nil, err
	}
	return r, b.fill(r, filled)
}

// tasks cuts the rows into consecutive parts, a few for each worker.
func (b *runBuilder) tasks(n int) [][]keyRows {
	if b.workers == 1 {
		return [][]keyRows{b.rows}
	}
	each := (n/(4*b.workers) + keyBlock) / keyBlock * keyBlock
	var tasks [][]keyRows
	var task []keyRows
	room := each
	for _, k := range b.rows {
		for k.rows > 0 {
			take := min(k.rows, room)
			task = append(task, keyRows{k.frag, k.lo, take, k.id})
			k.lo, k.rows, k.id = k.lo+take, k.rows-take, k.id+uint64(take)
			if room -= take; room == 0 {
				tasks, task, room = append(tasks, task), nil, each
			}
		}
	}
	if len(task) > 0 {
		tasks = append(tasks, task)
	}
	return tasks
}

// hash calls each with the hashes of rows, keyBlock at most, and the id of the first.
func (b *runBuilder) hash(rows []keyRows, each func(hs []uint64, id uint64)) error {
	var hs [keyBlock]uint64
	var s keyScratch
	for i := range rows {
		k := &rows[i]
		r, err := newKeyReader(k.frag, b.key)
		if err != nil {
			return err
		}
		for at := 0; at < k.rows; at += keyBlock {
			if at%(8*keyBlock) == 0 {
				if err := b.ctx.Err(); err != nil {
					return err
				}
			}
			n := min(keyBlock, k.rows-at)
			r.hashes(hs[:n], k.lo+at, &s)
			each(hs[:n], k.id+uint64(at))
		}
	}
	return nil
}

// fill makes the lists of rows in the partitions of r tables.
func (b *runBuilder) fill(r *keyRun, filled []int) error {
	var lists sync.Pool
	return inParallel(b.ctx, b.workers, len(filled), func(p int) error {
		list, _ := lists.Get().(*[]uint64)
		if list == nil {
			list = new([]uint64)
		}
		slots := r.parts[p]
		*list = append((*list)[:0], slots[:filled[p]]...)
		clear(slots[:filled[p]])
		if b.repeated == nil {
			for _, e := range *list {
				i := int(e >> keyRowBits * uint64(len(slots)) >> keyPrintBits)
				for slots[i] != 0 {
					if i++; i == len(slots) {
						i = 0
					}
				}
				slots[i] = e
			}
		} else {
			b.fillUnique(r, p, slots, *list)
		}
		lists.Put(list)
		return nil
	})
}

// fillUnique fills a partition whose rows may have a key twice.
func (b *runBuilder) fillUnique(r *keyRun, p int, slots, list []uint64) {
	var s keyScratch
	for _, e := range list {
		i := int(e >> keyRowBits * uint64(len(slots)) >> keyPrintBits)
		for slots[i] != 0 {
			if (slots[i]^e)>>keyRowBits == 0 {
				earlier, later := r.from+slots[i]&keyRowMask-1, r.from+e&keyRowMask-1
				x, i1 := b.reader(earlier)
				y, i2 := b.reader(later)
				if x.equal(i1, y, i2, &s) {
					break
				}
			}
			if i++; i == len(slots) {
				i = 0
			}
		}
		if slots[i] == 0 {
			slots[i] = e
			continue
		}
		keep := b.repeated(p, r.from+slots[i]&keyRowMask-1, r.from+e&keyRowMask-1)
		slots[i] = slots[i]>>keyRowBits<<keyRowBits | (keep - r.from + 1)
	}
}

// reader returns the reader of the rows that hold id, and id's row in it.
func (b *runBuilder) reader(id uint64) (*keyReader, int) {
	lo, hi := 0, len(b.rows)
	for hi-lo > 1 {
		if m := int(uint(lo+hi) >> 1); b.rows[m].id <= id {
			lo = m
		} else {
			hi = m
		}
	}
	return b.readers[lo], b.rows[lo].lo + int(id-b.rows[lo].id)
}
