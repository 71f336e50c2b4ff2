package columnar

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// gateFS is a file system whose syncs of some files stop at a gate until it is opened.
type gateFS struct {
	vfs.FS
	mu      sync.Mutex
	prefix  string        // of the files whose next Sync stops; "" is none
	reached chan struct{} // closed when it has stopped
	open    chan struct{} // closed to let it go on
}

func newGateFS() *gateFS { return &gateFS{FS: memfs.New()} }

// stop makes the next Sync of a file whose name begins with prefix stop.
func (g *gateFS) stop(prefix string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.prefix, g.reached, g.open = prefix, make(chan struct{}), make(chan struct{})
}

// wait returns when a Sync has stopped; that the work ends without one is a failure.
func (g *gateFS) wait(t *testing.T, done chan error) {
	t.Helper()
	select {
	case <-g.reached:
	case err := <-done:
		t.Fatalf("the work never came to the gate: %v", err)
	}
}

func (g *gateFS) pass(name string) {
	g.mu.Lock()
	if g.prefix == "" || !strings.HasPrefix(name, g.prefix) {
		g.mu.Unlock()
		return
	}
	g.prefix = ""
	open := g.open
	close(g.reached)
	g.mu.Unlock()
	<-open
}

func (g *gateFS) Create(name string) (vfs.File, error) {
	f, err := g.FS.Create(name)
	return &gateFile{File: f, g: g}, err
}

func (g *gateFS) Open(name string, writable bool) (vfs.File, error) {
	f, err := g.FS.Open(name, writable)
	return &gateFile{File: f, g: g}, err
}

type gateFile struct {
	vfs.File
	g *gateFS
}

func (f *gateFile) Sync() error {
	f.g.pass(f.Name())
	return f.File.Sync()
}

// gated returns a store over a gate, with rows 0 to 2999 of the test data in table t.
func gated(t *testing.T, inline int64) (*scene, *gateFS) {
	g := newGateFS()
	sc := &scene{T: t, opt: Options{FS: g, InlineBytes: inline, BusyTimeout: -1}}
	sc.s = mustOpen(t, sc.opt)
	sc.create(3000)
	return sc, g
}

func TestPromiseReadersNeverWait(t *testing.T) {
	deleteOne := func(sc *scene) error {
		return write(sc.s, func(tx *Txn) error { _, err := tx.Delete("t", []visibility.RowID{7}); return err })
	}
	for _, c := range []struct {
		name   string
		inline int64
		at     string
		work   func(*scene) error
		after  []uint64
	}{
		{"commit", 1 << 20, "log", deleteOne, []uint64{7}},
		{"load", 1, "data-", func(sc *scene) error { return addRows(sc.s, "t", 3000, 100, 64, true) }, nil},
		{"checkpoint writes", 1 << 20, "data-", func(sc *scene) error { return sc.s.Checkpoint(context.Background()) }, nil},
		{"checkpoint rotates", 1 << 20, "log", func(sc *scene) error { return sc.s.Checkpoint(context.Background()) }, nil},
		{"vacuum", 1 << 20, "data-", func(sc *scene) error { return sc.s.Vacuum(context.Background()) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			sc, g := gated(t, c.inline)
			old := sc.snapshot()
			g.stop(c.at)
			done := make(chan error)
			go func() { done <- c.work(sc) }()
			g.wait(t, done)
			// Whoever waits for the other here waits for good: the gate is opened below.
			for range 3 {
				snap := sc.snapshot()
				sc.shows(snap, 3000)
				sc.shows(old, 3000)
				for b, err := range mustTable(sc, snap, "t").Records(context.Background(), ScanOptions{}) {
					sc.ok(err)
					b.Release()
				}
				snap.Release()
			}
			close(g.open)
			sc.ok(<-done)
			sc.shows(old, 3000)
			if c.name != "load" {
				snap := sc.snapshot()
				sc.shows(snap, 3000, c.after...)
				snap.Release()
			}
			old.Release()
			sc.ok(sc.s.Close())
			noLeaks(t, c.name)
		})
	}
	// The other way: everything that writes, under a snapshot and in the middle of a scan.
	sc, _ := gated(t, 1<<10)
	snap := sc.snapshot()
	tab := mustTable(sc, snap, "t")
	rows := 0
	for b, err := range tab.Scan(context.Background(), ScanOptions{BatchRows: 500}) {
		sc.ok(err)
		rows += b.Rows
		sc.write(func(tx *Txn) error { _, err := tx.Delete("t", []visibility.RowID{b.First}); return err })
		sc.ok(sc.s.Checkpoint(context.Background()))
		sc.ok(sc.s.Vacuum(context.Background()))
	}
	if rows != 3000 {
		t.Errorf("a scan gave %d rows", rows)
	}
	snap.Release()
	sc.ok(sc.s.Close())
}

