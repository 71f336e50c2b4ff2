package graph_test

import (
	"context"
	"fmt"
	"os"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/graph"
	"github.com/ingotdb/ingot/mmap"
)

// flights are edges between airports, with their hours.
var flights = []struct {
	from, to string
	hours    float64
}{
	{"AMS", "JFK", 8}, {"AMS", "OSL", 2}, {"OSL", "KEF", 3}, {"KEF", "JFK", 2.5}, {"JFK", "SFO", 6}, {"SFO", "HNL", 5.5}, {"AMS", "SFO", 11},
}

var (
	text  = columnar.Type{Kind: columnar.Text}
	float = columnar.Type{Kind: columnar.Float8}
	names = []string{"AMS", "JFK", "OSL", "KEF", "SFO", "HNL"}
)

// openFlights makes a store with airports, in the order of names, and flights. done removes it.
func openFlights() (snap *columnar.Snapshot, done func()) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "flights")
	check(err)
	store, err := columnar.Open(ctx, dir, columnar.Options{})
	check(err)
	tx, err := store.BeginWrite(ctx)
	check(err)
	airport := &columnar.Schema{Name: "airport", Columns: []columnar.Column{{Name: "code", Type: text, NotNull: true}},
		Constraints: []columnar.Constraint{{Name: "airport_pkey", Kind: columnar.PrimaryKey, Columns: []uint32{1}}}}
	check(tx.CreateTable(airport))
	check(tx.CreateTable(&columnar.Schema{Name: "flight", Columns: []columnar.Column{{Name: "hours", Type: float}},
		Rel: &columnar.Rel{From: airport.ID, To: airport.ID}}))
	add(store, tx, "airport", len(names), func(w *columnar.FragmentWriter, i int) {
		w.Cols[0].SetValue(i, columnar.Value{Type: text, S: names[i]})
	})
	add(store, tx, "flight", len(flights), func(w *columnar.FragmentWriter, i int) {
		w.Cols[0].SetValue(i, columnar.Value{Type: text, S: flights[i].from})
		w.Cols[1].SetValue(i, columnar.Value{Type: text, S: flights[i].to})
		w.Cols[2].SetValue(i, columnar.Value{Type: float, F: flights[i].hours})
	})
	_, err = tx.Commit(ctx)
	check(err)
	snap, err = store.Snapshot()
	check(err)
	return snap, func() {
		snap.Release()
		check(store.Close())
		check(os.RemoveAll(dir))
	}
}

