package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ingotdb/ingot/bench/graph/graphs"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// failure returns the error that an iterator ends with.
func failure[T any](seq iter.Seq2[T, error]) (last error) {
	for _, err := range seq {
		last = err
	}
	return last
}

// searches runs every search with options and returns their errors by name.
func searches(ctx context.Context, g *Graph, from, to Node, hops Hops, opt *Options) map[string]error {
	errs := map[string]error{
		"Neighbors":        failure(g.Neighbors(ctx, from, opt)),
		"Reachable":        failure(g.Reachable(ctx, from, hops, opt)),
		"AllShortestPaths": failure(g.AllShortestPaths(ctx, from, to, hops, opt)),
		"Paths":            failure(g.Paths(ctx, from, hops, Acyclic, opt)),
		"PathsBetween":     failure(g.PathsBetween(ctx, from, to, hops, Trail, opt)),
	}
	_, errs["Degree"] = g.Degree(ctx, from, opt)
	_, _, errs["ShortestPath"] = g.ShortestPath(ctx, from, to, hops, opt)
	_, errs["ReachableCount"] = g.ReachableCount(ctx, []Node{from, to}, hops, opt)
	weighted := Options{}
	if opt != nil {
		weighted = *opt
	}
	if weighted.Weight == "" {
		weighted.Weight = "w"
	}
	_, _, errs["WeightedShortestPath"] = g.WeightedShortestPath(ctx, from, to, &weighted)
	_, errs["Components"] = g.Components(ctx, opt)
	rank := PageRankOptions{Options: weighted}
	_, errs["PageRank"] = g.PageRank(ctx, &rank)
	return errs
}

// line returns nodes 0 to n-1 in a row, all edges of the given weight.
func line(t testing.TB, n int, weight float64) *Graph {
	t.Helper()
	var edges []modelEdge
	for i := range n - 1 {
		edges = append(edges, modelEdge{from: uint32(i), to: uint32(i + 1), weight: weight})
	}
	return graphWith(t, n, edges)
}

