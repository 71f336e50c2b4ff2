package columnar

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// deletion is a way to choose rows to delete.
type deletion struct {
	name string
	pick func(r *rand.Rand, i int) bool
}

// deletions are from one row in a table to nearly all, alone and in stretches.
func deletions() []deletion {
	list := []deletion{{"first row", func(_ *rand.Rand, i int) bool { return i == 0 }}}
	for _, share := range []float64{0.001, 0.01, 0.1, 0.5, 0.9, 0.99} {
		list = append(list, deletion{fmt.Sprint(share), func(r *rand.Rand, _ int) bool { return r.Float64() < share }})
	}
	on, left := false, 0
	list = append(list, deletion{"stretches", func(r *rand.Rand, _ int) bool {
		if left--; left < 0 {
			on, left = !on, r.IntN(300)
		}
		return on
	}})
	return append(list, deletion{"every second", func(_ *rand.Rand, i int) bool { return i%2 == 1 }})
}

// checkRow compares row r of cols with the test data of its id, which is in column 0.
func checkRow(t *testing.T, s *Schema, cols []Vec, r int) uint64 {
	t.Helper()
	id := uint64(cols[0].Int64s()[r])
	for c := range cols {
		got, want := cols[c].Value(r), randomValue(s.Columns[c].Type, id, s.Columns[c].NotNull)
		if got.Null != want.Null || (!got.Null && (CompareValues(got, want) != 0 || got.S != want.S)) {
			t.Fatalf("row %d column %s: got %+v, want %+v", id, s.Columns[c].Name, got, want)
		}
	}
	return id
}

