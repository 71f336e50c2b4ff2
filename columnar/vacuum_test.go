package columnar

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// dataBytes returns the bytes of the data files of a scene's store.
func (sc *scene) dataBytes() (n int64) {
	sc.Helper()
	names, err := sc.fs.List()
	sc.ok(err)
	for _, name := range names {
		if !strings.HasPrefix(name, "data-") {
			continue
		}
		f, err := sc.fs.Open(name, false)
		sc.ok(err)
		size, err := f.Size()
		sc.ok(err)
		sc.ok(f.Close())
		n += size
	}
	return n
}

func (sc *scene) vacuum() {
	sc.Helper()
	sc.ok(sc.s.Vacuum(context.Background()))
}

// upTo returns the ids from first on, below end.
func upTo(first, end visibility.RowID) (ids []visibility.RowID) {
	for ; first < end; first++ {
		ids = append(ids, first)
	}
	return ids
}

func TestPromiseSpace(t *testing.T) {
	scenes(t, func(sc *scene) {
		sc.create(3000)
		sc.ok(sc.s.Checkpoint(context.Background()))
		full := sc.dataBytes()
		if full < 200_000 {
			sc.Fatalf("3,000 rows are %d bytes of data files", full)
		}
		sc.between()
		old := sc.snapshot()
		sc.write(func(tx *Txn) error { sc.delete(tx, upTo(0, 2500)...); return nil })
		sc.between()
		sc.vacuum()
		left := sc.dataBytes()
		if left > full/2 {
			sc.Errorf("%d bytes of %d are left of 500 rows of 3,000", left, full)
		}
		// What the snapshot reads has no name any more, and goes with it.
		sc.shows(old, 3000)
		_, mapped := mmap.Live()
		old.Release()
		if _, after := mmap.Live(); mapped-after < full/2 {
			sc.Errorf("the release of the snapshot unmapped %d bytes of %d", mapped-after, full)
		}
		snap := sc.snapshot()
		tab := mustTable(sc, snap, "t")
		if tab.Rows() != 500 || tab.VisibleRun(0) != (visibility.Run{Start: 2500, Length: 500}) {
			sc.Errorf("%d rows, run %+v", tab.Rows(), tab.VisibleRun(0))
		}
		snap.Release()
		sc.write(func(tx *Txn) error { sc.delete(tx, upTo(2500, 3000)...); return nil })
		sc.between()
		sc.vacuum()
		if n := sc.dataBytes(); n != 0 {
			sc.Errorf("%d bytes are left of no rows", n)
		}
	})
}

// fragments returns how many fragments of table t lie in data files, how many in memory, and
// how many are placeholders.
func (sc *scene) fragments() (files, memory, empty int) {
	sc.Helper()
	snap := sc.snapshot()
	defer snap.Release()
	mustTable(sc, snap, "t").pieces(func(_ visibility.RowID, p piece) {
		switch {
		case p.from != 0:
		case p.frag.file != nil:
			files++
		case len(p.frag.chunks) > 0:
			memory++
		default:
			empty++
		}
	})
	return files, memory, empty
}

// TestVacuumTwice holds that a vacuum behind a vacuum writes nothing, whatever is deleted.
func TestVacuumTwice(t *testing.T) {
	for name, gone := range map[string]func(id visibility.RowID) bool{
		"nothing":      func(visibility.RowID) bool { return false },
		"every second": func(id visibility.RowID) bool { return id%2 == 0 },
		"the front":    func(id visibility.RowID) bool { return id < 5000 },
		"the middle":   func(id visibility.RowID) bool { return id >= 100 && id < 5900 },
		"all but one":  func(id visibility.RowID) bool { return id != 3000 },
		"everything":   func(id visibility.RowID) bool { return true },
	} {
		for _, size := range []int{6000, 500} {
			t.Run(fmt.Sprintf("%s/%d", name, size), func(t *testing.T) {
				sc := &scene{T: t, fs: memfs.New()}
				sc.opt = Options{FS: sc.fs, InlineBytes: 1, BusyTimeout: -1}
				sc.s = mustOpen(t, sc.opt)
				sc.write(func(tx *Txn) error { return tx.CreateTable(promised("t")) })
				sc.ok(addRows(sc.s, "t", 0, 6000, size, true))
				var ids []visibility.RowID
				var dead []uint64
				for id := range visibility.RowID(6000) {
					if gone(id) {
						ids, dead = append(ids, id), append(dead, uint64(id))
					}
				}
				if len(ids) > 0 {
					sc.write(func(tx *Txn) error { sc.delete(tx, ids...); return nil })
				}
				sc.vacuum()
				names, err := sc.fs.List()
				sc.ok(err)
				bytes := sc.dataBytes()
				sc.vacuum()
				again, err := sc.fs.List()
				sc.ok(err)
				isLog := func(name string) bool { return strings.HasPrefix(name, "log") }
				if names, again = slices.DeleteFunc(names, isLog), slices.DeleteFunc(again, isLog); !slices.Equal(names, again) {
					t.Errorf("a second vacuum made %v of %v", again, names)
				}
				for range 2 {
					snap := sc.snapshot()
					sc.shows(snap, 6000, dead...)
					snap.Release()
					_, err = sc.s.Check(context.Background(), nil)
					sc.ok(err)
					sc.reopen()
				}
				// What is left may be those rows and little more: with short fragments, their dead ends.
				if most := int64(1.3*float64(100*(6000-len(ids)))) + int64(20_000+size%6000*80); name != "every second" && bytes > most {
					t.Errorf("%d rows take %d bytes, want %d at most", 6000-len(ids), bytes, most)
				}
				sc.ok(sc.s.Close())
				noLeaks(t, "vacuum")
			})
		}
	}
}

