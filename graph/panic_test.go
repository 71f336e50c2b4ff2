package graph

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/ingotdb/ingot/visibility"
)

// TestFilterPanics lets filters panic in every search, and holds that the panic arrives and
// that later searches, which may have the memory of earlier ones, find what they should.
func TestFilterPanics(t *testing.T) {
	for _, s := range []shape{mixed, broad} {
		eachScene(t, 8, s, func(c *scene, t *testing.T) {
			ctx := t.Context()
			all := c.m.allNodes()
			from, to, hops := all[0], all[len(all)/2], Hops{0, NoLimit}
			for k := 1; k < 8; k++ {
				calls := 0
				fail := func(int, []visibility.RowID, []uint64) error {
					if calls++; calls == k {
						panic(t)
					}
					return nil
				}
				opts := [2]Options{c.opt, c.opt}
				opts[0].Nodes, opts[1].Edges = fail, fail
				for i := range opts {
					opt := &opts[i]
					opt.MaxWorkers = 1 // so that each filter is called by this goroutine
					for _, search := range []func(){
						func() { failure(c.g.Neighbors(ctx, from, opt)) },
						func() { failure(c.g.Reachable(ctx, from, hops, opt)) },
						func() { failure(c.g.AllShortestPaths(ctx, from, to, hops, opt)) },
						func() { failure(c.g.PathsBetween(ctx, from, to, Hops{0, 3}, Acyclic, opt)) },
						func() { c.g.Degree(ctx, from, opt) },
						func() { c.g.ReachableCount(ctx, all[:min(len(all), 20)], hops, opt) },
						func() { c.g.Components(ctx, opt) },
					} {
						calls = 0
						func() {
							defer func() {
								if r := recover(); (r != nil) != (calls >= k) || r != nil && r != t {
									t.Errorf("%d calls of a filter that panics in call %d: %v", calls, k, r)
								}
							}()
							search()
						}()
					}
				}
				c.checkReachable(t)
				c.checkCounts(t)
				c.checkShortestPath(t)
				c.checkAllShortestPaths(t)
				c.checkComponents(t)
			}
		})
	}
}

// TestPanicWaits holds that a panic of the caller's worker leaves parallel when the others
// have ended, since they use memory that the caller gives back.
func TestPanicWaits(t *testing.T) {
	started, panicking := make(chan bool), make(chan bool)
	var ended atomic.Bool
	defer func() {
		if r := recover(); r != t || !ended.Load() {
			t.Errorf("panic with %v, others ended: %v", r, ended.Load())
		}
	}()
	err := parallel(t.Context(), 2, 2, func(worker, _ int) error {
		if worker == 0 {
			<-started
			close(panicking)
			panic(t)
		}
		close(started)
		<-panicking
		for range 100 {
			runtime.Gosched()
		}
		ended.Store(true)
		return nil
	})
	t.Errorf("no panic, but %v", err)
}
