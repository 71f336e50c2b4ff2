package graph

import (
	"slices"

	"github.com/ingotdb/ingot/visibility"
)

// Path is a walk through a graph. What an iterator yields is valid until its next step.
type Path struct {
	Nodes  []Node  // in order; one more than edges
	Edges  []Edge  // Edges[i] leads from Nodes[i] to Nodes[i+1]
	Weight float64 // sum of the edges' weights; 0 without Options.Weight
}

// Len returns the number of edges.
func (p Path) Len() int { return len(p.Edges) }

// Clone returns a copy that stays valid.
func (p Path) Clone() Path {
	p.Nodes, p.Edges = slices.Clone(p.Nodes), slices.Clone(p.Edges)
	return p
}

// setStart makes the path the node with number u alone.
func (p *Path) setStart(g *Graph, u uint32) {
	p.Nodes = append(p.Nodes[:0], g.node(u))
	p.Edges, p.Weight = p.Edges[:0], 0
}

// edgeOf returns an arc's edge; back says that the arc goes against the path.
func edgeOf(hops []hop, a arc, back bool) Edge {
	h := &hops[a.hop]
	return Edge{Rel: h.rel, Row: a.edge, Reversed: h.reversed != back}
}

// node returns the node at an arc's end.
func (h *hop) node(g *Graph, u uint32) Node {
	return Node{Table: h.target, Row: visibility.RowID(u - g.nodes[h.target].first)}
}
