package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// instructions counts instructions per COPY and prints the table.
func (c *config) instructions(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if err := measure.Valgrind(); err != nil {
		return err
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
	raw, err := measure.CreateRaw(c.results, "small-instructions", work,
		fmt.Sprintf("instructions of %d COPYs less those of %d, divided by %d; callgrind, without sync, each with a TRUNCATE", 2*c.loads, c.loads, c.loads))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
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
			n, err := measure.CountInstructions(ctx, work, c.loads, func(dir string, loads int) []string {
				return append(ingot(program, "", "none").args(file, dir, workers, loads), "-empty")
			})
			if err != nil {
				return err
			}
			if first == 0 {
				first = n.PerLoad
			}
			if _, err := fmt.Fprintf(raw, "rows=%d workers=%d once=%d twice=%d per_copy=%d\n", rows, workers, n.Once, n.Twice, n.PerLoad); err != nil {
				return err
			}
			fmt.Fprintf(&b, "| %d | %d | %d | %+.2f %% |\n", rows, workers, n.PerLoad, 100*float64(n.PerLoad-first)/float64(max(first, 1)))
		}
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, b.String())
	return err
}
