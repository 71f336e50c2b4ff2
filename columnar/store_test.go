package columnar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// allTypes is a schema with a column of every storable kind.
func allTypes(name string) *Schema {
	return &Schema{Name: name, Columns: []Column{
		{Name: "id", Type: Type{Kind: Int8}, NotNull: true},
		{Name: "b", Type: Type{Kind: Bool}},
		{Name: "i2", Type: Type{Kind: Int2}},
		{Name: "i4", Type: Type{Kind: Int4}},
		{Name: "f4", Type: Type{Kind: Float4}},
		{Name: "f8", Type: Type{Kind: Float8}},
		{Name: "d9", Type: Type{Kind: Decimal, Precision: 9, Scale: 2}},
		{Name: "d18", Type: Type{Kind: Decimal, Precision: 18, Scale: 2}},
		{Name: "d38", Type: Type{Kind: Decimal, Precision: 38, Scale: 2}},
		{Name: "n", Type: Type{Kind: Numeric}},
		{Name: "t", Type: Type{Kind: Text}},
		{Name: "v", Type: Type{Kind: Varchar, Length: 40}},
		{Name: "by", Type: Type{Kind: Bytea}},
		{Name: "dt", Type: Type{Kind: Date}},
		{Name: "tm", Type: Type{Kind: Time}},
		{Name: "ts", Type: Type{Kind: Timestamp}},
		{Name: "tz", Type: Type{Kind: TimestampTZ}},
		{Name: "u", Type: Type{Kind: UUID}},
		{Name: "j", Type: Type{Kind: JSON}},
	}}
}

// randomValue returns a value of t that row i of a test table holds, the same in every call.
func randomValue(t Type, i uint64, notNull bool) Value {
	r := rand.New(rand.NewPCG(i, uint64(t.Kind)<<8|uint64(t.Precision)))
	v := Value{Type: t}
	if !notNull && r.IntN(7) == 0 {
		v.Null = true
		return v
	}
	switch t.Kind {
	case Bool:
		v.I = int64(r.IntN(2))
	case Int2:
		v.I = int64(int16(r.Uint32()))
	case Int4, Date:
		v.I = int64(int32(r.Uint32()))
	case Float4:
		v.F = float64(float32(r.NormFloat64()))
	case Float8:
		if v.F = r.NormFloat64(); r.IntN(20) == 0 {
			v.F = math.NaN()
		}
	case Decimal:
		limit := int64(1)
		for range min(int(t.Precision), 18) {
			limit *= 10
		}
		v.I = r.Int64N(limit) - limit/2
		v.Hi = v.I >> 63
		if t.Precision == 38 && v.I > 0 {
			v.Hi = r.Int64N(1 << 60)
		}
		if r.IntN(10) == 0 {
			v = Value{Type: t, F: math.NaN()}
		}
	case Numeric:
		v.S = fmt.Sprintf("%d.%02d", r.IntN(1e6), r.IntN(100))
	case JSON:
		v.S = fmt.Sprintf(`{"a": %d}`, r.IntN(100))
	case Text, Varchar, Bytea:
		b := bytes.Repeat([]byte{'a' + byte(r.IntN(26))}, r.IntN(40))
		v.S = string(b)
	case UUID:
		b := make([]byte, 16)
		for k := range b {
			b[k] = byte(r.Uint32())
		}
		v.S = string(b)
	case Time:
		v.I = r.Int64N(86400e6)
	default:
		v.I = int64(i)
		if t.Kind != Int8 {
			v.I = r.Int64() >> 8
		}
	}
	return v
}

