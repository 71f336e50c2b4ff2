package columnar

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/visibility"
)

// naiveCSR returns the neighbours and edges of every node.
func naiveCSR(key, val, pos []uint32) map[uint32][][2]uint32 {
	out := map[uint32][][2]uint32{}
	for i, k := range key {
		out[k] = append(out[k], [2]uint32{val[i], pos[i]})
	}
	return out
}

func sameCSR(c *CSR, want map[uint32][][2]uint32) error {
	nodes := 0
	var err error
	c.each(func(n, lo, hi uint32) {
		nodes++
		var got [][2]uint32
		for i := lo; i < hi; i++ {
			got = append(got, [2]uint32{c.Neighbors[i], c.Edge(i)})
		}
		if l, h := c.Range(n); l != lo || h != hi {
			err = fmt.Errorf("node %d has range %d to %d, each gave %d to %d", n, l, h, lo, hi)
		}
		if !slices.Equal(got, want[n]) {
			err = fmt.Errorf("node %d has %v, want %v", n, got, want[n])
		}
	})
	if err == nil && nodes != len(want) {
		err = fmt.Errorf("%d nodes, want %d", nodes, len(want))
	}
	return err
}

// TestBuild builds runs of random edges, few and many, of few nodes and of nodes far apart,
// with every number of workers, and compares them with maps.
func TestBuild(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 2, 100, sortSmall, sortSmall + 1, 3 * sortRows} {
		for _, span := range []uint64{1, 3, 1000, 1 << 20, 1 << 32} {
			src, dst, pos := make([]uint32, n), make([]uint32, n), make([]uint32, n)
			for i := range src {
				src[i], dst[i], pos[i] = uint32(rng.Uint64N(span)), uint32(rng.Uint64N(min(span, 1000))), uint32(2*i)
				if span == 1<<20 && i%2 == 0 {
					src[i] = 7 // a node with very many edges
				}
			}
			forward, backward := naiveCSR(src, dst, pos), naiveCSR(dst, src, pos)
			for _, workers := range []int{1, 3} {
				var a AdjacencyRun
				if err := buildBoth(context.Background(), &a, slices.Clone(src), slices.Clone(dst), pos, workers); err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(sameCSR(&a.Forward, forward), sameCSR(&a.Backward, backward)); err != nil {
					t.Fatalf("%d edges, span %d, %d workers: %v", n, span, workers, err)
				}
				if want := span <= 8*uint64(max(n, 1)) && n > 100; want && a.Forward.Offsets == nil {
					t.Errorf("%d edges, span %d: sparse", n, span)
				}
				if n == 100 && span == 1<<20 && a.Forward.Offsets != nil {
					t.Errorf("%d edges, span %d: dense", n, span)
				}
			}
		}
	}
}

// TestRunDamage changes every number of runs of both forms, and holds that what is not
// refused can be walked.
func TestRunDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	const edges = 60
	refused := 0
	for _, span := range []uint32{50, 5000} {
		src, dst, pos := make([]uint32, edges), make([]uint32, edges), make([]uint32, edges)
		for i := range src {
			src[i], dst[i], pos[i] = rng.Uint32N(span), rng.Uint32N(span), uint32(i)
		}
		var a AdjacencyRun
		if err := buildBoth(context.Background(), &a, src, dst, pos, 1); err != nil {
			t.Fatal(err)
		}
		a.Count = edges
		tab := newTable(&Schema{}, nil)
		tab.vis = tab.vis.Append(uint64(span))
		adj := &Adjacency{From: tab, To: tab, Runs: []AdjacencyRun{a}}
		for _, c := range []*CSR{&adj.Runs[0].Forward, &adj.Runs[0].Backward} {
			if what := c.damage(edges, uint64(span), uint64(span)); what != "" {
				t.Fatalf("intact: %s", what)
			}
			for k, v := range [][]uint32{c.Offsets, c.Keys, c.Starts, c.Neighbors, c.Edges} {
				for i, was := range v {
					for _, now := range []uint32{0, 1, was - 1, was + 1, edges - 1, edges, edges + 1, span - 1, span, 1 << 31, 1<<32 - 1} {
						if v[i] = now; c.damage(edges, uint64(span), uint64(span)) != "" {
							refused++
						} else if err := walk(adj, 10*edges); err != nil {
							t.Errorf("span %d: array %d, number %d from %d to %d: %v", span, k, i, was, now, err)
						}
					}
					v[i] = was
				}
			}
			base := c.Base
			for _, now := range []uint32{1, span, 1<<32 - 1} {
				if c.Base = now; c.Offsets != nil && c.damage(edges, uint64(span), uint64(span)) == "" {
					if err := walk(adj, 10*edges); err != nil {
						t.Errorf("base %d: %v", now, err)
					}
				}
			}
			c.Base = base
		}
	}
	if refused < 1000 {
		t.Errorf("only %d changes were refused", refused)
	}
}

