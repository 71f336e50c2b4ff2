package naive

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ingotdb/ingot/columnar"
)

var writeGolden = flag.Bool("write-golden", false, "make the golden store of the present format version, which must not be there yet")

// The golden stores: one for each version of the format, made once by the first program
// that wrote it, never again, and read by every later one. golden-vN is the directory,
// golden-vN.txt its rows.
const golden = "testdata/golden-v1"

// makeGolden writes a store that has every type, every operation, both kinds of fragment, all
// forms of the delete state, both forms of adjacency, and two logs.
func makeGolden(t testing.TB, dir string) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, columnar.Options{LogBytes: 160 << 10, InlineBytes: 12 << 10})
	s.write(func(tx *columnar.Txn) error {
		return errors.Join(
			tx.CreateTable(every("every type")),
			tx.CreateTable(&columnar.Schema{Name: "nothing"}),
			tx.CreateTable(&columnar.Schema{Name: "bits", Columns: []columnar.Column{{Name: "b", Type: columnar.Type{Kind: columnar.Bool}, NotNull: true}}}),
			tx.CreateTable(&columnar.Schema{Name: "gone", Columns: []columnar.Column{{Name: "i", Type: columnar.Type{Kind: columnar.Int2}}}}),
			load(s, tx, "every type", 0, true, 12),
			load(s, tx, "every type", 12, true, 40, 30),
			load(s, tx, "bits", 1, true, 100_000, 36_072),
			load(s, tx, "gone", 0, true, 20))
	})
	s.write(func(tx *columnar.Txn) error {
		return errors.Join(
			remove(tx, "every type", 2, 60, 9),
			remove(tx, "bits", 5, 2048, 200),        // a list
			remove(tx, "bits", 2048, 4096, 1),       // a vector
			remove(tx, "bits", 4096, 6144, 9),       // a bitmap
			remove(tx, "bits", 99_990, 100_020, 2),  // over the end of a fragment
			remove(tx, "bits", 131_072, 136_072, 1), // a row group
			remove(tx, "gone", 0, 20, 1))
	})
	relate(s)
	connected(s, "knows", 0, 0, 10, 40)
	connected(s, "knows", 0, 40, 200, 700)
	connected(s, "lives in", 0, 0, 1, 900)
	s.write(func(tx *columnar.Txn) error {
		return errors.Join(remove(tx, "knows", 0, 700, 9), cascade(tx, "people", 5))
	})
	if err := s.Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	connected(s, "knows", 5, 3000, 50, 30)
	connected(s, "knows", 5, 3030, 300, 700)
	s.altered("every type", func(c *columnar.Schema) {
		c.Columns = slices.Delete(c.Columns, 4, 5)
		for _, k := range []columnar.Type{{Kind: columnar.Text}, {Kind: columnar.UUID}, {Kind: columnar.Float4}, {Kind: columnar.Decimal, Precision: 20, Scale: 3}} {
			c.Columns = append(c.Columns, columnar.Column{Name: fmt.Sprintf("added %v", k), Type: k, Missing: valueOf(k, 12)})
		}
	})
	s.write(func(tx *columnar.Txn) error {
		return errors.Join(
			load(s, tx, "every type", 82, true, 6),
			load(s, tx, "every type", 88, true, 34),
			remove(tx, "every type", 80, 100, 3),
			tx.TruncateTable("gone"), load(s, tx, "gone", 40, true, 3),
			tx.CreateTable(&columnar.Schema{Name: "dropped"}), tx.DropTable("dropped"))
	})
	s.close()
	// Two commits that were not synced when they were made.
	s.opt.Durability = columnar.None
	s.open()
	s.loaded("every type", 200, false, 2)
	s.removed("every type", 100, 102, 1)
	s.close()
}

// TestGolden reads the golden store with both readers and compares the rows with those that
// were written down when it was made.
func TestGolden(t *testing.T) {
	if *writeGolden {
		makeGolden(t, golden)
		s, err := Read(golden)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden+".txt", []byte(s.render()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := copyDir(t, golden)
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	differ(t, "naive", got.render(), string(want))
	if !got.Clean || got.Dropped != 0 || !slices.Equal(got.Logs, []uint64{2}) {
		t.Errorf("logs %v, clean %v, %d commits dropped", got.Logs, got.Clean, got.Dropped)
	}
	for _, opt := range []columnar.Options{{ReadOnly: true}, {}} {
		s := open(t, dir, opt)
		rows, err := s.engine()
		if err != nil {
			t.Fatal(err)
		}
		differ(t, "columnar", rows, string(want))
		if _, err := s.Check(ctx, nil); err != nil {
			t.Errorf("check: %v", err)
		}
		if !opt.ReadOnly {
			s.loaded("every type", 300, true, 100)
			s.same("a commit behind the golden ones")
			if err := s.Vacuum(ctx); err != nil {
				t.Fatal(err)
			}
			s.same("vacuumed")
		}
		s.close()
	}
}

// TestGoldenByTheOlderSlot reads the golden store from log-1 on.
func TestGoldenByTheOlderSlot(t *testing.T) {
	want, err := os.ReadFile(golden + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := copyDir(t, golden)
	edit(t, dir, "SB", func(b []byte) { clear(b[:64]) })
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	differ(t, "naive", got.render(), string(want))
	if !slices.Equal(got.Logs, []uint64{1, 2}) {
		t.Errorf("logs %v", got.Logs)
	}
	s := open(t, dir, columnar.Options{ReadOnly: true})
	rows, err := s.engine()
	if err != nil {
		t.Fatal(err)
	}
	differ(t, "columnar", rows, string(want))
	s.close()
	if _, err := os.Stat(filepath.Join(golden, "LOCK")); err != nil {
		t.Error(err)
	}
}
