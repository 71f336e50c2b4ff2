package journal

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/internal/vfs"
)

// Options are what Create and Open need to know. The zero value of all but FS means the
// default.
type Options struct {
	// FS is the store's directory, locked by the caller: shared for a read-only Open,
	// exclusive otherwise. The Journal does not close it.
	FS vfs.FS
	// ReadOnly makes Open write nothing at all; Create refuses it.
	ReadOnly bool
	// FirstLogBytes is the size of a new store's log, LogBytes the least size of the
	// later ones, both in bytes. Rounded up to 4 KiB and to what the state needs.
	// Defaults: 1 MiB and 16 MiB.
	FirstLogBytes, LogBytes int64
}

// maxLogBytes is the largest size of a log that may be asked for.
const maxLogBytes = 1 << 40

// DefaultLogBytes is the least size of a log after the first.
const DefaultLogBytes = 16 << 20

// reserveBlocks are kept free at the end of a log for a mark and a continuation.
const reserveBlocks = 2

func (o Options) check() (Options, error) {
	if o.FS == nil {
		return o, errors.New("journal: no file system given")
	}
	for _, size := range []struct {
		name     string
		value    *int64
		fallback int64
	}{{"FirstLogBytes", &o.FirstLogBytes, 1 << 20}, {"LogBytes", &o.LogBytes, DefaultLogBytes}} {
		switch {
		case *size.value == 0:
			*size.value = size.fallback
		case *size.value < 0 || *size.value > maxLogBytes:
			return o, fmt.Errorf("journal: %s is %d", size.name, *size.value)
		}
	}
	return o, nil
}

// Journal is the open log and superblock of a store. Methods are safe for concurrent use,
// but appends and Rotate have one order: the owner's write lock gives it.
type Journal struct {
	fs       vfs.FS
	readOnly bool
	logBytes int64
	store    [16]byte
	files    atomic.Uint64 // the next file number
	syncs    atomic.Int64

	prepareMu sync.Mutex // held over the file logTemp; taken before mu
	prepared  *freshLog  // zeroed and synced ahead; nil if there is none

	mu         sync.Mutex
	sb         *superblock
	log        vfs.File
	header     logHeader
	lastLog    uint64 // the highest log number that was ever taken, as far as known
	tail       int64  // where the next record goes
	durableEnd int64  // bytes of the log known durable
	seq        uint64 // of the last record
	durableSeq uint64
	marked     bool     // the last record is a mark
	unclean    bool     // the log was in use at a crash: nothing may be appended
	orphans    []string // files to remove once the log has been rotated
	buf        []byte   // of the last record; reused
	poison     error    // the sync that failed
	closed     bool
}

// maxKeptBuffer is the largest record buffer that is kept for the next record.
const maxKeptBuffer = 4 << 20

// Exists reports whether the directory holds a store: whether SB is there under its name.
func Exists(dir vfs.FS) (bool, error) {
	names, err := dir.List()
	if err != nil {
		return false, fmt.Errorf("journal: %w", err)
	}
	return slices.Contains(names, superblockName), nil
}

// Create makes a new store in a directory that holds none, with the owner's first state at
// seq 0. When it returns nil the store is durable, its directory included.
//
// It fails with fs.ErrExist where a store is, and with a *CorruptionError where one was:
// logs with commits or data files without a superblock. Leftovers of a Create that was
// interrupted are removed.
func Create(opt Options, state []byte) (*Journal, error) {
	opt, err := opt.check()
	if err != nil {
		return nil, err
	}
	if opt.ReadOnly {
		return nil, fmt.Errorf("journal: create: %w", ErrReadOnly)
	}
	if err := removeUnfinished(opt.FS); err != nil {
		return nil, err
	}
	j := &Journal{fs: opt.FS, logBytes: opt.LogBytes}
	var random [24]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	copy(j.store[:], random[:])
	j.files.Store(1)
	j.lastLog = 1
	j.header = logHeader{store: j.store, number: 1, id: binary.LittleEndian.Uint64(random[16:])}
	fresh, err := createLog(j.fs, max(opt.FirstLogBytes, logSizeFor(int64(len(state)), 0)))
	if err != nil {
		return nil, err
	}
	if err := j.startLog(fresh, &j.header, [][]byte{state}); err != nil {
		return nil, errors.Join(err, fresh.discard(j.fs))
	}
	if err := j.finishCreate(fresh); err != nil {
		return nil, errors.Join(err, fresh.file.Close())
	}
	return j, nil
}

