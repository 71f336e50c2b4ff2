package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/internal/vfs/errfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

// recorder is a Replayer that remembers what it is given.
type recorder struct {
	t        testing.TB
	state    string
	stateSeq uint64
	seq      uint64
	last     string
	verified []uint64
	refuse   uint64 // the seq whose Verify fails
	refusal  error  // what it fails with
	keep     []string
}

func (r *recorder) State(seq uint64, body []byte) error {
	r.state, r.stateSeq, r.seq = string(body), seq, seq
	return nil
}

func (r *recorder) Verify(seq uint64, _ []byte) error {
	r.verified = append(r.verified, seq)
	if seq == r.refuse {
		return r.refusal
	}
	return nil
}

func (r *recorder) Apply(seq uint64, body []byte) error {
	if seq != r.seq+1 {
		r.t.Errorf("seq %d is applied after %d", seq, r.seq)
	}
	r.seq, r.last = seq, string(body)
	return nil
}

func (r *recorder) Files() ([]string, error) { return r.keep, nil }

func options(dir vfs.FS) Options {
	opt := smallLogs
	opt.FS = dir
	return opt
}

func mustCreate(t testing.TB, dir vfs.FS) *Journal {
	t.Helper()
	j, err := Create(options(dir), []byte("begin"))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func mustAppend(t testing.TB, j *Journal, sync bool, body []byte) uint64 {
	t.Helper()
	seq, err := j.Append(sync, body)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// replayed opens a store, and returns what was replayed.
func replayed(t testing.TB, dir vfs.FS) *recorder {
	t.Helper()
	r := &recorder{t: t}
	j, err := Open(options(dir), r)
	if err != nil {
		t.Fatal(err)
	}
	if j.Seq() != r.seq || j.DurableSeq() != r.seq {
		t.Errorf("the journal is at seq %d, durable %d, but %d was replayed", j.Seq(), j.DurableSeq(), r.seq)
	}
	noError(t, j.Close())
	return r
}

func TestAppendAndReopen(t *testing.T) {
	disk := memfs.New()
	j := mustCreate(t, disk)
	id := j.StoreID()
	if id == [16]byte{} {
		t.Error("the store has no id")
	}
	for i := range uint64(5) {
		if seq := mustAppend(t, j, i%2 == 0, fmt.Appendf(nil, "body %d", i)); seq != i+1 || j.Seq() != seq {
			t.Errorf("seq %d, want %d", seq, i+1)
		}
	}
	if j.DurableSeq() != 5 {
		t.Errorf("durable seq %d", j.DurableSeq())
	}
	noError(t, errors.Join(j.Close(), j.Close()))
	if _, err := j.Append(true); !errors.Is(err, ErrClosed) {
		t.Errorf("Append after Close: %v", err)
	}
	r := &recorder{t: t}
	j, err := Open(options(disk), r)
	noError(t, err)
	if r.state != "begin" || r.stateSeq != 0 || r.seq != 5 || r.last != "body 4" || r.verified != nil {
		t.Errorf("replayed %+v", r)
	}
	if j.Unclean() || j.StoreID() != id || !j.Fits(10) {
		t.Error("a closed store is not clean, or another")
	}
	if seq := mustAppend(t, j, true, nil); seq != 6 {
		t.Errorf("seq %d after reopening", seq)
	}
}

// TestOneWriteOneSync counts the calls of a commit of 70 kB.
func TestOneWriteOneSync(t *testing.T) {
	f := errfs.New(memfs.New())
	j, err := Create(Options{FS: f}, nil)
	noError(t, err)
	head, body := make([]byte, 100), make([]byte, 70_000)
	mustAppend(t, j, true, body)
	all, writes, syncs, counted := f.Count(errfs.Any), f.Count(errfs.Write), f.Count(errfs.Sync), j.Syncs()
	if _, err := j.Append(true, head, body); err != nil {
		t.Fatal(err)
	}
	if f.Count(errfs.Any)-all != 2 || f.Count(errfs.Write)-writes != 1 || f.Count(errfs.Sync)-syncs != 1 || j.Syncs()-counted != 1 {
		t.Errorf("%d writes, %d syncs, %d calls", f.Count(errfs.Write)-writes, f.Count(errfs.Sync)-syncs, f.Count(errfs.Any)-all)
	}
	mustAppend(t, j, false, body)
	if f.Count(errfs.Sync)-syncs != 1 || j.DurableSeq() != 2 || j.Seq() != 3 {
		t.Error("an append without sync synced")
	}
	noError(t, errors.Join(j.Sync(), j.Sync()))
	if f.Count(errfs.Sync)-syncs != 2 || j.DurableSeq() != 3 {
		t.Error("Sync did not sync once")
	}
}

func TestLogFullAndRotate(t *testing.T) {
	disk := memfs.New()
	j := mustCreate(t, disk)
	body := make([]byte, 5000)
	n := 0
	for j.Fits(int64(len(body))) {
		mustAppend(t, j, true, body)
		n++
	}
	if want := (48<<10 - 4*blockSize) / recordSpan(5000); int64(n) != want {
		t.Errorf("%d records fitted, want %d", n, want)
	}
	if j.Used() > j.Capacity() || j.Capacity() != 48<<10-2*blockSize {
		t.Errorf("used %d of %d", j.Used(), j.Capacity())
	}
	calls := disk.Calls()
	if _, err := j.Append(true, body); !errors.Is(err, ErrLogFull) || disk.Calls() != calls {
		t.Errorf("error %v, %d calls; want ErrLogFull and none", err, disk.Calls()-calls)
	}
	noError(t, j.Rotate(1<<20, []byte("sta"), []byte("te")))
	if !j.Fits(1 << 20) {
		t.Error("the new log has no room for what was asked")
	}
	if seq := mustAppend(t, j, true, make([]byte, 1<<20)); seq != uint64(n)+1 {
		t.Errorf("seq %d after the rotation", seq)
	}
	noError(t, j.Close())
	r := replayed(t, disk)
	if r.state != "state" || r.stateSeq != uint64(n) || r.seq != uint64(n)+1 || len(r.last) != 1<<20 {
		t.Errorf("state %q at %d, then up to %d", r.state, r.stateSeq, r.seq)
	}
	for _, bad := range []int64{-1, maxLogBytes + 1} {
		if err := j.Rotate(bad); err == nil {
			t.Errorf("Rotate with %d bytes worked", bad)
		}
	}
	if j.Fits(-1) || j.Fits(1<<63-1) {
		t.Error("Fits of an impossible size")
	}
}

// TestRotateOnNearlyFullDisk: a log of the usual size does not fit, a smaller one does.
func TestRotateOnNearlyFullDisk(t *testing.T) {
	disk := memfs.New()
	opt := options(disk)
	opt.LogBytes = 1 << 20
	j, err := Create(opt, []byte("begin"))
	noError(t, err)
	disk.SetCapacity(200 << 10)
	for i := range 20 {
		noError(t, j.Rotate(5000, []byte("state")))
		if !j.Fits(5000) || j.Capacity() > 100<<10 {
			t.Fatalf("log %d has room for %d bytes", i, j.Capacity())
		}
		mustAppend(t, j, true, make([]byte, 5000))
	}
	if err := j.Rotate(1<<20, []byte("state")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a log for 1 MiB on a disk of 200 KiB: %v", err)
	}
	mustAppend(t, j, true, []byte("goes on"))
	disk.SetCapacity(10 << 20)
	noError(t, j.Rotate(5000, []byte("state")))
	if j.Capacity() < 1<<20-2*blockSize {
		t.Errorf("a log on a disk with space has room for %d bytes", j.Capacity())
	}
	noError(t, j.Close())
	if r := replayed(t, disk); r.seq != 21 {
		t.Errorf("seq %d after opening", r.seq)
	}
}

// TestOldLogsGo: two slots, two logs; no more.
func TestOldLogsGo(t *testing.T) {
	disk := memfs.New()
	j := mustCreate(t, disk)
	for i := range 5 {
		if i == 3 {
			noError(t, errors.Join(j.Prepare(), j.Prepare()))
		}
		noError(t, j.Rotate(0, []byte("s")))
		names, err := disk.List()
		noError(t, err)
		want := []string{"SB", logName(uint64(i + 1)), logName(uint64(i + 2))}
		if !slices.Equal(names, want) {
			t.Errorf("after rotation %d: %q, want %q", i+1, names, want)
		}
	}
	noError(t, j.Prepare())
	noError(t, j.Close())
	if names, err := disk.List(); err != nil || slices.Contains(names, logTemp) {
		t.Errorf("Close left the prepared log: %q, %v", names, err)
	}
}

// TestPrepareBesideAppend is for the race detector.
func TestPrepareBesideAppend(t *testing.T) {
	j := mustCreate(t, memfs.New())
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for range 20 {
				if err := j.Prepare(); err != nil {
					t.Error(err)
				}
				j.NewFileNumber()
			}
		})
	}
	for range 60 {
		if _, err := j.Append(true, make([]byte, 3000)); errors.Is(err, ErrLogFull) {
			noError(t, j.Rotate(3000, nil))
		} else {
			noError(t, err)
		}
	}
	workers.Wait()
	noError(t, j.Close())
}