// graphWith returns a graph of n nodes with the edges.
func graphWith(t testing.TB, n int, edges []modelEdge) *Graph {
	t.Helper()
	r := modelRel{edges: edges}
	run := makeRun(rand.New(rand.NewPCG(1, 1)), r.edges, 0)
	g, err := build([]nodeSpace{{vis: new(visibility.Groups).Append(uint64(n))}}, []relSpace{r.space([]columnar.AdjacencyRun{run})})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestCancelled(t *testing.T) {
	g := line(t, 10, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range searches(ctx, g, Node{0, 0}, Node{0, 9}, Hops{0, NoLimit}, nil) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCancelledWithin cancels while an iterator runs.
func TestCancelledWithin(t *testing.T) {
	g := line(t, 10_000, 1)
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	for _, err := range g.Reachable(ctx, Node{0, 0}, Hops{0, NoLimit}, nil) {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			break
		}
		if steps++; steps == 5 {
			cancel()
		}
	}
	cancel()
	if steps != 5 {
		t.Errorf("%d nodes were reached after the search was cancelled", steps-5)
	}
}

func TestRefusals(t *testing.T) {
	g := line(t, 4, 1)
	a, b := Node{0, 0}, Node{0, 3}
	for _, c := range []struct {
		what string
		hops Hops
		opt  Options
		only string // the searches that the case is about; all if empty
	}{
		{"direction", Hops{0, 1}, Options{Direction: 3}, ""},
		{"workers", Hops{0, 1}, Options{MaxWorkers: -1}, ""},
		{"min", Hops{-1, 1}, Options{}, "Reachable AllShortestPaths Paths PathsBetween ShortestPath ReachableCount"},
		{"max", Hops{0, -2}, Options{}, "Reachable AllShortestPaths Paths PathsBetween ShortestPath ReachableCount"},
		{"order", Hops{2, 1}, Options{}, "Reachable AllShortestPaths Paths PathsBetween ShortestPath ReachableCount"},
	} {
		for name, err := range searches(t.Context(), g, a, b, c.hops, &c.opt) {
			if c.only != "" && !strings.Contains(" "+c.only+" ", " "+name+" ") {
				continue
			}
			if pgerr.Code(err) != pgerr.InvalidParameterValue {
				t.Errorf("%s: %s: %v", c.what, name, err)
			}
		}
	}
	for what, err := range map[string]error{
		"walks without end": failure(g.Paths(t.Context(), a, Hops{0, NoLimit}, Walk, nil)),
		"mode":              failure(g.Paths(t.Context(), a, Hops{0, 1}, 3, nil)),
		"damping":           second(g.PageRank(t.Context(), &PageRankOptions{Damping: 1})),
		"iterations":        second(g.PageRank(t.Context(), &PageRankOptions{Iterations: -1})),
		"tolerance":         second(g.PageRank(t.Context(), &PageRankOptions{Tolerance: math.NaN()})),
		"no weight":         third(g.WeightedShortestPath(t.Context(), a, b, nil)),
	} {
		if pgerr.Code(err) != pgerr.InvalidParameterValue {
			t.Errorf("%s: %v", what, err)
		}
	}
	for name, err := range searches(t.Context(), g, Node{1, 0}, Node{-1, 0}, Hops{0, 1}, nil) {
		if whole := name == "Components" || name == "PageRank"; (err == nil) != whole {
			t.Errorf("a table that is not there: %s: %v", name, err)
		}
	}
	for name, err := range searches(t.Context(), g, Node{0, 4}, Node{0, 1 << 40}, Hops{0, 1}, nil) {
		if err != nil {
			t.Errorf("a row that is not there: %s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error        { return err }
func third[T, U any](_ T, _ U, err error) error { return err }

// TestFilterFails holds that the error of a filter ends a search, and that the next one is
// right.
func TestFilterFails(t *testing.T) {
	g := line(t, 50, 1)
	boom := errors.New("boom")
	for _, tune := range tunings {
		for _, opt := range []Options{
			{Nodes: func(int, []visibility.RowID, []uint64) error { return boom }},
			{Edges: func(int, []visibility.RowID, []uint64) error { return boom }},
		} {
			opt.tuning = tune
			for name, err := range searches(t.Context(), g, Node{0, 0}, Node{0, 49}, Hops{0, NoLimit}, &opt) {
				if !errors.Is(err, boom) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if p, ok, err := g.ShortestPath(t.Context(), Node{0, 0}, Node{0, 49}, Hops{0, NoLimit}, &Options{tuning: tune}); p.Len() != 49 || !ok || err != nil {
				t.Errorf("afterwards: %v %v %v", p, ok, err)
			}
		}
	}
}

func TestInSet(t *testing.T) {
	g := line(t, 200, 1)
	set := []uint64{^uint64(0), 0xff}
	opt := Options{Nodes: InSet(set)}
	n, err := g.ReachableCount(t.Context(), []Node{{0, 3}, {0, 72}}, Hops{0, NoLimit}, &opt)
	if fmt.Sprint(n, err) != "[69 0] <nil>" {
		t.Errorf("got %v, %v", n, err)
	}
	opt = Options{Nodes: InSet(), Edges: InSet(nil)}
	n, err = g.ReachableCount(t.Context(), []Node{{0, 3}}, Hops{0, NoLimit}, &opt)
	if fmt.Sprint(n, err) != "[197] <nil>" {
		t.Errorf("got %v, %v", n, err)
	}
}

// TestNested runs searches inside the loops of others and leaves some early.
func TestNested(t *testing.T) {
	g := line(t, 300, 1)
	all := Hops{0, NoLimit}
	for r, err := range g.Reachable(t.Context(), Node{0, 0}, all, nil) {
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range g.Paths(t.Context(), r.Node, all, Acyclic, nil) {
			if err != nil {
				t.Fatal(err)
			}
			if p.Len() == 3 {
				break
			}
		}
		for p, err := range g.AllShortestPaths(t.Context(), Node{0, 0}, r.Node, all, nil) {
			if err != nil || p.Len() != r.Hops {
				t.Fatalf("%v: %v, %v", r, p, err)
			}
			break
		}
		if r.Hops == 250 {
			break
		}
	}
	if n, err := g.ReachableCount(t.Context(), []Node{{0, 0}}, all, nil); n[0] != 300 || err != nil {
		t.Errorf("afterwards: %v %v", n, err)
	}
}

func TestWeights(t *testing.T) {
	for _, c := range []struct {
		typ  columnar.Type
		from columnar.Value
		want float64 // of ten edges; NaN for an error
		code string
	}{
		{columnar.Type{Kind: columnar.Int2}, columnar.Value{I: 3}, 30, ""},
		{columnar.Type{Kind: columnar.Int4}, columnar.Value{I: 4}, 40, ""},
		{columnar.Type{Kind: columnar.Int8}, columnar.Value{I: 1 << 40}, 10 << 40, ""},
		{columnar.Type{Kind: columnar.Float4}, columnar.Value{F: 0.5}, 5, ""},
		{columnar.Type{Kind: columnar.Float8}, columnar.Value{F: 0.25}, 2.5, ""},
		{columnar.Type{Kind: columnar.Float8}, columnar.Value{F: math.Inf(1)}, math.Inf(1), ""},
		{columnar.Type{Kind: columnar.Decimal, Precision: 6, Scale: 2}, columnar.Value{I: 150}, 15, ""},
		{columnar.Type{Kind: columnar.Decimal, Precision: 30, Scale: 1}, columnar.Value{I: 5, Hi: 0}, 5, ""},
		{columnar.Type{Kind: columnar.Numeric}, columnar.Value{S: "1.25"}, 12.5, ""},
		{columnar.Type{Kind: columnar.Int4}, columnar.Value{I: -1}, math.NaN(), pgerr.NumericValueOutOfRange},
		{columnar.Type{Kind: columnar.Float8}, columnar.Value{F: -0.1}, math.NaN(), pgerr.NumericValueOutOfRange},
		{columnar.Type{Kind: columnar.Float8}, columnar.Value{F: math.NaN()}, math.NaN(), pgerr.InvalidParameterValue},
		{columnar.Type{Kind: columnar.Numeric}, columnar.Value{S: "NaN"}, math.NaN(), pgerr.InvalidParameterValue},
		{columnar.Type{Kind: columnar.Int4}, columnar.Value{Null: true}, math.NaN(), pgerr.InvalidParameterValue},
		{columnar.Type{Kind: columnar.Text}, columnar.Value{S: "1"}, math.NaN(), pgerr.DatatypeMismatch},
	} {
		g := line(t, 11, 1)
		c.from.Type = c.typ
		b := columnar.ColumnBuf{Type: c.typ, Valid: make([]uint64, 1), Offsets: make([]int32, 11)}
		b.Fixed = make([]byte, 10*c.typ.Width()+8)[:10*c.typ.Width()]
		for i := range 10 {
			b.SetValue(i, c.from)
		}
		schema := &columnar.Schema{Name: "r", Columns: []columnar.Column{{Name: "w", Type: c.typ}}}
		if c.typ.Width() > 0 {
			b.Offsets, b.Data = nil, nil
		}
		table, err := columnar.StagedTable(schema, [][]columnar.Vec{{columnar.MakeVec(c.typ, 10, b.Valid, b.Fixed, nil, b.Offsets, b.Data, b.NaN)}})
		if err != nil {
			t.Fatal(err)
		}
		g.rels[0].table = table
		p, found, err := g.WeightedShortestPath(t.Context(), Node{0, 0}, Node{0, 10}, &Options{Weight: "w"})
		if code := pgerr.Code(err); c.code != "" && code != c.code || c.code == "" && (err != nil || !found || p.Weight != c.want) {
			t.Errorf("%v of %v: weight %v, found %v, %v", c.typ, c.from, p.Weight, found, err)
		}
	}
	g := line(t, 3, 1)
	if _, _, err := g.ShortestPath(t.Context(), Node{0, 0}, Node{0, 1}, Hops{0, 1}, &Options{Weight: "nothing"}); pgerr.Code(err) != pgerr.UndefinedColumn {
		t.Errorf("a column that is not there: %v", err)
	}
}

// TestWeightsOfOtherPaths has an edge without a weight on the way to no path that is asked for.
func TestWeightsOfOtherPaths(t *testing.T) {
	g := graphWith(t, 3, []modelEdge{{from: 0, to: 1, weight: math.NaN()}, {from: 0, to: 2, weight: 4}, {from: 1, to: 0, weight: 1}})
	n := 0
	for p, err := range g.PathsBetween(t.Context(), Node{0, 0}, Node{0, 2}, Hops{1, 3}, Acyclic, &Options{Weight: "w"}) {
		if n++; err != nil || p.Len() != 1 || p.Weight != 4 {
			t.Errorf("%v, %v", p, err)
		}
	}
	if n != 1 {
		t.Errorf("%d paths", n)
	}
	if err := failure(g.Paths(t.Context(), Node{0, 0}, Hops{1, 1}, Walk, &Options{Weight: "w"})); pgerr.Code(err) != pgerr.InvalidParameterValue {
		t.Errorf("a path over the edge: %v", err)
	}
}

// TestFilterChangesItsMind lets a filter forget what it has answered: a weighted search, which
// reads its path off what it has found, ends with an error then.
func TestFilterChangesItsMind(t *testing.T) {
	g := line(t, 10, 1)
	for k := 1; k <= 20; k++ {
		calls := 0
		opt := Options{Weight: "w", Edges: func(_ int, _ []visibility.RowID, keep []uint64) error {
			if calls++; calls > k {
				clear(keep)
			}
			return nil
		}}
		_, found, err := g.WeightedShortestPath(t.Context(), Node{0, 0}, Node{0, 9}, &opt)
		if through := k >= 9; (err != nil) != (through && calls > k) || found != (through && err == nil) {
			t.Errorf("after %d of %d calls: found %v, %v", k, calls, found, err)
		}
	}
}

// TestRepeatedSearchAllocates holds that a search which was done before takes its memory
// from the pool: the least of several takes less than a bit for each node.
func TestRepeatedSearchAllocates(t *testing.T) {
	e := graphs.TwoComponents(50_000, 150_000)
	g := graphOf(t, e, holes{})
	for _, d := range []Direction{Forward, Both} {
		opt := Options{Direction: d, MaxWorkers: 2}
		least := uint64(math.MaxUint64)
		var before, after runtime.MemStats
		for range 10 {
			runtime.ReadMemStats(&before)
			if _, found, err := g.ShortestPath(t.Context(), Node{0, 0}, Node{0, 50_001}, Hops{0, NoLimit}, &opt); found || err != nil {
				t.Fatal(found, err)
			}
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		if least > uint64(g.count/8) {
			t.Errorf("%v: a repeated search allocates %d bytes", d, least)
		}
	}
}

// TestConcurrent runs searches on one graph from several goroutines.
func TestConcurrent(t *testing.T) {
	g := graphOf(t, graphs.TwoComponents(3000, 9000), holes{nodes: true, edges: true})
	want, err := g.ReachableCount(t.Context(), []Node{{0, 1}, {0, 3001}}, Hops{0, NoLimit}, &Options{Direction: Both})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			opt := Options{Direction: Both, MaxWorkers: 1 + i%3, tuning: tunings[i%len(tunings)]}
			for range 5 {
				got, err := g.ReachableCount(t.Context(), []Node{{0, 1}, {0, 3001}}, Hops{0, NoLimit}, &opt)
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%+v: got %v, %v, want %v", opt, got, err, want)
				}
				if _, found, err := g.ShortestPath(t.Context(), Node{0, 1}, Node{0, 3001}, Hops{0, NoLimit}, &opt); found || err != nil {
					t.Errorf("%+v: found %v, %v", opt, found, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestFault cuts the files of a store short below a graph: every search ends with an error.
func TestFault(t *testing.T) {
	dir := t.TempDir()
	fs, err := vfs.OpenDir(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(t, columnar.Options{FS: fs, InlineBytes: 1}, 1)
	tx := s.begin()
	s.addNodes(tx, "a", 3000)
	s.addEdges(tx, "r", 20_000)
	s.commit(tx)
	snap := s.snapshot()
	defer snap.Release()
	g, err := Open(snap, "r")
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{MaxWorkers: 2, tuning: tunings[2]}
	for name, err := range searches(t.Context(), g, Node{0, 1}, Node{0, 2}, Hops{0, 3}, &opt) {
		if err != nil {
			t.Fatalf("before: %s: %v", name, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "data-*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.Truncate(f, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, tune := range tunings {
		opt.tuning = tune
		for name, err := range searches(t.Context(), g, Node{0, 1}, Node{0, 2}, Hops{0, 3}, &opt) {
			if !errors.Is(err, mmap.ErrFault) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestHoleAmongNeighbors deletes the edge of one of many consecutive nodes, whose edges are
// read together when a level is wide.
func TestHoleAmongNeighbors(t *testing.T) {
	const n = 40 // node 0 leads to nodes 1 to n, and node i of those to n+i
	var from, to []uint32
	for i := range uint32(n) {
		from, to = append(from, 0), append(to, i+1)
	}
	for i := range uint32(n) {
		from, to = append(from, i+1), append(to, n+i+1)
	}
	run := columnar.AdjacencyRun{Count: 2 * n, Forward: csr(2*n+1, from, to, false), Backward: csr(2*n+1, to, from, true)}
	for gone := visibility.RowID(n); gone < 2*n; gone++ {
		vis, _ := new(visibility.Groups).Append(2 * n).WithDeleted([]visibility.RowID{gone})
		for i, tune := range tunings {
			g, err := build([]nodeSpace{{vis: new(visibility.Groups).Append(2*n + 1)}}, []relSpace{{vis: vis, runs: []columnar.AdjacencyRun{run}}})
			if err != nil {
				t.Fatal(err)
			}
			g.rels[0].holes.cost = 0
			reached := 0
			for r, err := range g.Reachable(t.Context(), Node{}, Hops{0, NoLimit}, &Options{MaxWorkers: 1, tuning: tune}) {
				if reached++; err != nil || r.Node.Row == gone+1 {
					t.Errorf("tuning %d, edge %d deleted: reached %v, %v", i, gone, r, err)
				}
			}
			if reached != 2*n {
				t.Errorf("tuning %d, edge %d deleted: reached %d nodes", i, gone, reached)
			}
		}
	}
}
