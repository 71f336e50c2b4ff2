package columnar

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// keyed is a schema of nodes: column "key" has the row's test id.
func keyed(name string) *Schema {
	return &Schema{Name: name, Columns: []Column{
		{Name: "key", Type: Type{Kind: Int8}, NotNull: true},
		{Name: "t", Type: Type{Kind: Text}},
	}, Constraints: []Constraint{{Name: name + "_pkey", Kind: PrimaryKey, Columns: []uint32{1}}}}
}

// relate makes a rel table between two tables.
func (c *change) relate(name, from, to string, props ...Column) error {
	a, err := c.tx.Table(from)
	if err != nil {
		return err
	}
	b, err := c.tx.Table(to)
	if err != nil {
		return err
	}
	s := &Schema{Name: name, Columns: props, Rel: &Rel{From: a.Schema().ID, To: b.Schema().ID}}
	if err := c.create(s); err != nil {
		return err
	}
	c.m.tables[name].rel = [2]string{from, to}
	return nil
}

// rels returns the names of the rel tables that have a table at an end.
func (m *model) rels(name string) (out []string) {
	for rel, t := range m.tables {
		if t.rel[0] == name || t.rel[1] == name {
			out = append(out, rel)
		}
	}
	slices.Sort(out)
	return out
}

// referenced holds that what fn does with a table that has edges is refused.
func (c *change) referenced(name string, fn func() error) error {
	if err := fn(); pgerr.Code(err) != pgerr.DependentObjects {
		return fmt.Errorf("%s has edges, but: %w", name, errors.Join(err, errors.New("not refused")))
	}
	return nil
}

// connect appends n edges in fragments of the given size, between nodes that the model has;
// none if there are no nodes.
func (c *change) connect(name string, n, fragment int, planned bool) error {
	t := c.m.tables[name]
	from, to := c.m.tables[t.rel[0]].rows, c.m.tables[t.rel[1]].rows
	if len(from) == 0 || len(to) == 0 {
		return nil
	}
	rows := make([]modelRow, n)
	keys := map[uint64][2]uint64{}
	for i := range rows {
		id := c.m.nextID + uint64(i)
		x, y := from[stir(id, 1)%uint64(len(from))], to[stir(id, 2)%uint64(len(to))]
		rows[i] = modelRow{id: id, born: t.version, ends: [2]visibility.RowID{x.at, y.at}}
		keys[id] = [2]uint64{x.id, y.id}
	}
	s, err := c.tx.LoadSchema(name)
	if err != nil {
		return err
	}
	l, err := loadCells(c.w.s, s, c.m.nextID, n, fragment, planned, func(col *Column, id uint64) Value {
		if col.ID <= toColumn {
			return Value{Type: col.Type, I: int64(keys[id][col.ID-1])}
		}
		return cell(col, id)
	})
	if err != nil {
		return err
	}
	defer l.Abort()
	if c.m.nextID%3 == 0 { // what an autocommit COPY does
		if err := l.Sync(context.Background()); err != nil {
			return err
		}
	}
	a, err := c.tx.AppendConflict(context.Background(), name, l, ConflictError)
	if err != nil {
		return err
	}
	if a.First != t.nextRow || a.Rows != int64(n) {
		return fmt.Errorf("%d of %d edges of %s from %d on, want %d", a.Rows, n, name, a.First, t.nextRow)
	}
	slices.SortStableFunc(rows, func(x, y modelRow) int { return int(x.ends[0]) - int(y.ends[0]) })
	for i := range rows {
		rows[i].at = t.nextRow
		t.nextRow++
	}
	t.rows = append(t.rows, rows...)
	c.m.nextID += uint64(n)
	return nil
}

// cascade takes the edges of rows that go out of the model, and returns how many those are.
func (m *model) cascade(name string, gone map[visibility.RowID]bool) (edges int) {
	for _, rel := range m.rels(name) {
		t := m.tables[rel]
		var left []modelRow
		for _, r := range t.rows {
			if (t.rel[0] == name && gone[r.ends[0]]) || (t.rel[1] == name && gone[r.ends[1]]) {
				edges++
			} else {
				left = append(left, r)
			}
		}
		t.rows = left
	}
	return edges
}

// checkRels holds that the adjacency of every rel table of the snapshot says what the
// columns say.
func checkRels(snap *Snapshot) error {
	v := snap.ref.Value()
	for _, t := range v.list() {
		if t.schema.Rel == nil {
			continue
		}
		var all []error
		err := v.checkEdges(context.Background(), t, func(err error) { all = append(all, err) })
		if err := errors.Join(append(all, err)...); err != nil {
			return err
		}
		if _, err := snap.Adjacency(t.schema.Name); err != nil {
			return err
		}
	}
	return nil
}

// walk reads the whole adjacency of a rel table, and reports a node, a neighbour or an edge
// that graph algorithms could not index their arrays with.
func walk(adj *Adjacency, most int) error {
	nodes := [2]uint64{uint64(adj.From.NextRow()), uint64(adj.To.NextRow())}
	return mmap.Guard(func() error {
		for _, r := range adj.Runs {
			for e, c := range []*CSR{&r.Forward, &r.Backward} {
				var bad error
				seen := 0
				c.each(func(n, lo, hi uint32) {
					if uint64(n) >= nodes[e] {
						bad = fmt.Errorf("node %d of %d", n, nodes[e])
					}
					for i := lo; i < hi; i++ {
						if x := c.Neighbors[i]; uint64(x) >= nodes[1-e] {
							bad = fmt.Errorf("neighbour %d of %d", x, nodes[1-e])
						}
						if p := c.Edge(i); p >= r.Count {
							bad = fmt.Errorf("edge %d of %d", p, r.Count)
						}
						if seen++; seen > most {
							return
						}
					}
				})
				if bad != nil {
					return bad
				}
				c.Range(0)
				c.Range(noNode)
			}
		}
		return nil
	})
}

// relatives is a step that makes node tables "p" and "t" and rel tables "q" and "self".
func relatives() step {
	return commits("relate", func(c *change) error {
		return errors.Join(c.create(keyed("p")), c.create(keyed("t")), c.load("p", 40, 64, true), c.load("t", 30, 64, true),
			c.relate("q", "p", "t", Column{Name: "w", Type: Type{Kind: Text}}), c.relate("self", "p", "p"))
	})
}
