package columnar

import (
	"context"
	"fmt"

	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// each calls fn with the nodes that have neighbours, ascending, and where these are.
func (c *CSR) each(fn func(node, lo, hi uint32)) {
	for i := 0; i+1 < len(c.Offsets); i++ {
		if c.Offsets[i] < c.Offsets[i+1] {
			fn(c.Base+uint32(i), c.Offsets[i], c.Offsets[i+1])
		}
	}
	for i, n := range c.Keys {
		fn(n, c.Starts[i], c.Starts[i+1])
	}
}

// checkEdges verifies the adjacency of a rel table from its bytes: it says of every edge
// what the columns say, both ways, and the ends of edges that are not deleted are not
// either.
func (v *version) checkEdges(ctx context.Context, t *Table, found func(error)) error {
	nodes, err := v.endTables(t.schema.Rel)
	if err != nil {
		return err
	}
	at := visibility.RowID(0)
	for _, r := range t.runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.first != at || r.count == 0 {
			found(fmt.Errorf("columnar: check %s: a run of %d edges begins at edge %d, not %d: %w", t.schema.Name, r.count, r.first, at, ErrCorrupt))
			return nil
		}
		at = r.end()
		if err := mmap.Guard(func() error { return r.check(t, nodes) }); err != nil {
			found(fmt.Errorf("columnar: check %s, edges from %d: %w", t.schema.Name, r.first, err))
		}
	}
	if at != t.NextRow() {
		found(fmt.Errorf("columnar: check %s: runs of %d edges, of which there are %d: %w", t.schema.Name, at, t.NextRow(), ErrCorrupt))
	}
	return nil
}

// check verifies a run, whether it was opened before or not.
func (r *adjRun) check(t *Table, nodes [2]*Table) error {
	a := &AdjacencyRun{}
	where := "memory"
	if r.file != nil {
		where = r.file.name
		if err := r.load(a); err != nil {
			return err
		}
	} else {
		var err error
		if a, err = r.open(t); err != nil {
			return err
		}
	}
	ends := runEnds{known: make([]uint64, (r.count+63)/64)}
	for e := range ends.of {
		ends.of[e] = make([]uint32, r.count)
	}
	var dangling error
	if err := t.ends(r.first, r.count, func(at uint32, from, to []int64) error {
		for i := range from {
			pos := int(at) + i
			ends.of[fromEnd][pos], ends.of[toEnd][pos] = uint32(from[i]), uint32(to[i])
			ends.known[pos>>6] |= 1 << (pos & 63)
			id := r.first + visibility.RowID(pos)
			if dangling == nil && t.vis.Visible(id) &&
				!(nodes[fromEnd].vis.Visible(visibility.RowID(from[i])) && nodes[toEnd].vis.Visible(visibility.RowID(to[i]))) {
				dangling = corrupt(where, -1, "edge %d goes from row %d to row %d, which are not both there", id, from[i], to[i])
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if dangling != nil {
		return dangling
	}
	for e, c := range []*CSR{&a.Forward, &a.Backward} {
		if err := r.checkDirection(t, c, &ends, end(e), where); err != nil {
			return err
		}
	}
	return nil
}

// runEnds is the ends of a run's edges by their columns.
type runEnds struct {
	of    [2][]uint32
	known []uint64 // bitmap: not those whose values were given up because they are deleted
}

// checkDirection holds that c has every edge that is not deleted, once, with the ends that
// the columns give.
func (r *adjRun) checkDirection(t *Table, c *CSR, ends *runEnds, e end, where string) error {
	near, far := ends.of[e], ends.of[1-e]
	seen := make([]uint64, (r.count+63)/64)
	var err error
	c.each(func(node, lo, hi uint32) {
		for i := lo; i < hi && err == nil; i++ {
			pos := c.Edge(i)
			if bit(seen, int(pos)) || bit(ends.known, int(pos)) && (near[pos] != node || far[pos] != c.Neighbors[i]) {
				err = corrupt(where, -1, "adjacency of node %d: edge %d is there twice, or has other ends", node, r.first+visibility.RowID(pos))
			}
			seen[pos>>6] |= 1 << (pos & 63)
		}
	})
	for i := 0; i < int(r.count) && err == nil; i++ {
		if id := r.first + visibility.RowID(i); !bit(seen, i) && t.vis.Visible(id) {
			err = corrupt(where, -1, "edge %d is not in the adjacency", id)
		}
	}
	return err
}
