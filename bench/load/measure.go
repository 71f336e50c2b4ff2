package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// series is the samples of one loader for one input and number of threads.
type series struct {
	loader  loader
	samples []measure.Sample
}

// group is what is compared: every loader with one input and number of threads.
type group struct {
	input     string
	fileBytes int64
	threads   int
	series    []series
	probeNS   []int64 // syncs of storedBytes
	stored    int64
}

// record is one line of the raw file.
type record struct {
	Input   string `json:"input"`
	Threads int    `json:"threads"`
	Round   int    `json:"round"`
	Loader  string `json:"loader"`
	measure.Sample
	Failed string `json:"failed,omitempty"`
}

// session is one run of the program.
type session struct {
	*config
	work    string
	log     io.Writer     // what is being done
	raw     *json.Encoder // records
	loaders []loader
	skipped []skipped
}

func newSession(c *config, work string, log, raw io.Writer) *session {
	return &session{config: c, work: work, log: log, raw: json.NewEncoder(raw)}
}

// measure does all loads and prints the tables.
func (c *config) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if _, err := os.Stat(filepath.Join("bench", "peers", "go.mod")); err != nil {
		return fmt.Errorf("run me from the root of the repository: %w", err)
	}
	work, err := c.workDir()
	if err != nil {
		return err
	}
	if c.dir == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	}
	loaders, missing, err := c.findLoaders(work)
	if err != nil {
		return err
	}
	raw, err := measure.CreateRaw(c.results, "load")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	s := newSession(c, work, stderr, raw)
	s.loaders, s.skipped = loaders, missing
	notes := []string{fmt.Sprintf("rounds: %d, scale: %g", c.rounds, c.scale)}
	for _, k := range s.skipped {
		notes = append(notes, "skipped: "+k.name+": "+k.why)
	}
	if err := measure.WriteHeader(raw, work, notes...); err != nil {
		return err
	}
	var groups []*group
	for _, input := range c.inputs {
		g, err := s.input(ctx, input)
		if err != nil {
			return err
		}
		groups = append(groups, g...)
	}
	if _, err := fmt.Fprintf(raw, "# load average at the end: %s\n", measure.LoadAverage()); err != nil {
		return err
	}
	return writeReport(stdout, filepath.Base(raw.Name()), groups, s.skipped)
}

// workDir returns the directory for inputs and databases, that other users may enter.
func (c *config) workDir() (string, error) {
	if c.dir != "" {
		dir, err := filepath.Abs(c.dir)
		if err != nil {
			return "", err
		}
		return dir, os.MkdirAll(dir, 0o755)
	}
	dir, err := os.MkdirTemp("", "ingot-load-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// findLoaders builds the programs. Peers that cannot be built are skipped like those that
// are not installed.
func (c *config) findLoaders(work string) (found []loader, missing []skipped, err error) {
	command := c.ingot
	if command == "" {
		command = filepath.Join(work, "ingot")
		if err := build(".", "./cmd/ingot", command); err != nil {
			return nil, nil, err
		}
	}
	found = ingotLoaders(command)
	if c.peers == "none" {
		return found, nil, nil
	}
	program := filepath.Join(work, "peers")
	if err := build(filepath.Join("bench", "peers"), ".", program); err != nil {
		return found, []skipped{{"all peers", strings.ReplaceAll(err.Error(), "\n", "; ")}}, nil
	}
	peers, missing, err := peerLoaders(program, c.peers)
	return append(found, peers...), missing, err
}

// input measures one input at every number of threads.
func (s *session) input(ctx context.Context, name string) ([]*group, error) {
	fmt.Fprintf(s.log, "load: %s: %d rows\n", name, s.rows(name))
	file, size, err := s.makeInput(s.work, name)
	if err != nil {
		return nil, err
	}
	var groups []*group
	for _, threads := range s.threads {
		g := &group{input: name, fileBytes: size, threads: threads}
		for _, l := range s.loaders {
			g.series = append(g.series, series{loader: l})
		}
		for round := range s.rounds {
			if err := warm(file); err != nil {
				return nil, err
			}
			if err := s.round(ctx, g, file, round); err != nil {
				return nil, err
			}
		}
		groups = append(groups, g)
	}
	if s.dir == "" {
		err = os.Remove(file)
	}
	return groups, err
}

// round lets every loader load once, and probes the disk. Who begins rotates: the first
// after a loader of much memory finds none that the host still backs.
func (s *session) round(ctx context.Context, g *group, file string, round int) error {
	for n := range g.series {
		sr := &g.series[(n+round)%len(g.series)]
		if s.failed(sr.loader.name) {
			continue
		}
		fmt.Fprintf(s.log, "load: %s, %d threads, round %d of %d: %s\n", g.input, g.threads, round+1, s.rounds, sr.loader.name)
		sample, err := once(ctx, s.work, sr.loader, job{input: g.input, file: file, threads: g.threads}, s.rows(g.input))
		r := record{Input: g.input, Threads: g.threads, Round: round + 1, Loader: sr.loader.name, Sample: sample}
		if err != nil {
			if strings.HasPrefix(sr.loader.name, "ingot") || ctx.Err() != nil {
				return err
			}
			r.Failed = err.Error()
			s.skipped = append(s.skipped, skipped{sr.loader.name, "failed: " + r.Failed})
		} else {
			sr.samples = append(sr.samples, sample)
		}
		if err := s.raw.Encode(r); err != nil {
			return err
		}
	}
	g.stored = g.series[0].samples[0].StoredBytes
	ns, err := measure.ProbeDisk(s.work, g.stored)
	if err != nil {
		return err
	}
	g.probeNS = append(g.probeNS, ns)
	return s.raw.Encode(record{Input: g.input, Threads: g.threads, Round: round + 1, Loader: "disk-probe", Sample: measure.Sample{WallNS: ns, StoredBytes: g.stored}})
}

// failed reports whether the loader has failed before: it is not tried again.
func (s *session) failed(name string) bool {
	return slices.ContainsFunc(s.skipped, func(k skipped) bool { return k.name == name })
}
