package columnar

import (
	"slices"
	"sync"
	"sync/atomic"
)

// lifetimes unmaps data files once nobody can reach them.
//
// A file belongs to every version from the commit that brought it to the one that
// dropped its last fragment. Versions are numbered by generation and die in any
// order, when their last snapshot is released; a retired file goes when every version
// up to the last that had it is dead. Arrow batches that left the store hold the
// mapping themselves.
//
// The account has a mutex that readers never wait for. Whoever releases the last
// reference on a version puts its generation on a stack; then it settles the account if
// nobody is at it, and whoever is looks at the stack once more after unlocking, so that
// nothing stays there. Files are unmapped outside the mutex.
type lifetimes struct {
	ended atomic.Pointer[ending] // generations that died and are not in the account yet

	mu      sync.Mutex
	live    []uint64 // generations of versions that are referred to, ascending
	files   map[*dataFile]struct{}
	retired []retiree
}

// ending is an element of the stack of generations that died.
type ending struct {
	gen  uint64
	next *ending
}

type retiree struct {
	df   *dataFile
	last uint64 // generation
}

func (l *lifetimes) init(files []*dataFile) {
	l.files = make(map[*dataFile]struct{}, len(files))
	for _, df := range files {
		l.files[df] = struct{}{}
	}
}

// born notes a version that is about to be published.
func (l *lifetimes) born(gen uint64) {
	l.change(func() { l.live = append(l.live, gen) })
}

// adopt notes a file of a version that is about to be published.
func (l *lifetimes) adopt(df *dataFile) {
	l.change(func() { l.files[df] = struct{}{} })
}

// died notes that a version has lost its last reference. It never waits.
func (l *lifetimes) died(gen uint64) {
	e := &ending{gen: gen}
	for {
		e.next = l.ended.Load()
		if l.ended.CompareAndSwap(e.next, e) {
			break
		}
	}
	l.settle()
}

// retire says that last was the last version to have df.
func (l *lifetimes) retire(df *dataFile, last uint64) {
	l.change(func() {
		if _, ok := l.files[df]; ok {
			delete(l.files, df)
			l.retired = append(l.retired, retiree{df, last})
		}
	})
}

// retireAll retires every file: no version comes after last.
func (l *lifetimes) retireAll(last uint64) {
	l.change(func() {
		for df := range l.files {
			l.retired = append(l.retired, retiree{df, last})
		}
		clear(l.files)
	})
}

// alive returns the number of versions that are still referred to.
func (l *lifetimes) alive() (n int) {
	l.change(func() {
		l.bury()
		n = len(l.live)
	})
	return n
}

// change calls fn with the mutex held and settles the account. Only the writer, and
// Close, wait for it.
func (l *lifetimes) change(fn func()) {
	l.mu.Lock()
	fn()
	gone := l.collect()
	l.mu.Unlock()
	release(gone)
	l.settle()
}

// settle empties the stack, unless somebody else is about to.
func (l *lifetimes) settle() {
	for l.ended.Load() != nil && l.mu.TryLock() {
		gone := l.collect()
		l.mu.Unlock()
		release(gone)
	}
}

// bury takes the generations on the stack into the account. Called with l.mu held.
func (l *lifetimes) bury() {
	for e := l.ended.Swap(nil); e != nil; e = e.next {
		if i, ok := slices.BinarySearch(l.live, e.gen); ok {
			l.live = slices.Delete(l.live, i, i+1)
		}
	}
}

// collect returns the files that no live version reaches. Called with l.mu held.
func (l *lifetimes) collect() (gone []*dataFile) {
	l.bury()
	kept := l.retired[:0]
	for _, r := range l.retired {
		if len(l.live) == 0 || l.live[0] > r.last {
			gone = append(gone, r.df)
			continue
		}
		kept = append(kept, r)
	}
	clear(l.retired[len(kept):])
	l.retired = kept
	return gone
}

// release unmaps files that nobody reaches.
func release(files []*dataFile) {
	for _, df := range files {
		df.m.Release()
	}
}
