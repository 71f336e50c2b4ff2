package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

var collected = regexp.MustCompile(`Collected\s*:\s*(\d+)`)

// count returns the instructions of a process that does loads+1 COPYs.
func count(ctx context.Context, program, work, file string, workers, loads int) (n int64, err error) {
	dir, err := os.MkdirTemp(work, "db-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	args := []string{"valgrind", "--tool=callgrind", "--callgrind-out-file=" + filepath.Join(dir, "callgrind.out")}
	cmd := measure.Command(ctx, append(args, append(ingot(program, "", "none").args(file, dir, workers, loads), "-empty")...)...)
	cmd.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1", "GOGC=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("valgrind: %w: %s", err, out)
	}
	m := collected.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("valgrind counted nothing: %s", out)
	}
	return strconv.ParseInt(string(m[1]), 10, 64)
}

// instructions counts instructions per COPY and prints the table.
func (c *config) instructions(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return errors.New("no program valgrind in PATH (Debian's package valgrind)")
	}
	work, err := os.MkdirTemp("", "ingot-small-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	raw, err := measure.CreateRaw(c.results, "small-instructions")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	if err := measure.WriteHeader(raw, work, fmt.Sprintf("instructions of %d COPYs less those of %d, divided by %d; callgrind, without sync, each with a TRUNCATE", 2*c.loads, c.loads, c.loads)); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Instructions per COPY; raw numbers in %s.\n\n| rows | workers | instructions | to %d workers |\n|--:|--:|--:|--:|\n", filepath.Base(raw.Name()), c.workers[0])
	for _, rows := range c.rows {
		file, err := writeInput(work, rows)
		if err != nil {
			return err
		}
		first := int64(0)
		for _, workers := range c.workers {
			fmt.Fprintf(stderr, "small: %d rows, %d workers\n", rows, workers)
			once, err := count(ctx, program, work, file, workers, c.loads)
			if err != nil {
				return err
			}
			twice, err := count(ctx, program, work, file, workers, 2*c.loads)
			if err != nil {
				return err
			}
			per := (twice - once) / int64(c.loads)
			if first == 0 {
				first = per
			}
			if _, err := fmt.Fprintf(raw, "rows=%d workers=%d once=%d twice=%d per_copy=%d\n", rows, workers, once, twice, per); err != nil {
				return err
			}
			fmt.Fprintf(&b, "| %d | %d | %d | %+.2f %% |\n", rows, workers, per, 100*float64(per-first)/float64(max(first, 1)))
		}
	}
	_, err = io.WriteString(stdout, b.String())
	return err
}
