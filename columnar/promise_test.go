package columnar

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// TestPromisesHaveTests holds that each promise of the package comment has a test of its
// name, here or in package sql.
func TestPromisesHaveTests(t *testing.T) {
	doc, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	_, promises, ok := strings.Cut(doc.Doc.Text(), "# Promises\n")
	promises, _, _ = strings.Cut(promises, "\n# ")
	names := regexp.MustCompile(`(?m)^\t([A-Z]\w+) `).FindAllStringSubmatch(promises, -1)
	if !ok || len(names) < 10 {
		t.Fatalf("the package comment has %d promises", len(names))
	}
	var source strings.Builder
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../sql/visibility_test.go") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(b)
	}
	for _, m := range names {
		if !strings.Contains(source.String(), "\nfunc TestPromise"+m[1]+"(") {
			t.Errorf("no test of promise %s", m[1])
		}
	}
}

// scene is a store that a promise is tried on: rows in data files or in the log, and with
// something or nothing between its steps that must not matter.
type scene struct {
	*testing.T
	fs      *memfs.FS
	s       *Store
	opt     Options
	between func()
}

// scenes runs fn in every kind of scene; in a push run, in those that differ most.
func scenes(t *testing.T, fn func(sc *scene)) {
	for _, inline := range []int64{1, 1 << 20} {
		for i, between := range []string{"nothing", "vacuum", "checkpoint", "reopen"} {
			if !soak() && i/2 != b2i(inline > 1) {
				continue
			}
			t.Run(fmt.Sprintf("inline=%d/%s", inline, between), func(t *testing.T) {
				sc := &scene{T: t, fs: memfs.New()}
				sc.opt = Options{FS: sc.fs, InlineBytes: inline, BusyTimeout: -1}
				sc.s = mustOpen(t, sc.opt)
				sc.between = map[string]func(){
					"nothing":    func() {},
					"checkpoint": func() { sc.ok(sc.s.Checkpoint(context.Background())) },
					"vacuum":     func() { sc.ok(sc.s.Vacuum(context.Background())) },
					"reopen":     sc.reopen,
				}[between]
				fn(sc)
				sc.ok(sc.s.Close())
				noLeaks(t, "after Close")
			})
		}
	}
}

func (sc *scene) ok(err error) {
	sc.Helper()
	if err != nil {
		sc.Fatal(err)
	}
}

// reopen ends the process's view of the store and begins another.
func (sc *scene) reopen() {
	sc.Helper()
	var leased *Leased
	if err := sc.s.Close(); err != nil && !errors.As(err, &leased) {
		sc.Fatal(err)
	}
	sc.s = mustOpen(sc.T, sc.opt)
}

func (sc *scene) write(fn func(*Txn) error) {
	sc.Helper()
	sc.ok(write(sc.s, fn))
}

func (sc *scene) begin() *Txn {
	sc.Helper()
	tx, err := sc.s.BeginWrite(context.Background())
	sc.ok(err)
	return tx
}

func (sc *scene) snapshot() *Snapshot {
	sc.Helper()
	snap, err := sc.s.Snapshot()
	sc.ok(err)
	return snap
}

// promised is a shape of which 3,000 rows are more than a checkpoint leaves in the log and
// less than makes one begin by itself.
func promised(name string) *Schema {
	s := narrow(name)
	s.Columns = append(s.Columns, Column{Name: "n", Type: Type{Kind: Numeric}}, Column{Name: "ts", Type: Type{Kind: TimestampTZ}},
		Column{Name: "a", Type: Type{Kind: Bytea}}, Column{Name: "i", Type: Type{Kind: Int4}, NotNull: true})
	return s
}

// create makes table t with the rows 0 to n-1 of the test data.
func (sc *scene) create(n int) {
	sc.Helper()
	sc.write(func(tx *Txn) error { return tx.CreateTable(promised("t")) })
	sc.ok(addRows(sc.s, "t", 0, n, 1024, sc.planned()))
}

// planned says whether loads reserve their space beforehand: as data files, if anything
// does not travel in the log.
func (sc *scene) planned() bool { return sc.opt.InlineBytes == 1 }

// add appends n rows of the test data in an open transaction.
func (sc *scene) add(tx *Txn, first uint64, n int) {
	sc.Helper()
	tab, err := tx.Table("t")
	sc.ok(err)
	l, err := fill(sc.s, tab.Schema(), first, n, 1024, sc.planned())
	sc.ok(err)
	_, err = tx.Append(context.Background(), "t", l)
	sc.ok(err)
}

