package visibility

import "github.com/ingotdb/ingot/kernels"

// WithRows returns the group with rows rows, of which the added ones are visible. It
// returns g itself if g has as many already: a group never shrinks. It panics if
// rows is more than GroupRows.
func (g *Group) WithRows(rows uint32) *Group {
	checkRows(rows)
	if rows <= g.rows {
		return g
	}
	ng := &Group{rows: rows, deleted: g.deleted, vectors: g.vectors}

	// A short vector whose rows are all deleted is no longer all deleted when it grows.
	if last := g.rows / VectorRows; g.rows%VectorRows != 0 && g.vectors[last] == &allDeleted {
		b := new(bitmap)
		setBits(b, 0, g.rows%VectorRows)
		t := *g.vectors
		t[last] = b
		ng.vectors = &t
	}

	// Only the run that ends at the last row grows.
	longest := g.longest
	tail := g.tailStart()
	if r := (Run{tail, rows - tail}); r.Start == longest.Start || r.Length > longest.Length {
		longest = r
	}
	ng.setLongest(longest)
	return ng
}

// WithDeleted returns the group with the given rows deleted, and how many of them were
// visible before.
//
// A row may be named twice or be deleted already. A row that does not exist is passed over.
// Ascending order is the fast one, any order is right. rows is only read. Returns g itself
// if nothing changes; otherwise the bitmaps of the vectors with newly deleted rows, and no
// others, are copied.
func (g *Group) WithDeleted(rows []uint32) (ng *Group, n int) {
	e := groupEdit{old: g}
	for _, i := range rows {
		if !g.Visible(i) {
			continue
		}
		b := e.writable(i / VectorRows)
		word, bit := &b[i/64%vectorWords], uint64(1)<<(i%64)
		if *word&bit != 0 {
			continue
		}
		*word |= bit
		e.n++
		e.cut = e.cut || g.longest.Contains(i)
	}
	return e.finish()
}

// WithDeletedRange returns the group with n rows from start on deleted, and how many of
// them were visible before. The part of the range past the last row is passed over. It
// costs what the vectors in the range cost, not the rows.
func (g *Group) WithDeletedRange(start, n uint32) (*Group, int) {
	e := groupEdit{old: g}
	if start >= g.rows {
		return g, 0
	}
	end := start + min(n, g.rows-start)
	for i := start; i < end; {
		v := i / VectorRows
		base, rows := v*VectorRows, g.vectorRows(v)
		stop := min(end, base+rows)
		visible := stop - i - deletedIn(g.vectors[v], i-base, stop-base)
		switch {
		case visible == 0:
		case stop-i == rows:
			e.table()[v] = &allDeleted
		default:
			setBits(e.writable(v), i-base, stop-base)
		}
		e.n += int(visible)
		i = stop
	}
	e.cut = e.n > 0 && g.longest.Length > 0 && start < g.longest.End() && g.longest.Start < end
	return e.finish()
}

// groupEdit is a group in the making: the old one, and what was copied of it so far.
type groupEdit struct {
	old     *Group
	vectors *vectorTable // nil until something changes
	owned   uint64       // bit v: the bitmap of vector v was made by this edit
	n       int          // rows newly deleted
	cut     bool         // one of them lies in the longest run
}

// table returns the vector table to write to.
func (e *groupEdit) table() *vectorTable {
	if e.vectors == nil {
		t := *e.old.vectors
		e.vectors = &t
	}
	return e.vectors
}

// writable returns the bitmap of vector v to write to.
func (e *groupEdit) writable(v uint32) *bitmap {
	t := e.table()
	if e.owned&(1<<v) == 0 {
		b := *t[v]
		t[v] = &b
		e.owned |= 1 << v
	}
	return t[v]
}

// finish returns the new group and the number of rows newly deleted.
func (e *groupEdit) finish() (*Group, int) {
	g := e.old
	if e.n == 0 {
		return g, 0
	}
	ng := &Group{rows: g.rows, deleted: g.deleted + uint32(e.n), vectors: e.vectors}
	for v := range ng.vectors {
		if e.owned&(1<<v) == 0 {
			continue
		}
		rows := int(ng.vectorRows(uint32(v)))
		if kernels.PopCount(ng.vectors[v][:], rows) == rows {
			ng.vectors[v] = &allDeleted
		}
	}
	// Deleting shortens runs and never makes one longer, so the longest stays the longest, and
	// the first of equals, until it is cut itself.
	if e.cut {
		ng.setLongest(ng.findLongest())
	} else {
		ng.setLongest(g.longest)
	}
	return ng, e.n
}

// setBits sets bits [from, to) of b.
func setBits(b *bitmap, from, to uint32) {
	for from < to {
		w := from / 64
		stop := min(to, (w+1)*64)
		b[w] |= maskBits(from%64, stop-w*64)
		from = stop
	}
}

// deletedIn returns the number of bits set in [from, to) of b.
func deletedIn(b *bitmap, from, to uint32) uint32 {
	switch b {
	case &noneDeleted:
		return 0
	case &allDeleted:
		return to - from
	}
	return uint32(kernels.PopCount(b[:], int(to)) - kernels.PopCount(b[:], int(from)))
}

// maskBits returns a word with bits [from, to) set, for from < 64 and from <= to <= 64.
func maskBits(from, to uint32) uint64 {
	return ^uint64(0) << from & (1<<to - 1)
}
