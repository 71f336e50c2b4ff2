package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

var (
	int8Type   = columnar.Type{Kind: columnar.Int8}
	float8Type = columnar.Type{Kind: columnar.Float8}
)

// storeOf is a store with node tables a and b and the rel group g: r from a to a and s from a
// to b, both with a weight w. Node k of a table has key k.
type storeOf struct {
	*columnar.Store
	t    testing.TB
	next map[string]int // key of the next node
	rng  *rand.Rand
}

func newStore(t testing.TB, opt columnar.Options, seed uint64) *storeOf {
	t.Helper()
	if opt.FS == nil {
		opt.FS, opt.LogBytes = memfs.New(), 64<<10 // in memory, the zeros of a log take most of the time
	}
	st, err := columnar.Open(context.Background(), "", opt)
	if err != nil {
		t.Fatal(err)
	}
	s := &storeOf{Store: st, t: t, next: map[string]int{}, rng: rand.New(rand.NewPCG(seed, 3))}
	t.Cleanup(func() { st.Close() })
	tx := s.begin()
	node := func(name string) *columnar.Schema {
		return &columnar.Schema{Name: name, Columns: []columnar.Column{{Name: "id", Type: int8Type, NotNull: true}},
			Constraints: []columnar.Constraint{{Name: name + "_pkey", Kind: columnar.PrimaryKey, Columns: []uint32{1}}}}
	}
	a, b := node("a"), node("b")
	s.must(errors.Join(tx.CreateTable(a), tx.CreateTable(b)))
	for name, to := range map[string]uint32{"r": a.ID, "s": b.ID} {
		s.must(tx.CreateTable(&columnar.Schema{Name: name, Columns: []columnar.Column{{Name: "w", Type: float8Type}},
			Rel: &columnar.Rel{From: a.ID, To: to, Group: "g"}}))
	}
	s.commit(tx)
	return s
}

func (s *storeOf) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *storeOf) begin() *columnar.Txn {
	s.t.Helper()
	tx, err := s.BeginWrite(context.Background())
	s.must(err)
	return tx
}

func (s *storeOf) commit(tx *columnar.Txn) {
	s.t.Helper()
	_, err := tx.Commit(context.Background())
	s.must(err)
}

func (s *storeOf) snapshot() *columnar.Snapshot {
	s.t.Helper()
	snap, err := s.Snapshot()
	s.must(err)
	return snap
}

// add appends n rows to a table; value returns row i's value of column c.
func (s *storeOf) add(tx *columnar.Txn, table string, n int, value func(i, c int) columnar.Value) visibility.RowID {
	s.t.Helper()
	schema, err := tx.LoadSchema(table)
	s.must(err)
	l, err := s.NewLoad(context.Background(), columnar.LoadPlan{Schema: schema, Fragments: fragments(n)})
	s.must(err)
	at := 0
	for f, rows := range fragments(n) {
		w, err := l.Fragment(f, rows)
		s.must(err)
		s.must(mmap.Guard(func() error {
			for i := range rows {
				for c := range w.Cols {
					w.Cols[c].SetValue(i, value(at+i, c))
				}
			}
			return nil
		}))
		at += rows
		s.must(w.Finish(rows))
	}
	first, err := tx.Append(context.Background(), table, l)
	s.must(err)
	return first
}

// fragments cuts rows into fragments as COPY does.
func fragments(n int) (sizes []int) {
	for ; n > 0; n -= sizes[len(sizes)-1] {
		sizes = append(sizes, min(n, visibility.GroupRows))
	}
	return sizes
}

// addNodes appends n nodes.
func (s *storeOf) addNodes(tx *columnar.Txn, table string, n int) {
	s.t.Helper()
	first := s.next[table]
	s.add(tx, table, n, func(i, _ int) columnar.Value { return columnar.Value{Type: int8Type, I: int64(first + i)} })
	s.next[table] += n
}

// addEdges appends n edges between random nodes that a transaction sees.
func (s *storeOf) addEdges(tx *columnar.Txn, table string, n int) {
	s.t.Helper()
	to := map[string]string{"r": "a", "s": "b"}[table]
	from, dest := s.keys(tx, "a"), s.keys(tx, to)
	if len(from) == 0 || len(dest) == 0 {
		return
	}
	s.add(tx, table, n, func(_, c int) columnar.Value {
		switch c {
		case 0:
			return columnar.Value{Type: int8Type, I: from[s.rng.IntN(len(from))]}
		case 1:
			return columnar.Value{Type: int8Type, I: dest[s.rng.IntN(len(dest))]}
		}
		return columnar.Value{Type: float8Type, F: float64(s.rng.IntN(5))}
	})
}

// rows returns the ids of a table's rows and column 0.
func (s *storeOf) rows(t *columnar.Table) (ids []visibility.RowID, values []int64) {
	s.t.Helper()
	s.must(mmap.Guard(func() error {
		for b, err := range t.Scan(context.Background(), columnar.ScanOptions{}) {
			if err != nil {
				return err
			}
			for i := range b.Rows {
				ids = append(ids, b.First+visibility.RowID(i))
				values = append(values, b.Cols[0].Int64s()[i])
			}
		}
		return nil
	}))
	return ids, values
}

