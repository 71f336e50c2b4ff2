package naive

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
)

func byName(tables []*Table) []*Table {
	out := slices.Clone(tables)
	slices.SortFunc(out, func(a, b *Table) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// same fails unless both readers read the same from the directory of an open store, as it is
// at this moment, which is what a crash of the process leaves. It returns what they read.
func (s *store) same(what string) *Store {
	s.t.Helper()
	want, err := s.engine()
	if err != nil {
		s.t.Fatalf("%s: %v", what, err)
	}
	got, err := Read(copyDir(s.t, s.dir))
	if err != nil {
		s.t.Fatalf("%s: %v", what, err)
	}
	differ(s.t, what, got.render(), want)
	return got
}

// differ fails at the first line in which two dumps differ.
func differ(t testing.TB, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			t.Fatalf("%s: line %d\n got  %s\n want %s", what, i+1, a[i], strings.Join(b[min(i, len(b)):min(i+1, len(b))], ""))
		}
	}
	t.Fatalf("%s: %d lines, want %d", what, len(a), len(b))
}

// reopened is same after a clean end, and again from the newly opened store.
func (s *store) reopened(what string) {
	s.t.Helper()
	s.close()
	got, err := Read(s.dir)
	if err != nil {
		s.t.Fatalf("%s, closed: %v", what, err)
	}
	if !got.Clean {
		s.t.Errorf("%s: the log of a closed store does not end in a mark", what)
	}
	s.open()
	want, err := s.engine()
	if err != nil {
		s.t.Fatalf("%s, opened: %v", what, err)
	}
	differ(s.t, what+", closed", got.render(), want)
}

