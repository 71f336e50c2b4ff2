package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/ingotdb/ingot/visibility"
)

// tunings make small graphs be searched as large ones are.
var tunings = []*tuning{
	nil,
	{wideEdges: 0, parallelEdges: 1 << 30, joinWords: 1, lanes: 1 << 30, pullCost: 1 << 30},
	{wideEdges: 0, parallelEdges: 0, joinWords: 1, pullCost: 1 << 30},
	{wideEdges: 0, parallelEdges: 0, joinWords: 1, pullCost: 0},
	{wideEdges: 1 << 30, narrowEdges: 2, parallelEdges: 0, joinWords: 1, lanes: 3, pullCost: 1 << 30},
	{wideEdges: 1 << 30, narrowEdges: 3, parallelEdges: 1, joinWords: 1, lanes: 3, pullCost: 0},
	{wideEdges: 4, narrowEdges: 6, parallelEdges: 6, joinWords: 3, lanes: 2, pullCost: 1},
}

// scene is a random graph, options, and what a search with them may use.
type scene struct {
	m    *model
	g    *Graph
	opt  Options
	may  allowed
	arcs func(Node) []Neighbor
	from Node
	to   Node
	ok   bool // from may be used
	okTo bool
}

// newScene returns the scene of a seed.
func newScene(seed uint64, s shape) *scene {
	rng := rand.New(rand.NewPCG(seed, 1))
	if rng.IntN(3) == 0 {
		s.delNodes = 0
	}
	if rng.IntN(3) == 0 {
		s.delEdges = 0
	}
	m, g := s.random(rng)
	return sceneOf(rng, m, g)
}

// sceneOf returns a scene of a graph with random options.
func sceneOf(rng *rand.Rand, m *model, g *Graph) *scene {
	c := &scene{m: m, g: g}
	c.opt = Options{Direction: Direction(rng.IntN(3)), MaxWorkers: 1 + rng.IntN(3), tuning: tunings[rng.IntN(len(tunings))]}
	there := func(n Node) bool { return c.m.nodes[n.Table][n.Row] }
	c.may = allowed{node: there, edge: func(int, visibility.RowID) bool { return true }}
	salt := rng.Uint64()
	passes := func(kind, table int, id visibility.RowID) bool {
		return (uint64(id)+uint64(table)*7+uint64(kind)*3+salt)*0x9e3779b97f4a7c15>>62 != 0
	}
	filter := func(kind int) Filter {
		return func(table int, ids []visibility.RowID, keep []uint64) error {
			for i, id := range ids {
				if !passes(kind, table, id) {
					keep[i/64] &^= 1 << (i % 64)
				}
			}
			return nil
		}
	}
	if rng.IntN(3) == 0 {
		c.opt.Nodes = filter(0)
		c.may.node = func(n Node) bool { return there(n) && passes(0, n.Table, n.Row) }
	}
	if rng.IntN(3) == 0 {
		c.opt.Edges = filter(1)
		c.may.edge = func(rel int, id visibility.RowID) bool { return passes(1, rel, id) }
	}
	c.arcs = c.m.arcsOf(c.opt.Direction, c.may)
	all := c.m.allNodes()
	for i := range g.rels {
		if h := g.rels[i].holes; h != nil && rng.IntN(2) == 0 {
			h.cost = 0 // the ends of deleted edges are looked up at once
		}
	}
	c.from, c.to = all[rng.IntN(len(all))], all[rng.IntN(len(all))]
	c.ok, c.okTo = c.may.node(c.from), c.may.node(c.to)
	return c
}

// eachScene runs a test on many scenes. The name of a failing one is its seed.
func eachScene(t *testing.T, n int, s shape, test func(*scene, *testing.T)) {
	t.Helper()
	if testing.Short() {
		n /= 4
	}
	for seed := range uint64(n) {
		failed := t.Failed()
		test(newScene(seed, s), t)
		if t.Failed() && !failed {
			t.Fatalf("the first scene to fail is newScene(%d, %+v)", seed, s)
		}
	}
}

var (
	small  = shape{tables: 1, rels: 1, rows: 12, edges: 20, delNodes: 10, delEdges: 15, runs: 3, weights: []int{0, 1, 1, 2, 5}}
	mixed  = shape{tables: 3, rels: 4, rows: 10, edges: 14, delNodes: 15, delEdges: 15, runs: 3, weights: []int{0, 1, 1, 2, 5}}
	broad  = shape{tables: 2, rels: 3, rows: 400, edges: 1500, delNodes: 5, delEdges: 2, runs: 4, weights: []int{0, 1, 3, 10}}
	far    = shape{tables: 2, rels: 2, rows: 14, edges: 20, far: true, delNodes: 10, delEdges: 10, runs: 2, weights: []int{1, 2}}
	tiny   = shape{tables: 2, rels: 2, rows: 5, edges: 6, delNodes: 8, delEdges: 10, runs: 2, weights: []int{1}}
	shapes = []struct {
		s shape
		n int
	}{{small, 1200}, {mixed, 1200}, {broad, 24}, {far, 8}}
)

