package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// instructions is the form instructions: it counts those of a load and prints the table.
func instructions(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("instructions", flag.ContinueOnError)
	number := flags.Int("document", 7, "`number` of the document")
	list := flags.String("workers", "1,16", "comma-separated `list` of limits of workers")
	loads := flags.Int("n", 40, "`number` of loads")
	results := flags.String("results", "bench/results", "`directory` for the raw numbers")
	var workers []int
	if err := measure.Parse(flags, args, stderr, measure.Numbers("workers", list, 1, &workers), measure.Positive("n", loads), func() error { return check(*number) }); err != nil {
		return err
	}
	if err := measure.Valgrind(); err != nil {
		return err
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
	d := &documents[*number]
	head := fmt.Sprintf("document %d: %d nodes, %d statements, %d rows; instructions of %d loads less those of %d, divided by %d; callgrind, without sync, each with a TRUNCATE",
		*number, d.nodeCount(), d.statements(), d.rows(), 2**loads, *loads, *loads)
	raw, err := measure.CreateRaw(*results, "documents-instructions", work, head)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	var b strings.Builder
	fmt.Fprintf(&b, "Instructions per load of a document of %d nodes in %d statements; raw numbers in %s.\n\n| workers | instructions | to %d workers |\n|--:|--:|--:|\n",
		d.nodeCount(), d.statements(), filepath.Base(raw.Name()), workers[0])
	first := int64(0)
	for _, limit := range workers {
		fmt.Fprintf(stderr, "documents: instructions, %d workers\n", limit)
		n, err := measure.CountInstructions(ctx, work, *loads, func(dir string, loads int) []string {
			return []string{program, "repeat", "-document", strconv.Itoa(*number), "-workers", strconv.Itoa(limit), "-n", strconv.Itoa(loads), "-dir", dir}
		})
		if err != nil {
			return err
		}
		if first == 0 {
			first = n.PerLoad
		}
		if _, err := fmt.Fprintf(raw, "document=%d workers=%d once=%d twice=%d per_load=%d\n", *number, limit, n.Once, n.Twice, n.PerLoad); err != nil {
			return err
		}
		fmt.Fprintf(&b, "| %d | %d | %+.2f %% |\n", limit, n.PerLoad, 100*float64(n.PerLoad-first)/float64(max(first, 1)))
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, b.String())
	return err
}
