package naive

import "slices"

// Rel says between which tables the rows of a rel table are edges.
type Rel struct {
	From, To uint32
	Group    string
}

// run is a stored adjacency run.
type run struct {
	first, edges int
	file         uint64
	dirs         [2]direction // forward, backward
}

// direction is where one direction of a run lies.
type direction struct {
	sparse, positions bool
	base, nodes       uint64
	neighbours        uint64
	offset            uint64
	sum               uint32
}

func (c *cursor) rel() *Rel {
	return &Rel{From: c.id("from table"), To: c.id("to table"), Group: c.name("name of a group")}
}

func (c *cursor) run() *run {
	r := &run{first: c.limited(1<<62, "first edge"), edges: c.limited(1<<32-1, "edges"), file: c.uvarint()}
	for i := range r.dirs {
		flags := c.u8()
		d := direction{sparse: flags&1 != 0, positions: flags&2 != 0, base: c.uvarint(), nodes: c.uvarint(),
			neighbours: c.uvarint(), offset: c.uvarint(), sum: c.u32()}
		if flags > 3 || d.neighbours > uint64(r.edges) || d.sparse && (d.base != 0 || d.nodes > d.neighbours) ||
			d.base > 1<<32 || d.nodes > 1<<32-d.base {
			c.fail("direction %d of a run: %+v", i, d)
		}
		r.dirs[i] = d
	}
	if r.edges == 0 || r.dirs[0].neighbours != r.dirs[1].neighbours {
		c.fail("run of %d edges", r.edges)
	}
	return r
}

// related puts the rel of a table in, which must hold edges between node tables.
func (h *history) related(c *cursor, t *Table, r *Rel) {
	if c.err != nil {
		return
	}
	for _, id := range []uint32{r.From, r.To} {
		if n := h.tables[id]; n == nil || n.Rel != nil || id == t.ID {
			c.fail("rel table %d is between tables %d and %d", t.ID, r.From, r.To)
		}
	}
	t.Rel = r
	t.endsHold(c)
}

// endsHold fails unless the table's first two columns are those of edges.
func (t *Table) endsHold(c *cursor) {
	for i, name := range []string{"from", "to"} {
		if len(t.Columns) < 2 || t.Columns[i].ID != uint32(i+1) || t.Columns[i].Name != name ||
			t.Columns[i].Type != (Type{Kind: Int8}) || !t.Columns[i].NotNull {
			c.fail("column %q of rel table %d", name, t.ID)
			return
		}
	}
}

// unused reads the id of a table that no rel table is between, or only ones that have given
// no row ids.
func (h *history) unused(c *cursor, empty bool) *Table {
	t := h.table(c)
	for _, other := range h.tables {
		if t != nil && other.Rel != nil && (other.Rel.From == t.ID || other.Rel.To == t.ID) && !(empty && other.Rows == 0) {
			c.fail("table %d is at an end of rel table %d", t.ID, other.ID)
		}
	}
	return t
}

// covered puts a stored run over edges that no other stored run is over.
func (h *history) covered(c *cursor, t *Table, r *run, last bool) {
	if c.err != nil {
		return
	}
	end := r.first + r.edges
	switch {
	case t.Rel == nil || h.files[r.file].number == 0:
		c.fail("run in table %d, data file %d", t.ID, r.file)
	case end > t.Rows || last && end != t.Rows:
		c.fail("run of edges %d to %d of %d", r.first, end, t.Rows)
	case len(t.runs) > 0 && t.runs[len(t.runs)-1].first+t.runs[len(t.runs)-1].edges > r.first:
		c.fail("run from edge %d over others", r.first)
	}
	t.runs = append(t.runs, r)
}

// relState applies what a state says of rel tables.
func (h *history) relState(c *cursor) {
	for range c.count("rel tables") {
		t := h.table(c)
		r := c.rel()
		if c.err != nil {
			return
		}
		h.related(c, t, r)
		for range c.count("runs") {
			if c.err != nil {
				return
			}
			h.covered(c, t, c.run(), false)
		}
		c.extra()
	}
}