func TestNeighbors(t *testing.T) {
	for _, s := range shapes {
		eachScene(t, s.n, s.s, (*scene).checkNeighbors)
	}
}

// checkNeighbors compares Neighbors of a scene with the model.
func (c *scene) checkNeighbors(t *testing.T) {
	t.Helper()
	var got, want []string
	for n, err := range c.g.Neighbors(t.Context(), c.from, &c.opt) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(n))
	}
	for _, n := range c.arcs(c.from) {
		want = append(want, fmt.Sprint(n))
	}
	sort.Strings(got)
	sort.Strings(want)
	if !slices.Equal(got, want) {
		t.Errorf("neighbours of %v are %v, want %v", c.from, got, want)
	}
	if d, err := c.g.Degree(t.Context(), c.from, &c.opt); err != nil || int(d) != len(want) {
		t.Errorf("degree of %v is %d, %v, want %d", c.from, d, err, len(want))
	}
}

func TestReachable(t *testing.T) {
	for _, s := range shapes {
		eachScene(t, s.n, s.s, (*scene).checkReachable)
	}
}

// checkReachable compares Reachable of a scene with the model.
func (c *scene) checkReachable(t *testing.T) {
	t.Helper()
	dist := distances(c.from, c.ok, c.arcs)
	for _, hops := range []Hops{{0, NoLimit}, {0, 0}, {1, 3}, {2, 2}, {3, NoLimit}} {
		want := map[Node]int{}
		for n, d := range dist {
			if d >= hops.Min && (hops.Max == NoLimit || d <= hops.Max) {
				want[n] = d
			}
		}
		last, seen := 0, map[Node]bool{}
		for r, err := range c.g.Reachable(t.Context(), c.from, hops, &c.opt) {
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := want[r.Node]; !ok || d != r.Hops || seen[r.Node] || r.Hops < last {
				t.Errorf("%v: reached %v after %d hops (ok %v, want %d, seen %v, last %d)", hops, r.Node, r.Hops, ok, d, seen[r.Node], last)
			}
			seen[r.Node], last = true, r.Hops
		}
		if len(seen) != len(want) {
			t.Errorf("%v: reached %d nodes, want %d", hops, len(seen), len(want))
		}
		counts, err := c.g.ReachableCount(t.Context(), []Node{c.from, c.to, c.from}, hops, &c.opt)
		if err != nil || int(counts[0]) != len(want) || counts[2] != counts[0] {
			t.Errorf("%v: counts %v, %v, want %d first", hops, counts, err, len(want))
		}
	}
	c.checkCounts(t)
}

