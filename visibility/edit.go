package visibility

import (
	"math/bits"

	"github.com/ingotdb/ingot/kernels"
)

// WithRows returns the group with rows rows, of which the added ones are visible. It
// returns g itself if g has as many already: a group never shrinks. It panics if
// rows is more than GroupRows.
func (g *Group) WithRows(rows uint32) *Group {
	checkRows(rows)
	if rows <= g.rows {
		return g
	}
	ng := *g
	ng.rows = rows

	// A short vector whose rows are all deleted is no longer all deleted when it grows.
	if last := g.rows / VectorRows; g.rows%VectorRows != 0 && g.vectors[last] == &allDeleted {
		b := new(bitmap)
		setBits(b, 0, g.rows%VectorRows)
		ng.vectors[last] = b
	}

	// Only the run that ends at the last row grows.
	longest := g.longest
	tail := g.tailStart()
	if r := (Run{tail, rows - tail}); r.Start == longest.Start || r.Length > longest.Length {
		longest = r
	}
	ng.setLongest(longest)
	return &ng
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
	if start >= g.rows {
		return g, 0
	}
	e := groupEdit{old: g}
	end := start + min(n, g.rows-start)
	for i := start; i < end; {
		v := i / VectorRows
		base, rows := v*VectorRows, g.vectorRows(v)
		stop := min(end, base+rows)
		visible := stop - i - deletedIn(g.vectors[v], i-base, stop-base)
		switch {
		case visible == 0:
		case stop-i == rows:
			e.group().vectors[v] = &allDeleted
		default:
			setBits(e.writable(v), i-base, stop-base)
		}
		e.n += int(visible)
		i = stop
	}
	e.cut = e.n > 0 && g.longest.Length > 0 && start < g.longest.End() && g.longest.Start < end
	return e.finish()
}

// groupEdit is a group in the making.
type groupEdit struct {
	old   *Group
	ng    *Group // a copy of old; nil until something changes
	owned uint64 // bit v: the bitmap of vector v was made by this edit
	n     int    // rows newly deleted
	cut   bool   // one of them lies in the longest run
}

// group returns the group to write to.
func (e *groupEdit) group() *Group {
	if e.ng == nil {
		ng := *e.old
		e.ng = &ng
	}
	return e.ng
}

// writable returns the bitmap of vector v to write to.
func (e *groupEdit) writable(v uint32) *bitmap {
	at := &e.group().vectors[v]
	if e.owned&(1<<v) == 0 {
		b := **at
		*at = &b
		e.owned |= 1 << v
	}
	return *at
}

// finish returns the new group and the number of rows newly deleted.
func (e *groupEdit) finish() (*Group, int) {
	if e.n == 0 {
		return e.old, 0
	}
	g := e.ng
	g.deleted += uint32(e.n)
	for owned := e.owned; owned != 0; owned &= owned - 1 {
		v := bits.TrailingZeros64(owned)
		if rows := g.vectorRows(uint32(v)); deletedIn(g.vectors[v], 0, rows) == rows {
			g.vectors[v] = &allDeleted
		}
	}
	// Deleting shortens runs and never makes one longer, so the longest stays the longest, and
	// the first of equals, until it is cut itself.
	if e.cut {
		g.setLongest(g.findLongest())
	}
	return g, e.n
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
