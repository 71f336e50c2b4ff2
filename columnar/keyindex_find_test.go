package columnar

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/visibility"
)

// keyTypes are the types that keys differ by in the index: integers of each width, bytes, and
// those with canonical bytes.
var keyTypes = []Type{{Kind: Int2}, {Kind: Int4}, {Kind: Int8}, {Kind: Text}, {Kind: UUID}, {Kind: Numeric},
	{Kind: Float8}, {Kind: Decimal, Precision: 20, Scale: 2}}

// keyOf returns one of the spellings of key x.
func keyOf(rng *rand.Rand, typ Type, x int64) Value {
	v := Value{Type: typ, I: x}
	switch typ.Kind {
	case Text:
		v = Value{Type: typ, S: fmt.Sprintf("key %d", x)}
	case UUID:
		v = Value{Type: typ, S: fmt.Sprintf("uuid %011d", x)}
	case Numeric: // 1.0 and 1.00 are one key
		v = Value{Type: typ, S: fmt.Sprintf("%d.%0*d", x, 1+rng.IntN(3), 0)}
	case Float8:
		if v = (Value{Type: typ, F: float64(x)}); x == 0 && rng.IntN(2) == 0 {
			v.F = math.Copysign(0, -1)
		} else if x == 7 {
			v.F = math.NaN()
		}
	}
	return v
}

// vecOf returns the values as a column, null where they are.
func vecOf(typ Type, values []Value) Vec {
	n := len(values)
	c := ColumnBuf{Type: typ, Valid: make([]uint64, (n+63)/64)}
	if typ.Variable() {
		c.Offsets = make([]int32, n+1)
	} else {
		c.Fixed = alignedBytes(n * typ.Width())
	}
	for i, v := range values {
		c.SetValue(i, v)
	}
	v, _ := c.vec(n)
	return v
}

// keyModel is what the rows of a version of table t are: the row of each live key.
type keyModel struct {
	live map[int64]visibility.RowID
	next visibility.RowID
}

func (m *keyModel) clone() *keyModel {
	c := &keyModel{live: map[int64]visibility.RowID{}, next: m.next}
	for x, id := range m.live {
		c.live[x] = id
	}
	return c
}

// compare looks up keys of the first constraint of tab, some of which are there, and
// compares the rows with the model.
func (m *keyModel) compare(t *testing.T, rng *rand.Rand, tab *Table, typ Type) {
	t.Helper()
	keys, err := tab.keysOf(context.Background(), &tab.schema.Constraints[0])
	if err != nil {
		t.Fatal(err)
	}
	n := 1 + rng.IntN(1500)
	values, want := make([]Value, n), make([]visibility.RowID, n)
	missing := 0
	var some []int64
	for x := range m.live {
		if some = append(some, x); len(some) == n {
			break
		}
	}
	for i := range values {
		x := rng.Int64N(2000)
		if len(some) > 0 && rng.IntN(2) == 0 {
			x = some[rng.IntN(len(some))]
		}
		id, ok := m.live[x]
		if values[i] = keyOf(rng, typ, x); rng.IntN(40) == 0 {
			values[i], ok = Value{Type: typ, Null: true}, false
		}
		if want[i] = id; !ok {
			want[i] = NoRow
			missing++
		}
	}
	v := vecOf(typ, values)
	from := rng.IntN(n)
	v, want = v.Slice(from, n-from), want[from:]
	missing = 0
	for _, id := range want {
		missing += b2i(id == NoRow)
	}
	got := make([]visibility.RowID, len(want))
	n, err = keys.Find(context.Background(), []Vec{v}, got)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("key %v is at row %d, want %d; the table has %d rows", values[from+i], got[i], want[i], m.next)
		}
	}
	if n != missing {
		t.Fatalf("%d keys are missing, want %d", n, missing)
	}
}

