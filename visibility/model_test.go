package visibility

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

// seeds returns the seeds of a randomized test: INGOT_SEED alone if it is set, else n fixed
// ones. Every failure names its seed.
func seeds(t testing.TB, n int) []uint64 {
	t.Helper()
	if s := os.Getenv("INGOT_SEED"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("INGOT_SEED: %v", err)
		}
		return []uint64{seed}
	}
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(i) + 1
	}
	return list
}

// perSeed runs f once for each seed, as a subtest that can be repeated by its seed.
func perSeed(t *testing.T, n int, f func(t *testing.T, rng *rand.Rand)) {
	for _, seed := range seeds(t, n) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: INGOT_SEED=%d go test -run '^%s$' ./visibility", seed, t.Name()[:len(t.Name())-len(fmt.Sprintf("/seed=%d", seed))])
				}
			}()
			f(t, rand.New(rand.NewPCG(seed, 0)))
		})
	}
}

// model is a group as one bool for each row, true where the row is deleted.
type model []bool

func (m model) runs() []Run {
	var runs []Run
	for i := 0; i < len(m); {
		start := i
		for i < len(m) && !m[i] {
			i++
		}
		if i > start {
			runs = append(runs, Run{uint32(start), uint32(i - start)})
		}
		for i < len(m) && m[i] {
			i++
		}
	}
	return runs
}

func (m model) longest() (best Run) {
	for _, r := range m.runs() {
		if r.Length > best.Length {
			best = r
		}
	}
	return best
}

func (m model) deleted() (n uint32) {
	for _, d := range m {
		if d {
			n++
		}
	}
	return n
}

// check compares everything that g says with m, and tests what g promises about its insides.
func (m model) check(t *testing.T, rng *rand.Rand, g *Group) {
	t.Helper()
	if g.Rows() != uint32(len(m)) || g.Deleted() != m.deleted() || g.Live() != g.Rows()-g.Deleted() {
		t.Fatalf("rows %d, deleted %d, live %d; want %d, %d", g.Rows(), g.Deleted(), g.Live(), len(m), m.deleted())
	}
	for i, deleted := range m {
		if g.Visible(uint32(i)) == deleted {
			t.Fatalf("Visible(%d) = %v", i, !deleted)
		}
	}
	for _, i := range []uint32{uint32(len(m)), uint32(len(m)) + 1, GroupRows, GroupRows + 5, 1 << 31, ^uint32(0)} {
		if i >= uint32(len(m)) && (g.Visible(i) || g.NextRun(i) != Run{}) {
			t.Fatalf("row %d of %d is visible", i, len(m))
		}
	}
	want := m.runs()
	if got := slices.Collect(g.Runs()); !slices.Equal(got, want) {
		t.Fatalf("runs differ: %d, want %d: %.100v, want %.100v", len(got), len(want), got, want)
	}
	if got := g.LongestRun(); got != m.longest() {
		t.Fatalf("longest run %v, want %v", got, m.longest())
	}
	for range 50 {
		from := rng.Uint32N(uint32(len(m)) + 1)
		var run Run
		for _, r := range want {
			if r.End() > from {
				start := max(r.Start, from)
				run = Run{start, r.End() - start}
				break
			}
		}
		if got := g.NextRun(from); got != run {
			t.Fatalf("NextRun(%d) = %v, want %v", from, got, run)
		}
		n := rng.Uint32N(uint32(len(m)) + 100)
		live := uint32(0)
		for i := from; i < min(from+n, uint32(len(m))); i++ {
			live += uint32(one(!m[i]))
		}
		if got := g.LiveIn(from, n); got != live {
			t.Fatalf("LiveIn(%d, %d) = %d, want %d", from, n, got, live)
		}
	}
	m.checkVectors(t, g)
}

func (m model) checkVectors(t *testing.T, g *Group) {
	t.Helper()
	if got, want := g.Vectors(), (len(m)+VectorRows-1)/VectorRows; got != want {
		t.Fatalf("%d vectors, want %d", got, want)
	}
	for v := range g.Vectors() {
		rows := m[v*VectorRows : min(len(m), (v+1)*VectorRows)]
		state, bits := g.Vector(v)
		want := Some
		switch rows.deleted() {
		case 0:
			want = None
		case uint32(len(rows)):
			want = All
		}
		if state != want || (bits != nil) != (want == Some) {
			t.Fatalf("vector %d: state %v, bitmap %v; want %v", v, state, bits != nil, want)
		}
		if bits == nil {
			continue
		}
		for i := range VectorRows {
			if set := bits[i/64]>>(i%64)&1 != 0; set != (i < len(rows) && rows[i]) {
				t.Fatalf("vector %d: bit %d is %v", v, i, set)
			}
		}
	}
	if noneDeleted != (bitmap{}) || allDeleted != onesBitmap() {
		t.Fatal("a shared bitmap was written to")
	}
}

// randomEdit changes m and g in the same way.
func randomEdit(t *testing.T, rng *rand.Rand, m model, g *Group) (model, *Group) {
	t.Helper()
	m = slices.Clone(m)
	mark := func(i uint32) int {
		if i >= uint32(len(m)) || m[i] {
			return 0
		}
		m[i] = true
		return 1
	}
	want, got := 0, 0
	switch rng.IntN(6) {
	case 0:
		rows := min(GroupRows, uint32(len(m))+rng.Uint32N(1<<rng.IntN(18)))
		g = g.WithRows(rows)
		m = append(m, make(model, rows-uint32(len(m)))...)
	case 1, 2:
		start, n := rng.Uint32N(uint32(len(m))+10), rng.Uint32N(1<<rng.IntN(15))
		if rng.IntN(4) == 0 { // whole vectors
			start, n = start/VectorRows*VectorRows, n/VectorRows*VectorRows
		}
		for i := start; i < start+n; i++ {
			want += mark(i)
		}
		g, got = g.WithDeletedRange(start, n)
	default:
		rows := make([]uint32, rng.IntN(1<<rng.IntN(12)))
		spread := uint32(1) << rng.IntN(18)
		base := rng.Uint32N(uint32(len(m)) + 1)
		for i := range rows {
			rows[i] = base + rng.Uint32N(spread)
		}
		if rng.IntN(2) == 0 {
			slices.Sort(rows)
		}
		for _, i := range rows {
			want += mark(i)
		}
		g, got = g.WithDeleted(rows)
	}
	if got != want {
		t.Fatalf("%d rows newly deleted, want %d", got, want)
	}
	return m, g
}

// startRows are sizes around the edges of words, vectors and groups.
var startRows = []uint32{
	0, 1, 63, 64, 65, 2047, 2048, 2049, 4096, 100_000, GroupRows - 1, GroupRows,
}

func TestGroupAgainstModel(t *testing.T) {
	perSeed(t, 24, func(t *testing.T, rng *rand.Rand) {
		rows := startRows[rng.IntN(len(startRows))]
		m, g := make(model, rows), NewGroup(rows)
		type version struct {
			m model
			g *Group
		}
		var versions []version
		for range 12 {
			m.check(t, rng, g)
			versions = append(versions, version{m, g})
			m, g = randomEdit(t, rng, m, g)
		}
		// Later versions must have left the earlier ones alone.
		for _, v := range versions {
			v.m.check(t, rng, v.g)
		}
	})
}