func (sc *scene) delete(tx *Txn, ids ...visibility.RowID) {
	sc.Helper()
	n, err := tx.Delete("t", ids)
	sc.ok(err)
	if n != len(ids) {
		sc.Fatalf("deleted %d rows of %d", n, len(ids))
	}
}

// tables is what a snapshot or a transaction shows.
type tables interface {
	Table(name string) (*Table, error)
}

// shows holds that t has rows 0 to n-1 of the test data without those in gone: by scan,
// by count, row by row, and by runs. In these tests a row's id is its number.
func (sc *scene) shows(v tables, n uint64, gone ...uint64) {
	sc.Helper()
	tab, err := v.Table("t")
	sc.ok(err)
	got, err := contents(tab)
	sc.ok(err)
	dead := make(map[uint64]bool, len(gone))
	for _, i := range gone {
		dead[i] = true
	}
	var want []uint64
	for i := range n {
		if !dead[i] {
			want = append(want, i)
		}
	}
	if !slices.Equal(got, want) || tab.Rows() != uint64(len(want)) || uint64(tab.NextRow()) != n {
		sc.Errorf("%d rows, Rows %d, NextRow %d; want %d of %d", len(got), tab.Rows(), tab.NextRow(), len(want), n)
	}
	sc.ok(seen(tab, want, n))
}

// seen holds that Visible, Runs, VisibleRun and RowGroup say the same: that of ids 0 to n-1
// those in want can be seen, and nothing behind them.
func seen(tab *Table, want []uint64, n uint64) error {
	var visible, inRuns []uint64
	for i := range n + 3000 {
		if tab.Visible(visibility.RowID(i)) {
			visible = append(visible, i)
		}
	}
	for g := range tab.Groups() {
		var longest visibility.Run
		for r := range tab.Runs(g) {
			if r.Length > longest.Length {
				longest = r
			}
			for i := r.Start; i < r.End(); i++ {
				inRuns = append(inRuns, uint64(g)<<visibility.GroupShift+uint64(i))
			}
		}
		if run := tab.VisibleRun(g); run != longest && (run.Length > 0 || longest.Length > 0) {
			return fmt.Errorf("VisibleRun(%d) is %+v, the longest of Runs %+v", g, run, longest)
		}
		if tab.RowGroup(g) == nil {
			return fmt.Errorf("row group %d is missing", g)
		}
	}
	if !slices.Equal(visible, want) || !slices.Equal(inRuns, want) {
		return fmt.Errorf("%d rows by Visible, %d by Runs, want %d", len(visible), len(inRuns), len(want))
	}
	return missing(tab, tab.Groups())
}

// missing holds that the table has no row group i.
func missing(tab *Table, i int) error {
	for range tab.Runs(i) {
		return fmt.Errorf("row group %d has a visible run", i)
	}
	first := visibility.RowID(i) << visibility.GroupShift
	if tab.RowGroup(i) != nil || tab.VisibleRun(i).Length != 0 || tab.Visible(first) || tab.Groups() > i {
		return fmt.Errorf("row group %d is there", i)
	}
	return nil
}

func TestPromiseInvisible(t *testing.T) {
	scenes(t, func(sc *scene) {
		sc.create(3000)
		sc.between()
		old := sc.snapshot()
		tx := sc.begin()
		sc.delete(tx, 1700)
		sc.add(tx, 3000, 2)
		sc.ok(tx.CreateTable(narrow("other")))

		other := sc.snapshot()
		for _, snap := range []*Snapshot{old, other} {
			sc.shows(snap, 3000)
			if _, err := snap.Table("other"); err == nil {
				sc.Error("a table that is not committed is in a snapshot")
			}
		}
		_, err := tx.Commit(context.Background())
		sc.ok(err)
		late := sc.snapshot()
		sc.shows(late, 3002, 1700)
		if _, err := late.Table("other"); err != nil {
			sc.Error(err)
		}
		sc.shows(other, 3000)
		for _, snap := range []*Snapshot{old, other, late} {
			snap.Release()
		}
	})
}

func TestPromiseOwnWrites(t *testing.T) {
	scenes(t, func(sc *scene) {
		sc.create(3000)
		sc.between()
		tx := sc.begin()
		sc.delete(tx, 1700)
		sc.shows(tx, 3000, 1700)
		sc.add(tx, 3000, 2)
		sc.shows(tx, 3002, 1700)
		sc.delete(tx, 3001)
		sc.shows(tx, 3002, 1700, 3001)
		before := tx.Savepoint()
		sc.add(tx, 3002, 1500)
		sc.delete(tx, 0, 3002)
		sc.shows(tx, 4502, 0, 1700, 3001, 3002)
		tx.RollbackTo(before)
		sc.shows(tx, 3002, 1700, 3001)
		_, err := tx.Commit(context.Background())
		sc.ok(err)
		sc.between()
		snap := sc.snapshot()
		sc.shows(snap, 3002, 1700, 3001)
		snap.Release()
	})
}