func TestPromiseCheckpointBeside(t *testing.T) {
	for name, fold := range map[string]func(*Store, context.Context) error{"checkpoint": (*Store).Checkpoint, "vacuum": (*Store).Vacuum} {
		t.Run(name, func(t *testing.T) {
			sc, g := gated(t, 1<<20)
			g.stop("data-")
			done := make(chan error)
			go func() { done <- fold(sc.s, context.Background()) }()
			g.wait(t, done)
			// BusyTimeout is negative: a commit that had to wait would be refused.
			sc.write(func(tx *Txn) error { sc.delete(tx, 0, 1, 2998); return nil })
			sc.write(func(tx *Txn) error { sc.add(tx, 3000, 5); return nil })
			sc.write(func(tx *Txn) error { sc.delete(tx, 3, 3001); return nil })
			close(g.open)
			sc.ok(<-done)
			for range 2 {
				snap := sc.snapshot()
				sc.shows(snap, 3005, 0, 1, 2998, 3, 3001)
				snap.Release()
				sc.reopen()
			}
			sc.ok(sc.s.Close())

			// Rows that were folded are gone when the fold is done, and others have their ids.
			sc, g = gated(t, 1<<20)
			g.stop("data-")
			go func() { done <- fold(sc.s, context.Background()) }()
			g.wait(t, done)
			sc.write(func(tx *Txn) error { return tx.TruncateTable("t") })
			rows := func(tx *Txn) error {
				l, err := fill(sc.s, mustTable(sc, tx, "t").Schema(), 7000, 1000, 600, false)
				if err != nil {
					return err
				}
				_, err = tx.Append(context.Background(), "t", l)
				return err
			}
			sc.write(rows)
			close(g.open)
			sc.ok(<-done)
			for range 2 {
				snap := sc.snapshot()
				ids, err := contents(mustTable(sc, snap, "t"))
				sc.ok(err)
				if len(ids) != 1000 || ids[0] != 7000 || ids[999] != 7999 {
					t.Errorf("%d rows behind a truncation, from %d", len(ids), ids[0])
				}
				snap.Release()
				sc.reopen()
			}
			sc.ok(sc.s.Close())
		})
	}
}

func TestPromiseOneWriter(t *testing.T) {
	sc := &scene{T: t, opt: Options{FS: memfs.New(), BusyTimeout: time.Hour}}
	sc.s = mustOpen(t, sc.opt)
	tx := sc.begin()

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := sc.s.BeginWrite(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a writer whose context had ended: %v", err)
	}
	next := make(chan error)
	go func() {
		tx, err := sc.s.BeginWrite(context.Background())
		if err == nil {
			_, err = tx.Table("t") // committed before this transaction began
			tx.Rollback()
		}
		next <- err
	}()
	sc.ok(tx.CreateTable(narrow("t")))
	_, err := tx.Commit(context.Background())
	sc.ok(err)
	sc.ok(<-next)
	sc.ok(sc.s.Close())

	sc.opt.BusyTimeout = time.Millisecond
	sc.s = mustOpen(t, sc.opt)
	tx = sc.begin()
	_, err = sc.s.BeginWrite(context.Background())
	var e *pgerr.Error
	if !errors.Is(err, ErrBusy) || !errors.As(err, &e) || e.SQLState != "55P03" || !strings.Contains(e.Detail, "a write transaction begun at") {
		t.Errorf("after the busy timeout: %v", err)
	}
	tx.Rollback()
	sc.begin().Rollback()
	sc.ok(sc.s.Close())
}

