package columnar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/ingotdb/ingot/internal/journal"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// What a checkpoint leaves inline, to be written again with the state: less is not worth
// a file. In the background it is a sixteenth of a log, at least the first: the first
// log is short, and folding what it holds would cost more than carrying it along once.
const (
	foldBytes = 256 << 10
	foldShare = 16
)

// A fold replaces consecutive fragments of a table by ones with the same row ids.
type fold struct {
	table uint32 // ID
	first visibility.RowID
	old   []*fragment
	new   *fragment
}

// checkpointSoon starts a checkpoint in the background once the log is half full, so
// that the committing goroutine seldom pays for one.
func (s *Store) checkpointSoon() {
	if s.log.Used() < s.log.Capacity()/2 || !s.folding.CompareAndSwap(false, true) {
		return
	}
	s.folds.Go(func() {
		defer s.folding.Store(false)
		if err := s.compact(s.closing, s.foldLater); err != nil && s.closing.Err() == nil {
			s.logger().Warn("background checkpoint failed; the next commit that finds the log full tries again", "err", err)
		}
	})
}

// Checkpoint folds inline fragments into a data file and starts a new log with the
// full state, so that the next open has nothing to replay. It holds the write lock
// only for the last step; readers are never waited for.
func (s *Store) Checkpoint(ctx context.Context) error {
	return s.compact(ctx, func(tables []*Table) ([]fold, error) { return inlineFolds(tables, foldBytes, nil), nil })
}

// foldLater is the plan of a checkpoint that nobody asked for.
func (s *Store) foldLater(tables []*Table) ([]fold, error) {
	log := s.opt.LogBytes
	if log == 0 {
		log = journal.DefaultLogBytes
	}
	return inlineFolds(tables, max(log/foldShare, foldBytes), nil), nil
}

// compact writes the folds that plan wants to one data file and makes them and a new
// log current.
func (s *Store) compact(ctx context.Context, plan func([]*Table) ([]fold, error)) (err error) {
	if s.opt.ReadOnly {
		return errReadOnly()
	}
	snap, err := s.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Release()
	folds, err := plan(snap.Tables())
	if err != nil {
		return err
	}
	runs := runFolds(snap.Tables(), folds)
	df, err := s.writeFolds(ctx, folds, runs)
	if err != nil {
		return s.ended(err)
	}
	if err := s.log.Prepare(); err != nil { // makes the step under the lock shorter, no more
		s.logger().Warn("could not prepare the next log", "err", err)
	}
	if err := s.acquire(ctx, "a checkpoint"); err != nil {
		s.dropFoldFile(df)
		return err
	}
	defer s.release()
	s.finish.Lock()
	defer s.finish.Unlock()
	if err := s.usable(); err != nil {
		s.dropFoldFile(df)
		return err
	}
	return s.rotate(ctx, &folded{folds: folds, runs: runs, df: df}, 0)
}

func (s *Store) dropFoldFile(df *dataFile) {
	if df == nil {
		return
	}
	df.m.Release()
	if err := s.fs.Remove(df.name); err != nil {
		s.logger().Warn("could not remove the file of a checkpoint that was given up", "file", df.name, "err", err)
	}
}

// giveUp drops the file of a checkpoint that failed with err. Where a sync failed, the
// new log that names the file may be the one that counts at the next open, which keeps
// the file or removes it.
func (s *Store) giveUp(df *dataFile, err error) {
	switch {
	case df == nil:
	case errors.Is(err, ErrPoisoned) || errors.Is(err, ErrCommitUnknown):
		df.m.Release()
	default:
		s.dropFoldFile(df)
	}
}

// inlineFolds returns folds of the tables' fragments in memory, without those in done;
// none if they have fewer than least bytes together.
func inlineFolds(tables []*Table, least int64, done map[*fragment]bool) []fold {
	bytes := int64(0)
	for _, t := range tables {
		t.pieces(func(_ visibility.RowID, p piece) {
			if p.foldable(done) {
				bytes += p.frag.bytes()
			}
		})
	}
	if bytes < least {
		return nil
	}
	var folds []fold
	for _, t := range tables {
		folds = append(folds, t.inlineFolds(done)...)
	}
	return folds
}

