package columnar

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"unsafe"

	"github.com/ingotdb/ingot/visibility"
)

// csrDir says where one direction of a run is in its data file: neighbours, edges if it has
// them, then the index, which is offsets if it is dense, keys and starts if it is sparse.
// Each array of uint32 begins on a 64-byte boundary.
//
// Format: docs/FORMAT.md#adjacency-run.
type csrDir struct {
	sparse bool
	edges  bool
	base   uint32
	nodes  uint64 // dense: nodes from base on; sparse: keys
	count  uint32 // of neighbours
	off    int64
	crc    uint32
}

// Flags of a direction in the log.
const (
	csrSparse = 1 << 0
	csrEdges  = 1 << 1
)

// indexAt returns where the index begins, relative to off.
func (d *csrDir) indexAt() int64 {
	return align(4*int64(d.count)) * int64(1+b2i(d.edges))
}

// size returns the bytes of the direction.
func (d *csrDir) size() int64 {
	n := d.indexAt() + align(4*int64(d.nodes+1))
	if d.sparse {
		n += align(4 * int64(d.nodes))
	}
	return n
}

// carve returns the arrays of the direction, which lie in b.
func (d *csrDir) carve(b []byte) CSR {
	take := func(at int64, n uint64) []uint32 { return view32(b[at : at+4*int64(n)]) }
	c := CSR{Neighbors: take(0, uint64(d.count))}
	if d.edges {
		c.Edges = take(align(4*int64(d.count)), uint64(d.count))
	}
	at := d.indexAt()
	if d.sparse {
		c.Keys = take(at, d.nodes)
		c.Starts = take(at+align(4*int64(d.nodes)), d.nodes+1)
		return c
	}
	c.Base = d.base
	c.Offsets = take(at, d.nodes+1)
	return c
}

// view32 returns b, which begins on a 64-byte boundary of a file, as uint32s.
func view32(b []byte) []uint32 {
	if len(b) == 0 || !littleEndian {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// bytes32 returns the memory of v.
func bytes32(v []uint32) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*4)
}

// dirOf returns the directory of a direction that is in memory.
func dirOf(c *CSR) csrDir {
	d := csrDir{sparse: c.Offsets == nil, edges: c.Edges != nil, base: c.Base, count: uint32(len(c.Neighbors))}
	if d.nodes = uint64(len(c.Keys)); !d.sparse {
		d.nodes = uint64(len(c.Offsets) - 1)
	}
	return d
}

// appendStoredRun writes where a stored run is.
//
// Format: docs/FORMAT.md#adjacency-run.
func appendStoredRun(b []byte, r *adjRun) []byte {
	b = binary.AppendUvarint(b, uint64(r.first))
	b = binary.AppendUvarint(b, uint64(r.count))
	b = binary.AppendUvarint(b, r.file.number)
	for i := range r.dirs {
		d := &r.dirs[i]
		b = append(b, byte(b2i(d.sparse)*csrSparse|b2i(d.edges)*csrEdges))
		b = binary.AppendUvarint(b, uint64(d.base))
		b = binary.AppendUvarint(b, d.nodes)
		b = binary.AppendUvarint(b, uint64(d.count))
		b = binary.AppendUvarint(b, uint64(d.off))
		b = binary.LittleEndian.AppendUint32(b, d.crc)
	}
	return b
}

// storedRun reads what appendStoredRun wrote; files has the data files by number.
func (d *decoder) storedRun(files map[uint64]*dataFile) *adjRun {
	r := &adjRun{first: visibility.RowID(d.int(1 << 48)), count: uint32(d.int(1<<32 - 1)), file: files[d.uvarint()]}
	for i := range r.dirs {
		c := &r.dirs[i]
		flags := d.byte()
		c.sparse, c.edges = flags&csrSparse != 0, flags&csrEdges != 0
		c.base = uint32(d.int(1<<32 - 1))
		c.nodes = uint64(d.int(1 << 32))
		c.count = uint32(d.int(1<<32 - 1))
		c.off = int64(d.int(math.MaxInt64 >> 1))
		c.crc = d.u32()
		if flags&^(csrSparse|csrEdges) != 0 || c.count > r.count || (c.sparse && (c.base != 0 || c.nodes > uint64(c.count))) ||
			uint64(c.base)+c.nodes > maxNodes {
			d.fail()
		}
	}
	if r.file == nil || r.count == 0 || r.dirs[0].count != r.dirs[1].count {
		d.fail()
	}
	return r
}

