package columnar

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

// TestModel does random things to a store and to a map, under random options, and holds
// that both answer the same: now, from snapshots taken earlier, after a reopen and after a
// crash that keeps everything (kill) or only what was synced.
func TestModel(t *testing.T) {
	deadline := time.Now().Add(budget(6 * time.Second))
	runs, ops, least := 0, 0, 8
	limit := 1_000_000
	if soak() {
		limit = 400
	}
	for ; runs < limit && (runs < least || time.Now().Before(deadline)); runs++ {
		seed := rand.Uint64()
		if runs < least {
			seed = uint64(runs) // the same few in every run
		}
		n, err := runModel(seed, 60)
		if err != nil {
			t.Fatalf("seed %d (repeat: go test -run TestModelSeed ./columnar with INGOT_SEED=%d): %v", seed, seed, err)
		}
		ops += n
		noLeaks(t, fmt.Sprintf("seed %d", seed))
	}
	t.Logf("%d runs, %d operations", runs, ops)
}

// TestModelSeed repeats one run of TestModel, that of INGOT_SEED or of seed 1.
func TestModelSeed(t *testing.T) {
	seed := uint64(1)
	if v := os.Getenv("INGOT_SEED"); v != "" {
		if _, err := fmt.Sscan(v, &seed); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := runModel(seed, 60); err != nil {
		t.Fatal(err)
	}
	noLeaks(t, fmt.Sprint(seed))
}

// player makes the random moves of one run.
type player struct {
	world
	rng   *rand.Rand
	fs    *memfs.FS
	kept  []keptSnapshot
	trace []string
	// settled is the oldest state that a strict crash may go back to, and history
	// all states since.
	history []*model
}

// keptSnapshot is a snapshot and the digest it must have for its life.
type keptSnapshot struct {
	snap *Snapshot
	want string
}

func runModel(seed uint64, ops int) (done int, err error) {
	p := &player{rng: rand.New(rand.NewPCG(seed, 77)), fs: memfs.New()}
	p.m = newModel()
	p.drawOptions()
	defer func() {
		for _, k := range p.kept {
			k.snap.Release()
		}
		var leased *Leased
		if closeErr := p.close(); err == nil && closeErr != nil && !errors.As(closeErr, &leased) {
			err = closeErr
		}
		if err != nil {
			err = fmt.Errorf("%w\nafter %s", err, strings.Join(p.trace, "; "))
		}
	}()
	if err := p.open(); err != nil {
		return 0, err
	}
	p.history = []*model{p.m}
	for done = range ops {
		name, move := p.draw()
		p.trace = append(p.trace, name)
		if err := move(); err != nil {
			return done, fmt.Errorf("operation %d, %s: %w", done, name, err)
		}
		if p.m != p.history[len(p.history)-1] {
			p.history = append(p.history, p.m)
		}
		if p.opt.Durability == Full {
			p.history = p.history[len(p.history)-1:]
		}
		if p.rng.IntN(4) == 0 {
			if err := matches(p.s, p.m); err != nil {
				return done, fmt.Errorf("operation %d, after %s: %w", done, name, err)
			}
		}
	}
	return ops, matches(p.s, p.m)
}

func (p *player) drawOptions() {
	p.opt = Options{FS: p.fs, InlineBytes: []int64{1, 4 << 10, 64 << 10, 1 << 20}[p.rng.IntN(4)],
		LogBytes: []int64{1, 32 << 10, 256 << 10}[p.rng.IntN(3)], Durability: Durability(p.rng.IntN(2))}
}

// table returns the name of a table that there is, "" if there is none.
func (p *player) table() string {
	names := slices.Sorted(maps.Keys(p.m.tables))
	if len(names) == 0 {
		return ""
	}
	return names[p.rng.IntN(len(names))]
}

// draw returns the next operation.
func (p *player) draw() (string, func() error) {
	r := p.rng
	name := p.table()
	if name == "" || (len(p.m.tables) < 4 && r.IntN(8) == 0) {
		return p.drawCreate()
	}
	n, frag, planned := 1+r.IntN(1<<r.IntN(11)), 64*(1+r.IntN(8)), r.IntN(2) == 0
	load := func(c *change) error { return c.load(name, n, frag, planned) }
	share, from := r.IntN(5), r.IntN(1000)
	remove := func(c *change) error {
		return c.remove(name, func(i int) bool {
			return share == 0 || (share == 1 && i >= from && i < from+300) || (share > 1 && i%share == 0 && i%7 != from%7)
		})
	}
	commit := func(fn func(*change) error) func() error { return func() error { return p.commit(fn) } }
	switch r.IntN(17) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("load %d rows in %d into %s, planned %v", n, frag, name, planned), commit(load)
	case 4, 5:
		return fmt.Sprintf("delete of %s, share %d from %d", name, share, from), commit(remove)
	case 6:
		return "transaction of several on " + name, commit(func(c *change) error {
			return errors.Join(load(c), remove(c), load(c))
		})
	case 7:
		return "savepoint on " + name, commit(func(c *change) error { return p.savepoint(c, name, load, remove) })
	case 8:
		return "rollback on " + name, func() error { return p.rollback(load, remove) }
	case 9:
		return "snapshot", p.keep
	case 10:
		return "look at snapshots", p.look
	case 11:
		return "checkpoint", func() error { return p.settle(p.s.Checkpoint(context.Background())) }
	case 12:
		return "vacuum", func() error { return p.settle(p.s.Vacuum(context.Background())) }
	case 13:
		return p.drawAlter(name)
	case 14:
		if r.IntN(2) == 0 {
			return "truncate " + name, commit(func(c *change) error { return c.truncate(name) })
		}
		return "drop " + name, commit(func(c *change) error { return c.drop(name) })
	case 15:
		return "reopen", p.reopen
	}
	mode := []memfs.Mode{memfs.Kill, memfs.Strict, memfs.Mixed}[r.IntN(3)]
	return "crash " + mode.String(), func() error { return p.crash(mode) }
}