// foldable reports whether the piece is all of a fragment in memory that is not in done.
func (p *piece) foldable(done map[*fragment]bool) bool {
	return p.frag.file == nil && len(p.frag.chunks) > 0 && int(p.rows) == p.frag.rows && !done[p.frag]
}

// inlineFolds returns folds of t's runs of fragments in memory, each of at most a row
// group's rows and not over the end of one.
func (t *Table) inlineFolds(done map[*fragment]bool) []fold {
	var folds []fold
	var run fold
	flush := func() {
		if len(run.old) > 0 {
			folds = append(folds, run)
		}
		run = fold{}
	}
	size := int64(0)
	t.pieces(func(first visibility.RowID, p piece) {
		whole := p.foldable(done)
		if !whole || (len(run.old) > 0 && (!run.old[0].sameColumns(p.frag) || size > FragmentBytes || run.first.Group() != first.Group())) {
			flush()
		}
		if !whole {
			return
		}
		if len(run.old) == 0 {
			run, size = fold{table: t.schema.ID, first: first}, 0
		}
		p.frag.folding.Store(true)
		run.old = append(run.old, p.frag)
		size += p.frag.bytes()
	})
	flush()
	return folds
}

// writeFolds writes the new fragments of the folds to a data file and makes it
// durable; nil if no fold needs one.
func (s *Store) writeFolds(ctx context.Context, folds []fold, runs []runFold) (_ *dataFile, err error) {
	if len(folds)+len(runs) == 0 {
		return nil, nil
	}
	df, f, err := newDataFile(s.fs, s.log.NewFileNumber())
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err == nil {
			return
		}
		if df.m != nil {
			df.m.Release()
		}
		err = errors.Join(err, s.fs.Remove(df.name))
	}()
	if _, err := f.WriteAt(df.header(), 0); err != nil {
		return nil, diskError(err, dataHeaderBytes)
	}
	w := chunkWriter{file: f, seed: df.seed, at: dataHeaderBytes}
	for i := range folds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := mmap.Guard(func() error { return folds[i].write(&w, df) }); err != nil {
			return nil, err
		}
	}
	for i := range runs {
		if err := mmap.Guard(func() error { return runs[i].write(ctx, &w, df) }); err != nil {
			return nil, err
		}
	}
	df.size = w.at
	if err := f.Truncate(df.size); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	if err := s.fs.SyncDir(); err != nil {
		return nil, err
	}
	df.m, err = f.Map(0, int(df.size), false)
	return df, err
}

// write makes the fold's new fragment and writes it, unless it has no chunks.
func (fo *fold) write(w *chunkWriter, df *dataFile) error {
	if fo.new == nil {
		fo.new = mergeAll(fo.old)
	}
	if len(fo.new.chunks) == 0 {
		return nil
	}
	if err := w.allocate(fo.new); err != nil {
		return err
	}
	if err := w.fragment(fo.new); err != nil {
		return err
	}
	fo.new.file = df
	fo.new.unload()
	return nil
}

// mergeAll returns the rows of fragments in memory as one, merging neighbours so that
// each row is copied O(log n) times.
func mergeAll(frags []*fragment) *fragment {
	if len(frags) == 1 {
		return frags[0].copy()
	}
	for len(frags) > 1 {
		var next []*fragment
		for i := 0; i+1 < len(frags); i += 2 {
			next = append(next, mergeFragments(frags[i], frags[i+1]))
		}
		if len(frags)%2 == 1 {
			next = append(next, frags[len(frags)-1])
		}
		frags = next
	}
	return frags[0]
}

// copy returns a fragment over the same values whose locations can be set.
func (f *fragment) copy() *fragment {
	c := &fragment{rows: f.rows, file: f.file, chunks: make([]chunk, len(f.chunks))}
	for i := range f.chunks {
		k, o := &c.chunks[i], &f.chunks[i]
		k.col, k.typ, k.vec, k.zone, k.loc = o.col, o.typ, o.vec, o.zone, o.loc
	}
	return c
}