// array returns n u32s of b from at on, and where what follows them begins.
func array(b []byte, at, n uint64) (v []uint32, next uint64, err error) {
	if n > uint64(len(b))/4 || at > uint64(len(b))-4*n {
		return nil, 0, corrupt("run", "%d numbers at %d of %d bytes", n, at, len(b))
	}
	v = make([]uint32, n)
	for i := range v {
		v[i] = u32(b[at+4*uint64(i):])
	}
	return v, at + align(4*n), nil
}

func align(n uint64) uint64 { return (n + 63) &^ 63 }

// hop is an edge as a run has it.
type hop struct{ node, neighbour, position uint32 }

// hops reads a direction from the bytes of its data file.
func (d direction) hops(file []byte) ([]hop, error) {
	index := d.nodes + 1
	size := align(4 * d.neighbours)
	if d.positions {
		size *= 2
	}
	if size += align(4 * index); d.sparse {
		size += align(4 * d.nodes)
	}
	b, err := part(file, "run", d.offset, size, d.sum)
	if err != nil {
		return nil, err
	}
	if d.offset < block {
		return nil, corrupt("run", "at %d", d.offset)
	}
	neighbours, at, err := array(b, 0, d.neighbours)
	if err != nil {
		return nil, err
	}
	positions := make([]uint32, d.neighbours)
	for i := range positions {
		positions[i] = uint32(i)
	}
	if d.positions {
		if positions, at, err = array(b, at, d.neighbours); err != nil {
			return nil, err
		}
	}
	var nodes []uint32
	if d.sparse {
		if nodes, at, err = array(b, at, d.nodes); err != nil {
			return nil, err
		}
		for i := 1; i < len(nodes); i++ {
			if nodes[i] <= nodes[i-1] {
				return nil, corrupt("run", "node %d after %d", nodes[i], nodes[i-1])
			}
		}
	}
	starts, _, err := array(b, at, index)
	if err != nil {
		return nil, err
	}
	if !slices.IsSorted(starts) || starts[0] != 0 || uint64(starts[d.nodes]) != d.neighbours {
		return nil, corrupt("run", "starts")
	}
	var out []hop
	for i := range d.nodes {
		node := uint32(d.base + i)
		if d.sparse {
			node = nodes[i]
		}
		for k := starts[i]; k < starts[i+1]; k++ {
			out = append(out, hop{node, neighbours[k], positions[k]})
		}
	}
	return out, nil
}

// verifyRuns compares the stored runs of a rel table with its edges: every one that is not
// deleted is there, once each way.
func (h *history) verifyRuns(t *Table) error {
	type ends struct{ from, to int64 }
	var edges []*ends
	for _, f := range t.frags {
		from, to := f.chunk(1), f.chunk(2)
		for i := range f.rows {
			if from == nil || to == nil {
				edges = append(edges, nil)
				continue
			}
			edges = append(edges, &ends{from.values[i].(int64), to.values[i].(int64)})
		}
	}
	for id, e := range edges {
		if e != nil && !t.Deleted[id] && (!h.tables[t.Rel.From].live(e.from) || !h.tables[t.Rel.To].live(e.to)) {
			return corrupt(t.Name, "edge %d goes from row %d to row %d", id, e.from, e.to)
		}
	}
	for _, r := range t.runs {
		for way := range r.dirs {
			hops, err := h.hops(r, way)
			if err != nil {
				return err
			}
			seen := map[int]bool{}
			for _, p := range hops {
				id := r.first + int(p.position)
				if way == 1 {
					p.node, p.neighbour = p.neighbour, p.node
				}
				if int(p.position) >= r.edges || seen[id] || edges[id] != nil && *edges[id] != (ends{int64(p.node), int64(p.neighbour)}) {
					return corrupt(t.Name, "run from edge %d: edge %d from %d to %d", r.first, id, p.node, p.neighbour)
				}
				seen[id] = true
			}
			for id := r.first; id < r.first+r.edges; id++ {
				if !seen[id] && !t.Deleted[id] {
					return corrupt(t.Name, "run from edge %d is without edge %d", r.first, id)
				}
			}
		}
	}
	return nil
}

// hops reads one direction of a run.
func (h *history) hops(r *run, way int) ([]hop, error) {
	b, err := h.content(r.file)
	if err != nil {
		return nil, err
	}
	return r.dirs[way].hops(b)
}

// live tells whether the table has a row that is not deleted.
func (t *Table) live(id int64) bool {
	return id >= 0 && id < int64(t.Rows) && !t.Deleted[id]
}