// checkCounts compares the counts of many sources, some of which are none.
func (c *scene) checkCounts(t *testing.T) {
	t.Helper()
	sources := c.m.allNodes()
	sources = sources[:min(len(sources), 90)]
	sources = append(sources, c.from, c.to, c.from)
	hops := []Hops{{0, NoLimit}, {1, 2}, {0, 1}, {2, NoLimit}}[int(c.from.Row)%4]
	got, err := c.g.ReachableCount(t.Context(), sources, hops, &c.opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sources {
		want := uint64(0)
		for _, d := range distances(s, c.may.node(s), c.arcs) {
			if d >= hops.Min && (hops.Max == NoLimit || d <= hops.Max) {
				want++
			}
		}
		if got[i] != want {
			t.Errorf("%v: count of %v is %d, want %d", hops, s, got[i], want)
		}
	}
}

// checkPath reports a path that is none of the model's.
func (c *scene) checkPath(t *testing.T, p Path, from, to Node) {
	t.Helper()
	if len(p.Nodes) != len(p.Edges)+1 || p.Nodes[0] != from || p.Nodes[len(p.Edges)] != to {
		t.Errorf("path %v does not lead from %v to %v", p, from, to)
		return
	}
	for i, e := range p.Edges {
		if !slices.Contains(c.arcs(p.Nodes[i]), Neighbor{p.Nodes[i+1], e}) {
			t.Errorf("path %v: no such edge at %d", p, i)
		}
	}
}

func TestShortestPath(t *testing.T) {
	for _, s := range shapes {
		eachScene(t, s.n, s.s, (*scene).checkShortestPath)
	}
}

// checkShortestPath compares ShortestPath of a scene with the model.
func (c *scene) checkShortestPath(t *testing.T) {
	t.Helper()
	dist := distances(c.from, c.ok, c.arcs)
	for _, hops := range []Hops{{0, NoLimit}, {1, NoLimit}, {0, 2}, {3, 3}, {0, 0}} {
		d, reach := dist[c.to]
		reach = reach && d >= hops.Min && (hops.Max == NoLimit || d <= hops.Max)
		p, found, err := c.g.ShortestPath(t.Context(), c.from, c.to, hops, &c.opt)
		if err != nil || found != reach {
			t.Errorf("%v to %v in %v: found %v, %v, want %v (%d)", c.from, c.to, hops, found, err, reach, d)
		} else if found {
			if c.checkPath(t, p, c.from, c.to); p.Len() != d {
				t.Errorf("%v to %v: %v, want length %d", c.from, c.to, p, d)
			}
		}
	}
}

func TestAllShortestPaths(t *testing.T) {
	for _, s := range shapes {
		eachScene(t, s.n, s.s, (*scene).checkAllShortestPaths)
	}
}

// checkAllShortestPaths compares AllShortestPaths of a scene with the model.
func (c *scene) checkAllShortestPaths(t *testing.T) {
	t.Helper()
	dist := distances(c.from, c.ok, c.arcs)
	var want []string
	if d, ok := dist[c.to]; ok {
		// Shortest paths go one level on with every edge, so others are cut off early.
		forward := func(n Node) (out []Neighbor) {
			for _, a := range c.arcs(n) {
				if dist[a.Node] == dist[n]+1 && dist[a.Node] <= d {
					out = append(out, a)
				}
			}
			return out
		}
		for _, p := range enumeratePaths(c.from, d, forward) {
			if p.Nodes[d] == c.to {
				want = append(want, text(p))
			}
		}
	}
	var got []string
	opt := c.opt
	opt.Weight = "w"
	for p, err := range c.g.AllShortestPaths(t.Context(), c.from, c.to, Hops{0, NoLimit}, &opt) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, text(p))
		if w := c.weight(p); p.Weight != w {
			t.Errorf("path %v has weight %v, want %v", p, p.Weight, w)
		}
	}
	sort.Strings(got)
	sort.Strings(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v to %v:\n got %v\nwant %v", c.from, c.to, got, want)
	}
}

// enumeratePaths returns the walks of a length.
func enumeratePaths(from Node, length int, arcs func(Node) []Neighbor) []Path {
	out := []Path{{Nodes: []Node{from}}}
	for range length {
		var longer []Path
		for _, p := range out {
			for _, a := range arcs(p.Nodes[p.Len()]) {
				c := p.Clone()
				c.Nodes, c.Edges = append(c.Nodes, a.Node), append(c.Edges, a.Edge)
				longer = append(longer, c)
			}
		}
		out = longer
	}
	return out
}

// weight returns the sum of the weights of a path's edges.
func (c *scene) weight(p Path) (w float64) {
	for _, e := range p.Edges {
		w += c.m.rels[e.Rel].edges[e.Row].weight
	}
	return w
}

func TestWeightedShortestPath(t *testing.T) {
	for _, s := range shapes {
		eachScene(t, s.n, s.s, (*scene).checkWeightedShortestPath)
	}
}

// checkWeightedShortestPath compares WeightedShortestPath of a scene with the model.
func (c *scene) checkWeightedShortestPath(t *testing.T) {
	t.Helper()
	opt := c.opt
	opt.Weight = "w"
	want, reach := c.m.cheapest(c.from, c.ok, c.arcs)[c.to]
	p, found, err := c.g.WeightedShortestPath(t.Context(), c.from, c.to, &opt)
	if err != nil || found != reach {
		t.Fatalf("%v to %v: found %v, %v, want %v", c.from, c.to, found, err, reach)
	}
	if found {
		if c.checkPath(t, p, c.from, c.to); p.Weight != want || c.weight(p) != want {
			t.Errorf("%v to %v: weight %v of %v, want %v", c.from, c.to, p.Weight, p, want)
		}
	}
}

