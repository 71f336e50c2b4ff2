package columnar

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs/errfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

// faultPoint is one way to let one call of a script fail.
type faultPoint struct {
	script     int
	durability Durability
	rule       errfs.Rule
}

func (p *faultPoint) String() string {
	how := p.rule.Err.Error()
	if p.rule.Short {
		how = "short write, " + how
	}
	if p.rule.Sticky {
		how += ", and ever after"
	}
	return fmt.Sprintf("durability %d, call %d of %s on %q: %s", p.durability, p.rule.Nth, p.rule.Kind, p.rule.Name, how)
}

// faultPoints returns, for every call that a script makes, its failure with each error,
// once and for good, and for every write its failure half way; in random order.
func faultPoints(t *testing.T, all []script, seed uint64) []faultPoint {
	var out []faultPoint
	for i := range all {
		for _, d := range []Durability{Full, None} {
			counter := errfs.New(memfs.New())
			if done, err := all[i].runFaulty(counter, d); err != nil || done != len(all[i].steps) {
				t.Fatalf("%s: stopped after %d steps: %v", all[i].name, done, err)
			}
			for _, sticky := range []bool{false, true} {
				for n := range counter.Count(errfs.Any) {
					for _, e := range []error{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EINTR} {
						out = append(out, faultPoint{i, d, errfs.Rule{Nth: n + 1, Sticky: sticky, Err: e}})
					}
				}
				for n := range counter.Count(errfs.Write) {
					out = append(out, faultPoint{i, d, errfs.Rule{Kind: errfs.Write, Nth: n + 1, Sticky: sticky, Err: syscall.ENOSPC, Short: true}})
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// runFaulty runs the script and stops at the first step that fails.
func (sc *script) runFaulty(fsys *errfs.FS, d Durability) (done int, err error) {
	w := world{m: newModel(), opt: sc.opt}
	w.opt.FS, w.opt.Durability = fsys, d
	defer w.close()
	if err := w.open(); err != nil {
		return 0, err
	}
	for _, st := range sc.steps {
		if err := st.run(&w); err != nil {
			return done, fmt.Errorf("%s: %w", st.name, err)
		}
		done++
	}
	return done, nil
}

// TestFault lets every call of the file system fail, for every script, with each error,
// once and for good. Never a panic. A step that fails leaves no change that anybody sees;
// if the store is not poisoned the same step works once the fault is gone, and so does the
// rest of the script. A poisoned store refuses every write and answers every read; opened
// again it has every acknowledged commit, and one whose outcome was unknown wholly or not
// at all. Nothing stays mapped, and no file is left over.
func TestFault(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	deadline := time.Now().Add(budget(6 * time.Second))
	all := scripts()
	states := make([][]string, len(all))
	for i := range all {
		states[i] = all[i].states(t)
	}
	seed := rand.Uint64()
	trials, poisoned := 0, 0
	points := faultPoints(t, all, seed)
	for i := range points {
		if trials > 600 && time.Now().After(deadline) {
			break
		}
		p := &points[i]
		was, err := underFault(&all[p.script], states[p.script], p)
		if err != nil {
			t.Fatalf("script %s, %v (run %d):\n%v", all[p.script].name, p, seed, err)
		}
		trials++
		poisoned += b2i(was)
		noLeaks(t, fmt.Sprintf("script %s, %v", all[p.script].name, p))
	}
	t.Logf("%d of %d faults, %d of them poisoned the store", trials, len(points), poisoned)
	if trials < 600 || poisoned < 20 {
		t.Error("too few")
	}
}

// underFault runs the script under the rule and reports whether the store was poisoned.
func underFault(sc *script, states []string, p *faultPoint) (poisoned bool, err error) {
	inner := memfs.New()
	fsys := errfs.New(inner)
	fsys.Add(p.rule)
	w := world{m: newModel(), opt: sc.opt}
	w.opt.FS, w.opt.Durability = fsys, p.durability
	defer func() { w.close() }()
	if err := w.open(); err != nil {
		fsys.Clear()
		if err := w.open(); err != nil {
			return false, fmt.Errorf("open after a failed create: %w", err)
		}
	}
	newest := 0
	for i, st := range sc.steps {
		at, err := faultyStep(&w, fsys, st, states[i], states[i+1])
		if err != nil {
			return false, fmt.Errorf("step %s: %w", st.name, err)
		}
		newest = i + 1
		if at == stepPoisoned {
			poisoned = true
			break
		}
	}
	fsys.Clear()
	closed := w.close() // may still fail: of a poisoned store
	oldest := newest
	if poisoned {
		oldest = newest - 1
	}
	if p.durability == Full || closed == nil && !poisoned {
		inner = inner.Crash(uint64(p.rule.Nth), memfs.Strict) // everything acknowledged is durable
	}
	at, _, err := recovered(sc, states, inner, oldest, newest, func(fs *memfs.FS) *memfs.FS { return fs })
	if err != nil {
		return poisoned, fmt.Errorf("after the script: %w", err)
	}
	return poisoned, goesOn(sc, inner, states[at])
}

const (
	stepDone = iota
	stepPoisoned
)

// faultyStep runs a step that may meet the fault. After a clean failure it runs it again
// without. The store's digest is before until the step was acknowledged.
func faultyStep(w *world, fsys *errfs.FS, st step, before, after string) (int, error) {
	fired := fsys.Fired()
	err := st.run(w)
	if err == nil {
		got, err := digestStore(w.s)
		if err == nil && got != after {
			err = fmt.Errorf("acknowledged, but the store holds\n%s\nwant\n%s", got, after)
		}
		return stepDone, whileFaulty(w, fsys, err)
	}
	if fsys.Fired() == fired && !errors.Is(err, ErrPoisoned) {
		return 0, fmt.Errorf("failed without a fault: %w", err)
	}
	fsys.Clear()
	if w.s == nil { // it was to close and open again
		return stepDone, w.open()
	}
	if w.s.closed.Load() {
		w.s = nil
		return stepDone, w.open()
	}
	w.s.folds.Wait()
	if got, err := digestStore(w.s); err != nil || got != before {
		return 0, fmt.Errorf("failed, but the store holds\n%s\nwant\n%s\n%w", got, before, err)
	}
	if errors.Is(err, ErrCommitUnknown) || errors.Is(err, ErrPoisoned) {
		if !errors.Is(err, ErrPoisoned) {
			return 0, fmt.Errorf("outcome unknown, but the store is not poisoned: %w", err)
		}
		if again := w.commit(func(c *change) error { return c.create(narrow("never")) }); !errors.Is(again, ErrPoisoned) {
			return 0, fmt.Errorf("a write after poison returned %w", again)
		}
		return stepPoisoned, nil
	}
	switch err := st.run(w); {
	case errors.Is(err, ErrPoisoned): // by a checkpoint in the background
		return stepPoisoned, nil
	case err != nil:
		return 0, fmt.Errorf("again, without a fault: %w", err)
	}
	if got, err := digestStore(w.s); err != nil || got != after {
		return 0, fmt.Errorf("again, without a fault, the store holds\n%s\nwant\n%s\n%w", got, after, err)
	}
	return stepDone, nil
}

// whileFaulty lets errors pass that reading meets under a fault that stays.
func whileFaulty(w *world, fsys *errfs.FS, err error) error {
	if err == nil || errors.Is(err, ErrCorrupt) {
		return err
	}
	fsys.Clear()
	_, err = digestStore(w.s)
	return err
}

// TestFaultLogSync holds what a failed sync of the log means: the commit's outcome is
// unknown, every later write is refused, reads go on, and the next open has the commit.
func TestFaultLogSync(t *testing.T) {
	inner := memfs.New()
	fsys := errfs.New(inner)
	w := world{m: newModel(), opt: Options{FS: fsys}}
	if err := errors.Join(w.open(), do(func(c *change) error { return c.create(narrow("t")) })(&w)); err != nil {
		t.Fatal(err)
	}
	fsys.Add(errfs.Rule{Kind: errfs.Sync, Name: "log*", Err: syscall.EIO})
	err := w.commit(func(c *change) error { return c.load("t", 10, 64, true) })
	if !errors.Is(err, ErrCommitUnknown) || !errors.Is(err, ErrPoisoned) || !errors.Is(err, syscall.EIO) {
		t.Fatalf("commit: %v", err)
	}
	syncs := fsys.Count(errfs.Sync)
	for what, err := range map[string]error{
		"commit":     w.commit(func(c *change) error { return c.load("t", 10, 64, true) }),
		"checkpoint": w.s.Checkpoint(context.Background()),
		"vacuum":     w.s.Vacuum(context.Background()),
	} {
		if !errors.Is(err, ErrPoisoned) {
			t.Errorf("%s after a failed sync: %v", what, err)
		}
	}
	if n := fsys.Count(errfs.Sync); n != syncs {
		t.Errorf("%d syncs after the one that failed", n-syncs)
	}
	if err := matches(w.s, w.m); err != nil && !strings.Contains(err.Error(), "log") {
		t.Errorf("read: %v", err)
	}
	w.close()
	w.opt.FS = inner
	if err := w.open(); err != nil {
		t.Fatal(err)
	}
	defer w.close()
	want := w.m.clone()
	for i := range 10 {
		want.tables["t"].rows = append(want.tables["t"].rows, modelRow{at: want.tables["t"].nextRow, id: uint64(i)})
		want.tables["t"].nextRow++
	}
	if got, err := digestStore(w.s); err != nil || got != want.digest() {
		t.Errorf("after another open: %s, %v", got, err)
	}
}

// TestFaultDataSync holds that a failed sync of a data file that no record names yet fails
// its load and nothing else, and that its space comes back.
func TestFaultDataSync(t *testing.T) {
	for _, rule := range []errfs.Rule{
		{Kind: errfs.Sync, Name: "data-*", Err: syscall.EIO},
		{Kind: errfs.SyncDir, Err: syscall.EIO},
		{Kind: errfs.Truncate, Name: "data-*", Err: syscall.EIO},
		{Kind: errfs.Allocate, Name: "data-*", Err: syscall.ENOSPC},
		{Kind: errfs.Allocate, Name: "data-*", Err: syscall.EDQUOT},
		{Kind: errfs.Map, Name: "data-*", Err: syscall.ENOMEM},
		{Kind: errfs.Create, Name: "data-*", Err: syscall.ENOSPC},
	} {
		for _, planned := range []bool{true, false} {
			inner := memfs.New()
			fsys := errfs.New(inner)
			w := world{m: newModel(), opt: Options{FS: fsys, InlineBytes: 1}}
			if err := errors.Join(w.open(), do(func(c *change) error { return c.create(narrow("t")) })(&w)); err != nil {
				t.Fatal(err)
			}
			used := inner.Used()
			fsys.Add(rule)
			err := w.commit(func(c *change) error { return c.load("t", 500, 128, planned) })
			what := fmt.Sprintf("%s of %s, planned %v", rule.Kind, rule.Name, planned)
			if fsys.Fired() == 0 || !errors.Is(err, rule.Err) || errors.Is(err, ErrPoisoned) || errors.Is(err, ErrCommitUnknown) {
				t.Fatalf("%s: fired %d, %v", what, fsys.Fired(), err)
			}
			if full := rule.Err == syscall.ENOSPC || rule.Err == syscall.EDQUOT; full && pgerr.Code(err) != pgerr.DiskFull {
				t.Errorf("%s: SQLSTATE %s of %v", what, pgerr.Code(err), err)
			}
			if n := inner.Used(); n != used {
				t.Errorf("%s: %d bytes are taken, %d before", what, n, used)
			}
			if err := w.commit(func(c *change) error { return c.load("t", 500, 128, planned) }); err != nil {
				t.Errorf("%s: next load: %v", what, err)
			}
			if err := matches(w.s, w.m); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			if err := w.close(); err != nil {
				t.Errorf("%s: close: %v", what, err)
			}
			noLeaks(t, what)
		}
	}
}

// TestFaultSyncOnce holds that no failed sync of a data file is tried again: not that of a
// load, and not that of files which commits under durability none have left behind. The
// next sync would succeed without having written.
func TestFaultSyncOnce(t *testing.T) {
	for _, d := range []Durability{Full, None} {
		inner := memfs.New()
		fsys := errfs.New(inner)
		w := world{m: newModel(), opt: Options{FS: fsys, InlineBytes: 1, Durability: d}}
		if err := errors.Join(w.open(), do(func(c *change) error { return c.create(narrow("t")) })(&w)); err != nil {
			t.Fatal(err)
		}
		if d == None {
			if err := errors.Join(w.s.Checkpoint(context.Background()),
				w.commit(func(c *change) error { return c.load("t", 200, 128, true) })); err != nil {
				t.Fatal(err)
			}
		}
		fsys.Add(errfs.Rule{Kind: errfs.Sync, Name: "data-*", Err: syscall.EIO})
		if d == Full {
			snap, err := w.s.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			tab, err := snap.Table("t")
			if err != nil {
				t.Fatal(err)
			}
			l, err := loadRows(w.s, tab.Schema(), 0, 200, 128, true)
			if err != nil {
				t.Fatal(err)
			}
			snap.Release()
			for range 2 {
				if err := l.Sync(context.Background()); !errors.Is(err, syscall.EIO) {
					t.Errorf("sync of a load: %v", err)
				}
			}
			l.Abort()
		} else {
			for range 2 {
				if err := w.s.Checkpoint(context.Background()); !errors.Is(err, ErrPoisoned) || !errors.Is(err, syscall.EIO) {
					t.Errorf("checkpoint: %v", err)
				}
			}
			if err := matches(w.s, w.m); err != nil {
				t.Errorf("reading: %v", err)
			}
		}
		if n := fsys.Fired(); n != 1 {
			t.Errorf("%d syncs failed", n)
		}
		w.close()
		w.opt.FS = inner.Crash(1, memfs.Strict)
		if err := w.open(); err != nil {
			t.Fatalf("durability %d: after a crash: %v", d, err)
		}
		if err := w.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFaultFullDisk fills the disk to every amount of space left and holds that each load
// either fits or fails with 53100 and gives its space back, and that the store goes on.
func TestFaultFullDisk(t *testing.T) {
	fits, full := 0, 0
	for _, inline := range []int64{1, 2 << 10, 1 << 20} {
		for left := int64(0); left <= 256<<10; left += 12 << 10 {
			for _, planned := range []bool{true, false} {
				inner := memfs.New()
				w := world{m: newModel(), opt: Options{FS: inner, InlineBytes: inline, LogBytes: 24 << 10}}
				if err := errors.Join(w.open(), do(func(c *change) error { return c.create(narrow("t")) })(&w)); err != nil {
					t.Fatal(err)
				}
				used := inner.Used()
				inner.SetCapacity(used + left)
				what := fmt.Sprintf("inline %d, %d bytes left, planned %v", inline, left, planned)
				for range 3 {
					err := w.commit(func(c *change) error { return c.load("t", 400, 128, planned) })
					if err == nil {
						fits++
						continue
					}
					if full++; pgerr.Code(err) != pgerr.DiskFull {
						t.Fatalf("%s: %v", what, err)
					}
					if err := matches(w.s, w.m); err != nil {
						t.Fatalf("%s: %v", what, err)
					}
				}
				inner.SetCapacity(-1)
				if err := w.commit(func(c *change) error { return c.load("t", 400, 128, planned) }); err != nil {
					t.Fatalf("%s: with space again: %v", what, err)
				}
				if err := matches(w.s, w.m); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				w.s.folds.Wait() // a checkpoint in the background has a file that nothing names yet
				if left, err := strangers(w.s, inner); err != nil || slices.ContainsFunc(left, isData) {
					t.Fatalf("%s: files without an owner: %v, %v", what, left, err)
				}
				if err := w.close(); err != nil {
					t.Fatalf("%s: close: %v", what, err)
				}
			}
		}
	}
	t.Logf("%d loads fitted, %d did not", fits, full)
	if fits < 50 || full < 50 {
		t.Error("too few of one kind")
	}
}

func isData(name string) bool { return strings.HasPrefix(name, "data-") }
