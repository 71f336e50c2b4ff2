package columnar

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs/errfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// keyedLoad makes a load of rows (k, u, v) in fragments of the given size.
func keyedLoad(s *Store, schema *Schema, rows [][3]int64, size int, planned bool) (*Load, error) {
	p := LoadPlan{Schema: schema}
	var sizes []int
	for left := len(rows); left > 0; left -= size {
		sizes = append(sizes, min(left, size))
	}
	if planned {
		p.Fragments, p.VarBytes = sizes, int64(len(rows))*40
	}
	l, err := s.NewLoad(context.Background(), p)
	if err != nil {
		return nil, err
	}
	at := 0
	for i, n := range sizes {
		w, err := l.Fragment(i, n)
		if err != nil {
			return nil, err
		}
		for r := range n {
			for c, x := range rows[at] {
				v := Value{Type: w.Cols[c].Type, I: x}
				if c == 2 {
					v.S = fmt.Sprint("value ", x)
				}
				w.Cols[c].SetValue(r, v)
			}
			at++
		}
		if err := w.Finish(n); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// dump returns the live rows of table t in order.
func dump(t *testing.T, s *Store) string {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	tab, err := snap.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err = mmap.Guard(func() error {
		for batch, err := range tab.Scan(context.Background(), ScanOptions{}) {
			if err != nil {
				return err
			}
			for r := range batch.Rows {
				fmt.Fprintf(&b, "%d,%d,%s\n", batch.Cols[0].Int64s()[r], batch.Cols[1].Int64s()[r], batch.Cols[2].Bytes(r))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestConflictModel compares ignore and replace with one row after another in a slice,
// with one unique constraint and with two.
func TestConflictModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	for _, two := range []bool{false, true} {
		s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: 4000})
		schema := &Schema{Name: "t", Columns: []Column{
			{Name: "k", Type: Type{Kind: Int8}, NotNull: true}, {Name: "u", Type: Type{Kind: Int8}}, {Name: "v", Type: Type{Kind: Text}}},
			Constraints: []Constraint{{Name: "t_pkey", Kind: PrimaryKey, Columns: []uint32{1}}}}
		if two {
			schema.Constraints = append(schema.Constraints, Constraint{Name: "t_u_key", Kind: Unique, Columns: []uint32{2}})
		}
		if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
			t.Fatal(err)
		}
		var model [][3]int64
		serial := int64(0)
		for round := range 80 {
			rows := make([][3]int64, 1+rng.IntN(200))
			from := rng.Int64N(3000)
			for i := range rows {
				serial++
				rows[i] = [3]int64{rng.Int64N(3000), serial, serial}
				if round%3 == 0 {
					rows[i][0] = from + int64(i)
				}
				if two && rng.IntN(5) == 0 {
					rows[i][1] = rng.Int64N(serial) + 1
				}
			}
			policy := ConflictIgnore
			if rng.IntN(2) == 0 {
				policy = ConflictReplace
			}
			next, want, wantErr := playConflicts(model, rows, policy, two)
			l, err := keyedLoad(s, schema, rows, 1+rng.IntN(99), rng.IntN(2) == 0)
			if err != nil {
				t.Fatal(err)
			}
			var got Appended
			err = write(s, func(tx *Txn) (err error) {
				got, err = tx.AppendConflict(context.Background(), "t", l, policy)
				return err
			})
			if wantErr {
				if pgerr.Code(err) != pgerr.UniqueViolation {
					t.Fatalf("round %d: got %v, want a duplicate", round, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if got.First = 0; got != want {
				t.Fatalf("round %d policy %d: got %+v, want %+v", round, policy, got, want)
			}
			model = next
			var b strings.Builder
			for _, r := range model {
				fmt.Fprintf(&b, "%d,%d,value %d\n", r[0], r[1], r[2])
			}
			if d := dump(t, s); d != b.String() {
				t.Fatalf("round %d: table differs from the model", round)
			}
		}
		if _, err := s.Check(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// playConflicts does to rows in a slice what AppendConflict does to a table.
func playConflicts(model, rows [][3]int64, policy OnConflict, two bool) (next [][3]int64, a Appended, failed bool) {
	type entry struct {
		row  [3]int64
		load bool
	}
	var all []entry
	for _, r := range model {
		all = append(all, entry{r, false})
	}
	at := func(c int, x int64) int {
		for i, e := range all {
			if e.row[c] == x {
				return i
			}
		}
		return -1
	}
	for _, r := range rows {
		k := at(0, r[0])
		switch {
		case policy == ConflictIgnore && (k >= 0 || (two && at(1, r[1]) >= 0)):
			a.Skipped++
			continue
		case policy == ConflictReplace && k >= 0:
			if all[k].load {
				a.Skipped++
			} else {
				a.Replaced++
			}
			all = append(all[:k], all[k+1:]...)
		}
		all = append(all, entry{r, true})
	}
	seen := map[int64]bool{}
	for _, e := range all {
		if two && policy == ConflictReplace && seen[e.row[1]] {
			return nil, a, true
		}
		seen[e.row[1]] = true
		if e.load {
			a.Rows++
		}
		next = append(next, e.row)
	}
	return next, a, false
}

// TestManyStatementsSpill puts more small statements into one transaction than its
// record may hold.
func TestManyStatementsSpill(t *testing.T) {
	fsys := memfs.New()
	s := mustOpen(t, Options{FS: fsys, InlineBytes: 2000})
	schema := &Schema{Name: "t", Columns: []Column{
		{Name: "k", Type: Type{Kind: Int8}}, {Name: "u", Type: Type{Kind: Int8}}, {Name: "v", Type: Type{Kind: Text}}}}
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, undo := range []bool{true, false} {
		tx, err := s.BeginWrite(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i := range int64(900) {
			l, err := keyedLoad(s, schema, [][3]int64{{i, i, i}}, 1, true)
			if err != nil {
				t.Fatal(err)
			}
			var before Savepoint
			if i%7 == 0 {
				before = tx.Savepoint()
			}
			if _, err := tx.Append(context.Background(), "t", l); err != nil {
				t.Fatal(err)
			}
			if i%7 == 0 {
				tx.RollbackTo(before)
			} else if !undo {
				want += fmt.Sprintf("%d,%d,value %d\n", i, i, i)
			}
		}
		if undo {
			tx.Rollback()
		} else if _, err := tx.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if got := dump(t, s); got != want {
			t.Fatal("table differs")
		}
		if _, err := s.Check(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = mustOpen(t, Options{FS: fsys})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAscendingIDs(t *testing.T) {
	for _, n := range []int{0, 1, 3, 500, 1000} {
		for _, rows := range []uint64{1000, 1000000} {
			var ids []visibility.RowID
			for _, i := range rand.New(rand.NewPCG(uint64(n), rows)).Perm(int(rows))[:n] {
				ids = append(ids, visibility.RowID(i))
			}
			want := slices.Sorted(slices.Values(ids))
			if got := ascendingIDs(ids, rows); !slices.Equal(got, want) {
				t.Errorf("%d of %d ids: got %v", n, rows, got)
			}
		}
	}
}

// BenchmarkAscendingIDs puts 3 million of 3 million ids in order.
func BenchmarkAscendingIDs(b *testing.B) {
	const n = 3_000_000
	var ids []visibility.RowID
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		ids = append(ids, visibility.RowID(i))
	}
	for _, rows := range []uint64{n, 100 * n} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			for b.Loop() {
				ascendingIDs(slices.Clone(ids), rows)
			}
		})
	}
}

// TestConflictFails fails the file operations of an append one after the other, and holds that
// nothing of the load is left: not even its file.
func TestConflictFails(t *testing.T) {
	for _, policy := range []OnConflict{ConflictIgnore, ConflictReplace} {
		fsys := errfs.New(memfs.New())
		s := mustOpen(t, Options{FS: fsys, InlineBytes: 1 << 10})
		schema := &Schema{Name: "t", Columns: []Column{
			{Name: "k", Type: Type{Kind: Int8}, NotNull: true}, {Name: "u", Type: Type{Kind: Int8}}, {Name: "v", Type: Type{Kind: Text}}},
			Constraints: []Constraint{{Name: "t_pkey", Kind: PrimaryKey, Columns: []uint32{1}}}}
		if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
			t.Fatal(err)
		}
		rows := make([][3]int64, 3000)
		for i := range rows {
			rows[i] = [3]int64{int64(i * 7919 % 3001), int64(i), int64(i)}
		}
		// load fails the n-th operation of the append, and rolls back.
		load := func(n int, rows [][3]int64) error {
			tx, err := s.BeginWrite(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			l, err := keyedLoad(s, schema, rows, 1000, true)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Abort()
			if err := l.Sync(context.Background()); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				fsys.Add(errfs.Rule{Nth: n, Err: syscall.EIO})
			}
			_, err = tx.AppendConflict(context.Background(), "t", l, policy)
			fsys.Clear()
			if err == nil && n == 0 {
				_, err = tx.Commit(context.Background())
			}
			return err
		}
		if err := load(0, rows); err != nil {
			t.Fatal(err)
		}
		before := len(dataFiles(t, s))
		again := slices.Clone(rows)
		for i := range again[:1000] {
			again[i][0] = again[i+1000][0] // keys of the load itself, so that rows are left out
		}
		for i := range again[2000:] {
			again[2000+i][0] += 4000 // new, and enough for a file of what is not left out
		}
		failed := 0
		for n := 1; load(n, again) != nil; n++ {
			if failed++; len(dataFiles(t, s)) != before {
				t.Fatalf("policy %d, operation %d: %v are left", policy, n, dataFiles(t, s))
			}
		}
		if failed == 0 {
			t.Errorf("policy %d: no operation failed", policy)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
