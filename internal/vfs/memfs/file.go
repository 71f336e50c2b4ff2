package memfs

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"slices"
	"syscall"

	"github.com/ingotdb/ingot/mmap"
)

const (
	sectorSize = 512  // what a device writes as a unit, when it does
	blockSize  = 4096 // what a file system gives to files
	// maxVersions is how many earlier values of an un-synced sector are remembered.
	maxVersions = 3
)

// node is a file: its bytes, and what the device has of it. Guarded by fs.mu, but for the
// bytes under mappings, which their holders store to as they please.
type node struct {
	fs    *FS
	links int
	opens int
	maps  []*window

	cache   []byte             // what programs see
	durable []byte             // at the last Sync
	sizes   []int64            // lengths since the last Sync, before the present one
	dirty   bitmap             // sectors written since the last Sync
	values  map[int64][][]byte // of such sectors: values since the last Sync, before the present one
	stored  []span             // ranges under writable mappings that ended since the last Sync
	blocks  bitmap             // blocks that have space
}

// span is the byte range [from, to).
type span struct{ from, to int64 }

// window is a live mapping of a node. detached means that the cache has moved since, so
// that bytes is a copy to be kept in step.
type window struct {
	bytes    []byte
	off      int64
	writable bool
	detached bool
}

// file is an open file.
type file struct {
	*node
	name     string
	writable bool
	closed   bool
}

// Name implements vfs.File.
func (f *file) Name() string { return f.name }

// enter locks the file system for a call on the file and brings mappings and cache in step.
// op is empty for calls that change nothing. On success the caller unlocks.
func (f *file) enter(op string) error {
	f.fs.mu.Lock()
	var err error
	switch {
	case f.closed:
		err = failed("use", f.name, fs.ErrClosed)
	case op == "":
		err = f.fs.alive()
	case !f.writable && op != "Sync":
		err = failed(op, f.name, syscall.EBADF)
	default:
		err = f.fs.call(op, f.name)
	}
	if err != nil {
		f.fs.mu.Unlock()
		return err
	}
	f.reconcile()
	return nil
}

// Size implements vfs.File.
func (f *file) Size() (int64, error) {
	if err := f.enter(""); err != nil {
		return 0, err
	}
	defer f.fs.mu.Unlock()
	return int64(len(f.cache)), nil
}

// ReadAt implements vfs.File.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if err := f.enter(""); err != nil {
		return 0, err
	}
	defer f.fs.mu.Unlock()
	if off < 0 {
		return 0, failed("read", f.name, syscall.EINVAL)
	}
	if off >= int64(len(f.cache)) {
		return 0, io.EOF
	}
	n := copy(p, f.cache[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt implements vfs.File. On a full disk it writes the part that fits.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	if err := f.enter("WriteAt"); err != nil {
		return 0, err
	}
	defer f.fs.mu.Unlock()
	if off < 0 {
		return 0, failed("write", f.name, syscall.EINVAL)
	}
	fits := f.take(off, int64(len(p)))
	part := p[:fits]
	if len(part) > 0 {
		f.resize(max(int64(len(f.cache)), off+fits))
		f.remember(off, fits)
		copy(f.cache[off:], part)
		f.push(off, fits)
	}
	if len(part) < len(p) {
		return len(part), failed("write", f.name, syscall.ENOSPC)
	}
	return len(p), nil
}

// Truncate implements vfs.File.
func (f *file) Truncate(size int64) error {
	if err := f.enter("Truncate"); err != nil {
		return err
	}
	defer f.fs.mu.Unlock()
	if size < 0 {
		return failed("truncate", f.name, syscall.EINVAL)
	}
	if old := int64(len(f.cache)); size < old {
		f.remember(size, old-size)
		clear(f.cache[size:])
		f.push(size, old-size)
		f.sizes = append(f.sizes, old)
		f.cache = f.cache[:size]
		f.giveBack((size + blockSize - 1) / blockSize)
	} else {
		f.resize(size)
	}
	return nil
}

// Allocate implements vfs.File.
func (f *file) Allocate(off, n int64) error {
	if err := f.enter("Allocate"); err != nil {
		return err
	}
	defer f.fs.mu.Unlock()
	if off < 0 || n < 0 {
		return failed("allocate", f.name, syscall.EINVAL)
	}
	if f.missing(off, n) > f.fs.free() {
		return failed("allocate", f.name, syscall.ENOSPC)
	}
	f.take(off, n)
	f.resize(max(int64(len(f.cache)), off+n))
	return nil
}

// Sync implements vfs.File.
func (f *file) Sync() error {
	if err := f.enter("Sync"); err != nil {
		return err
	}
	defer f.fs.mu.Unlock()
	size := int64(len(f.cache))
	durable := min(size, int64(len(f.durable)))
	f.durable = slices.Grow(f.durable[:durable], int(size-durable))[:size]
	clear(f.durable[durable:])
	for _, i := range f.unsynced() {
		if from := i * sectorSize; from < size {
			copy(f.durable[from:min(from+sectorSize, size)], f.cache[from:])
		}
	}
	f.sizes, f.stored, f.dirty, f.values = nil, nil, nil, nil
	return nil
}

// DropCache implements vfs.File. What programs see is never wrong here, so it does nothing.
func (f *file) DropCache() error {
	if err := f.enter(""); err != nil {
		return err
	}
	f.fs.mu.Unlock()
	return nil
}

// Map implements vfs.File.
func (f *file) Map(off int64, n int, writable bool) (*mmap.Mapping, error) {
	op := ""
	if writable {
		op = "Map"
	}
	if err := f.enter(op); err != nil {
		return nil, err
	}
	defer f.fs.mu.Unlock()
	if off < 0 || n < 0 {
		return nil, failed("map", f.name, syscall.EINVAL)
	}
	if size := int64(len(f.cache)); off+int64(n) > size {
		return nil, fmt.Errorf("memfs: %w: %s has %d bytes, need %d", mmap.ErrShort, f.name, size, off+int64(n))
	}
	w := &window{bytes: f.cache[off : off+int64(n) : off+int64(n)], off: off, writable: writable}
	f.maps = append(f.maps, w)
	return mmap.OfBytes(w.bytes, func() { f.unmap(w) }), nil
}

// unmap ends a mapping. What was stored through it stays un-synced.
func (n *node) unmap(w *window) {
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	n.reconcile()
	if w.writable {
		n.stored = append(n.stored, span{w.off, w.off + int64(len(w.bytes))})
	}
	n.maps = slices.DeleteFunc(n.maps, func(other *window) bool { return other == w })
	n.freeIfUnused()
}

// Close implements vfs.File.
func (f *file) Close() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.closed {
		return failed("close", f.name, fs.ErrClosed)
	}
	f.closed = true
	f.opens--
	f.freeIfUnused()
	return nil
}

