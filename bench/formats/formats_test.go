package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/visibility"
)

// TestFormats runs the whole program on a small scale.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if status := run([]string{"-columns", "2,3", "-rows", "1", "-rounds", "1", "-results", dir}, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	if n := strings.Count(out.String(), "of 2 cells"); n != 2 {
		t.Errorf("output:\n%s", &out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Ext(name) {
		case ".txt":
			if n := strings.Count(string(text), "ratio="); n != 4 {
				t.Errorf("%d measurements:\n%s", n, text)
			}
		case ".svg":
			for d := xml.NewDecoder(bytes.NewReader(text)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{"-columns 0", "-rows x", "-rounds 0", "more"} {
		if status := run(strings.Fields(args), io.Discard, io.Discard); status != 2 {
			t.Errorf("%s: status %d, want 2", args, status)
		}
	}
}

// TestReader checks that the reader has the rows that it is asked for.
func TestReader(t *testing.T) {
	w := &work{text: []byte(strings.Repeat("1\t2\n", visibility.GroupRows))}
	for _, rows := range []int{0, 1, visibility.GroupRows - 1, visibility.GroupRows, 2*visibility.GroupRows + 5} {
		text, err := io.ReadAll(w.reader(rows))
		if err != nil || bytes.Count(text, []byte("\n")) != rows {
			t.Errorf("%d rows: %d, %v", rows, bytes.Count(text, []byte("\n")), err)
		}
	}
}
