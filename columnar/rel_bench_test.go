package columnar

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ingotdb/ingot/mmap"
)

// benchKey stores k as a key at row i: a number, or a text of 7 digits.
func benchKey(c *ColumnBuf, i, k int) {
	if c.Offsets == nil {
		c.Int64s()[i] = int64(k)
		return
	}
	c.Data = fmt.Appendf(c.Data, "%07d", k)
	c.Offsets[i+1] = int32(len(c.Data))
}

// benchGraph returns a store in a directory with nodes 0 to nodes-1 in tables a and b. Those
// with numbers as keys are in order of them.
func benchGraph(b *testing.B, key Type, nodes int) *Store {
	ctx := context.Background()
	s, err := Open(ctx, b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	tx, err := s.BeginWrite(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback()
	x, y := nodeTable("a", key), nodeTable("b", key)
	if err := tx.CreateTable(x); err != nil {
		b.Fatal(err)
	}
	if err := tx.CreateTable(y); err != nil {
		b.Fatal(err)
	}
	if err := tx.CreateTable(&Schema{Name: "r", Rel: &Rel{From: x.ID, To: y.ID}}); err != nil {
		b.Fatal(err)
	}
	for _, t := range []string{"a", "b"} {
		tab, err := tx.Table(t)
		if err != nil {
			b.Fatal(err)
		}
		l := benchRows(b, s, tab.Schema(), nodes, func(w *FragmentWriter, at int) {
			for i := range w.Rows {
				k := at + i
				if key.Variable() {
					k = nodes - 1 - k
				}
				benchKey(&w.Cols[0], i, k)
			}
		})
		if _, err := tx.Append(ctx, t, l); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := tx.Commit(ctx); err != nil {
		b.Fatal(err)
	}
	return s
}

// benchRows returns a load of n rows that fill writes.
func benchRows(b *testing.B, s *Store, schema *Schema, n int, fill func(w *FragmentWriter, at int)) *Load {
	p := LoadPlan{Schema: schema}
	for left := n; left > 0; left -= MaxFragmentRows {
		p.Fragments = append(p.Fragments, min(left, MaxFragmentRows))
		p.VarBytes += 14 * int64(min(left, MaxFragmentRows))
	}
	l, err := s.NewLoad(context.Background(), p)
	if err != nil {
		b.Fatal(err)
	}
	at := 0
	for i, rows := range p.Fragments {
		w, err := l.Fragment(i, rows)
		if err != nil {
			b.Fatal(err)
		}
		if err := mmap.Guard(func() error { fill(w, at); return nil }); err != nil {
			b.Fatal(err)
		}
		if err := w.Finish(rows); err != nil {
			b.Fatal(err)
		}
		at += rows
	}
	return l
}

// BenchmarkRelLoad is what a COPY of edges costs behind the conversion of its input: keys
// are resolved, edges sorted, rows and adjacency written, synced and committed.
func BenchmarkRelLoad(b *testing.B) {
	ctx := context.Background()
	for _, c := range []struct {
		key          Kind
		nodes, edges int
	}{{Int8, 1000, 100}, {Int8, 100_000, 1_000_000}, {Int8, 2_000_000, 10_000_000}, {Text, 2_000_000, 10_000_000}} {
		b.Run(fmt.Sprintf("key=%v/nodes=%d/edges=%d", Type{Kind: c.key}, c.nodes, c.edges), func(b *testing.B) {
			s := benchGraph(b, Type{Kind: c.key}, c.nodes)
			defer s.Close()
			b.ReportAllocs()
			for b.Loop() {
				snap, err := s.Snapshot()
				if err != nil {
					b.Fatal(err)
				}
				schema, err := snap.LoadSchema("r")
				snap.Release()
				if err != nil {
					b.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(1, 2))
				b.StopTimer()
				l := benchRows(b, s, schema, c.edges, func(w *FragmentWriter, _ int) {
					for i := range w.Rows {
						benchKey(&w.Cols[0], i, rng.IntN(c.nodes))
						benchKey(&w.Cols[1], i, rng.IntN(c.nodes))
					}
				})
				b.StartTimer()
				if err := l.Sync(ctx); err != nil {
					b.Fatal(err)
				}
				tx, err := s.BeginWrite(ctx)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := tx.Append(ctx, "r", l); err != nil {
					b.Fatal(err)
				}
				if _, err := tx.Commit(ctx); err != nil {
					b.Fatal(err)
				}
				l.Abort()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.edges), "ns/edge")
		})
	}
}

// BenchmarkRelInsert commits one edge and asks for the adjacency, again and again: what
// building and merging runs adds to a commit that is not synced.
func BenchmarkRelInsert(b *testing.B) {
	ctx := context.Background()
	for _, look := range []bool{false, true} {
		b.Run(fmt.Sprintf("look=%v", look), func(b *testing.B) {
			s := benchGraph(b, Type{Kind: Int8}, 1000)
			defer s.Close()
			s.opt.Durability = None
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				tx, err := s.BeginWrite(ctx)
				if err != nil {
					b.Fatal(err)
				}
				schema, err := tx.LoadSchema("r")
				if err != nil {
					b.Fatal(err)
				}
				l := benchRows(b, s, schema, 1, func(w *FragmentWriter, _ int) {
					w.Cols[0].Int64s()[0], w.Cols[1].Int64s()[0] = int64(i*7%1000), int64(i*11%1000)
				})
				if _, err := tx.Append(ctx, "r", l); err != nil {
					b.Fatal(err)
				}
				if look {
					if _, err := tx.Adjacency("r"); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := tx.Commit(ctx); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}
