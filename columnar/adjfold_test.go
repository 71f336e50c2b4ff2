package columnar

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/visibility"
)

// shape returns the counts of r's runs, those in a file as negative numbers.
func (g *graphStore) shape() (out []int) {
	g.t.Helper()
	snap, err := g.Snapshot()
	if err != nil {
		g.t.Fatal(err)
	}
	defer snap.Release()
	tab, err := snap.Table("r")
	if err != nil {
		g.t.Fatal(err)
	}
	for _, r := range tab.runs {
		if n := int(r.count); r.file != nil {
			out = append(out, -n)
		} else {
			out = append(out, n)
		}
	}
	return out
}

func TestRunsMergeInMemory(t *testing.T) {
	g := newGraphStore(t, Options{}, Type{Kind: Int8}, Type{Kind: Int8})
	rng := rand.New(rand.NewPCG(1, 1))
	g.do(func(tx *Txn) error {
		return errors.Join(g.addNodes(tx, 0, sequence(rng, 0, 9)), g.addNodes(tx, 1, sequence(rng, 0, 9)))
	})
	for range 100 {
		g.do(func(tx *Txn) error { return g.addEdges(tx, 64, g.randomEdges(rng, 1)) })
	}
	if got := g.shape(); !slices.Equal(got, []int{86, 12, 2}) {
		t.Fatalf("runs of %v edges after 100 commits of one", got)
	}
	g.now()
}

func TestMergeFrom(t *testing.T) {
	for _, c := range []struct {
		runs []int // negative: stored
		want int
	}{
		{nil, 0},
		{[]int{100}, 1},
		{[]int{foldEdges}, 0},
		{[]int{-1000000}, 1},
		{[]int{-1000000, 500}, 2},
		{[]int{-1000000, foldEdges}, 1},
		{[]int{-1000000, -foldEdges, foldEdges}, 1},
		{[]int{-1000000, -foldEdges, -100, foldEdges}, 1},
		{[]int{-1000000, -(foldEdges + 1), foldEdges}, 2},
		{[]int{-8, -8, -8, -8, -8, -8, -8, -8}, 8},
		{[]int{-8, -8, -8, -8, -8, -8, -8, -8, -8}, 0},
		{[]int{-100, -8, -8, -8, -8, -8, -8, -8, -8, 1}, 1},
	} {
		var runs []*adjRun
		for _, n := range c.runs {
			r := &adjRun{count: uint32(max(n, -n))}
			if n < 0 {
				r.file = &dataFile{}
			}
			runs = append(runs, r)
		}
		if got := mergeFrom(runs); got != c.want {
			t.Errorf("runs %v are merged from %d on, want %d", c.runs, got, c.want)
		}
	}
}

// TestRunsFold loads, deletes, checkpoints, vacuums and reopens, and holds that the
// adjacency says what the rows say all the way, for snapshots taken earlier too.
func TestRunsFold(t *testing.T) {
	for _, opt := range []Options{{}, {InlineBytes: 1}} {
		opt.FS = memfs.New()
		g := newGraphStore(t, opt, Type{Kind: Int8}, Type{Kind: Int8})
		rng := rand.New(rand.NewPCG(2, 2))
		g.do(func(tx *Txn) error {
			return errors.Join(g.addNodes(tx, 0, sequence(rng, 0, 700)), g.addNodes(tx, 1, sequence(rng, 0, 30)))
		})
		for range 4 {
			g.do(func(tx *Txn) error { return g.addEdges(tx, 3000, g.randomEdges(rng, foldEdges/3)) })
		}
		before := g.shape()
		early, err := g.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		model := &graphStore{Store: g.Store, t: t, key: g.key, nodes: g.nodes, edges: map[visibility.RowID]edge{}}
		for id, e := range g.edges {
			model.edges[id] = e
		}
		g.do(func(tx *Txn) error {
			var ids []visibility.RowID
			for id := range g.edges {
				if id < foldEdges/3 || rng.IntN(3) == 0 {
					ids = append(ids, id)
					delete(g.edges, id)
				}
			}
			slices.Sort(ids)
			_, err := tx.Delete("r", ids)
			return err
		})
		if err := g.Vacuum(context.Background()); err != nil {
			t.Fatal(err)
		}
		after := g.shape()
		g.now()
		model.verify(early)
		early.Release()
		want := fmt.Sprint([]int{-4 * (foldEdges / 3)})
		if opt.InlineBytes == 1 { // the first file is gone, each of the others written again
			n := foldEdges / 3
			want = fmt.Sprint([]int{n, -n, -n, -n})
		}
		if fmt.Sprint(after) != want {
			t.Errorf("runs of %v edges became %v, want %s", before, after, want)
		}
		if left, err := strangers(g.Store, opt.FS); err != nil || len(left) > 0 {
			t.Errorf("files %v are left over: %v", left, err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		g.Store = mustOpen(t, opt)
		g.now()
		if got := g.shape(); fmt.Sprint(got) != want {
			t.Errorf("a reopen made %v of runs %s", got, want)
		}
		g.do(func(tx *Txn) error { return g.addEdges(tx, 3000, g.randomEdges(rng, 10)) })
		if err := g.Checkpoint(context.Background()); err != nil {
			t.Fatal(err)
		}
		g.now()
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		noLeaks(t, "after close")
	}
}

// TestManyRunsMergeByThemselves loads so often that a table has many stored runs, and waits
// for the checkpoint that merges them.
func TestManyRunsMergeByThemselves(t *testing.T) {
	g := newGraphStore(t, Options{InlineBytes: 1}, Type{Kind: Int8}, Type{Kind: Int8})
	rng := rand.New(rand.NewPCG(4, 4))
	g.do(func(tx *Txn) error {
		return errors.Join(g.addNodes(tx, 0, sequence(rng, 0, 9)), g.addNodes(tx, 1, sequence(rng, 0, 9)))
	})
	for i := range 100 {
		g.do(func(tx *Txn) error { return g.addEdges(tx, 64, g.randomEdges(rng, 1+i%3)) })
		g.folds.Wait()
		if n := len(g.shape()); n > 2*maxRuns+1 {
			t.Fatalf("%d runs after %d loads", n, i)
		}
	}
	g.now()
}

// TestVacuumGivesBackAProperty drops a property of edges and holds that a vacuum keeps the
// edges and not its values.
func TestVacuumGivesBackAProperty(t *testing.T) {
	g := newGraphStore(t, Options{InlineBytes: 1}, Type{Kind: Int8}, Type{Kind: Int8})
	rng := rand.New(rand.NewPCG(5, 5))
	g.do(func(tx *Txn) error {
		return errors.Join(g.addNodes(tx, 0, sequence(rng, 0, 50)), g.addNodes(tx, 1, sequence(rng, 0, 50)))
	})
	g.do(func(tx *Txn) error { return g.addEdges(tx, 3000, g.randomEdges(rng, 3000)) })
	g.do(func(tx *Txn) error {
		tab, err := tx.Table("r")
		if err != nil {
			return err
		}
		s := tab.Schema().Clone()
		s.Columns = s.Columns[:3]
		return tx.AlterTable(s)
	})
	if err := g.Vacuum(context.Background()); err != nil {
		t.Fatal(err)
	}
	snap, err := g.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	tab, err := snap.Table("r")
	if err != nil {
		t.Fatal(err)
	}
	tab.pieces(func(_ visibility.RowID, p piece) {
		if len(p.frag.chunks) != 3 {
			t.Errorf("a fragment of %d columns", len(p.frag.chunks))
		}
	})
	if err := checkRels(snap); err != nil {
		t.Fatal(err)
	}
}