func TestPromiseLoadsOverlap(t *testing.T) {
	for _, inline := range []int64{1, 1 << 20} {
		sc := &scene{T: t, opt: Options{FS: memfs.New(), InlineBytes: inline, BusyTimeout: -1}}
		sc.s = mustOpen(t, sc.opt)
		sc.create(10)
		snap := sc.snapshot()
		schema := mustTable(sc, snap, "t").Schema()
		tx := sc.begin() // holds the write lock
		var loads []*Load
		for i := range uint64(3) {
			l, err := fill(sc.s, schema, 10+100*i, 100, 64, i%2 == 0)
			sc.ok(err)
			sc.ok(l.Sync(context.Background()))
			loads = append(loads, l)
		}
		sc.shows(tx, 10)
		tx.Rollback()
		snap.Release()
		for _, l := range loads {
			sc.write(func(tx *Txn) error { _, err := tx.Append(context.Background(), "t", l); return err })
		}
		snap = sc.snapshot()
		sc.shows(snap, 310)
		snap.Release()
		sc.ok(sc.s.Close())
	}
}

func TestPromiseClose(t *testing.T) {
	for _, inline := range []int64{1, 1 << 20} {
		g := newGateFS()
		sc := &scene{T: t, opt: Options{FS: g, InlineBytes: inline, BusyTimeout: time.Hour}}
		sc.s = mustOpen(t, sc.opt)
		sc.create(3000)
		snap, again := sc.snapshot(), sc.snapshot()
		tx := sc.begin()
		sc.add(tx, 3000, 10)
		l, err := fill(sc.s, mustTable(sc, snap, "t").Schema(), 0, 100, 64, true)
		sc.ok(err)
		waiting := make(chan error)
		go func() {
			_, err := sc.s.BeginWrite(context.Background())
			waiting <- err
		}()
		var leased *Leased
		if err := sc.s.Close(); !errors.As(err, &leased) || leased.Versions != 1 {
			t.Errorf("close: %v", err)
		}
		if err := <-waiting; !errors.Is(err, ErrClosed) {
			t.Errorf("a waiting writer: %v", err)
		}
		if _, err := sc.s.Snapshot(); !errors.Is(err, ErrClosed) {
			t.Errorf("a snapshot after Close: %v", err)
		}
		if _, err := tx.Commit(context.Background()); !errors.Is(err, ErrClosed) {
			t.Errorf("a commit after Close: %v", err)
		}
		l.Abort()
		// The directory is free for the next while old snapshots are read.
		next := mustOpen(t, sc.opt)
		sc.shows(snap, 3000)
		snap.Release()
		sc.shows(again, 3000)
		if inline == 1 {
			if n, _ := mmap.Live(); n == 0 {
				t.Error("a snapshot is out and no file is mapped")
			}
		}
		again.Release()
		sc.ok(next.Close())
		noLeaks(t, "after the last release")
	}
}

func TestPromiseSchema(t *testing.T) {
	scenes(t, func(sc *scene) {
		sc.create(100)
		sc.between()
		change := func(tx *Txn) {
			s := mustTable(sc, tx, "t").Schema().Clone()
			s.Columns = append(s.Columns[:2:2], extraColumn("extra", 0))
			sc.ok(tx.AlterTable(s))
			sc.ok(tx.CreateTable(narrow("other")))
			sc.ok(tx.DropTable("other"))
			sc.ok(tx.CreateTable(intTable("other")))
			if n := len(mustTable(sc, tx, "t").Schema().Columns); n != 3 {
				sc.Errorf("the transaction sees %d columns", n)
			}
		}
		old := sc.snapshot()
		tx := sc.begin()
		change(tx)
		tx.Rollback()
		sc.between()
		snap := sc.snapshot()
		sc.shows(snap, 100)
		snap.Release()
		sc.write(func(tx *Txn) error { change(tx); return nil })
		sc.between()
		snap = sc.snapshot()
		if n := len(mustTable(sc, snap, "t").Schema().Columns); n != 3 {
			sc.Errorf("%d columns after the commit", n)
		}
		if n := len(mustTable(sc, snap, "other").Schema().Columns); n != 1 {
			sc.Errorf("the new table has %d columns", n)
		}
		sc.shows(old, 100)
		old.Release()
		snap.Release()
	})
}