func (p *player) drawCreate() (string, func() error) {
	name := fmt.Sprintf("t%d", p.rng.IntN(5))
	if p.m.tables[name] != nil {
		return "nothing", func() error { return nil }
	}
	if p.rng.IntN(2) == 0 {
		nodes := slices.DeleteFunc(slices.Sorted(maps.Keys(p.m.tables)), func(n string) bool { return p.m.tables[n].cols[0].Name != "key" })
		if len(nodes) > 0 {
			from, to := nodes[p.rng.IntN(len(nodes))], nodes[p.rng.IntN(len(nodes))]
			props := []Column{{Name: "w", Type: Type{Kind: Text}}}
			if p.rng.IntN(2) == 0 {
				props = allTypes("").Columns
			}
			return fmt.Sprintf("relate %s to %s as %s", from, to, name), func() error {
				return p.commit(func(c *change) error { return c.relate(name, from, to, props...) })
			}
		}
	}
	shape := []func(string) *Schema{allTypes, narrow, bigRows, keyed, keyed, keyed}[p.rng.IntN(6)]
	return "create " + name, func() error {
		return p.commit(func(c *change) error { return c.create(shape(name)) })
	}
}

func (p *player) drawAlter(name string) (string, func() error) {
	t := p.m.tables[name]
	keep := 0 // columns that cannot go
	if t.rel[0] != "" {
		keep = 2
	} else if t.cols[0].Name == "key" {
		keep = 1
	}
	extra := extraColumn(fmt.Sprintf("x%d", p.rng.Uint32()), p.rng.IntN(10))
	add := p.rng.IntN(2) == 0 || len(t.cols) < keep+3
	victim := keep
	if !add {
		victim += p.rng.IntN(len(t.cols) - keep)
	}
	return fmt.Sprintf("alter %s, add %v", name, add), func() error {
		return p.commit(func(c *change) error {
			return c.alter(name, func(cols []Column) []Column {
				if add {
					return append(cols, extra)
				}
				return slices.Delete(cols, victim, victim+1)
			})
		})
	}
}

