package journal

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/ingotdb/ingot/internal/vfs"
)

// freshLog is a log file under its temporary name, full of zeros.
type freshLog struct {
	file vfs.File
	size int64
	name string // logTemp, then its own
}

// logSizeFor returns the size of a log that takes a state and leaves room for a record of
// room bytes.
func logSizeFor(state, room int64) int64 {
	return blockSize + recordSpan(state) + recordSpan(room) + reserveBlocks*blockSize
}

// createTemp creates a file for temporary use and removes what had its name.
func createTemp(dir vfs.FS, name string) (vfs.File, error) {
	f, err := dir.Create(name)
	if errors.Is(err, fs.ErrExist) {
		if err = dir.Remove(name); err == nil {
			f, err = dir.Create(name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("journal: create %s: %w", name, err)
	}
	return f, nil
}

// createLog makes a log file of size bytes, rounded up to blocks, and writes it with zeros:
// a later overwrite of written blocks needs no change of the file's metadata, which is
// what makes its sync cheap. A full disk fails before anything is written.
func createLog(dir vfs.FS, size int64) (*freshLog, error) {
	size = (size + blockSize - 1) / blockSize * blockSize
	f, err := createTemp(dir, logTemp)
	if err != nil {
		return nil, err
	}
	fresh := &freshLog{file: f, size: size, name: logTemp}
	err = f.Allocate(0, size)
	for at := int64(0); err == nil && at < size; at += int64(len(zeros)) {
		_, err = f.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("journal: create log: %w", err), fresh.discard(dir))
	}
	return fresh, nil
}

// discard closes and removes a log that nothing names.
func (l *freshLog) discard(dir vfs.FS) error {
	return errors.Join(l.file.Close(), dir.Remove(l.name))
}

// Prepare makes the next log's file ahead and writes it with zeros, so that Rotate need not.
// It may run in any goroutine beside Append; once it is done, another call does nothing.
// Its failure harms nothing: the file is removed and Rotate makes one.
func (j *Journal) Prepare() error {
	j.prepareMu.Lock()
	defer j.prepareMu.Unlock()
	j.mu.Lock()
	err := j.usable()
	j.mu.Unlock()
	if err != nil || j.prepared != nil {
		return err
	}
	fresh, err := createLog(j.fs, j.logBytes)
	if err != nil {
		return err
	}
	if err := fresh.file.Sync(); err != nil {
		return errors.Join(fmt.Errorf("journal: prepare log: %w", err), fresh.discard(j.fs))
	}
	j.prepared = fresh
	return nil
}

// Rotate continues the journal in a new log, which starts with the owner's full state at the
// present seq: the parts joined. A record of minBytes fits into the new log. Everything
// appended so far becomes durable, and the data files that it or the state names must be
// already. The owner allows no Append meanwhile.
//
// After an open that was not clean it completes the recovery: both slots then name the new
// log, and files that nothing names are removed. A file that cannot be removed stays until
// the next Rotate or Open.
//
// The new log has LogBytes, or less if the disk has no space for that.
//
// After an error that is not ErrPoisoned the old log goes on.
func (j *Journal) Rotate(minBytes int64, state ...[]byte) error {
	j.prepareMu.Lock()
	defer j.prepareMu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(); err != nil {
		return err
	}
	if minBytes < 0 || minBytes > maxLogBytes {
		return fmt.Errorf("journal: rotate: %d bytes asked for", minBytes)
	}
	if j.durableEnd != j.tail {
		if err := j.syncTail(); err != nil {
			return err
		}
	}
	fresh, next, err := j.writeNext(minBytes, state)
	if err != nil {
		return err
	}
	written := int64(len(j.buf))
	if err := j.link(next); err != nil {
		if j.poison != nil {
			return errors.Join(err, fresh.file.Close())
		}
		return errors.Join(err, fresh.discard(j.fs))
	}
	old := j.log
	j.switchTo(fresh, next, written)
	if err := old.Close(); err != nil {
		return j.fail(fmt.Errorf("journal: close log: %w", err))
	}
	if err := j.pointSuperblock(); err != nil {
		return err
	}
	j.sweep()
	return nil
}

// writeNext writes the next log with the state, durable under its own name. On failure
// nothing is left. The bytes written are in j.buf.
func (j *Journal) writeNext(minBytes int64, state [][]byte) (*freshLog, logHeader, error) {
	var length int64
	for _, p := range state {
		length += int64(len(p))
	}
	j.lastLog++
	next := logHeader{store: j.store, number: j.lastLog}
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, next, fmt.Errorf("journal: %w", err)
	}
	next.id = binary.LittleEndian.Uint64(random[:])
	least := logSizeFor(length, minBytes)
	size := max(j.logBytes, least)
	fresh := j.prepared
	j.prepared = nil
	if fresh != nil && fresh.size < size {
		if err := fresh.discard(j.fs); err != nil {
			return nil, next, fmt.Errorf("journal: rotate: %w", err)
		}
		fresh = nil
	}
	if fresh == nil {
		var err error
		fresh, err = createLog(j.fs, size)
		for size > least && errors.Is(err, syscall.ENOSPC) { // a disk that is nearly full gets a smaller one
			size = max(size/4, least)
			fresh, err = createLog(j.fs, size)
		}
		if err != nil {
			return nil, next, err
		}
	}
	err := j.startLog(fresh, &next, state)
	if err == nil {
		err = j.publishLog(fresh, next.number)
	}
	if err != nil {
		return nil, next, errors.Join(err, fresh.discard(j.fs))
	}
	return fresh, next, nil
}

