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
)

// job is one load: FILE, which is an input, into a new database in the empty directory
// dir.
type job struct {
	input   string
	file    string
	threads int
	dir     string
}

// loader is something that loads.
type loader struct {
	name    string
	durable bool
	load    func(ctx context.Context, j job) (measure.Sample, error)
}

// skipped is a loader that is not measured, and why.
type skipped struct{ name, why string }

// ingotLoaders are the two loaders of the ingot command.
func ingotLoaders(command string) []loader {
	return []loader{
		{"ingot", true, func(ctx context.Context, j job) (measure.Sample, error) { return loadIngot(ctx, command, "full", j) }},
		{"ingot-nosync", false, func(ctx context.Context, j job) (measure.Sample, error) { return loadIngot(ctx, command, "none", j) }},
	}
}

// loadIngot loads with the command, and reads what it took from its --stats.
func loadIngot(ctx context.Context, command, durability string, j job) (s measure.Sample, err error) {
	store := filepath.Join(j.dir, "store")
	if out, err := measure.Command(ctx, command, "sql", store, "-c", inputs.Schema(j.input)).CombinedOutput(); err != nil {
		return s, fmt.Errorf("ingot sql: %w: %s", err, bytes.TrimSpace(out))
	}
	cmd := measure.Command(ctx, command, "copy", store, j.input, "from", j.file, "--header",
		"--max-workers", strconv.Itoa(j.threads), "--durability", durability, "--stats", "json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	peak, err := measure.Run(cmd)
	if err != nil {
		return s, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	s, err = readStats(stderr.String())
	s.PeakAnonBytes = peak
	return s, err
}

// readStats finds the statistics of the COPY among the lines that the command prints.
func readStats(text string) (measure.Sample, error) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var st struct {
			measure.Sample
			Statement string `json:"statement"`
			UsedBytes int64  `json:"used_bytes"`
		}
		if err := json.Unmarshal([]byte(line), &st); err != nil {
			return measure.Sample{}, fmt.Errorf("ingot copy: --stats: %w", err)
		}
		if st.Statement == "COPY" {
			st.StoredBytes = st.UsedBytes
			return st.Sample, nil
		}
	}
	return measure.Sample{}, fmt.Errorf("ingot copy printed no statistics: %q", text)
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
			Name    string
			Durable bool
			Skip    string
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
			found = append(found, loader{p.Name, p.Durable, func(ctx context.Context, j job) (measure.Sample, error) { return loadPeer(ctx, program, p.Name, j) }})
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

// loadPeer loads with a peer.
func loadPeer(ctx context.Context, program, name string, j job) (s measure.Sample, err error) {
	cmd := measure.Command(ctx, program, "load", "-peer", name, "-input", j.input, "-file", j.file, "-threads", strconv.Itoa(j.threads), "-dir", j.dir)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	peak, err := measure.Run(cmd)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
		return s, fmt.Errorf("peers load: %w: %q", err, stdout.Bytes())
	}
	s.PeakAnonBytes = peak
	if s.StoredBytes == 0 {
		s.StoredBytes, err = measure.DirBytes(j.dir)
	}
	return s, err
}

// once runs one load in a directory of its own, which is gone afterwards.
func once(ctx context.Context, parent string, l loader, j job, rows int) (s measure.Sample, err error) {
	if j.dir, err = os.MkdirTemp(parent, "db-"); err != nil {
		return s, err
	}
	if err := os.Chmod(j.dir, 0o755); err != nil { // a server runs as another user
		return s, err
	}
	s, err = l.load(ctx, j)
	if err == nil && s.Rows != int64(rows) {
		err = fmt.Errorf("%s has loaded %d rows of %d", l.name, s.Rows, rows)
	}
	return s, errors.Join(err, os.RemoveAll(j.dir), exec.Command("sync").Run())
}
