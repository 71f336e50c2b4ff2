// Package memfs is a file system in memory that knows what a crash leaves behind.
//
// It implements vfs.FS. Beside what programs see (the page cache) it keeps what the device
// has, and everything that may have reached the device in between:
//
//	per file        durable bytes and size at the last Sync; the 512-byte sectors written
//	                since, each with the values it had meanwhile; the sizes it had
//	                meanwhile; the ranges under writable mappings
//	per directory   durable entries at the last SyncDir; Create, Rename and Remove since
//
// [FS.Crash] makes of this the directory that a machine finds afterwards, by a [Mode] and a
// seed. [FS.StopAfter] ends the program's world after a number of calls: every later call
// fails with [ErrCrashed]. A test runs a script with StopAfter(n), crashes, recovers and
// checks, for every n.
//
// Only calls that change something are counted and can be the last: Create, Rename, Remove,
// WriteAt, Truncate, Allocate, Sync, SyncDir, SyncParent, and Map for writing. A crash in
// the middle of one of them is among the outcomes of a crash just behind it, or just
// before it in the case of the syncs.
//
// # Mappings
//
// A mapping shares its bytes with the file: stores through it are seen by ReadAt and other
// mappings, and the whole range of a writable one counts as written since the last Sync.
// Memory cannot be shared across a growth of the file behind a live mapping; then both are
// brought together at the next call on the file. Making a file shorter under a mapping
// does not fault here: the bytes cut off read as zero.
package memfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/ingotdb/ingot/internal/vfs"
)

// ErrCrashed is the error of every call after the last one that StopAfter allowed.
var ErrCrashed = errors.New("memfs: machine has crashed")

// FS is one directory. The zero value is not usable; New makes one.
type FS struct {
	mu       sync.Mutex
	entries  map[string]*node // what programs see
	durable  map[string]*node // what the device has
	pending  []change         // from durable to entries
	locks    map[string]int   // holders: n > 0 shared, -1 exclusive
	calls    []string
	stop     int // number of calls that succeed; negative: all
	capacity int64
	used     int64 // bytes of blocks that belong to files
}

// change is a directory operation: entry name gets file, or none when file is nil; and
// from, unless empty, loses its own. A crash keeps or loses it as one.
type change struct {
	name, from string
	file       *node
}

// New returns an empty directory without a capacity limit.
func New() *FS {
	return &FS{entries: map[string]*node{}, durable: map[string]*node{}, locks: map[string]int{}, stop: -1, capacity: -1}
}

// StopAfter lets n more counted calls succeed; every call after them, counted or not, fails
// with ErrCrashed. A negative n lifts the limit.
func (f *FS) StopAfter(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop = n
	if n >= 0 {
		f.stop += len(f.calls)
	}
}

// Calls returns how many counted calls have succeeded or failed with the file system's own
// errors, since New.
func (f *FS) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}

// Log returns the counted calls in order, as "Sync log-1" or "SyncDir".
func (f *FS) Log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// SetCapacity sets the size of the disk in bytes, of which files take whole blocks of 4 KiB
// as they are written or allocated. What does not fit fails with ENOSPC. A negative number
// lifts the limit.
func (f *FS) SetCapacity(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.capacity = bytes
}

// Used returns the bytes of all blocks that files have, unlinked but open ones included.
func (f *FS) Used() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used
}

// alive returns ErrCrashed once the last allowed call has been made. f.mu is held.
func (f *FS) alive() error {
	if f.stop >= 0 && len(f.calls) >= f.stop {
		return ErrCrashed
	}
	return nil
}

// call counts a call that changes something, or refuses it. f.mu is held.
func (f *FS) call(op, name string) error {
	if err := f.alive(); err != nil {
		return err
	}
	if name != "" {
		op += " " + name
	}
	f.calls = append(f.calls, op)
	return nil
}

// Create implements vfs.FS.
func (f *FS) Create(name string) (vfs.File, error) {
	if err := vfs.CheckName(name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Create", name); err != nil {
		return nil, err
	}
	if f.entries[name] != nil {
		return nil, failed("create", name, fs.ErrExist)
	}
	if f.capacity >= 0 && f.used >= f.capacity {
		return nil, failed("create", name, syscall.ENOSPC)
	}
	n := &node{fs: f}
	f.apply(change{name: name, file: n})
	n.opens++
	return &file{node: n, name: name, writable: true}, nil
}