// TestScattered holds that scans in every shape give the rows that are not deleted, with
// their values and, where there are ids, the right ones.
func TestScattered(t *testing.T) {
	const n = 7000
	for i, d := range deletions() {
		if testing.Short() && i%2 == 1 {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			s := mustOpen(t, Options{InlineBytes: 1 << 10})
			defer s.Close()
			var want []uint64
			var gone []visibility.RowID
			r := rand.New(rand.NewPCG(uint64(i), 7))
			for id := range n {
				if d.pick(r, id) {
					gone = append(gone, visibility.RowID(id))
				} else {
					want = append(want, uint64(id))
				}
			}
			if err := write(s, func(tx *Txn) error { return tx.CreateTable(allTypes("t")) }); err != nil {
				t.Fatal(err)
			}
			for from := uint64(0); from < n; from += 3500 {
				if err := addRows(s, "t", from, 3500, 1344, true); err != nil {
					t.Fatal(err)
				}
			}
			if err := write(s, func(tx *Txn) error { _, err := tx.Delete("t", gone); return err }); err != nil {
				t.Fatal(err)
			}
			for _, vacuum := range []bool{false, true} {
				if vacuum {
					if err := s.Vacuum(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				snap, err := s.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				defer snap.Release()
				tab, err := snap.Table("t")
				if err != nil {
					t.Fatal(err)
				}
				checkShapes(t, tab, ScanOptions{}, want)
				if vacuum {
					continue
				}
				for _, opt := range []ScanOptions{{BatchRows: 77}, {BatchRows: visibility.GroupRows}, {Copy: true}} {
					checkShapes(t, tab, opt, want)
				}
			}
		})
	}
}

// checkShapes holds that every shape of a scan of all rows gives those of want.
func checkShapes(t *testing.T, tab *Table, opt ScanOptions, want []uint64) {
	t.Helper()
	most := opt.BatchRows
	if most == 0 {
		most = visibility.VectorRows
	}
	for _, shape := range []shape{inRuns, masked, gathered} {
		var got []uint64
		var kept [][]Vec
		var masks [][]uint64
		err := mmap.Guard(func() error {
			for b, err := range tab.scan(context.Background(), scan{opt: opt, shape: shape}) {
				if err != nil {
					return err
				}
				if b.Rows > most || b.Rows == 0 || b.Live() == 0 || shape != masked && b.Visible != nil {
					t.Errorf("shape %d: a batch of %d rows, %d visible", shape, b.Rows, b.Live())
				}
				if shape == masked && b.First/visibility.VectorRows != (b.First+visibility.RowID(b.Rows)-1)/visibility.VectorRows {
					t.Errorf("%d rows from %d on are in two vectors", b.Rows, b.First)
				}
				for r := range b.Rows {
					if b.Visible != nil && !bit(b.Visible, r) {
						continue
					}
					id := checkRow(t, tab.schema, b.Cols, r)
					if shape != gathered && id != uint64(b.First)+uint64(r) || r == 0 && id != uint64(b.First) {
						t.Fatalf("row %d of a batch from %d on is %d", r, b.First, id)
					}
					got = append(got, id)
				}
				if opt.Copy {
					kept, masks = append(kept, b.Cols), append(masks, b.Visible)
				}
			}
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("shape %d, %+v: %d rows, want %d; %v", shape, opt, len(got), len(want), err)
		}
		got = nil
		for i, cols := range kept {
			for r := range cols[0].Len() {
				if masks[i] == nil || bit(masks[i], r) {
					got = append(got, checkRow(t, tab.schema, cols, r))
				}
			}
		}
		if opt.Copy && !slices.Equal(got, want) {
			t.Fatalf("shape %d: copied batches have %d rows, want %d", shape, len(got), len(want))
		}
	}
	var records []arrow.RecordBatch
	for rec, err := range tab.Records(context.Background(), opt) {
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Release()
		records = append(records, rec) // which the next must not overwrite
	}
	at := 0
	for _, rec := range records {
		for r := range int(rec.NumRows()) {
			if at == len(want) || rec.Column(0).ValueStr(r) != fmt.Sprint(want[at]) {
				t.Fatalf("record row %d is %s", at, rec.Column(0).ValueStr(r))
			}
			text := randomValue(Type{Kind: Text}, want[at], false)
			if col := rec.Column(10); col.IsNull(r) != text.Null || !text.Null && col.ValueStr(r) != text.S {
				t.Fatalf("record row %d: text %q, want %q", at, col.ValueStr(r), text.S)
			}
			at++
		}
	}
	if at != len(want) {
		t.Errorf("%d rows in records, want %d", at, len(want))
	}
}

// TestScatteredBatches holds that a vector is few batches however its rows are deleted:
// that there is no cliff.
func TestScatteredBatches(t *testing.T) {
	const n = 4 * visibility.VectorRows
	s := mustOpen(t, Options{})
	defer s.Close()
	schema := &Schema{Name: "t", Columns: []Column{{Name: "id", Type: Type{Kind: Int8}, NotNull: true}}}
	for i, d := range deletions() {
		if err := write(s, func(tx *Txn) error {
			schema.Name = fmt.Sprint("t", i)
			return tx.CreateTable(schema)
		}); err != nil {
			t.Fatal(err)
		}
		if err := addRows(s, schema.Name, 0, n, n, true); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, 4))
		var gone []visibility.RowID
		for id := range n {
			if d.pick(r, id) {
				gone = append(gone, visibility.RowID(id))
			}
		}
		if err := write(s, func(tx *Txn) error { _, err := tx.Delete(schema.Name, gone); return err }); err != nil {
			t.Fatal(err)
		}
		snap, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		tab, err := snap.Table(schema.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, shape := range []shape{masked, gathered} {
			batches := 0
			for _, err := range tab.scan(t.Context(), scan{shape: shape}) {
				if err != nil {
					t.Fatal(err)
				}
				batches++
			}
			if most := 4 * (visibility.VectorRows/batchCost + 1); batches > most {
				t.Errorf("%s deleted, shape %d: %d batches, want at most %d", d.name, shape, batches, most)
			}
		}
		snap.Release()
	}
}

// TestScatteredLongValues holds that rows are not copied together that are long enough for
// a batch each.
func TestScatteredLongValues(t *testing.T) {
	const n = visibility.VectorRows
	s := mustOpen(t, Options{})
	defer s.Close()
	if err := write(s, func(tx *Txn) error {
		return tx.CreateTable(&Schema{Name: "t", Columns: []Column{{Name: "v", Type: Type{Kind: Text}}}})
	}); err != nil {
		t.Fatal(err)
	}
	value := func(i uint64) string { return strings.Repeat(fmt.Sprintf("%08d", i), 4*gatherBytes/n/8) }
	if err := write(s, func(tx *Txn) error {
		tab, err := tx.Table("t")
		if err != nil {
			return err
		}
		l, err := loadCells(s, tab.schema, 0, n, n, true, func(c *Column, i uint64) Value { return Value{Type: c.Type, S: value(i)} })
		if err != nil {
			return err
		}
		defer l.Abort()
		if _, err := tx.Append(t.Context(), "t", l); err != nil {
			return err
		}
		var odd []visibility.RowID
		for i := range n / 2 {
			odd = append(odd, visibility.RowID(2*i+1))
		}
		_, err = tx.Delete("t", odd)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	tab, err := snap.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	at := uint64(0)
	for b, err := range tab.ScanGathered(t.Context(), ScanOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if b.Rows > 1 && len(b.Cols[0].Data()) > gatherBytes {
			t.Errorf("%d rows of %d bytes in a batch", b.Rows, len(value(at)))
		}
		for r := range b.Rows {
			if got := string(b.Cols[0].Bytes(r)); got != value(at) {
				t.Fatalf("row %.20q, want %.20q", got, value(at))
			}
			at += 2
		}
	}
	if at != n {
		t.Errorf("scan ended before row %d", at)
	}
}
