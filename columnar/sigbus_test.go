//go:build unix

package columnar

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// cuttable is a store in a real directory with one data file, which cut makes shorter
// under its mapping.
type cuttable struct {
	s    *Store
	snap *Snapshot
	tab  *Table
	file string
}

const cutRows = 6000

func newCuttable(t *testing.T) *cuttable {
	t.Helper()
	dir := t.TempDir()
	w := world{m: newModel()}
	var err error
	if w.s, err = Open(context.Background(), dir, Options{InlineBytes: 1}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		w.commit(func(c *change) error { return c.create(allTypes("t")) }),
		w.commit(func(c *change) error { return c.load("t", cutRows, 2048, true) }),
		w.commit(func(c *change) error { return c.remove("t", every(1000)) })); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "data-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	c := &cuttable{s: w.s, file: files[0]}
	if c.snap, err = c.s.Snapshot(); err != nil {
		t.Fatal(err)
	}
	if c.tab, err = c.snap.Table("t"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.snap.Release()
		c.s.Close()
	})
	return c
}

// cut leaves one page of the data file: its header.
func (c *cuttable) cut(t *testing.T) {
	t.Helper()
	if err := os.Truncate(c.file, 4096); err != nil {
		t.Fatal(err)
	}
}

// wantFault holds that err is the error of a mapping that could not be read.
func wantFault(t *testing.T, what string, err error) {
	t.Helper()
	var fault *mmap.FaultError
	if !errors.As(err, &fault) || filepath.Base(fault.Name) != "data-1" {
		t.Errorf("%s of a file that was cut: %v", what, err)
	}
}

