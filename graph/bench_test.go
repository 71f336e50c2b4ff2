package graph

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ingotdb/ingot/bench/graph/graphs"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/visibility"
)

// csr returns the dense adjacency from keys to others by counting.
func csr(nodes int, keys, others []uint32, ids bool) columnar.CSR {
	c := columnar.CSR{Offsets: make([]uint32, nodes+1), Neighbors: make([]uint32, len(keys))}
	for _, k := range keys {
		c.Offsets[k+1]++
	}
	for i := range nodes {
		c.Offsets[i+1] += c.Offsets[i]
	}
	if ids {
		c.Edges = make([]uint32, len(keys))
	}
	at := append([]uint32(nil), c.Offsets...)
	for i, k := range keys {
		c.Neighbors[at[k]] = others[i]
		if ids {
			c.Edges[at[k]] = uint32(i)
		}
		at[k]++
	}
	return c
}

// holes says where the rows of a benchmark are deleted.
type holes struct{ nodes, edges bool }

// oneOf returns the ids of one row of each row group.
func oneOf(groups int) (ids []visibility.RowID) {
	for i := range groups {
		ids = append(ids, visibility.RowID(i)<<visibility.GroupShift)
	}
	return ids
}

// graphOf builds a graph; deleted rows are row 0 of every row group.
func graphOf(b testing.TB, e *graphs.Graph, del holes) *Graph {
	b.Helper()
	from, to := make([]uint32, len(e.From)), make([]uint32, len(e.From))
	at := csr(e.Nodes, e.From, e.To, false)
	copy(to, at.Neighbors)
	for u := range e.Nodes {
		for i := at.Offsets[u]; i < at.Offsets[u+1]; i++ {
			from[i] = uint32(u)
		}
	}
	run := columnar.AdjacencyRun{Count: uint32(len(from)), Forward: at, Backward: csr(e.Nodes, to, from, true)}
	nodes := new(visibility.Groups).Append(uint64(e.Nodes))
	edges := new(visibility.Groups).Append(uint64(len(from)))
	if del.nodes {
		nodes, _ = nodes.WithDeleted(oneOf(nodes.Len())[1:]) // the searches start at row 0
	}
	if del.edges {
		edges, _ = edges.WithDeleted(oneOf(edges.Len()))
	}
	g, err := build([]nodeSpace{{vis: nodes}}, []relSpace{{vis: edges, runs: []columnar.AdjacencyRun{run}}})
	if err != nil {
		b.Fatal(err)
	}
	return g
}

var (
	twoComponents = sync.OnceValue(func() *graphs.Graph { return graphs.TwoComponents(1_000_000, 5_000_000) })
	grid          = sync.OnceValue(func() *graphs.Graph { return graphs.Grid(1000, 1000) })
	social        = sync.OnceValue(func() *graphs.Graph { g, _ := graphs.Social(graphs.Persons, graphs.Knows); return g })
)

// eachHoles runs a benchmark without deletes, and with a row deleted in each row group of
// the nodes and of the edges.
func eachHoles(b *testing.B, e *graphs.Graph, bench func(b *testing.B, g *Graph, workers int)) {
	for _, del := range []holes{{}, {nodes: true}, {edges: true}} {
		g := graphOf(b, e, del)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("nodes=%v/edges=%v/workers=%d", del.nodes, del.edges, workers), func(b *testing.B) {
				b.ReportAllocs()
				bench(b, g, workers)
			})
		}
	}
}

func BenchmarkComponentsApart(b *testing.B) {
	e := twoComponents()
	for _, d := range []Direction{Forward, Both} {
		b.Run(d.String(), func(b *testing.B) {
			eachHoles(b, e, func(b *testing.B, g *Graph, workers int) {
				opt := Options{Direction: d, MaxWorkers: workers}
				for b.Loop() {
					_, found, err := g.ShortestPath(b.Context(), Node{0, 1}, Node{0, 1_000_001}, Hops{0, NoLimit}, &opt)
					if found || err != nil {
						b.Fatal(found, err)
					}
				}
			})
		})
	}
}

func BenchmarkGrid(b *testing.B) {
	eachHoles(b, grid(), func(b *testing.B, g *Graph, workers int) {
		opt := Options{Direction: Both, MaxWorkers: workers}
		for b.Loop() {
			p, found, err := g.ShortestPath(b.Context(), Node{0, 1}, Node{0, 999_999}, Hops{0, NoLimit}, &opt)
			if !found || err != nil || p.Len() < 1997 {
				b.Fatal(found, err, p.Len())
			}
		}
	})
}

func BenchmarkSocialPair(b *testing.B) {
	eachHoles(b, social(), func(b *testing.B, g *Graph, workers int) {
		opt := Options{Direction: Both, MaxWorkers: workers}
		rng := rand.New(rand.NewPCG(1, 1))
		for b.Loop() {
			from, to := visibility.RowID(rng.IntN(graphs.Persons)), visibility.RowID(rng.IntN(graphs.Persons))
			if _, _, err := g.ShortestPath(b.Context(), Node{0, from}, Node{0, to}, Hops{0, NoLimit}, &opt); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkReachable(b *testing.B) {
	for _, c := range []struct {
		name string
		e    *graphs.Graph
	}{{"components", twoComponents()}, {"grid", grid()}, {"social", social()}} {
		b.Run(c.name, func(b *testing.B) {
			eachHoles(b, c.e, func(b *testing.B, g *Graph, workers int) {
				opt := Options{Direction: Both, MaxWorkers: workers}
				for b.Loop() {
					if n, err := g.ReachableCount(b.Context(), []Node{{0, 1}}, Hops{0, NoLimit}, &opt); err != nil || n[0] < 1000 {
						b.Fatal(n, err)
					}
				}
			})
		})
	}
}

// BenchmarkReachableCount counts what is within three hops of each of many persons, one by
// one and together.
func BenchmarkReachableCount(b *testing.B) {
	g := graphOf(b, social(), holes{})
	sources := make([]Node, 512)
	for i := range sources {
		sources[i].Row = visibility.RowID(i * 19)
	}
	for _, c := range []struct {
		name  string
		lanes int
	}{{"single", 1 << 30}, {"together", usual.lanes}} {
		b.Run(c.name, func(b *testing.B) {
			tune := usual
			tune.lanes = c.lanes
			opt := Options{Direction: Both, MaxWorkers: 1, tuning: &tune}
			for b.Loop() {
				if _, err := g.ReachableCount(b.Context(), sources, Hops{1, 3}, &opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWholeGraph(b *testing.B) {
	g := graphOf(b, twoComponents(), holes{})
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("components/workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				if c, err := g.Components(b.Context(), &Options{MaxWorkers: workers}); err != nil || c.Count != 2 {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("pagerank/workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				if _, err := g.PageRank(b.Context(), &PageRankOptions{Options: Options{MaxWorkers: workers}, Iterations: 10}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPathsBetween goes along the one path of a line, with and without its weight.
func BenchmarkPathsBetween(b *testing.B) {
	g := line(b, 400, 1)
	for _, weight := range []string{"", "w"} {
		b.Run("weight="+weight, func(b *testing.B) {
			for b.Loop() {
				err := failure(g.PathsBetween(b.Context(), Node{0, 0}, Node{0, 399}, Hops{0, NoLimit}, Trail, &Options{Weight: weight}))
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
