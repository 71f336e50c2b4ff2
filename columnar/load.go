package columnar

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/mmap"
)

// LoadPlan says what a Load will hold, so that its space is reserved once.
type LoadPlan struct {
	Schema    *Schema
	Fragments []int // exact row counts in row order, each 1 to MaxFragmentRows; nil if unknown
	VarBytes  int64 // at most this many variable-length bytes altogether, if Fragments is set

	SkipMissing bool // edges with an end that is not there are left out, not an error
	Workers     int  // most goroutines that sort edges; 0 is GOMAXPROCS

	run int64 // bytes of the adjacency run that lies behind the fixed parts, if there is a file
}

// LoadStats says what a Load reserved and used.
type LoadStats struct {
	Reservations  int // times space was taken
	ReservedBytes int64
	UsedBytes     int64
	Fragments     int
	Inline        bool // travels inside the commit record
	StoreNS       int64
	SyncNS        int64
	EdgesNS       int64 // resolving and sorting edges, building their adjacency
}

// Load is rows on their way into a table: written by any number of goroutines, seen by
// nobody, until Txn.Append takes it over. It needs no lock.
//
// A planned load that fits Options.InlineBytes lives in memory and travels in the
// commit record. A larger one owns a data file: one allocation of the file system,
// one shared mapping that the writers store into, and one cut at the end; fixed
// parts lie at places known from the plan, variable-length bytes are handed out
// behind them as fragments close, and written to the file where they are long. A load of unknown size starts in memory and moves
// to a data file, fragment by fragment, once it has outgrown InlineBytes.
type Load struct {
	store  *Store
	schema *Schema
	plan   LoadPlan

	df     *dataFile
	file   vfs.File
	m      *mmap.Mapping // writable, over the whole reservation; nil if in memory or a stream
	bases  []int64       // planned: where each fragment starts in the file
	next   atomic.Int64  // file offset behind what was handed out
	end    int64         // of the reservation
	mapped bool

	mu       sync.Mutex
	frags    []*fragment // in row order; nil where a planned one is not finished
	order    []int       // without a plan, their indexes, ascending
	resident int64       // bytes of fragments in memory
	stats    LoadStats
	storeNS  atomic.Int64
	sealed   bool
	unsynced error       // the sync that failed
	sealing  atomic.Bool // Sync has not ended, whether somebody waits for it or not
	taken    bool        // by a transaction
	aborted  bool

	edges  *edgeLoad     // of a load whose rows have keys; nil for others
	runOff int64         // where plan.run bytes lie in the file
	run    *adjRun       // what is in them; nil if nothing is
	ready  *AdjacencyRun // run as readers see it
}

// hugeBytes is from which size on a load's file is written through large pages; below,
// zeroing a page of 2 MiB would cost more than it saves.
const hugeBytes = 8 << 20