// TestVacuumColumns holds that the bytes of a dropped column are given back, and that a table
// all of whose columns came later reads as before.
func TestVacuumColumns(t *testing.T) {
	scenes(t, func(sc *scene) {
		sc.create(3000)
		sc.ok(sc.s.Checkpoint(context.Background()))
		full := sc.dataBytes()
		old := sc.snapshot()
		alter := func(edit func([]Column) []Column) {
			sc.write(func(tx *Txn) error {
				s := mustTable(sc, tx, "t").Schema().Clone()
				s.Columns = edit(s.Columns)
				return tx.AlterTable(s)
			})
		}
		alter(func(c []Column) []Column { return c[:1] })
		sc.between()
		sc.vacuum()
		if n := sc.dataBytes(); n > full/4 || n == 0 {
			sc.Errorf("%d bytes of %d are left for one column of nine", n, full)
		}
		snap := sc.snapshot()
		sc.shows(snap, 3000)
		snap.Release()
		alter(func(c []Column) []Column { return append(c, extraColumn("late", 4)) })
		alter(func(c []Column) []Column { return c[1:] })
		sc.between()
		sc.vacuum()
		if n := sc.dataBytes(); n != 0 {
			sc.Errorf("%d bytes are left for a column that no row brought", n)
		}
		snap = sc.snapshot()
		rows := 0
		for b, err := range mustTable(sc, snap, "t").Scan(context.Background(), ScanOptions{}) {
			sc.ok(err)
			for i := range b.Rows {
				if rows++; b.Cols[0].Value(i).S != "missing 4" {
					sc.Fatalf("row %d is %+v", b.First+visibility.RowID(i), b.Cols[0].Value(i))
				}
			}
		}
		if rows != 3000 {
			sc.Errorf("%d rows", rows)
		}
		sc.shows(old, 3000)
		old.Release()
		snap.Release()
	})
}

// TestVacuumShared deletes from one of two tables that a checkpoint folded into one file: the
// file goes although the other table is whole.
func TestVacuumShared(t *testing.T) {
	sc := &scene{T: t, fs: memfs.New()}
	sc.opt = Options{FS: sc.fs, BusyTimeout: -1}
	sc.s = mustOpen(t, sc.opt)
	sc.create(3000)
	sc.write(func(tx *Txn) error { return tx.CreateTable(promised("u")) })
	sc.ok(addRows(sc.s, "u", 0, 1000, 1024, false))
	sc.ok(sc.s.Checkpoint(context.Background()))
	full := sc.dataBytes()
	sc.write(func(tx *Txn) error { sc.delete(tx, upTo(0, 1500)...); return nil })
	sc.vacuum()
	if n := sc.dataBytes(); n > full*2/3+8192 || n < full/2 {
		t.Errorf("%d bytes of %d are left of 2,500 rows of 4,000", n, full)
	}
	wantRows(t, sc.s, "u", all, 1000)
	wantRows(t, sc.s, "t", func(i uint64) bool { return i >= 1500 }, 3000)
	sc.reopen()
	wantRows(t, sc.s, "u", all, 1000)
	wantRows(t, sc.s, "t", func(i uint64) bool { return i >= 1500 }, 3000)
	sc.ok(sc.s.Close())
}

// TestSmallFragmentsMerge makes many checkpoints of few rows each, and holds that fragments
// do not pile up, in either kind of compaction, and that only their number changes.
func TestSmallFragmentsMerge(t *testing.T) {
	for name, fold := range map[string]func(*Store, context.Context) error{"checkpoint": (*Store).Checkpoint, "vacuum": (*Store).Vacuum} {
		sc := &scene{T: t, fs: memfs.New()}
		sc.opt = Options{FS: sc.fs, InlineBytes: 1, BusyTimeout: -1}
		sc.s = mustOpen(t, sc.opt)
		sc.create(0)
		const loads, rows = 70, 20
		for i := range loads {
			sc.ok(addRows(sc.s, "t", uint64(i*rows), rows, rows, true))
			if i%3 == 0 {
				sc.ok(fold(sc.s, context.Background()))
			}
			if files, _, _ := sc.fragments(); files > 3*smallRun {
				t.Fatalf("%s: %d fragments after %d loads", name, files, i)
			}
		}
		for range 2 {
			wantRows(t, sc.s, "t", all, loads*rows)
			sc.reopen()
		}
		sc.ok(sc.s.Close())
		noLeaks(t, name)
	}
}