// ints commits n rows of one integer column: the ids that the rows get.
func (sc *scene) ints(n int) {
	sc.Helper()
	sc.write(func(tx *Txn) error { return appendInts(sc.s, tx, n) })
}

func appendInts(s *Store, tx *Txn, n int) error {
	tab, err := tx.Table("t")
	if err != nil {
		return err
	}
	p := LoadPlan{Schema: tab.Schema()}
	for left := n; left > 0; left -= 1 << 16 {
		p.Fragments = append(p.Fragments, min(left, 1<<16))
	}
	l, err := s.NewLoad(context.Background(), p)
	if err != nil {
		return err
	}
	defer l.Abort()
	at := int64(tab.NextRow())
	for i, rows := range p.Fragments {
		w, err := l.Fragment(i, rows)
		if err != nil {
			return err
		}
		if err := mmap.Guard(func() error {
			for r := range w.Cols[0].Int64s()[:rows] {
				w.Cols[0].Int64s()[r] = at
				at++
			}
			return nil
		}); err != nil {
			return err
		}
		if err := w.Finish(rows); err != nil {
			return err
		}
	}
	_, err = tx.Append(context.Background(), "t", l)
	return err
}

func intTable(name string) *Schema {
	return &Schema{Name: name, Columns: []Column{{Name: "id", Type: Type{Kind: Int8}, NotNull: true}}}
}

func TestPromiseRollback(t *testing.T) {
	scenes(t, func(sc *scene) {
		sc.write(func(tx *Txn) error { return tx.CreateTable(intTable("t")) })
		sc.ints(visibility.GroupRows - 100)
		sc.between()
		old := sc.snapshot()
		tx := sc.begin()
		sc.ok(appendInts(sc.s, tx, 200))
		sc.delete(tx, 5, visibility.GroupRows+50)
		sc.ok(tx.CreateTable(narrow("other")))
		own, err := tx.Table("t")
		sc.ok(err)
		if g := own.RowGroup(1); g == nil || g.Rows() != 100 || g.Live() != 99 || own.Visible(visibility.GroupRows+50) || !own.Visible(visibility.GroupRows+51) {
			sc.Error("the transaction does not see the row group that it made")
		}
		tx.Rollback()
		check := func(v tables) {
			sc.Helper()
			tab, err := v.Table("t")
			sc.ok(err)
			sc.ok(missing(tab, 1))
			if tab.Rows() != visibility.GroupRows-100 || !tab.Visible(5) || tab.VisibleRun(0) != (visibility.Run{Length: visibility.GroupRows - 100}) {
				sc.Errorf("%d rows, run %+v", tab.Rows(), tab.VisibleRun(0))
			}
			if _, err := v.Table("other"); err == nil {
				sc.Error("a table of a rolled-back transaction is there")
			}
		}
		check(old)
		old.Release()
		sc.between()
		snap := sc.snapshot()
		check(snap)
		snap.Release()
		if left, err := strangers(sc.s, sc.fs); err != nil || len(left) > 0 {
			sc.Errorf("files left: %v, %v", left, err)
		}

		// The ids that were taken back are given to the next rows, in the same row group.
		sc.ints(150)
		sc.between()
		snap = sc.snapshot()
		tab, err := snap.Table("t")
		sc.ok(err)
		if g := tab.RowGroup(1); g == nil || g.Rows() != 50 || g.Live() != 50 || tab.Visible(visibility.GroupRows+50) {
			sc.Error("row group 1 is not that of the second load")
		}
		snap.Release()
	})
}

func TestPromiseAtomic(t *testing.T) {
	scenes(t, func(sc *scene) {
		sc.create(10)
		sc.write(func(tx *Txn) error { return tx.CreateTable(intTable("u")) })
		before, syncs := sc.snapshot(), sc.s.LogSyncs()
		tx := sc.begin()
		for i := range 30 {
			sc.add(tx, uint64(10+i), 1)
			l, err := loadRows(sc.s, mustTable(sc, tx, "u").Schema(), uint64(i), 1, 1, true)
			sc.ok(err)
			_, err = tx.Append(context.Background(), "u", l)
			sc.ok(err)
		}
		sc.delete(tx, 3)
		seq, err := tx.Commit(context.Background())
		sc.ok(err)
		if n := sc.s.LogSyncs() - syncs; n != 1 {
			sc.Errorf("61 statements cost %d syncs of the log", n)
		}
		sc.between()
		after := sc.snapshot()
		sc.shows(before, 10)
		sc.shows(after, 40, 3)
		if u, v := mustTable(sc, before, "u").Rows(), mustTable(sc, after, "u").Rows(); u != 0 || v != 30 {
			sc.Errorf("%d rows before and %d after", u, v)
		}
		if after.Seq() != seq || before.Seq() != seq-1 {
			sc.Errorf("commits %d and %d, want %d and %d", before.Seq(), after.Seq(), seq-1, seq)
		}
		before.Release()
		after.Release()
	})
}