// finishCreate makes a written first log into a store. What it leaves behind on failure, the
// next Create removes.
func (j *Journal) finishCreate(fresh *freshLog) (err error) {
	if err := j.publishLog(fresh, j.header.number); err != nil {
		return err
	}
	if j.sb, err = writeSuperblock(j.fs, slot{store: j.store, log: j.header.number, logID: j.header.id}); err != nil {
		return err
	}
	if err = j.fs.SyncDir(); err == nil {
		err = j.fs.SyncParent()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("journal: create: %w", err), j.sb.file.Close())
	}
	j.switchTo(fresh, j.header, int64(len(j.buf)))
	return nil
}

// removeUnfinished removes what a Create that never finished left, after having made sure
// that it is nothing more.
func removeUnfinished(dir vfs.FS) error {
	names, err := dir.List()
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if slices.Contains(names, superblockName) {
		return fmt.Errorf("journal: create: %s holds a store: %w", dir.Path(), fs.ErrExist)
	}
	var leftovers []string
	for _, name := range names {
		path := filepath.Join(dir.Path(), name)
		if _, ok := numberOf(name, dataPrefix); ok {
			return &CorruptionError{path, 0, "there is a data file, but no superblock"}
		}
		if _, ok := numberOf(name, logPrefix); ok {
			empty, err := holdsNoCommit(dir, name)
			if err != nil {
				return err
			}
			if !empty {
				return &CorruptionError{path, 0, "there is a log with commits, but no superblock"}
			}
			leftovers = append(leftovers, name)
		} else if name == logTemp || name == superblockTemp {
			leftovers = append(leftovers, name)
		}
	}
	for _, name := range leftovers {
		if err := dir.Remove(name); err != nil {
			return fmt.Errorf("journal: remove leftover: %w", err)
		}
	}
	return nil
}

// holdsNoCommit reports whether a log without a superblock is what an interrupted Create
// leaves: incomplete, or the first state and nothing else.
func holdsNoCommit(dir vfs.FS, name string) (_ bool, err error) {
	f, err := dir.Open(name, false)
	if err != nil {
		return false, fmt.Errorf("journal: %w", err)
	}
	l := &logFile{file: f, path: filepath.Join(dir.Path(), name)}
	defer func() { err = errors.Join(err, f.Close()) }()
	block := make([]byte, logHeaderSize)
	n, err := f.ReadAt(block, 0)
	if err != nil && err != io.EOF {
		return false, fmt.Errorf("journal: %w", err)
	}
	h, headerErr := decodeLogHeader(block[:n])
	if headerErr != nil {
		return !errors.Is(headerErr, ErrVersion), nil
	}
	if size, err := f.Size(); err != nil || size < h.size {
		return true, err
	}
	l.header = h
	if scanErr := l.scan(); scanErr != nil && !errors.Is(scanErr, ErrCorrupt) {
		return false, scanErr
	}
	return len(l.records) <= 1 && h.number == 1, nil
}

// StoreID returns the random id that the store got at its creation.
func (j *Journal) StoreID() [16]byte { return j.store }

// NewFileNumber returns a number for a data file, see DataName. No number is given out
// twice, also not after a crash. Any goroutine may call it.
func (j *Journal) NewFileNumber() uint64 { return j.files.Add(1) - 1 }

