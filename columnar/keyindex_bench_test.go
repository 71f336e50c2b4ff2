package columnar

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/visibility"
)

// benchTable returns a table of rows keys, key(i) in row i, in fragments of a row group.
func benchTable(b testing.TB, typ Type, rows int, key func(c *ColumnBuf, row, i int)) (*Store, *Schema) {
	s := mustOpen(b, Options{FS: memfs.New(), Durability: None})
	schema := &Schema{Name: "t", Columns: []Column{{Name: "k", Type: typ, NotNull: true}},
		Constraints: []Constraint{{Name: "t_pkey", Kind: PrimaryKey, Columns: []uint32{1}}}}
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
		b.Fatal(err)
	}
	l := benchLoad(b, s, schema, rows, key)
	if err := write(s, func(tx *Txn) error { _, err := tx.Append(context.Background(), "t", l); return err }); err != nil {
		b.Fatal(err)
	}
	return s, schema
}

// benchLoad returns a load of rows keys.
func benchLoad(b testing.TB, s *Store, schema *Schema, rows int, key func(c *ColumnBuf, row, i int)) *Load {
	p := LoadPlan{Schema: schema, VarBytes: int64(rows) * 16}
	for left := rows; left > 0; left -= MaxFragmentRows {
		p.Fragments = append(p.Fragments, min(left, MaxFragmentRows))
	}
	l, err := s.NewLoad(context.Background(), p)
	if err != nil {
		b.Fatal(err)
	}
	at := 0
	for f, n := range p.Fragments {
		w, err := l.Fragment(f, n)
		if err != nil {
			b.Fatal(err)
		}
		for i := range n {
			key(&w.Cols[0], i, at)
			at++
		}
		if err := w.Finish(n); err != nil {
			b.Fatal(err)
		}
	}
	return l
}

// benchKeys are the keys of the benchmarks. scatter is a bijection of 32 bits.
var benchKeys = []struct {
	name string
	typ  Type
	key  func(c *ColumnBuf, row, i int)
}{
	{"dense", Type{Kind: Int8}, func(c *ColumnBuf, row, i int) { c.Int64s()[row] = int64(i) }},
	{"sparse", Type{Kind: Int8}, func(c *ColumnBuf, row, i int) { c.Int64s()[row] = int64(i)*100 + int64(scatter(uint32(i))%100) }},
	{"shuffled", Type{Kind: Int8}, func(c *ColumnBuf, row, i int) { c.Int64s()[row] = int64(scatter(uint32(i))) }},
	{"text", Type{Kind: Text}, func(c *ColumnBuf, row, i int) {
		c.Data = fmt.Appendf(c.Data, "key%010d", scatter(uint32(i)))
		c.Offsets[row+1] = int32(len(c.Data))
	}},
}

func scatter(x uint32) uint32 {
	x *= 0x9e3779b1
	x ^= x >> 15
	x *= 0x85ebca6b
	return x ^ x>>13
}

// BenchmarkFind looks up keys in random order, 4,096 per call; the time is that of one key.
func BenchmarkFind(b *testing.B) {
	for _, k := range benchKeys {
		for _, rows := range []int{100_000, 2_000_000} {
			b.Run(fmt.Sprintf("keys=%s/rows=%d", k.name, rows), func(b *testing.B) {
				s, _ := benchTable(b, k.typ, rows, k.key)
				defer s.Close()
				snap, err := s.Snapshot()
				if err != nil {
					b.Fatal(err)
				}
				defer snap.Release()
				t, err := snap.Table("t")
				if err != nil {
					b.Fatal(err)
				}
				keys, err := t.Keys(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				const n = 1 << 20
				rng := rand.New(rand.NewPCG(1, 2))
				c := ColumnBuf{Type: k.typ, Fixed: alignedBytes(8 * n), Offsets: make([]int32, n+1)}
				if k.typ.Variable() {
					c.Fixed = nil
				} else {
					c.Offsets = nil
				}
				want := make([]int, n)
				for i := range n {
					want[i] = rng.IntN(rows)
					k.key(&c, i, want[i])
				}
				v, _ := c.vec(n)
				out := make([]visibility.RowID, 4096)
				b.ResetTimer()
				for at := 0; at < b.N; at += len(out) {
					from := at % n
					part := v.Slice(from, len(out))
					missing, err := keys.Find(context.Background(), []Vec{part}, out)
					if err != nil || missing > 0 || out[7] != visibility.RowID(want[from+7]) {
						b.Fatal(missing, err)
					}
				}
			})
		}
	}
}

// BenchmarkUniqueCheck checks the keys of a load into an empty table.
func BenchmarkUniqueCheck(b *testing.B) {
	for _, k := range benchKeys[2:] {
		for _, rows := range []int{100, 100_000, 2_000_000, 6_000_000} {
			b.Run(fmt.Sprintf("keys=%s/rows=%d", k.name, rows), func(b *testing.B) {
				s, schema := benchTable(b, k.typ, 0, k.key)
				defer s.Close()
				l := benchLoad(b, s, schema, rows, k.key)
				frags, err := l.take()
				if err != nil {
					b.Fatal(err)
				}
				snap, _ := s.Snapshot()
				defer snap.Release()
				t, _ := snap.Table("t")
				b.ResetTimer()
				for b.Loop() {
					if err := s.checkUnique(context.Background(), t, frags, &conflicts{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
			})
		}
	}
}

// BenchmarkSmallLoad checks the keys of 100 rows against a table with an index: the time
// must not follow the rows of the table.
func BenchmarkSmallLoad(b *testing.B) {
	k := benchKeys[2]
	for _, rows := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			s, schema := benchTable(b, k.typ, rows, k.key)
			defer s.Close()
			l := benchLoad(b, s, schema, 100, func(c *ColumnBuf, row, i int) { k.key(c, row, 1<<31+i) })
			frags, err := l.take()
			if err != nil {
				b.Fatal(err)
			}
			snap, _ := s.Snapshot()
			defer snap.Release()
			t, _ := snap.Table("t")
			if _, err := t.Keys(context.Background()); err != nil { // builds the index
				b.Fatal(err)
			}
			for b.Loop() {
				if err := s.checkUnique(context.Background(), t, frags, &conflicts{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
