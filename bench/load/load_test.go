package main

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/bench/internal/results"
	"github.com/ingotdb/ingot/bench/internal/tasks"
)

func TestParse(t *testing.T) {
	c, err := parseLoad([]string{"-inputs", "wide,mixed.parquet,mixed.ndjson", "-threads", "2,8", "-scale", "0.001"}, io.Discard)
	if err != nil || len(c.inputs) != 3 || c.inputs[1] != (input{"mixed", "parquet"}) || c.threads[1] != 8 || c.rows(c.inputs[0]) != 3 || c.rows(c.inputs[2]) != 1000 {
		t.Errorf("got %+v, %v", c, err)
	}
	if c, err := parseLoad([]string{"-short", "-rounds", "7"}, io.Discard); err != nil || c.scale != 0.01 || c.rounds != 7 || c.inputs[5].String() != "ints10.text" {
		t.Errorf("got %+v, %v", c, err)
	}
	if c, err := parseOut([]string{"-inputs", "ints10", "-tasks", "sums,csv"}, io.Discard); err != nil || !slices.Equal(c.tasks, []string{"sums", "csv"}) {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, args := range [][]string{
		{"-inputs", "nothing"}, {"-inputs", "mixed.xml"}, {"-threads", "0"}, {"-threads", "two"}, {"-rounds", "0"}, {"-scale", "0"}, {"mixed"}, {"-short", "-long"}, {"-runs", "2"},
		{"out", "-inputs", "mixed.text"}, {"out", "-inputs", "wide"}, {"out", "-tasks", "nothing"}, {"out", "-inputs", "ints10", "-tasks", "sums,like"}, {"out", "-runs", "0"},
	} {
		if status := run(args, io.Discard, io.Discard); status != 2 {
			t.Errorf("%v: status %d, want 2", args, status)
		}
	}
}

func TestReadStats(t *testing.T) {
	text := "COPY 5\n" + `{"statement":"COPY","rows":5,"wall_ns":7,"cpu_ns":8,"minor_faults":9,"used_bytes":10,"stages":{"read":{"ns":1,"bytes":2}}}` + "\nSELECT 1\n" + `{"statement":"SELECT","rows":1}` + "\n"
	all, err := readStats(text)
	if err != nil || len(all) != 2 || all[1].Statement != "SELECT" {
		t.Fatalf("got %+v, %v", all, err)
	}
	if s := all[0]; s.Rows != 5 || s.WallNS != 7 || s.CPUNS != 8 || s.MinorFaults != 9 || s.UsedBytes != 10 || s.Stages["read"].NS != 1 {
		t.Errorf("got %+v", s)
	}
	if all, err := readStats("{\n"); err == nil {
		t.Errorf("got %+v", all)
	}
}

func TestAnswer(t *testing.T) {
	r := csv.NewReader(strings.NewReader("count,sum\n3,5\nn\n1\n2\n"))
	r.FieldsPerRecord = -1
	if got, err := answer(r, 1); err != nil || got != "3 5" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := answer(r, 2); err != nil || !strings.HasPrefix(got, "2 rows, ") {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := answer(r, 0); err == nil {
		t.Errorf("got %q behind the end", got)
	}
}

// TestOnce: a load of too few rows is an error, and nothing is left of a load.
func TestOnce(t *testing.T) {
	parent := t.TempDir()
	l := loader{name: "x", load: func(_ context.Context, j job) (measure.Sample, error) {
		return measure.Sample{Rows: 4}, os.WriteFile(filepath.Join(j.dir, "table"), nil, 0o644)
	}}
	if _, err := once(t.Context(), parent, l, job{}, 4); err != nil {
		t.Error(err)
	}
	if _, err := once(t.Context(), parent, l, job{}, 5); err == nil || !strings.Contains(err.Error(), "4 rows of 5") {
		t.Errorf("got %v", err)
	}
	left, err := os.ReadDir(parent)
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestFailedPeerIsNotTriedAgain runs two rounds with a peer that fails.
func TestFailedPeerIsNotTriedAgain(t *testing.T) {
	tried := 0
	good := func(context.Context, job) (measure.Sample, error) {
		return measure.Sample{Rows: 1, StoredBytes: 1}, nil
	}
	bad := func(context.Context, job) (measure.Sample, error) { tried++; return measure.Sample{}, errors.New("no") }
	s, raw := newTestSession(t, &config{inputs: []input{{"wide", "csv"}}, threads: []int{1}, rounds: 2, scale: 0.0001, dir: t.TempDir()})
	s.loaders = []loader{
		{name: "ingot", durable: true, formats: formats, load: good}, {name: "ingot-nosync", formats: formats, load: good},
		{name: "bad", formats: formats, load: bad}, {name: "other", formats: []string{"text"}, load: bad},
	}
	if err := s.input(t.Context(), s.inputs[0]); err != nil {
		t.Fatal(err)
	}
	if tried != 1 || !s.failed["bad wide"] {
		t.Errorf("tried %d times, failed %v", tried, s.failed)
	}
	text := readFile(t, raw)
	if strings.Count(text, "\n") != 7 || strings.Count(text, `"failed":"no"`) != 1 || strings.Count(text, `"loader":"disk-probe"`) != 2 {
		t.Errorf("raw samples:\n%s", text)
	}
	s.failed["ingot wide"] = false
	s.loaders[0].load = bad
	if err := s.input(t.Context(), s.inputs[0]); err == nil || err.Error() != "no" {
		t.Errorf("ingot failed, and the error is %v", err)
	}
}

// newTestSession returns a session and its raw file.
func newTestSession(t *testing.T, c *config) (s *session, raw string) {
	raw = filepath.Join(t.TempDir(), "raw")
	f, err := os.Create(raw)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	s = newSession(c, c.dir, io.Discard, f)
	s.settle = func() error { return nil }
	return s, raw
}

func readFile(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestIngot loads a few rows of three formats with the command, and does all tasks, which
// write the others.
func TestIngot(t *testing.T) {
	command := filepath.Join(t.TempDir(), "ingot")
	if err := measure.Build(filepath.Join("..", ".."), "./cmd/ingot", command); err != nil {
		t.Fatal(err)
	}
	c := &config{threads: []int{2}, rounds: 1, runs: 2, scale: 0.0001, dir: t.TempDir(), tasks: allTasks()}
	s, raw := newTestSession(t, c)
	s.command, s.loaders = command, ingotLoaders(command)
	loaded := []string{"csv", "binary", "parquet"}
	for _, f := range loaded {
		if err := s.input(t.Context(), input{"mixed", f}); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	for _, name := range []string{"ints10", "mixed"} {
		if err := s.outInput(t.Context(), input{name, "csv"}); err != nil {
			t.Error(err)
		}
	}
	r, err := results.Read(strings.NewReader(readFile(t, raw)))
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]int{}
	for _, rec := range r.Records {
		if rec.Failed != "" || rec.Loader != results.Probe && rec.WallNS <= 0 || rec.StoredBytes <= 0 && rec.Answer == "" {
			t.Errorf("got %+v", rec)
		}
		done[rec.Input+" "+rec.Task]++
	}
	for _, k := range tasks.All {
		want := 1
		if k.Query != "" {
			want = c.runs
		}
		if n := done[k.Input+" "+k.Name]; n != want {
			t.Errorf("%s of %s was done %d times, want %d", k.Name, k.Input, n, want)
		}
	}
	if want := 3 * len(loaded); done["mixed "] != want { // ingot, without sync, and the probe
		t.Errorf("%d loads and probes, want %d", done["mixed "], want)
	}
	left, err := filepath.Glob(filepath.Join(c.dir, "db-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