func TestOrphansGoAndNumbersStay(t *testing.T) {
	for _, clean := range []bool{true, false} {
		disk := memfs.New()
		j := mustCreate(t, disk)
		var names []string
		for range 3 {
			names = append(names, DataName(j.NewFileNumber()))
		}
		names = append(names, "x.tmp", "data-x", "data-007", "notes")
		for _, name := range names {
			_, err := disk.Create(name)
			noError(t, err)
		}
		mustAppend(t, j, true, nil)
		last := j.NewFileNumber() // given out, but never seen again
		mustAppend(t, j, true, nil)
		if clean {
			noError(t, j.Close())
		}
		r := &recorder{t: t, keep: []string{names[1]}}
		j, err := Open(options(disk.Crash(0, memfs.Kill)), r)
		noError(t, err)
		if j.Unclean() == clean {
			t.Fatalf("clean %v: Unclean is %v", clean, j.Unclean())
		}
		if !clean {
			if j.Fits(0) {
				t.Error("an unclean log takes records")
			}
			if _, err := j.Append(true); !errors.Is(err, ErrLogFull) {
				t.Errorf("Append to an unclean log: %v", err)
			}
			noError(t, j.Rotate(0, nil))
			mustAppend(t, j, true, nil)
		}
		left, err := j.fs.List()
		noError(t, err)
		if both := slices.Contains(left, logName(1)); both != clean {
			t.Errorf("clean %v: the files are %q", clean, left)
		}
		left = slices.DeleteFunc(left, func(n string) bool { return n == "SB" || strings.HasPrefix(n, "log-") })
		if want := []string{"data-007", names[1], "data-x", "notes"}; !slices.Equal(left, want) {
			t.Errorf("clean %v: left %q, want %q", clean, left, want)
		}
		if n := j.NewFileNumber(); n <= last {
			t.Errorf("clean %v: number %d was given out again", clean, n)
		}
	}
}

