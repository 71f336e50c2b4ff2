package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// ladybug is LadybugDB, run by ladybug.mjs with the packages of bench/peers/node.
type ladybug struct {
	work string
}

// The script and the packages, from the root of the repository.
const (
	script  = "bench/graph/ladybug.mjs"
	modules = "bench/peers/node/node_modules/@ladybugdb/core"
)

// newLadybug returns the peer if it is wanted and can be measured, else nil, with a note that
// says why it cannot.
func newLadybug(work string, wanted bool) (*ladybug, []string) {
	if !wanted {
		return nil, nil
	}
	if why := missing(); why != "" {
		return nil, []string{"skipped: ladybug: " + why}
	}
	return &ladybug{work}, nil
}

// missing returns why the peer cannot be measured, "" if it can.
func missing() string {
	if _, err := exec.LookPath("node"); err != nil {
		return "node is not installed (Debian's package nodejs)"
	}
	if _, err := os.Stat(modules); err != nil {
		return "the package @ladybugdb/core is not installed (docs/BENCHMARKS.md says how)"
	}
	return ""
}

// job is what the script is given.
type job struct {
	Dir       string     `json:"dir"`
	Nodes     string     `json:"nodes"`
	Edges     string     `json:"edges"`
	Key       string     `json:"key"` // type of the nodes' keys
	Threads   []int      `json:"threads"`
	Rounds    int        `json:"rounds"`
	Most      int        `json:"most"` // hops of a path
	Within    int        `json:"within"`
	Workloads []workload `json:"workloads"`
}

// answer is what the script prints.
type answer struct {
	Version    string   `json:"version"`
	EdgesNS    int64    `json:"edges_ns"` // of loading them
	EdgesCPUNS int64    `json:"edges_cpu_ns"`
	Samples    []sample `json:"samples"`
}

// run runs the script on a job and returns what it prints, and the most anonymous memory
// it had.
func (l *ladybug) run(ctx context.Context, j *job) (a answer, peak int64, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return a, 0, err
	}
	name := filepath.Join(j.Dir, "job.json")
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return a, 0, err
	}
	if peak, err = measure.RunJSON(measure.Command(ctx, "node", script, name), &a); err != nil {
		return a, 0, fmt.Errorf("ladybug: %w", err)
	}
	return a, peak, nil
}

// measure loads the input into a new database and runs the workloads without deletes.
func (l *ladybug) measure(ctx context.Context, c *config, r *report, in *input, files string) (err error) {
	dir, err := os.MkdirTemp(l.work, "ladybug-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	j := job{Dir: dir, Nodes: nodesFile(files), Edges: edgesFile(files), Key: "INT64",
		Threads: c.threads, Rounds: c.peerRounds, Most: 100, Within: within}
	if in.name == "grid" {
		j.Most = in.Nodes
		j.Rounds = 1 // a search takes most of a minute
	}
	for _, w := range in.workloads {
		if !w.deleted {
			j.Workloads = append(j.Workloads, w)
		}
	}
	got, _, err := l.run(ctx, &j)
	if err != nil {
		return err
	}
	for _, s := range got.Samples {
		s.Graph, s.System = in.name, "ladybug"
		if err := r.add(s); err != nil {
			return err
		}
	}
	return nil
}
