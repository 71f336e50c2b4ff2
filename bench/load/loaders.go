package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/gen/inputs"
	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/bench/internal/results"
)

// job is one load: FILE, which is an input, into a new database in the empty directory
// dir. If it is kept, tasks follow.
type job struct {
	input   input
	file    string
	threads int
	dir     string
	keep    bool
}

// loader is something that loads, and may do tasks with what it has loaded.
type loader struct {
	name    string
	durable bool
	formats []string // that it loads
	load    func(ctx context.Context, j job) (measure.Sample, error)

	tasks []string // that it does
	do    func(ctx context.Context, j job, names []string, runs int) ([]results.TaskSample, error)
}

// skipped is a loader that is not measured, and why.
type skipped struct{ name, why string }

// quoted returns s as an SQL string.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// ingotLoaders are the two loaders of the ingot command.
func ingotLoaders(command string) []loader {
	with := func(name, durability string) loader {
		return loader{name: name, durable: durability == "full", formats: formats, load: func(ctx context.Context, j job) (measure.Sample, error) {
			return loadIngot(ctx, command, durability, j)
		}}
	}
	durable := with(results.Ingot, "full")
	durable.tasks = allTasks()
	durable.do = func(ctx context.Context, j job, names []string, runs int) ([]results.TaskSample, error) {
		return doIngot(ctx, command, j, names, runs)
	}
	return []loader{durable, with(results.IngotNosync, "none")}
}

// loadIngot loads with the command, and reads what it took from its --stats.
func loadIngot(ctx context.Context, command, durability string, j job) (s measure.Sample, err error) {
	store := filepath.Join(j.dir, "store")
	if out, err := measure.Command(ctx, command, "sql", store, "-c", inputs.Schema(j.input.name)).CombinedOutput(); err != nil {
		return s, fmt.Errorf("ingot sql: %w: %s", err, bytes.TrimSpace(out))
	}
	args := []string{"copy", store, j.input.name, "from", j.file, "-o", "format=" + j.input.format,
		"--max-workers", strconv.Itoa(j.threads), "--durability", durability, "--stats", "json"}
	if j.input.format == "csv" {
		args = append(args, "--header")
	}
	cmd := measure.Command(ctx, append([]string{command}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	peak, err := measure.Run(cmd)
	if err != nil {
		return s, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	all, err := readStats(stderr.String())
	if err != nil {
		return s, err
	}
	for _, st := range all {
		if st.Statement == "COPY" {
			s = st.Sample
			s.StoredBytes, s.PeakAnonBytes = st.UsedBytes, peak
			return s, nil
		}
	}
	return s, fmt.Errorf("ingot copy printed no statistics: %q", stderr.String())
}

// statistics are what the command prints of a statement.
type statistics struct {
	measure.Sample
	Statement string `json:"statement"`
	UsedBytes int64  `json:"used_bytes"`
}

// readStats finds the statistics among the lines that the command prints.
func readStats(text string) ([]statistics, error) {
	var all []statistics
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var st statistics
		if err := json.Unmarshal([]byte(line), &st); err != nil {
			return nil, fmt.Errorf("ingot: --stats: %w", err)
		}
		all = append(all, st)
	}
	return all, nil
}

// peerLoaders asks the program peers what it has and returns the loaders that are wanted
// and installed, and those that are wanted and not.
func peerLoaders(program, wanted string) (found []loader, missing []skipped, err error) {
	out, err := exec.Command(program, "list").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("peers list: %w", err)
	}
	names := strings.Split(wanted, ",")
	for line := range strings.Lines(string(out)) {
		var p struct {
			Name           string
			Durable        bool
			Formats, Tasks []string
			Skip           string
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			return nil, nil, fmt.Errorf("peers list: %w", err)
		}
		at := slices.Index(names, p.Name)
		switch {
		case wanted != "all" && at < 0:
			continue
		case p.Skip != "":
			missing = append(missing, skipped{p.Name, p.Skip})
		default:
			found = append(found, loader{p.Name, p.Durable, p.Formats,
				func(ctx context.Context, j job) (measure.Sample, error) { return loadPeer(ctx, program, p.Name, j) },
				p.Tasks,
				func(ctx context.Context, j job, names []string, runs int) ([]results.TaskSample, error) {
					return doPeer(ctx, program, p.Name, j, names, runs)
				}})
		}
		if at >= 0 {
			names = slices.Delete(names, at, at+1)
		}
	}
	if wanted != "all" && len(names) > 0 {
		return nil, nil, fmt.Errorf("no peer is called %s", strings.Join(names, ", "))
	}
	return found, missing, nil
}

// peerArgs are a command line of the program peers that says what a job is.
func peerArgs(program, command, name string, j job) []string {
	return []string{program, command, "-peer", name, "-input", j.input.name, "-format", j.input.format, "-file", j.file, "-threads", strconv.Itoa(j.threads), "-dir", j.dir}
}

// loadPeer loads with a peer.
func loadPeer(ctx context.Context, program, name string, j job) (s measure.Sample, err error) {
	args := peerArgs(program, "load", name, j)
	if j.keep {
		args = append(args, "-keep")
	}
	peak, err := measure.RunJSON(measure.Command(ctx, args...), &s)
	if err != nil {
		return s, err
	}
	s.PeakAnonBytes = peak
	if s.StoredBytes == 0 {
		s.StoredBytes, err = measure.DirBytes(j.dir)
	}
	return s, err
}

// emptyDir makes a directory for a database.
func emptyDir(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "db-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755) // a server runs as another user
}

// once runs one load in a directory of its own, which is gone afterwards.
func once(ctx context.Context, parent string, l loader, j job, rows int) (s measure.Sample, err error) {
	if j.dir, err = emptyDir(parent); err != nil {
		return s, err
	}
	s, err = l.load(ctx, j)
	if err == nil && s.Rows != int64(rows) {
		err = fmt.Errorf("%s has loaded %d rows of %d", l.name, s.Rows, rows)
	}
	return s, errors.Join(err, os.RemoveAll(j.dir))
}

// syncDisk writes out what is not on the disk yet.
func syncDisk() error { return exec.Command("sync").Run() }
