package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/visibility"
)

// model is a graph as lists of nodes and edges, and what is allowed in it.
type model struct {
	nodes [][]bool // by table and row: is there
	rels  []modelRel
}

type modelRel struct {
	from, to int
	edges    []modelEdge // by row id
}

type modelEdge struct {
	from, to uint32
	gone     bool
	weight   float64
}

// shape says what random models look like.
type shape struct {
	tables, rels int
	rows, edges  int   // at most, of each table
	far          bool  // rows lie on both sides of the end of a row group
	delNodes     int   // percent
	delEdges     int   // percent
	runs         int   // at most
	weights      []int // to choose from
}

// random returns a model and the graph that is built of it.
func (s shape) random(rng *rand.Rand) (*model, *Graph) {
	m := &model{}
	var nodes []nodeSpace
	rows := make([]int, 1+rng.IntN(s.tables))
	places := make([][]uint32, len(rows)) // rows that edges may have as ends
	for t := range rows {
		rows[t] = 1 + rng.IntN(s.rows)
		first := 0
		if s.far && rng.IntN(2) == 0 {
			first = visibility.GroupRows - rows[t]/2
		}
		there := make([]bool, first+rows[t])
		var gone []visibility.RowID
		for r := range there {
			if there[r] = rng.IntN(100) >= s.delNodes; r < first {
				there[r] = r%1000 != 0
			}
			if r >= first {
				places[t] = append(places[t], uint32(r))
			}
			if !there[r] {
				gone = append(gone, visibility.RowID(r))
			}
		}
		vis, _ := new(visibility.Groups).Append(uint64(len(there))).WithDeleted(gone)
		m.nodes = append(m.nodes, there)
		nodes = append(nodes, nodeSpace{vis: vis})
	}
	var rels []relSpace
	for range 1 + rng.IntN(s.rels) {
		r := modelRel{from: rng.IntN(len(rows)), to: rng.IntN(len(rows))}
		var runs []columnar.AdjacencyRun
		left := rng.IntN(s.edges + 1)
		for n := 1 + rng.IntN(s.runs); n > 0; n-- {
			take := left
			if n > 1 {
				take = rng.IntN(left + 1)
			}
			left -= take
			first := len(r.edges)
			for range take {
				r.edges = append(r.edges, modelEdge{
					from:   places[r.from][rng.IntN(len(places[r.from]))],
					to:     places[r.to][rng.IntN(len(places[r.to]))],
					gone:   rng.IntN(100) < s.delEdges,
					weight: float64(s.weights[rng.IntN(len(s.weights))]),
				})
			}
			runs = append(runs, makeRun(rng, r.edges[first:], first))
		}
		rels = append(rels, r.space(runs))
		m.rels = append(m.rels, r)
	}
	g, err := build(nodes, rels)
	if err != nil {
		panic(err)
	}
	return m, g
}

// space returns the rel table of a model.
func (r *modelRel) space(runs []columnar.AdjacencyRun) relSpace {
	var gone []visibility.RowID
	b := columnar.ColumnBuf{Type: columnar.Type{Kind: columnar.Float8}}
	b.Fixed = make([]byte, 0, 8*len(r.edges))
	for i, e := range r.edges {
		if e.gone {
			gone = append(gone, visibility.RowID(i))
		}
		u := math.Float64bits(e.weight)
		for range 8 {
			b.Fixed = append(b.Fixed, byte(u))
			u >>= 8
		}
	}
	schema := &columnar.Schema{Name: "r", Columns: []columnar.Column{{Name: "w", Type: b.Type}}}
	vec := columnar.MakeVec(b.Type, len(r.edges), nil, b.Fixed, nil, nil, nil, nil)
	table, err := columnar.StagedTable(schema, [][]columnar.Vec{{vec}})
	if err != nil {
		panic(err)
	}
	vis, _ := new(visibility.Groups).Append(uint64(len(r.edges))).WithDeleted(gone)
	return relSpace{table: table, vis: vis, from: r.from, to: r.to, runs: runs}
}

