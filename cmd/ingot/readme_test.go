package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme runs the commands of README's console blocks in order, in a directory with
// the examples, and compares what they print with what README says. INGOT_UPDATE=1 writes
// what they print into README.
func TestReadme(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "README.md")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	blocks := 0
	got := console.ReplaceAllStringFunc(string(b), func(block string) string {
		blocks++
		body := strings.TrimSuffix(strings.TrimPrefix(block, fence+"console\n"), fence+"\n")
		return fence + "console\n" + runBlock(t, dir, body) + fence + "\n"
	})
	if blocks == 0 {
		t.Fatal("README has no console block")
	}
	if os.Getenv("INGOT_UPDATE") != "" {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, got := masked(string(b)), masked(got)
	if want == got {
		return
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			t.Fatalf("README line %d says\n%s\nbut the command prints\n%s\nINGOT_UPDATE=1 go test ./cmd/ingot -run TestReadme takes it over", i+1, w[i], g[i])
		}
	}
	t.Fatalf("README has %d lines, with what the commands print it has %d", len(w), len(g))
}

const fence = "```"

var (
	console = regexp.MustCompile("(?s)```console\n.*?```\n")

	// varying is what differs from run to run in what the commands print, and the sizes
	// that follow from details of how values are stored.
	varying = regexp.MustCompile(`("(?:wall_ns|cpu_ns|minor_faults|ns|(?:\w+_)?bytes)":)\d+|(\A|[ ,])\d+( bytes\b)`)
)

// masked returns text with N for every number that varies.
func masked(text string) string { return varying.ReplaceAllString(text, "${1}${2}N${3}") }

// runBlock runs the commands of a block and returns the block with what they print. A
// command starts with "$ " and goes on as long as its lines end in a backslash or a quote
// is open.
func runBlock(t *testing.T, dir, body string) string {
	t.Helper()
	var out strings.Builder
	for _, part := range strings.Split("\n"+body, "\n$ ")[1:] {
		command := cutCommand(part)
		out.WriteString("$ " + command + "\n")
		if command == "go build ./cmd/ingot" {
			continue
		}
		text := strings.NewReplacer("go run ./cmd/ingot ", "ingot ", "./ingot ", "ingot ").Replace(command)
		cmd := exec.Command("sh", "-c", text)
		cmd.Dir = dir
		b, err := cmd.CombinedOutput()
		if _, exited := err.(*exec.ExitError); err != nil && !exited {
			t.Fatalf("%s: %v", command, err)
		}
		out.Write(b)
	}
	return out.String()
}

// cutCommand returns the command that text begins with.
func cutCommand(text string) string {
	command := ""
	for {
		line, rest, _ := strings.Cut(text[len(command):], "\n")
		command += line
		if rest == "" || !strings.HasSuffix(line, "\\") && strings.Count(command, `"`)%2 == 0 {
			return command
		}
		command += "\n"
	}
}
