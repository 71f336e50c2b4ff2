package columnar

import (
	"context"
	"strings"
	"testing"

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