func mustTable(sc *scene, v tables, name string) *Table {
	sc.Helper()
	tab, err := v.Table(name)
	sc.ok(err)
	return tab
}

func TestPromiseDeleted(t *testing.T) {
	scenes(t, func(sc *scene) {
		sc.create(3000)
		sc.between()
		var gone []uint64
		for _, batch := range [][]visibility.RowID{{0}, {2047, 2048, 2049}, {2999}} {
			sc.write(func(tx *Txn) error { sc.delete(tx, batch...); return nil })
			for _, id := range batch {
				gone = append(gone, uint64(id))
			}
			for range 2 {
				sc.between()
				snap := sc.snapshot()
				sc.shows(snap, 3000, gone...)
				snap.Release()
			}
		}
		// Deleted twice is deleted once.
		sc.write(func(tx *Txn) error {
			n, err := tx.Delete("t", []visibility.RowID{0, 1, 2047})
			if n != 1 {
				sc.Errorf("%d rows of which two were deleted before", n)
			}
			return err
		})
		sc.reopen()
		sc.between()
		sc.reopen()
		snap := sc.snapshot()
		sc.shows(snap, 3000, append(gone, 1)...)
		snap.Release()
	})
}

func TestPromiseOutlives(t *testing.T) {
	scenes(t, func(sc *scene) {
		sc.create(3000)
		sc.between()
		var kept []*Snapshot
		keep := func() { kept = append(kept, sc.snapshot()) }
		look := func() { // at the oldest and the newest: each has been both
			sc.Helper()
			for _, i := range []int{0, len(kept) - 1} {
				sc.shows(kept[i], 3000, []uint64{5, 2500, 2999}[:i]...)
			}
		}
		for _, id := range []visibility.RowID{5, 2500, 2999} {
			keep()
			sc.write(func(tx *Txn) error { sc.delete(tx, id); return nil })
			sc.between()
			look()
		}
		keep()
		var rest []visibility.RowID
		for id := range visibility.RowID(3000) {
			if !slices.Contains([]visibility.RowID{5, 2500, 2999}, id) {
				rest = append(rest, id)
			}
		}
		for _, step := range []func(){
			func() { sc.write(func(tx *Txn) error { sc.delete(tx, rest...); return nil }) },
			func() { sc.ok(sc.s.Vacuum(context.Background())) },
			func() { sc.ok(sc.s.Checkpoint(context.Background())) },
			func() { sc.write(func(tx *Txn) error { return tx.TruncateTable("t") }) },
			func() { sc.write(func(tx *Txn) error { return tx.DropTable("t") }) },
			func() { sc.ok(sc.s.Vacuum(context.Background())) },
			sc.reopen,
		} {
			step()
			look()
		}
		for i := range kept { // in the order they were taken, and each of the rest is still good
			kept[0].Release()
			kept = kept[1:]
			for j, snap := range kept {
				sc.shows(snap, 3000, []uint64{5, 2500, 2999}[:i+1+j]...)
			}
		}
	})
}

func TestPromiseRowIDs(t *testing.T) {
	scenes(t, func(sc *scene) {
		sc.create(1000)
		sc.write(func(tx *Txn) error { sc.delete(tx, 0, 1, 999); return nil })
		sc.between()
		sc.write(func(tx *Txn) error { sc.add(tx, 1000, 1000); return nil })
		var middle []visibility.RowID
		gone := []uint64{0, 1, 999}
		for id := range uint64(500) {
			middle, gone = append(middle, visibility.RowID(900+id)), append(gone, 900+id)
		}
		sc.write(func(tx *Txn) error { _, err := tx.Delete("t", middle); return err })
		for range 2 {
			sc.between()
			sc.ok(sc.s.Vacuum(context.Background()))
			snap := sc.snapshot()
			sc.shows(snap, 2000, gone...) // the number in a row is its id
			snap.Release()
		}
		sc.write(func(tx *Txn) error { sc.add(tx, 2000, 10); return nil })
		sc.reopen()
		snap := sc.snapshot()
		sc.shows(snap, 2010, gone...)
		snap.Release()
	})
}