// TestFindModel loads, deletes, rolls back, truncates and vacuums, and looks keys up in the
// current version, in transactions, and in versions that are long gone.
func TestFindModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for n, typ := range keyTypes {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, uint64(n)))
			s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: int64(1 + rng.IntN(20000))})
			schema := keyTable(t, s, typ)
			type old struct {
				snap  *Snapshot
				model *keyModel
			}
			var olds []old
			m := &keyModel{live: map[int64]visibility.RowID{}}
			rounds := 60
			if soak() {
				rounds = 2000
			}
			for range rounds {
				snap, err := s.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				if olds = append(olds, old{snap, m.clone()}); len(olds) > 5 {
					i := rng.IntN(len(olds))
					olds[i].snap.Release()
					olds = append(olds[:i], olds[i+1:]...)
				}
				tx, err := s.BeginWrite(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				before := m.clone()
				var point Savepoint
				var atPoint *keyModel
				for range 1 + rng.IntN(4) {
					switch rng.IntN(8) {
					case 0:
						if err := tx.TruncateTable("t"); err != nil {
							t.Fatal(err)
						}
						if rng.IntN(3) > 0 {
							break
						}
						m = &keyModel{live: map[int64]visibility.RowID{}}
						continue
					case 1, 2:
						var ids []visibility.RowID
						share := 1 + rng.IntN(5)
						for x, id := range m.live {
							if rng.IntN(share) == 0 {
								ids = append(ids, id)
								delete(m.live, x)
							}
						}
						sortIDs(ids)
						if _, err := tx.Delete("t", ids); err != nil {
							t.Fatal(err)
						}
						continue
					case 3:
						point, atPoint = tx.Savepoint(), m.clone()
						continue
					case 4:
						if atPoint != nil {
							tx.RollbackTo(point)
							m = atPoint.clone()
						}
						continue
					default:
						m.load(t, rng, s, tx, schema, typ)
						continue
					}
					m = &keyModel{live: map[int64]visibility.RowID{}}
					m.load(t, rng, s, tx, schema, typ)
				}
				if rng.IntN(3) == 0 {
					tab, err := tx.Table("t")
					if err != nil {
						t.Fatal(err)
					}
					m.compare(t, rng, tab, typ)
				}
				if rng.IntN(3) == 0 {
					tx.Rollback()
					m = before
				} else if _, err := tx.Commit(context.Background()); err != nil {
					t.Fatal(err)
				}
				switch rng.IntN(12) {
				case 0:
					err = s.Checkpoint(context.Background())
				case 1:
					err = s.Vacuum(context.Background())
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range olds {
					if rng.IntN(4) == 0 {
						tab, err := o.snap.Table("t")
						if err != nil {
							t.Fatal(err)
						}
						o.model.compare(t, rng, tab, typ)
					}
				}
			}
			for _, o := range olds {
				o.snap.Release()
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// load appends rows with keys that the table does not have, and checks that a load with
// one more row, of a key that is there, is refused.
func (m *keyModel) load(t *testing.T, rng *rand.Rand, s *Store, tx *Txn, schema *Schema, typ Type) {
	t.Helper()
	var values []Value
	var ints []int64
	from := rng.Int64N(2000)
	ascend := rng.IntN(3) == 0
	used := map[int64]bool{}
	for i := range 1 + rng.IntN(200) {
		x := rng.Int64N(2000)
		if ascend {
			x = from + int64(i)
		}
		if _, ok := m.live[x]; ok || used[x] {
			continue
		}
		if used[x] = true; rng.IntN(60) == 0 {
			values, ints = append(values, Value{Type: typ, Null: true}), append(ints, -1)
			continue
		}
		values, ints = append(values, keyOf(rng, typ, x)), append(ints, x)
	}
	for x, id := range m.live {
		at := rng.IntN(len(values) + 1)
		bad := append(append(append([]Value{}, values[:at]...), keyOf(rng, typ, x)), values[at:]...)
		_, err := tx.Append(context.Background(), "t", valuesLoad(t, s, schema, typ, bad, 1+rng.IntN(64)))
		var dup *DuplicateError
		if !errors.As(err, &dup) || dup.Row != int64(at) || dup.Earlier != -1 || dup.InTable != id {
			t.Fatalf("key %d of row %d: got %+v %v, want row %d", x, id, dup, err, at)
		}
		break
	}
	if len(values) == 0 {
		return
	}
	first, err := tx.Append(context.Background(), "t", valuesLoad(t, s, schema, typ, values, 1+rng.IntN(64)))
	if err != nil || first != m.next {
		t.Fatalf("first row %d, want %d: %v", first, m.next, err)
	}
	for _, x := range ints {
		if x >= 0 {
			m.live[x] = m.next
		}
		m.next++
	}
}

// valuesLoad returns a load of rows with the given keys.
func valuesLoad(t *testing.T, s *Store, schema *Schema, typ Type, values []Value, size int) *Load {
	t.Helper()
	p := LoadPlan{Schema: schema, VarBytes: int64(len(values)) * 64}
	for left := len(values); left > 0; left -= size {
		p.Fragments = append(p.Fragments, min(left, size))
	}
	l, err := s.NewLoad(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for i, n := range p.Fragments {
		w, err := l.Fragment(i, n)
		if err != nil {
			t.Fatal(err)
		}
		for r := range n {
			w.Cols[0].SetValue(r, values[at])
			w.Cols[1].SetValue(r, Value{Type: Type{Kind: Int4}, I: int64(at)})
			at++
		}
		if err := w.Finish(n); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// TestFindLarge looks keys up in row groups and partitions, with every way to find them, and
// holds that what is wrong with a load does not depend on the number of workers.
func TestFindLarge(t *testing.T) {
	const rows = visibility.GroupRows*2 + 5000
	for _, k := range benchKeys {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			s, schema := benchTable(t, k.typ, rows, k.key)
			defer s.Close()
			snap, err := s.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Release()
			tab, err := snap.Table("t")
			if err != nil {
				t.Fatal(err)
			}
			keys, err := tab.Keys(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if c := keys.Columns(); len(c) != 1 || c[0].Name != "k" {
				t.Fatalf("key columns %v", c)
			}
			rng := rand.New(rand.NewPCG(3, 4))
			const n = 20000
			c := ColumnBuf{Type: k.typ, Fixed: alignedBytes(8 * n)}
			if k.typ.Variable() {
				c.Fixed, c.Offsets = nil, make([]int32, n+1)
			}
			want := make([]visibility.RowID, n)
			for i := range n {
				at := rng.IntN(2 * rows)
				k.key(&c, i, at)
				if want[i] = visibility.RowID(at); at >= rows {
					want[i] = NoRow
				}
			}
			v, _ := c.vec(n)
			got := make([]visibility.RowID, n)
			if _, err := keys.Find(context.Background(), []Vec{v}, got); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("key %d is at row %d, want %d", i, got[i], want[i])
				}
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := keys.Find(ctx, []Vec{v}, got); !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}

			const more = 150000
			for _, twins := range [][2]int{{more - 1, 7}, {90000, 89999}, {70001, 20}} {
				for workers := 1; workers <= 5; workers += 2 {
					l := benchLoad(t, s, schema, more, func(c *ColumnBuf, row, i int) {
						if i == twins[0] || i == more-1 {
							i = twins[1]
						}
						k.key(c, row, rows+i)
					})
					l.plan.Workers = workers
					err := write(s, func(tx *Txn) error { _, err := tx.Append(context.Background(), "t", l); return err })
					var dup *DuplicateError
					if !errors.As(err, &dup) || dup.Row != int64(twins[0]) || dup.Earlier != int64(twins[1]) {
						t.Fatalf("%d workers: got %+v %v, want rows %v", workers, dup, err, twins)
					}
				}
			}
		})
	}
}

// TestFindMisuse holds that wrong columns are refused.
func TestFindMisuse(t *testing.T) {
	s, _ := benchTable(t, Type{Kind: Int8}, 10, benchKeys[0].key)
	defer s.Close()
	if err := write(s, func(tx *Txn) error {
		return tx.CreateTable(&Schema{Name: "bare", Columns: []Column{{Name: "k", Type: Type{Kind: Int8}}}})
	}); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	tab, _ := snap.Table("t")
	keys, err := tab.Keys(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	v := vecOf(Type{Kind: Int4}, []Value{{Type: Type{Kind: Int4}, I: 3}})
	w := vecOf(Type{Kind: Int8}, []Value{{Type: Type{Kind: Int8}, I: 3}})
	for _, vecs := range [][]Vec{nil, {v}, {w, w}, {w.Slice(0, 0)}} {
		if _, err := keys.Find(context.Background(), vecs, make([]visibility.RowID, 1)); err == nil {
			t.Errorf("%d columns were taken", len(vecs))
		}
	}
	bare, _ := snap.Table("bare")
	if _, err := bare.Keys(context.Background()); pgerr.Code(err) != pgerr.InvalidForeignKey {
		t.Fatalf("got %v", err)
	}
}

// TestFindWhileWriting looks keys up from several goroutines while loads, of which some are
// rolled back, and deletes go on.
func TestFindWhileWriting(t *testing.T) {
	s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: 3000})
	typ := Type{Kind: Int8}
	schema := keyTable(t, s, typ)
	// Row id holds key scatter(id); rolled back loads bring keys below zero.
	var stop atomic.Bool
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(5, uint64(g)))
			for !stop.Load() {
				snap, err := s.Snapshot()
				if err != nil {
					t.Error(err)
					return
				}
				tab, _ := snap.Table("t")
				keys, err := tab.keysOf(context.Background(), &tab.schema.Constraints[0])
				if err != nil {
					t.Error(err)
				} else {
					n := int(tab.NextRow()) + 10
					values := make([]Value, 200)
					want := make([]visibility.RowID, len(values))
					for i := range values {
						id := visibility.RowID(rng.IntN(n))
						values[i] = Value{Type: typ, I: int64(scatter(uint32(id)))}
						if want[i] = id; !tab.vis.Visible(id) {
							want[i] = NoRow
						}
					}
					got := make([]visibility.RowID, len(values))
					if _, err := keys.Find(context.Background(), []Vec{vecOf(typ, values)}, got); err != nil {
						t.Error(err)
					}
					for i := range got {
						if got[i] != want[i] {
							t.Errorf("key %d is at row %d, want %d", values[i].I, got[i], want[i])
							stop.Store(true)
							break
						}
					}
				}
				snap.Release()
			}
		})
	}
	rng := rand.New(rand.NewPCG(6, 7))
	next := 0
	for i := 0; i < 150 && !stop.Load(); i++ {
		undo := rng.IntN(3) == 0
		values := make([]Value, 1+rng.IntN(300))
		for j := range values {
			values[j] = Value{Type: typ, I: int64(scatter(uint32(next + j)))}
			if undo {
				values[j].I = -1 - int64(j)
			}
		}
		if err := addKeys(s, schema, values, 100, undo); err != nil && !errors.Is(err, errUndone) {
			t.Fatal(err)
		}
		if !undo {
			next += len(values)
		}
		if next > 0 && rng.IntN(3) == 0 {
			id := visibility.RowID(rng.IntN(next))
			if err := write(s, func(tx *Txn) error { _, err := tx.Delete("t", []visibility.RowID{id}); return err }); err != nil {
				t.Fatal(err)
			}
		}
	}
	stop.Store(true)
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFindDropped looks keys up in versions before and after a VACUUM, which leaves out the
// keys of deleted rows, of a table that is gone.
func TestFindDropped(t *testing.T) {
	s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: 1})
	typ := Type{Kind: Text}
	schema := keyTable(t, s, typ)
	rng := rand.New(rand.NewPCG(8, 9))
	m := &keyModel{live: map[int64]visibility.RowID{}}
	var values []Value
	for x := range int64(100) {
		values = append(values, keyOf(rng, typ, x))
		m.live[x] = visibility.RowID(x)
	}
	if err := addKeys(s, schema, values, 100, false); err != nil {
		t.Fatal(err)
	}
	snapshot := func() (*Snapshot, *Table) {
		snap, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		tab, err := snap.Table("t")
		if err != nil {
			t.Fatal(err)
		}
		return snap, tab
	}
	snap, before := snapshot()
	defer snap.Release()
	full := m.clone()
	if err := write(s, func(tx *Txn) error {
		var ids []visibility.RowID
		for x := range int64(50) {
			ids = append(ids, visibility.RowID(x))
			delete(m.live, x)
		}
		_, err := tx.Delete("t", ids)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Vacuum(context.Background()); err != nil {
		t.Fatal(err)
	}
	snap, after := snapshot()
	defer snap.Release()
	if err := write(s, func(tx *Txn) error { return tx.DropTable("t") }); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		m.compare(t, rng, after, typ)
		full.compare(t, rng, before, typ)
	}
	if err := s.Close(); !errors.As(err, new(*Leased)) {
		t.Fatal(err)
	}
}

