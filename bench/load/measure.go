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
	"github.com/ingotdb/ingot/bench/internal/results"
)

// session is one run of the program.
type session struct {
	*config
	command string // the ingot command
	work    string
	log     io.Writer     // what is being done
	raw     *json.Encoder // records
	loaders []loader
	failed  map[string]bool // loader and input that are not tried again
	settle  func() error    // writes out what is not on the disk yet
}

func newSession(c *config, work string, log, raw io.Writer) *session {
	return &session{config: c, work: work, log: log, raw: json.NewEncoder(raw), failed: map[string]bool{}, settle: syncDisk}
}

// measure does everything and prints the tables.
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
	command, loaders, missing, err := c.findLoaders(work)
	if err != nil {
		return err
	}
	name := "load"
	if c.out {
		name = "out"
	}
	notes := []string{fmt.Sprintf("rounds: %d", c.rounds), fmt.Sprintf("scale: %g", c.scale)}
	for _, k := range missing {
		notes = append(notes, "skipped: "+k.name+": "+k.why)
	}
	raw, err := measure.CreateRaw(c.results, name, work, notes...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	s := newSession(c, work, stderr, raw)
	s.command, s.loaders = command, loaders
	for _, in := range c.inputs {
		if c.out {
			err = s.outInput(ctx, in)
		} else {
			err = s.input(ctx, in)
		}
		if err != nil {
			return err
		}
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	return report(stdout, raw, c.out)
}

// report prints the tables of a raw file.
func report(w io.Writer, raw *os.File, out bool) error {
	if _, err := raw.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r, err := results.Read(raw)
	if err != nil {
		return err
	}
	text := "Medians; raw samples in " + filepath.Base(raw.Name()) + ".\n\n"
	differ := ""
	if out {
		differ = results.Disagreements(r.Records)
		text += results.Out(r.Records) + "\nProcessor time:\n\n" + results.OutCPU(r.Records) + "\n" + results.OutFull(r.Records) + "\n" + differ
	} else {
		text += results.LoadsWide(r.Records) + "\nProcessor time:\n\n" + results.LoadsCPU(r.Records) + "\n" + results.Loads(r.Records) +
			"\nDurable loads and their bound: CPU time without sync / threads + one sync of the bytes stored.\n\n" + results.Bounds(r.Records) +
			"\nWhere the time of ingot without sync goes, in ms summed over the workers; sync is that of the durable load.\n\n" + results.Stages(r.Records) + "\n"
	}
	if _, err := io.WriteString(w, text+r.Skipped()); err != nil {
		return err
	}
	if differ != "" {
		return errors.New("answers differ")
	}
	return nil
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
func (c *config) findLoaders(work string) (command string, found []loader, missing []skipped, err error) {
	command = c.ingot
	if command == "" {
		command = filepath.Join(work, "ingot")
		if err := measure.Build(".", "./cmd/ingot", command); err != nil {
			return "", nil, nil, err
		}
	}
	found = ingotLoaders(command)
	if c.peers == "none" {
		return command, found, nil, nil
	}
	program, err := measure.BuildPeers(work)
	if err != nil {
		return command, found, []skipped{{"all peers", err.Error()}}, nil
	}
	peers, missing, err := peerLoaders(program, c.peers)
	return command, append(found, peers...), missing, err
}

// input measures the loads of one input at every number of threads.
func (s *session) input(ctx context.Context, in input) error {
	fmt.Fprintf(s.log, "load: %s: %d rows\n", in, s.rows(in))
	file, size, err := s.makeInput(ctx, s.command, s.work, in)
	if err != nil {
		return err
	}
	var loaders []loader
	for _, l := range s.loaders {
		if slices.Contains(l.formats, in.format) {
			loaders = append(loaders, l)
		}
	}
	for _, threads := range s.threads {
		for round := range s.rounds {
			if err := warm(file); err != nil {
				return err
			}
			if err := s.round(ctx, loaders, job{input: in, file: file, threads: threads}, size, round); err != nil {
				return err
			}
		}
	}
	if s.dir == "" {
		return os.Remove(file)
	}
	return nil
}

// rotated calls f with every loader that has not failed with the input. Who begins rotates:
// the first after a loader of much memory finds none that the host still backs. An error of
// ingot's, or of all, ends it; one of a peer is returned by f as failed and remembered.
func (s *session) rotated(ctx context.Context, loaders []loader, in input, round int, f func(loader) (failed, err error)) error {
	for n := range loaders {
		l := loaders[(n+round)%len(loaders)]
		key := l.name + " " + in.String()
		if s.failed[key] {
			continue
		}
		failed, err := f(l)
		if err != nil {
			return err
		}
		if failed != nil {
			if strings.HasPrefix(l.name, results.Ingot) || ctx.Err() != nil {
				return failed
			}
			s.failed[key] = true
		}
	}
	return nil
}

// round lets every loader load once, and probes the disk.
func (s *session) round(ctx context.Context, loaders []loader, j job, size int64, round int) error {
	record := results.Record{Input: j.input.name, Format: j.input.format, Threads: j.threads, Round: round + 1, Bytes: size}
	stored := int64(0)
	err := s.rotated(ctx, loaders, j.input, round, func(l loader) (failed, err error) {
		fmt.Fprintf(s.log, "load: %s, %d threads, round %d of %d: %s\n", j.input, j.threads, round+1, s.rounds, l.name)
		r := record
		r.Loader, r.Durable = l.name, l.durable
		if r.Sample, failed = once(ctx, s.work, l, j, s.rows(j.input)); failed != nil {
			r.Failed = failed.Error()
		}
		if l.name == results.Ingot {
			stored = r.StoredBytes
		}
		return failed, errors.Join(s.raw.Encode(r), s.settle())
	})
	if err != nil {
		return err
	}
	record.Loader, record.StoredBytes = results.Probe, stored
	if record.WallNS, err = measure.ProbeDisk(s.work, stored); err != nil {
		return err
	}
	return s.raw.Encode(record)
}
