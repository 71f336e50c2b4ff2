package columnar

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/visibility"
)

// keyIndexes are the key indexes of a table, one for each set of columns that was looked
// up and whose chunks do not ascend.
//
// All versions of a table share them in which a row id means the same row, those of an open
// transaction included. That is right because an index only says where a key may be:
// whoever asks looks at the row, in his version of the table. Nothing of them is stored; a
// store that was opened again builds an index when it is needed.
type keyIndexes struct {
	store *Store // nil for a table of no store

	mu  sync.Mutex
	all []*keyIndex

	scratch sync.Pool // *findScratch
}

// keyIndex is the hash index of some columns of a table: sealed runs of consecutive rows,
// each at least four times as long as the next, so that there are few, and so that a row
// is built into a longer run only a few times in its life. Loads only ever add a run.
type keyIndex struct {
	columns []uint32
	state   atomic.Pointer[keyIndexState]

	// token is in the channel while nobody builds; who has it stores the next state.
	token chan struct{}
}

// keyIndexState is what an index has.
type keyIndexState struct {
	runs    []*keyRun // ascending, without gaps, from row 0 on
	deleted uint64    // rows that were deleted when a run was built are not in it: it serves versions with as many
	pending *pendingRun
	bytes   int64
}

// pendingRun is the run of a load whose keys were checked: if the load's fragments became
// the rows from run.from on, it is a part of the index.
type pendingRun struct {
	run         *keyRun
	first, last *fragment
}

// of returns the index of the columns, which may be empty.
func (x *keyIndexes) of(columns []uint32) *keyIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, ix := range x.all {
		if slices.Equal(ix.columns, columns) {
			return ix
		}
	}
	ix := &keyIndex{columns: slices.Clone(columns), token: make(chan struct{}, 1)}
	ix.token <- struct{}{}
	ix.state.Store(&keyIndexState{})
	x.all = append(x.all, ix)
	return ix
}

// bytes returns the memory that the indexes take.
func (x *keyIndexes) bytes() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := int64(0)
	for _, ix := range x.all {
		n += ix.state.Load().bytes
	}
	return n
}

// to returns the id of the first row that is not in the runs.
func (st *keyIndexState) to() uint64 {
	if len(st.runs) == 0 {
		return 0
	}
	return st.runs[len(st.runs)-1].to
}

// serves reports whether every visible row of t that has a key is in the runs.
func (st *keyIndexState) serves(t *Table) bool {
	return st.to() >= t.vis.Rows() && t.deleted() >= st.deleted
}

// deleted returns how many rows of t are deleted.
func (t *Table) deleted() uint64 { return t.vis.Rows() - t.vis.Live() }

// forget says that rows from a row on are not what they were: they were rolled back. The
// caller holds the write lock, and nobody uses a Table that has the rows.
func (x *keyIndexes) forget(rows uint64) {
	x.mu.Lock()
	all := slices.Clone(x.all)
	x.mu.Unlock()
	for _, ix := range all {
		<-ix.token
		if st := ix.state.Load(); st.to() > rows || st.pending != nil {
			ix.state.Store(st.cut(rows))
		}
		ix.token <- struct{}{}
	}
}

// cut returns the state for the rows below rows alone. Slots of others may stay: they
// name rows with other keys, or none.
func (st *keyIndexState) cut(rows uint64) *keyIndexState {
	out := &keyIndexState{deleted: st.deleted}
	for _, r := range st.runs {
		if r.from >= rows {
			break
		}
		c := *r
		c.to = min(c.to, rows)
		out.runs = append(out.runs, &c)
	}
	return out.count()
}

// forgetRows says that what a version does not have may have been rolled back.
func (s *Store) forgetRows(v *version) {
	for _, t := range v.tables {
		if t != nil {
			t.keys.forget(t.vis.Rows())
		}
	}
}