func TestCreateRefusals(t *testing.T) {
	disk := memfs.New()
	j := mustCreate(t, disk)
	if _, err := Create(options(disk), nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create over a store: %v", err)
	}
	mustAppend(t, j, true, nil)
	noError(t, errors.Join(j.Close(), disk.Remove("SB")))
	if _, err := Create(options(disk), nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Create over a log with commits: %v", err)
	}
	disk = memfs.New()
	_, err := disk.Create("data-1")
	noError(t, err)
	if _, err := Create(options(disk), nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Create over a data file: %v", err)
	}
	disk = memfs.New()
	for _, bad := range []Options{{}, {FS: disk, ReadOnly: true}, {FS: disk, LogBytes: -1}, {FS: disk, FirstLogBytes: 1 << 50}} {
		if _, err := Create(bad, nil); err == nil {
			t.Errorf("Create took %+v", bad)
		}
	}
	if exists, err := Exists(disk); exists || err != nil {
		t.Errorf("Exists in an empty directory: %v, %v", exists, err)
	}
	if _, err := Open(options(disk), &recorder{t: t}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of nothing: %v", err)
	}
}

// TestCreateAfterCrashedCreate crashes Create at each call and creates again.
func TestCreateAfterCrashedCreate(t *testing.T) {
	for stop := range 30 {
		for seed := range uint64(20) {
			disk := memfs.New()
			disk.StopAfter(stop)
			_, err := Create(options(disk), []byte("first"))
			if err == nil && seed == 0 {
				return
			}
			after := disk.Crash(seed, memfs.Mixed)
			exists, err := Exists(after)
			noError(t, err)
			want := "first"
			if !exists {
				want = "begin"
				mustCreate(t, after)
			}
			if r := replayed(t, after); r.state != want {
				t.Fatalf("stop %d, seed %d: state %q, want %q", stop, seed, r.state, want)
			}
		}
	}
	t.Error("Create never finished")
}