// readingPaths does what readers do, n times. Its name is what TestNoMutexInReaders looks
// for in profiles.
func readingPaths(ctx context.Context, s *Store, n int) error {
	for i := range n {
		snap, err := s.Snapshot()
		if err != nil {
			return err
		}
		tab, err := snap.Table("t")
		if err != nil {
			return err
		}
		rows := uint64(0)
		for g := range tab.Groups() {
			run := tab.VisibleRun(g)
			total := uint32(0)
			for r := range tab.Runs(g) {
				total += r.Length
			}
			if run.Length > total || total != tab.RowGroup(g).Live() {
				return fmt.Errorf("%d rows in the runs of group %d, of which one has %d", total, g, run.Length)
			}
			rows += uint64(total)
		}
		for id := visibility.RowID(i); id < tab.NextRow(); id += 97 {
			if tab.Visible(id) != tab.Visibility().Visible(id) {
				return fmt.Errorf("row %d", id)
			}
		}
		for b, err := range tab.Scan(ctx, ScanOptions{}) {
			if err != nil {
				return err
			}
			rows -= uint64(b.Rows)
		}
		if rows != 0 {
			return fmt.Errorf("a scan differs from the runs by %d rows", rows)
		}
		snap.Release()
	}
	return nil
}

// TestNoMutexInReaders runs readers beside commits, checkpoints and vacuums, and holds that
// the profiles of contended mutexes and of blocked goroutines have no sample from them.
func TestNoMutexInReaders(t *testing.T) {
	rounds := 150
	if soak() {
		rounds = 5000
	}
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	runtime.SetBlockProfileRate(1)
	defer runtime.SetBlockProfileRate(0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8)) // more contention than two processors give

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sc := &scene{T: t, opt: Options{InlineBytes: 4 << 10, Durability: None, BusyTimeout: time.Hour}}
	sc.s = mustOpen(t, sc.opt)
	sc.write(func(tx *Txn) error { return tx.CreateTable(narrow("t")) })
	for i := range 8 { // of which each is a data file, whose chunks readers touch first together
		l, err := loadRows(sc.s, shapeOfT(sc), uint64(i*1000), 1000, 250, true)
		sc.ok(err)
		sc.write(func(tx *Txn) error { _, err := tx.Append(ctx, "t", l); return err })
	}
	var readers sync.WaitGroup
	for range 6 {
		readers.Go(func() {
			if err := readingPaths(ctx, sc.s, rounds); err != nil {
				t.Error(err)
			}
		})
	}
	done := make(chan struct{})
	go func() { readers.Wait(); close(done) }()
	for k := 0; ; k++ {
		select {
		case <-done:
		default:
			l, err := loadRows(sc.s, shapeOfT(sc), uint64(10000+k), 5, 5, false)
			sc.ok(err)
			sc.write(func(tx *Txn) error {
				if _, err := tx.Append(ctx, "t", l); err != nil {
					return err
				}
				_, err := tx.Delete("t", []visibility.RowID{visibility.RowID(k % 8000)})
				return err
			})
			switch k % 20 {
			case 10:
				sc.ok(sc.s.Checkpoint(ctx))
			case 19:
				sc.ok(sc.s.Vacuum(ctx))
			}
			continue
		}
		break
	}
	sc.ok(sc.s.Close())
	noLeaks(t, "readers beside a writer")

	for name, profile := range map[string]func([]runtime.BlockProfileRecord) (int, bool){"mutex": runtime.MutexProfile, "block": runtime.BlockProfile} {
		records := make([]runtime.BlockProfileRecord, 1<<14)
		n, ok := profile(records)
		if !ok {
			t.Fatalf("%s profile has %d records", name, n)
		}
		for _, r := range records[:n] {
			stack := callers(r.Stack())
			leaf, _, _ := strings.Cut(strings.TrimSpace(stack), "\n")
			if strings.HasPrefix(leaf, "runtime.unlock") || strings.HasPrefix(leaf, "runtime._Lost") || strings.Contains(stack, "runtime.mallocgc") {
				continue // the runtime's own: what an allocation may have to wait for
			}
			if strings.Contains(stack, ".readingPaths") {
				t.Errorf("%s profile: %d events in a reader:\n%s", name, r.Count, stack)
			}
		}
	}
}

// shapeOfT returns the schema of t.
func shapeOfT(sc *scene) *Schema {
	sc.Helper()
	snap := sc.snapshot()
	defer snap.Release()
	return mustTable(sc, snap, "t").Schema()
}

// callers returns the names of the functions of a stack, the innermost first.
func callers(stack []uintptr) string {
	var b strings.Builder
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		b.WriteString(f.Function + "\n")
		if !more {
			return b.String()
		}
	}
}