// bytes returns the bytes of both directions of a stored run.
func (r *adjRun) bytes() int64 { return r.dirs[fromEnd].size() + r.dirs[toEnd].size() }

// inside reports whether both directions lie in a file of the given size.
func (r *adjRun) inside(size int64) bool {
	for i := range r.dirs {
		d := &r.dirs[i]
		if d.off < dataHeaderBytes || d.off%chunkAlign != 0 || d.off > size || d.size() > size-d.off {
			return false
		}
	}
	return true
}

// load verifies a stored run and fills a with it.
func (r *adjRun) load(a *AdjacencyRun) error {
	b := r.file.m.Bytes()
	if !r.inside(int64(len(b))) {
		return corrupt(r.file.name, r.dirs[0].off, "an adjacency run lies outside the file's %d bytes", len(b))
	}
	for i, c := range []*CSR{&a.Forward, &a.Backward} {
		d := &r.dirs[i]
		area := b[d.off : d.off+d.size() : d.off+d.size()]
		if got := crc32.Update(r.file.seed, castagnoli, area); got != d.crc {
			return corrupt(r.file.name, d.off, "adjacency checksum is %08x, recorded %08x", got, d.crc)
		}
		*c = d.carve(area)
		if what := c.damage(r.count, r.nodes[i], r.nodes[1-i]); what != "" {
			return corrupt(r.file.name, d.off, "adjacency run: %s", what)
		}
	}
	return nil
}

// damage returns what is wrong with a direction of a run of count edges from a table with
// nodes row ids to one with others; "" if nothing is.
func (c *CSR) damage(count uint32, nodes, others uint64) string {
	switch {
	case c.Offsets != nil && uint64(c.Base)+uint64(len(c.Offsets)-1) > nodes:
		return "nodes that the table does not have"
	case c.Offsets != nil && !ascendTo(c.Offsets, len(c.Neighbors)):
		return "offsets do not ascend to the number of neighbours"
	case c.Offsets == nil && !ascendTo(c.Starts, len(c.Neighbors)):
		return "starts do not ascend to the number of neighbours"
	case len(c.Keys) > 0 && uint64(c.Keys[len(c.Keys)-1]) >= nodes:
		return "keys that the table does not have"
	case !below(c.Neighbors, others):
		return "neighbours that the table does not have"
	case !below(c.Edges, uint64(count)):
		return "edges behind the end of the run"
	}
	for i := 1; i < len(c.Keys); i++ {
		if c.Keys[i] <= c.Keys[i-1] {
			return "keys do not ascend"
		}
	}
	return ""
}

// ascendTo reports whether v starts at 0, never falls, and ends at n.
func ascendTo(v []uint32, n int) bool {
	if len(v) == 0 || v[0] != 0 || uint64(v[len(v)-1]) != uint64(n) {
		return false
	}
	fall := int64(0)
	for i := 1; i < len(v); i++ {
		fall |= int64(v[i]) - int64(v[i-1])
	}
	return fall >= 0
}

// below reports whether every element of v is less than n.
func below(v []uint32, n uint64) bool {
	top := uint32(0)
	for _, x := range v {
		top = max(top, x)
	}
	return len(v) == 0 || uint64(top) < n
}

// runArea is room for the two directions of a run in the file of a load, reserved before the
// edges are sorted, when only their number and the range of their ends are known.
type runArea struct {
	dirs  [2]csrDir // sparse: with as many keys as edges
	bytes int64
}

// planRun returns the room for a run of n edges whose ends lie in the given ranges.
func planRun(n int, lo, hi [2]uint32) runArea {
	var a runArea
	for i := range a.dirs {
		d := csrDir{edges: i == int(toEnd), count: uint32(n)}
		if dense(n, lo[i], hi[i]) {
			d.base, d.nodes = lo[i], uint64(hi[i]-lo[i])+1
		} else {
			d.sparse, d.nodes = true, min(uint64(n), uint64(hi[i]-lo[i])+1)
		}
		d.off = a.bytes
		a.dirs[i] = d
		a.bytes += d.size()
	}
	return a
}

// index makes the index of a direction in b, the room of it, from the sorted keys. A sparse
// one closes up behind the keys that there are.
func (d *csrDir) index(ctx context.Context, b []byte, keys []uint32, workers int) error {
	if d.sparse {
		d.nodes = uint64(distinct(keys))
		c := d.carve(b)
		sparseIndex(keys, c.Keys, c.Starts)
		return nil
	}
	c := d.carve(b)
	return indexOf(ctx, keys, d.base, c.Offsets, workers)
}
