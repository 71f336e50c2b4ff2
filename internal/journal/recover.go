package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
)

// Replayer is the owner of the records: it rebuilds its state from them. Open calls State
// once, then Apply for each record in order of seq, then Files once. An error from State,
// Apply or Files is an error of Open. A body is valid only during the call.
type Replayer interface {
	// State is the full state, as given to Create or Rotate, at seq.
	State(seq uint64, body []byte) error
	// Verify is called before Apply for a record that was appended without sync and that
	// nothing later declares durable. It must check all data that the record names,
	// because none of it may have reached the device. An error that is ErrCorrupt, or
	// fs.ErrNotExist, means that history ends before this record: neither it nor any
	// later one is applied. Any other, as of a read that failed this time, is an error of
	// Open: it proves nothing.
	Verify(seq uint64, body []byte) error
	// Apply is one record, as given to Append.
	Apply(seq uint64, body []byte) error
	// Files returns the names of the data files that the state now names. The owner has
	// opened them and found their extents inside. Other data files are orphans.
	Files() (keep []string, err error)
}

// Open opens the store and replays its journal into r.
//
// Before Open returns, everything that was replayed is durable: no later crash takes it
// back. After an unclean end the owner must Rotate before it appends, see Unclean; after
// a clean one files that nothing names are removed here, and a damaged slot is written
// anew. With ReadOnly nothing is written or removed.
//
// Damage is a *CorruptionError, a store of a newer format ErrVersion.
func Open(opt Options, r Replayer) (*Journal, error) {
	opt, err := opt.check()
	if err != nil {
		return nil, err
	}
	sb, err := openSuperblock(opt.FS, !opt.ReadOnly)
	if err != nil {
		return nil, err
	}
	l, err := openChain(opt.FS, sb, !opt.ReadOnly)
	if err != nil {
		return nil, errors.Join(err, sb.file.Close())
	}
	j := &Journal{
		fs: opt.FS, readOnly: opt.ReadOnly, logBytes: opt.LogBytes, store: l.header.store,
		sb: sb, log: l.file, header: l.header, lastLog: l.header.number, unclean: !l.clean, marked: l.clean,
	}
	j.files.Store(max(1, l.nextFile))
	if err := j.recover(l, r); err != nil {
		return nil, errors.Join(err, l.file.Close(), sb.file.Close())
	}
	return j, nil
}

func (j *Journal) recover(l *logFile, r Replayer) error {
	verified, err := j.replay(l, r)
	if err != nil {
		return err
	}
	keep, err := r.Files()
	if err != nil {
		return fmt.Errorf("journal: recover: %w", err)
	}
	if err := j.settle(keep, verified); err != nil {
		return err
	}
	j.durableSeq, j.durableEnd = j.seq, j.tail
	if j.readOnly {
		return nil
	}
	if j.orphans, err = j.removable(keep); err != nil {
		return err
	}
	if j.unclean {
		return nil
	}
	if j.sb.errs[1-j.sb.newest] != nil {
		if err := j.pointSuperblock(); err != nil {
			return err
		}
	}
	j.sweep()
	return nil
}

// replay gives the records of a scanned log to r and sets seq and tail behind the last one.
// It reports whether any record was accepted by its Verify.
func (j *Journal) replay(l *logFile, r Replayer) (verified bool, err error) {
	j.tail = l.end
	var body []byte
	for _, h := range l.records {
		if h.kind != kindState && h.kind != kindCommit {
			continue
		}
		if body, err = l.readBody(h, body); err != nil {
			return false, err
		}
		if h.kind == kindCommit && h.seq > l.durableSeq {
			switch err := r.Verify(h.seq, body); {
			case errors.Is(err, ErrCorrupt), errors.Is(err, fs.ErrNotExist):
				j.tail, j.unclean = h.offset, true
				return verified, nil
			case err != nil:
				return false, fmt.Errorf("journal: verify record %d: %w", h.seq, err)
			}
			verified = true
		}
		if h.kind == kindState {
			err = r.State(h.seq, body)
		} else {
			err = r.Apply(h.seq, body)
		}
		if err != nil {
			return false, fmt.Errorf("journal: replay of record %d: %w", h.seq, err)
		}
		j.seq = h.seq
	}
	return verified, nil
}

// settle makes durable what recovery has read, which so far may be only in the page cache:
// the log and the superblock always, since the mark of a clean end may itself not be
// durable; names and data only after an unclean end, since a mark declares them durable.
//
// Where records were accepted by Verify, all data files are synced and not only those in
// keep: a later record may have dropped a file that an earlier one named, and that one
// would fail its Verify after another crash and take the later one with it.
func (j *Journal) settle(keep []string, verified bool) error {
	for _, sync := range []func() error{j.log.Sync, j.sb.file.Sync} {
		j.syncs.Add(1)
		if err := j.settled(sync()); err != nil {
			return err
		}
	}
	if !j.unclean {
		return nil
	}
	if verified {
		names, err := j.fs.List()
		if err != nil {
			return fmt.Errorf("journal: recover: %w", err)
		}
		for _, name := range names {
			if _, ok := numberOf(name, dataPrefix); ok && !slices.Contains(keep, name) {
				keep = append(slices.Clip(keep), name)
			}
		}
	}
	for _, name := range keep {
		f, err := j.fs.Open(name, false)
		if err != nil {
			return fmt.Errorf("journal: recover: %w", err)
		}
		if err := errors.Join(j.settled(f.Sync()), f.Close()); err != nil {
			return err
		}
	}
	if err := j.settled(j.fs.SyncDir()); err != nil {
		return err
	}
	// Whoever made the store synced the parent, unless it was killed before: a user who
	// may not read the parent is let in.
	if err := j.fs.SyncParent(); err != nil && !errors.Is(err, fs.ErrPermission) {
		return j.settled(err)
	}
	return nil
}

// settled judges the result of a sync in recovery: what a read-only file system cannot
// write, it cannot lose either.
func (j *Journal) settled(err error) error {
	if err == nil || j.readOnly && errors.Is(err, syscall.EROFS) {
		return nil
	}
	return fmt.Errorf("journal: recover: sync: %w", err)
}
