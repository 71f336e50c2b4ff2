package columnar

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// touching calls edge with every visible edge of a rel table that has one of the rows at
// the end e, until it says no: the position of the row in ids, and the edge.
func (t *Table) touching(e end, ids []visibility.RowID, edge func(i int, id visibility.RowID) (more bool)) error {
	runs, err := t.openRuns()
	if err != nil {
		return err
	}
	return mmap.Guard(func() error {
		for i, n := range ids {
			if !eachEdge(runs, e, uint32(n), func(id visibility.RowID) bool {
				return !t.vis.Visible(id) || edge(i, id)
			}) {
				break
			}
		}
		return nil
	})
}

// eachEdge calls edge with the edges of node n, deleted or not, until it says no.
func eachEdge(runs []AdjacencyRun, e end, n uint32, edge func(id visibility.RowID) (more bool)) (done bool) {
	for i := range runs {
		c := &runs[i].Forward
		if e == toEnd {
			c = &runs[i].Backward
		}
		lo, hi := c.Range(n)
		for at := lo; at < hi; at++ {
			if !edge(runs[i].First + visibility.RowID(c.Edge(at))) {
				return false
			}
		}
	}
	return true
}

// restrict returns an error if an edge has one of the rows, of the table in a slot, at an
// end.
func (t *Txn) restrict(slot int, ids []visibility.RowID) error {
	table := t.draft.tables[slot]
	if len(ids) == 0 {
		return nil
	}
	for _, rel := range t.draft.rels(table.schema.ID) {
		for _, e := range []end{fromEnd, toEnd} {
			if rel.schema.Rel.node(e) != table.schema.ID {
				continue
			}
			held := -1
			if err := rel.touching(e, ids, func(i int, _ visibility.RowID) bool {
				if table.vis.Visible(ids[i]) {
					held = i
				}
				return held < 0
			}); err != nil {
				return err
			}
			if held >= 0 {
				return errHeld(table, ids[held], rel.schema, e)
			}
		}
	}
	return nil
}

// errHeld returns the error of deleting a row that an edge has at an end.
func errHeld(table *Table, id visibility.RowID, rel *Schema, e end) error {
	key, err := table.schema.nodeKey()
	if err != nil {
		return err
	}
	text := ""
	err = table.Fetch([]visibility.RowID{id}, []int{table.schema.position(key.ID)}, func(_ int, cols []Vec) error {
		return mmap.Guard(func() error {
			text = string(cols[0].AppendText(nil, 0, time.UTC))
			return nil
		})
	})
	if err != nil {
		return err
	}
	out := pgerr.New(pgerr.ForeignKeyViolation, "update or delete on table \"%s\" violates foreign key constraint \"%s\" on table \"%s\"",
		table.schema.Name, e.constraint(rel.Name), rel.Name).
		WithDetail("Key (%s)=(%s) is still referenced from table \"%s\".", key.Name, text, rel.Name)
	out.Table = table.schema.Name
	return out
}

// DeleteCascade is Delete that first deletes the edges of every rel table that have one of
// the rows at an end. It returns how many rows and how many edges were there.
func (t *Txn) DeleteCascade(name string, ids []visibility.RowID) (rows, edges int, err error) {
	slot, err := t.deletable(name, ids)
	if err != nil {
		return 0, 0, err
	}
	moved, err := t.detach(context.Background(), slot, ids, false)
	if err != nil {
		return 0, 0, err
	}
	for _, m := range moved {
		edges += len(m.edges)
	}
	return t.remove(slot, ids), edges, nil
}

// detached is the edges of a rel table that were deleted because a node at one of their
// ends is.
type detached struct {
	rel   *Table // before that
	edges []visibility.RowID
	ids   [2][]uint32 // their ends; only to be attached again
}

// detach deletes the edges that have one of the rows, of the table in a slot, at an end,
// and returns them; with ends if they are to be attached again.
func (t *Txn) detach(ctx context.Context, slot int, ids []visibility.RowID, ends bool) ([]detached, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var out []detached
	id := t.draft.tables[slot].schema.ID
	for _, rel := range t.draft.rels(id) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d := detached{rel: rel}
		for _, e := range []end{fromEnd, toEnd} {
			if rel.schema.Rel.node(e) != id {
				continue
			}
			if err := rel.touching(e, ids, func(_ int, edge visibility.RowID) bool {
				d.edges = append(d.edges, edge)
				return true
			}); err != nil {
				return nil, err
			}
		}
		if len(d.edges) == 0 {
			continue
		}
		slices.Sort(d.edges)
		d.edges = slices.Compact(d.edges)
		if ends {
			g := rel.gatherRows(d.edges)
			if err := mmap.Guard(func() (err error) {
				d.ids, err = g.ends()
				return err
			}); err != nil {
				return nil, err
			}
		}
		t.remove(t.draft.slotOf(rel.schema.ID), d.edges)
		out = append(out, d)
	}
	return out, nil
}

