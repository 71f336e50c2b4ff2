package main

import (
	"bytes"
	"context"
	"encoding/json"
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

// cell is the samples of one durability and place in the list of workers, by document. Those
// of cells of the same durability at the same index were measured one after the other.
type cell struct {
	durability string
	workers    int
	samples    [][]sample
}

// measureAll is the form without a name: it runs everything and prints the tables.
func measureAll(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("documents", flag.ContinueOnError)
	list := flags.String("workers", "1,2,4,8,16,1", "comma-separated `list` of limits of workers, the first one again at its end")
	passes := flags.Int("passes", 5, "`number` of loads of all documents in a process after the first")
	rounds := flags.Int("rounds", 5, "`number` of processes of each kind")
	results := flags.String("results", "bench/results", "`directory` for the raw numbers")
	var workers []int
	if err := measure.Parse(flags, args, stderr, measure.Numbers("workers", list, 1, &workers), measure.Positive("passes", passes), measure.Positive("rounds", rounds)); err != nil {
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
	raw, err := measure.CreateRaw(*results, "documents", work, fmt.Sprintf("rounds: %d, loads of all documents in a process after the first: %d", *rounds, *passes), rawColumns)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	var cells []*cell
	for _, d := range []string{"full", "none"} {
		for _, n := range workers {
			cells = append(cells, &cell{durability: d, workers: n, samples: make([][]sample, len(documents))})
		}
	}
	for round := range *rounds {
		fmt.Fprintf(stderr, "documents: round %d of %d\n", round+1, *rounds)
		for of := cells; len(of) > 0; of = of[len(workers):] {
			if err := process(ctx, raw, program, work, of[:len(workers)], *list, round, *passes); err != nil {
				return err
			}
		}
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, tables(filepath.Base(raw.Name()), cells))
	return err
}

// rawColumns names the numbers on a line of the raw file.
const rawColumns = "durability round pass place workers document rows wall_ns cpu_ns minor_faults allocations alloc_bytes log_syncs"

// process runs one process for the cells of a durability and keeps its numbers.
func process(ctx context.Context, raw io.Writer, program, work string, cells []*cell, workers string, round, passes int) (err error) {
	dir, err := os.MkdirTemp(work, "db-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	durability := cells[0].durability
	cmd := measure.Command(ctx, program, "run", "-workers", workers, "-durability", durability, "-passes", strconv.Itoa(passes), "-dir", dir)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if _, err := measure.Run(cmd); err != nil {
		return err
	}
	for in := json.NewDecoder(&stdout); in.More(); {
		var s sample
		if err := in.Decode(&s); err != nil {
			return err
		}
		if err := check(s.Document); err != nil {
			return err
		}
		if s.Pass > 0 {
			c := cells[s.Place]
			c.samples[s.Document] = append(c.samples[s.Document], s)
		}
		if _, err := fmt.Fprintln(raw, durability, round+1, s.Pass, s.Place, s.Workers, s.Document, s.Rows, s.WallNS, s.CPUNS, s.MinorFaults, s.Allocations, s.AllocBytes, s.LogSyncs); err != nil {
			return err
		}
	}
	return nil
}

// median returns the median of a field of the samples of a document.
func (c *cell) median(number int, field func(*sample) int64) int64 {
	return measure.MedianOf(c.samples[number], field)
}

// total returns the sum of the medians of a field over all documents.
func (c *cell) total(field func(*sample) int64) (n int64) {
	for number := range documents {
		n += c.median(number, field)
	}
	return n
}

// ratio returns the median, over all loads of all documents, of a field to what it was in the
// load of the same document by first beside it.
func (c *cell) ratio(first *cell, field func(*sample) int64) float64 {
	var v []float64
	for number := range c.samples {
		for i := range c.samples[number] {
			v = append(v, float64(field(&c.samples[number][i]))/float64(max(field(&first.samples[number][i]), 1)))
		}
	}
	return measure.Median(v)
}

// Fields of a sample.
func wallNS(s *sample) int64      { return s.WallNS }
func cpuNS(s *sample) int64       { return s.CPUNS }
func faults(s *sample) int64      { return s.MinorFaults }
func allocations(s *sample) int64 { return s.Allocations }
func allocBytes(s *sample) int64  { return s.AllocBytes }
func logSyncs(s *sample) int64    { return s.LogSyncs }

// tables prints the medians: for each durability one table of all documents together and
// one of each.
func tables(raw string, cells []*cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians; raw numbers in %s. Ratios are to the first number of workers, loads compared with those beside them; the last number is the first again, so its ratios are noise.\n", raw)
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && cells[n].durability == cells[0].durability {
			n++
		}
		some := cells[:n]
		cells = cells[n:]
		first := some[0]
		fmt.Fprintf(&b, "\nDurability %s, the %d documents together:\n\n", first.durability, len(documents))
		b.WriteString("| workers | wall ms | ratio | CPU ms | ratio | faults | allocations | allocated MB | log syncs |\n" + "|" + strings.Repeat("--:|", 9) + "\n")
		for _, c := range some {
			fmt.Fprintf(&b, "| %d | %s | %.3f | %s | %.3f | %d | %d | %.1f | %d |\n", c.workers, ms(c.total(wallNS)), c.ratio(first, wallNS), ms(c.total(cpuNS)), c.ratio(first, cpuNS),
				c.total(faults), c.total(allocations), float64(c.total(allocBytes))/1e6, c.total(logSyncs))
		}
		list := make([]string, len(some))
		for i, c := range some {
			list[i] = strconv.Itoa(c.workers)
		}
		fmt.Fprintf(&b, "\nDurability %s, each document at %s workers:\n\n", first.durability, strings.Join(list, " / "))
		b.WriteString("| nodes | statements | wall ms | CPU ms | faults | allocations |\n" + "|" + strings.Repeat("--:|", 6) + "\n")
		for number := range documents {
			row := func(field func(*sample) int64, format func(int64) string) string {
				for i, c := range some {
					list[i] = format(c.median(number, field))
				}
				return strings.Join(list, " / ")
			}
			plain := func(n int64) string { return strconv.FormatInt(n, 10) }
			d := &documents[number]
			fmt.Fprintf(&b, "| %d | %d | %s | %s | %s | %s |\n", d.nodeCount(), d.statements(), row(wallNS, ms), row(cpuNS, ms), row(faults, plain), row(allocations, plain))
		}
	}
	return b.String()
}

// ms formats nanoseconds as milliseconds.
func ms(ns int64) string { return fmt.Sprintf("%.2f", float64(ns)/1e6) }
