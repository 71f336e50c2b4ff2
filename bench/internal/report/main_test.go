package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocument: the tables of docs/BENCHMARKS.md are those of their raw files.
func TestDocument(t *testing.T) {
	var errs strings.Builder
	root := filepath.Join("..", "..", "..")
	if status := run([]string{"-check", "-doc", filepath.Join(root, "docs", "BENCHMARKS.md"), "-results", filepath.Join(root, "bench", "results")}, &errs); status != 0 {
		t.Errorf("%s(go run ./bench/internal/report writes it)", errs.String())
	}
}

// TestFiles: a raw file that a document names is there.
func TestFiles(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	named := regexp.MustCompile(`[a-z-]+-\d{4}-\d{2}-\d{2}(T\d{6})?\.(txt|svg)`)
	for _, doc := range []string{"README.md", "docs/BENCHMARKS.md", "docs/COPY.md", "docs/ARCHITECTURE.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(doc)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range named.FindAllString(string(text), -1) {
			if _, err := os.Stat(filepath.Join(root, "bench", "results", name)); err != nil {
				t.Errorf("%s names %s: %v", doc, name, err)
			}
		}
	}
}

// newResults makes a directory of raw files, each of one load by ingot and one by another.
func newResults(t *testing.T, walls map[string]string) string {
	dir := t.TempDir()
	for name, wall := range walls {
		text := "# cpu: fast\n# scale: 1\n" +
			`{"input":"mixed","threads":2,"loader":"ingot","durable":true,"rows":1,"wall_ns":` + wall + "}\n" +
			`{"input":"mixed","threads":2,"loader":"duckdb","durable":true,"rows":1,"wall_ns":9000000000}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRegenerate(t *testing.T) {
	dir := newResults(t, map[string]string{"load-2026-01-02.txt": "1000000000", "load-2026-01-02T090000.txt": "3000000000", "load-other-2027-01-01.txt": "5000000000", "load.txt": "7000000000"})
	const text = "a\n<!-- table loads load-2026-01-02.txt loader=ingot -->\nold\n<!-- end of table -->\nb\n<!-- table machine load-2026-01-02.txt -->\n<!-- end of table -->"
	got, err := regenerate(text, dir, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a\n<!-- table loads load-2026-01-02.txt loader=ingot -->\n\n", "| mixed, - | 1.00 |\n\n<!-- end of table -->\nb\n", "cpu: fast; scale: 1\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "duckdb") || strings.Contains(got, "old") {
		t.Errorf("got\n%s", got)
	}
	again, err := regenerate(got, dir, false)
	if err != nil || again != got {
		t.Errorf("again it is %v\n%s", err, again)
	}
	latest, err := regenerate(got, dir, true)
	if err != nil || strings.Count(latest, "load-2026-01-02T090000.txt") != 2 || !strings.Contains(latest, "| 3.00 |") {
		t.Errorf("the latest is %v\n%s", err, latest)
	}
}

func TestRegenerateErrors(t *testing.T) {
	dir := newResults(t, map[string]string{"load-2026-01-02.txt": "1"})
	for _, bad := range []string{
		"<!-- table loads load-2026-01-02.txt",
		"<!-- table loads load-2026-01-02.txt -->",
		"<!-- table loads load-2026-01-02.txt -->\n<!-- table loads load-2026-01-02.txt -->\n<!-- end of table -->",
		"<!-- table nothing load-2026-01-02.txt -->\n<!-- end of table -->",
		"<!-- table loads -->\n<!-- end of table -->",
		"<!-- table loads load-2026-01-03.txt -->\n<!-- end of table -->",
		"<!-- table loads load-2026-01-02.txt color=red -->\n<!-- end of table -->",
		"<!-- table pivot load-2026-01-02.txt by=loader across=threads value=nothing -->\n<!-- end of table -->",
		"<!-- table pivot load-2026-01-02.txt by=loader across=threads value=wall_ns loader=nobody -->\n<!-- end of table -->",
		"<!-- table pivot load-2026-01-02.txt by=loader across=threads value=wall_ns per=0 -->\n<!-- end of table -->",
		"<!-- table loads load-2026-01-02.txt loader=nobody -->\n<!-- end of table -->",
	} {
		if got, err := regenerate(bad, dir, false); err == nil {
			t.Errorf("%q is accepted: %q", bad, got)
		}
	}
	for _, name := range []string{"load.txt", "small-2026-01-02.txt"} {
		if got, err := newest(dir, name); err == nil {
			t.Errorf("the newest %s is %s", name, got)
		}
	}
}

func TestPivot(t *testing.T) {
	dir := newResults(t, map[string]string{"load-2026-01-02.txt": "1500000000"})
	got, err := regenerate("<!-- table pivot load-2026-01-02.txt by=input across=loader value=wall_ns unit=s loader=ingot -->\n<!-- end of table -->", dir, false)
	if err != nil || !strings.Contains(got, "\n\n| input | ingot |\n|---|--:|\n| mixed | 1.500 |\n\n") {
		t.Errorf("got %v\n%s", err, got)
	}
	got, err = regenerate("<!-- table pivot load-2026-01-02.txt by=input across=loader value=wall_ns unit=ns per=400000000 loader=ingot -->\n<!-- end of table -->", dir, false)
	if err != nil || !strings.Contains(got, "| mixed | 3.75 |\n") {
		t.Errorf("got %v\n%s", err, got)
	}
}

// TestRun writes a document, and finds it current then.
func TestRun(t *testing.T) {
	dir := newResults(t, map[string]string{"load-2026-01-02.txt": "1"})
	doc := filepath.Join(dir, "doc.md")
	if err := os.WriteFile(doc, []byte("<!-- table loads load-2026-01-02.txt -->\n<!-- end of table -->\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 0, 0} {
		args := []string{"-doc", doc, "-results", dir}
		if i != 1 {
			args = append(args, "-check")
		}
		if got := run(args, io.Discard); got != want {
			t.Errorf("run %d: status %d, want %d", i, got, want)
		}
	}
	if got := run([]string{"more"}, io.Discard); got != 2 {
		t.Errorf("an argument: status %d", got)
	}
}
