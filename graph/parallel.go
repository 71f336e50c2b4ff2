package graph

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/mmap"
)

// parallel calls do for every piece from 0 to pieces-1, from at most workers goroutines, of
// which the caller is one, and returns the first worker's error. Each goroutine takes the next
// piece when it is done with one; worker numbers them from 0. Each runs under a Guard of its
// own, and looks at ctx before each piece.
func parallel(ctx context.Context, workers, pieces int, do func(worker, piece int) error) error {
	workers = min(workers, pieces)
	if workers <= 1 {
		return mmap.Guard(func() error {
			for i := range pieces {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := do(0, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	var next atomic.Int64
	errs := make([]error, workers)
	work := func(w int) {
		errs[w] = mmap.Guard(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= pieces {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := do(w, i); err != nil {
					return err
				}
			}
		})
		if errs[w] != nil {
			next.Store(int64(pieces))
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	func() {
		defer wg.Wait() // where a filter panics, too: the others use the caller's memory
		defer next.Store(int64(pieces))
		work(0)
	}()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