// runs returns runs that have every visible row of t with a key, after building what is
// missing.
func (ix *keyIndex) runs(ctx context.Context, t *Table, key []*Column) ([]*keyRun, error) {
	if st := ix.state.Load(); st.serves(t) {
		return st.runs, nil
	}
	select {
	case <-ix.token:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { ix.token <- struct{}{} }()
	st := ix.state.Load()
	if st.serves(t) {
		return st.runs, nil
	}
	now := t.committed()
	if t.deleted() < st.deleted || (now != nil && t.deleted() < now.deleted()) {
		// An old snapshot: its index is its own, as rows that it sees are gone by now.
		r, err := t.keyRun(ctx, key, 0, t)
		return []*keyRun{r}, err
	}
	next := &keyIndexState{runs: slices.Clone(st.runs), deleted: st.deleted}
	if p := st.pending; p != nil && p.isOf(t) && next.merged(p.run.to) == p.run.from {
		next.runs = append(next.runs, p.run)
	}
	if next.to() < t.vis.Rows() {
		if err := next.extend(ctx, t, key, now); err != nil {
			return nil, err
		}
	}
	ix.state.Store(next.count())
	return next.runs, nil
}

// merged returns the row that a run up to row to begins at which takes up the runs that
// are not long enough to stay before it.
func (st *keyIndexState) merged(to uint64) uint64 {
	from := st.to()
	for i := len(st.runs) - 1; i >= 0 && st.runs[i].to-st.runs[i].from <= 4*(to-from); i-- {
		from = st.runs[i].from
	}
	return from
}

// extend adds the rows of t that are not in the runs. now is the current version.
func (st *keyIndexState) extend(ctx context.Context, t *Table, key []*Column, now *Table) error {
	from := st.merged(t.vis.Rows())
	r, err := t.keyRun(ctx, key, from, now)
	if pgerr.Code(err) == pgerr.OutOfMemory && from < st.to() {
		from = st.to() // there is no room for merging
		r, err = t.keyRun(ctx, key, from, now)
	}
	if err != nil {
		return err
	}
	if now == nil {
		now = t
	}
	if now.deletedIn(from) > 0 {
		st.deleted = max(st.deleted, now.deleted())
	}
	for len(st.runs) > 0 && st.to() > from {
		st.runs = st.runs[:len(st.runs)-1]
	}
	st.runs = append(st.runs, r)
	return nil
}

// count returns st after computing the memory that it takes.
func (st *keyIndexState) count() *keyIndexState {
	st.bytes = 0
	for _, r := range st.runs {
		st.bytes += r.bytes()
	}
	if st.pending != nil {
		st.bytes += st.pending.run.bytes()
	}
	return st
}

// committed returns the current version of t, nil if there is none.
func (t *Table) committed() *Table {
	if t.keys.store == nil {
		return nil
	}
	ref := t.keys.store.head.Acquire()
	if ref == nil {
		return nil
	}
	defer ref.Release()
	for _, c := range ref.Value().tables {
		if c != nil && c.keys == t.keys {
			return c
		}
	}
	return nil
}

// deletedIn returns at least how many rows from a row on are deleted.
func (t *Table) deletedIn(from uint64) uint64 {
	n := uint64(0)
	for g := int(from >> visibility.GroupShift); g < t.vis.Len(); g++ {
		n += uint64(t.vis.At(g).Deleted())
	}
	return n
}

// keyRun returns a run of t's rows from a row on, without those that gone, if any, has
// deleted. A row that only a transaction has deleted must stay: it may come back.
func (t *Table) keyRun(ctx context.Context, key []*Column, from uint64, gone *Table) (*keyRun, error) {
	n := int(t.vis.Rows() - from)
	release, err := t.keys.reserve(n)
	if err != nil {
		return nil, err
	}
	defer release()
	b := runBuilder{ctx: ctx, key: key, workers: keyWorkers(n, 0)}
	t.pieces(func(first visibility.RowID, p piece) {
		at, lo, rows := uint64(first), int(p.from), int(p.rows)
		if at+uint64(rows) <= from {
			return
		}
		if at < from {
			lo, rows, at = lo+int(from-at), rows-int(from-at), from
		}
		b.rows = append(b.rows, keyRows{p.frag, lo, rows, at})
	})
	if gone != nil && gone.deletedIn(from) > 0 {
		rows := gone.vis.Rows()
		b.skip = func(id uint64) bool { return id < rows && !gone.vis.Visible(visibility.RowID(id)) }
	}
	return b.build()
}

// reserve checks that the memory limit has room for building the index of n rows more
// beside the indexes of the current version and those that are being built. release ends
// the building.
func (x *keyIndexes) reserve(n int) (release func(), err error) {
	s := x.store
	if s == nil || s.opt.MemoryLimit <= 0 {
		return func() {}, nil
	}
	need := runBytes(n)
	held := s.keyBytes.Add(need) - need
	if ref := s.head.Acquire(); ref != nil {
		own := false
		for _, t := range ref.Value().tables {
			if t != nil {
				held += t.keys.bytes()
				own = own || t.keys == x
			}
		}
		ref.Release()
		if !own {
			held += x.bytes()
		}
	}
	if held+need > s.opt.MemoryLimit {
		s.keyBytes.Add(-need)
		return nil, pgerr.New(pgerr.OutOfMemory, "a key index for %d rows needs %d bytes", n, need).
			WithDetail("The memory limit is %d bytes, of which key indexes hold %d.", s.opt.MemoryLimit, held).
			WithHint("Raise the memory limit, or load rows in ascending order of their key.")
	}
	return func() { s.keyBytes.Add(-need) }, nil
}

// offer gives the index the run of a load that is about to become rows of the table.
func (ix *keyIndex) offer(r *keyRun, frags []*fragment) {
	<-ix.token
	next := *ix.state.Load()
	next.pending = &pendingRun{run: r, first: frags[0], last: frags[len(frags)-1]}
	ix.state.Store(next.count())
	ix.token <- struct{}{}
}

// isOf reports whether the load's rows are the rows of t that the run says.
func (p *pendingRun) isOf(t *Table) bool {
	if p.run.to > t.vis.Rows() {
		return false
	}
	a, _ := t.locate(visibility.RowID(p.run.from))
	b, _ := t.locate(visibility.RowID(p.run.to - 1))
	return a.frag == p.first && b.frag == p.last
}
