package columnar

import (
	"hash/crc32"
	"slices"

	"github.com/ingotdb/ingot/internal/vfs"
)

// chunkWriter writes fragments that are in memory into a data file, one after another.
type chunkWriter struct {
	file vfs.File
	seed uint32 // of the file's checksums
	at   int64  // where the next chunk goes
	buf  []byte
}

// allocate takes the exact space of f from the file system.
func (w *chunkWriter) allocate(f *fragment) error {
	n := int64(0)
	for i := range f.chunks {
		k := &f.chunks[i]
		n += layoutOf(k.typ, k.vec.valid == nil, f.rows).size + align(int64(len(outOf(k))))
	}
	if err := w.file.Allocate(w.at, n); err != nil {
		return diskError(err, n)
	}
	return nil
}

// outOf returns the out-of-line bytes of a chunk in memory.
func outOf(k *chunk) []byte {
	if k.vec.nan != nil {
		return wordsAsBytes(k.vec.nan)
	}
	return k.vec.data
}

// fragment writes f and sets the locations of its chunks.
func (w *chunkWriter) fragment(f *fragment) error {
	for i := range f.chunks {
		if err := w.chunk(&f.chunks[i], f.rows); err != nil {
			return err
		}
	}
	return nil
}

func (w *chunkWriter) chunk(k *chunk, rows int) error {
	v := &k.vec
	lay := layoutOf(k.typ, v.valid == nil, rows)
	out := outOf(k)
	k.loc = location{off: w.at, size: lay.size, outLen: int64(len(out)), outCRC: w.seed}
	if len(out) > 0 {
		k.loc.outOff = w.at + lay.size
	}
	w.buf = slices.Grow(w.buf[:0], int(lay.size))[:lay.size]
	clear(w.buf)
	h := headerOf(k, rows, lay)
	h.put(w.buf)
	copy(w.buf[lay.valid:], wordsAsBytes(v.valid)) // no bitmap: copies nothing
	switch {
	case v.offs != nil:
		putOffsets(view[int32](w.buf[lay.values:]), v.offs)
	case v.bits != nil:
		copy(w.buf[lay.values:], wordsAsBytes(v.bits))
	default:
		copy(w.buf[lay.values:], v.fixed)
	}
	k.loc.crc = crc32.Update(w.seed, castagnoli, w.buf)
	if _, err := w.file.WriteAt(w.buf, k.loc.off); err != nil {
		return diskError(err, lay.size)
	}
	if len(out) > 0 {
		var err error
		if k.loc.outCRC, err = writePieces(w.file, w.seed, out, k.loc.outOff); err != nil {
			return err
		}
	}
	w.at += lay.size + align(int64(len(out)))
	return nil
}

// pieceBytes is how much is written to a data file at a time, so that the kernel copies what
// the checksum has just brought into the processor's cache.
const pieceBytes = 512 << 10

// writePieces writes b at off of f and returns its checksum, which starts at seed. Pieces end
// on multiples of pieceBytes in the file: the page cache takes as large pages as they allow.
func writePieces(f vfs.File, seed uint32, b []byte, off int64) (crc uint32, err error) {
	for crc = seed; len(b) > 0; {
		p := b[:min(int64(len(b)), pieceBytes-off%pieceBytes)]
		crc = crc32.Update(crc, castagnoli, p)
		if _, err := f.WriteAt(p, off); err != nil {
			return 0, diskError(err, int64(len(p)))
		}
		b, off = b[len(p):], off+int64(len(p))
	}
	return crc, nil
}

// putOffsets copies offsets so that the first is 0.
func putOffsets(dst, src []int32) {
	first := src[0]
	for i, o := range src {
		dst[i] = o - first
	}
}