// ends returns the row ids at both ends of the gathered edges.
func (g *gatherer) ends() (ids [2][]uint32, err error) {
	for e := range ids {
		cols := make([][]int64, len(g.frags))
		for i, f := range g.frags {
			if cols[i], err = f.end(end(e)); err != nil {
				return ids, err
			}
		}
		ids[e] = make([]uint32, len(g.frag))
		for i, f := range g.frag {
			ids[e][i] = uint32(cols[f][g.row[i]])
		}
	}
	return ids, nil
}

// attach appends edges that were detached, with the new ids of the rows of the table with
// the given ID at their ends.
func (t *Txn) attach(ctx context.Context, moved []detached, table uint32, moves map[uint32]visibility.RowID) error {
	for i := range moved {
		d := &moved[i]
		for e := range d.ids {
			if d.rel.schema.Rel.node(end(e)) != table {
				continue
			}
			for i, id := range d.ids[e] {
				now, ok := moves[id]
				switch {
				case ok && now >= maxNodes-1:
					return errManyNodes(t.draft.tableOf(table).schema)
				case ok:
					d.ids[e][i] = uint32(now)
				}
			}
		}
		b := &edgeBuild{ctx: ctx, store: t.store, rel: d.rel.schema, limit: runtime.GOMAXPROCS(0), ids: d.ids,
			gather: func(order []uint32) *gatherer {
				ids := make([]visibility.RowID, len(order))
				for i, o := range order {
					ids[i] = d.edges[o]
				}
				return d.rel.gatherRows(ids)
			}}
		var err error
		if b.out, b.longest, err = d.rel.gatherRows(d.edges).outBytes(d.rel.schema); err != nil {
			return err
		}
		l, err := b.build()
		if err != nil {
			return err
		}
		if _, err := t.addEdges(ctx, t.draft.slotOf(d.rel.schema.ID), l); err != nil {
			l.discard()
			return err
		}
	}
	return nil
}

// Replace puts row i of a load in the place of the row ids[i] of the table called name,
// which is deleted; ids ascend and are visible. The edges of a row go over to the one that
// takes its place. Keys are checked as by Append. An error leaves the transaction to be
// rolled back, to a savepoint or as a whole.
func (t *Txn) Replace(ctx context.Context, name string, ids []visibility.RowID, l *Load) (a Appended, err error) {
	slot, err := t.deletable(name, ids)
	if err != nil {
		return a, err
	}
	rows := 0
	for _, f := range l.frags {
		if f != nil {
			rows += f.rows
		}
	}
	if rows != len(ids) {
		return a, fmt.Errorf("columnar: %d rows cannot take the place of %d", rows, len(ids))
	}
	table := t.draft.tables[slot]
	moved, err := t.detach(ctx, slot, ids, true)
	if err != nil {
		return a, err
	}
	if n := t.remove(slot, ids); n != len(ids) {
		return a, fmt.Errorf("columnar: %d of %d rows of %s are there to be replaced", n, len(ids), name)
	}
	if a, err = t.AppendConflict(ctx, name, l, ConflictError); err != nil || len(moved) == 0 {
		return a, err
	}
	moves := make(map[uint32]visibility.RowID, len(ids))
	for i, id := range ids {
		moves[uint32(id)] = a.First + visibility.RowID(i)
	}
	return a, t.attach(ctx, moved, table.schema.ID, moves)
}

// moves returns which row of the table in a slot has now the primary key that each of the
// given rows had in was.
func (t *Txn) moves(ctx context.Context, slot int, was *Table, ids []visibility.RowID) (map[uint32]visibility.RowID, error) {
	key, err := was.schema.nodeKey()
	if err != nil {
		return nil, err
	}
	c := newColumnBuf(key.Type, len(ids))
	if err := mmap.Guard(func() error { return was.gatherRows(ids).column(&c, key) }); err != nil {
		return nil, err
	}
	v, _ := c.vec(len(ids))
	keys, err := t.draft.tables[slot].Keys(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]visibility.RowID, len(ids))
	missing, err := keys.Find(ctx, []Vec{v}, rows)
	if err != nil {
		return nil, err
	}
	if missing > 0 {
		return nil, fmt.Errorf("columnar: %d replaced rows of %s have no successor", missing, was.schema.Name)
	}
	out := make(map[uint32]visibility.RowID, len(ids))
	for i, id := range ids {
		out[uint32(id)] = rows[i]
	}
	return out, nil
}