func (s *storeOf) keys(tx *columnar.Txn, table string) []int64 {
	s.t.Helper()
	t, err := tx.Table(table)
	s.must(err)
	_, keys := s.rows(t)
	return keys
}

// remove deletes some rows of a table, with their edges if they are nodes.
func (s *storeOf) remove(tx *columnar.Txn, table string, n int) {
	s.t.Helper()
	t, err := tx.Table(table)
	s.must(err)
	ids, _ := s.rows(t)
	s.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	ids = ids[:min(n, len(ids))]
	slices.Sort(ids)
	_, _, err = tx.DeleteCascade(table, ids)
	s.must(err)
}

// modelOf reads the model of a graph from the columns of its tables.
func (s *storeOf) modelOf(g *Graph) *model {
	s.t.Helper()
	m := &model{}
	for _, t := range g.Nodes() {
		there := make([]bool, t.NextRow())
		ids, _ := s.rows(t)
		for _, id := range ids {
			there[id] = true
		}
		m.nodes = append(m.nodes, there)
	}
	for _, t := range g.Rels() {
		r := modelRel{edges: make([]modelEdge, t.NextRow())}
		for i, n := range g.Nodes() {
			if id := n.Schema().ID; id == t.Schema().Rel.From {
				r.from = i
			}
			if id := n.Schema().ID; id == t.Schema().Rel.To {
				r.to = i
			}
		}
		for i := range r.edges {
			r.edges[i].gone = true
		}
		s.must(mmap.Guard(func() error {
			for b, err := range t.Scan(context.Background(), columnar.ScanOptions{}) {
				if err != nil {
					return err
				}
				for i := range b.Rows {
					r.edges[b.First+visibility.RowID(i)] = modelEdge{from: uint32(b.Cols[0].Int64s()[i]), to: uint32(b.Cols[1].Int64s()[i]), weight: b.Cols[2].Float64s()[i]}
				}
			}
			return nil
		}))
		m.rels = append(m.rels, r)
	}
	return m
}

// check compares some searches with the model of what src sees.
func (s *storeOf) check(t *testing.T, src Source, rels ...string) {
	t.Helper()
	g, err := Open(src, rels...)
	s.must(err)
	m := s.modelOf(g)
	if len(m.allNodes()) == 0 {
		return
	}
	for range 4 {
		c := sceneOf(s.rng, m, g)
		c.checkNeighbors(t)
		c.checkReachable(t)
		c.checkShortestPath(t)
		c.checkAllShortestPaths(t)
		c.checkWeightedShortestPath(t)
	}
}

// TestStore makes random changes in transactions and compares searches inside each, beside
// it, and in snapshots that are older, with models read from the tables' columns.
func TestStore(t *testing.T) {
	n := 40
	if testing.Short() {
		n = 10
	}
	for seed := range uint64(n) {
		opt := columnar.Options{}
		if seed%2 == 1 {
			opt.InlineBytes = 1 // every load has a data file
		}
		s := newStore(t, opt, seed)
		old := s.snapshot()
		for range 8 {
			tx := s.begin()
			for range 1 + s.rng.IntN(3) {
				switch table := []string{"r", "s"}[s.rng.IntN(2)]; s.rng.IntN(6) {
				case 0, 1:
					s.addNodes(tx, []string{"a", "b"}[s.rng.IntN(2)], 1+s.rng.IntN(6))
				case 2, 3:
					s.addEdges(tx, table, 1+s.rng.IntN(12))
				case 4:
					s.remove(tx, table, 1+s.rng.IntN(3))
				case 5:
					s.remove(tx, []string{"a", "b"}[s.rng.IntN(2)], 1)
				}
			}
			s.check(t, tx, "g")
			s.check(t, tx, "r")
			s.check(t, old, "g")
			now := s.snapshot()
			s.check(t, now, "s", "r", "s")
			if s.rng.IntN(4) == 0 {
				tx.Rollback()
			} else {
				s.commit(tx)
			}
			s.check(t, now, "g")
			if s.rng.IntN(3) == 0 {
				s.must(s.Checkpoint(context.Background()))
			}
			old.Release()
			old = now
		}
		s.check(t, old, "g")
		old.Release()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestOpen holds what Open refuses and how it names tables.
func TestOpen(t *testing.T) {
	s := newStore(t, columnar.Options{}, 1)
	snap := s.snapshot()
	defer snap.Release()
	for _, c := range []struct {
		rels []string
		code string
	}{{nil, pgerr.InvalidParameterValue}, {[]string{"nothing"}, pgerr.UndefinedTable}, {[]string{"a"}, pgerr.WrongObjectType}, {[]string{"r", "a"}, pgerr.WrongObjectType}} {
		_, err := Open(snap, c.rels...)
		if got := pgerr.Code(err); got != c.code {
			t.Errorf("Open(%v): %v (%s), want %s", c.rels, err, got, c.code)
		}
	}
	g, err := Open(snap, "s", "g")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tab := range slices.Concat(g.Nodes(), g.Rels()) {
		names = append(names, tab.Schema().Name)
	}
	if got := fmt.Sprint(names, g.Find("a"), g.Find("b"), g.Find("c")); got != "[a b s r] 0 1 -1" {
		t.Errorf("got %s", got)
	}
}
