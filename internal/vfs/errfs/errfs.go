// Package errfs wraps a file system so that chosen calls fail, and counts all calls.
//
// Every call on the FS and on files opened through it is a [Call] with a [Kind], the file's
// name, and two numbers: how many calls there were before it, of all kinds and of its
// kind. A [Rule] picks calls by these and says what becomes of them: an error, a part of a
// write and then an error, or silence without effect, as from a device that lies.
//
//	f := errfs.New(inner)
//	f.Add(errfs.Rule{Kind: errfs.Sync, Name: "log-1", Nth: 2, Err: syscall.EIO})
//
// Closing never fails and is not counted. Stores through a mapping are not calls.
package errfs

import (
	"fmt"
	"io"
	"path"
	"slices"
	"sync"

	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/mmap"
)

// Kind is the method that is called.
type Kind uint8

// The kinds. Any, the zero value, stands for all of them in a Rule.
const (
	Any Kind = iota
	Create
	Open
	Rename
	Remove
	List
	SyncDir
	SyncParent
	Lock
	Read
	Write
	Size
	Truncate
	Allocate
	Sync
	DropCache
	Map

	kinds = iota
)

// String returns the method's name.
func (k Kind) String() string {
	names := [...]string{"Any", "Create", "Open", "Rename", "Remove", "List", "SyncDir", "SyncParent", "Lock",
		"ReadAt", "WriteAt", "Size", "Truncate", "Allocate", "Sync", "DropCache", "Map"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("Kind(%d)", k)
}

// Rule says which calls fail and how.
type Rule struct {
	Kind Kind   // Any: every kind
	Name string // pattern for the file's name as in path.Match; "" fits every call
	// Nth is the number, from 1, of the call that fails, among those that fit Kind and
	// Name since the rule was added. 0 is the first.
	Nth int
	// Sticky makes all later calls that fit fail too.
	Sticky bool
	// Err is the error. nil means that the call does nothing and returns no error: only
	// for Rename, Remove, SyncDir, SyncParent, Write, Truncate, Allocate, Sync, DropCache.
	Err error
	// Short makes a failing Write write the first half. Other kinds ignore it.
	Short bool
}

// FS wraps another FS. Safe for concurrent use.
type FS struct {
	inner vfs.FS

	mu    sync.Mutex
	rules []*armed
	count [kinds]int
	fired int
}

// armed is a rule with the number of calls that fitted it.
type armed struct {
	Rule
	seen int
}

// New wraps inner without any rule.
func New(inner vfs.FS) *FS { return &FS{inner: inner} }

// Add adds a rule. The first added of those that apply to a call decides. It panics if the
// pattern is malformed.
func (f *FS) Add(r Rule) {
	if _, err := path.Match(r.Name, ""); err != nil {
		panic(fmt.Errorf("errfs: pattern %q: %w", r.Name, err))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = append(f.rules, &armed{Rule: r})
}

// Clear removes all rules.
func (f *FS) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = nil
}

// Count returns the number of calls of a kind so far, failed ones included; Any gives the sum.
func (f *FS) Count(k Kind) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[k]
}

// Fired returns how many calls a rule has decided.
func (f *FS) Fired() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fired
}

// call counts a call and returns the rule that decides it, or nil.
func (f *FS) call(k Kind, name string) *Rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count[Any]++
	f.count[k]++
	var decides *Rule
	for _, r := range f.rules {
		if r.Kind != Any && r.Kind != k {
			continue
		}
		if fits, err := path.Match(r.Name, name); r.Name != "" && (err != nil || !fits) {
			continue
		}
		r.seen++
		nth := max(1, r.Nth)
		if decides == nil && (r.seen == nth || r.Sticky && r.seen > nth) {
			decides = &r.Rule
		}
	}
	if decides != nil {
		f.fired++
	}
	return decides
}

