package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/columnar"
)

// loadConfig is the command line of the forms that load edges.
type loadConfig struct {
	nodes, edges int
	keys         []string
	rounds       int
	peers        bool
	results      string
	dir, files   string
}

// parseLoad reads the command line of the forms that load edges.
func parseLoad(args []string, stderr io.Writer) (*loadConfig, error) {
	c := new(loadConfig)
	flags := flag.NewFlagSet("graph load", flag.ContinueOnError)
	keys := flags.String("keys", "int64,text", "comma-separated `list` of types of keys")
	flags.IntVar(&c.nodes, "nodes", 2_000_000, "`number` of nodes")
	flags.IntVar(&c.edges, "edges", 10_000_000, "`number` of edges")
	flags.IntVar(&c.rounds, "rounds", 3, "`number` of loads of each kind")
	flags.BoolVar(&c.peers, "peers", true, "measure the peer too, once, if it is installed")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw numbers")
	flags.StringVar(&c.dir, "dir", "", "empty `directory` for the store, of the form edges")
	flags.StringVar(&c.files, "files", "", "`directory` of the files to load, of the form edges")
	return c, measure.Parse(flags, args, stderr, measure.Positive("nodes", &c.nodes), measure.Positive("edges", &c.edges), measure.Positive("rounds", &c.rounds), func() error {
		c.keys = strings.Split(*keys, ",")
		for _, k := range c.keys {
			if !slices.Contains([]string{"int64", "text"}, k) {
				return fmt.Errorf("-keys has %q", k)
			}
		}
		return nil
	})
}

// keyOf is the key of a node as text.
func keyOf(kind string, node int) string {
	if kind == "text" {
		return fmt.Sprintf("person-%09d", node)
	}
	return strconv.Itoa(node)
}

// endsOf returns the ends of an edge, which are random.
func (c *loadConfig) endsOf(edge int) (from, to int) {
	r := rand.NewPCG(uint64(edge), 9)
	return int(r.Uint64() % uint64(c.nodes)), int(r.Uint64() % uint64(c.nodes))
}

