package columnar

import "sync"

// lifetimes unmaps data files once nobody can reach them.
//
// A file belongs to every version from the commit that brought it to the one that
// dropped its last fragment. Versions are numbered by generation and die in any
// order, when their last snapshot is released; a retired file goes when every version
// up to the last that had it is dead. Arrow batches that left the store hold the
// mapping themselves.
type lifetimes struct {
	mu      sync.Mutex
	live    []generation // ascending
	files   map[*dataFile]struct{}
	retired []retiree
}

type generation struct {
	gen  uint64
	dead bool
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
	l.mu.Lock()
	defer l.mu.Unlock()
	l.live = append(l.live, generation{gen: gen})
}

// adopt notes a file of a version that is about to be published.
func (l *lifetimes) adopt(df *dataFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files[df] = struct{}{}
}

// died notes that a version has lost its last reference.
func (l *lifetimes) died(gen uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.live {
		if l.live[i].gen == gen {
			l.live[i].dead = true
			break
		}
	}
	for len(l.live) > 0 && l.live[0].dead {
		l.live = l.live[1:]
	}
	l.collect()
}

// retire says that last was the last version to have df.
func (l *lifetimes) retire(df *dataFile, last uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.files[df]; !ok {
		return
	}
	delete(l.files, df)
	l.retired = append(l.retired, retiree{df, last})
	l.collect()
}

// retireAll retires every file: no version comes after last.
func (l *lifetimes) retireAll(last uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for df := range l.files {
		l.retired = append(l.retired, retiree{df, last})
	}
	clear(l.files)
	l.collect()
}

// collect unmaps what no live version reaches. Called with l.mu held.
func (l *lifetimes) collect() {
	kept := l.retired[:0]
	for _, r := range l.retired {
		if len(l.live) == 0 || l.live[0].gen > r.last {
			r.df.m.Release()
			continue
		}
		kept = append(kept, r)
	}
	clear(l.retired[len(kept):])
	l.retired = kept
}

// alive returns the number of versions that are still referred to.
func (l *lifetimes) alive() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, g := range l.live {
		n += b2i(!g.dead)
	}
	return n
}