// makeRun returns the adjacency run of edges. It sorts them by source first unless it
// makes the form of a merged run, whose edges have any order.
func makeRun(rng *rand.Rand, edges []modelEdge, first int) columnar.AdjacencyRun {
	merged := rng.IntN(3) == 0
	if !merged {
		sort.SliceStable(edges, func(i, j int) bool { return edges[i].from < edges[j].from })
	}
	run := columnar.AdjacencyRun{First: visibility.RowID(first), Count: uint32(len(edges))}
	end := func(i int, reversed bool) (key, other uint32) {
		if reversed {
			return edges[i].to, edges[i].from
		}
		return edges[i].from, edges[i].to
	}
	for _, reversed := range []bool{false, true} {
		order := make([]int, len(edges))
		for i := range order {
			order[i] = i
		}
		sort.SliceStable(order, func(i, j int) bool {
			a, _ := end(order[i], reversed)
			b, _ := end(order[j], reversed)
			return a < b
		})
		c := columnar.CSR{}
		for _, i := range order {
			_, other := end(i, reversed)
			c.Neighbors = append(c.Neighbors, other)
			if merged || reversed {
				c.Edges = append(c.Edges, uint32(i))
			}
		}
		if len(order) > 0 && rng.IntN(2) == 0 {
			c.Base, _ = end(order[0], reversed)
			last, _ := end(order[len(order)-1], reversed)
			at := 0
			for n := c.Base; n <= last; n++ {
				c.Offsets = append(c.Offsets, uint32(at))
				for ; at < len(order); at++ {
					if key, _ := end(order[at], reversed); key != n {
						break
					}
				}
			}
			c.Offsets = append(c.Offsets, uint32(at))
		} else {
			for at, i := range order {
				key, _ := end(i, reversed)
				if len(c.Keys) == 0 || c.Keys[len(c.Keys)-1] != key {
					c.Keys, c.Starts = append(c.Keys, key), append(c.Starts, uint32(at))
				}
			}
			c.Starts = append(c.Starts, uint32(len(order)))
		}
		if reversed {
			run.Backward = c
		} else {
			run.Forward = c
		}
	}
	return run
}

// allNodes returns every row that an edge could have as an end, deleted ones too.
func (m *model) allNodes() (out []Node) {
	for t, rows := range m.nodes {
		from := 0
		if len(rows) > visibility.GroupRows/2 {
			from = len(rows) - 20
		}
		for r := max(from, 0); r < len(rows); r++ {
			out = append(out, Node{t, visibility.RowID(r)})
		}
	}
	return out
}

// allowed is which rows a search may use.
type allowed struct {
	node func(Node) bool
	edge func(rel int, id visibility.RowID) bool
}

// neighbors returns the arcs of a node.
func (m *model) neighbors(n Node, d Direction, a allowed) (out []Neighbor) {
	if !a.node(n) {
		return nil
	}
	for i, r := range m.rels {
		for j, e := range r.edges {
			id := visibility.RowID(j)
			from, to := Node{r.from, visibility.RowID(e.from)}, Node{r.to, visibility.RowID(e.to)}
			if e.gone || !a.edge(i, id) || !a.node(from) || !a.node(to) {
				continue
			}
			if d != Backward && from == n {
				out = append(out, Neighbor{to, Edge{i, id, false}})
			}
			if d != Forward && to == n && !(d == Both && from == to) {
				out = append(out, Neighbor{from, Edge{i, id, true}})
			}
		}
	}
	return out
}

// arcsOf returns neighbors, computed once for each node.
func (m *model) arcsOf(d Direction, a allowed) func(Node) []Neighbor {
	known := map[Node][]Neighbor{}
	return func(n Node) []Neighbor {
		out, ok := known[n]
		if !ok {
			out = m.neighbors(n, d, a)
			known[n] = out
		}
		return out
	}
}

// distances returns how far every node is from one.
func distances(from Node, ok bool, arcs func(Node) []Neighbor) map[Node]int {
	if !ok {
		return nil
	}
	dist := map[Node]int{from: 0}
	for queue := []Node{from}; len(queue) > 0; queue = queue[1:] {
		for _, a := range arcs(queue[0]) {
			if _, seen := dist[a.Node]; !seen {
				dist[a.Node] = dist[queue[0]] + 1
				queue = append(queue, a.Node)
			}
		}
	}
	return dist
}

// enumerate returns the text of every path from a node with least to most edges that mode
// allows, sorted; stop ends it after so many.
func enumerate(from Node, ok bool, least, most int, mode Mode, arcs func(Node) []Neighbor, stop int) (out []string) {
	if !ok {
		return nil
	}
	var walk func(p Path)
	walk = func(p Path) {
		if p.Len() >= least {
			out = append(out, text(p))
		}
		if p.Len() == most || len(out) > stop {
			return
		}
		for _, a := range arcs(p.Nodes[p.Len()]) {
			same := func(e Edge) bool { return e.Rel == a.Edge.Rel && e.Row == a.Edge.Row }
			if mode == Trail && slices.ContainsFunc(p.Edges, same) || mode == Acyclic && slices.Contains(p.Nodes, a.Node) {
				continue
			}
			c := p.Clone()
			c.Nodes, c.Edges = append(c.Nodes, a.Node), append(c.Edges, a.Edge)
			walk(c)
		}
	}
	walk(Path{Nodes: []Node{from}})
	sort.Strings(out)
	return out
}

// text returns a path as text.
func text(p Path) string { return fmt.Sprint(p.Nodes, p.Edges) }

// cheapest returns the least weight of a path to every node.
func (m *model) cheapest(from Node, ok bool, arcs func(Node) []Neighbor) map[Node]float64 {
	if !ok {
		return nil
	}
	dist := map[Node]float64{from: 0}
	for changed := true; changed; {
		changed = false
		for n, d := range dist {
			for _, a := range arcs(n) {
				x := d + m.rels[a.Edge.Rel].edges[a.Edge.Row].weight
				if old, seen := dist[a.Node]; !seen || x < old {
					dist[a.Node], changed = x, true
				}
			}
		}
	}
	return dist
}