func mustOpen(t testing.TB, opt Options) *Store {
	t.Helper()
	path := ""
	if opt.FS == nil {
		path = t.TempDir()
	}
	s, err := Open(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill loads rows first to first+n-1 of the test data in fragments of the given size.
func fill(s *Store, schema *Schema, first uint64, n, fragment int, planned bool) (*Load, error) {
	p := LoadPlan{Schema: schema}
	var sizes []int
	for left := n; left > 0; left -= fragment {
		sizes = append(sizes, min(left, fragment))
	}
	if planned {
		p.Fragments, p.VarBytes = sizes, int64(n)*600
	}
	l, err := s.NewLoad(context.Background(), p)
	if err != nil {
		return nil, err
	}
	row := first
	for i, rows := range sizes {
		capacity := rows
		if !planned {
			capacity = 1
		}
		w, err := l.Fragment(i, capacity)
		if err != nil {
			return nil, err
		}
		for r := range rows {
			if !planned {
				w.Grow(r + 1)
			}
			for c := range w.Cols {
				w.Cols[c].SetValue(r, randomValue(schema.Columns[c].Type, row, schema.Columns[c].NotNull))
			}
			row++
		}
		if err := w.Finish(rows); err != nil {
			l.Abort()
			return nil, err
		}
	}
	return l, nil
}

// addRows commits n rows of test data to the table.
func addRows(s *Store, table string, first uint64, n, fragment int, planned bool) error {
	snap, err := s.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Release()
	t, err := snap.Table(table)
	if err != nil {
		return err
	}
	l, err := fill(s, t.Schema(), first, n, fragment, planned)
	if err != nil {
		return err
	}
	defer l.Abort()
	return write(s, func(tx *Txn) error {
		_, err := tx.Append(context.Background(), table, l)
		return err
	})
}

// write commits what fn does.
func write(s *Store, fn func(*Txn) error) error {
	tx, err := s.BeginWrite(context.Background())
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

// contents returns the ids (first column) of the live rows, after comparing every value
// with what the test data has for that row.
func contents(t *Table) ([]uint64, error) {
	var ids []uint64
	err := mmap.Guard(func() error {
		for b, err := range t.Scan(context.Background(), ScanOptions{BatchRows: 999}) {
			if err != nil {
				return err
			}
			for r := range b.Rows {
				id := uint64(b.Cols[0].Int64s()[r])
				ids = append(ids, id)
				for c := range b.Cols {
					got, want := b.Cols[c].Value(r), randomValue(t.schema.Columns[c].Type, id, t.schema.Columns[c].NotNull)
					if got.Null != want.Null || (!got.Null && (CompareValues(got, want) != 0 || got.S != want.S)) {
						return fmt.Errorf("row %d column %s: got %+v, want %+v", id, t.schema.Columns[c].Name, got, want)
					}
				}
			}
		}
		return nil
	})
	return ids, err
}

func wantRows(t *testing.T, s *Store, table string, want func(i uint64) bool, n uint64) {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	tab, err := snap.Table(table)
	if err != nil {
		t.Fatal(err)
	}
	got, err := contents(tab)
	if err != nil {
		t.Fatal(err)
	}
	k := 0
	for i := range n {
		if !want(i) {
			continue
		}
		if k >= len(got) || got[k] != i {
			t.Fatalf("row %d is missing (%d rows found, position %d)", i, len(got), k)
		}
		k++
	}
	if k != len(got) || uint64(k) != tab.Rows() {
		t.Fatalf("%d rows, Rows() = %d, want %d", len(got), tab.Rows(), k)
	}
	if _, err := s.Check(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
}

func all(uint64) bool { return true }

// TestLoadPaths loads every type by each way into the store and reads it back, before
// and after a reopen, a checkpoint and a vacuum.
func TestLoadPaths(t *testing.T) {
	for _, tc := range []struct {
		name     string
		inline   int64
		n, frag  int
		planned  bool
		wantFile bool
	}{
		{"inline", 0, 500, 500, true, false},
		{"inline in two fragments", 0, 500, 320, true, false},
		{"data file", 1, 5000, 1280, true, true},
		{"stream inline", 0, 700, 700, false, false},
		{"stream to a file", 50 << 10, 5000, 1280, false, true},
		{"stream to a file late", 1 << 20, 9000, 1280, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			before, _ := mmap.Live()
			open := func() *Store {
				s, err := Open(context.Background(), dir, Options{InlineBytes: tc.inline})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			s := open()
			if err := write(s, func(tx *Txn) error { return tx.CreateTable(allTypes("t")) }); err != nil {
				t.Fatal(err)
			}
			if err := addRows(s, "t", 0, tc.n, tc.frag, tc.planned); err != nil {
				t.Fatal(err)
			}
			n := uint64(tc.n)
			wantRows(t, s, "t", all, n)
			snap, _ := s.Snapshot()
			file := snap.Info()[0].RowGroups[0].Fragments[0].File
			snap.Release()
			if (file != "") != tc.wantFile {
				t.Errorf("first fragment lies in %q", file)
			}
			var dead []visibility.RowID
			for i := range n {
				if i%3 == 0 {
					dead = append(dead, visibility.RowID(i))
				}
			}
			if err := write(s, func(tx *Txn) error {
				k, err := tx.Delete("t", dead)
				if k != len(dead) {
					t.Errorf("deleted %d of %d", k, len(dead))
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			left := func(i uint64) bool { return i%3 != 0 }
			for _, step := range []func() error{
				func() error { return nil },
				func() error { return s.Checkpoint(context.Background()) },
				func() error { return s.Vacuum(context.Background()) },
			} {
				if err := step(); err != nil {
					t.Fatal(err)
				}
				wantRows(t, s, "t", left, n)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = open()
				wantRows(t, s, "t", left, n)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if n, b := mmap.Live(); n != before {
				t.Errorf("%d mappings of %d bytes left", n-before, b)
			}
		})
	}
}

// TestSnapshotOutlives keeps a snapshot across delete, vacuum, drop and Close.
func TestSnapshotOutlives(t *testing.T) {
	before, _ := mmap.Live()
	s := mustOpen(t, Options{InlineBytes: 1})
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(allTypes("t")) }); err != nil {
		t.Fatal(err)
	}
	if err := addRows(s, "t", 0, 3000, 1024, true); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if err := write(s, func(tx *Txn) error {
		_, err := tx.Delete("t", []visibility.RowID{0, 1, 2, 2999})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Vacuum(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := write(s, func(tx *Txn) error { return tx.DropTable("t") }); err != nil {
		t.Fatal(err)
	}
	var leased *Leased
	if err := s.Close(); !errors.As(err, &leased) || leased.Versions != 1 {
		t.Fatalf("Close: %v", err)
	}
	tab, err := snap.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := contents(tab); err != nil || len(ids) != 3000 {
		t.Fatalf("%d rows, %v", len(ids), err)
	}
	snap.Release()
	if n, _ := mmap.Live(); n != before {
		t.Errorf("%d mappings left after the last release", n-before)
	}
}

// TestDropGivesSpaceBack holds that a dropped, truncated or rolled-back load leaves no file.
func TestDropGivesSpaceBack(t *testing.T) {
	fsys := memfs.New()
	s := mustOpen(t, Options{FS: fsys, InlineBytes: 1})
	files := func() int {
		names, err := fsys.List()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, name := range names {
			if len(name) > 5 && name[:5] == "data-" {
				n++
			}
		}
		return n
	}
	create := func() {
		if err := write(s, func(tx *Txn) error { return tx.CreateTable(allTypes("t")) }); err != nil {
			t.Fatal(err)
		}
		if err := addRows(s, "t", 0, 1000, 1000, true); err != nil {
			t.Fatal(err)
		}
		if files() != 1 {
			t.Fatalf("%d data files after a load", files())
		}
	}
	for _, drop := range []func(*Txn) error{
		func(tx *Txn) error { return tx.DropTable("t") },
		func(tx *Txn) error { return errors.Join(tx.TruncateTable("t"), tx.DropTable("t")) },
	} {
		create()
		if err := write(s, drop); err != nil {
			t.Fatal(err)
		}
		if files() != 0 {
			t.Errorf("%d data files after a drop", files())
		}
	}
	create()
	snap, _ := s.Snapshot()
	tab, _ := snap.Table("t")
	l, err := fill(s, tab.Schema(), 0, 1000, 1000, true)
	if err != nil {
		t.Fatal(err)
	}
	snap.Release()
	tx, err := s.BeginWrite(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	before := tx.Savepoint()
	if _, err := tx.Append(context.Background(), "t", l); err != nil {
		t.Fatal(err)
	}
	if files() != 2 {
		t.Errorf("%d data files inside the transaction", files())
	}
	tx.RollbackTo(before)
	if files() != 1 {
		t.Errorf("%d data files after going back to the savepoint", files())
	}
	tx.Rollback()
	wantRows(t, s, "t", all, 1000)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestManySmallCommits holds that single-row commits do not pile up fragments, and
// that they survive rotation of the log.
func TestManySmallCommits(t *testing.T) {
	fsys := memfs.New()
	s := mustOpen(t, Options{FS: fsys, LogBytes: 1 << 20})
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(allTypes("t")) }); err != nil {
		t.Fatal(err)
	}
	const n = 600
	for i := range uint64(n) {
		if err := addRows(s, "t", i, 1, 1, true); err != nil {
			t.Fatal(err)
		}
	}
	wantRows(t, s, "t", all, n)
	snap, _ := s.Snapshot()
	frags := len(snap.Info()[0].RowGroups[0].Fragments)
	snap.Release()
	if frags > 12 {
		t.Errorf("%d fragments after %d commits of one row", frags, n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, Options{FS: fsys})
	wantRows(t, s, "t", all, n)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestStraddle loads unaligned amounts so that fragments cross the end of a row group.
func TestStraddle(t *testing.T) {
	s := mustOpen(t, Options{InlineBytes: 1})
	schema := &Schema{Name: "t", Columns: []Column{{Name: "id", Type: Type{Kind: Int8}, NotNull: true}, {Name: "t", Type: Type{Kind: Text}}}}
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, n := range []int{100_001, 70_000, 131_072, 5} {
		if err := addRows(s, "t", uint64(at), n, visibility.GroupRows, true); err != nil {
			t.Fatal(err)
		}
		at += n
	}
	keep := func(i uint64) bool { return i < 131_000 || i > 131_100 }
	var dead []visibility.RowID
	for i := range uint64(at) {
		if !keep(i) {
			dead = append(dead, visibility.RowID(i))
		}
	}
	if err := write(s, func(tx *Txn) error { _, err := tx.Delete("t", dead); return err }); err != nil {
		t.Fatal(err)
	}
	wantRows(t, s, "t", keep, uint64(at))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestPrune holds that zone maps skip fragments and never a row that matches.
func TestPrune(t *testing.T) {
	s := mustOpen(t, Options{InlineBytes: 1})
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(allTypes("t")) }); err != nil {
		t.Fatal(err)
	}
	if err := addRows(s, "t", 0, 4096, 512, true); err != nil {
		t.Fatal(err)
	}
	snap, _ := s.Snapshot()
	defer s.Close()
	defer snap.Release()
	tab, _ := snap.Table("t")
	for c, col := range tab.Schema().Columns {
		for _, op := range []kernels.Op{kernels.Eq, kernels.Ne, kernels.Lt, kernels.Le, kernels.Gt, kernels.Ge} {
			for i := uint64(0); i < 4096; i += 777 {
				bound := Bound{Column: c, Op: op, Value: randomValue(col.Type, i, true)}
				count := func(prune []Bound) (n, read int) {
					for b, err := range tab.Scan(context.Background(), ScanOptions{Prune: prune}) {
						if err != nil {
							t.Fatal(err)
						}
						read += b.Rows
						for r := range b.Rows {
							if v := b.Cols[c].Value(r); !v.Null && holds(CompareValues(v, bound.Value), op) {
								n++
							}
						}
					}
					return n, read
				}
				want, whole := count(nil)
				got, read := count([]Bound{bound})
				if got != want {
					t.Fatalf("column %s op %v row %d: %d rows with pruning, %d without", col.Name, op, i, got, want)
				}
				if col.Name == "id" && op == kernels.Eq && read >= whole {
					t.Errorf("an equality on an ascending column read all %d rows", read)
				}
			}
		}
	}
}

func holds(c int, op kernels.Op) bool {
	switch op {
	case kernels.Eq:
		return c == 0
	case kernels.Ne:
		return c != 0
	case kernels.Lt:
		return c < 0
	case kernels.Le:
		return c <= 0
	case kernels.Gt:
		return c > 0
	}
	return c >= 0
}

// TestAlter adds and drops columns over rows that are there.
func TestAlter(t *testing.T) {
	fsys := memfs.New()
	s := mustOpen(t, Options{FS: fsys})
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(allTypes("t")) }); err != nil {
		t.Fatal(err)
	}
	if err := addRows(s, "t", 0, 100, 100, true); err != nil {
		t.Fatal(err)
	}
	if err := write(s, func(tx *Txn) error {
		tab, err := tx.Table("t")
		if err != nil {
			return err
		}
		c := tab.Schema().Clone()
		c.Columns = append(c.Columns[:3:3], c.Columns[4:]...) // without i4
		c.Columns = append(c.Columns, Column{Name: "i4", Type: Type{Kind: Text}, HasDefault: true, Default: "'x'",
			Missing: Value{Type: Type{Kind: Text}, S: "x"}})
		return tx.AlterTable(c)
	}); err != nil {
		t.Fatal(err)
	}
	check := func() {
		snap, _ := s.Snapshot()
		defer snap.Release()
		tab, _ := snap.Table("t")
		c := tab.Schema().Lookup("i4")
		for b, err := range tab.Scan(context.Background(), ScanOptions{Columns: []int{0, c}}) {
			if err != nil {
				t.Fatal(err)
			}
			for r := range b.Rows {
				if got := b.Cols[1].Value(r); got.S != "x" {
					t.Fatalf("row %d: %+v", r, got)
				}
			}
		}
	}
	check()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, Options{FS: fsys})
	check()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestArrow reads batches whose bitmaps start at every bit and keeps one past Close.
func TestArrow(t *testing.T) {
	before, _ := mmap.Live()
	s := mustOpen(t, Options{InlineBytes: 1})
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(allTypes("t")) }); err != nil {
		t.Fatal(err)
	}
	if err := addRows(s, "t", 0, 2000, 640, true); err != nil {
		t.Fatal(err)
	}
	if err := write(s, func(tx *Txn) error {
		_, err := tx.Delete("t", []visibility.RowID{5, 70, 71, 200, 641, 1999})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	snap, _ := s.Snapshot()
	tab, _ := snap.Table("t")
	var kept []arrow.RecordBatch
	rows := int64(0)
	for rec, err := range tab.Records(context.Background(), ScanOptions{BatchRows: 77}) {
		if err != nil {
			t.Fatal(err)
		}
		rows += rec.NumRows()
		kept = append(kept, rec)
	}
	if rows != 1994 {
		t.Errorf("%d rows", rows)
	}
	snap.Release()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, rec := range kept {
		ids := rec.Column(0)
		for r := range int(rec.NumRows()) {
			id := uint64(0)
			if _, err := fmt.Sscan(ids.ValueStr(r), &id); err != nil {
				t.Fatal(err)
			}
			for c, col := range rec.Columns() {
				want := randomValue(tab.schema.Columns[c].Type, id, tab.schema.Columns[c].NotNull)
				if wantNull := want.Null || (math.IsNaN(want.F) && want.Type.Kind == Decimal); col.IsNull(r) != wantNull {
					t.Fatalf("row %d column %d: null %v, want %v", id, c, col.IsNull(r), wantNull)
				}
				if want.Null {
					continue
				}
				switch want.Type.Kind {
				case Text, Varchar, Numeric, JSON:
					if got := col.ValueStr(r); got != want.S {
						t.Fatalf("row %d column %d: %q, want %q", id, c, got, want.S)
					}
				case Int2, Int4, Int8:
					if got := col.ValueStr(r); got != fmt.Sprint(want.I) {
						t.Fatalf("row %d column %d: %s, want %d", id, c, got, want.I)
					}
				}
			}
		}
		rec.Release()
	}
	if n, _ := mmap.Live(); n != before {
		t.Errorf("%d mappings left after the last batch", n-before)
	}
}

// TestFullDisk holds that a load on a full disk fails with 53100, leaves the store
// usable, and gives its space back.
func TestFullDisk(t *testing.T) {
	fsys := memfs.New()
	s := mustOpen(t, Options{FS: fsys, InlineBytes: 1})
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(allTypes("t")) }); err != nil {
		t.Fatal(err)
	}
	fsys.SetCapacity(4 << 20)
	for range 3 {
		if err := addRows(s, "t", 0, 20000, 20000, true); pgerr.Code(err) != pgerr.DiskFull {
			t.Fatalf("got %v", err)
		}
	}
	if err := addRows(s, "t", 0, 1000, 1000, true); err != nil {
		t.Fatal(err)
	}
	wantRows(t, s, "t", all, 1000)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFinishShort closes fragments before the last row that was written.
func TestFinishShort(t *testing.T) {
	for _, inline := range []int64{1 << 20, 1} {
		for _, planned := range []bool{false, true} {
			s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: inline})
			schema := allTypes("t")
			if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
				t.Fatal(err)
			}
			p := LoadPlan{Schema: schema}
			if planned {
				p.Fragments, p.VarBytes = []int{100}, 100*600
			}
			l, err := s.NewLoad(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			w, err := l.Fragment(0, 100)
			if err != nil {
				t.Fatal(err)
			}
			for r := range 100 {
				for c := range w.Cols {
					w.Cols[c].SetValue(r, randomValue(schema.Columns[c].Type, uint64(r), schema.Columns[c].NotNull))
				}
			}
			if err := w.Finish(70); err != nil {
				t.Fatal(err)
			}
			if err := write(s, func(tx *Txn) error { _, err := tx.Append(context.Background(), "t", l); return err }); err != nil {
				t.Fatal(err)
			}
			wantRows(t, s, "t", all, 70)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestVacuumDeadInline holds that rows in memory which are all deleted need no space to
// be given up.
func TestVacuumDeadInline(t *testing.T) {
	fsys := memfs.New()
	s := mustOpen(t, Options{FS: fsys, LogBytes: 1 << 20})
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(allTypes("t")) }); err != nil {
		t.Fatal(err)
	}
	if err := addRows(s, "t", 0, 5000, 5000, true); err != nil {
		t.Fatal(err)
	}
	var ids []visibility.RowID
	for i := range 5000 {
		ids = append(ids, visibility.RowID(i))
	}
	if err := write(s, func(tx *Txn) error { _, err := tx.Delete("t", ids); return err }); err != nil {
		t.Fatal(err)
	}
	if err := s.Vacuum(context.Background()); err != nil {
		t.Fatal(err)
	}
	wantRows(t, s, "t", func(uint64) bool { return false }, 5000)
	snap, _ := s.Snapshot()
	if info := snap.Info()[0]; info.Bytes != 0 {
		t.Errorf("%d bytes left of rows that are all deleted", info.Bytes)
	}
	snap.Release()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