// edgesHere is the form edges: it loads nodes and edges in this process and measures the
// edges.
func (c *loadConfig) edgesHere(ctx context.Context, stdout, _ io.Writer) (err error) {
	if c.dir == "" || c.files == "" || len(c.keys) != 1 {
		return measure.Usage(errors.New("-dir, -files and one type of -keys are needed"))
	}
	kind, key := c.keys[0], keyType
	if kind == "text" {
		key = nameType
	}
	s, err := columnar.Open(ctx, c.dir, columnar.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := createTables(ctx, s, key); err != nil {
		return err
	}
	if err := copyFile(ctx, s, "n", nodesFile(c.files)); err != nil {
		return err
	}
	before, err := measure.DirBytes(c.dir)
	if err != nil {
		return err
	}
	out, err := measure.Timed(func() error { return copyFile(ctx, s, "e", edgesFile(c.files)) })
	if err != nil {
		return err
	}
	after, err := measure.DirBytes(c.dir)
	if err != nil {
		return err
	}
	out.Rows, out.StoredBytes = int64(c.edges), after-before
	return json.NewEncoder(stdout).Encode(out)
}

// loaded is a sample of a load and what it is of.
type loaded struct {
	System string `json:"system"`
	Keys   string `json:"keys"`
	Round  int    `json:"round"`
	measure.Sample
}

// measure is the form load.
func (c *loadConfig) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	work, err := os.MkdirTemp("", "ingot-edges-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	peer, notes := newLadybug(work, c.peers)
	head := append([]string{fmt.Sprintf("rounds: %d; %d nodes, %d edges", c.rounds, c.nodes, c.edges)}, notes...)
	raw, err := measure.CreateRaw(c.results, "edges", work, head...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	var all []loaded
	add := func(l loaded) error {
		all = append(all, l)
		return json.NewEncoder(raw).Encode(l)
	}
	for _, kind := range c.keys {
		files := filepath.Join(work, kind)
		if err := c.writeFiles(files, kind); err != nil {
			return err
		}
		for round := 1; round <= c.rounds; round++ {
			fmt.Fprintf(stderr, "graph: loading edges with %s keys, round %d of %d\n", kind, round, c.rounds)
			l := loaded{System: "ingot", Keys: kind, Round: round}
			if l.Sample, err = c.child(ctx, program, work, files, kind); err != nil {
				return err
			}
			if err := add(l); err != nil {
				return err
			}
		}
		if peer != nil {
			fmt.Fprintf(stderr, "graph: ladybug loads edges with %s keys\n", kind)
			l := loaded{System: "ladybug", Keys: kind, Round: 1}
			if l.Sample, err = c.peer(ctx, peer, files, kind); err != nil {
				return err
			}
			if err := add(l); err != nil {
				return err
			}
		}
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	return c.table(stdout, filepath.Base(raw.Name()), all, notes)
}

// child runs the form edges.
func (c *loadConfig) child(ctx context.Context, program, work, files, kind string) (s measure.Sample, err error) {
	dir, err := os.MkdirTemp(work, "store-")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cmd := measure.Command(ctx, program, "edges", "-nodes", strconv.Itoa(c.nodes), "-edges", strconv.Itoa(c.edges), "-keys", kind, "-dir", dir, "-files", files)
	peak, err := measure.RunJSON(cmd, &s)
	s.PeakAnonBytes = peak
	return s, err
}

// writeFiles writes the files of nodes and edges into a directory, which it makes.
func (c *loadConfig) writeFiles(dir, kind string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	err := writeLines(nodesFile(dir), c.nodes, func(w *bufio.Writer, i int) { fmt.Fprintf(w, "%s,\n", keyOf(kind, i)) })
	return errors.Join(err, writeLines(edgesFile(dir), c.edges, func(w *bufio.Writer, i int) {
		from, to := c.endsOf(i)
		fmt.Fprintf(w, "%s,%s,%d\n", keyOf(kind, from), keyOf(kind, to), weight(i))
	}))
}

// peer has LadybugDB load the same files.
func (c *loadConfig) peer(ctx context.Context, l *ladybug, files, kind string) (s measure.Sample, err error) {
	dir, err := os.MkdirTemp(l.work, "ladybug-")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	j := job{Dir: dir, Nodes: nodesFile(files), Edges: edgesFile(files), Key: map[string]string{"int64": "INT64", "text": "STRING"}[kind],
		Threads: []int{runtime.NumCPU()}, Most: 30, Within: within}
	a, peak, err := l.run(ctx, &j)
	return measure.Sample{Rows: int64(c.edges), WallNS: a.EdgesNS, CPUNS: a.EdgesCPUNS, Version: a.Version, PeakAnonBytes: peak}, err
}

// table prints medians.
func (c *loadConfig) table(w io.Writer, raw string, all []loaded, notes []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians of loading %d edges between %d nodes; raw numbers in %s.\n\n", c.edges, c.nodes, raw)
	b.WriteString("| keys | system | s | CPU s | ns/edge | peak anon MB | stored MB |\n|---|---|--:|--:|--:|--:|--:|\n")
	for len(all) > 0 {
		first, n := all[0], 0
		var same []measure.Sample
		for ; n < len(all) && all[n].System == first.System && all[n].Keys == first.Keys; n++ {
			same = append(same, all[n].Sample)
		}
		all = all[n:]
		m := measure.Medians(same)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d | %.1f | %.1f |\n", first.Keys, strings.TrimSpace(first.System+" "+m.Version),
			measure.Seconds(m.WallNS), measure.Seconds(m.CPUNS), m.WallNS/m.Rows, float64(m.PeakAnonBytes)/1e6, float64(m.StoredBytes)/1e6)
	}
	for _, n := range notes {
		b.WriteString("\n" + n + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
