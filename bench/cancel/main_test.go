package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun runs every kind of load once, small. Whether a load can still be cancelled is luck.
func TestRun(t *testing.T) {
	var out, errs bytes.Buffer
	results := t.TempDir()
	if status := run([]string{"-n", "1", "-scale", "0.0005", "-durability", "none", "-dir", t.TempDir(), "-results", results}, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	for _, k := range kinds {
		if !strings.Contains(out.String(), "| "+k.name+" |") {
			t.Errorf("the table has no %s:\n%s", k.name, &out)
		}
	}
	raw, err := filepath.Glob(filepath.Join(results, "cancel-*.txt"))
	if err != nil || len(raw) != 1 {
		t.Fatalf("raw files %v: %v", raw, err)
	}
	if text, err := os.ReadFile(raw[0]); err != nil || !bytes.Contains(text, []byte("load average at the end")) {
		t.Errorf("%s is not whole: %v", raw[0], err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-kinds", "none"}, {"-n", "0"}, {"-scale", "-1"}, {"-durability", "some"}, {"more"}} {
		if status := run(args, new(bytes.Buffer), new(bytes.Buffer)); status != 2 {
			t.Errorf("%v: status %d, want 2", args, status)
		}
	}
}
