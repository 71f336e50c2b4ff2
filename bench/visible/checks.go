package main

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/visibility"
)

// sample is one combination and its measurements.
type sample struct {
	groups     int
	deleted    string
	goroutines int
	table      *visibility.Groups
	ids        []visibility.RowID
	ns, cpu    []int64
}

// patterns are the rows of a group that are deleted, by name.
var patterns = []struct {
	name string
	rows func(rng *rand.Rand) []uint32
}{
	{"none", func(*rand.Rand) []uint32 { return nil }},
	{"row-0", func(*rand.Rand) []uint32 { return []uint32{0} }},
	{"1%", func(rng *rand.Rand) []uint32 { return some(rng, 0.01) }},
	{"50%", func(rng *rand.Rand) []uint32 { return some(rng, 0.5) }},
}

// some returns each row of a group with a probability.
func some(rng *rand.Rand, probability float64) (rows []uint32) {
	for i := range uint32(visibility.GroupRows) {
		if rng.Float64() < probability {
			rows = append(rows, i)
		}
	}
	return rows
}

// cases returns all combinations, those of one table side by side.
func (c *config) cases() (out []sample) {
	for _, groups := range c.groups {
		for _, p := range patterns {
			rng := rand.New(rand.NewPCG(42, 0))
			t := new(visibility.Groups)
			for i := range groups {
				g, _ := visibility.NewGroup(visibility.GroupRows).WithDeleted(p.rows(rng))
				t = t.With(i, g)
			}
			ids := make([]visibility.RowID, 1<<16)
			for i := range ids {
				ids[i] = visibility.RowID(rng.Uint64N(t.Rows()))
			}
			for _, n := range c.goroutines {
				out = append(out, sample{groups: groups, deleted: p.name, goroutines: n, table: t, ids: ids})
			}
		}
	}
	return out
}

// checks makes n checks, shared out among the goroutines, and returns the wall time and the
// processor time.
func (s *sample) checks(n int) (ns, cpu int64, err error) {
	var seen atomic.Int64
	var workers sync.WaitGroup
	took, err := measure.Timed(func() error {
		for i := range s.goroutines {
			share := n*(i+1)/s.goroutines - n*i/s.goroutines
			workers.Go(func() { seen.Add(int64(check(s.table, s.ids, i*4096, share))) })
		}
		workers.Wait()
		if seen.Load() > int64(n) { // so the count is used
			return fmt.Errorf("%d rows of %d can be seen", seen.Load(), n)
		}
		return nil
	})
	return took.WallNS, took.CPUNS, err
}

// check asks for n ids from position at on, round and round, and returns how many can be seen.
func check(t *visibility.Groups, ids []visibility.RowID, at, n int) (seen int) {
	for n > 0 {
		at %= len(ids)
		part := ids[at:min(len(ids), at+n)]
		for _, id := range part {
			seen += one(t.Visible(id))
		}
		at += len(part)
		n -= len(part)
	}
	return seen
}

// one returns 1 for true, without a branch.
func one(b bool) int {
	n := 0
	if b {
		n = 1
	}
	return n
}
