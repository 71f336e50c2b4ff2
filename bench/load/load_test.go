package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

func TestParse(t *testing.T) {
	c, err := parse([]string{"-inputs", "wide,mixed", "-threads", "2,8", "-scale", "0.001"}, io.Discard)
	if err != nil || len(c.inputs) != 2 || c.threads[1] != 8 || c.rows("wide") != 3 {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, args := range [][]string{
		{"-inputs", "nothing"}, {"-threads", "0"}, {"-threads", "two"}, {"-rounds", "0"}, {"-scale", "0"}, {"mixed"},
	} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

func TestReadStats(t *testing.T) {
	text := "COPY 5\n" + `{"statement":"COPY","rows":5,"wall_ns":7,"cpu_ns":8,"minor_faults":9,"used_bytes":10,"stages":{"read":{"ns":1,"bytes":2}}}` + "\n"
	s, err := readStats(text)
	if err != nil || s.Rows != 5 || s.WallNS != 7 || s.CPUNS != 8 || s.MinorFaults != 9 || s.StoredBytes != 10 || s.Stages["read"].NS != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, bad := range []string{"COPY 5\n", "{\n", `{"statement":"SELECT"}`} {
		if s, err := readStats(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, s)
		}
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

func TestReport(t *testing.T) {
	at := func(wall, cpu int64) []measure.Sample {
		return []measure.Sample{{WallNS: wall, CPUNS: cpu, StoredBytes: 3e8, Stages: map[string]measure.Stage{"sync": {NS: wall / 2}}}}
	}
	g := &group{
		input: "ints10", fileBytes: 4e8, threads: 2, probeNS: []int64{6e8}, stored: 3e8,
		series: []series{
			{loader{name: "ingot", durable: true}, at(1e9, 8e8)},
			{loader{name: "ingot-nosync"}, at(4e8, 7e8)},
			{loader{name: "duckdb", durable: true}, at(4e9, 5e9)},
			{loader{name: "polars"}, at(2e9, 3e9)},
			{loader{name: "absent"}, nil},
		},
	}
	var b strings.Builder
	if err := writeReport(&b, "load-x.txt", []*group{g}, []skipped{{"sqlite", "no program sqlite3"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| ints10 | 2 | duckdb | yes | 4.00 | 4.00 |",         // by ingot
		"| ints10 | 2 | polars | no | 2.00 | 5.00 |",          // by ingot-nosync
		"| ints10 | 2 | 1.00 | 0.950 | 0.95 | 0.600 | 0.50 |", // 0.7/2 + 0.6
		"| 0.0 | 500.0 | 0.0 |",
		"Not measured: sqlite: no program sqlite3",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "absent") {
		t.Error("a loader without samples has a line")
	}
}

// TestFailedPeerIsNotTriedAgain runs two rounds with a peer that fails.
func TestFailedPeerIsNotTriedAgain(t *testing.T) {
	tried := 0
	good := func(context.Context, job) (measure.Sample, error) {
		return measure.Sample{Rows: 1, StoredBytes: 1}, nil
	}
	bad := func(context.Context, job) (measure.Sample, error) { tried++; return measure.Sample{}, errors.New("no") }
	c := &config{inputs: []string{"wide"}, threads: []int{1}, rounds: 2, scale: 0.0001, dir: t.TempDir()}
	raw := filepath.Join(t.TempDir(), "raw")
	f, err := os.Create(raw)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := newSession(c, c.dir, io.Discard, f)
	s.loaders = []loader{{"ingot", true, good}, {"ingot-nosync", false, good}, {"bad", false, bad}}
	groups, err := s.input(t.Context(), "wide")
	if err != nil {
		t.Fatal(err)
	}
	if tried != 1 || len(s.skipped) != 1 || len(groups[0].series[0].samples) != 2 {
		t.Errorf("tried %d times, skipped %v, %d samples", tried, s.skipped, len(groups[0].series[0].samples))
	}
	text, err := os.ReadFile(raw)
	if err != nil || strings.Count(string(text), "\n") != 7 || !strings.Contains(string(text), `"failed":"no"`) {
		t.Errorf("%v, raw samples:\n%s", err, text)
	}
}
