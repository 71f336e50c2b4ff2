package columnar

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ingotdb/ingot/visibility"
)

// TestKeyed reads edges with the keys of their nodes, by scans of every kind and by row.
func TestKeyed(t *testing.T) {
	for _, key := range [][2]Type{
		{{Kind: Int8}, {Kind: Int4}}, {{Kind: Text}, {Kind: UUID}}, {{Kind: Int2}, {Kind: Varchar, Length: 9}}, {{Kind: Date}, {Kind: Numeric}},
	} {
		g := newGraphStore(t, Options{}, key[0], key[1])
		rng := rand.New(rand.NewPCG(1, 2))
		g.do(func(tx *Txn) error {
			for _, e := range []end{fromEnd, toEnd} {
				if err := g.addNodes(tx, e, rng.Perm(3000)); err != nil {
					return err
				}
			}
			return nil
		})
		for range 3 {
			g.do(func(tx *Txn) error { return g.addEdges(tx, 700, g.randomEdges(rng, 2500)) })
		}
		gone := []visibility.RowID{0, 1, 4000, 7499}
		g.do(func(tx *Txn) error {
			_, err := tx.Delete("r", gone)
			return err
		})
		snap, err := g.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		r, err := snap.Keyed("r")
		if err != nil {
			t.Fatal(err)
		}
		if s := r.Schema(); s.Columns[0].Type != key[0] || s.Columns[1].Type != key[1] {
			t.Errorf("the ends are %v and %v, want %v", s.Columns[0].Type, s.Columns[1].Type, key)
		}
		want := func(id visibility.RowID, at int) Value {
			e := g.edges[id]
			return keyValue(key[at], []int{e.from, e.to}[at])
		}
		for _, opt := range []ScanOptions{{}, {Columns: []int{1, 3, 0}}, {Copy: true, BatchRows: 999}, {Columns: []int{0, 1}, Prune: []Bound{{Column: 0, Value: keyValue(key[0], -5)}}}} {
			at := []int{slices.Index(opt.Columns, 0), slices.Index(opt.Columns, 1)}
			if opt.Columns == nil {
				at = []int{0, 1}
			}
			rows := 0
			for b, err := range r.Scan(context.Background(), opt) {
				if err != nil {
					t.Fatal(err)
				}
				rows += b.Rows
				for i := range b.Rows {
					for end := range at {
						if v, w := b.Cols[at[end]].Value(i), want(b.First+visibility.RowID(i), end); CompareValues(v, w) != 0 {
							t.Fatalf("row %d: end %d is %v, want %v", b.First+visibility.RowID(i), end, v, w)
						}
					}
				}
			}
			if rows != 7500-len(gone) {
				t.Errorf("%d rows", rows)
			}
		}
		ids := []visibility.RowID{7000, 3, 3, 5000}
		for column := range 2 {
			v, err := r.Gather(ids, column)
			if err != nil {
				t.Fatal(err)
			}
			for i, id := range ids {
				if x, w := v.Value(i), want(id, column); CompareValues(x, w) != 0 {
					t.Errorf("row %d: %v, want %v", id, x, w)
				}
			}
		}
		if _, err := r.Gather([]visibility.RowID{7500}, 0); err == nil {
			t.Error("a row that is not there is gathered")
		}
		// What the store keeps are row ids, still.
		plain, err := snap.Table("r")
		if err != nil || plain.Schema().Columns[0].Type.Kind != Int8 {
			t.Error(plain.Schema().Columns[0], err)
		}
		snap.Release()
	}
}

// TestFindRows looks rows up in fragments of any sizes, up to as many as nodes have ids.
func TestFindRows(t *testing.T) {
	for _, sizes := range [][]int{{}, {1}, {1023, 1, 1, 2048, 3}, {5000, 1 << 30, 7, 1<<32 - 1<<30 - 5000 - 7 - 1}} {
		var frags []*fragment
		all := uint64(0)
		for _, n := range sizes {
			frags = append(frags, &fragment{rows: n})
			all += uint64(n)
		}
		r := findRows(frags)
		first := uint64(0)
		for i, n := range sizes {
			for _, at := range []uint64{first, first + uint64(n)/2, first + uint64(n) - 1} {
				if g := r.gather([]uint32{uint32(at)}); g.frag[0] != uint32(i) || uint64(g.row[0]) != at-first {
					t.Errorf("row %d of %d is row %d of fragment %d, want %d of %d", at, all, g.row[0], g.frag[0], at-first, i)
				}
			}
			first += uint64(n)
		}
	}
}
