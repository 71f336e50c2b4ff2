package graph

import (
	"fmt"
	"math"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/visibility"
)

// Node is a row of one of a graph's node tables.
type Node struct {
	Table int // position in Graph.Nodes
	Row   visibility.RowID
}

// Edge is a row of one of a graph's rel tables, as a path or a neighbour uses it.
type Edge struct {
	Rel      int // position in Graph.Rels
	Row      visibility.RowID
	Reversed bool // used from its destination to its source
}

// Graph is node tables and the rel tables between them at one commit point, or as one
// transaction sees them.
//
// Opening one costs the same whatever the tables hold. It is immutable, safe for concurrent
// use, and usable until the Snapshot or Txn that it was opened on ends.
type Graph struct {
	nodes []nodeSpace
	rels  []relSpace
	count uint32 // numbers given to nodes, with those between tables

	hops [Both + 1][]hop // by Direction
}

// nodeSpace is a node table and its range of numbers.
type nodeSpace struct {
	table *columnar.Table
	vis   *visibility.Groups
	first uint32
	rows  uint32 // of the table, deleted ones included
	holes bool   // rows of the table are deleted
}

// relSpace is a rel table.
type relSpace struct {
	table    *columnar.Table
	vis      *visibility.Groups
	from, to int // positions in Graph.nodes
	runs     []columnar.AdjacencyRun
	holes    *edgeHoles // nil if no edge of the table is deleted
}

// hop is one run of a rel table in one direction.
type hop struct {
	from, rows uint32 // the numbers [from, from+rows) of the nodes that it leads from
	to         uint32 // number of row 0 of the table that it leads to
	csr        *columnar.CSR
	first      visibility.RowID // id of the run's first edge
	holes      *edgeHoles       // of the rel table; nil if none of its edges is deleted
	rel        int
	source     int  // table that it leads from
	target     int  // table that it leads to
	reversed   bool // from destination to source
}

// maxNodes is the most numbers that the nodes of a graph take together.
const maxNodes = math.MaxUint32 - visibility.VectorRows

// build numbers the nodes and makes the hops. rels refer to positions in nodes.
func build(nodes []nodeSpace, rels []relSpace) (*Graph, error) {
	g := &Graph{nodes: nodes, rels: rels}
	next := uint64(0)
	for i := range g.nodes {
		n := &g.nodes[i]
		rows := n.vis.Rows()
		if next+rows > maxNodes {
			return nil, pgerr.New(pgerr.ProgramLimitExceeded, "graph: the node tables have more than %d rows", uint64(maxNodes))
		}
		n.first, n.rows = uint32(next), uint32(rows)
		n.holes = n.vis.Live() != rows
		next = (next + rows + visibility.VectorRows - 1) &^ (visibility.VectorRows - 1)
	}
	g.count = uint32(next)
	for i := range g.rels {
		r := &g.rels[i]
		r.holes = newHoles(r.vis, r.runs)
		for j := range r.runs {
			run := &r.runs[j]
			forward := hop{csr: &run.Forward, rel: i, first: run.First, source: r.from, target: r.to}
			backward := hop{csr: &run.Backward, rel: i, first: run.First, source: r.to, target: r.from, reversed: true}
			for _, h := range []hop{forward, backward} {
				h.holes = r.holes
				source := &g.nodes[h.source]
				h.from, h.rows, h.to = source.first, source.rows, g.nodes[h.target].first
				if c := h.csr; len(c.Offsets) > 0 && uint64(c.Base)+uint64(len(c.Offsets)-1) > uint64(h.rows) {
					return nil, fmt.Errorf("graph: the adjacency of rel table %d names nodes behind the %d rows of its node table: %w", i, h.rows, columnar.ErrCorrupt)
				}
				d := Forward
				if h.reversed {
					d = Backward
				}
				g.hops[d] = append(g.hops[d], h)
			}
		}
	}
	g.hops[Both] = append(append([]hop(nil), g.hops[Forward]...), g.hops[Backward]...)
	return g, nil
}

