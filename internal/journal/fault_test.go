package journal

import (
	"errors"
	"fmt"
	"maps"
	"syscall"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/internal/vfs/errfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
)

// runOn performs a script and goes on after errors, as far as the journal does. A step that
// failed has no state in the history, unless its outcome is unknown.
func (h *history) runOn(dir vfs.FS, script []step) error {
	h.states = []map[uint64]string{{}}
	l, err := openLedger(dir)
	if err != nil {
		return nil // there may be no store: that is the first state
	}
	defer func() { _ = l.close() }()
	for _, s := range script {
		after := maps.Clone(h.states[len(h.states)-1])
		err, durable := error(nil), false
		switch s.what {
		case "put":
			after[s.key] = s.value
			err, durable = l.put(s.key, s.value, s.inFile, s.sync), s.sync
		case "remove":
			delete(after, s.key)
			err, durable = l.remove(s.key), true
		case "rotate":
			err = l.rotate()
		case "prepare":
			err = l.j.Prepare()
		case "sync":
			if err = l.syncData(); err == nil {
				err, durable = l.j.Sync(), true
			}
		case "mark":
			if err = l.syncData(); err == nil {
				err = l.j.Mark()
			}
		case "reopen":
			if err = l.close(); err == nil {
				l, err = reopen(dir, l)
			}
		}
		unknown := errors.Is(err, ErrCommitUnknown)
		if (s.what == "put" || s.what == "remove") && (err == nil || unknown) {
			h.states = append(h.states, after)
		}
		if err == nil && durable {
			h.acked = len(h.states) - 1
		}
		if unknown && !errors.Is(err, ErrPoisoned) {
			return fmt.Errorf("%s: the outcome is unknown, but the journal is not poisoned: %w", s.what, err)
		}
		// A data file that could not be synced may be named by a record: the owner stops.
		if err != nil && (errors.Is(err, ErrPoisoned) || errors.Is(err, ErrClosed) || len(l.dirty) > 0 || s.what == "reopen") {
			return nil
		}
	}
	return nil
}

// TestErrorAtEveryCall lets each call of a script fail, in several ways, once and for ever.
// A failed commit must not appear later, an acknowledged one must be there.
func TestErrorAtEveryCall(t *testing.T) {
	budget, floor, scripts := 3*time.Second, 400, uint64(2)
	if soak {
		budget, scripts = time.Hour, 10
	}
	faults := []errfs.Rule{
		{Err: syscall.EIO}, {Err: syscall.ENOSPC}, {Err: syscall.EDQUOT}, {Err: syscall.EINTR},
		{Err: syscall.ENOSPC, Short: true},
	}
	trials := 0
	for seed := range scripts {
		script := drawScript(seed+50, 30)
		whole := errfs.New(memfs.New())
		var h history
		if err := h.run(whole, script); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(budget / time.Duration(scripts))
		n := whole.Count(errfs.Any) * len(faults) * 2
		for i := range n {
			at := i * 7919 % n
			rule := faults[at%len(faults)]
			rule.Sticky = at/len(faults)%2 == 1
			rule.Nth = 1 + at/len(faults)/2
			if err := faultTrial(rule, script, uint64(i)); err != nil {
				t.Errorf("script %d, call %d, %v, short %v, sticky %v, crash seed %d: %v",
					seed+50, rule.Nth, rule.Err, rule.Short, rule.Sticky, i, err)
				break
			}
			trials++
			if trials >= floor && time.Now().After(deadline) {
				break
			}
		}
	}
	t.Logf("%d trials", trials)
	if trials < floor {
		t.Errorf("only %d trials, need %d", trials, floor)
	}
}

// faultTrial runs a script with one rule, crashes, and looks at what is left.
func faultTrial(rule errfs.Rule, script []step, seed uint64) error {
	disk := memfs.New()
	f := errfs.New(disk)
	f.Add(rule)
	var h history
	if err := h.runOn(f, script); err != nil {
		return err
	}
	if n, _ := mmap.Live(); n != 0 {
		return fmt.Errorf("%d mappings are left", n)
	}
	modes := memfs.Modes()
	mode := modes[seed%uint64(len(modes))]
	l, err := openLedger(disk.Crash(seed, mode))
	if err != nil {
		return fmt.Errorf("mode %s: %w", mode, err)
	}
	if _, err := h.position(l, h.acked); err != nil {
		return fmt.Errorf("mode %s: %w", mode, err)
	}
	return checkClean(l)
}

