package visibility

import (
	"iter"
	"math/bits"

	"github.com/ingotdb/ingot/kernels"
)

// NextRun returns the visible run that begins at row from or, if that is not visible, the
// next one after it; Length is 0 if there is none.
//
// The run goes on to the last row before a deleted one. Vectors of which none or all
// rows are deleted are passed without a look at bits, and so is the longest run.
func (g *Group) NextRun(from uint32) Run {
	if g.longest.Contains(from) {
		return Run{from, g.longest.End() - from}
	}
	start := g.nextVisible(from)
	if start == g.rows {
		return Run{}
	}
	if g.longest.Start == start {
		return g.longest
	}
	return Run{start, g.nextDeleted(start) - start}
}

// Runs iterates over the visible runs in order of rows. They are maximal: a deleted row or
// an end of the group lies on each side. No run allocates.
func (g *Group) Runs() iter.Seq[Run] {
	return func(yield func(Run) bool) {
		for r := g.NextRun(0); r.Length > 0 && yield(r); {
			r = g.NextRun(r.End())
		}
	}
}

// nextVisible returns the first visible row at or after from, or g.rows.
func (g *Group) nextVisible(from uint32) uint32 {
	for from < g.rows {
		v := from / VectorRows
		base := v * VectorRows
		switch b := g.vectors[v]; b {
		case &noneDeleted:
			return from
		case &allDeleted:
		default:
			n := g.vectorRows(v)
			from -= base
			from += uint32(kernels.LeadingOnes(b[:], int(from), int(n)))
			if from < n {
				return base + from
			}
		}
		from = base + VectorRows
	}
	return g.rows
}

// nextDeleted returns the first deleted row at or after from, or g.rows.
func (g *Group) nextDeleted(from uint32) uint32 {
	for from < g.rows {
		v := from / VectorRows
		base := v * VectorRows
		switch b := g.vectors[v]; b {
		case &noneDeleted:
		case &allDeleted:
			return from
		default:
			n := g.vectorRows(v)
			from -= base
			from += uint32(kernels.LeadingZeros(b[:], int(from), int(n)))
			if from < n {
				return base + from
			}
		}
		from = base + VectorRows
	}
	return g.rows
}

// tailStart returns the first row of the visible run that ends at the last row, or g.rows
// if the last row is deleted.
func (g *Group) tailStart() uint32 {
	if g.longest.Length > 0 && g.longest.End() == g.rows {
		return g.longest.Start
	}
	for v := g.Vectors() - 1; v >= 0; v-- {
		base := uint32(v) * VectorRows
		switch b := g.vectors[v]; b {
		case &noneDeleted:
		case &allDeleted:
			return min(base+VectorRows, g.rows)
		default:
			return base + afterLastSet(b)
		}
	}
	return 0
}

// findLongest returns the longest visible run, the first of equals.
//
// Whole vectors are counted first: where one vector has no deleted row, no run that lies
// inside another can be the longest, and only the ends of vectors with a bitmap are looked
// at.
func (g *Group) findLongest() Run {
	vectors := uint32(g.Vectors())
	whole := false
	for v := range vectors {
		whole = whole || g.vectors[v] == &noneDeleted && g.vectorRows(v) == VectorRows
	}
	var best, open Run // open ends where the vector begins
	for v := range vectors {
		base, n := v*VectorRows, g.vectorRows(v)
		switch b := g.vectors[v]; b {
		case &noneDeleted:
			open.Length += n
		case &allDeleted:
			best = longer(best, open)
			open = Run{base + n, 0}
		default:
			open.Length += uint32(kernels.LeadingZeros(b[:], 0, int(n)))
			best = longer(best, open)
			if !whole {
				start, length := kernels.LongestRun(b[:], int(n))
				best = longer(best, Run{base + uint32(start), uint32(length)})
			}
			after := afterLastSet(b)
			open = Run{base + after, n - after}
		}
	}
	return longer(best, open)
}

// longer returns the longer of two runs, a if they are equal.
func longer(a, b Run) Run {
	if b.Length > a.Length {
		return b
	}
	return a
}

// afterLastSet returns the position after the last set bit of b, 0 if there is none.
func afterLastSet(b *bitmap) uint32 {
	for w := vectorWords - 1; w >= 0; w-- {
		if b[w] != 0 {
			return uint32(w*64 + bits.Len64(b[w]))
		}
	}
	return 0
}