// run makes a call that a rule may decide.
func (f *FS) run(k Kind, name string, fn func() error) error {
	if r := f.call(k, name); r != nil {
		return r.wrap(k, name)
	}
	return fn()
}

func (r *Rule) wrap(k Kind, name string) error {
	if r.Err == nil {
		return nil
	}
	return fmt.Errorf("errfs: %s %s: %w", k, name, r.Err)
}

// Create implements vfs.FS.
func (f *FS) Create(name string) (vfs.File, error) {
	return f.open(Create, name, func() (vfs.File, error) { return f.inner.Create(name) })
}

// Open implements vfs.FS.
func (f *FS) Open(name string, writable bool) (vfs.File, error) {
	return f.open(Open, name, func() (vfs.File, error) { return f.inner.Open(name, writable) })
}

func (f *FS) open(k Kind, name string, fn func() (vfs.File, error)) (vfs.File, error) {
	var inner vfs.File
	if err := f.run(k, name, func() (err error) { inner, err = fn(); return err }); err != nil {
		return nil, err
	}
	return &file{File: inner, fs: f}, nil
}

// Rename implements vfs.FS. Rules see the new name.
func (f *FS) Rename(oldName, newName string) error {
	return f.run(Rename, newName, func() error { return f.inner.Rename(oldName, newName) })
}

// Remove implements vfs.FS.
func (f *FS) Remove(name string) error {
	return f.run(Remove, name, func() error { return f.inner.Remove(name) })
}

// List implements vfs.FS.
func (f *FS) List() (names []string, err error) {
	err = f.run(List, "", func() (err error) { names, err = f.inner.List(); return err })
	return slices.Clip(names), err
}

// SyncDir implements vfs.FS.
func (f *FS) SyncDir() error { return f.run(SyncDir, "", f.inner.SyncDir) }

// SyncParent implements vfs.FS.
func (f *FS) SyncParent() error { return f.run(SyncParent, "", f.inner.SyncParent) }

// Lock implements vfs.FS.
func (f *FS) Lock(name string, exclusive bool) (l io.Closer, err error) {
	err = f.run(Lock, name, func() (err error) { l, err = f.inner.Lock(name, exclusive); return err })
	return l, err
}

// Path implements vfs.FS.
func (f *FS) Path() string { return f.inner.Path() }

// Close implements vfs.FS.
func (f *FS) Close() error { return f.inner.Close() }

// file is an open file of an FS; Name and Close are the inner file's.
type file struct {
	vfs.File
	fs *FS
}

func (f *file) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.fs.run(Read, f.Name(), func() (err error) { n, err = f.File.ReadAt(p, off); return err })
	return n, err
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	r := f.fs.call(Write, f.Name())
	switch {
	case r == nil:
		return f.File.WriteAt(p, off)
	case r.Err == nil:
		return len(p), nil
	case r.Short:
		n, err := f.File.WriteAt(p[:len(p)/2], off)
		if err != nil {
			return n, err
		}
		return n, r.wrap(Write, f.Name())
	}
	return 0, r.wrap(Write, f.Name())
}

func (f *file) Size() (size int64, err error) {
	err = f.fs.run(Size, f.Name(), func() (err error) { size, err = f.File.Size(); return err })
	return size, err
}

func (f *file) Truncate(size int64) error {
	return f.fs.run(Truncate, f.Name(), func() error { return f.File.Truncate(size) })
}

func (f *file) Allocate(off, n int64) error {
	return f.fs.run(Allocate, f.Name(), func() error { return f.File.Allocate(off, n) })
}

func (f *file) Sync() error { return f.fs.run(Sync, f.Name(), f.File.Sync) }

func (f *file) DropCache() error { return f.fs.run(DropCache, f.Name(), f.File.DropCache) }

func (f *file) Map(off int64, n int, writable bool) (m *mmap.Mapping, err error) {
	err = f.fs.run(Map, f.Name(), func() (err error) { m, err = f.File.Map(off, n, writable); return err })
	return m, err
}