// Nodes returns the node tables. The slice is the graph's.
func (g *Graph) Nodes() []*columnar.Table {
	out := make([]*columnar.Table, len(g.nodes))
	for i := range g.nodes {
		out[i] = g.nodes[i].table
	}
	return out
}

// Rels returns the rel tables.
func (g *Graph) Rels() []*columnar.Table {
	out := make([]*columnar.Table, len(g.rels))
	for i := range g.rels {
		out[i] = g.rels[i].table
	}
	return out
}

// Visible reports whether n is a row that the graph sees.
func (g *Graph) Visible(n Node) bool {
	return uint(n.Table) < uint(len(g.nodes)) && g.nodes[n.Table].vis.Visible(n.Row)
}

// number returns the number of n; ok is false if n is not visible. A table that the graph
// does not have is an error.
func (g *Graph) number(n Node) (u uint32, ok bool, err error) {
	if uint(n.Table) >= uint(len(g.nodes)) {
		return 0, false, fmt.Errorf("graph: node table %d of %d", n.Table, len(g.nodes))
	}
	s := &g.nodes[n.Table]
	if !s.vis.Visible(n.Row) {
		return 0, false, nil
	}
	return s.first + uint32(n.Row), true, nil
}

// space returns the position of the table that number u belongs to.
func (g *Graph) space(u uint32) int {
	i := 0
	for i+1 < len(g.nodes) && g.nodes[i+1].first <= u {
		i++
	}
	return i
}

// node returns the node with number u.
func (g *Graph) node(u uint32) Node {
	t := g.space(u)
	return Node{Table: t, Row: visibility.RowID(u - g.nodes[t].first)}
}

// visible reports whether the node with number u, which belongs to table t, is visible.
func (g *Graph) visible(t int, u uint32) bool {
	s := &g.nodes[t]
	return !s.holes || s.vis.Visible(visibility.RowID(u-s.first))
}

// nodesDeleted reports whether any node table has deleted rows.
func (g *Graph) nodesDeleted() bool {
	for i := range g.nodes {
		if g.nodes[i].holes {
			return true
		}
	}
	return false
}

// edgesDeleted reports whether any rel table has deleted edges.
func (g *Graph) edgesDeleted() bool {
	for i := range g.rels {
		if g.rels[i].holes != nil {
			return true
		}
	}
	return false
}

// words returns the length of a bitmap of all nodes.
func (g *Graph) words() int { return int((uint64(g.count) + 63) / 64) }

// edges returns the neighbours of node u and the positions of the edges in the run: position
// i is edges[i], or lo+i if edges is nil.
func (h *hop) edges(u uint32) (lo uint32, neighbors, edges []uint32) {
	r := u - h.from
	if r >= h.rows {
		return 0, nil, nil
	}
	lo, hi := h.csr.Range(r)
	if h.csr.Edges != nil {
		edges = h.csr.Edges[lo:hi]
	}
	return lo, h.csr.Neighbors[lo:hi], edges
}

// id returns the id of the edge at a position in the run.
func (h *hop) id(at uint32) visibility.RowID { return h.first + visibility.RowID(at) }

// whole reports whether the consecutive edges [lo, hi) of the run, hi > lo, are certainly
// all visible.
func (h *hop) whole(lo, hi uint32) bool {
	a, b := h.id(lo), h.id(hi-1)
	g := h.holes.vis.At(int(a.Group()))
	if g == nil || a.Group() != b.Group() {
		return false
	}
	if run := g.LongestRun(); run.Contains(a.Row()) && run.Contains(b.Row()) {
		return true
	}
	v := a.Row() / visibility.VectorRows
	if v != b.Row()/visibility.VectorRows {
		return false
	}
	state, _ := g.Vector(int(v))
	return state == visibility.None
}