// Open implements vfs.FS.
func (f *FS) Open(name string, writable bool) (vfs.File, error) {
	if err := vfs.CheckName(name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.alive(); err != nil {
		return nil, err
	}
	n := f.entries[name]
	if n == nil {
		return nil, failed("open", name, fs.ErrNotExist)
	}
	n.opens++
	return &file{node: n, name: name, writable: writable}, nil
}

// Rename implements vfs.FS.
func (f *FS) Rename(oldName, newName string) error {
	if err := errors.Join(vfs.CheckName(oldName), vfs.CheckName(newName)); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Rename", oldName+" "+newName); err != nil {
		return err
	}
	n := f.entries[oldName]
	if n == nil {
		return failed("rename", oldName, fs.ErrNotExist)
	}
	if oldName != newName {
		f.apply(change{name: newName, from: oldName, file: n})
	}
	return nil
}

// Remove implements vfs.FS.
func (f *FS) Remove(name string) error {
	if err := vfs.CheckName(name); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Remove", name); err != nil {
		return err
	}
	if f.entries[name] == nil {
		return failed("remove", name, fs.ErrNotExist)
	}
	f.apply(change{name: name})
	return nil
}

// apply makes a directory operation visible and remembers it until SyncDir. f.mu is held.
func (f *FS) apply(c change) {
	replaced := f.entries[c.name]
	c.applyTo(f.entries)
	f.pending = append(f.pending, c)
	for _, n := range []*node{c.file, replaced} {
		if n != nil {
			n.links = 0
			for _, other := range f.entries {
				if other == n {
					n.links++
				}
			}
			n.freeIfUnused()
		}
	}
}

func (c change) applyTo(entries map[string]*node) {
	if c.from != "" {
		delete(entries, c.from)
	}
	if c.file == nil {
		delete(entries, c.name)
	} else {
		entries[c.name] = c.file
	}
}

// List implements vfs.FS.
func (f *FS) List() ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.alive(); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(f.entries)), nil
}

// SyncDir implements vfs.FS.
func (f *FS) SyncDir() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("SyncDir", ""); err != nil {
		return err
	}
	f.durable = maps.Clone(f.entries)
	f.pending = nil
	return nil
}

// SyncParent implements vfs.FS. The directory itself is never lost here, so that every
// crash leaves something to open.
func (f *FS) SyncParent() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.call("SyncParent", "")
}

// Lock implements vfs.FS, among the users of this FS. Locks end with a crash.
func (f *FS) Lock(name string, exclusive bool) (io.Closer, error) {
	if err := vfs.CheckName(name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.alive(); err != nil {
		return nil, err
	}
	holders := f.locks[name]
	if holders < 0 || exclusive && holders > 0 {
		host, err := os.Hostname()
		if err != nil {
			host = "localhost"
		}
		return nil, &vfs.LockedError{Path: name, PID: os.Getpid(), Host: host}
	}
	if exclusive {
		f.locks[name] = -1
	} else {
		f.locks[name] = holders + 1
	}
	return &lock{fs: f, name: name}, nil
}

// lock is a held lock.
type lock struct {
	fs   *FS
	name string
	once sync.Once
}

// Close gives the lock back; a second call does nothing.
func (l *lock) Close() error {
	l.once.Do(func() {
		l.fs.mu.Lock()
		defer l.fs.mu.Unlock()
		if n := l.fs.locks[l.name]; n > 1 {
			l.fs.locks[l.name] = n - 1
		} else {
			delete(l.fs.locks, l.name)
		}
	})
	return nil
}

// Path implements vfs.FS.
func (f *FS) Path() string { return "memfs" }

// Close implements vfs.FS; the directory stays usable.
func (f *FS) Close() error { return nil }

func failed(op, name string, err error) error {
	return fmt.Errorf("memfs: %w", &fs.PathError{Op: op, Path: name, Err: err})
}
