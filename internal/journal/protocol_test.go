package journal

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/internal/vfs/errfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

// soak is set for runs with full counts on a machine of their own.
var soak = os.Getenv("INGOT_SOAK") == "1"

// mutant is a way to run the protocol with one of its syncs silently left out.
type mutant struct {
	name string
	// always is in force all the time, recovery only during Open, rotation only during
	// the Rotate calls of the script.
	always, recovery, rotation []errfs.Rule
	// first, second and after narrow the search to the modes of the two crashes and to
	// crashes, of the script and of its recovery, right behind a call of that name.
	// Empty: all.
	first, second []memfs.Mode
	after         string
	seeds         int // at least so many per crash
}

func (m *mutant) wrap(inner vfs.FS) *errfs.FS {
	f := errfs.New(inner)
	arm(f, m.always)
	return f
}

func arm(f *errfs.FS, rules []errfs.Rule) {
	for _, r := range rules {
		r.Sticky = r.Nth == 0
		f.Add(r)
	}
}

// rotate makes the rules for rotation hold during fn.
func (m *mutant) rotate(f *errfs.FS, fn func() error) error {
	arm(f, m.rotation)
	err := fn()
	f.Clear()
	arm(f, m.always)
	return err
}

// recover opens a store after a crash and completes the recovery. It calls shown when Open
// has returned, which is when readers see the store.
func (m *mutant) recover(disk vfs.FS, shown func(*ledger)) (*ledger, error) {
	f := m.wrap(disk)
	arm(f, m.recovery)
	return openLedgerThen(f, func(l *ledger) {
		f.Clear()
		arm(f, m.always)
		shown(l)
	})
}

// run performs a script.
func (m *mutant) run(h *history, disk vfs.FS, script []step) error {
	f := m.wrap(disk)
	if m.rotation != nil {
		h.rotate = func(fn func() error) error { return m.rotate(f, fn) }
	}
	return h.run(f, script)
}

// trial is one crash and what follows, for messages and for repeating it.
type trial struct {
	script uint64
	stop   int // number of calls before the crash
	mode   memfs.Mode
	seed   uint64
}

func (t trial) String() string {
	return fmt.Sprintf("script %d, crash after call %d, mode %s, seed %d", t.script, t.stop, t.mode, t.seed)
}

// explore crashes a script at its calls and recovers, in each mode, until it is through, or
// until the budget is spent and there were at least so many trials as floor says. It calls
// bad for each violation and returns the number of trials.
func explore(m *mutant, scriptSeed uint64, seeds int, budget time.Duration, floor int, bad func(trial, error) bool) int {
	script := drawScript(scriptSeed, 30)
	deadline := time.Now().Add(budget)
	whole := memfs.New()
	var h history
	if err := m.run(&h, whole, script); err != nil {
		bad(trial{script: scriptSeed, stop: -1}, err)
		return 1
	}
	// The calls are visited in a scattered order, so that a short budget sees all parts.
	calls, trials := whole.Calls()+1, 0
	log := whole.Log()
	for i := range calls {
		stop := i * 7919 % calls
		if m.after != "" && (stop == 0 || log[stop-1] != m.after) {
			continue
		}
		disk := memfs.New()
		disk.StopAfter(stop)
		var h history
		// The last calls of a script may be ones whose failure it ignores.
		if err := m.run(&h, disk, script); disk.Calls() != stop {
			bad(trial{script: scriptSeed, stop: stop}, fmt.Errorf("the script made only %d calls: %w", disk.Calls(), err))
		}
		modes := memfs.Modes()
		if m.first != nil {
			modes = m.first
		}
		for _, mode := range modes {
			for seed := range uint64(seeds) {
				t := trial{scriptSeed, stop, mode, seed}
				trials++
				if err := recoverTwice(m, disk.Crash(seed, mode), &h, t); err != nil && !bad(t, err) {
					return trials
				}
			}
		}
		if trials >= floor && time.Now().After(deadline) {
			return trials
		}
	}
	return trials
}