// TestReadOnlyChangesNothing opens a clean and an unclean store for reading.
func TestReadOnlyChangesNothing(t *testing.T) {
	for _, clean := range []bool{true, false} {
		disk := memfs.New()
		j := mustCreate(t, disk)
		mustAppend(t, j, true, []byte("x"))
		mustAppend(t, j, false, []byte("y"))
		_, err := disk.Create("data-9")
		noError(t, err)
		if clean {
			noError(t, j.Close())
		}
		after := disk.Crash(3, memfs.Kill)
		opt := options(after)
		opt.ReadOnly = true
		r := &recorder{t: t}
		j, err = Open(opt, r)
		noError(t, err)
		if r.seq != 2 {
			t.Errorf("clean %v: replayed to %d", clean, r.seq)
		}
		_, appendErr := j.Append(true)
		for _, err := range []error{appendErr, j.Sync(), j.Mark(), j.Rotate(0), j.Prepare()} {
			if !errors.Is(err, ErrReadOnly) {
				t.Errorf("a write gives %v, want ErrReadOnly", err)
			}
		}
		noError(t, j.Close())
		for _, call := range after.Log() {
			if !strings.HasPrefix(call, "Sync") {
				t.Errorf("clean %v: a read-only open made the call %q", clean, call)
			}
		}
		// What was shown is durable now.
		if r := replayed(t, after.Crash(1, memfs.Strict)); r.seq != 2 {
			t.Errorf("clean %v: after a power cut %d of 2 records are left", clean, r.seq)
		}
	}
}

// TestVerifyLooksAtUndurableRecordsOnly and cuts history where it fails.
func TestVerifyLooksAtUndurableRecordsOnly(t *testing.T) {
	disk := memfs.New()
	j := mustCreate(t, disk)
	for _, sync := range []bool{true, false, true, false, false, false} {
		mustAppend(t, j, sync, []byte{'0' + byte(j.Seq())})
	}
	killed := disk.Crash(0, memfs.Kill)
	r := &recorder{t: t, refuse: 5, refusal: fmt.Errorf("checksum: %w", ErrCorrupt)}
	j, err := Open(options(killed), r)
	noError(t, err)
	if !slices.Equal(r.verified, []uint64{4, 5}) || r.seq != 4 || !j.Unclean() {
		t.Errorf("verified %v, applied up to %d", r.verified, r.seq)
	}
	noError(t, j.Rotate(0, []byte("four")))
	if seq := mustAppend(t, j, true, []byte("other five")); seq != 5 {
		t.Errorf("seq %d after the cut", seq)
	}
	for _, mode := range memfs.Modes() {
		if r := replayed(t, killed.Crash(7, mode)); r.state != "four" || r.seq != 5 || r.last != "other five" {
			t.Errorf("mode %s: %q, up to %d %q", mode, r.state, r.seq, r.last)
		}
	}
}

