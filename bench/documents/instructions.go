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

// count returns the instructions of a process that loads a document loads+1 times.
func count(ctx context.Context, program, work string, number, workers, loads int) (n int64, err error) {
	dir, err := os.MkdirTemp(work, "db-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cmd := measure.Command(ctx, "valgrind", "--tool=callgrind", "--callgrind-out-file="+filepath.Join(dir, "callgrind.out"),
		program, "repeat", "-document", strconv.Itoa(number), "-workers", strconv.Itoa(workers), "-n", strconv.Itoa(loads), "-dir", dir)
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

// instructions is the form instructions: it counts those of a load and prints the table.
func instructions(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := newFlags("instructions", stderr)
	number := flags.Int("document", 7, "`number` of the document")
	list := flags.String("workers", "1,16", "comma-separated `list` of limits of workers")
	loads := flags.Int("n", 40, "`number` of loads")
	results := flags.String("results", "bench/results", "`directory` for the raw numbers")
	var workers []int
	if err := parse(flags, args, numbers("workers", list, &workers), positive("n", loads), func() error { return check(*number) }); err != nil {
		return err
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		return errors.New("no program valgrind in PATH (Debian's package valgrind)")
	}
	work, err := os.MkdirTemp("", "ingot-documents-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	raw, err := measure.CreateRaw(*results, "documents-instructions")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	d := &documents[*number]
	head := fmt.Sprintf("document %d: %d nodes, %d statements, %d rows; instructions of %d loads less those of %d, divided by %d; callgrind, without sync, each with a TRUNCATE",
		*number, d.nodeCount(), d.statements(), d.rows(), 2**loads, *loads, *loads)
	if err := measure.WriteHeader(raw, work, head); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Instructions per load of a document of %d nodes in %d statements; raw numbers in %s.\n\n| workers | instructions | to %d workers |\n|--:|--:|--:|\n",
		d.nodeCount(), d.statements(), filepath.Base(raw.Name()), workers[0])
	first := int64(0)
	for _, n := range workers {
		fmt.Fprintf(stderr, "documents: instructions, %d workers\n", n)
		once, err := count(ctx, program, work, *number, n, *loads)
		if err != nil {
			return err
		}
		twice, err := count(ctx, program, work, *number, n, 2**loads)
		if err != nil {
			return err
		}
		per := (twice - once) / int64(*loads)
		if first == 0 {
			first = per
		}
		if _, err := fmt.Fprintf(raw, "document=%d workers=%d once=%d twice=%d per_load=%d\n", *number, n, once, twice, per); err != nil {
			return err
		}
		fmt.Fprintf(&b, "| %d | %d | %+.2f %% |\n", n, per, 100*float64(per-first)/float64(max(first, 1)))
	}
	_, err = io.WriteString(stdout, b.String())
	return err
}
