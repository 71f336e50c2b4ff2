package mmap

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// ErrShort means that the file ends before the range that was to be mapped.
var ErrShort = errors.New("mmap: file is shorter than the range to map")

// Mapping is a range of bytes, usually of a file mapped into memory, with a count of the
// references to it.
//
// The bytes stay valid until the last Release. All methods are safe for concurrent use by
// holders of a reference; the bytes themselves are synchronised by nobody.
type Mapping struct {
	bytes    []byte
	raw      []byte // page-aligned memory around bytes; nil when the memory is not a mapping
	release  func() // called at the last Release of OfBytes; nil otherwise
	name     string // of the mapped file, for messages; may be empty
	offset   int64  // of bytes[0] in the file
	refs     atomic.Int64
	writable bool
}

var (
	liveCount atomic.Int64
	liveBytes atomic.Int64
)

// Live returns the number of mappings that have not seen their last Release, and the sum of
// their lengths in bytes. Memory passed to OfBytes counts. It is meant for tests of leaks.
func Live() (n int, bytes int64) {
	return int(liveCount.Load()), liveBytes.Load()
}

// Map maps n bytes at byte off of the open file fd, shared with every other mapping of the
// file. The returned Mapping has one reference. The descriptor is not needed afterwards.
//
// off need not be a multiple of the page size. With n = 0 nothing is mapped and Bytes is
// empty. A file shorter than off+n is ErrShort: a page that is wholly behind the end of
// the file would fault. writable needs a descriptor open for reading and writing.
func Map(fd uintptr, off int64, n int, writable bool) (*Mapping, error) {
	return mapNamed("", fd, off, n, writable)
}

// MapFile is Map for an os.File; errors and faults then name the file.
func MapFile(f *os.File, off int64, n int, writable bool) (*Mapping, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("mmap: %s: %w", f.Name(), err)
	}
	var m *Mapping
	var mapErr error
	if conn.Control(func(fd uintptr) { m, mapErr = mapNamed(f.Name(), fd, off, n, writable) }) != nil {
		return nil, fmt.Errorf("mmap: %s: %w", f.Name(), os.ErrClosed) // there is no other reason
	}
	return m, mapErr
}

// OfBytes gives b, memory that is no mapping, the life of a Mapping with one reference:
// private copies, and files of an in-memory file system. The last Release calls release,
// unless it is nil, and drops b. Sync and Advise on it do nothing; it counts as writable.
func OfBytes(b []byte, release func()) *Mapping {
	m := &Mapping{bytes: b[:len(b):len(b)], release: release, writable: true}
	m.start()
	return m
}

func (m *Mapping) start() {
	m.refs.Store(1)
	liveCount.Add(1)
	liveBytes.Add(int64(len(m.bytes)))
}

func mapNamed(name string, fd uintptr, off int64, n int, writable bool) (*Mapping, error) {
	if off < 0 || n < 0 || off+int64(n) < off {
		return nil, fmt.Errorf("mmap: bad range: %d bytes at %d", n, off)
	}
	size, err := sizeOf(fd)
	if err != nil {
		return nil, fmt.Errorf("mmap: size of %s: %w", name, err)
	}
	if size < off+int64(n) {
		return nil, fmt.Errorf("%w: %s has %d bytes, need %d", ErrShort, name, size, off+int64(n))
	}
	m := &Mapping{name: name, offset: off, writable: writable}
	if n > 0 {
		lead := int(off % int64(os.Getpagesize()))
		if m.raw, err = sysMap(fd, off-int64(lead), lead+n, writable); err != nil {
			return nil, fmt.Errorf("mmap: map %d bytes of %s at %d: %w", n, name, off, err)
		}
		m.bytes = m.raw[lead : lead+n : lead+n]
		register(m)
	}
	m.start()
	return m, nil
}

// Bytes returns the mapped window. It is valid until the last Release and must not be
// written unless Writable.
func (m *Mapping) Bytes() []byte { return m.bytes }

// Len returns the length of the window in bytes.
func (m *Mapping) Len() int { return len(m.bytes) }

// Writable reports whether Bytes may be stored to.
func (m *Mapping) Writable() bool { return m.writable }

// Name returns the name of the mapped file, or "" when it is not known.
func (m *Mapping) Name() string { return m.name }

// Retain adds a reference. The caller must hold one already: it panics on a dead mapping.
func (m *Mapping) Retain() {
	if !m.TryRetain() {
		panic("mmap: Retain of a released mapping " + m.name)
	}
}

// TryRetain adds a reference and reports true, or reports false if the last one is gone.
// It is for those who find the mapping in a shared place and hold no reference yet.
func (m *Mapping) TryRetain() bool {
	for {
		n := m.refs.Load()
		if n <= 0 {
			return false
		}
		if m.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release drops a reference; the last one unmaps the memory or, for OfBytes, calls its
// release function. One Release too many panics.
func (m *Mapping) Release() {
	switch n := m.refs.Add(-1); {
	case n > 0:
		return
	case n < 0:
		panic("mmap: Release of a released mapping " + m.name)
	}
	liveCount.Add(-1)
	liveBytes.Add(-int64(len(m.bytes)))
	if m.raw != nil {
		unregister(m)
		if err := sysUnmap(m.raw); err != nil {
			// munmap of a whole mapping fails only if it was not one: memory is corrupt.
			panic(fmt.Errorf("mmap: unmap %s: %w", m.name, err))
		}
	}
	m.raw, m.bytes = nil, nil
	if m.release != nil {
		m.release()
	}
}

// Sync writes the pages that hold bytes [off, off+n) of the window to the device and
// returns when they are there, with what is needed to read them back (msync, MS_SYNC).
func (m *Mapping) Sync(off, n int) error {
	window, err := m.pages(off, n)
	if err != nil || len(window) == 0 {
		return err
	}
	if err := sysSync(window); err != nil {
		return fmt.Errorf("mmap: sync %s: %w", m.name, err)
	}
	return nil
}

// Advice says how a mapping is going to be read.
type Advice uint8

// The kinds of Advice.
const (
	AdviceNormal     Advice = iota // no particular order
	AdviceSequential               // from the start to the end, once
	AdviceRandom                   // no read-ahead
	AdviceWillNeed                 // soon: read ahead now
	AdviceDontNeed                 // not soon: the pages may leave this process
	AdviceHuge                     // written in many places at once: large pages where the system has them
)

// Advise tells the system how the window is going to be read. It never changes what is read.
func (m *Mapping) Advise(a Advice) error {
	if a > AdviceHuge {
		return fmt.Errorf("mmap: unknown advice %d", a)
	}
	if m.raw == nil {
		return nil
	}
	if err := sysAdvise(m.raw, a); err != nil {
		return fmt.Errorf("mmap: advise %s: %w", m.name, err)
	}
	return nil
}

// pages returns the whole pages around bytes [off, off+n) of the window, clipped to the
// mapping; nil for memory that is no mapping.
func (m *Mapping) pages(off, n int) ([]byte, error) {
	if off < 0 || n < 0 || off > len(m.bytes) || n > len(m.bytes)-off {
		return nil, fmt.Errorf("mmap: %d bytes at %d are outside the %d mapped of %s", n, off, len(m.bytes), m.name)
	}
	if m.raw == nil || n == 0 {
		return nil, nil
	}
	first := len(m.raw) - len(m.bytes) + off
	page := os.Getpagesize()
	return m.raw[first/page*page : first+n], nil
}