func (s *Store) table(name string) *Table {
	for _, t := range s.Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// TestEveryWayIn loads every type in every way, alters, deletes, folds and vacuums, and
// compares what both readers read after each step, with the store open and closed.
func TestEveryWayIn(t *testing.T) {
	for _, durability := range []columnar.Durability{columnar.Full, columnar.None} {
		t.Run(fmt.Sprintf("durability=%d", durability), func(t *testing.T) {
			s := open(t, t.TempDir(), columnar.Options{Durability: durability, InlineBytes: 64 << 10, LogBytes: 4 << 20})
			s.same("a new store")
			s.write(func(tx *columnar.Txn) error {
				return errors.Join(tx.CreateTable(every("e")), tx.CreateTable(&columnar.Schema{Name: "nothing"}))
			})
			s.same("tables without rows")
			s.loaded("e", 0, true, 100)
			s.loaded("e", 100, false, 90, 1)
			got := s.same("inline").table("e")
			if _, files := got.Fragments(); files[0] != 0 {
				t.Errorf("the first fragment lies in data-%d", files[0])
			}
			s.reopened("inline")
			s.loaded("e", 191, true, 1280, 1000)
			got = s.same("a planned file").table("e")
			if rows, files := got.Fragments(); files[len(files)-1] == 0 || rows[len(rows)-1] != 1000 {
				t.Errorf("fragments of %v rows in %v", rows, files)
			}
			s.loaded("e", 2471, false, 1280, 1100)
			s.same("a stream to a file")
			s.reopened("files")

			s.removed("e", 3, 400, 5)
			s.removed("e", 2048, 4096, 1)
			s.removed("e", 4200, 4700, 2)
			s.same("deletes as a list, of a vector, as a bitmap")
			s.altered("e", func(c *columnar.Schema) {
				c.Columns = slices.Delete(c.Columns, 5, 6)
				for k, typ := range kinds() {
					missing := valueOf(typ, 4+k)
					for i := 5; missing.Null; i++ {
						missing = valueOf(typ, i)
					}
					c.Columns = append(c.Columns, columnar.Column{Name: fmt.Sprintf("m%d", k), Type: typ, Missing: missing})
				}
				nan := columnar.Value{Type: columnar.Type{Kind: columnar.Decimal, Precision: 20}, F: math.NaN()}
				c.Columns = append(c.Columns, columnar.Column{Name: "nan", Type: nan.Type, Missing: nan},
					columnar.Column{Name: "null", Type: columnar.Type{Kind: columnar.Text}})
			})
			s.same("a column dropped, and columns with missing values")
			s.loaded("e", 9000, true, 30)
			s.loaded("e", 9030, true, 700)
			s.same("loads behind alter")
			s.reopened("alter")

			s.write(func(tx *columnar.Txn) error {
				return errors.Join(tx.CreateTable(every("other")), load(s, tx, "other", 0, true, 1500), load(s, tx, "other", 1500, true, 10),
					remove(tx, "other", 0, 1505, 1), load(s, tx, "e", 10000, false, 5), remove(tx, "e", 0, 5, 1))
			})
			s.same("a transaction of many statements")
			for i := range 4 {
				step, fn := "checkpoint", s.Checkpoint
				if i%2 == 1 {
					step, fn = "vacuum", s.Vacuum
				}
				if err := fn(ctx); err != nil {
					t.Fatal(step, err)
				}
				s.same(step)
				s.loaded("e", 11000+10*i, true, 3)
				s.reopened(step)
			}
			s.write(func(tx *columnar.Txn) error {
				return errors.Join(tx.TruncateTable("e"), load(s, tx, "e", 7, true, 2000))
			})
			s.same("truncate")
			s.write(func(tx *columnar.Txn) error { return tx.DropTable("other") })
			s.same("drop")
			s.reopened("drop")
			s.close()
		})
	}
}

// TestFold has a checkpoint that writes inline fragments to a file, and a vacuum of it.
func TestFold(t *testing.T) {
	s := open(t, t.TempDir(), columnar.Options{})
	s.write(func(tx *columnar.Txn) error { return tx.CreateTable(every("e")) })
	for i := range 10 {
		s.loaded("e", i*200, true, 200)
	}
	s.removed("e", 0, 800, 1)
	s.removed("e", 900, 1900, 3)
	if _, files := s.same("inline").table("e").Fragments(); slices.Max(files) != 0 {
		t.Fatalf("fragments lie in %v", files)
	}
	if err := s.Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	// A stretch of deleted rows has no chunks, and so no file.
	if rows, files := s.same("folded").table("e").Fragments(); !slices.Equal(rows, []int{768, 1232}) || files[0] != 0 || files[1] == 0 {
		t.Errorf("fragments of %v rows lie in %v", rows, files)
	}
	s.reopened("folded")
	if err := s.Vacuum(ctx); err != nil {
		t.Fatal(err)
	}
	s.same("vacuumed")
	s.reopened("vacuumed")
	s.close()
}

// TestRowGroups has fragments that straddle the end of a row group, and every form of a
// group's delete state, in a state and in commits.
func TestRowGroups(t *testing.T) {
	s := open(t, t.TempDir(), columnar.Options{LogBytes: 1 << 20, InlineBytes: 1})
	s.write(func(tx *columnar.Txn) error {
		return tx.CreateTable(&columnar.Schema{Name: "g", Columns: []columnar.Column{
			{Name: "id", Type: columnar.Type{Kind: columnar.Int8}, NotNull: true}, {Name: "b", Type: columnar.Type{Kind: columnar.Bool}},
		}})
	})
	s.loaded("g", 0, true, 100_000, 131_072)
	s.loaded("g", 231_072, true, 100_001)
	s.loaded("g", 331_073, true, 131_071)
	got := s.same("straddling").table("g")
	if rows, _ := got.Fragments(); !slices.Equal(rows, []int{100_000, 131_072, 100_001, 131_071}) {
		t.Errorf("fragments of %v rows", rows)
	}
	s.removed("g", 131_072, 262_144, 1)
	s.removed("g", 5, 2048, 20)         // list
	s.removed("g", 2048, 4096, 1)       // whole vector
	s.removed("g", 4096, 6144, 16)      // bitmap of 128
	s.removed("g", 6150, 8192, 17)      // list of 121
	s.removed("g", 262_144, 400_000, 3) // over the end of a group
	s.removed("g", 462_000, 462_144, 1) // the end
	s.same("deletes in commits")
	if err := s.Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	s.same("deletes in a state")
	s.reopened("deletes in a state")
	if err := s.Vacuum(ctx); err != nil {
		t.Fatal(err)
	}
	// Stretches of deleted rows are cut out, on multiples of 64 rows of a fragment.
	rows, files := s.same("vacuumed").table("g").Fragments()
	if !slices.Equal(rows, []int{2048, 2048, 95_904, 31_104, 99_968, 31_040, 68_961, 131_071}) {
		t.Errorf("fragments of %v rows in %v", rows, files)
	}
	for i, empty := range []bool{false, true, false, false, true, true, false, false} {
		if (files[i] == 0) != empty {
			t.Errorf("fragment %d of %d rows lies in file %d", i, rows[i], files[i])
		}
	}
	s.reopened("vacuumed")
	s.close()
}

// TestRotation commits until logs have rotated several times, in the background too.
func TestRotation(t *testing.T) {
	s := open(t, t.TempDir(), columnar.Options{LogBytes: 64 << 10})
	s.write(func(tx *columnar.Txn) error { return tx.CreateTable(every("e")) })
	for i := range 60 {
		s.loaded("e", i*10, i%2 == 0, 10)
		if i%10 == 9 {
			s.removed("e", i*10-50, i*10, 4)
			s.reopened(fmt.Sprintf("commit %d", i))
		}
	}
	s.close()
	got, err := Read(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if last := got.Logs[len(got.Logs)-1]; last < 3 {
		t.Errorf("only %d logs", last)
	}
}

// TestContinuation reads through the older slot, where the newer one is torn.
func TestContinuation(t *testing.T) {
	s := open(t, t.TempDir(), columnar.Options{LogBytes: 64 << 10})
	s.write(func(tx *columnar.Txn) error { return tx.CreateTable(every("e")) })
	s.loaded("e", 0, true, 10)
	if err := s.Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	s.loaded("e", 10, true, 10)
	want := s.same("two logs")
	s.close()
	edit(t, s.dir, "SB", func(b []byte) { clear(b[int(want.Generation+1)%2*4096:][:60]) })
	got, err := Read(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Logs, []uint64{1, 2}) || got.Generation != want.Generation-1 {
		t.Errorf("read logs %v by slot %d", got.Logs, got.Generation)
	}
	differ(t, "by the older slot", got.render(), want.render())
	s.open()
	s.same("by the older slot")
	s.close()
}

// edit changes bytes of a file in place.
func edit(t testing.TB, dir, name string, fn func(b []byte)) {
	t.Helper()
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fn(b)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