// NewLoad reserves the space of a load. A full disk is 53100, before anything is
// stored. The caller must end it with Txn.Append or Abort.
func (s *Store) NewLoad(ctx context.Context, p LoadPlan) (*Load, error) {
	if s.opt.ReadOnly {
		return nil, errReadOnly()
	}
	if err := s.usable(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := &Load{store: s, schema: p.Schema, plan: p}
	if p.Schema != nil && p.Schema.keyed {
		l.edges = &edgeLoad{}
	}
	if p.Fragments == nil {
		return l, nil
	}
	l.frags = make([]*fragment, len(p.Fragments))
	fixed := int64(0)
	for i, rows := range p.Fragments {
		if rows < 1 || rows > MaxFragmentRows {
			return nil, fmt.Errorf("columnar: fragment %d of %d rows: want 1 to %d", i, rows, MaxFragmentRows)
		}
		fixed += fragmentSize(p.Schema.Columns, rows)
	}
	if len(p.Fragments) == 0 {
		return l, nil
	}
	l.stats.Reservations = 1
	if l.stats.ReservedBytes = fixed + p.VarBytes; l.stats.ReservedBytes <= s.opt.InlineBytes {
		return l, nil
	}
	if err := l.reserve(fixed); err != nil {
		l.Abort()
		return nil, s.ended(err)
	}
	return l, nil
}

// reserve creates the data file with room for everything and maps it.
func (l *Load) reserve(fixed int64) error {
	outs := int64(0) // chunks with bytes out of line, whose starts are aligned
	for i := range l.schema.Columns {
		switch t := l.schema.Columns[i].Type; {
		case t.Variable():
			outs += chunkAlign * int64(len(l.plan.Fragments))
		case t.Kind == Decimal:
			for _, rows := range l.plan.Fragments {
				outs += bitmapBytes(rows)
			}
		}
	}
	l.runOff = dataHeaderBytes + fixed
	l.end = l.runOff + l.plan.run + l.plan.VarBytes + outs
	if err := l.create(); err != nil {
		return err
	}
	l.next.Store(l.runOff + l.plan.run)
	l.bases = make([]int64, len(l.plan.Fragments))
	at := int64(dataHeaderBytes)
	for i, rows := range l.plan.Fragments {
		l.bases[i] = at
		at += fragmentSize(l.schema.Columns, rows)
	}
	err := l.file.Allocate(0, l.end)
	if pgerr.Code(err) == pgerr.DiskFull && l.store.behind.wait() {
		err = l.file.Allocate(0, l.end) // some space was on its way back
	}
	if err != nil {
		return diskError(err, l.end)
	}
	m, err := l.file.Map(0, int(l.end), true)
	if err != nil {
		return err
	}
	l.m, l.mapped = m, true
	if l.end >= hugeBytes {
		if err := m.Advise(mmap.AdviceHuge); err != nil { // slower without, no worse
			l.store.logger().Debug("no large pages for a load", "err", err)
		}
	}
	l.stats.ReservedBytes = l.end
	return mmap.Guard(func() error {
		copy(m.Bytes(), l.df.header())
		return nil
	})
}

// create makes the data file of the load.
func (l *Load) create() (err error) {
	l.df, l.file, err = newDataFile(l.store.fs, l.store.log.NewFileNumber())
	return err
}

// diskError puts a SQLSTATE and a hint to an error of allocating n bytes.
func diskError(err error, n int64) error {
	e := pgerr.New(pgerr.Code(err), "could not reserve %d bytes: %w", n, err)
	if e.SQLState == pgerr.DiskFull {
		return e.WithHint("Free space on the store's disk and run the statement again; nothing of it was stored.")
	}
	return e
}

// Fragment returns the writer of the fragment at position index in row order. With a
// plan, rows must be the planned count; without, it is a first capacity to Grow from, and
// indexes may have gaps.
func (l *Load) Fragment(index, rows int) (*FragmentWriter, error) {
	w := &FragmentWriter{Rows: rows, load: l, index: index}
	switch {
	case index < 0 || rows < 0 || rows > MaxFragmentRows:
		return nil, fmt.Errorf("columnar: fragment %d of %d rows: want %d at most", index, rows, MaxFragmentRows)
	case l.plan.Fragments != nil && (index >= len(l.plan.Fragments) || l.plan.Fragments[index] != rows):
		return nil, fmt.Errorf("columnar: fragment %d of %d rows is not in the plan", index, rows)
	case l.mapped:
		w.base = l.bases[index]
		size := fragmentSize(l.schema.Columns, rows)
		w.mem = l.m.Bytes()[w.base : w.base+size : w.base+size]
	default:
		w.mem = alignedBytes(int(fragmentSize(l.schema.Columns, rows)))
	}
	w.carve()
	return w, nil
}

// Finish closes the fragment with its first rows rows, at most w.Rows; the writer must
// not be used after it. It computes null counts, zone maps and checksums and puts
// the variable-length bytes to their place.
func (w *FragmentWriter) Finish(rows int) error {
	start := time.Now()
	err := mmap.Guard(func() error { return w.finish(rows) })
	w.load.storeNS.Add(int64(time.Since(start)))
	return w.load.store.ended(err)
}

func (w *FragmentWriter) finish(rows int) error {
	l := w.load
	if rows < 0 || rows > min(w.Rows, MaxFragmentRows) {
		return fmt.Errorf("columnar: fragment %d finished with %d rows of %d: want %d at most", w.index, rows, w.Rows, MaxFragmentRows)
	}
	f := &fragment{rows: rows, chunks: make([]chunk, len(w.Cols))}
	for i := range w.Cols {
		c := &w.Cols[i]
		if len(c.Data) > maxChunkBytes {
			return errTooLong(l.schema.Columns[i].Name)
		}
		if c.Offsets != nil && !offsetsAscend(c.Offsets[:rows+1], len(c.Data)) {
			return fmt.Errorf("columnar: offsets of column %s do not ascend within its %d bytes", l.schema.Columns[i].Name, len(c.Data))
		}
		v, nulls := c.vec(rows)
		k := &f.chunks[i]
		k.col, k.typ, k.vec, k.zone = l.schema.Columns[i].ID, c.Type, v, Zone{Nulls: nulls}
		if l.edges == nil { // staged rows are read once, and whole
			k.zone = zoneOf(&v, nulls)
		}
		k.loc.size = layoutOf(c.Type, l.schema.Columns[i].NotNull, rows).size
		k.loc.outLen = int64(len(c.Data))
	}
	return w.place(f)
}

// place puts the finished fragment into the load.
func (w *FragmentWriter) place(f *fragment) error {
	l := w.load
	if l.mapped {
		if err := w.placeMapped(f); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := w.index
	if l.plan.Fragments == nil {
		var taken bool
		if at, taken = slices.BinarySearch(l.order, w.index); !taken {
			l.order = slices.Insert(l.order, at, w.index)
			l.frags = slices.Insert(l.frags, at, nil)
		}
	}
	if l.aborted || l.frags[at] != nil {
		return fmt.Errorf("columnar: fragment %d finished twice or after Abort", w.index)
	}
	l.frags[at] = f
	if l.mapped || l.plan.Fragments != nil {
		return nil
	}
	l.stats.Reservations++
	if l.df != nil {
		return l.spillFree(f)
	}
	l.stats.ReservedBytes += int64(len(w.mem)) + f.outBytes()
	if l.resident += f.bytes(); l.resident <= l.store.opt.InlineBytes {
		return nil
	}
	return l.spillAll()
}

// placeMapped stores headers and out-of-line bytes of a fragment whose fixed parts
// were written in place, and computes its checksums.
func (w *FragmentWriter) placeMapped(f *fragment) error {
	l := w.load
	b := l.m.Bytes()
	at := w.base
	cols := l.schema.Columns
	for i := range cols {
		lay := layoutOf(cols[i].Type, cols[i].NotNull, w.Rows)
		k := &f.chunks[i]
		k.loc.off, k.loc.size = at, lay.size
		out := k.vec.data
		if k.vec.nan != nil {
			out = wordsAsBytes(k.vec.nan)
		}
		if k.loc.outLen = int64(len(out)); len(out) > 0 {
			k.loc.outOff = l.next.Add(align(int64(len(out)))) - align(int64(len(out)))
			if k.loc.outOff+k.loc.outLen > l.end {
				return fmt.Errorf("columnar: values exceed the %d bytes that the plan reserved", l.plan.VarBytes)
			}
			place := b[k.loc.outOff : k.loc.outOff+k.loc.outLen : k.loc.outOff+k.loc.outLen]
			var err error
			if k.loc.outCRC, err = l.placeOut(place, out, k.loc.outOff); err != nil {
				return err
			}
			if k.vec.data != nil {
				k.vec.data = place
			} else {
				k.vec.nan = view[uint64](place)
			}
		} else {
			k.loc.outCRC = l.df.seed
		}
		h := headerOf(k, f.rows, lay)
		h.put(b[at : at+chunkHeaderBytes])
		k.loc.crc = l.checksum(b[at : at+lay.size])
		at += lay.size
	}
	f.file = l.df
	return nil
}

// placeOut puts out at off of the file, which place maps, and returns its checksum.
//
// What is long is written: a page that is stored into is zeroed first by the kernel, one
// that is written whole is not. Both are the same page to whoever reads.
func (l *Load) placeOut(place, out []byte, off int64) (uint32, error) {
	if len(out) < pieceBytes {
		copy(place, out)
		return l.checksum(place), nil
	}
	switch size, err := l.file.Size(); {
	case err != nil:
		return 0, err
	case size < l.end: // to write would lengthen it again, with zeros for what was lost
		return 0, corrupt(l.df.name, size, "the file has %d bytes, reserved %d", size, l.end)
	}
	return writePieces(l.file, l.df.seed, out, off)
}

// checksum returns the checksum of bytes in the load's file. Nobody reads staged rows from
// there.
func (l *Load) checksum(b []byte) uint32 {
	if l.edges != nil {
		return 0
	}
	return crc32.Update(l.df.seed, castagnoli, b)
}

// headerOf returns the header of a finished chunk laid out as lay.
func headerOf(k *chunk, rows int, lay columnLayout) chunkHeader {
	h := chunkHeader{typ: k.typ, encoding: encodingPlain, rows: uint32(rows), nulls: uint32(k.zone.Nulls),
		valid: uint32(lay.valid), values: uint32(lay.values), outOff: uint64(k.loc.outOff), outLen: uint64(k.loc.outLen)}
	if k.zone.Nulls > 0 {
		h.flags |= flagValidity
	}
	if k.vec.nan != nil {
		h.flags |= flagNaN
	}
	return h
}

// spillAll moves every fragment so far from memory to the load's data file.
func (l *Load) spillAll() error {
	if err := l.create(); err != nil {
		return err
	}
	head := l.df.header()
	if _, err := l.file.WriteAt(head, 0); err != nil {
		return diskError(err, int64(len(head)))
	}
	l.next.Store(dataHeaderBytes)
	l.stats.ReservedBytes = dataHeaderBytes // what was memory so far is in the file now
	for _, f := range l.frags {
		if f != nil {
			if err := l.spillFree(f); err != nil {
				return err
			}
		}
	}
	l.resident = 0
	return nil
}

// spillFree is spill of a fragment that nobody reads before the load is synced: its
// memory is given up. Called with l.mu held.
func (l *Load) spillFree(f *fragment) error {
	if err := l.spill(f); err != nil {
		return err
	}
	f.unload()
	return nil
}

// spill writes a fragment in memory behind what the data file holds, at its exact
// size. Called with l.mu held.
func (l *Load) spill(f *fragment) error {
	w := chunkWriter{file: l.file, seed: l.df.seed, at: l.next.Load()}
	if err := w.allocate(f); err != nil {
		return err
	}
	if err := w.fragment(f); err != nil {
		return err
	}
	f.file = l.df
	l.stats.ReservedBytes += w.at - l.next.Load()
	l.next.Store(w.at)
	return nil
}

// Sync makes the load's data file durable: it cuts the unused end off, then syncs the
// file and its directory entry. Of a load of edges it first makes the rel table's rows.
// Txn.Append does it if it was not done; done before the write lock is taken, it blocks
// nobody. With durability none only the cut is made.
//
// A sync that failed is not tried again: the load can only be dropped. When ctx ends, a
// sync of a large file is left to finish behind, and so is the Abort that has to follow.
func (l *Load) Sync(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case l.edges != nil:
		return l.store.ended(l.syncEdges(ctx))
	case l.store.opt.Durability == None || l.size() < behindBytes:
		return l.store.ended(l.seal())
	}
	sealed := make(chan error, 1)
	l.sealing.Store(true)
	go func() {
		err := l.seal()
		l.sealing.Store(false)
		sealed <- err
	}()
	select {
	case err := <-sealed:
		return l.store.ended(err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// size returns the bytes of the load's file, 0 if there is none. It does not count what
// writers are placing.
func (l *Load) size() int64 { return max(l.end, l.next.Load()) }

func (l *Load) seal() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed || l.df == nil {
		l.sealed = true
		return nil
	}
	if l.unsynced != nil {
		return l.unsynced
	}
	l.df.size = l.next.Load()
	if err := l.file.Truncate(l.df.size); err != nil {
		return err
	}
	start := time.Now()
	if l.store.opt.Durability == Full && l.edges == nil {
		if l.unsynced = l.file.Sync(); l.unsynced == nil {
			l.unsynced = l.store.fs.SyncDir()
		}
		if l.unsynced != nil {
			return l.unsynced
		}
	}
	l.stats.SyncNS = int64(time.Since(start))
	if l.mapped {
		l.df.m = l.m
		l.m = nil
	} else {
		m, err := l.file.Map(0, int(l.df.size), false)
		if err != nil {
			return err
		}
		l.df.m = m
		for _, f := range l.frags {
			if f != nil {
				f.unload() // what a transaction spilled is still in memory
			}
		}
	}
	if err := l.file.Close(); err != nil {
		return err
	}
	l.file = nil
	l.sealed = true
	return nil
}

// unload forgets the fragment's memory: the next touch reads it from its data file.
func (f *fragment) unload() {
	for i := range f.chunks {
		f.chunks[i].vec = Vec{}
	}
}

// Abort drops the load and gives its space back, that of a large file behind: a load that
// finds the disk full waits for it, and so does Close. Safe at any time and more than
// once; after Txn.Append has taken the load over it does nothing. No writer may be at work.
func (l *Load) Abort() {
	if l.sealing.Load() { // which has the lock
		l.store.behind.run(l.abort)
		return
	}
	l.abort()
}

func (l *Load) abort() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.aborted || l.taken {
		return
	}
	l.aborted = true
	if l.edges != nil {
		l.edges.drop()
	}
	if l.df == nil {
		return
	}
	d := discarded{store: l.store, name: l.df.name, file: l.file, m: [2]*mmap.Mapping{l.m, l.df.m}}
	l.m, l.file, l.df.m = nil, nil, nil
	if l.size() < behindBytes {
		d.remove()
	} else {
		l.store.behind.run(d.remove)
	}
}

// Stats returns what the load has reserved and used so far.
func (l *Load) Stats() LoadStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	st := l.stats
	st.StoreNS = l.storeNS.Load()
	if l.edges != nil && l.edges.built {
		return l.edges.stats(st)
	}
	st.Fragments = len(l.frags)
	st.Inline = l.df == nil
	if l.df != nil {
		st.UsedBytes = l.next.Load()
		return st
	}
	for _, f := range l.frags {
		if f != nil {
			st.UsedBytes += f.fixedBytes() + f.outBytes()
		}
	}
	return st
}
