package columnar

import (
	"fmt"
	"hash/crc32"
	"sort"
	"sync/atomic"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/mmap"
)

// fragment is consecutive rows that one commit wrote. Immutable once published.
type fragment struct {
	rows   int
	file   *dataFile // nil: the chunks are in memory, their bytes in a log record
	chunks []chunk   // ascending by column ID

	folding atomic.Bool // a checkpoint is writing its rows to a data file: no merging
}

// chunk is one column of one fragment.
type chunk struct {
	col  uint32
	vec  Vec // all rows, if they are in memory or where a load has just put them; else empty
	zone Zone
	loc  location
	typ  Type

	opened atomic.Pointer[Vec] // all rows, in the data file, once they were verified
}

// location is where a chunk lies in its data file. The checksums are kept here, in
// the record that refers to the chunk, so that lost and misdirected writes show.
type location struct {
	off, size      int64 // header, validity and values
	outOff, outLen int64 // out-of-line bytes: variable-length data or a NaN bitmap
	crc, outCRC    uint32
}

// find returns the chunk of a column, nil if the fragment is older than it.
func (f *fragment) find(col uint32) *chunk {
	i := sort.Search(len(f.chunks), func(i int) bool { return f.chunks[i].col >= col })
	if i == len(f.chunks) || f.chunks[i].col != col {
		return nil
	}
	return &f.chunks[i]
}

// bytes returns the memory or file space that the fragment takes.
func (f *fragment) bytes() int64 {
	n := int64(0)
	for i := range f.chunks {
		n += f.chunks[i].loc.size + align(f.chunks[i].loc.outLen)
	}
	return n
}

// outBytes returns the out-of-line bytes of the fragment, without what aligns them.
func (f *fragment) outBytes() int64 {
	n := int64(0)
	for i := range f.chunks {
		n += f.chunks[i].loc.outLen
	}
	return n
}

// fixedBytes returns what the fixed parts of the fragment take.
func (f *fragment) fixedBytes() int64 {
	n := int64(0)
	for i := range f.chunks {
		n += f.chunks[i].loc.size
	}
	return n
}

