package columnar

import (
	"slices"

	"github.com/ingotdb/ingot/visibility"
)

// piece is rows [from, from+rows) of a fragment: all of it, unless the fragment
// straddles the end of a row group.
type piece struct {
	frag *fragment
	from int32
	rows int32
}

// rowGroup is the pieces of 131,072 consecutive row ids, fewer in the last group.
type rowGroup struct {
	pieces []piece
	rows   int
}

// Table is one version of a table. It is immutable; it stays readable for as long as
// the Snapshot or Txn that it came from.
type Table struct {
	schema *Schema
	full   []*rowGroup // groups of exactly GroupRows rows; only ever appended to, so that versions share it
	tail   *rowGroup   // the last group, below GroupRows rows; nil if there is none
	vis    *visibility.Groups
	runs   []*adjRun   // of a rel table: its adjacency
	keyed  *endKeys    // of a rel table that is read with keys
	keys   *keyIndexes // shared by all versions in which a row id means the same row: a truncated table has another
}

// newTable returns an empty table of store s, nil if it belongs to none.
func newTable(schema *Schema, s *Store) *Table {
	return &Table{schema: schema, vis: new(visibility.Groups), keys: &keyIndexes{store: s}}
}

// Schema returns the table's shape; it must not be changed.
func (t *Table) Schema() *Schema { return t.schema }

// Rows returns the number of rows, without deleted ones.
func (t *Table) Rows() uint64 { return t.vis.Live() }

// NextRow returns the id that the next row gets: all rows ever, deleted ones included.
func (t *Table) NextRow() visibility.RowID { return visibility.RowID(t.vis.Rows()) }

// Groups returns the number of row groups.
func (t *Table) Groups() int { return t.vis.Len() }

// Visibility returns which rows of the table are not deleted.
func (t *Table) Visibility() *visibility.Groups { return t.vis }

// group returns row group i.
func (t *Table) group(i int) *rowGroup {
	if i < len(t.full) {
		return t.full[i]
	}
	return t.tail
}

// grow returns t with f's rows behind its own. With merge, neighbours in memory that are
// not larger than f are merged with it into one fragment while that stays below
// mergeRows: many small commits cost O(log n) copies of a row, not a fragment each.
func (t *Table) grow(f *fragment, merge bool) *Table {
	n := *t
	n.vis = t.vis.Append(uint64(f.rows))
	for from := 0; from < f.rows; {
		tail := n.tail
		if tail == nil {
			tail = &rowGroup{}
		}
		take := min(visibility.GroupRows-tail.rows, f.rows-from)
		g := &rowGroup{rows: tail.rows + take}
		p := piece{frag: f, from: int32(from), rows: int32(take)}
		if merge {
			g.pieces = mergeTail(tail.pieces, p)
		} else {
			g.pieces = append(slices.Clip(tail.pieces), p)
		}
		from += take
		if n.tail = g; g.rows == visibility.GroupRows {
			n.full = append(n.full, g)
			n.tail = nil
		}
	}
	return &n
}

// mergeRows is the largest fragment that merging makes.
const mergeRows = 8192

// mergeTail returns pieces with p behind them, p merged with its neighbours.
func mergeTail(pieces []piece, p piece) []piece {
	for len(pieces) > 0 {
		last := pieces[len(pieces)-1]
		whole := last.frag.file == nil && p.frag.file == nil && !last.frag.folding.Load() &&
			int(last.rows) == last.frag.rows && int(p.rows) == p.frag.rows
		if !whole || last.rows > p.rows || last.rows+p.rows > mergeRows || !last.frag.sameColumns(p.frag) {
			break
		}
		m := mergeFragments(last.frag, p.frag)
		p = piece{frag: m, rows: int32(m.rows)}
		pieces = pieces[:len(pieces)-1]
	}
	return append(slices.Clip(pieces), p)
}

func (f *fragment) sameColumns(g *fragment) bool {
	if len(f.chunks) != len(g.chunks) {
		return false
	}
	for i := range f.chunks {
		if f.chunks[i].col != g.chunks[i].col || f.chunks[i].typ != g.chunks[i].typ {
			return false
		}
	}
	return true
}

// mergeFragments returns a fragment in memory with the rows of a and then those of b,
// which have the same columns.
func mergeFragments(a, b *fragment) *fragment {
	f := &fragment{rows: a.rows + b.rows, chunks: make([]chunk, len(a.chunks))}
	for i := range f.chunks {
		x, y, k := &a.chunks[i], &b.chunks[i], &f.chunks[i]
		k.col, k.typ = x.col, x.typ
		k.vec = concat(&x.vec, &y.vec)
		k.zone = zoneOf(&k.vec, x.zone.Nulls+y.zone.Nulls)
		k.loc.size = layoutOf(k.typ, k.vec.valid == nil, f.rows).size
		k.loc.outLen = int64(len(k.vec.data))
	}
	return f
}

// concat returns a's rows and then b's, in new memory.
func concat(a, b *Vec) Vec {
	v := Vec{typ: a.typ, n: a.n + b.n}
	v.valid = concatBits(a, b, a.valid, b.valid, true)
	v.nan = concatBits(a, b, a.nan, b.nan, false)
	switch {
	case a.offs != nil:
		first, base := b.offs[0], a.offs[a.n]-a.offs[0]
		v.offs = make([]int32, 0, v.n+1)
		for _, o := range a.offs {
			v.offs = append(v.offs, o-a.offs[0])
		}
		for _, o := range b.offs[1:] {
			v.offs = append(v.offs, o-first+base)
		}
		v.data = slices.Concat(a.data[a.offs[0]:a.offs[a.n]], b.data[first:b.offs[b.n]])
	case a.bits != nil:
		v.bits = concatBits(a, b, a.bits, b.bits, false)
	default:
		v.fixed = append(append(alignedBytes(len(a.fixed) + len(b.fixed))[:0], a.fixed...), b.fixed...)
	}
	return v
}

// concatBits concatenates two bitmaps, of which a missing one reads as all absent;
// two missing ones give none.
func concatBits(a, b *Vec, x, y []uint64, absent bool) []uint64 {
	if x == nil && y == nil {
		return nil
	}
	out := make([]uint64, (a.n+b.n+63)/64)
	putBits(out, 0, x, a.off, a.n, absent)
	putBits(out, a.n, y, b.off, b.n, absent)
	return out
}

// withDeleted returns t with the given rows deleted and how many were visible before.
func (t *Table) withDeleted(ids []visibility.RowID) (*Table, int) {
	vis, n := t.vis.WithDeleted(ids)
	if n == 0 {
		return t, 0
	}
	c := *t
	c.vis = vis
	return &c, n
}

// withSchema returns t under another schema of the same table.
func (t *Table) withSchema(s *Schema) *Table {
	c := *t
	c.schema = s
	return &c
}

// pieces calls each with every piece and the id of its first row.
func (t *Table) pieces(each func(first visibility.RowID, p piece)) {
	for i := range t.Groups() {
		at := visibility.RowID(i) << visibility.GroupShift
		for _, p := range t.group(i).pieces {
			each(at, p)
			at += visibility.RowID(p.rows)
		}
	}
}