// TestVerifyThatCouldNotReadProvesNothing: only damaged or missing data ends the history.
func TestVerifyThatCouldNotReadProvesNothing(t *testing.T) {
	disk := memfs.New()
	j := mustCreate(t, disk)
	mustAppend(t, j, true, nil)
	mustAppend(t, j, false, nil)
	for _, c := range []struct{ refusal, want error }{
		{&CorruptionError{}, nil}, {fs.ErrNotExist, nil}, {syscall.EIO, syscall.EIO},
	} {
		r := &recorder{t: t, refuse: 2, refusal: c.refusal}
		if _, err := Open(options(disk.Crash(0, memfs.Kill)), r); !errors.Is(err, c.want) || r.seq != 1 {
			t.Errorf("Verify fails with %v: Open with %v, at seq %d", c.refusal, err, r.seq)
		}
	}
}

func TestErrorsOfTheOwner(t *testing.T) {
	disk := memfs.New()
	j := mustCreate(t, disk)
	mustAppend(t, j, true, nil)
	noError(t, j.Close())
	mine := errors.New("mine")
	for name, r := range map[string]Replayer{
		"state": failing{&recorder{t: t}, mine, nil, nil},
		"apply": failing{&recorder{t: t}, nil, mine, nil},
		"files": failing{&recorder{t: t}, nil, nil, mine},
	} {
		if _, err := Open(options(disk), r); !errors.Is(err, mine) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// failing is a recorder whose methods can fail.
type failing struct {
	*recorder
	state, apply, files error
}

func (f failing) State(seq uint64, body []byte) error {
	return errors.Join(f.state, f.recorder.State(seq, body))
}

func (f failing) Apply(seq uint64, body []byte) error {
	return errors.Join(f.apply, f.recorder.Apply(seq, body))
}

func (f failing) Files() ([]string, error) { return nil, f.files }

func TestAppendDoesNotAllocate(t *testing.T) {
	j, err := Create(Options{FS: memfs.New(), FirstLogBytes: 64 << 20}, nil)
	noError(t, err)
	body := bytes.Repeat([]byte("b"), 70_000)
	appendBody := func() {
		if _, err := j.Append(false, body); err != nil {
			t.Fatal(err)
		}
	}
	appendBody()
	fewest := testing.AllocsPerRun(50, appendBody)
	// What is left is memfs's own bookkeeping: the name of the call and its dirty sectors.
	if fewest > 8 {
		t.Errorf("%v allocations per append", fewest)
	}
}

// TestOnDisk runs through everything once in a directory of the operating system.
func TestOnDisk(t *testing.T) {
	path := t.TempDir()
	for round := range 3 {
		dir, err := vfs.OpenDir(path, true)
		noError(t, err)
		lock, err := dir.Lock("LOCK", true)
		noError(t, err)
		l := mustOpen(t, dir)
		if len(l.entries) != 3*round {
			t.Errorf("round %d begins with %d values", round, len(l.entries))
		}
		for i := range uint64(3) {
			noError(t, l.put(uint64(3*round)+i, strings.Repeat("v", 5000), i == 0, i < 2))
		}
		noError(t, l.j.Prepare())
		noError(t, l.rotate())
		if _, err := l.values(); err != nil {
			t.Error(err)
		}
		noError(t, checkClean(l))
		if round == 1 {
			noError(t, errors.Join(l.syncData(), l.j.Abandon()))
		} else {
			noError(t, l.close())
		}
		noError(t, errors.Join(lock.Close(), dir.Close()))
	}
}
