//go:build linux || darwin || freebsd

package vfs_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs"
	"golang.org/x/sys/unix"
)

// lockVariable names the directory that a test run as another process locks.
const lockVariable = "INGOT_TEST_LOCK"

// TestMain lets the test binary be the other process that holds a lock.
func TestMain(m *testing.M) {
	if path := os.Getenv(lockVariable); path != "" {
		dir, err := vfs.OpenDir(path, false)
		if err == nil {
			_, err = dir.Lock("LOCK", true)
		}
		fmt.Println(err)
		_, _ = io.Copy(io.Discard, os.Stdin) // until the parent closes it or kills us
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestLockOfAnotherProcess kills the holder of a lock.
func TestLockOfAnotherProcess(t *testing.T) {
	path := t.TempDir()
	dir := openDir(t, path)
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), lockVariable+"="+path)
	stdin, err := holder.StdinPipe()
	noError(t, err)
	defer stdin.Close()
	stdout, err := holder.StdoutPipe()
	noError(t, err)
	noError(t, holder.Start())
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "<nil>\n" {
		t.Fatalf("holder says %q, %v", line, err)
	}
	for _, exclusive := range []bool{true, false} {
		_, err := dir.Lock("LOCK", exclusive)
		var locked *vfs.LockedError
		if !errors.As(err, &locked) || locked.PID != holder.Process.Pid {
			t.Errorf("exclusive %v: error %v, want one that names process %d", exclusive, err, holder.Process.Pid)
		}
	}
	noError(t, holder.Process.Kill())
	if err := holder.Wait(); err == nil {
		t.Error("the holder was not killed")
	}
	// Its text is still in the file, but it holds nothing.
	s, err := dir.Lock("LOCK", false)
	noError(t, err)
	var locked *vfs.LockedError
	if _, err := dir.Lock("LOCK", true); !errors.As(err, &locked) || locked.PID == holder.Process.Pid {
		t.Errorf("error %v names the dead process", err)
	}
	noError(t, s.Close())
	x, err := dir.Lock("LOCK", true)
	noError(t, err)
	noError(t, x.Close())
}

func TestSharedLockWritesNothing(t *testing.T) {
	dir := openDir(t, t.TempDir())
	l, err := dir.Lock("LOCK", false)
	noError(t, err)
	names, err := dir.List()
	noError(t, errors.Join(err, l.Close(), l.Close()))
	if len(names) != 0 {
		t.Errorf("a shared lock made %q", names)
	}
}

// TestPipeIsNotOpened would hang if opening waited for the other end.
func TestPipeIsNotOpened(t *testing.T) {
	path := t.TempDir()
	dir := openDir(t, path)
	noError(t, unix.Mkfifo(filepath.Join(path, "SB"), 0o600))
	if _, err := dir.Open("SB", false); err == nil {
		t.Error("a pipe was opened")
	}
}
