package columnar

import (
	"context"
	"fmt"
	"sort"

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

// runCheck is the edges of a run by their columns.
type runCheck struct {
	table  *Table
	run    *adjRun
	where  string
	pieces []edgePiece // ascending; not those whose values were given up because they are deleted
}

// edgePiece is consecutive edges, from position at of their run on.
type edgePiece struct {
	at   uint32
	ends [2][]int64
	seen []uint64 // bitmap: edges that a direction had
}

// check verifies a run, whether it was opened before or not.
func (r *adjRun) check(t *Table, nodes [2]*Table) error {
	c := &runCheck{table: t, run: r, where: "memory"}
	a := &AdjacencyRun{}
	if r.file != nil {
		c.where = r.file.name
		if err := r.load(a); err != nil {
			return err
		}
	} else {
		var err error
		if a, err = r.open(t); err != nil {
			return err
		}
	}
	done := r.first
	if err := t.ends(r.first, r.count, func(at uint32, from, to []int64) error {
		first := r.first + visibility.RowID(at)
		if err := c.gap(done, first); err != nil {
			return err
		}
		done = first + visibility.RowID(len(from))
		c.pieces = append(c.pieces, edgePiece{at, [2][]int64{from, to}, make([]uint64, (len(from)+63)/64)})
		for i := range from {
			if !t.vis.Visible(first + visibility.RowID(i)) {
				continue
			}
			if !nodes[fromEnd].vis.Visible(visibility.RowID(from[i])) || !nodes[toEnd].vis.Visible(visibility.RowID(to[i])) {
				return corrupt(c.where, -1, "edge %d goes from row %d to row %d, which are not both there", first+visibility.RowID(i), from[i], to[i])
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := c.gap(done, r.end()); err != nil {
		return err
	}
	for e, dir := range []*CSR{&a.Forward, &a.Backward} {
		if err := c.direction(dir, end(e)); err != nil {
			return err
		}
	}
	return nil
}

// gap holds that edges without values are deleted.
func (c *runCheck) gap(from, to visibility.RowID) error {
	if n := c.table.vis.LiveIn(from, uint64(to-from)); n > 0 {
		return corrupt(c.where, -1, "%d edges from %d on have no ends", n, from)
	}
	return nil
}

// piece returns the piece that has the edge at a position; nil if its values were given up.
func (c *runCheck) piece(pos uint32) *edgePiece {
	i := sort.Search(len(c.pieces), func(i int) bool { return c.pieces[i].at > pos }) - 1
	if i < 0 || int(pos-c.pieces[i].at) >= len(c.pieces[i].ends[0]) {
		return nil
	}
	return &c.pieces[i]
}

// direction holds that d has every edge that is not deleted, once, with the ends that the
// columns give.
func (c *runCheck) direction(d *CSR, e end) error {
	for i := range c.pieces {
		clear(c.pieces[i].seen)
	}
	var err error
	var p *edgePiece
	d.each(func(node, lo, hi uint32) {
		for i := lo; i < hi && err == nil; i++ {
			pos := d.Edge(i)
			if p == nil || pos < p.at || int(pos-p.at) >= len(p.ends[0]) {
				if p = c.piece(pos); p == nil {
					continue
				}
			}
			at := int(pos - p.at)
			if bit(p.seen, at) || p.ends[e][at] != int64(node) || p.ends[1-e][at] != int64(d.Neighbors[i]) {
				err = corrupt(c.where, -1, "adjacency of node %d: edge %d is there twice, or has other ends", node, c.run.first+visibility.RowID(pos))
			}
			p.seen[at>>6] |= 1 << (at & 63)
		}
	})
	for k := range c.pieces {
		p := &c.pieces[k]
		for i := 0; i < len(p.ends[0]) && err == nil; i++ {
			if id := c.run.first + visibility.RowID(p.at) + visibility.RowID(i); !bit(p.seen, i) && c.table.vis.Visible(id) {
				err = corrupt(c.where, -1, "edge %d is not in the adjacency", id)
			}
		}
	}
	return err
}
