package graphs

import (
	"reflect"
	"slices"
	"testing"
)

// reach returns how many nodes can be reached from one along the edges, or against them.
func reach(g *Graph, from uint32, back bool) int {
	next := make([][]uint32, g.Nodes)
	for i := range g.From {
		a, b := g.From[i], g.To[i]
		if back {
			a, b = b, a
		}
		next[a] = append(next[a], b)
	}
	seen := map[uint32]bool{from: true}
	for queue := []uint32{from}; len(queue) > 0; queue = queue[1:] {
		for _, v := range next[queue[0]] {
			if !seen[v] {
				seen[v] = true
				queue = append(queue, v)
			}
		}
	}
	return len(seen)
}

func TestTwoComponents(t *testing.T) {
	const nodes, edges = 500, 2500
	g := TwoComponents(nodes, edges)
	if g.Nodes != 2*nodes || len(g.From) != 2*edges || len(g.To) != 2*edges {
		t.Fatalf("%d nodes, %d edges", g.Nodes, len(g.From))
	}
	if n := reach(g, 0, false); n != nodes {
		t.Errorf("node 0 reaches %d nodes", n)
	}
	if n := reach(g, nodes, true); n != nodes {
		t.Errorf("%d nodes reach node %d", n, nodes)
	}
	for i := range g.From {
		if g.From[i]/nodes != g.To[i]/nodes {
			t.Fatalf("edge %d joins the components", i)
		}
	}
	if !reflect.DeepEqual(g, TwoComponents(nodes, edges)) {
		t.Error("the same arguments give another graph")
	}
}

func TestGrid(t *testing.T) {
	g := Grid(7, 5)
	if g.Nodes != 35 || len(g.From) != 6*5+7*4 || reach(g, 0, false) != 35 {
		t.Errorf("%d nodes, %d edges, %d reached", g.Nodes, len(g.From), reach(g, 0, false))
	}
}

func TestSocial(t *testing.T) {
	g, names := Social(Persons/10, Knows/10)
	if g.Nodes != Persons/10 || len(names) != g.Nodes || len(g.From) != Knows/10 {
		t.Fatalf("%d persons, %d names, %d edges", g.Nodes, len(names), len(g.From))
	}
	degree := make([]int, g.Nodes)
	seen := map[[2]uint32]bool{}
	for i := range g.From {
		e := [2]uint32{g.From[i], g.To[i]}
		if e[0] >= e[1] || seen[e] {
			t.Fatalf("edge %v is not from a lower to a higher person, or there twice", e)
		}
		seen[e] = true
		degree[e[0]]++
		degree[e[1]]++
	}
	slices.Sort(degree)
	median, most := degree[len(degree)/2], degree[len(degree)-1]
	if most < 8*median {
		t.Errorf("the median degree is %d and the highest %d: no power law", median, most)
	}
	if again, _ := Social(Persons/10, Knows/10); !reflect.DeepEqual(g, again) {
		t.Error("the same arguments give another graph")
	}
}
