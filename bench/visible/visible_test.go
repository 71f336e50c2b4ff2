package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/visibility"
)

// TestRun makes a short run and reads what it leaves.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var out, errs strings.Builder
	if code := run([]string{"-checks", "10000", "-rounds", "2", "-groups", "1", "-goroutines", "1,3", "-results", dir}, &out, &errs); code != 0 {
		t.Fatalf("exit status %d: %s", code, errs.String())
	}
	if lines := strings.Count(out.String(), "\n"); lines != 2+len(patterns)+2 {
		t.Errorf("a table of %d lines:\n%s", lines, out.String())
	}
	files, err := filepath.Glob(filepath.Join(dir, "visible-*.txt"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), "\n1 "); n != len(patterns)*2*2 {
		t.Errorf("%d measurements:\n%s", n, raw)
	}
	for _, bad := range [][]string{{"-goroutines", "0"}, {"-groups", "x"}, {"-rounds", "0"}, {"more"}} {
		if code := run(bad, &out, &errs); code != 2 {
			t.Errorf("%v: exit status %d", bad, code)
		}
	}
}

// TestCheck holds that check asks for as many ids as it is told, from anywhere.
func TestCheck(t *testing.T) {
	c := config{groups: []int{2}, goroutines: []int{1}}
	for _, s := range c.cases() {
		want := 0
		ids := s.ids[:1000]
		for i := range 2500 {
			want += one(s.table.Visible(ids[(990+i)%1000]))
		}
		if got := check(s.table, ids, 990, 2500); got != want {
			t.Errorf("%s: %d of 2500 rows, want %d", s.deleted, got, want)
		}
		if live := s.table.Live(); s.deleted == "row-0" && live != 2*(visibility.GroupRows-1) {
			t.Errorf("%d rows are left of two groups without their first", live)
		}
	}
}