// resize makes the cache longer, with zeros, and remembers the length it had. Where the
// memory moves, live mappings keep the old one.
func (n *node) resize(size int64) {
	old := int64(len(n.cache))
	if size <= old {
		return
	}
	n.sizes = append(n.sizes, old)
	if size <= int64(cap(n.cache)) {
		n.cache = n.cache[:size]
		clear(n.cache[old:])
	} else {
		moved := make([]byte, size, size+size/4)
		copy(moved, n.cache)
		n.cache = moved
		for _, w := range n.maps {
			w.detached = true
		}
	}
	n.remember(old, size-old)
}

// remember marks the sectors of a range as written, and keeps their present values as ones
// that the device may have got. Call it before the bytes change.
func (n *node) remember(off, length int64) {
	if length <= 0 {
		return
	}
	for i := off / sectorSize; i*sectorSize < off+length; i++ {
		from := i * sectorSize
		if n.dirty.has(i) && len(n.values[i]) < maxVersions && from < int64(len(n.cache)) {
			if n.values == nil {
				n.values = map[int64][][]byte{}
			}
			value := bytes.Clone(n.cache[from:min(from+sectorSize, int64(len(n.cache)))])
			n.values[i] = append(slices.Clip(n.values[i]), value)
		}
		n.dirty.set(i)
	}
}

// unsynced returns the indexes of the sectors that may differ from the device's, sorted.
func (n *node) unsynced() []int64 {
	all := slices.Clone(n.dirty)
	for _, s := range n.storedSpans() {
		for i := s.from / sectorSize; i*sectorSize < s.to; i++ {
			all.set(i)
		}
	}
	var found []int64
	for w, word := range all {
		for ; word != 0; word &= word - 1 {
			found = append(found, int64(w*64+bits.TrailingZeros64(word)))
		}
	}
	return found
}

// storedSpans returns the ranges that writable mappings cover or covered since the last Sync.
func (n *node) storedSpans() []span {
	spans := slices.Clone(n.stored)
	for _, w := range n.maps {
		if w.writable {
			spans = append(spans, span{w.off, w.off + int64(len(w.bytes))})
		}
	}
	return spans
}

// reconcile copies stores through detached writable mappings into the cache, and the cache
// into the other detached mappings. It writes only what differs, so that mere readers of
// a mapping race with nothing.
func (n *node) reconcile() {
	for _, fromWindow := range []bool{true, false} {
		for _, w := range n.maps {
			if !w.detached || w.writable != fromWindow || w.off >= int64(len(n.cache)) {
				continue
			}
			cached := n.cache[w.off:min(w.off+int64(len(w.bytes)), int64(len(n.cache)))]
			src, dst := cached, w.bytes[:len(cached)]
			if fromWindow {
				src, dst = dst, src
			}
			if !bytes.Equal(src, dst) {
				copy(dst, src)
			}
		}
	}
}

// push copies a range of the cache that has just changed into the detached mappings.
func (n *node) push(off, length int64) {
	for _, w := range n.maps {
		if !w.detached {
			continue
		}
		from, to := max(off, w.off), min(off+length, w.off+int64(len(w.bytes)))
		if from < to {
			copy(w.bytes[from-w.off:to-w.off], n.cache[from:to])
		}
	}
}
