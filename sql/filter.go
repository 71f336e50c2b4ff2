package sql

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
	"github.com/ingotdb/ingot/visibility"
)

// filter reads the rows of a table that a WHERE leaves. It is for one goroutine.
type filter struct {
	run   *run
	table *columnar.Table
	where expr.Node // nil: every row
	opt   columnar.ScanOptions

	batch expr.Batch
	mask  [expr.MaxRows / 64]uint64
	rows  []int32
}

// bind prepares the filter. Columns that other expressions of scope use are read too, so
// those are bound before.
func (f *filter) bind(scope *expr.Scope, where ast.Expr) error {
	if where != nil {
		n, err := scope.Boolean(where)
		if err != nil {
			return err
		}
		f.where = n
	}
	f.opt.Columns = append([]int{}, scope.Refs...)
	for _, b := range expr.Bounds(f.where) {
		f.opt.Prune = append(f.opt.Prune, columnar.Bound{Column: scope.Refs[b.Column], Op: b.Op, Value: b.Value})
	}
	return nil
}

// matching returns the bitmap of the visible rows of b that WHERE leaves and their number;
// nil if these are all of b's rows.
func (f *filter) matching(b *columnar.Batch) (mask []uint64, n int, err error) {
	f.batch.SetColumns(b.Rows, b.Cols)
	if f.where == nil {
		return b.Visible, b.Live(), nil
	}
	v, err := f.where.Eval(&f.batch, b.Visible)
	if err != nil {
		return nil, 0, err
	}
	mask = v.True(f.mask[:], b.Rows)
	if b.Visible != nil {
		and(mask, b.Visible)
	}
	if n = expr.Count(mask); n == b.Rows {
		return nil, n, nil
	}
	return mask, n, nil
}

// each calls fn with every batch that has rows left: which ones, nil for all.
func (f *filter) each(fn func(b *columnar.Batch, rows []int32) error) error {
	return f.scan(f.opt, f.listed(fn))
}

// group is each for row group g.
func (f *filter) group(g int, fn func(b *columnar.Batch, rows []int32) error) error {
	return f.masks(g, f.listed(fn))
}

// listed makes fn, which takes a list of rows, one that takes a bitmap.
func (f *filter) listed(fn func(b *columnar.Batch, rows []int32) error) func(*columnar.Batch, []uint64, int) error {
	return func(b *columnar.Batch, mask []uint64, _ int) error {
		if mask == nil {
			return fn(b, nil)
		}
		f.rows = expr.AppendRows(f.rows[:0], mask, b.Rows)
		return fn(b, f.rows)
	}
}

// masks calls fn with every batch of row group g that has rows left: their bitmap, nil
// for all, and number.
func (f *filter) masks(g int, fn func(b *columnar.Batch, mask []uint64, n int) error) error {
	opt := f.opt
	opt.FirstGroup, opt.GroupCount = g, 1
	return f.scan(opt, fn)
}

func (f *filter) scan(opt columnar.ScanOptions, fn func(b *columnar.Batch, mask []uint64, n int) error) error {
	for b, err := range f.table.ScanMasked(f.run.ctx, opt) {
		if err != nil {
			return err
		}
		mask, n, err := f.matching(b)
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		if err := fn(b, mask, n); err != nil {
			return err
		}
	}
	return nil
}

// workers returns how many goroutines a scan of t is worth: none beside the caller's
// below two row groups.
func (r *run) workers(t *columnar.Table) int {
	most := r.opt.MaxWorkers
	if most <= 0 {
		most = runtime.GOMAXPROCS(0)
	}
	return max(1, min(most, t.Groups(), int(t.Rows()/visibility.GroupRows)+1))
}

// ahead is how many row groups a worker may be in front of the one that is merged next.
const ahead = 2

// inOrder calls work for 0 to n-1 on several workers and merge with what work gave, in
// order, in the calling goroutine. start makes what belongs to one worker. After an
// error, the one of the smallest number, nothing more is begun.
func inOrder[W, T any](ctx context.Context, n, workers int, start func() (W, error),
	work func(w W, i int) (T, error), merge func(T) error) error {
	if workers <= 1 {
		w, err := start()
		if err != nil {
			return err
		}
		for i := range n {
			v, err := work(w, i)
			if err == nil {
				err = merge(v)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	type outcome struct {
		value T
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	slots := make([]chan outcome, n)
	for i := range slots {
		slots[i] = make(chan outcome, 1)
	}
	tokens := make(chan struct{}, workers*ahead)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			w, failed := start()
			for {
				select {
				case tokens <- struct{}{}:
				case <-ctx.Done():
					return
				}
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				var o outcome
				if o.err = failed; o.err == nil {
					o.err = mmap.Guard(func() (err error) {
						o.value, err = work(w, i)
						return err
					})
				}
				slots[i] <- o
			}
		})
	}
	defer wg.Wait()
	defer cancel()
	for i := range n {
		var o outcome
		select {
		case o = <-slots[i]:
		case <-ctx.Done():
			return ctx.Err()
		}
		<-tokens
		if o.err != nil {
			return o.err
		}
		if err := merge(o.value); err != nil {
			return err
		}
	}
	return nil
}