// recoverTwice recovers from a crash with a second crash inside the recovery, then crashes
// once more right behind it and behind a further commit. What was acknowledged, and what
// a recovery has shown, must be there each time.
func recoverTwice(m *mutant, disk *memfs.FS, h *history, t trial) error {
	certain := h.acked
	if t.seed%2 == 1 {
		flipNewestSlot(disk)
	}
	disk.StopAfter(m.secondStop(disk, t))
	var at int
	var lost error
	look := func(l *ledger) {
		if at, lost = h.position(l, certain); lost == nil {
			certain = at
		}
	}
	_, err := m.recover(disk, look)
	if err = errors.Join(err, lost); err != nil && !errors.Is(err, memfs.ErrCrashed) {
		return fmt.Errorf("first recovery: %w", err)
	}
	modes := memfs.Modes()
	if m.second != nil {
		modes = m.second
	}
	lost, disk = nil, disk.Crash(t.seed+1, modes[(t.stop+int(t.seed))%len(modes)])
	l, err := m.recover(disk, look)
	if err = errors.Join(err, lost); err != nil {
		return fmt.Errorf("second recovery: %w", err)
	}
	if err := checkClean(l); err != nil {
		return fmt.Errorf("check after recovery: %w", err)
	}
	disk = disk.Crash(t.seed+2, memfs.Strict)
	if l, err = m.recover(disk, look); errors.Join(err, lost) != nil {
		return fmt.Errorf("third recovery: %w", errors.Join(err, lost))
	}
	if err := l.put(99, "later", false, true); err != nil {
		return fmt.Errorf("commit after recovery: %w", err)
	}
	disk = disk.Crash(t.seed+3, memfs.Mixed)
	if l, err = m.recover(disk, func(*ledger) {}); err != nil {
		return fmt.Errorf("fourth recovery: %w", err)
	}
	if e := l.entries[99]; e.value != "later" {
		return fmt.Errorf("the commit after the recovery is lost")
	}
	return nil
}

// secondStop returns after how many calls of its recovery the store crashes again.
func (m *mutant) secondStop(disk *memfs.FS, t trial) int {
	if m.after != "" {
		rehearsal := disk.Crash(0, memfs.Kill)
		if _, err := m.recover(rehearsal, func(*ledger) {}); err == nil {
			return slices.Index(rehearsal.Log(), m.after) + 1
		}
	}
	return int(t.seed*31+uint64(t.stop)*17) % 18
}

func checkClean(l *ledger) error {
	return l.j.Check(func(string, error) {})
}

// flipNewestSlot damages the newest slot of the superblock if the other is valid, as bit rot.
func flipNewestSlot(disk *memfs.FS) {
	if exists, err := Exists(disk); err != nil || !exists {
		return
	}
	sb, err := openSuperblock(disk, true)
	if err != nil || sb.errs[1-sb.newest] != nil {
		return
	}
	at := int64(sb.newest)*blockSize + 40
	b := make([]byte, 1)
	if _, err := sb.file.ReadAt(b, at); err != nil {
		panic(err)
	}
	b[0] ^= 4
	if _, err := sb.file.WriteAt(b, at); err != nil {
		panic(err)
	}
	if err := sb.file.Sync(); err != nil {
		panic(err)
	}
}

// TestProtocolSurvivesCrashes crashes scripts at every call, in every mode.
func TestProtocolSurvivesCrashes(t *testing.T) {
	seeds, scripts, budget, floor := 2, uint64(3), 3*time.Second, 300
	if soak {
		seeds, scripts, budget = 50, 20, time.Hour
	}
	trials := 0
	for script := range scripts {
		trials += explore(&mutant{}, script, seeds, budget/time.Duration(scripts), floor/int(scripts), func(at trial, err error) bool {
			t.Errorf("%s: %v", at, err)
			return false
		})
	}
	t.Logf("%d trials, 0 violations expected", trials)
	if trials < floor {
		t.Errorf("only %d trials, need %d", trials, floor)
	}
}

// TestShownRecordsOutliveTheirFiles: a record that was not synced names a data file, the next
// one drops it. Once a recovery has shown both, a power cut must not lose the file and,
// with it, both records.
func TestShownRecordsOutliveTheirFiles(t *testing.T) {
	disk := memfs.New()
	l := mustOpen(t, disk)
	noError(t, l.put(1, "in a file", true, false))
	noError(t, l.put(1, "in the record", false, false))
	killed := disk.Crash(0, memfs.Kill)
	if _, err := (&mutant{}).recover(killed, func(l *ledger) {
		if l.applied != 2 {
			t.Errorf("%d records were recovered, want 2", l.applied)
		}
		after := mustOpen(t, killed.Crash(0, memfs.Strict))
		if after.entries[1].value != "in the record" {
			t.Errorf("after a power cut the value is %q", after.entries[1].value)
		}
	}); err != nil {
		t.Error(err)
	}
}