// Seq returns the seq of the last record, 0 if there has been none since Create.
func (j *Journal) Seq() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seq
}

// DurableSeq returns the highest seq that is known durable.
func (j *Journal) DurableSeq() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.durableSeq
}

// Used returns how many bytes of the present log are taken, its header included.
func (j *Journal) Used() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tail
}

// Capacity returns how many bytes of the present log records may take, as Used counts them.
func (j *Journal) Capacity() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.header.size - reserveBlocks*blockSize
}

// Fits reports whether a record of n bytes can be appended without Rotate.
func (j *Journal) Fits(n int64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.fits(n)
}

func (j *Journal) fits(n int64) bool {
	return !j.unclean && n >= 0 && n <= j.header.size && j.tail+recordSpan(n) <= j.header.size-reserveBlocks*blockSize
}

// Unclean reports whether the store was not closed before it was opened, and has not been
// rotated since. The owner should then Rotate at once: until then Append returns
// ErrLogFull and files that nothing names stay.
func (j *Journal) Unclean() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.unclean
}

// Syncs returns how many syncs of logs and the superblock there have been.
func (j *Journal) Syncs() int64 { return j.syncs.Load() }

// usable returns why the journal takes no writes, if so. j.mu is held.
func (j *Journal) usable() error {
	switch {
	case j.closed:
		return ErrClosed
	case j.readOnly:
		return ErrReadOnly
	case j.poison != nil:
		return fmt.Errorf("%w: %w", ErrPoisoned, j.poison)
	}
	return nil
}

// sync syncs a log or the superblock; the first failure poisons. j.mu is held.
func (j *Journal) sync(f vfs.File) error {
	j.syncs.Add(1)
	if err := f.Sync(); err != nil {
		return j.fail(err)
	}
	return nil
}

// fail poisons the journal. j.mu is held.
func (j *Journal) fail(err error) error {
	j.poison = err
	return fmt.Errorf("%w: %w", ErrPoisoned, err)
}

// Close makes everything durable, marks the log so that the next Open knows that it is
// complete, and closes the files. An unclean, poisoned or read-only journal is only closed.
// Like Mark it declares all data files durable: an owner that could not sync one calls
// Abandon. A second call does nothing.
func (j *Journal) Close() error { return j.close((*Journal).mark) }

// Abandon closes the files and declares nothing durable: the next Open recovers as after a
// crash. After it, or after Close, it does nothing.
func (j *Journal) Abandon() error { return j.close(func(*Journal) error { return nil }) }

// close calls last, if the journal takes writes, and then closes everything.
func (j *Journal) close(last func(*Journal) error) error {
	j.prepareMu.Lock()
	defer j.prepareMu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	var err error
	if j.usable() == nil && !j.unclean {
		err = last(j)
	}
	j.closed = true
	if j.prepared != nil {
		err = errors.Join(err, j.prepared.discard(j.fs))
		j.prepared = nil
	}
	return errors.Join(err, j.log.Close(), j.sb.file.Close())
}

// removable lists the files that nothing needs: unfinished ones, data files not in keep,
// and logs that are neither current nor between the oldest that a slot names and it. It
// also raises the next file and log numbers above all that are there.
func (j *Journal) removable(keep []string) ([]string, error) {
	names, err := j.fs.List()
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	kept := map[string]bool{}
	for _, name := range keep {
		kept[name] = true
	}
	var out []string
	for _, name := range names {
		if strings.HasSuffix(name, tempSuffix) {
			out = append(out, name)
		} else if n, ok := numberOf(name, dataPrefix); ok {
			j.files.Store(max(j.files.Load(), n+1))
			if !kept[name] {
				out = append(out, name)
			}
		} else if n, ok := numberOf(name, logPrefix); ok {
			j.lastLog = max(j.lastLog, n)
			if n < j.sb.oldestLog() || n > j.header.number {
				out = append(out, name)
			}
		}
	}
	return out, nil
}