// TestFoldStraddler folds rows in the log that lie in two row groups.
func TestFoldStraddler(t *testing.T) {
	sc := &scene{T: t, fs: memfs.New()}
	sc.opt = Options{FS: sc.fs, InlineBytes: 1 << 20, BusyTimeout: time.Hour}
	sc.s = mustOpen(t, sc.opt)
	sc.write(func(tx *Txn) error { return tx.CreateTable(intTable("t")) })
	sc.ints(visibility.GroupRows - 30_000)
	sc.ints(60_000)
	sc.write(func(tx *Txn) error {
		sc.delete(tx, upTo(visibility.GroupRows-10_000, visibility.GroupRows+5_000)...)
		return nil
	})
	sc.ok(sc.s.Checkpoint(context.Background()))
	if files, memory, _ := sc.fragments(); memory != 0 || files == 0 {
		t.Errorf("%d fragments in files, %d in memory", files, memory)
	}
	for range 2 {
		wantRows(t, sc.s, "t", func(i uint64) bool {
			return i < visibility.GroupRows-10_000 || i >= visibility.GroupRows+5_000
		}, visibility.GroupRows+30_000)
		sc.reopen()
	}
	sc.vacuum()
	if _, _, empty := sc.fragments(); empty == 0 {
		t.Error("a stretch of 15,000 deleted rows was not cut out")
	}
	sc.ok(sc.s.Close())
}

// TestGather compares gather with a loop over values, for parts at any position.
func TestGather(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		cols := allTypes("t").Columns
		c := &cols[rng.IntN(len(cols))]
		var parts []part
		var want []Value
		for range 1 + rng.IntN(4) {
			n := 1 + rng.IntN(300)
			buf := ColumnBuf{Type: c.Type, Valid: make([]uint64, 5)}
			switch {
			case c.Type.Variable():
				buf.Offsets = make([]int32, n+1)
			case c.Type.Kind == Bool:
				buf.Bits = make([]uint64, 5)
			default:
				buf.Fixed = alignedBytes(n * c.Type.Width())
			}
			for i := range n {
				buf.SetValue(i, randomValue(c.Type, rng.Uint64(), c.NotNull))
			}
			v, _ := buf.vec(n)
			from := rng.IntN(n)
			v = v.Slice(from, rng.IntN(n-from)+1)
			p := part{vec: v}
			for at := rng.IntN(20); at < v.n; at += 1 + rng.IntN(20) {
				length := min(1+rng.IntN(20), v.n-at)
				p.live = append(p.live, visibility.Run{Start: uint32(at), Length: uint32(length)})
				at += length
			}
			parts = append(parts, p)
			for i := range v.n {
				x := v.Value(i)
				if c.Type.Variable() && !slices.ContainsFunc(p.live, func(r visibility.Run) bool { return r.Contains(uint32(i)) }) {
					x.S = ""
				}
				want = append(want, x)
			}
		}
		got, nulls := gather(c.Type, len(want), parts)
		for i, w := range want {
			g := got.Value(i)
			if nulls -= b2i(w.Null); g.Null != w.Null || g.S != w.S || (!w.Null && CompareValues(g, w) != 0) {
				t.Fatalf("seed %d, %s, row %d of %d: %+v, want %+v", seed, c.Type, i, len(want), g, w)
			}
		}
		if nulls != 0 {
			t.Fatalf("seed %d, %s: %d nulls too many", seed, c.Type, nulls)
		}
	}
}

// TestSegments holds that segments are all rows in order, dead only where no row is live for
// a stretch, and that no longer stretch is left.
func TestSegments(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 4))
		rows := 1 + rng.Uint32N(20_000)
		var live []visibility.Run
		visible := make([]bool, rows)
		for at := rng.Uint32N(6000); at < rows; at += 1 + rng.Uint32N(6000) {
			r := visibility.Run{Start: at, Length: min(1+rng.Uint32N(1<<rng.IntN(13)), rows-at)}
			live = append(live, r)
			for ; at < r.End(); at++ {
				visible[at] = true
			}
		}
		at, dead := uint32(0), uint32(0)
		for _, s := range segments(live, rows) {
			if s.from != at || s.to <= s.from {
				t.Fatalf("seed %d: segment %+v behind row %d", seed, s, at)
			}
			if at = s.to; !s.dead {
				continue
			}
			if dead += s.to - s.from; slices.Contains(visible[s.from:s.to], true) || (s.from%stretchAlign != 0) ||
				(s.to%stretchAlign != 0 && s.to != rows) || (s.to-s.from < stretchRows && s.to-s.from != rows) {
				t.Fatalf("seed %d: segment %+v of %d rows", seed, s, rows)
			}
		}
		if at != rows {
			t.Fatalf("seed %d: segments end at %d of %d", seed, at, rows)
		}
		gap := uint32(0)
		for i := range visible { // what is not cut out is short
			if gap++; visible[i] {
				gap = 0
			}
			if dead == 0 && gap >= stretchRows+2*stretchAlign {
				t.Fatalf("seed %d: nothing is cut out of %d deleted rows before %d", seed, gap, i)
			}
		}
	}
}
