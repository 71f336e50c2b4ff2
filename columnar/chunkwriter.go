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
	k.loc = location{off: w.at, size: lay.size, outLen: int64(len(out)), outCRC: crc32.Update(w.seed, castagnoli, out)}
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
		if _, err := w.file.WriteAt(out, k.loc.outOff); err != nil {
			return diskError(err, k.loc.outLen)
		}
	}
	w.at += lay.size + align(int64(len(out)))
	return nil
}

// putOffsets copies offsets so that the first is 0.
func putOffsets(dst, src []int32) {
	first := src[0]
	for i, o := range src {
		dst[i] = o - first
	}
}