// folded is what a checkpoint wrote: folds and the file of their new fragments.
type folded struct {
	folds []fold
	runs  []runFold
	df    *dataFile
}

// rotate starts a new log with at least free bytes of room for records, whose state is
// the current version with the folds made. The caller holds the write lock and finish, or is alone.
func (s *Store) rotate(ctx context.Context, done *folded, free int64) (err error) {
	defer func() {
		if err != nil && done != nil {
			s.giveUp(done.df, err)
		}
	}()
	if err := s.settle(ctx); err != nil {
		return err
	}
	ref := s.head.Acquire()
	if ref == nil {
		return ErrClosed
	}
	defer ref.Release()
	d := ref.Value().draft()
	if done != nil {
		d.foldRuns(done.runs)
		d.fold(done.folds)
	}
	if err := s.log.Rotate(free, appendState(nil, &d.version)); err != nil {
		return err
	}
	s.unlink()
	if done == nil || done.df == nil {
		if done != nil && len(done.folds)+len(done.runs) > 0 {
			s.publish(&d, d.seq, nil)
		}
		return nil
	}
	s.life.adopt(done.df)
	if d.refs[done.df] == 0 {
		d.refs[done.df] = 0 // every fold was overtaken: the file goes at once
	}
	s.publish(&d, d.seq, nil)
	return nil
}

// settle makes the data files durable that commits under durability none left behind,
// as the log is about to declare everything before its end durable. A sync that fails is
// not tried again, since the next one may succeed without having written: the store is
// poisoned. The caller holds the write lock and finish, or is alone.
func (s *Store) settle(ctx context.Context) error {
	if err := s.lost.Load(); err != nil {
		return *err
	}
	if len(s.dirty) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, name := range s.dirty {
		f, err := s.fs.Open(name, true)
		if errors.Is(err, fs.ErrNotExist) {
			continue // dropped since
		}
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return s.lose(err)
		}
	}
	if err := s.fs.SyncDir(); err != nil {
		return s.lose(err)
	}
	s.dirty = nil
	return nil
}

// lose poisons the store because a data file that commits name could not be synced.
func (s *Store) lose(cause error) error {
	err := fmt.Errorf("%w: %w", ErrPoisoned, cause)
	s.lost.Store(&err)
	return err
}

// fold makes those folds whose old fragments the draft still has where they were.
func (d *draft) fold(folds []fold) {
	byTable := map[uint32]map[visibility.RowID]*fold{}
	for i := range folds {
		fo := &folds[i]
		if byTable[fo.table] == nil {
			byTable[fo.table] = map[visibility.RowID]*fold{}
		}
		byTable[fo.table][fo.first] = fo
	}
	for slot, t := range d.tables {
		if t != nil && byTable[t.schema.ID] != nil {
			d.foldTable(slot, byTable[t.schema.ID])
		}
	}
}

func (d *draft) foldTable(slot int, folds map[visibility.RowID]*fold) {
	old := d.tables[slot]
	var frags []*fragment
	var firsts []visibility.RowID
	old.pieces(func(first visibility.RowID, p piece) {
		if p.from == 0 {
			frags, firsts = append(frags, p.frag), append(firsts, first)
		}
	})
	t := newTable(old.schema, d.store)
	t.runs = old.runs
	for i := 0; i < len(frags); {
		f, n := frags[i], 1
		if fo := folds[firsts[i]]; fo != nil && fo.at(frags[i:]) {
			if f, n = fo.new, len(fo.old); len(f.chunks) == 0 {
				t.runs = unbuilt(old.runs)
			}
			for _, o := range fo.old {
				if o.file != nil {
					d.refs[o.file]--
				}
			}
			if f.file != nil {
				d.refs[f.file]++
			}
		}
		t = t.grow(f, false)
		i += n
	}
	t.vis, t.keys = old.vis, old.keys
	d.set(slot, t)
}

// at reports whether frags starts with the fold's old fragments.
func (fo *fold) at(frags []*fragment) bool {
	if len(frags) < len(fo.old) {
		return false
	}
	for i, f := range fo.old {
		if frags[i] != f {
			return false
		}
	}
	return true
}
