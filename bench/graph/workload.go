package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ingotdb/ingot/bench/graph/graphs"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/graph"
	"github.com/ingotdb/ingot/visibility"
)

// input is a graph to load, and what to ask of it. Node i has key i.
type input struct {
	*graphs.Graph
	name      string
	names     []string // first names by node; nil if there are none
	workloads []workload
}

// workload is queries of one kind.
type workload struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"` // shortest, within or all
	Both    bool    `json:"both"` // whatever the direction of edges
	Queries []query `json:"queries"`

	deleted bool // on a store where a node in each row group was deleted
}

// query is one query.
type query struct {
	From int64  `json:"from"`
	To   int64  `json:"to"`             // shortest and all
	Name string `json:"name,omitempty"` // within
}

// within is how far away persons with a name are looked for.
const within = 3

// newInput returns the input of a name with its size divided by scale.
func newInput(name string, scale int) *input {
	in := &input{name: name}
	one := func(name string, both, deleted bool, from, to int64) {
		in.workloads = append(in.workloads, workload{name, "shortest", both, []query{{From: from, To: to}}, deleted})
	}
	switch name {
	case "components":
		n := 1_000_000 / scale
		in.Graph = graphs.TwoComponents(n, 5*n)
		for _, deleted := range []bool{false, true} {
			// Row 0 is deleted in some of the workloads.
			one(suffix("forward", deleted), false, deleted, 1, int64(n+1))
			one(suffix("both", deleted), true, deleted, 1, int64(n+1))
		}
	case "grid":
		side := int(1000 / math.Sqrt(float64(scale)))
		in.Graph = graphs.Grid(side, side)
		one("corner", true, false, 1, int64(side*side-1))
		one("corner-deleted", true, true, 1, int64(side*side-1))
	case "social":
		in.Graph, in.names = graphs.Social(graphs.Persons/scale, graphs.Knows/scale)
		rng := rand.New(rand.NewPCG(7, 7))
		persons := int64(in.Nodes)
		pairs := make([]query, 100)
		people := make([]query, 100)
		for i := range pairs {
			pairs[i] = query{From: rng.Int64N(persons), To: rng.Int64N(persons)}
			people[i] = query{From: rng.Int64N(persons), Name: in.names[rng.Int64N(persons)]}
		}
		in.workloads = append(in.workloads, workload{"ic13", "shortest", true, pairs, false},
			workload{"ic1", "within", true, people, false}, workload{"ic14", "all", true, pairs, false})
	}
	return in
}

func suffix(name string, deleted bool) string {
	if deleted {
		return name + "-deleted"
	}
	return name
}

// searcher answers queries of one store.
type searcher struct {
	g     *graph.Graph
	names []string
}

// newSearcher opens the graph of a snapshot.
func newSearcher(snap *columnar.Snapshot, names []string) (*searcher, error) {
	g, err := graph.Open(snap, "e")
	return &searcher{g, names}, err
}

// run answers the queries of a workload and returns the sum of the answers: lengths, numbers
// of persons, or numbers of paths. Rows are as keys, as nodes are loaded in that order.
func (s *searcher) run(ctx context.Context, w *workload, threads int) (sum int64, err error) {
	opt := graph.Options{MaxWorkers: threads}
	if w.Both {
		opt.Direction = graph.Both
	}
	anything := graph.Hops{Max: graph.NoLimit}
	for _, q := range w.Queries {
		from, to := graph.Node{Row: visibility.RowID(q.From)}, graph.Node{Row: visibility.RowID(q.To)}
		switch w.Kind {
		case "shortest":
			p, found, err := s.g.ShortestPath(ctx, from, to, anything, &opt)
			if err != nil {
				return 0, err
			}
			if found {
				sum += int64(p.Len())
			}
		case "within":
			for r, err := range s.g.Reachable(ctx, from, graph.Hops{Min: 1, Max: within}, &opt) {
				if err != nil {
					return 0, err
				}
				if s.names[r.Node.Row] == q.Name {
					sum++
				}
			}
		case "all":
			opt.Weight = "w"
			for p, err := range s.g.AllShortestPaths(ctx, from, to, anything, &opt) {
				if err != nil {
					return 0, err
				}
				if p.Weight < 0 {
					return 0, fmt.Errorf("a path weighs %v", p.Weight)
				}
				sum++
			}
		}
	}
	return sum, nil
}
