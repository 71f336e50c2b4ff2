package measure

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTimed(t *testing.T) {
	s, err := Timed(func() error { return nil })
	if err != nil || s.WallNS <= 0 || s.CPUNS < 0 {
		t.Errorf("got %+v, %v", s, err)
	}
	failed := errors.New("no")
	if s, err := Timed(func() error { return failed }); err != failed || s.WallNS != 0 {
		t.Errorf("a failure took %+v, %v", s, err)
	}
}

func TestBuild(t *testing.T) {
	err := Build(filepath.Join("..", "..", ".."), "./nothing", filepath.Join(t.TempDir(), "nothing"))
	if err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("got %v", err)
	}
}

func TestRunJSON(t *testing.T) {
	var v struct{ A int }
	if _, err := RunJSON(exec.Command("echo", `{"a":3}`), &v); err != nil || v.A != 3 {
		t.Errorf("got %+v, %v", v, err)
	}
	if _, err := RunJSON(exec.Command("echo", "rows"), &v); err == nil || !strings.Contains(err.Error(), `"rows\n"`) {
		t.Errorf("got %v", err)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		v    []int64
		want int64
	}{
		{nil, 0}, {[]int64{7}, 7}, {[]int64{9, 1}, 5}, {[]int64{9, 1, 5}, 5}, {[]int64{4, 1, 3, 2}, 2},
	} {
		if got := Median(c.v); got != c.want {
			t.Errorf("Median(%v) = %d, want %d", c.v, got, c.want)
		}
	}
	if got := Median([]float64{2.5, 1, 7, 2}); got != 2.25 {
		t.Errorf("the median of fractions is %v", got)
	}
	v := []int64{3, 1, 2}
	Median(v)
	if v[0] != 3 {
		t.Error("Median has changed its argument")
	}
}

func TestMedians(t *testing.T) {
	got := Medians([]Sample{
		{Rows: 5, WallNS: 3, CPUNS: 10, Version: "v", Stages: map[string]Stage{"read": {NS: 1, Bytes: 4}}},
		{Rows: 5, WallNS: 1, CPUNS: 30, Stages: map[string]Stage{"read": {NS: 9, Bytes: 4}}},
		{Rows: 5, WallNS: 2, CPUNS: 20, Stages: map[string]Stage{"read": {NS: 5, Bytes: 4}}},
	})
	if got.Rows != 5 || got.WallNS != 2 || got.CPUNS != 20 || got.Version != "v" || got.Stages["read"] != (Stage{5, 4}) {
		t.Errorf("got %+v", got)
	}
}

func TestSeconds(t *testing.T) {
	for ns, want := range map[int64]string{12_345_678_900: "12.3", 1_234_567_890: "1.23", 12_345_678: "0.012"} {
		if got := Seconds(ns); got != want {
			t.Errorf("Seconds(%d) = %s, want %s", ns, got, want)
		}
	}
}

func TestHeader(t *testing.T) {
	var b bytes.Buffer
	if err := writeHeader(&b, t.TempDir(), "rounds: 3", "skipped: all:\nno compiler"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# date: ", "# cpu: ", "# kernel: ", "# go: go1", "# level: ", "# file system: ", "# load average: ", "# rounds: 3\n# skipped: all: no compiler\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the header has no %q:\n%s", want, b.String())
		}
	}
}

func TestProbeDiskRemovesItsFile(t *testing.T) {
	dir := t.TempDir()
	ns, err := ProbeDisk(dir, 3<<20+1)
	if err != nil || ns <= 0 {
		t.Fatal(ns, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestRunTellsWhy(t *testing.T) {
	_, err := Run(exec.Command("sh", "-c", "echo no such table >&2; exit 3"))
	if err == nil || !strings.Contains(err.Error(), "no such table") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v", err)
	}
}

// TestTreeSeesGrandchildren starts a shell with a child of its own; both wait for input.
func TestTreeSeesGrandchildren(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("needs /proc")
	}
	cmd := exec.Command("sh", "-c", "(echo ready; read x; true); true")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	pids, anon := Tree(cmd.Process.Pid), AnonBytes(cmd.Process.Pid)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(pids) != 2 || pids[0] != cmd.Process.Pid {
		t.Errorf("Tree is %v, want two processes", pids)
	}
	if anon <= 0 {
		t.Errorf("two shells have %d bytes of anonymous memory", anon)
	}
}

func TestDirBytes(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "b"), make([]byte, 100_000), 0o644); err != nil {
		t.Fatal(err)
	}
	n, err := DirBytes(dir)
	if err != nil || n < 100_000 || n > 200_000 {
		t.Errorf("got %d, %v", n, err)
	}
}

func TestCreateRawKeepsTheFirst(t *testing.T) {
	dir := t.TempDir()
	a, err := CreateRaw(dir, "load", dir, "rounds: 3")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := CreateRaw(dir, "load", dir, "rounds: 3")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if a.Name() == b.Name() {
		t.Errorf("both are %s", a.Name())
	}
	if err := WriteEnd(a); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(a.Name())
	if err != nil || !strings.Contains(string(text), "\n# rounds: 3\n# load average at the end: ") {
		t.Errorf("%v: %s", err, text)
	}
}

func TestCommandEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := Command(ctx, "sh", "-c", "trap 'exit 7' INT; echo ready; while :; do read x || :; done")
	in, err := cmd.StdinPipe() // open, so that the shell waits
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("got %v, exit code %d", err, cmd.ProcessState.ExitCode())
	}
}
