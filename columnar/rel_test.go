package columnar

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// nodeTable is a schema of nodes with a key of the given type, and some text.
func nodeTable(name string, key Type) *Schema {
	return &Schema{Name: name, Columns: []Column{{Name: "id", Type: key, NotNull: true}, {Name: "about", Type: Type{Kind: Text}}},
		Constraints: []Constraint{{Name: name + "_pkey", Kind: PrimaryKey, Columns: []uint32{1}}}}
}

// keyValue is the key of node i in a type of key.
func keyValue(t Type, i int) Value {
	v := Value{Type: t}
	switch {
	case t.Kind == UUID:
		v.S = fmt.Sprintf("%016d", i)
	case t.Variable():
		v.S = strconv.Itoa(i)
	default:
		v.I = int64(i)
	}
	return v
}

// fillRows appends rows to a load in fragments of the given size and returns it.
func fillRows(t testing.TB, s *Store, p LoadPlan, planned bool, fragment int, rows [][]Value) *Load {
	t.Helper()
	var sizes []int
	for left := len(rows); left > 0; left -= fragment {
		sizes = append(sizes, min(left, fragment))
	}
	if planned {
		p.Fragments = sizes
		for _, r := range rows {
			for _, v := range r {
				p.VarBytes += int64(len(v.S))
			}
		}
	}
	l, err := s.NewLoad(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for i, n := range sizes {
		w, err := l.Fragment(i, n)
		if err != nil {
			t.Fatal(err)
		}
		if err := mmap.Guard(func() error {
			for r := range n {
				for c := range w.Cols {
					w.Cols[c].SetValue(r, rows[at+r][c])
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		at += n
		if err := w.Finish(n); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// edge is an edge of a test: keys of its ends, and a number.
type edge struct{ from, to, n int }

// graphStore is a store with nodes "a" and "b", and edges "r" from a to b with properties
// "n" and "s", and what it should hold.
type graphStore struct {
	*Store
	t     testing.TB
	key   [2]Type
	nodes [2]map[int]visibility.RowID
	edges map[visibility.RowID]edge
}

func newGraphStore(t testing.TB, opt Options, from, to Type) *graphStore {
	t.Helper()
	if opt.FS == nil {
		opt.FS = memfs.New()
	}
	g := &graphStore{Store: mustOpen(t, opt), t: t, key: [2]Type{from, to}, edges: map[visibility.RowID]edge{}}
	g.nodes = [2]map[int]visibility.RowID{{}, {}}
	t.Cleanup(func() { g.Close() }) // where the test did not
	g.do(func(tx *Txn) error {
		a, b := nodeTable("a", from), nodeTable("b", to)
		if err := errors.Join(tx.CreateTable(a), tx.CreateTable(b)); err != nil {
			return err
		}
		return tx.CreateTable(relTable("r", a, b))
	})
	return g
}

func relTable(name string, a, b *Schema) *Schema {
	return &Schema{Name: name, Rel: &Rel{From: a.ID, To: b.ID, Group: "g"},
		Columns: []Column{{Name: "n", Type: Type{Kind: Int4}}, {Name: "s", Type: Type{Kind: Text}}}}
}

// do commits what fn does.
func (g *graphStore) do(fn func(*Txn) error) {
	g.t.Helper()
	if err := g.try(fn); err != nil {
		g.t.Fatal(err)
	}
}

func (g *graphStore) try(fn func(*Txn) error) error {
	tx, err := g.BeginWrite(context.Background())
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	_, err = tx.Commit(context.Background())
	return err
}

// addNodes appends nodes with keys from to to-1 in the given order.
func (g *graphStore) addNodes(tx *Txn, e end, keys []int) error {
	name := [2]string{"a", "b"}[e]
	tab, err := tx.Table(name)
	if err != nil {
		return err
	}
	var rows [][]Value
	for _, k := range keys {
		rows = append(rows, []Value{keyValue(g.key[e], k), {Type: Type{Kind: Text}, S: "node " + strconv.Itoa(k)}})
	}
	first, err := tx.Append(context.Background(), name, fillRows(g.t, g.Store, LoadPlan{Schema: tab.Schema()}, true, 1000, rows))
	for i, k := range keys {
		g.nodes[e][k] = first + visibility.RowID(i)
	}
	return err
}

// stage returns a load of edges.
func (g *graphStore) stage(tx interface{ LoadSchema(string) (*Schema, error) }, p LoadPlan, fragment int, edges []edge) *Load {
	g.t.Helper()
	s, err := tx.LoadSchema("r")
	if err != nil {
		g.t.Fatal(err)
	}
	var rows [][]Value
	for _, e := range edges {
		rows = append(rows, []Value{keyValue(g.key[0], e.from), keyValue(g.key[1], e.to),
			{Type: Type{Kind: Int4}, I: int64(e.n), Null: e.n%7 == 0}, {Type: Type{Kind: Text}, S: "edge " + strconv.Itoa(e.n)}})
	}
	p.Schema = s
	return fillRows(g.t, g.Store, p, true, fragment, rows)
}

// added notes edges that were appended from first on: ordered by row id of their source.
func (g *graphStore) added(first visibility.RowID, edges []edge) {
	edges = slices.Clone(edges)
	slices.SortStableFunc(edges, func(x, y edge) int { return int(g.nodes[0][x.from]) - int(g.nodes[0][y.from]) })
	for i, e := range edges {
		g.edges[first+visibility.RowID(i)] = e
	}
}

func (g *graphStore) addEdges(tx *Txn, fragment int, edges []edge) error {
	a, err := tx.AppendConflict(context.Background(), "r", g.stage(tx, LoadPlan{}, fragment, edges), ConflictError)
	if err == nil && a.Rows != int64(len(edges)) {
		err = fmt.Errorf("%d edges were appended, want %d", a.Rows, len(edges))
	}
	g.added(a.First, edges)
	return err
}

// randomEdges returns n edges between nodes that there are.
func (g *graphStore) randomEdges(rng *rand.Rand, n int) []edge {
	from, to := slices.Sorted(maps.Keys(g.nodes[0])), slices.Sorted(maps.Keys(g.nodes[1]))
	out := make([]edge, n)
	for i := range out {
		out[i] = edge{from[rng.IntN(len(from))], to[rng.IntN(len(to))], rng.IntN(1 << 30)}
	}
	return out
}

// verify holds that rows and adjacency of r are the model's, and that Check is content.
func (g *graphStore) verify(src interface {
	Adjacency(string) (*Adjacency, error)
}) {
	g.t.Helper()
	adj, err := src.Adjacency("r")
	if err != nil {
		g.t.Fatal(err)
	}
	seen := 0
	if err := mmap.Guard(func() error {
		for b, err := range adj.Rel.Scan(context.Background(), ScanOptions{}) {
			if err != nil {
				return err
			}
			for i := range b.Rows {
				id := b.First + visibility.RowID(i)
				e, ok := g.edges[id]
				if !ok {
					return fmt.Errorf("edge %d should not be there", id)
				}
				from, to := g.nodes[0][e.from], g.nodes[1][e.to]
				if b.Cols[0].Int64s()[i] != int64(from) || b.Cols[1].Int64s()[i] != int64(to) {
					return fmt.Errorf("edge %d goes from %d to %d, want %d to %d", id, b.Cols[0].Int64s()[i], b.Cols[1].Int64s()[i], from, to)
				}
				if null := e.n%7 == 0; b.Cols[2].IsNull(i) != null || (!null && b.Cols[2].Int32s()[i] != int32(e.n)) ||
					string(b.Cols[3].Bytes(i)) != "edge "+strconv.Itoa(e.n) {
					return fmt.Errorf("edge %d has properties of another one than %v", id, e)
				}
				seen++
			}
		}
		return nil
	}); err != nil {
		g.t.Fatal(err)
	}
	if seen != len(g.edges) {
		g.t.Fatalf("%d edges, want %d", seen, len(g.edges))
	}
	at := visibility.RowID(0)
	for _, r := range adj.Runs {
		if r.First != at {
			g.t.Fatalf("a run begins at edge %d, want %d", r.First, at)
		}
		at += visibility.RowID(r.Count)
	}
	if at != adj.Rel.NextRow() {
		g.t.Fatalf("the runs end at edge %d of %d", at, adj.Rel.NextRow())
	}
	for e := range 2 {
		want := map[visibility.RowID][]visibility.RowID{}
		for id, ed := range g.edges {
			k := [2]int{ed.from, ed.to}[e]
			want[g.nodes[e][k]] = append(want[g.nodes[e][k]], id)
		}
		nodes := [2]*Table{adj.From, adj.To}[e]
		if err := mmap.Guard(func() error {
			for n := range nodes.NextRow() {
				var got []visibility.RowID
				eachEdge(adj.Runs, end(e), uint32(n), func(id visibility.RowID) bool {
					if adj.Rel.vis.Visible(id) {
						got = append(got, id)
					}
					return true
				})
				slices.Sort(want[n])
				if !slices.Equal(got, want[n]) {
					return fmt.Errorf("%s %d has edges %v, want %v", end(e), n, got, want[n])
				}
			}
			return nil
		}); err != nil {
			g.t.Fatal(err)
		}
	}
}

// now verifies the latest commit.
func (g *graphStore) now() {
	g.t.Helper()
	snap, err := g.Snapshot()
	if err != nil {
		g.t.Fatal(err)
	}
	defer snap.Release()
	g.verify(snap)
	if _, err := g.Check(context.Background(), nil); err != nil {
		g.t.Fatal(err)
	}
}

// sequence returns the numbers from lo to hi-1, shuffled.
func sequence(rng *rand.Rand, lo, hi int) []int {
	out := make([]int, hi-lo)
	for i := range out {
		out[i] = lo + i
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func TestRelLoads(t *testing.T) {
	for _, opt := range []Options{{}, {InlineBytes: 1}, {InlineBytes: 20 << 10}} {
		for _, key := range []Type{{Kind: Int8}, {Kind: Text}, {Kind: Int2}, {Kind: UUID}} {
			t.Run(fmt.Sprintf("inline=%d/key=%v", opt.InlineBytes, key), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(7, 8))
				opt.FS = memfs.New()
				g := newGraphStore(t, opt, key, Type{Kind: Int4})
				g.do(func(tx *Txn) error {
					return errors.Join(g.addNodes(tx, 0, sequence(rng, 0, 300)), g.addNodes(tx, 1, sequence(rng, 0, 50)))
				})
				g.now()
				for _, n := range []int{1, 1, 3, 700, 100, 9000, 1, 1, 1} {
					g.do(func(tx *Txn) error {
						if err := g.addEdges(tx, 2000, g.randomEdges(rng, n)); err != nil {
							return err
						}
						g.verify(tx)
						return nil
					})
					g.now()
				}
				if err := g.Close(); err != nil {
					t.Fatal(err)
				}
				g.Store = mustOpen(t, opt)
				g.now()
				if err := g.Close(); err != nil {
					t.Fatal(err)
				}
				noLeaks(t, "after close")
			})
		}
	}
}

func code(err error) string {
	if err == nil {
		return ""
	}
	return pgerr.Code(err)
}

// without returns the nodes with the given keys, as row ids in order.
func (g *graphStore) ids(e end, keys ...int) []visibility.RowID {
	var out []visibility.RowID
	for _, k := range keys {
		out = append(out, g.nodes[e][k])
	}
	slices.Sort(out)
	return out
}

// drop forgets nodes of the model and the edges at them, and returns how many these were.
func (g *graphStore) drop(e end, keys ...int) (edges int) {
	for _, k := range keys {
		delete(g.nodes[e], k)
		for id, ed := range g.edges {
			if [2]int{ed.from, ed.to}[e] == k {
				delete(g.edges, id)
				edges++
			}
		}
	}
	return edges
}

func TestRelDeletes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	g := newGraphStore(t, Options{}, Type{Kind: Text}, Type{Kind: Int8})
	g.do(func(tx *Txn) error {
		return errors.Join(g.addNodes(tx, 0, sequence(rng, 0, 40)), g.addNodes(tx, 1, sequence(rng, 0, 40)))
	})
	g.do(func(tx *Txn) error {
		return g.addEdges(tx, 64, []edge{{1, 2, 1}, {1, 3, 2}, {4, 2, 3}, {5, 5, 4}, {5, 5, 5}, {6, 7, 6}})
	})
	err := g.try(func(tx *Txn) error { _, err := tx.Delete("a", g.ids(0, 0, 1)); return err })
	var pg *pgerr.Error
	if !errors.As(err, &pg) || pg.SQLState != pgerr.ForeignKeyViolation ||
		pg.Message != `update or delete on table "a" violates foreign key constraint "r_from_fkey" on table "r"` ||
		pg.Detail != `Key (id)=(1) is still referenced from table "r".` {
		t.Fatalf("deleting a node with edges: %v", err)
	}
	if err := g.try(func(tx *Txn) error { _, err := tx.Delete("b", g.ids(1, 7)); return err }); code(err) != pgerr.ForeignKeyViolation {
		t.Fatalf("deleting a node with an edge to it: %v", err)
	}
	g.do(func(tx *Txn) error {
		n, err := tx.Delete("a", g.ids(0, 0, 2, 3))
		if n != 3 {
			return fmt.Errorf("%d rows, %w", n, err)
		}
		g.drop(0, 0, 2, 3)
		return err
	})
	g.now()
	// An edge that is gone holds nobody.
	g.do(func(tx *Txn) error {
		for id, e := range g.edges {
			if e.from == 6 {
				if _, err := tx.Delete("r", []visibility.RowID{id}); err != nil {
					return err
				}
				delete(g.edges, id)
			}
		}
		_, err := tx.Delete("b", g.ids(1, 7))
		g.drop(1, 7)
		return err
	})
	g.now()
	g.do(func(tx *Txn) error {
		rows, edges, err := tx.DeleteCascade("b", g.ids(1, 2, 5))
		if want := g.drop(1, 2, 5); rows != 2 || edges != want || want != 4 {
			return fmt.Errorf("%d rows and %d edges went, want 2 and %d", rows, edges, want)
		}
		return err
	})
	g.now()
	for name, fn := range map[string]func(tx *Txn) error{
		"drop":     func(tx *Txn) error { return tx.DropTable("a") },
		"truncate": func(tx *Txn) error { return tx.TruncateTable("b") },
		"alter": func(tx *Txn) error {
			tab, _ := tx.Table("a")
			s := tab.Schema().Clone()
			s.Constraints = nil
			return tx.AlterTable(s)
		},
	} {
		if err := g.try(fn); code(err) != pgerr.DependentObjects {
			t.Errorf("%s of a node table that edges need: %v", name, err)
		}
	}
	g.do(func(tx *Txn) error { return errors.Join(tx.TruncateTable("r"), tx.DropTable("r"), tx.DropTable("a")) })
}

func TestRelReplace(t *testing.T) {
	for _, opt := range []Options{{}, {InlineBytes: 1}} {
		opt.FS = memfs.New()
		rng := rand.New(rand.NewPCG(5, 6))
		g := newGraphStore(t, opt, Type{Kind: Int8}, Type{Kind: Int8})
		g.do(func(tx *Txn) error {
			return errors.Join(g.addNodes(tx, 0, sequence(rng, 0, 40)), g.addNodes(tx, 1, sequence(rng, 0, 40)))
		})
		g.do(func(tx *Txn) error { return g.addEdges(tx, 64, g.randomEdges(rng, 200)) })
		replaced := func(e end, keys []int, replace func(tx *Txn, ids []visibility.RowID, l *Load) (Appended, error)) {
			t.Helper()
			g.do(func(tx *Txn) error {
				ids := g.ids(e, keys...)
				slices.SortFunc(keys, func(a, b int) int { return int(g.nodes[e][a]) - int(g.nodes[e][b]) })
				tab, err := tx.Table([2]string{"a", "b"}[e])
				if err != nil {
					return err
				}
				var rows [][]Value
				for _, k := range keys {
					rows = append(rows, []Value{keyValue(g.key[e], k), {Type: Type{Kind: Text}, S: "new"}})
				}
				l := fillRows(t, g.Store, LoadPlan{Schema: tab.Schema()}, true, 64, rows)
				rel, _ := tx.Table("r")
				next := rel.NextRow()
				a, err := replace(tx, ids, l)
				if err != nil {
					return err
				}
				for i, k := range keys {
					g.nodes[e][k] = a.First + visibility.RowID(i)
				}
				var moved []visibility.RowID
				for id, ed := range g.edges {
					if slices.Contains(keys, [2]int{ed.from, ed.to}[e]) {
						moved = append(moved, id)
					}
				}
				slices.Sort(moved)
				var again []edge
				for _, id := range moved {
					again = append(again, g.edges[id])
					delete(g.edges, id)
				}
				g.added(next, again)
				return nil
			})
			g.now()
		}
		replace := func(e end) func(*Txn, []visibility.RowID, *Load) (Appended, error) {
			return func(tx *Txn, ids []visibility.RowID, l *Load) (Appended, error) {
				return tx.Replace(context.Background(), [2]string{"a", "b"}[e], ids, l)
			}
		}
		conflict := func(e end) func(*Txn, []visibility.RowID, *Load) (Appended, error) {
			return func(tx *Txn, _ []visibility.RowID, l *Load) (Appended, error) {
				return tx.AppendConflict(context.Background(), [2]string{"a", "b"}[e], l, ConflictReplace)
			}
		}
		replaced(0, []int{3, 9, 20}, replace(0))
		replaced(1, []int{0, 1, 2, 39}, replace(1))
		replaced(1, []int{7, 39}, conflict(1))
		replaced(0, []int{3}, conflict(0))
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		g.Store = mustOpen(t, opt)
		g.now()
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRelMissingEnds(t *testing.T) {
	ctx := context.Background()
	for _, opt := range []Options{{}, {InlineBytes: 1}} {
		opt.FS = memfs.New()
		rng := rand.New(rand.NewPCG(9, 9))
		g := newGraphStore(t, opt, Type{Kind: Text}, Type{Kind: Int8})
		g.do(func(tx *Txn) error {
			return errors.Join(g.addNodes(tx, 0, sequence(rng, 0, 20)), g.addNodes(tx, 1, sequence(rng, 0, 20)))
		})
		edges := []edge{{1, 1, 1}, {2, 77, 2}, {3, 3, 3}, {55, 66, 4}, {4, 4, 5}, {56, 4, 6}}
		good := []edge{edges[0], edges[2], edges[4]}
		for _, sync := range []bool{true, false} {
			err := g.try(func(tx *Txn) error {
				l := g.stage(tx, LoadPlan{}, 4, edges)
				if sync {
					if err := l.Sync(ctx); err != nil {
						return err
					}
				}
				_, err := tx.Append(ctx, "r", l)
				return err
			})
			var m *MissingError
			if !errors.As(err, &m) || m.MissingEnd != (MissingEnd{Row: 1, Column: "to", Key: "77"}) || code(err) != pgerr.ForeignKeyViolation ||
				m.Err.Message != `insert or update on table "r" violates foreign key constraint "r_to_fkey"` ||
				m.Err.Detail != `Key (to)=(77) is not present in table "b".` {
				t.Fatalf("sync=%v: %v", sync, err)
			}
			g.do(func(tx *Txn) error {
				l := g.stage(tx, LoadPlan{SkipMissing: true}, 4, edges)
				if sync {
					if err := l.Sync(ctx); err != nil {
						return err
					}
				}
				a, err := tx.AppendConflict(ctx, "r", l, ConflictError)
				if err != nil {
					return err
				}
				want := []MissingEnd{{1, "to", "77"}, {3, "from", "55"}, {3, "to", "66"}, {5, "from", "56"}}
				if a.Rows != 3 || a.Missing != 3 || !slices.Equal(l.Missing(), want) {
					return fmt.Errorf("%+v, missing %v", a, l.Missing())
				}
				g.added(a.First, good)
				return nil
			})
			g.now()
		}
		if left, err := strangers(g.Store, opt.FS); err != nil || len(left) > 0 {
			t.Errorf("files %v are left over: %v", left, err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRelLoadsMeetChanges resolves loads before the write lock, and changes the nodes before
// the rows are appended.
func TestRelLoadsMeetChanges(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name   string
		skip   bool
		edges  []edge
		change func(*graphStore, *Txn) error
		want   []edge // nil: 23503
	}{
		{"nothing", false, []edge{{1, 1, 1}, {2, 2, 2}}, func(*graphStore, *Txn) error { return nil }, []edge{{1, 1, 1}, {2, 2, 2}}},
		{"nodes added", false, []edge{{1, 1, 1}}, func(g *graphStore, tx *Txn) error { return g.addNodes(tx, 0, []int{100}) }, []edge{{1, 1, 1}}},
		{"another node deleted", false, []edge{{1, 1, 1}}, func(g *graphStore, tx *Txn) error {
			_, err := tx.Delete("b", g.ids(1, 5))
			return err
		}, []edge{{1, 1, 1}}},
		{"end deleted", false, []edge{{1, 1, 1}, {2, 5, 2}}, func(g *graphStore, tx *Txn) error {
			_, err := tx.Delete("b", g.ids(1, 5))
			return err
		}, nil},
		{"end deleted, skipped", true, []edge{{1, 1, 1}, {2, 5, 2}}, func(g *graphStore, tx *Txn) error {
			_, err := tx.Delete("b", g.ids(1, 5))
			return err
		}, []edge{{1, 1, 1}}},
		{"end replaced", false, []edge{{1, 1, 1}, {2, 5, 2}}, func(g *graphStore, tx *Txn) error {
			if _, err := tx.Delete("b", g.ids(1, 5)); err != nil {
				return err
			}
			return g.addNodes(tx, 1, []int{5})
		}, []edge{{1, 1, 1}, {2, 5, 2}}},
		{"missing end comes", false, []edge{{1, 1, 1}, {2, 50, 2}}, func(g *graphStore, tx *Txn) error { return g.addNodes(tx, 1, []int{50}) }, []edge{{1, 1, 1}, {2, 50, 2}}},
		{"skipped end comes", true, []edge{{1, 1, 1}, {2, 50, 2}}, func(g *graphStore, tx *Txn) error { return g.addNodes(tx, 1, []int{50}) }, []edge{{1, 1, 1}, {2, 50, 2}}},
	} {
		for _, own := range []bool{false, true} { // whether the transaction itself makes the change
			t.Run(fmt.Sprintf("%s/own=%v", c.name, own), func(t *testing.T) {
				opt := Options{FS: memfs.New(), InlineBytes: 1}
				g := newGraphStore(t, opt, Type{Kind: Int8}, Type{Kind: Text})
				g.do(func(tx *Txn) error {
					return errors.Join(g.addNodes(tx, 0, []int{0, 1, 2, 3}), g.addNodes(tx, 1, []int{5, 4, 3, 2, 1}))
				})
				snap, err := g.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				l := g.stage(snap, LoadPlan{SkipMissing: c.skip}, 64, c.edges)
				snap.Release()
				if err := l.Sync(ctx); err != nil {
					t.Fatal(err)
				}
				if !own {
					g.do(func(tx *Txn) error { return c.change(g, tx) })
				}
				err = g.try(func(tx *Txn) error {
					if own {
						if err := c.change(g, tx); err != nil {
							return err
						}
					}
					a, err := tx.AppendConflict(ctx, "r", l, ConflictError)
					if err == nil {
						g.added(a.First, c.want)
					}
					return err
				})
				if c.want == nil && code(err) != pgerr.ForeignKeyViolation || c.want != nil && err != nil {
					t.Fatal(err)
				}
				g.now()
				if left, err := strangers(g.Store, opt.FS); err != nil || len(left) > 0 {
					t.Errorf("files %v are left over: %v", left, err)
				}
				if err := g.Close(); err != nil {
					t.Fatal(err)
				}
				noLeaks(t, "after close")
			})
		}
	}
}

func TestRelTables(t *testing.T) {
	g := newGraphStore(t, Options{}, Type{Kind: Int8}, Type{Kind: Int8})
	int8s := Type{Kind: Int8}
	plain := &Schema{Name: "plain", Columns: []Column{{Name: "x", Type: int8s}}}
	two := &Schema{Name: "two", Columns: []Column{{Name: "x", Type: int8s, NotNull: true}, {Name: "y", Type: int8s, NotNull: true}},
		Constraints: []Constraint{{Name: "two_pkey", Kind: PrimaryKey, Columns: []uint32{1, 2}}}}
	g.do(func(tx *Txn) error { return errors.Join(tx.CreateTable(plain), tx.CreateTable(two)) })
	for _, c := range []struct {
		s    *Schema
		want string
	}{
		{&Schema{Name: "x", Rel: &Rel{From: 1, To: 2}}, ""},
		{&Schema{Name: "x", Rel: &Rel{From: 1, To: 1}}, ""},
		{&Schema{Name: "x", Rel: &Rel{From: 1, To: 99}}, pgerr.UndefinedTable},
		{&Schema{Name: "x", Rel: &Rel{From: 3, To: 2}}, pgerr.WrongObjectType},
		{&Schema{Name: "x", Rel: &Rel{From: plain.ID, To: 2}}, pgerr.InvalidForeignKey},
		{&Schema{Name: "x", Rel: &Rel{From: 1, To: two.ID}}, pgerr.FeatureNotSupported},
		{&Schema{Name: "x", Rel: &Rel{From: 1, To: 2}, Columns: []Column{{Name: "to", Type: int8s}}}, pgerr.DuplicateColumn},
		{&Schema{Name: "x", Rel: &Rel{From: 1, To: 2}, Columns: []Column{{Name: "p", Type: int8s}},
			Constraints: []Constraint{{Name: "u", Kind: Unique, Columns: []uint32{3}}}}, pgerr.FeatureNotSupported},
	} {
		err := g.try(func(tx *Txn) error {
			if err := tx.CreateTable(c.s); err != nil {
				return err
			}
			return errNotCommitted
		})
		if errors.Is(err, errNotCommitted) != (c.want == "") || c.want != "" && code(err) != c.want {
			t.Errorf("rel table %v: %v, want %q", c.s.Rel, err, c.want)
		}
	}
	snap, err := g.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	if _, err := snap.Adjacency("a"); code(err) != pgerr.WrongObjectType {
		t.Errorf("adjacency of a node table: %v", err)
	}
	if rels, err := snap.Rels("b"); err != nil || len(rels) != 1 || rels[0].Schema().Name != "r" || rels[0].Schema().Rel.Group != "g" {
		t.Errorf("rels of b: %v, %v", rels, err)
	}
	alter := func(edit func(*Schema)) error {
		return g.try(func(tx *Txn) error {
			tab, err := tx.Table("r")
			if err != nil {
				return err
			}
			s := tab.Schema().Clone()
			edit(s)
			return tx.AlterTable(s)
		})
	}
	for _, edit := range []func(*Schema){
		func(s *Schema) { s.Columns = s.Columns[1:] },
		func(s *Schema) { s.Columns[0].Name = "source" },
		func(s *Schema) { s.Columns[1].NotNull = false },
	} {
		if err := alter(edit); code(err) != pgerr.InvalidTableDefinition {
			t.Errorf("an altered end of edges: %v", err)
		}
	}
	if err := alter(func(s *Schema) { s.Name, s.Columns = "q", append(s.Columns[:2:2], Column{Name: "w", Type: int8s}) }); err != nil {
		t.Error(err)
	}
	if err := g.Checkpoint(context.Background()); err != nil {
		t.Fatal(err)
	}
}
