package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.csv")
	for _, c := range []struct {
		args   string
		status int
		lines  int    // on standard output
		stderr string // contained
	}{
		{"small89 -rows 3", 0, 4, ""},
		{"-rows 3 small89", 0, 4, ""},
		{"small89", 0, 101, ""},
		{"small89 -rows 0 -o -", 0, 1, ""},
		{"wide -schema", 0, 1, ""},
		{"ints10 -rows 5 -o " + file, 0, 0, ""},
		{"ints10 -rows 5 -o " + filepath.Join(file, "below"), 1, 0, "gen: "},
		{"", 2, 0, "usage: gen"},
		{"small89 ints10", 2, 0, "usage: gen"},
		{"nothing", 2, 0, `no input is called "nothing"`},
		{"wide -rows -2", 2, 0, "-2 rows"},
		{"wide -rows x", 2, 0, "invalid value"},
		{"wide -colour", 2, 0, "not defined"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(strings.Fields(c.args), &stdout, &stderr)
		if status != c.status || strings.Count(stdout.String(), "\n") != c.lines || !strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("gen %s: status %d, %d lines, stderr %q", c.args, status, strings.Count(stdout.String(), "\n"), stderr.String())
		}
	}
	b, err := os.ReadFile(file)
	if err != nil || bytes.Count(b, []byte("\n")) != 6 {
		t.Errorf("file: %d lines, %v", bytes.Count(b, []byte("\n")), err)
	}
}
