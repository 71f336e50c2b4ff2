package visibility

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// deletePatterns are what a delete can do to a group of a benchmark, by name. Each must cost the
// same for one check: no pattern may push the other rows of its group to a slower path.
var deletePatterns = []struct {
	name string
	rows func(rng *rand.Rand) []uint32
}{
	{"none", func(*rand.Rand) []uint32 { return nil }},
	{"first", func(*rand.Rand) []uint32 { return []uint32{0} }},
	{"middle", func(*rand.Rand) []uint32 { return []uint32{GroupRows / 2} }},
	{"vectors", func(*rand.Rand) []uint32 {
		var rows []uint32
		for v := uint32(0); v < VectorsPerGroup; v += 2 {
			for i := range uint32(VectorRows) {
				rows = append(rows, v*VectorRows+i)
			}
		}
		return rows
	}},
	{"1%", func(rng *rand.Rand) []uint32 { return randomRows(rng, GroupRows, 0.01) }},
	{"50%", func(rng *rand.Rand) []uint32 { return randomRows(rng, GroupRows, 0.5) }},
}

// benchGroups returns groups groups with the deletes of a pattern.
func benchGroups(groups int, pattern func(*rand.Rand) []uint32) *Groups {
	rng := rand.New(rand.NewPCG(42, 0))
	s := new(Groups)
	for i := range groups {
		g, _ := NewGroup(GroupRows).WithDeleted(pattern(rng))
		s = s.With(i, g)
	}
	return s
}

// randomIDs returns ids below rows that a predictor cannot learn.
func randomIDs(rows uint64) *[1 << 16]RowID {
	rng := rand.New(rand.NewPCG(43, 0))
	ids := new([1 << 16]RowID)
	for i := range ids {
		ids[i] = RowID(rng.Uint64N(rows))
	}
	return ids
}

// BenchmarkVisible is one check of a random id. At one group the bitmaps are 16 KiB and lie in the
// L1 cache, at 16 they lie in L2.
func BenchmarkVisible(b *testing.B) {
	for _, groups := range []int{1, 16} {
		for _, p := range deletePatterns {
			s := benchGroups(groups, p.rows)
			ids := randomIDs(s.Rows())
			b.Run(fmt.Sprintf("groups=%d/deleted=%s", groups, p.name), func(b *testing.B) {
				visible := 0
				for i := range b.N {
					visible += one(s.Visible(ids[i%len(ids)]))
				}
				sink(b, visible)
			})
		}
	}
}

// BenchmarkVisibleInGroup is one check where the caller has found the group already, as a scan of
// neighbours in one group does.
func BenchmarkVisibleInGroup(b *testing.B) {
	for _, p := range deletePatterns {
		g := benchGroups(1, p.rows).At(0)
		ids := randomIDs(GroupRows)
		b.Run("deleted="+p.name, func(b *testing.B) {
			visible := 0
			for i := range b.N {
				visible += one(g.Visible(uint32(ids[i%len(ids)])))
			}
			sink(b, visible)
		})
	}
}

// BenchmarkVisibleParallel is BenchmarkVisible in many goroutines that share one version; time is
// wall time for one check of any of them.
func BenchmarkVisibleParallel(b *testing.B) {
	for _, p := range deletePatterns {
		s := benchGroups(16, p.rows)
		ids := randomIDs(s.Rows())
		for _, goroutines := range []int{1, 2, 4, 8, 16} {
			b.Run(fmt.Sprintf("deleted=%s/goroutines=%d", p.name, goroutines), func(b *testing.B) {
				runGoroutines(goroutines, b.N, func(n int) {
					visible := 0
					for i := range n {
						visible += one(s.Visible(ids[i%len(ids)]))
					}
					sink(b, visible)
				})
			})
		}
	}
}

// BenchmarkAcquire is one Acquire and Release of a version that all goroutines share.
func BenchmarkAcquire(b *testing.B) {
	for _, goroutines := range []int{1, 2, 4, 8, 16} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			h := NewHead(1, nil)
			runGoroutines(goroutines, b.N, func(n int) {
				for range n {
					h.Acquire().Release()
				}
			})
		})
	}
}

// runGoroutines splits n operations over goroutines and waits for them.
func runGoroutines(goroutines, n int, f func(n int)) {
	done := make(chan struct{})
	for i := range goroutines {
		share := n / goroutines
		if i == 0 {
			share += n % goroutines
		}
		go func() {
			f(share)
			done <- struct{}{}
		}()
	}
	for range goroutines {
		<-done
	}
}

// BenchmarkRuns walks all visible runs of one group.
func BenchmarkRuns(b *testing.B) {
	for _, p := range deletePatterns {
		g := benchGroups(1, p.rows).At(0)
		b.Run("deleted="+p.name, func(b *testing.B) {
			runs := 0
			for range b.N {
				for range g.Runs() {
					runs++
				}
			}
			b.ReportMetric(float64(runs)/float64(b.N), "runs")
		})
	}
}

// BenchmarkDelete makes the version that a commit publishes: one row deleted in a table of
// 1,000 groups, so that its longest run is found anew (cut) or kept.
func BenchmarkDelete(b *testing.B) {
	for _, p := range deletePatterns {
		rng := rand.New(rand.NewPCG(42, 0))
		g, _ := NewGroup(GroupRows).WithDeleted(p.rows(rng))
		s := new(Groups).Append(1000*GroupRows).With(500, g)
		run := g.LongestRun()
		last := g.nextVisible(run.End())
		for name, row := range map[string]uint32{"cut": run.Start + run.Length/2, "kept": last} {
			if row == GroupRows {
				continue
			}
			ids := []RowID{500<<GroupShift + RowID(row)}
			b.Run(fmt.Sprintf("deleted=%s/%s", p.name, name), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					if _, n := s.WithDeleted(ids); n != 1 {
						b.Fatal("row was deleted before")
					}
				}
			})
		}
	}
}

// BenchmarkAppendBinary encodes one group.
func BenchmarkAppendBinary(b *testing.B) {
	for _, p := range deletePatterns {
		g := benchGroups(1, p.rows).At(0)
		b.Run("deleted="+p.name, func(b *testing.B) {
			var dst []byte
			for range b.N {
				dst = g.AppendBinary(dst[:0])
			}
			b.ReportMetric(float64(len(dst)), "bytes")
		})
	}
}

// one returns 1 for true without a branch. A branch on the result is the caller's, and costs
// what the answers make it cost: half of them, at random, is a misprediction every second
// time whatever the check does.
func one(b bool) int {
	n := 0
	if b {
		n = 1
	}
	return n
}

// sink keeps the compiler from dropping the work that led to n.
func sink(b *testing.B, n int) {
	if n < 0 {
		b.Fatal("impossible")
	}
}