// add appends rows to a table.
func add(store *columnar.Store, tx *columnar.Txn, table string, rows int, set func(w *columnar.FragmentWriter, i int)) {
	ctx := context.Background()
	schema, err := tx.LoadSchema(table)
	check(err)
	load, err := store.NewLoad(ctx, columnar.LoadPlan{Schema: schema})
	check(err)
	w, err := load.Fragment(0, rows)
	check(err)
	check(mmap.Guard(func() error {
		for i := range rows {
			set(w, i)
		}
		return nil
	}))
	check(w.Finish(rows))
	_, err = tx.Append(ctx, table, load)
	check(err)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// codes are the names of a path's nodes.
func codes(p graph.Path) (out []string) {
	for _, n := range p.Nodes {
		out = append(out, names[n.Row])
	}
	return out
}

func ExampleOpen() {
	snap, done := openFlights()
	defer done()
	g, err := graph.Open(snap, "flight")
	check(err)
	for _, t := range g.Nodes() {
		fmt.Println(t.Schema().Name, t.Rows())
	}
	for _, t := range g.Rels() {
		fmt.Println(t.Schema().Name, t.Rows())
	}
	// Output:
	// airport 6
	// flight 7
}

func ExampleGraph_Neighbors() {
	snap, done := openFlights()
	defer done()
	g, err := graph.Open(snap, "flight")
	check(err)
	ams := graph.Node{Table: g.Find("airport"), Row: 0}
	for n, err := range g.Neighbors(context.Background(), ams, nil) {
		check(err)
		fmt.Println(names[n.Node.Row])
	}
	degree, err := g.Degree(context.Background(), ams, &graph.Options{Direction: graph.Backward})
	check(err)
	fmt.Println("flights to it:", degree)
	// Unordered output:
	// JFK
	// OSL
	// SFO
	// flights to it: 0
}

func ExampleGraph_ShortestPath() {
	snap, done := openFlights()
	defer done()
	g, err := graph.Open(snap, "flight")
	check(err)
	anything := graph.Hops{Max: graph.NoLimit}
	p, found, err := g.ShortestPath(context.Background(), graph.Node{Row: 0}, graph.Node{Row: 5}, anything, nil)
	check(err)
	fmt.Println(found, p.Len(), codes(p))
	// Output:
	// true 2 [AMS SFO HNL]
}

func ExampleGraph_AllShortestPaths() {
	snap, done := openFlights()
	defer done()
	g, err := graph.Open(snap, "flight")
	check(err)
	opt := graph.Options{Direction: graph.Both, Weight: "hours"}
	for p, err := range g.AllShortestPaths(context.Background(), graph.Node{Row: 2}, graph.Node{Row: 1}, graph.Hops{Max: 4}, &opt) {
		check(err)
		fmt.Println(codes(p), p.Weight)
	}
	// Unordered output:
	// [OSL AMS JFK] 10
	// [OSL KEF JFK] 5.5
}

func ExampleGraph_WeightedShortestPath() {
	snap, done := openFlights()
	defer done()
	g, err := graph.Open(snap, "flight")
	check(err)
	p, found, err := g.WeightedShortestPath(context.Background(), graph.Node{Row: 0}, graph.Node{Row: 1}, &graph.Options{Weight: "hours"})
	check(err)
	fmt.Println(found, codes(p), p.Weight)
	// Output:
	// true [AMS OSL KEF JFK] 7.5
}

func ExampleGraph_Reachable() {
	snap, done := openFlights()
	defer done()
	g, err := graph.Open(snap, "flight")
	check(err)
	for r, err := range g.Reachable(context.Background(), graph.Node{Row: 3}, graph.Hops{Min: 1, Max: 2}, nil) {
		check(err)
		fmt.Println(r.Hops, names[r.Node.Row])
	}
	counts, err := g.ReachableCount(context.Background(), []graph.Node{{Row: 0}, {Row: 5}}, graph.Hops{Min: 1, Max: graph.NoLimit}, nil)
	check(err)
	fmt.Println(counts)
	// Output:
	// 1 JFK
	// 2 SFO
	// [5 0]
}

func ExampleGraph_Paths() {
	snap, done := openFlights()
	defer done()
	g, err := graph.Open(snap, "flight")
	check(err)
	for p, err := range g.PathsBetween(context.Background(), graph.Node{Row: 0}, graph.Node{Row: 4}, graph.Hops{Min: 1, Max: 4}, graph.Trail, nil) {
		check(err)
		fmt.Println(codes(p))
	}
	// Unordered output:
	// [AMS SFO]
	// [AMS JFK SFO]
	// [AMS OSL KEF JFK SFO]
}

func ExampleInSet() {
	snap, done := openFlights()
	defer done()
	g, err := graph.Open(snap, "flight")
	check(err)
	notNewYork := graph.Options{Nodes: graph.InSet([]uint64{^uint64(1 << 1)})}
	p, found, err := g.ShortestPath(context.Background(), graph.Node{Row: 3}, graph.Node{Row: 5}, graph.Hops{Max: graph.NoLimit}, &notNewYork)
	check(err)
	fmt.Println(found, codes(p))
	// Output:
	// false []
}

func ExampleGraph_Components() {
	snap, done := openFlights()
	defer done()
	g, err := graph.Open(snap, "flight")
	check(err)
	c, err := g.Components(context.Background(), nil)
	check(err)
	fmt.Println(c.Count, c.Of[0])
	// Output:
	// 1 [0 0 0 0 0 0]
}

func ExampleGraph_PageRank() {
	snap, done := openFlights()
	defer done()
	g, err := graph.Open(snap, "flight")
	check(err)
	ranks, err := g.PageRank(context.Background(), nil)
	check(err)
	for row, rank := range ranks[0] {
		fmt.Printf("%s %.3f\n", names[row], rank)
	}
	// Output:
	// AMS 0.064
	// JFK 0.196
	// OSL 0.082
	// KEF 0.134
	// SFO 0.249
	// HNL 0.275
}
