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
