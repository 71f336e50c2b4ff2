//go:build unix

package acceptance

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestInterrupted sends SIGINT at random moments of a load and of writing a file. Either
// it was done, or nothing of it is there; the status says which.
func TestInterrupted(t *testing.T) {
	records, times := 400_000, 12
	if soak() {
		records, times = 4_000_000, 200
	}
	file := writeLines(t, records)
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)

	whole := newTable(t)
	from := time.Now()
	must(t, "copy", whole, "t", "from", file)
	usual := time.Since(from)
	interrupted := 0
	for range times {
		store := newTable(t)
		switch e := interruptedAfter(t, time.Duration(rng.Int64N(int64(usual))), "copy", store, "t", "from", file, "--errors", "json"); e.status {
		case 0:
			if n := count(t, store, "t"); n != strconv.Itoa(records) {
				t.Errorf("%s rows after status 0", n)
			}
		case 130:
			interrupted++
			if n, left := count(t, store, "t"), files(t, store); n != "0" || len(left) > 0 {
				t.Errorf("%s rows and %v are left", n, left)
			}
			if f := e.failed(130); f.SQLState != "57014" {
				t.Errorf("error %+v", f)
			}
		default:
			killedEarly(t, e)
		}
		must(t, "check", store)
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	for range times {
		if err := os.WriteFile(out, []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e := interruptedAfter(t, time.Duration(rng.Int64N(int64(usual)/2)), "copy", whole, "t", "to", out, "--errors", "json")
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		switch e.status {
		case 0:
			if len(b) != records*len(record) {
				t.Errorf("%d bytes after status 0", len(b))
			}
		case 130:
			interrupted++
			fallthrough
		default:
			if e.status != 130 {
				killedEarly(t, e)
			}
			if !bytes.Equal(b, []byte("old\n")) {
				t.Errorf("the file that was there has %d bytes now", len(b))
			}
		}
		if names, err := os.ReadDir(filepath.Dir(out)); err != nil || len(names) != 1 {
			t.Errorf("%v, %v are left", names, err)
		}
	}
	t.Logf("%d of %d interrupted", interrupted, 2*times)
}

// TestInterruptedPipe sends SIGINT to a load that waits: for somebody to write to a named
// pipe, and for more from it.
func TestInterruptedPipe(t *testing.T) {
	for _, opened := range []bool{false, true} {
		store := newTable(t)
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		var w *os.File
		if opened {
			var err error
			if w, err = os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
				t.Fatal(err)
			}
			if _, err := w.WriteString(record); err != nil {
				t.Fatal(err)
			}
		}
		args := []string{"copy", store, "t", "from", pipe, "--errors", "json"}
		var e ended
		for delay := 200 * time.Millisecond; delay < 10*time.Second; delay *= 2 {
			cmd := exec.Command(program, args...)
			end := start(t, cmd, args)
			interrupt := time.AfterFunc(delay, func() { cmd.Process.Signal(os.Interrupt) })
			kill := time.AfterFunc(delay+20*time.Second, func() { cmd.Process.Kill() }) // it heeds no signal
			e = end()
			interrupt.Stop()
			if kill.Stop() && e.status == -1 {
				continue // it did not listen yet
			}
			break
		}
		if w != nil {
			w.Close()
		}
		if e.status != 130 {
			t.Errorf("opened by a writer %v: status %d after SIGINT\n%s", opened, e.status, e.stderr)
		} else if f := e.failed(130); f.SQLState != "57014" {
			t.Errorf("error %+v", f)
		}
		if n := count(t, store, "t"); n != "0" {
			t.Errorf("%s rows", n)
		}
	}
}

// killedEarly accepts the death of a process that did not yet listen for signals.
func killedEarly(t *testing.T, e ended) {
	t.Helper()
	if e.status != -1 || e.stderr != "" {
		t.Errorf("status %d\n%s", e.status, e.stderr)
	}
}

// interruptedAfter runs the command and sends it SIGINT after a while.
func interruptedAfter(t *testing.T, d time.Duration, args ...string) ended {
	t.Helper()
	cmd := exec.Command(program, args...)
	end := start(t, cmd, args)
	timer := time.AfterFunc(d, func() { cmd.Process.Signal(os.Interrupt) }) // or it has ended
	defer timer.Stop()
	return end()
}

// TestRights runs the command as a user who may not do everything.
func TestRights(t *testing.T) {
	dir, err := os.MkdirTemp(filepath.Dir(program), "rights-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	store, secret := filepath.Join(dir, "st"), filepath.Join(dir, "secret.csv")
	must(t, "sql", store, "-c", "CREATE TABLE t (a int, b text)", "-c", "INSERT INTO t VALUES (1, 'x')")
	if err := os.WriteFile(secret, []byte(record), 0); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(store)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chmod(filepath.Join(store, e.Name()), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	chmod := func(mode os.FileMode) {
		if err := os.Chmod(store, mode); err != nil {
			t.Fatal(err)
		}
	}
	chmod(0o555)
	defer chmod(0o755)
	as := func(args ...string) ended {
		cmd := exec.Command(program, args...)
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		return wait(t, cmd, args)
	}
	as("info", store).want(0)
	as("check", store).want(0)
	if f := as("sql", store, "--errors", "json", "-c", "SELECT 1").failed(3); f.SQLState != "42501" || f.Hint == "" {
		t.Errorf("a store that may not be written: %+v", f)
	}
	chmod(0o700)
	if os.Geteuid() == 0 {
		if f := as("info", store, "--errors", "json").failed(3); f.SQLState != "42501" || f.Hint == "" {
			t.Errorf("a store that may not be read: %+v", f)
		}
	}
	mine := filepath.Join(dir, "mine")
	if err := os.Mkdir(mine, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(mine, 0o777); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(mine, "st")
	as("sql", own, "-c", "CREATE TABLE t (a int, b text)").want(0)
	if f := as("copy", own, "t", "from", secret, "--errors", "json").failed(1); f.SQLState != "42501" {
		t.Errorf("a file that may not be read: %+v", f)
	}
	if f := as("copy", own, "t", "to", filepath.Join(store, "out.csv"), "--errors", "json").failed(1); f.SQLState != "42501" {
		t.Errorf("a file that may not be made: %+v", f)
	}
}
