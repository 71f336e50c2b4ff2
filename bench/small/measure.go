package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// loader is a system in one configuration; args make a command line that prints a
// measure.Repeat.
type loader struct {
	name string
	args func(file, dir string, workers, loads int) []string
}

// ingot returns the loader of this program itself.
func ingot(program, name, durability string) loader {
	return loader{name, func(file, dir string, workers, loads int) []string {
		return []string{program, "run", "-file", file, "-dir", dir, "-workers", strconv.Itoa(workers), "-durability", durability, "-n", strconv.Itoa(loads)}
	}}
}

// peer returns the loader of a peer. Peers take longer, so they load less often.
func peer(program, name string) loader {
	return loader{name, func(file, dir string, workers, loads int) []string {
		return []string{program, "small", "-peer", name, "-file", file, "-dir", dir, "-threads", strconv.Itoa(workers), "-n", strconv.Itoa(min(loads, 20))}
	}}
}

// peerNames are the peers that are measured here.
var peerNames = []string{"ladybug", "duckdb"}

// cell is the medians of one loader for one number of rows and workers.
type cell struct {
	rows, workers int
	loader        string
	runs          []measure.Repeat
}

// measure runs everything and prints the table.
func (c *config) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	work, err := os.MkdirTemp("", "ingot-small-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	loaders := []loader{ingot(program, "ingot", "full"), ingot(program, "ingot-nosync", "none")}
	var notes []string
	if c.peers {
		found, missing := findPeers(work)
		loaders, notes = append(loaders, found...), missing
	}
	head := append([]string{fmt.Sprintf("rounds: %d, COPYs after the first: %d, of peers at most 20", c.rounds, c.loads)}, notes...)
	raw, err := measure.CreateRaw(c.results, "small", work, head...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	var cells []*cell
	for _, rows := range c.rows {
		file, err := writeInput(work, rows)
		if err != nil {
			return err
		}
		for _, workers := range c.workers {
			some := make([]*cell, len(loaders))
			for i, l := range loaders {
				some[i] = &cell{rows: rows, workers: workers, loader: l.name}
			}
			cells = append(cells, some...)
			for round := range c.rounds {
				fmt.Fprintf(stderr, "small: %d rows, %d workers, round %d of %d\n", rows, workers, round+1, c.rounds)
				for i, l := range loaders {
					if err := some[i].run(ctx, raw, work, l, file, round, c.loads); err != nil {
						return err
					}
				}
			}
		}
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	return writeTable(stdout, filepath.Base(raw.Name()), cells, notes)
}

// findPeers builds the program peers and returns what of it runs here, and why not the
// rest.
func findPeers(work string) (found []loader, missing []string) {
	program, err := measure.BuildPeers(work)
	if err != nil {
		return nil, []string{"skipped: all peers: " + err.Error()}
	}
	for _, name := range peerNames {
		out, err := exec.Command(program, "small", "-peer", name).CombinedOutput()
		if err != nil {
			missing = append(missing, "skipped: "+strings.TrimSpace(string(out)))
			continue
		}
		found = append(found, peer(program, name))
	}
	return found, missing
}

// run runs one process and keeps its numbers.
func (c *cell) run(ctx context.Context, raw io.Writer, work string, l loader, file string, round, loads int) (err error) {
	dir, err := os.MkdirTemp(work, "db-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var r measure.Repeat
	peak, err := measure.RunJSON(measure.Command(ctx, l.args(file, dir, c.workers, loads)...), &r)
	if err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	if r.Rows != int64(c.rows) {
		return fmt.Errorf("%s has loaded %d rows of %d", l.name, r.Rows, c.rows)
	}
	r.PeakAnonBytes = peak
	c.runs = append(c.runs, r)
	return json.NewEncoder(raw).Encode(struct {
		Workers int    `json:"workers"`
		Round   int    `json:"round"`
		Loader  string `json:"loader"`
		measure.Repeat
	}{c.workers, round + 1, l.name, r})
}

// writeTable prints the medians.
func writeTable(w io.Writer, raw string, cells []*cell, notes []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians, per COPY; raw numbers in %s.\n\n", raw)
	b.WriteString("| rows | workers | loader | wall ms | CPU ms | faults | first wall ms | first CPU ms | first faults | peak anon MB | log syncs | log bytes | allocations |\n" +
		"|--:|--:|---|" + strings.Repeat("--:|", 10) + "\n")
	ms := func(ns int64) string { return fmt.Sprintf("%.3f", float64(ns)/1e6) }
	for _, c := range cells {
		of := func(field func(*measure.Repeat) int64) int64 { return measure.MedianOf(c.runs, field) }
		fmt.Fprintf(&b, "| %d | %d | %s | %s | %s | %d | %s | %s | %d | %.1f |", c.rows, c.workers, strings.TrimSpace(c.loader+" "+c.runs[0].Version),
			ms(of(func(r *measure.Repeat) int64 { return r.WallNS })), ms(of(func(r *measure.Repeat) int64 { return r.CPUNS })),
			of(func(r *measure.Repeat) int64 { return r.Faults }),
			ms(of(func(r *measure.Repeat) int64 { return r.FirstWallNS })), ms(of(func(r *measure.Repeat) int64 { return r.FirstCPUNS })),
			of(func(r *measure.Repeat) int64 { return r.FirstFaults }),
			float64(of(func(r *measure.Repeat) int64 { return r.PeakAnonBytes }))/1e6)
		if strings.HasPrefix(c.loader, "ingot") {
			syncs := measure.MedianOf(c.runs, func(r *measure.Repeat) float64 { return r.LogSyncs })
			fmt.Fprintf(&b, " %.2f | %d | %d |\n", syncs, of(func(r *measure.Repeat) int64 { return r.LogBytes }), of(func(r *measure.Repeat) int64 { return r.Allocations }))
		} else {
			b.WriteString(" | | |\n")
		}
	}
	for _, n := range notes {
		b.WriteString("\n" + n + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