// savepoint does both changes and takes the second back.
func (p *player) savepoint(c *change, name string, first, second func(*change) error) error {
	if err := first(c); err != nil {
		return err
	}
	at, before := c.tx.Savepoint(), c.m.clone()
	if err := errors.Join(second(c), first(c), c.truncate(name), first(c)); err != nil {
		return err
	}
	c.tx.RollbackTo(at)
	c.m = before
	return second(c)
}

var errNotCommitted = errors.New("rolled back on purpose")

func (p *player) rollback(steps ...func(*change) error) error {
	err := p.commit(func(c *change) error {
		for _, step := range steps {
			if err := step(c); err != nil {
				return err
			}
		}
		return errNotCommitted
	})
	if errors.Is(err, errNotCommitted) {
		return nil
	}
	return err
}

func (p *player) keep() error {
	snap, err := p.s.Snapshot()
	if err != nil {
		return err
	}
	p.kept = append(p.kept, keptSnapshot{snap, p.m.digest()})
	if len(p.kept) > 4 {
		p.kept[0].snap.Release()
		p.kept = p.kept[1:]
	}
	return nil
}

func (p *player) look() error {
	for i, k := range p.kept {
		got, err := digestOf(k.snap)
		if err != nil {
			return err
		}
		if got != k.want {
			return fmt.Errorf("snapshot %d shows\n%s\nwant\n%s", i, got, k.want)
		}
	}
	return nil
}

// settle notes that everything so far is durable.
func (p *player) settle(err error) error {
	if err == nil {
		p.history = p.history[:0:0]
		p.history = append(p.history, p.m)
	}
	return err
}

// reopen closes the store, under open snapshots too, and opens it under other options.
func (p *player) reopen() error {
	var leased *Leased
	if err := p.close(); err != nil && !errors.As(err, &leased) {
		return err
	}
	if err := p.settle(p.look()); err != nil {
		return err
	}
	p.drawOptions()
	if err := p.open(); err != nil {
		return err
	}
	return p.clean()
}

// clean holds that no file is left that nothing needs.
func (p *player) clean() error {
	if len(p.kept) > 0 {
		return nil
	}
	left, err := strangers(p.s, p.fs)
	if len(left) > 0 {
		return fmt.Errorf("files without an owner: %v", left)
	}
	return err
}

// crash ends the store's world and opens what is left. Full: nothing is lost. None: the
// store is at one of the states since it was last made durable, or at the last one if
// only the process died.
func (p *player) crash(mode memfs.Mode) error {
	p.s.cancel() // a checkpoint in the background would be at work while the crash is drawn
	p.s.folds.Wait()
	p.fs.StopAfter(0)
	_ = p.close() // fails where it had something to write
	for _, k := range p.kept {
		k.snap.Release()
	}
	p.kept = nil
	p.fs = p.fs.Crash(p.rng.Uint64(), mode)
	p.drawOptions()
	if err := p.open(); err != nil {
		return err
	}
	if err := p.clean(); err != nil {
		return err
	}
	got, err := digestStore(p.s)
	if err != nil {
		return err
	}
	if mode == memfs.Kill {
		p.history = p.history[len(p.history)-1:]
	}
	for _, m := range slices.Backward(p.history) {
		if m.digest() == got {
			p.m = m.clone()
			p.m.nextID = p.history[len(p.history)-1].nextID
			p.history = []*model{p.m}
			return nil
		}
	}
	return fmt.Errorf("after a %s crash the store holds\n%s\nwhich is none of %d states since it was durable; the last is\n%s",
		mode, got, len(p.history), p.history[len(p.history)-1].digest())
}
