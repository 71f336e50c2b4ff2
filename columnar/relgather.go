package columnar

import (
	"fmt"

	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// rowFinder finds rows of consecutive fragments by their position in all of them.
type rowFinder struct {
	frags  []*fragment
	starts []uint32 // position of each fragment's first row, and the number of all
	blocks []uint32 // the fragment that has row i<<finderShift
}

const finderShift = 10

func findRows(frags []*fragment) *rowFinder {
	r := &rowFinder{frags: frags, starts: make([]uint32, len(frags)+1)}
	for i, f := range frags {
		r.starts[i+1] = r.starts[i] + uint32(f.rows)
	}
	all := r.starts[len(frags)]
	r.blocks = make([]uint32, (uint64(all)+1<<finderShift-1)>>finderShift)
	f := uint32(0)
	for i := range r.blocks {
		for r.starts[f+1] <= uint32(i)<<finderShift {
			f++
		}
		r.blocks[i] = f
	}
	return r
}

// gatherer collects columns of rows that lie anywhere in some fragments.
type gatherer struct {
	frags []*fragment
	frag  []uint32 // index in frags of each row
	row   []uint32 // and its row there
}

// gather returns a gatherer of the rows at the given positions.
func (r *rowFinder) gather(at []uint32) *gatherer {
	g := &gatherer{frags: r.frags, frag: make([]uint32, len(at)), row: make([]uint32, len(at))}
	for i, p := range at {
		f := r.blocks[p>>finderShift]
		for r.starts[f+1] <= p {
			f++
		}
		g.frag[i], g.row[i] = f, p-r.starts[f]
	}
	return g
}

// open returns a column of each fragment.
func (g *gatherer) open(col *Column) (vecs []*Vec, err error) {
	vecs = make([]*Vec, len(g.frags))
	for i, f := range g.frags {
		if vecs[i], err = f.column(col); err != nil {
			return nil, err
		}
	}
	return vecs, nil
}

// newColumnBuf returns a column of n null rows in memory.
func newColumnBuf(t Type, n int) ColumnBuf {
	c := ColumnBuf{Type: t}
	lay := layoutOf(t, false, n)
	c.carve(alignedBytes(int(lay.size)), lay, n)
	return c
}

// column stores the values of a column at rows 0 on of c.
func (g *gatherer) column(c *ColumnBuf, col *Column) error {
	vecs, err := g.open(col)
	if err != nil {
		return err
	}
	if c.Valid != nil {
		for i, f := range g.frag {
			if !vecs[f].IsNull(int(g.row[i])) {
				c.Valid[i>>6] |= 1 << (i & 63)
			}
		}
	}
	switch w := col.Type.Width(); {
	case col.Type.Variable():
		if err := g.bytes(c, vecs); err != nil {
			return fmt.Errorf("columnar: column %s: %w", col.Name, err)
		}
	case w == 0:
		for i, f := range g.frag {
			if v := vecs[f]; bit(v.bits, v.off+int(g.row[i])) {
				c.Bits[i>>6] |= 1 << (i & 63)
			}
		}
	case w == 4:
		out := c.Int32s()
		for i, f := range g.frag {
			out[i] = view[int32](vecs[f].fixed)[g.row[i]]
		}
	case w == 8:
		out := c.Int64s()
		for i, f := range g.frag {
			out[i] = view[int64](vecs[f].fixed)[g.row[i]]
		}
	default:
		for i, f := range g.frag {
			copy(c.Fixed[i*w:(i+1)*w], vecs[f].fixed[int(g.row[i])*w:])
		}
	}
	for i, f := range g.frag {
		if v := vecs[f]; v.nan != nil && bit(v.nan, v.off+int(g.row[i])) {
			c.EnsureNaN(len(g.frag))
			c.NaN[i>>6] |= 1 << (i & 63)
		}
	}
	return nil
}

// bytes gathers values of variable length.
func (g *gatherer) bytes(c *ColumnBuf, vecs []*Vec) error {
	sum := 0
	for i, f := range g.frag {
		offs := vecs[f].offs
		sum += int(offs[g.row[i]+1] - offs[g.row[i]])
	}
	if sum > maxChunkBytes {
		return fmt.Errorf("%d bytes are too many for a fragment", sum)
	}
	c.Data = make([]byte, 0, sum)
	for i, f := range g.frag {
		c.Data = append(c.Data, vecs[f].Bytes(int(g.row[i]))...)
		c.Offsets[i+1] = int32(len(c.Data))
	}
	return nil
}

// outBytes returns the bytes of variable length in the gathered rows of a table of schema
// s, and those of the longest value.
func (g *gatherer) outBytes(s *Schema) (sum, longest int64, err error) {
	for c := range s.Columns {
		col := &s.Columns[c]
		if !col.Type.Variable() {
			continue
		}
		vecs, err := g.open(col)
		if err != nil {
			return 0, 0, err
		}
		if err := mmap.Guard(func() error {
			for i, f := range g.frag {
				offs := vecs[f].offs
				n := int64(offs[g.row[i]+1] - offs[g.row[i]])
				sum, longest = sum+n, max(longest, n)
			}
			return nil
		}); err != nil {
			return 0, 0, err
		}
	}
	return sum, longest, nil
}

// gatherRows returns a gatherer of rows of a table, by id; they must be there.
func (t *Table) gatherRows(ids []visibility.RowID) *gatherer {
	g := &gatherer{frag: make([]uint32, len(ids)), row: make([]uint32, len(ids))}
	seen := map[*fragment]uint32{}
	for i, id := range ids {
		p, row := t.locate(id)
		at, ok := seen[p.frag]
		if !ok {
			at = uint32(len(g.frags))
			seen[p.frag] = at
			g.frags = append(g.frags, p.frag)
		}
		g.frag[i], g.row[i] = at, uint32(row)
	}
	return g
}
