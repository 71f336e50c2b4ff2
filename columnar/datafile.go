package columnar

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"sync"

	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/mmap"
)

// dataHeaderBytes is the block in front of a data file's chunks.
const dataHeaderBytes = 4096

const (
	dataMagic   = "INGOTDAT"
	dataVersion = 1
)

// dataFile is one data-N file: written by one load or one fold, then immutable, and
// unlinked whole when nothing refers to it.
type dataFile struct {
	name   string
	number uint64
	random uint64 // part of every checksum in the file: a reused number cannot revive old bytes
	seed   uint32 // CRC32C of random, where every checksum starts
	size   int64
	m      *mmap.Mapping

	frags int // fragments of the head version that lie in the file; owned by the writer
}

func dataName(number uint64) string { return fmt.Sprintf("data-%d", number) }

// dataRef is how a record names a data file.
type dataRef struct {
	number, random uint64
	size           int64
}

func (r *dataRef) append(b []byte) []byte {
	b = binary.AppendUvarint(b, r.number)
	b = binary.LittleEndian.AppendUint64(b, r.random)
	return binary.AppendUvarint(b, uint64(r.size))
}

func (d *decoder) dataRef() dataRef {
	return dataRef{number: d.uvarint(), random: d.u64(), size: int64(d.int(math.MaxInt64))}
}

func seedOf(random uint64) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], random)
	return crc32.Checksum(b[:], castagnoli)
}

// newDataFile creates the file with its header written.
func newDataFile(fsys vfs.FS, number uint64) (*dataFile, vfs.File, error) {
	var r [8]byte
	if _, err := rand.Read(r[:]); err != nil {
		return nil, nil, err
	}
	df := &dataFile{name: dataName(number), number: number, random: binary.LittleEndian.Uint64(r[:])}
	df.seed = seedOf(df.random)
	f, err := fsys.Create(df.name)
	if err != nil {
		return nil, nil, err
	}
	return df, f, nil
}

// header returns the file's first block.
//
// Format: docs/FORMAT.md#data-file.
func (df *dataFile) header() []byte {
	b := make([]byte, dataHeaderBytes)
	copy(b, dataMagic)
	binary.LittleEndian.PutUint32(b[8:], dataVersion)
	binary.LittleEndian.PutUint64(b[16:], df.number)
	binary.LittleEndian.PutUint64(b[24:], df.random)
	binary.LittleEndian.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
	return b
}

// open maps the file, which the number, random id and size of df name, after checking
// header and size.
func (df *dataFile) open(fsys vfs.FS) error {
	f, err := fsys.Open(df.name, false)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return corrupt(df.name, 0, "the file is missing")
		}
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	if size < df.size || df.size < dataHeaderBytes || df.size > math.MaxInt {
		return corrupt(df.name, size, "the file has %d bytes, recorded %d", size, df.size)
	}
	got := make([]byte, 64)
	if _, err := f.ReadAt(got, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(got) != string(df.header()[:64]) {
		if string(got[:8]) == dataMagic && binary.LittleEndian.Uint32(got[60:]) == crc32.Checksum(got[:60], castagnoli) &&
			binary.LittleEndian.Uint32(got[8:]) > dataVersion {
			return fmt.Errorf("columnar: %s: %w", df.name, ErrVersion)
		}
		return corrupt(df.name, 0, "the header is not that of file %d of this store", df.number)
	}
	df.m, err = f.Map(0, int(df.size), false)
	return err
}

// ref returns how records name df.
func (df *dataFile) ref() dataRef {
	return dataRef{number: df.number, random: df.random, size: df.size}
}

// behindBytes is the size from which on a file is given back behind: to unmap and unlink
// one of 1 GiB that was just written takes more than 100 ms.
const behindBytes = 32 << 20

// discarded is the file of a load that was aborted.
type discarded struct {
	store *Store
	name  string
	file  vfs.File         // nil if it was closed
	m     [2]*mmap.Mapping // nil if there is none
}

// remove gives the file's memory and space back.
func (d *discarded) remove() {
	for _, m := range d.m {
		if m != nil {
			m.Release()
		}
	}
	if d.file != nil {
		d.file.Close()
	}
	if err := d.store.fs.Remove(d.name); err != nil {
		d.store.logger().Warn("could not remove the file of an aborted load; the next open will", "file", d.name, "err", err)
	}
}

// background is work that nobody waits for but Close.
type background struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when running is 0 again
	closed  bool
}

// run does fn in a goroutine, or at once when the store is closed.
func (b *background) run(fn func()) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		fn()
		return
	}
	if b.running++; b.running == 1 {
		b.idle = make(chan struct{})
	}
	b.mu.Unlock()
	go func() {
		fn()
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.running--; b.running == 0 {
			close(b.idle)
		}
	}()
}

// wait returns when nothing is running, and whether something was.
func (b *background) wait() bool {
	b.mu.Lock()
	idle, some := b.idle, b.running > 0
	b.mu.Unlock()
	if some {
		<-idle
	}
	return some
}

// close waits and takes no more.
func (b *background) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.wait()
}