// ints returns integer keys.
func ints(xs ...int64) (out []Value) {
	for _, x := range xs {
		out = append(out, Value{Type: Type{Kind: Int8}, I: x})
	}
	return out
}

// TestFindAscending looks keys up where every chunk ascends: apart, in any order of the
// chunks, with rows missing, and overlapping, which needs an index.
func TestFindAscending(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	for name, loads := range map[string][][]int64{
		"apart":       {{1, 2, 3}, {5, 6, 7}},
		"neighbours":  {{1, 2, 3}, {4, 5, 6}, {7, 8}},
		"backwards":   {{50, 60, 70}, {20, 30, 41}, {10, 11, 12}},
		"interleaved": {{0, 2, 4, 6}, {1, 3, 5, 7}},
		"extremes":    {{math.MinInt64, -1, 0}, {math.MaxInt64 - 1, math.MaxInt64}},
		"bunched":     {{0, 1, 2, 3, 4, 5, 6, 1 << 40}, {1<<40 + 1, 1 << 41, 1<<41 + 1, 1<<41 + 2}},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: 1})
			schema := keyTable(t, s, Type{Kind: Int8})
			m := &keyModel{live: map[int64]visibility.RowID{}}
			var asked []Value
			for _, keys := range loads {
				if err := addKeys(s, schema, ints(keys...), len(keys), false); err != nil {
					t.Fatal(err)
				}
				for _, x := range keys {
					m.live[x] = m.next
					m.next++
					asked = append(asked, ints(x-1, x, x+1, 2*x)...)
				}
			}
			snap, err := s.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			tab, _ := snap.Table("t")
			m.compare(t, rng, tab, Type{Kind: Int8})
			keys, err := tab.keysOf(context.Background(), &tab.schema.Constraints[0])
			if err != nil {
				t.Fatal(err)
			}
			if (keys.spans == nil) != (name == "interleaved") {
				t.Error("an index where none is needed, or none where one is")
			}
			got := make([]visibility.RowID, len(asked))
			if _, err := keys.Find(context.Background(), []Vec{vecOf(Type{Kind: Int8}, asked)}, got); err != nil {
				t.Fatal(err)
			}
			for i, v := range asked {
				if id, ok := m.live[v.I]; (ok && got[i] != id) || (!ok && got[i] != NoRow) {
					t.Errorf("key %d is at row %d, want %d %v", v.I, got[i], id, ok)
				}
			}
			snap.Release()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestRefusedLoadLeavesNoKeys holds that the keys of a load that was refused are not taken