func TestPaths(t *testing.T) {
	for _, s := range []struct {
		s shape
		n int
	}{{tiny, 1000}, {small, 60}, {far, 8}} {
		eachScene(t, s.n, s.s, func(c *scene, t *testing.T) {
			for _, mode := range []Mode{Walk, Trail, Acyclic} {
				for _, hops := range []Hops{{0, 2}, {1, 3}, {2, NoLimit}} {
					most := hops.Max
					if most == NoLimit {
						if most = 100; mode == Walk {
							continue
						}
					}
					const stop = 300
					want := enumerate(c.from, c.ok, hops.Min, most, mode, c.arcs, stop)
					if len(want) > stop {
						continue
					}
					got := collect(t, c.g.Paths(t.Context(), c.from, hops, mode, &c.opt))
					if !slices.Equal(got, want) {
						t.Errorf("%v %v from %v:\n got %v\nwant %v", mode, hops, c.from, got, want)
					}
					ends := want[:0:0]
					weighted := c.opt
					weighted.Weight = "w"
					for p, err := range c.g.Paths(t.Context(), c.from, hops, mode, &weighted) {
						if w := c.weight(p); p.Weight != w {
							t.Errorf("path %v has weight %v, want %v", p, p.Weight, w)
						}
						if err == nil && p.Nodes[p.Len()] == c.to && c.okTo {
							ends = append(ends, text(p))
						}
					}
					sort.Strings(ends)
					if got := collect(t, c.g.PathsBetween(t.Context(), c.from, c.to, hops, mode, &c.opt)); !slices.Equal(got, ends) {
						t.Errorf("%v %v from %v to %v:\n got %v\nwant %v", mode, hops, c.from, c.to, got, ends)
					}
				}
			}
		})
	}
}

// collect returns the texts of paths, sorted.
func collect(t *testing.T, paths func(func(Path, error) bool)) (out []string) {
	t.Helper()
	for p, err := range paths {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, text(p))
	}
	sort.Strings(out)
	return out
}

func TestComponents(t *testing.T) {
	for _, s := range shapes {
		eachScene(t, s.n/4, s.s, (*scene).checkComponents)
	}
}

// checkComponents compares Components of a scene with the model.
func (c *scene) checkComponents(t *testing.T) {
	t.Helper()
	got, err := c.g.Components(t.Context(), &c.opt)
	if err != nil {
		t.Fatal(err)
	}
	arcs := c.m.arcsOf(Both, c.may)
	label, count := map[Node]uint32{}, 0
	for table, rows := range c.m.nodes {
		for row := range rows {
			n := Node{table, visibility.RowID(row)}
			want := NoComponent
			if c.may.node(n) {
				if _, ok := label[n]; !ok {
					if got.Of[table][row] != uint32(count) {
						t.Fatalf("%v is in component %d, want a new one, %d", n, got.Of[table][row], count)
					}
					if len(rows) > visibility.GroupRows/2 && row < len(rows)-20 { // no edges there
						count++
						continue
					}
					for m := range distances(n, true, arcs) {
						label[m] = uint32(count)
					}
					count++
				}
				want = label[n]
			}
			if got.Of[table][row] != want {
				t.Fatalf("%v is in component %d, want %d", n, got.Of[table][row], want)
			}
		}
	}
	if got.Count != count {
		t.Errorf("%d components, want %d", got.Count, count)
	}
}

func TestPageRank(t *testing.T) {
	for _, s := range []shape{small, mixed} {
		eachScene(t, 300, s, func(c *scene, t *testing.T) {
			opt := PageRankOptions{Options: c.opt, Iterations: 10, Tolerance: 1e-300}
			got, err := c.g.PageRank(t.Context(), &opt)
			if err != nil {
				t.Fatal(err)
			}
			want := c.pageRank(10)
			for table, rows := range c.m.nodes {
				for row := range rows {
					n := Node{table, visibility.RowID(row)}
					if math.Abs(got[table][row]-want[n]) > 1e-9 {
						t.Errorf("rank of %v is %v, want %v", n, got[table][row], want[n])
					}
				}
			}
			opt.MaxWorkers++
			again, err := c.g.PageRank(t.Context(), &opt)
			if err != nil || fmt.Sprint(again) != fmt.Sprint(got) {
				t.Errorf("with %d workers the ranks are %v, %v, not %v", opt.MaxWorkers, again, err, got)
			}
		})
	}
}

// pageRank returns the ranks after some rounds, by the definition.
func (c *scene) pageRank(rounds int) map[Node]float64 {
	var nodes []Node
	for table, rows := range c.m.nodes {
		for row := range rows {
			if n := (Node{table, visibility.RowID(row)}); c.may.node(n) {
				nodes = append(nodes, n)
			}
		}
	}
	rank := map[Node]float64{}
	for _, n := range nodes {
		rank[n] = 1 / float64(len(nodes))
	}
	for range rounds {
		next, lost := map[Node]float64{}, 0.0
		for _, n := range nodes {
			arcs := c.arcs(n)
			for _, a := range arcs {
				next[a.Node] += DefaultDamping * rank[n] / float64(len(arcs))
			}
			if len(arcs) == 0 {
				lost += rank[n]
			}
		}
		for _, n := range nodes {
			next[n] += (1 - DefaultDamping + DefaultDamping*lost) / float64(len(nodes))
		}
		rank = next
	}
	return rank
}
