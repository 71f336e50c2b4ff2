package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// TestMeasure runs all workloads on small graphs. The table compares the answers of all
// numbers of threads.
func TestMeasure(t *testing.T) {
	var out, errs bytes.Buffer
	args := []string{"-scale", "100", "-rounds", "1", "-threads", "1,2", "-peers=false", "-results", t.TempDir()}
	if code := run(args, &out, &errs); code != 0 {
		t.Fatalf("exit status %d: %s", code, errs.Bytes())
	}
	if strings.Contains(out.String(), "skipped") {
		t.Errorf("a peer that is not wanted is called skipped:\n%s", out.Bytes())
	}
	for _, want := range []string{"| components | forward | 2 | ingot |", "| components | both-deleted | 1 |", "| grid | corner | 1 |", "| 197 |\n",
		"| grid | corner-deleted | 2 |", "| social | ic1 |", "| social | ic13 |", "| social | ic14 |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, out.Bytes())
		}
	}
}

// TestEdges loads few edges with both types of keys.
func TestEdges(t *testing.T) {
	for _, kind := range []string{"int64", "text"} {
		var out bytes.Buffer
		c := loadConfig{nodes: 300, edges: 2000}
		files := filepath.Join(t.TempDir(), kind)
		if err := c.writeFiles(files, kind); err != nil {
			t.Fatal(err)
		}
		if code := run([]string{"edges", "-nodes", "300", "-edges", "2000", "-keys", kind, "-dir", t.TempDir(), "-files", files}, &out, io.Discard); code != 0 {
			t.Fatalf("%s: exit status %d", kind, code)
		}
		var s measure.Sample
		if err := json.Unmarshal(out.Bytes(), &s); err != nil || s.Rows != 2000 || s.WallNS <= 0 || s.StoredBytes < 0 {
			t.Errorf("%s: %+v, %v", kind, s, err)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{"-threads 0", "-graphs tree", "-scale 0", "-rounds x", "load -keys uuid", "load -edges 0", "edges -keys text", "fly", "load more"} {
		if code := run(strings.Fields(args), io.Discard, io.Discard); code != 2 {
			t.Errorf("%s: exit status %d, want 2", args, code)
		}
	}
}