// startLog writes header and state to a fresh log, whose size it puts into the header, and
// syncs. The bytes written are left in j.buf. The state's record declares nothing durable
// but itself, by being the first.
func (j *Journal) startLog(fresh *freshLog, header *logHeader, state [][]byte) error {
	header.size = fresh.size
	h := recordHeader{kind: kindState, flags: flagSynced, logID: header.id, offset: blockSize,
		seq: j.seq, durableSeq: j.seq, durableEnd: blockSize, nextFile: j.files.Load()}
	j.buf = appendRecord(header.encode(j.buf[:0]), h, state)
	if _, err := fresh.file.WriteAt(j.buf, 0); err != nil {
		return fmt.Errorf("journal: write new log: %w", err)
	}
	return j.sync(fresh.file)
}

// publishLog gives a log its own name, durably; failure to sync the directory poisons.
func (j *Journal) publishLog(fresh *freshLog, number uint64) error {
	if err := j.fs.Rename(fresh.name, logName(number)); err != nil {
		return fmt.Errorf("journal: name new log: %w", err)
	}
	fresh.name = logName(number)
	if err := j.fs.SyncDir(); err != nil {
		return j.fail(err)
	}
	return nil
}

// link appends the continuation to the old log and syncs: from here on the new log counts.
func (j *Journal) link(next logHeader) error {
	if err := j.write(recordHeader{kind: kindContinue, seq: j.seq}, encodeLink(next.number, next.id)); err != nil {
		return err
	}
	return j.sync(j.log)
}

// switchTo makes a durable log the current one; written is how long header and state are.
func (j *Journal) switchTo(fresh *freshLog, header logHeader, written int64) {
	j.log, j.header = fresh.file, header
	j.tail, j.durableEnd = written, written
	j.durableSeq = j.seq
	j.marked = false
	if cap(j.buf) > maxKeptBuffer {
		j.buf = nil
	}
}

// pointSuperblock makes the superblock name the current log: one slot, or both when this
// completes a recovery, since the older one may then lead through a damaged end.
func (j *Journal) pointSuperblock() error {
	flips := 1
	if j.unclean {
		flips = 2
	}
	for range flips {
		if err := j.sb.point(j.header.number, j.header.id); err != nil {
			return j.fail(err)
		}
		if err := j.sync(j.sb.file); err != nil {
			return err
		}
	}
	j.unclean = false
	return nil
}

// sweep removes the logs that no slot needs any more, and the orphans of a recovery. What
// cannot be removed, or not even be listed, is left for the next sweep.
func (j *Journal) sweep() {
	doomed := j.orphans
	if names, err := j.fs.List(); err == nil {
		for _, name := range names {
			if n, ok := numberOf(name, logPrefix); ok && n < j.sb.oldestLog() {
				doomed = append(doomed, name)
			}
		}
	}
	j.orphans = nil
	for _, name := range doomed {
		if err := j.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			j.orphans = append(j.orphans, name)
		}
	}
}
