package columnar

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

// script is what a test does to a new store, and in which shape the store is.
type script struct {
	name  string
	opt   Options
	steps []step
}

// step commits at most once. settles says that everything is durable once it returned nil,
// also under durability none.
type step struct {
	name    string
	settles bool
	run     func(*world) error
}

func commits(name string, fn func(*change) error) step { return step{name: name, run: do(fn)} }

func checkpoints() step {
	return step{name: "checkpoint", settles: true, run: func(w *world) error { return w.s.Checkpoint(context.Background()) }}
}

func vacuums() step {
	return step{name: "vacuum", settles: true, run: func(w *world) error { return w.s.Vacuum(context.Background()) }}
}

func reopens() step {
	return step{name: "reopen", settles: true, run: func(w *world) error {
		if err := w.close(); err != nil {
			return err
		}
		return w.open()
	}}
}

func creates(s func(string) *Schema, name string) step {
	return commits("create "+name, func(c *change) error { return c.create(s(name)) })
}

func loads(name string, n, fragment int, planned bool) step {
	return commits(fmt.Sprintf("load %d rows into %s", n, name), func(c *change) error { return c.load(name, n, fragment, planned) })
}

func deletes(name string, pick func(int) bool) step {
	return commits("delete from "+name, func(c *change) error { return c.remove(name, pick) })
}

func every(n int) func(int) bool { return func(i int) bool { return i%n == 0 } }

// scripts cover every path that writes.
func scripts() []script {
	small := Options{InlineBytes: 64 << 10, LogBytes: 64 << 10}
	files := Options{InlineBytes: 1, LogBytes: 64 << 10}
	return []script{
		{"create", small, []step{creates(allTypes, "a"), creates(narrow, "b")}},
		{"inline", small, []step{creates(allTypes, "t"), loads("t", 20, 20, true), loads("t", 1, 64, true), loads("t", 33, 64, false)}},
		{"data file", files, []step{creates(allTypes, "t"), loads("t", 150, 64, true), loads("t", 70, 64, true)}},
		{"stream", Options{InlineBytes: 2 << 10, LogBytes: 64 << 10}, []step{creates(narrow, "t"),
			loads("t", 5, 64, false), loads("t", 300, 128, false), loads("t", 130, 64, false)}},
		{"delete", files, []step{creates(narrow, "t"), loads("t", 200, 64, true), deletes("t", every(3)),
			deletes("t", func(i int) bool { return i < 50 }), loads("t", 40, 64, true), deletes("t", every(1))}},
		{"transaction", Options{InlineBytes: 4 << 10, LogBytes: 64 << 10}, []step{creates(narrow, "t"), loads("t", 40, 64, true),
			commits("several", func(c *change) error {
				if err := errors.Join(c.create(narrow("u")), c.load("t", 20, 64, true), c.load("u", 250, 64, true), c.remove("t", every(2))); err != nil {
					return err
				}
				at, before := c.tx.Savepoint(), c.m.clone()
				if err := errors.Join(c.load("u", 200, 64, true), c.drop("t")); err != nil {
					return err
				}
				c.tx.RollbackTo(at)
				c.m = before
				return c.load("t", 3, 64, true)
			}),
			{name: "rollback", run: func(w *world) error {
				err := w.commit(func(c *change) error { return errors.Join(c.load("u", 250, 64, true), errNotCommitted) })
				if errors.Is(err, errNotCommitted) && !errors.Is(err, memfs.ErrCrashed) {
					return nil
				}
				return err
			}},
			loads("u", 2, 64, true)}},
		{"checkpoint", Options{InlineBytes: 200 << 10, LogBytes: 64 << 10}, []step{creates(bigRows, "t"), loads("t", 40, 64, true),
			loads("t", 45, 64, true), deletes("t", every(9)), checkpoints(), loads("t", 2, 64, true), checkpoints()}},
		{"full log", Options{InlineBytes: 64 << 10, LogBytes: 24 << 10}, []step{creates(narrow, "t"), loads("t", 10, 64, true), checkpoints(),
			loads("t", 60, 64, true), loads("t", 60, 64, true), loads("t", 90, 128, true), deletes("t", every(4)), loads("t", 60, 64, true)}},
		{"vacuum", files, []step{creates(narrow, "t"), loads("t", 150, 64, true), loads("t", 64, 64, true), deletes("t", every(2)), vacuums(),
			deletes("t", func(i int) bool { return i > 20 }), vacuums(), deletes("t", every(1)), vacuums()}},
		{"drop", files, []step{creates(narrow, "t"), creates(narrow, "u"), loads("t", 80, 64, true), loads("u", 80, 64, true),
			commits("truncate", func(c *change) error { return c.truncate("t") }), loads("t", 30, 64, true),
			commits("drop", func(c *change) error { return c.drop("u") }), creates(bigRows, "u"), loads("u", 3, 64, true),
			commits("all at once", func(c *change) error {
				return errors.Join(c.load("t", 90, 64, true), c.truncate("t"), c.load("t", 70, 64, true), c.drop("u"), c.create(narrow("u")))
			})}},
		{"alter", small, []step{creates(narrow, "t"), loads("t", 30, 64, true),
			commits("add", func(c *change) error {
				return c.alter("t", func(cols []Column) []Column { return append(cols, extraColumn("x", 2), extraColumn("y", 1)) })
			}), loads("t", 30, 64, true),
			commits("drop column", func(c *change) error {
				return c.alter("t", func(cols []Column) []Column { return slices.Delete(cols, 1, 3) })
			}), loads("t", 10, 64, true), checkpoints(), loads("t", 10, 64, true)}},
		{"edges", Options{InlineBytes: 2 << 10, LogBytes: 64 << 10}, []step{relatives(), loads("q", 3, 64, true), loads("q", 150, 64, true),
			loads("self", 2, 64, false), loads("self", 400, 128, false), deletes("q", every(5)), deletes("p", every(6)), checkpoints(),
			loads("q", 1, 64, true), loads("q", 130, 64, true), deletes("t", every(2)), vacuums(), deletes("q", every(1)), vacuums(), reopens(), loads("q", 140, 64, true)}},
		{"all edges at once", Options{InlineBytes: 1, LogBytes: 64 << 10}, []step{relatives(), loads("self", 70, 64, true),
			commits("several", func(c *change) error {
				return errors.Join(c.load("p", 5, 64, true), c.load("q", 70, 64, true), c.remove("p", every(3)), c.truncate("self"), c.load("self", 80, 64, true),
					c.truncate("p"), c.drop("t"), c.drop("q"), c.drop("t"))
			}), reopens(), deletes("p", every(2)),
			commits("truncate both", func(c *change) error {
				return errors.Join(c.truncate("self"), c.truncate("p"), c.load("p", 3, 64, true), c.load("self", 80, 64, true))
			}), reopens()}},
		{"reopen", Options{InlineBytes: 4 << 10, LogBytes: 64 << 10}, []step{creates(narrow, "t"), reopens(), loads("t", 20, 64, true),
			loads("t", 200, 64, true), reopens(), deletes("t", every(2)), reopens()}},
	}
}

