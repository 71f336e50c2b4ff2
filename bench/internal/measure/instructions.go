package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// Valgrind returns an error that says so if valgrind is not installed.
func Valgrind() error {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return errors.New("no program valgrind in PATH (Debian's package valgrind)")
	}
	return nil
}

// Instructions are those of a process, and what they are per load.
type Instructions struct {
	Once, Twice int64 // of n loads, and of twice as many, each with what a process does once
	PerLoad     int64
}

// CountInstructions counts, with valgrind's callgrind, the instructions of a process that does
// loads loads and of one that does twice as many: the difference does not have what a process
// does once. args makes the command line of so many loads in an empty directory below work.
// The collector of garbage and preemption are off.
func CountInstructions(ctx context.Context, work string, loads int, args func(dir string, loads int) []string) (n Instructions, err error) {
	if n.Once, err = callgrind(ctx, work, loads, args); err != nil {
		return n, err
	}
	if n.Twice, err = callgrind(ctx, work, 2*loads, args); err != nil {
		return n, err
	}
	n.PerLoad = (n.Twice - n.Once) / int64(loads)
	return n, nil
}

var collected = regexp.MustCompile(`Collected\s*:\s*(\d+)`)

// callgrind returns the instructions of one process.
func callgrind(ctx context.Context, work string, loads int, args func(dir string, loads int) []string) (n int64, err error) {
	dir, err := os.MkdirTemp(work, "db-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	line := []string{"valgrind", "--tool=callgrind", "--callgrind-out-file=" + filepath.Join(dir, "callgrind.out")}
	cmd := Command(ctx, append(line, args(dir, loads)...)...)
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1", "GOGC=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("measure: valgrind: %w: %s", err, out)
	}
	m := collected.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("measure: valgrind counted nothing: %s", out)
	}
	return strconv.ParseInt(string(m[1]), 10, 64)
}