// TestTruncUnderScan cuts the data file before a scan, between two batches, and under the
// vectors of a batch, and holds that each way to read ends with an error and the process
// lives.
func TestTruncUnderScan(t *testing.T) {
	ctx := context.Background()
	t.Cleanup(func() { noLeaks(t, "truncated files") }) // behind the closing of every store
	// drain scans and cuts after the given number of batches.
	drain := func(c *cuttable, after int, opt ScanOptions, read func(*Batch)) error {
		if after == 0 {
			c.cut(t)
		}
		n := 0
		return mmap.Guard(func() error {
			for b, err := range c.tab.Scan(ctx, opt) {
				if err != nil {
					return err
				}
				if n++; n == after {
					c.cut(t)
				}
				read(b)
			}
			return nil
		})
	}
	everything := func(b *Batch) {
		for i := range b.Cols {
			for r := range b.Rows {
				b.Cols[i].Value(r)
			}
		}
	}
	for _, after := range []int{0, 1, 2, 5} {
		for _, copied := range []bool{false, true} {
			for _, columns := range [][]int{nil, {0}, {10, 11}} {
				opt := ScanOptions{Copy: copied, BatchRows: 300, Columns: columns}
				c := newCuttable(t)
				wantFault(t, fmt.Sprintf("scan, %d batches before, copy %v, columns %v", after, copied, columns), drain(c, after, opt, everything))
			}
		}
	}
	t.Run("without a guard of its own", func(t *testing.T) {
		for _, after := range []int{0, 1, 3} {
			c := newCuttable(t)
			n := 0
			var last error
			if after == 0 {
				c.cut(t)
			}
			for b, err := range c.tab.Scan(ctx, ScanOptions{Copy: true, BatchRows: 300}) {
				if last = err; err != nil {
					break
				}
				if n++; n == after {
					c.cut(t)
				}
				everything(b) // its own memory
			}
			wantFault(t, fmt.Sprintf("copying scan, %d batches before", after), last)
		}
	})
	t.Run("records", func(t *testing.T) {
		for _, copied := range []bool{false, true} {
			for _, after := range []int{0, 1, 3} {
				c := newCuttable(t)
				if after == 0 {
					c.cut(t)
				}
				n := 0
				err := mmap.Guard(func() error {
					for rec, err := range c.tab.Records(ctx, ScanOptions{Copy: copied, BatchRows: 300}) {
						if err != nil {
							return err
						}
						if n++; n == after {
							c.cut(t)
						}
						if err := readRecord(rec); err != nil {
							return err
						}
					}
					return nil
				})
				wantFault(t, fmt.Sprintf("records, copy %v, %d batches before", copied, after), err)
			}
		}
	})
	t.Run("check", func(t *testing.T) {
		c := newCuttable(t)
		if _, err := c.s.Check(ctx, nil); err != nil {
			t.Fatal(err)
		}
		c.cut(t)
		_, err := c.s.Check(ctx, nil)
		wantFault(t, "check", err)
	})
	t.Run("fetch", func(t *testing.T) {
		c := newCuttable(t)
		c.cut(t)
		wantFault(t, "fetch", c.tab.Fetch([]visibility.RowID{1, 2, 5001}, nil, func(_ int, cols []Vec) error {
			return mmap.Guard(func() error { cols[0].Value(0); return nil })
		}))
	})
	t.Run("vacuum", func(t *testing.T) {
		for _, touched := range []bool{false, true} {
			c := newCuttable(t)
			if touched { // the chunks are verified, and then the file goes
				if err := drain(c, -1, ScanOptions{}, func(*Batch) {}); err != nil {
					t.Fatal(err)
				}
			}
			ids := make([]visibility.RowID, 2000)
			for i := range ids {
				ids[i] = visibility.RowID(2*i + 1)
			}
			if err := write(c.s, func(tx *Txn) error { _, err := tx.Delete("t", ids); return err }); err != nil {
				t.Fatal(err)
			}
			c.cut(t)
			wantFault(t, fmt.Sprintf("vacuum, touched %v", touched), c.s.Vacuum(ctx))
			if err := write(c.s, func(tx *Txn) error { return tx.CreateTable(narrow("after")) }); err != nil {
				t.Errorf("commit after a vacuum that failed: %v", err)
			}
		}
	})
	t.Run("unique", func(t *testing.T) {
		c := newCuttable(t)
		if err := write(c.s, func(tx *Txn) error {
			s := c.tab.Schema().Clone()
			s.Constraints = []Constraint{{Name: "pk", Kind: PrimaryKey, Columns: []uint32{s.Columns[10].ID}}}
			s.Columns[10].NotNull = false
			return tx.AlterTable(s)
		}); err != nil {
			t.Fatal(err)
		}
		c.cut(t)
		err := write(c.s, func(tx *Txn) error {
			tab, err := tx.Table("t")
			if err != nil {
				return err
			}
			l, err := loadRows(c.s, tab.Schema(), 1<<20, 10, 64, true)
			if err != nil {
				return err
			}
			_, err = tx.Append(ctx, "t", l)
			return err
		})
		wantFault(t, "append to a table with a key", err)
	})
	t.Run("kernels", func(t *testing.T) {
		for name, kernel := range map[string]func(*Vec){
			"sum":     func(v *Vec) { kernels.SumInt64(v.Int64s(), nil) },
			"minmax":  func(v *Vec) { kernels.MinMaxInt64(v.Int64s(), nil) },
			"ordered": func(v *Vec) { kernels.StrictlyIncreasingInt64(v.Int64s()) },
		} {
			c := newCuttable(t)
			n := 0
			err := drain(c, 1, ScanOptions{Columns: []int{0}}, func(b *Batch) { n++; kernel(&b.Cols[0]) })
			wantFault(t, name, err)
			if n != 1 {
				t.Errorf("%s: the fault came at batch %d, not in the kernel", name, n)
			}
		}
	})
}

// readRecord touches every value and releases the batch.
func readRecord(rec arrow.RecordBatch) error {
	defer rec.Release()
	for _, col := range rec.Columns() {
		for i := range col.Len() {
			if !col.IsNull(i) {
				col.ValueStr(i)
			}
		}
	}
	return nil
}

// TestTruncUnderLoad cuts the data file of a load that is under way: the writer's stores,
// under a guard, and Finish end with an error.
func TestTruncUnderLoad(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(context.Background(), dir, Options{InlineBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(bigRows("t")) }); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	tab, err := snap.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.NewLoad(context.Background(), LoadPlan{Schema: tab.Schema(), Fragments: []int{2048, 2048}, VarBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	w, err := l.Fragment(0, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for r := range 2048 {
		w.Cols[0].SetValue(r, Value{Type: Type{Kind: Int8}, I: int64(r)})
		w.Cols[1].SetValue(r, Value{Type: Type{Kind: Text}, S: "x"})
	}
	if err := os.Truncate(filepath.Join(dir, "data-1"), 0); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "finish", w.Finish(2048))
	l.Abort()
	snap.Release()
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(bigRows("u")) }); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	noLeaks(t, "load")
}