// states returns the digests of the store before and after each step, from a run without
// a failure. Step i leads from states[i] to states[i+1].
func (sc *script) states(t *testing.T) []string {
	t.Helper()
	w := world{m: newModel(), opt: sc.opt}
	w.opt.FS = memfs.New()
	if err := w.open(); err != nil {
		t.Fatalf("%s: %v", sc.name, err)
	}
	out := []string{w.m.digest()}
	for _, st := range sc.steps {
		if err := st.run(&w); err != nil {
			t.Fatalf("%s: %s: %v", sc.name, st.name, err)
		}
		if err := matches(w.s, w.m); err != nil {
			t.Fatalf("%s: %s: %v", sc.name, st.name, err)
		}
		out = append(out, w.m.digest())
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// outcome is how far a run of a script came before the machine stopped.
type outcome struct {
	done    int // steps acknowledged
	settled int // steps known durable
}

// runUntil runs the script on fsys, which may stop at any time, and leaves nothing open.
func (sc *script) runUntil(fsys *memfs.FS, d Durability) outcome {
	w := world{m: newModel(), opt: sc.opt}
	w.opt.FS, w.opt.Durability = fsys, d
	defer w.close()
	var out outcome
	if w.open() != nil {
		return out
	}
	for _, st := range sc.steps {
		if st.run(&w) != nil {
			return out
		}
		if out.done++; st.settles || d == Full {
			out.settled = out.done
		}
	}
	return out
}

// TestCrash ends the world at every call of the file system that changes something, for
// every script, persistence mode and durability, recovers, and crashes again during or
// right behind the recovery. Then: under durability full every acknowledged commit is
// there; under none the store is at a state since the last that was made durable; no
// commit is there in part; Check finds nothing; no file is left over; what recovery
// showed stays; and one more commit works.
func TestCrash(t *testing.T) {
	if n := countCalls(t); n < 400 {
		t.Errorf("the scripts make only %d calls", n)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // images are large and short-lived
	deadline := time.Now().Add(budget(7 * time.Second))
	all := scripts()
	states := make([][]string, len(all))
	for i := range all {
		states[i] = all[i].states(t)
	}
	trials, points := 0, 0
	seed := rand.Uint64()
	for _, c := range crashPoints(t, all, seed) {
		if points > 300 && time.Now().After(deadline) {
			break
		}
		sc := &all[c.script]
		fsys := memfs.New()
		fsys.StopAfter(c.calls)
		out := sc.runUntil(fsys, c.durability)
		points++
		for _, mode := range memfs.Modes() {
			if !soak() && mode != memfs.Mode(c.seed%uint64(len(memfs.Modes()))) && mode != memfs.Strict && mode != memfs.Torn {
				continue
			}
			if err := afterCrash(sc, states[c.script], fsys, out, mode, c); err != nil {
				t.Fatalf("script %s, durability %d, crash at call %d (%s), mode %s, seed %d (run %d):\n%v", sc.name, c.durability,
					c.calls, lastCall(fsys), mode, c.seed, seed, err)
			}
			trials++
		}
		noLeaks(t, sc.name)
	}
	t.Logf("%d crash points, %d trials", points, trials)
	if trials < 700 {
		t.Errorf("only %d trials", trials)
	}
}

func countCalls(t *testing.T) (n int) {
	for _, sc := range scripts() {
		n += sc.calls(t, Full)
	}
	return n
}

// calls returns how many calls the script makes that can be the last.
func (sc *script) calls(t *testing.T, d Durability) int {
	t.Helper()
	fsys := memfs.New()
	if out := sc.runUntil(fsys, d); out.done != len(sc.steps) {
		t.Fatalf("%s stopped after %d steps", sc.name, out.done)
	}
	return fsys.Calls()
}

// crashPoint is one place for one script to crash at.
type crashPoint struct {
	script, calls int
	durability    Durability
	seed          uint64
}

// crashPoints returns every one, in random order, so that whatever time allows is spread.
func crashPoints(t *testing.T, all []script, seed uint64) []crashPoint {
	rng := rand.New(rand.NewPCG(seed, 3))
	var out []crashPoint
	repeats := 1
	if soak() {
		repeats = 5
	}
	for i := range all {
		for _, d := range []Durability{Full, None} {
			for n := range all[i].calls(t, d) + 1 {
				for range repeats {
					out = append(out, crashPoint{i, n, d, rng.Uint64()})
				}
			}
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func lastCall(fsys *memfs.FS) string {
	if calls := fsys.Log(); len(calls) > 0 {
		return calls[len(calls)-1]
	}
	return "none"
}

// afterCrash draws what the machine finds and holds what TestCrash says.
func afterCrash(sc *script, states []string, fsys *memfs.FS, out outcome, mode memfs.Mode, c crashPoint) error {
	rng := rand.New(rand.NewPCG(c.seed, uint64(mode)))
	oldest, newest := out.done, min(out.done+1, len(states)-1)
	if c.durability == None && mode != memfs.Kill {
		oldest = out.settled
	}
	img := fsys.Crash(rng.Uint64(), mode)
	if kind := rng.IntN(3); kind > 0 { // a crash in the middle of the recovery, or of a reader
		opt := sc.opt
		if opt.FS = img; kind == 1 {
			img.StopAfter(rng.IntN(20))
		} else {
			opt.ReadOnly = true
		}
		next := memfs.Modes()[rng.IntN(len(memfs.Modes()))]
		at, err := glance(states, opt, oldest, newest)
		switch {
		case err != nil:
			return fmt.Errorf("first look (read-only %v): %w", opt.ReadOnly, err)
		case at >= 0:
			oldest, newest = at, at // whoever looked has seen it
		case c.durability == None && next != memfs.Kill:
			oldest = out.settled
		}
		img = img.Crash(rng.Uint64(), next)
	}
	again := memfs.Modes()[rng.IntN(len(memfs.Modes()))]
	at, img, err := recovered(sc, states, img, oldest, newest, func(fs *memfs.FS) *memfs.FS { return fs.Crash(rng.Uint64(), again) })
	if err != nil {
		return fmt.Errorf("first recovery: %w", err)
	}
	// What was shown stays, whatever a crash right behind it loses.
	if now, _, err := recovered(sc, states, img, at, at, nil); err != nil {
		return fmt.Errorf("second recovery (%s), after state %d was seen (now %d): %w", again, at, now, err)
	}
	return nil
}

// glance opens a store, if that works, and returns which of the states from oldest to
// newest it shows; -1 if it does not open.
func glance(states []string, opt Options, oldest, newest int) (int, error) {
	s, err := Open(context.Background(), "", opt)
	if err != nil {
		if opt.ReadOnly && newest > 1 && !errors.Is(err, memfs.ErrCrashed) {
			return -1, err // with two steps done, there is a store
		}
		return -1, nil
	}
	defer s.Close()
	got, err := digestStore(s)
	if err != nil {
		return -1, err
	}
	at := slices.Index(states[oldest:newest+1], got)
	if at < 0 {
		return -1, fmt.Errorf("the store shows\n%s\nwhich is none of states %d to %d", got, oldest, newest)
	}
	return oldest + at, nil
}

// recovered opens a store after a crash and returns at which state it is: one from oldest
// to newest. It then shows that the store works; or, if crash is set, returns what that
// makes of the open store.
func recovered(sc *script, states []string, img *memfs.FS, oldest, newest int, crash func(*memfs.FS) *memfs.FS) (int, *memfs.FS, error) {
	w := world{m: newModel(), opt: sc.opt}
	w.opt.FS = img
	if err := w.open(); err != nil {
		return 0, nil, err
	}
	defer w.close()
	got, err := digestStore(w.s)
	if err != nil {
		return 0, nil, err
	}
	at := oldest + slices.Index(states[oldest:newest+1], got)
	if at < oldest {
		return 0, nil, fmt.Errorf("the store holds\n%s\nwhich is none of states %d to %d (it is state %d); they are\n%s", got, oldest, newest,
			slices.Index(states, got), strings.Join(states[oldest:newest+1], "\nor\n"))
	}
	if _, err := w.s.Check(context.Background(), nil); err != nil {
		return at, nil, fmt.Errorf("check: %w", err)
	}
	if left, err := strangers(w.s, img); err != nil || len(left) > 0 {
		return at, nil, fmt.Errorf("files without an owner: %v, %v", left, err)
	}
	if crash != nil {
		return at, crash(img), w.close()
	}
	if err := w.close(); err != nil {
		return at, nil, err
	}
	return at, nil, goesOn(sc, img, got)
}

// goesOn holds that a store works that is at a known state: it takes another commit and
// still has it, with all before, after a crash that loses everything not synced.
func goesOn(sc *script, fsys *memfs.FS, was string) error {
	w := world{m: newModel(), opt: sc.opt}
	w.opt.FS = fsys
	w.m.nextID = 1 << 40
	if err := w.open(); err != nil {
		return fmt.Errorf("another open: %w", err)
	}
	defer w.close()
	if err := w.commit(func(c *change) error {
		return errors.Join(c.create(narrow("zz")), c.load("zz", 3, 64, true), c.load("zz", 100, 64, false))
	}); err != nil {
		return fmt.Errorf("another commit: %w", err)
	}
	want := strings.TrimPrefix(was+"\n"+w.m.digest(), "\n")
	w.s.cancel()
	w.s.folds.Wait()
	after := fsys.Crash(1, memfs.Strict)
	if err := w.close(); err != nil {
		return fmt.Errorf("another close: %w", err)
	}
	for _, f := range []*memfs.FS{fsys, after} {
		w.opt.FS = f
		if err := w.open(); err != nil {
			return fmt.Errorf("open after another commit: %w", err)
		}
		if got, err := digestStore(w.s); err != nil || got != want {
			return fmt.Errorf("after another commit the store holds\n%s\nwant\n%s\n%w", got, want, err)
		}
		if err := w.close(); err != nil {
			return err
		}
	}
	return nil
}