// TestRunsConcurrent lets readers want the runs of every commit at the same time as a writer
// makes them and checkpoints fold them.
func TestRunsConcurrent(t *testing.T) {
	g := newGraphStore(t, Options{FS: memfs.New(), LogBytes: 64 << 10}, Type{Kind: Int8}, Type{Kind: Int8})
	rng := rand.New(rand.NewPCG(15, 16))
	g.do(func(tx *Txn) error {
		return errors.Join(g.addNodes(tx, 0, sequence(rng, 0, 50)), g.addNodes(tx, 1, sequence(rng, 0, 50)))
	})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for ctx.Err() == nil {
				snap, err := g.Snapshot()
				if err != nil {
					t.Error(err)
					return
				}
				adj, err := snap.Adjacency("r")
				if err == nil {
					err = walk(adj, 1<<30)
				}
				if err == nil {
					err = checkRels(snap)
				}
				snap.Release()
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 60 {
		g.do(func(tx *Txn) error { return g.addEdges(tx, 64, g.randomEdges(rng, 1+i%5*100)) })
		if i%20 == 7 {
			g.do(func(tx *Txn) error {
				ids := []visibility.RowID{visibility.RowID(i), visibility.RowID(i + 1)}
				for _, id := range ids {
					delete(g.edges, id)
				}
				_, err := tx.Delete("r", ids)
				return err
			})
			if err := g.Vacuum(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	cancel()
	readers.Wait()
	g.now()
}

// TestRunOverRowGroups has runs that go over the ends of row groups.
func TestRunOverRowGroups(t *testing.T) {
	g := newGraphStore(t, Options{FS: memfs.New()}, Type{Kind: Int8}, Type{Kind: Int8})
	g.do(func(tx *Txn) error {
		for e := range 2 {
			var keys []int
			for i := range 3000 {
				keys = append(keys, i)
			}
			if err := g.addNodes(tx, end(e), keys); err != nil {
				return err
			}
		}
		return nil
	})
	load := func(tx *Txn, n int) error {
		s, err := tx.LoadSchema("r")
		if err != nil {
			return err
		}
		p := LoadPlan{Schema: s, Workers: 3}
		for left := n; left > 0; left -= MaxFragmentRows {
			p.Fragments = append(p.Fragments, min(left, MaxFragmentRows))
		}
		l, err := g.NewLoad(context.Background(), p)
		if err != nil {
			return err
		}
		for i, rows := range p.Fragments {
			w, err := l.Fragment(i, rows)
			if err != nil {
				return err
			}
			for r := range rows {
				w.Cols[0].Int64s()[r], w.Cols[1].Int64s()[r] = int64(r*7%3000), int64(r*r%3000)
			}
			if err := w.Finish(rows); err != nil {
				return err
			}
		}
		_, err = tx.Append(context.Background(), "r", l)
		return err
	}
	check := func() {
		t.Helper()
		snap, err := g.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Release()
		if err := checkRels(snap); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{10, visibility.GroupRows + 500, visibility.GroupRows} {
		g.do(func(tx *Txn) error { return load(tx, n) })
		check()
	}
	g.do(func(tx *Txn) error {
		var ids []visibility.RowID
		for i := range visibility.RowID(1000) {
			ids = append(ids, visibility.GroupRows-500+i)
		}
		_, err := tx.Delete("r", ids)
		return err
	})
	check()
	if err := g.Vacuum(context.Background()); err != nil {
		t.Fatal(err)
	}
	check()
}

// TestCheckFindsWrongRuns changes runs so that they hold, but say something else than the
// columns.
func TestCheckFindsWrongRuns(t *testing.T) {
	g := newGraphStore(t, Options{FS: memfs.New()}, Type{Kind: Int8}, Type{Kind: Int8})
	rng := rand.New(rand.NewPCG(17, 18))
	g.do(func(tx *Txn) error {
		return errors.Join(g.addNodes(tx, 0, sequence(rng, 0, 9)), g.addNodes(tx, 1, sequence(rng, 0, 9)))
	})
	g.do(func(tx *Txn) error { return g.addEdges(tx, 64, g.randomEdges(rng, 50)) })
	snap, err := g.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	adj, err := snap.Adjacency("r")
	if err != nil {
		t.Fatal(err)
	}
	if err := checkRels(snap); err != nil {
		t.Fatal(err)
	}
	run := adj.Rel.runs[0].opened.Load()
	for name, change := range map[string]func(){
		"another neighbour forward":  func() { run.Forward.Neighbors[7] ^= 1 },
		"another neighbour backward": func() { run.Backward.Neighbors[7] ^= 1 },
		"another node":               func() { run.Forward.Base++ },
		"an edge twice":              func() { run.Backward.Edges[3] = run.Backward.Edges[2] },
		"an edge less": func() {
			c := &run.Backward
			last := len(c.Neighbors) - 1
			c.Neighbors, c.Edges = c.Neighbors[:last], c.Edges[:last]
			c.Offsets[len(c.Offsets)-1]--
		},
		"edges swapped": func() { e := run.Backward.Edges; e[0], e[49] = e[49], e[0] },
	} {
		kept := *run
		for _, v := range []*[]uint32{&run.Forward.Neighbors, &run.Backward.Neighbors, &run.Backward.Edges, &run.Backward.Offsets} {
			*v = slices.Clone(*v)
		}
		change()
		if err := checkRels(snap); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		*run = kept
	}
	// A node that goes without its edges.
	g.do(func(tx *Txn) error {
		slot, err := tx.slot("a")
		tx.remove(slot, g.ids(0, 3))
		return err
	})
	if _, err := g.Check(context.Background(), nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("an edge from a row that is gone: %v", err)
	}
}