// for those of the rows that come in its place.
func TestRefusedLoadLeavesNoKeys(t *testing.T) {
	s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: 1})
	schema := keyTable(t, s, Type{Kind: Int8})
	var down []int64
	for x := range int64(40) {
		down = append(down, 40-x)
	}
	if err := addKeys(s, schema, ints(down...), 40, false); err != nil {
		t.Fatal(err)
	}
	if err := addKeys(s, schema, ints(5), 1, false); pgerr.Code(err) != pgerr.UniqueViolation {
		t.Fatalf("got %v", err)
	}
	err := write(s, func(tx *Txn) error {
		for i, keys := range [][]int64{{90, 80, 5}, {100, 101, 102}, {101}} {
			l := valuesLoad(t, s, schema, Type{Kind: Int8}, ints(keys...), 3)
			if _, err := tx.Append(context.Background(), "t", l); (err == nil) != (i == 1) {
				return fmt.Errorf("load %d: %v", i, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestIndexRunsStayFew holds that many small loads do not make many runs, and that few of
// them touch the long ones.
func TestIndexRunsStayFew(t *testing.T) {
	s := mustOpen(t, Options{FS: memfs.New()})
	schema := keyTable(t, s, Type{Kind: Int8})
	built := map[*keyRun]bool{}
	rows, work := 0, uint64(0)
	for i := range 300 {
		var keys []int64
		for range 10 {
			keys = append(keys, int64(scatter(uint32(rows))))
			rows++
		}
		if err := addKeys(s, schema, ints(keys...), 10, false); err != nil {
			t.Fatal(err)
		}
		snap, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		tab, _ := snap.Table("t")
		st := tab.keys.of(tab.schema.Constraints[0].Columns).state.Load()
		snap.Release()
		if len(st.runs) > 6 {
			t.Fatalf("%d runs after %d loads", len(st.runs), i+1)
		}
		for _, r := range st.runs {
			if !built[r] {
				built[r] = true
				work += r.to - r.from
			}
		}
	}
	if perRow := float64(work) / float64(rows); perRow > 15 {
		t.Errorf("each row was built into a run %.1f times", perRow)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFindComposite looks up keys of two columns in many fragments.
func TestFindComposite(t *testing.T) {
	s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: 1})
	num, text := Type{Kind: Int4}, Type{Kind: Text}
	schema := &Schema{Name: "t", Columns: []Column{{Name: "v", Type: num}, {Name: "a", Type: num, NotNull: true}, {Name: "b", Type: text, NotNull: true}},
		Constraints: []Constraint{{Name: "t_pkey", Kind: PrimaryKey, Columns: []uint32{2, 3}}}}
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
		t.Fatal(err)
	}
	const frags, each = 150, 10
	a, b := make([]Value, frags*each), make([]Value, frags*each)
	for i := range a {
		a[i] = Value{Type: num, I: int64(i % 40)}
		b[i] = Value{Type: text, S: fmt.Sprint(i / 40)}
	}
	l, err := s.NewLoad(context.Background(), LoadPlan{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	for f := range frags {
		w, err := l.Fragment(f, each)
		if err != nil {
			t.Fatal(err)
		}
		for i := range each {
			w.Cols[0].SetValue(i, Value{Type: num, I: 1})
			w.Cols[1].SetValue(i, a[f*each+i])
			w.Cols[2].SetValue(i, b[f*each+i])
		}
		if err := w.Finish(each); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(s, func(tx *Txn) error { _, err := tx.Append(context.Background(), "t", l); return err }); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	tab, _ := snap.Table("t")
	keys, err := tab.Keys(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := make([]visibility.RowID, len(a))
	missing, err := keys.Find(context.Background(), []Vec{vecOf(num, a), vecOf(text, b)}, got)
	if err != nil || missing != 0 {
		t.Fatal(missing, err)
	}
	for i, id := range got {
		if id != visibility.RowID(i) {
			t.Fatalf("key %d is at row %d", i, id)
		}
	}
	a[3].I = 1000
	if missing, err = keys.Find(context.Background(), []Vec{vecOf(num, a), vecOf(text, b)}, got); err != nil || missing != 1 || got[3] != NoRow {
		t.Fatal(missing, got[3], err)
	}
	snap.Release()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