// open returns the rows of c. On first touch the chunk's checksums, header and offsets
// are verified, so that no kernel ever sees a length that its bytes do not back.
//
// Nobody waits: goroutines that touch a chunk first at the same time verify it each, come
// to the same rows, and one of them leaves its result for those to come.
func (f *fragment) open(c *chunk) (*Vec, error) {
	if c.vec.typ.Kind != Invalid {
		return &c.vec, nil
	}
	if v := c.opened.Load(); v != nil {
		return v, nil
	}
	var v Vec
	err := mmap.Guard(func() (err error) {
		v, err = f.file.chunkVec(c, f.rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !c.opened.CompareAndSwap(nil, &v) {
		return c.opened.Load(), nil
	}
	return &v, nil
}

// column returns the rows of a column; a fragment older than it has its Missing in all of
// them.
func (f *fragment) column(c *Column) (*Vec, error) {
	if k := f.find(c.ID); k != nil {
		return f.open(k)
	}
	v := constVec(c.Type, c.Missing, f.rows)
	return &v, nil
}

// chunkVec verifies the bytes of c and returns its rows.
func (df *dataFile) chunkVec(c *chunk, rows int) (Vec, error) {
	b := df.m.Bytes()
	size := int64(len(b))
	l := &c.loc
	if l.off < dataHeaderBytes || l.size < chunkHeaderBytes || l.off+l.size > size || l.off%chunkAlign != 0 ||
		l.outOff < 0 || l.outLen < 0 || l.outOff+l.outLen > size || (l.outLen > 0 && l.outOff%chunkAlign != 0) {
		return Vec{}, corrupt(df.name, l.off, "a chunk lies outside the file's %d bytes", size)
	}
	body := b[l.off : l.off+l.size : l.off+l.size]
	if got := crc32.Update(df.seed, castagnoli, body); got != l.crc {
		return Vec{}, corrupt(df.name, l.off, "chunk checksum is %08x, recorded %08x", got, l.crc)
	}
	out := b[l.outOff : l.outOff+l.outLen : l.outOff+l.outLen]
	if got := crc32.Update(df.seed, castagnoli, out); got != l.outCRC {
		return Vec{}, corrupt(df.name, l.outOff, "checksum of out-of-line bytes is %08x, recorded %08x", got, l.outCRC)
	}
	h, ok := readChunkHeader(body)
	if !ok {
		return Vec{}, corrupt(df.name, l.off, "chunk header is damaged")
	}
	return h.vec(df.name, l.off, c, rows, body, out)
}

// vec checks the header against the directory and returns the chunk's rows.
func (h *chunkHeader) vec(name string, off int64, c *chunk, rows int, body, out []byte) (Vec, error) {
	bad := func(what string) (Vec, error) { return Vec{}, corrupt(name, off, "chunk header: %s", what) }
	t := c.typ
	t.Length = 0
	switch {
	case h.encoding != encodingPlain || h.vectors != 0 || h.flags&^(flagValidity|flagNaN) != 0:
		return Vec{}, fmt.Errorf("columnar: %s: chunk at %d has encoding %d, flags %#x: %w", name, off, h.encoding, h.flags, ErrVersion)
	case h.typ != t || int(h.rows) != rows || int(h.nulls) != c.zone.Nulls:
		return bad("type, rows or nulls differ from the directory")
	case int64(h.outLen) != c.loc.outLen || (c.loc.outLen > 0 && int64(h.outOff) != c.loc.outOff):
		return bad("out-of-line bytes differ from the directory")
	}
	room := func(at uint32, need int64) bool {
		return at >= chunkHeaderBytes && at%8 == 0 && int64(at)+need <= int64(len(body))
	}
	words := int64(rows+63) / 64 * 8
	v := Vec{typ: c.typ, n: rows}
	if h.nulls > 0 {
		if h.flags&flagValidity == 0 || !room(h.valid, words) {
			return bad("no room for the validity bitmap")
		}
		v.valid = view[uint64](body[h.valid : int64(h.valid)+words])
		if rows-kernels.PopCount(v.valid, rows) != int(h.nulls) {
			return bad("null count differs from the validity bitmap")
		}
	}
	switch {
	case c.typ.Variable():
		need := 4 * int64(rows+1)
		if !room(h.values, need) {
			return bad("no room for the offsets")
		}
		v.offs, v.data = view[int32](body[h.values:int64(h.values)+need]), out
		if !offsetsHold(v.offs, len(out)) {
			return bad("offsets are not ascending inside the data")
		}
	case c.typ.Kind == Bool:
		if !room(h.values, words) {
			return bad("no room for the values")
		}
		v.bits = view[uint64](body[h.values : int64(h.values)+words])
	default:
		need := int64(rows) * int64(c.typ.Width())
		if !room(h.values, need) {
			return bad("no room for the values")
		}
		v.fixed = body[h.values : int64(h.values)+need]
		if h.flags&flagNaN != 0 {
			if c.typ.Kind != Decimal || int64(len(out)) < words {
				return bad("no room for the NaN bitmap")
			}
			v.nan = view[uint64](out[:words])
		}
	}
	return v, nil
}

// offsetsHold reports whether offs starts at 0, never falls, and ends at n.
func offsetsHold(offs []int32, n int) bool {
	return int64(offs[len(offs)-1]) == int64(n) && offsetsAscend(offs, n)
}

// offsetsAscend reports whether offs starts at 0, never falls, and stays within n.
func offsetsAscend(offs []int32, n int) bool {
	if offs[0] != 0 || int64(offs[len(offs)-1]) > int64(n) {
		return false
	}
	fall := int32(0)
	for i := 1; i < len(offs); i++ {
		fall |= offs[i] - offs[i-1]
	}
	return fall >= 0
}

// constVec returns n rows that all hold v: what a fragment older than a column has.
func constVec(t Type, v Value, n int) Vec {
	words := make([]uint64, (n+63)/64)
	out := Vec{typ: t, n: n}
	if v.Null || v.Type == (Type{}) {
		out.valid = words
	}
	c := ColumnBuf{Type: t, Valid: make([]uint64, len(words))}
	switch {
	case t.Variable():
		c.Offsets = make([]int32, n+1)
	case t.Kind == Bool:
		c.Bits = words
	default:
		c.Fixed = alignedBytes(n * t.Width())
	}
	if out.valid == nil {
		c.FillConst(0, n, v)
	}
	out.fixed, out.bits, out.offs, out.data, out.nan = c.Fixed, c.Bits, c.Offsets, c.Data, c.NaN
	return out
}

func errTooLong(col string) error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "a fragment's values of column \"%s\" exceed 2 GiB", col).
		WithHint("One value can have at most 1 GiB; load such values in fewer rows at a time.")
}
