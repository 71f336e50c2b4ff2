package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// sample is one run of a workload, given per query.
type sample struct {
	Graph      string `json:"graph"`
	Workload   string `json:"workload"`
	System     string `json:"system"`
	Version    string `json:"version,omitempty"`
	Threads    int    `json:"threads"`
	Round      int    `json:"round"`
	Queries    int    `json:"queries"`
	Answer     int64  `json:"answer"` // sum over the queries
	WallNS     int64  `json:"wall_ns"`
	CPUNS      int64  `json:"cpu_ns,omitempty"`
	Allocs     int64  `json:"allocations,omitempty"`
	AllocBytes int64  `json:"alloc_bytes,omitempty"`
}

// report is where samples go.
type report struct {
	raw     io.Writer
	samples []sample
}

func (r *report) add(s sample) error {
	r.samples = append(r.samples, s)
	return json.NewEncoder(r.raw).Encode(s)
}

// measure runs everything and prints the table.
func (c *config) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	work, err := os.MkdirTemp("", "ingot-graph-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	peer, notes := newLadybug(work, c.peers)
	head := append([]string{fmt.Sprintf("rounds: %d, of peers %d; sizes divided by %d", c.rounds, c.peerRounds, c.scale)}, notes...)
	raw, err := measure.CreateRaw(c.results, "graph", work, head...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	r := &report{raw: raw}
	for _, name := range c.graphs {
		in := newInput(name, c.scale)
		fmt.Fprintf(stderr, "graph: %s, %d nodes, %d edges\n", name, in.Nodes, len(in.From))
		files := filepath.Join(work, name)
		if err := in.writeFiles(files); err != nil {
			return err
		}
		if err := c.ingot(ctx, r, in, filepath.Join(work, "ingot-"+name), files); err != nil {
			return err
		}
		if peer != nil {
			fmt.Fprintf(stderr, "graph: %s, ladybug\n", name)
			if err := peer.measure(ctx, c, r, in, files); err != nil {
				return err
			}
		}
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	return r.table(stdout, filepath.Base(raw.Name()), notes)
}

// ingot measures ingot. Workloads on deleted nodes have a later snapshot of the same store, so
// that they run in turn with the others. Each workload is run once before it is measured.
func (c *config) ingot(ctx context.Context, r *report, in *input, dir, files string) (err error) {
	s, err := in.store(ctx, dir, files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var searchers [2]*searcher
	for i := range searchers {
		snap, err := s.Snapshot()
		if err != nil {
			return err
		}
		defer snap.Release()
		if searchers[i], err = newSearcher(snap, in.names); err != nil {
			return err
		}
		if i == 0 {
			if err := deleteFirsts(ctx, s, in.Nodes); err != nil {
				return err
			}
		}
	}
	for round := range c.rounds + 1 {
		for i := range in.workloads {
			w := &in.workloads[i]
			g := searchers[0]
			if w.deleted {
				g = searchers[1]
			}
			for _, threads := range c.threads {
				sm, err := timed(ctx, g, w, threads)
				if err != nil {
					return err
				}
				if sm.Graph, sm.Round = in.name, round; round == 0 {
					continue
				}
				if err := r.add(sm); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// timed runs a workload once.
func timed(ctx context.Context, g *searcher, w *workload, threads int) (s sample, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var answer int64
	took, err := measure.Timed(func() (err error) { answer, err = g.run(ctx, w, threads); return err })
	if err != nil {
		return s, err
	}
	n := int64(len(w.Queries))
	runtime.ReadMemStats(&after)
	return sample{Workload: w.Name, System: "ingot", Threads: threads, Queries: int(n), Answer: answer, WallNS: took.WallNS / n, CPUNS: took.CPUNS / n,
		Allocs: int64(after.Mallocs-before.Mallocs) / n, AllocBytes: int64(after.TotalAlloc-before.TotalAlloc) / n}, nil
}

// cellOf is the key of the samples that a line of the table is about.
type cellOf struct {
	graph, workload, system string
	threads                 int
}

// table prints medians.
func (r *report) table(w io.Writer, raw string, notes []string) error {
	var order []cellOf
	cells := map[cellOf][]sample{}
	answers := map[[2]string]int64{}
	for _, s := range r.samples {
		k := cellOf{s.Graph, s.Workload, s.System, s.Threads}
		if cells[k] == nil {
			order = append(order, k)
		}
		cells[k] = append(cells[k], s)
		q := [2]string{s.Graph, s.Workload}
		if a, ok := answers[q]; ok && a != s.Answer {
			return fmt.Errorf("%s, %s: %s with %d threads answers %d, others %d", s.Graph, s.Workload, s.System, s.Threads, s.Answer, a)
		}
		answers[q] = s.Answer
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Medians, per query; raw numbers in %s.\n\n", raw)
	b.WriteString("| graph | workload | threads | system | ms | CPU ms | allocations | allocated kB | answer |\n|---|---|--:|---|--:|--:|--:|--:|--:|\n")
	for _, k := range order {
		of := func(field func(*sample) int64) int64 { return measure.MedianOf(cells[k], field) }
		first := cells[k][0]
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %.3f |", k.graph, k.workload, k.threads, strings.TrimSpace(k.system+" "+first.Version), float64(of(func(s *sample) int64 { return s.WallNS }))/1e6)
		if k.system == "ingot" {
			fmt.Fprintf(&b, " %.3f | %d | %.1f |", float64(of(func(s *sample) int64 { return s.CPUNS }))/1e6, of(func(s *sample) int64 { return s.Allocs }), float64(of(func(s *sample) int64 { return s.AllocBytes }))/1e3)
		} else {
			b.WriteString(" | | |")
		}
		fmt.Fprintf(&b, " %d |\n", first.Answer)
	}
	for _, n := range notes {
		b.WriteString("\n" + n + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
