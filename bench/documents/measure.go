package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// cell is the samples of one durability and number of workers, by document.
type cell struct {
	durability string
	workers    int
	samples    [][]sample
}

// measureAll is the form without a name: it runs everything and prints the tables.
func measureAll(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := newFlags("documents", stderr)
	list := flags.String("workers", "1,2,4,8,16,1", "comma-separated `list` of limits of workers, the first one again at its end")
	passes := flags.Int("passes", 5, "`number` of loads of all documents in a process after the first")
	rounds := flags.Int("rounds", 5, "`number` of processes of each kind")
	results := flags.String("results", "bench/results", "`directory` for the raw numbers")
	var workers []int
	if err := parse(flags, args, numbers("workers", list, &workers), positive("passes", passes), positive("rounds", rounds)); err != nil {
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
	raw, err := measure.CreateRaw(*results, "documents")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	if err := measure.WriteHeader(raw, work, fmt.Sprintf("rounds: %d, loads of all documents in a process after the first: %d", *rounds, *passes)); err != nil {
		return err
	}
	var cells []*cell
	for _, d := range []string{"full", "none"} {
		for _, n := range workers {
			cells = append(cells, &cell{durability: d, workers: n, samples: make([][]sample, len(documents))})
		}
	}
	for round := range *rounds {
		fmt.Fprintf(stderr, "documents: round %d of %d\n", round+1, *rounds)
		for i := range cells {
			at := (i + round) % len(cells) // none is always behind the same other
			if err := cells[at].run(ctx, raw, program, work, at%len(workers), round, *passes); err != nil {
				return err
			}
		}
	}
	if _, err := fmt.Fprintf(raw, "# load average at the end: %s\n", measure.LoadAverage()); err != nil {
		return err
	}
	_, err = io.WriteString(stdout, tables(filepath.Base(raw.Name()), cells))
	return err
}

// run runs one process and keeps its numbers; place is the cell's in the list of workers.
func (c *cell) run(ctx context.Context, raw io.Writer, program, work string, place, round, passes int) (err error) {
	dir, err := os.MkdirTemp(work, "db-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cmd := measure.Command(ctx, program, "run", "-workers", strconv.Itoa(c.workers), "-durability", c.durability, "-passes", strconv.Itoa(passes), "-dir", dir)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if _, err := measure.Run(cmd); err != nil {
		return err
	}
	out := json.NewEncoder(raw)
	for in := json.NewDecoder(&stdout); in.More(); {
		var s sample
		if err := in.Decode(&s); err != nil {
			return err
		}
		if err := check(s.Document); err != nil {
			return err
		}
		if s.Pass > 0 {
			c.samples[s.Document] = append(c.samples[s.Document], s)
		}
		err := out.Encode(struct {
			Durability string `json:"durability"`
			Workers    int    `json:"workers"`
			Place      int    `json:"place"`
			Round      int    `json:"round"`
			sample
		}{c.durability, c.workers, place, round + 1, s})
		if err != nil {
			return err
		}
	}
	return nil
}

// median returns the median of a field of the samples of a document.
func (c *cell) median(number int, field func(*sample) int64) int64 {
	v := make([]int64, len(c.samples[number]))
	for i := range v {
		v[i] = field(&c.samples[number][i])
	}
	return measure.Median(v)
}

// total returns the sum of the medians of a field over all documents.
func (c *cell) total(field func(*sample) int64) (n int64) {
	for number := range documents {
		n += c.median(number, field)
	}
	return n
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
	fmt.Fprintf(&b, "Medians per document; raw numbers in %s. The last number of workers is the first again: their difference is noise.\n", raw)
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && cells[n].durability == cells[0].durability {
			n++
		}
		some := cells[:n]
		cells = cells[n:]
		first := some[0]
		fmt.Fprintf(&b, "\nDurability %s, the %d documents together:\n\n", first.durability, len(documents))
		b.WriteString("| workers | wall ms | to the first | CPU ms | to the first | faults | allocations | allocated MB | log syncs |\n" + "|" + strings.Repeat("--:|", 9) + "\n")
		for _, c := range some {
			ratio := func(field func(*sample) int64) float64 {
				return float64(c.total(field)) / float64(max(first.total(field), 1))
			}
			fmt.Fprintf(&b, "| %d | %s | %.3f | %s | %.3f | %d | %d | %.1f | %d |\n", c.workers, ms(c.total(wallNS)), ratio(wallNS), ms(c.total(cpuNS)), ratio(cpuNS),
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
