package journal

import (
	"errors"
	"fmt"
	"os"
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
	// always is in force all the time, recovery only while a crashed store is opened.
	always, recovery []errfs.Rule
}

func (m *mutant) wrap(inner vfs.FS, recovering bool) *errfs.FS {
	f := errfs.New(inner)
	rules := m.always
	if recovering {
		rules = append(rules[:len(rules):len(rules)], m.recovery...)
	}
	for _, r := range rules {
		r.Sticky = true
		f.Add(r)
	}
	return f
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

// explore crashes a script at its calls and recovers, in each mode, until it is through or
// the budget is spent. It calls bad for each violation and returns the number of trials.
func explore(m *mutant, scriptSeed uint64, seeds int, budget time.Duration, bad func(trial, error) bool) int {
	script := drawScript(scriptSeed, 30)
	deadline := time.Now().Add(budget)
	whole := memfs.New()
	var h history
	if err := h.run(m.wrap(whole, false), script); err != nil {
		bad(trial{script: scriptSeed, stop: -1}, err)
		return 1
	}
	// The calls are visited in a scattered order, so that a short budget sees all parts.
	calls, trials := whole.Calls()+1, 0
	for i := range calls {
		stop := i * 7919 % calls
		disk := memfs.New()
		disk.StopAfter(stop)
		var h history
		if err := h.run(m.wrap(disk, false), script); err == nil && stop < calls-1 {
			bad(trial{script: scriptSeed, stop: stop}, fmt.Errorf("the script did not crash"))
		}
		for _, mode := range memfs.Modes() {
			for seed := range uint64(seeds) {
				t := trial{scriptSeed, stop, mode, seed}
				trials++
				if err := recoverTwice(m, disk.Crash(seed, mode), &h, t); err != nil && !bad(t, err) {
					return trials
				}
			}
		}
		if time.Now().After(deadline) {
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
	disk.StopAfter(int(t.seed*31+uint64(t.stop)*17) % 12)
	l, err := openLedger(m.wrap(disk, true))
	if err == nil {
		var at int
		if at, err = h.position(l, certain); err == nil {
			certain = at
		}
	}
	if err != nil && !errors.Is(err, memfs.ErrCrashed) {
		return fmt.Errorf("first recovery: %w", err)
	}
	mode := memfs.Mode(uint64(t.stop)+t.seed) % memfs.Mode(len(memfs.Modes()))
	disk = disk.Crash(t.seed+1, mode)
	if l, err = openLedger(m.wrap(disk, true)); err != nil {
		return fmt.Errorf("second recovery: %w", err)
	}
	at, err := h.position(l, certain)
	if err != nil {
		return fmt.Errorf("second recovery: %w", err)
	}
	if err := checkClean(l); err != nil {
		return fmt.Errorf("check after recovery: %w", err)
	}
	disk = disk.Crash(t.seed+2, memfs.Strict)
	if l, err = openLedger(m.wrap(disk, true)); err != nil {
		return fmt.Errorf("third recovery: %w", err)
	}
	if _, err := h.position(l, at); err != nil {
		return fmt.Errorf("third recovery: %w", err)
	}
	if err := l.put(99, "later", false, true); err != nil {
		return fmt.Errorf("commit after recovery: %w", err)
	}
	disk = disk.Crash(t.seed+3, memfs.Mixed)
	if l, err = openLedger(m.wrap(disk, true)); err != nil {
		return fmt.Errorf("fourth recovery: %w", err)
	}
	if e := l.entries[99]; e.value != "later" {
		return fmt.Errorf("the commit after the recovery is lost")
	}
	return nil
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
	seeds, scripts, budget, floor := 2, uint64(3), 4*time.Second, 500
	if soak {
		seeds, scripts, budget = 50, 20, time.Hour
	}
	trials := 0
	for script := range scripts {
		trials += explore(&mutant{}, script, seeds, budget/time.Duration(scripts), func(at trial, err error) bool {
			t.Errorf("%s: %v", at, err)
			return false
		})
	}
	t.Logf("%d trials, 0 violations expected", trials)
	if trials < floor {
		t.Errorf("only %d trials in the time, need %d", trials, floor)
	}
}
