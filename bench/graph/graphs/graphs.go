// Package graphs generates the graphs that searches are measured on. The same arguments
// give the same graph on every machine.
package graphs

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Graph is nodes 0 to Nodes-1 and edges from From[i] to To[i].
type Graph struct {
	Nodes    int
	From, To []uint32
}

func (g *Graph) add(from, to uint32) {
	g.From, g.To = append(g.From, from), append(g.To, to)
}

// TwoComponents returns two components of nodes nodes and edges edges each, of which the second
// starts at node nodes. Node 0 reaches every node of the first along the edges, and every node
// of the second reaches its first node: a search between them has to read all of one
// component. The rest of the edges join random nodes.
func TwoComponents(nodes, edges int) *Graph {
	rng := rand.New(rand.NewPCG(1, uint64(nodes)))
	g := &Graph{Nodes: 2 * nodes}
	for c := range 2 {
		first := uint32(c * nodes)
		for v := 1; v < nodes; v++ {
			a, b := first+uint32(rng.IntN(v)), first+uint32(v)
			if c == 1 {
				a, b = b, a
			}
			g.add(a, b)
		}
		for range edges - (nodes - 1) {
			g.add(first+uint32(rng.IntN(nodes)), first+uint32(rng.IntN(nodes)))
		}
	}
	return g
}

// Grid returns a grid: node y*width+x has an edge to its right and one to the node below.
func Grid(width, height int) *Graph {
	g := &Graph{Nodes: width * height}
	for y := range height {
		for x := range width {
			u := uint32(y*width + x)
			if x+1 < width {
				g.add(u, u+1)
			}
			if y+1 < height {
				g.add(u, u+uint32(width))
			}
		}
	}
	return g
}

// LDBC's graph at scale factor 1, which Social resembles.
const (
	Persons = 9892
	Knows   = 180_623
)

// Social returns persons who know each other: edges pairs, no pair twice, with degrees that
// follow a power law, and the persons' first names. A new person knows some who are there, the
// more likely the more a person knows already, or somebody whom such a person knows.
func Social(persons, edges int) (*Graph, []string) {
	rng := rand.New(rand.NewPCG(2, uint64(persons)))
	g := &Graph{Nodes: persons}
	seen := map[uint64]bool{}
	ends := []uint32{0}
	known := make([][]uint32, persons)
	join := func(a, b uint32) {
		key := uint64(min(a, b))<<32 | uint64(max(a, b))
		if a == b || seen[key] || len(g.From) == edges {
			return
		}
		seen[key] = true
		g.add(min(a, b), max(a, b))
		ends = append(ends, a, b)
		known[a], known[b] = append(known[a], b), append(known[b], a)
	}
	for p := 1; p < persons; p++ {
		want := edges * p / (persons - 1)
		for tries := 0; len(g.From) < want && tries < 40*edges/persons; tries++ {
			friend := ends[rng.IntN(len(ends))]
			if f := known[friend]; len(f) > 0 && rng.IntN(2) == 0 {
				friend = f[rng.IntN(len(f))]
			}
			join(uint32(p), friend)
		}
	}
	for len(g.From) < edges {
		join(ends[rng.IntN(len(ends))], ends[rng.IntN(len(ends))])
	}
	g.sort()
	names := make([]string, persons)
	for i := range names {
		// The most frequent name is that of one person in twenty, and most are rare.
		u := rng.Float64()
		names[i] = "Name" + strconv.Itoa(int(400*u*u))
	}
	return g, names
}

// sort orders the edges by source, then destination.
func (g *Graph) sort() {
	order := make([]uint64, len(g.From))
	for i := range order {
		order[i] = uint64(g.From[i])<<32 | uint64(g.To[i])
	}
	slices.SortFunc(order, cmp.Compare)
	for i, e := range order {
		g.From[i], g.To[i] = uint32(e>>32), uint32(e)
	}
}