// TestFailedLogSyncPoisons fails the sync of a commit, of Sync, of Mark and of Rotate.
func TestFailedLogSyncPoisons(t *testing.T) {
	body := []byte("PPPPPPPP")
	for _, c := range []struct {
		name  string
		fail  errfs.Rule
		write func(j *Journal) error
		seq   [2]uint64 // lowest and highest that recovery may find
	}{
		{"append", errfs.Rule{Kind: errfs.Sync, Name: "log*"}, func(j *Journal) error {
			_, err := j.Append(true, body)
			if !errors.Is(err, ErrCommitUnknown) {
				err = fmt.Errorf("not ErrCommitUnknown: %w", err)
			}
			return err
		}, [2]uint64{1, 3}},
		{"sync", errfs.Rule{Kind: errfs.Sync, Name: "log*"}, func(j *Journal) error { return j.Sync() }, [2]uint64{1, 2}},
		{"mark", errfs.Rule{Kind: errfs.Sync, Name: "log*", Nth: 2}, func(j *Journal) error { return j.Mark() }, [2]uint64{2, 2}},
		{"rotate, old log", errfs.Rule{Kind: errfs.Sync, Name: "log*"}, func(j *Journal) error { return j.Rotate(0) }, [2]uint64{1, 2}},
		{"rotate, new log", errfs.Rule{Kind: errfs.Sync, Name: "log*", Nth: 2}, func(j *Journal) error { return j.Rotate(0) }, [2]uint64{2, 2}},
		{"rotate, directory", errfs.Rule{Kind: errfs.SyncDir}, func(j *Journal) error { return j.Rotate(0) }, [2]uint64{2, 2}},
		{"rotate, continuation", errfs.Rule{Kind: errfs.Sync, Name: "log*", Nth: 3}, func(j *Journal) error { return j.Rotate(0) }, [2]uint64{2, 2}},
		{"rotate, superblock", errfs.Rule{Kind: errfs.Sync, Name: "SB*"}, func(j *Journal) error { return j.Rotate(0) }, [2]uint64{2, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			disk := memfs.New()
			f := errfs.New(disk)
			j := mustCreate(t, f)
			mustAppend(t, j, true, body)
			mustAppend(t, j, false, body)
			c.fail.Err = syscall.EIO
			f.Add(c.fail)
			err := c.write(j)
			if !errors.Is(err, ErrPoisoned) || !errors.Is(err, syscall.EIO) {
				t.Fatalf("error %v, want ErrPoisoned and EIO", err)
			}
			f.Clear()
			_, appendErr := j.Append(true, body)
			for i, err := range []error{appendErr, j.Sync(), j.Mark(), j.Rotate(0), j.Prepare()} {
				if !errors.Is(err, ErrPoisoned) || !errors.Is(err, syscall.EIO) || errors.Is(err, ErrCommitUnknown) {
					t.Errorf("later write %d: %v, want ErrPoisoned", i, err)
				}
			}
			before := f.Count(errfs.Write) + f.Count(errfs.Sync)
			if err := j.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if f.Count(errfs.Write)+f.Count(errfs.Sync) != before {
				t.Error("Close wrote to a poisoned store")
			}
			for _, mode := range memfs.Modes() {
				if seq := replayed(t, disk.Crash(1, mode)).seq; seq < c.seq[0] || seq > c.seq[1] {
					t.Errorf("mode %s: recovered to seq %d, want %v", mode, seq, c.seq)
				}
			}
		})
	}
}

// TestFailedWriteIsClean fails the write of a record, whole or half, and commits another. Of
// the short record, half of the write is all that matters.
func TestFailedWriteIsClean(t *testing.T) {
	for _, short := range []bool{false, true} {
		for _, length := range []int{100, 9000} {
			disk := memfs.New()
			f := errfs.New(disk)
			j := mustCreate(t, f)
			mustAppend(t, j, true, []byte("first"))
			f.Add(errfs.Rule{Kind: errfs.Write, Err: syscall.ENOSPC, Short: short})
			_, err := j.Append(true, make([]byte, length))
			if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, ErrPoisoned) || errors.Is(err, ErrCommitUnknown) {
				t.Fatalf("short %v: error %v, want a clean ENOSPC", short, err)
			}
			for _, mode := range memfs.Modes() {
				for seed := range uint64(10) {
					if seq := replayed(t, disk.Crash(seed, mode)).seq; seq != 1 {
						t.Errorf("short %v, %d bytes, mode %s: recovered to seq %d, want 1", short, length, mode, seq)
					}
				}
			}
			if seq := mustAppend(t, j, true, []byte("second")); seq != 2 {
				t.Errorf("the next commit has seq %d", seq)
			}
			r := replayed(t, disk.Crash(2, memfs.Strict))
			if r.seq != 2 || r.last != "second" {
				t.Errorf("recovered to seq %d, %q", r.seq, r.last)
			}
		}
	}
}

// TestFailedUndoPoisons: when the zeros cannot be written either, nobody knows.
func TestFailedUndoPoisons(t *testing.T) {
	f := errfs.New(memfs.New())
	j := mustCreate(t, f)
	f.Add(errfs.Rule{Kind: errfs.Write, Err: syscall.EIO, Short: true, Sticky: true})
	if _, err := j.Append(true, make([]byte, 5000)); !errors.Is(err, ErrPoisoned) || !errors.Is(err, ErrCommitUnknown) {
		t.Errorf("error %v, want ErrPoisoned and ErrCommitUnknown", err)
	}
}
