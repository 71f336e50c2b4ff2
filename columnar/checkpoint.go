package columnar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/ingotdb/ingot/internal/journal"
	"github.com/ingotdb/ingot/mmap"
)

// checkpointSoon starts a checkpoint in the background once the log is half full, so
// that the committing goroutine seldom pays for one, or if one is due for another reason.
func (s *Store) checkpointSoon(due bool) {
	if (!due && s.log.Used() < s.log.Capacity()/2) || !s.folding.CompareAndSwap(false, true) {
		return
	}
	s.folds.Go(func() {
		defer s.folding.Store(false)
		if err := s.compact(s.closing, s.later()); err != nil && s.closing.Err() == nil {
			s.logger().Warn("background checkpoint failed; the next commit that finds the log full tries again", "err", err)
		}
	})
}

// Checkpoint folds inline fragments into a data file and starts a new log with the
// full state, so that the next open has nothing to replay. It holds the write lock
// only for the last step; readers are never waited for.
func (s *Store) Checkpoint(ctx context.Context) error {
	return s.compact(ctx, compaction{inline: foldBytes})
}

// later is the plan of a checkpoint that nobody asked for.
func (s *Store) later() compaction {
	log := s.opt.LogBytes
	if log == 0 {
		log = journal.DefaultLogBytes
	}
	return compaction{inline: max(log/foldShare, foldBytes)}
}

// compact writes the folds of a plan to one data file and makes them and a new log current.
func (s *Store) compact(ctx context.Context, c compaction) (err error) {
	if s.opt.ReadOnly {
		return errReadOnly()
	}
	snap, err := s.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Release()
	var folds []fold
	if err := mmap.Guard(func() (err error) {
		folds, err = c.folds(snap.Tables())
		return err
	}); err != nil {
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

// writeFolds writes the new fragments of the folds to a data file and makes it
// durable; nil if there are no folds.
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
	if done == nil || done.df == nil { // the version is what it was
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
