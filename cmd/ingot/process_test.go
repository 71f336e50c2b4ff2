package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// process is an ingot that a test talks to.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command("ingot", args...)}
	p.cmd.Stderr = &p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			p.cmd.Process.Kill()
			p.cmd.Wait()
		}
	})
	return p
}

func (p *process) write(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		p.t.Fatal(err)
	}
}

// line returns the next line of stdout.
func (p *process) line() string {
	p.t.Helper()
	s, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("stdout: %v; stderr: %s", err, p.stderr.String())
	}
	return strings.TrimSuffix(s, "\n")
}

// wait returns the exit status.
func (p *process) wait() int {
	p.t.Helper()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// command runs the command to its end and returns its output and exit status.
func command(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("ingot", args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// TestInterrupt sends SIGINT while a COPY waits for more data: the command ends with
// status 130 and nothing of the COPY is there.
func TestInterrupt(t *testing.T) {
	store := filepath.Join(t.TempDir(), "st")
	p := start(t, "sql", store, "--mode", "csv")
	p.write("CREATE TABLE t (a int); INSERT INTO t VALUES (1); SELECT count(*) AS n FROM t;\n")
	if got := p.line() + " " + p.line(); got != "n 1" {
		t.Fatalf("got %q", got)
	}
	p.write("COPY t FROM STDIN CSV;\n" + strings.Repeat("2\n", 1000))
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if status := p.wait(); status != statusInterrupted {
		t.Errorf("exit status %d, want %d; stderr:\n%s", status, statusInterrupted, p.stderr.String())
	}
	if !strings.Contains(p.stderr.String(), "57014") {
		t.Errorf("stderr has no 57014:\n%s", p.stderr.String())
	}
	out, _, status := command(t, "sql", store, "--mode", "csv", "-c", "SELECT count(*) AS n FROM t")
	if out != "n\n1\n" || status != 0 {
		t.Errorf("after the interruption: status %d, %q", status, out)
	}
	if out, _, status := command(t, "check", store); status != 0 {
		t.Errorf("check: status %d, %s", status, out)
	}
}

// TestEachTagAtOnce checks that a statement that came through a pipe is run and answered
// before the next one is written.
func TestEachTagAtOnce(t *testing.T) {
	p := start(t, "sql", filepath.Join(t.TempDir(), "st"), "--mode", "csv")
	for i := range 3 {
		p.write(fmt.Sprintf("SELECT %d AS i;\n", i))
		if got := p.line() + " " + p.line(); got != "i "+strconv.Itoa(i) {
			t.Fatalf("got %q", got)
		}
	}
	p.in.Close()
	if status := p.wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

// TestLocked opens a store that another process holds.
func TestLocked(t *testing.T) {
	store := filepath.Join(t.TempDir(), "st")
	p := start(t, "sql", store, "--mode", "csv")
	p.write("SELECT 1 AS i;\n")
	p.line()
	_, stderr, status := command(t, "sql", store, "--errors", "json", "-c", "SELECT 1")
	if status != statusNotOpen {
		t.Errorf("exit status %d, want %d", status, statusNotOpen)
	}
	if want := fmt.Sprintf("process %d", p.cmd.Process.Pid); !strings.Contains(stderr, want) || !strings.Contains(stderr, `"sqlstate":"55P03"`) {
		t.Errorf("stderr does not name %s:\n%s", want, stderr)
	}
	p.in.Close()
	if status := p.wait(); status != 0 {
		t.Errorf("the holder's exit status is %d", status)
	}
}

// TestCheckFindsDamage flips a byte of a value: check says so and exits with 1.
func TestCheckFindsDamage(t *testing.T) {
	store := filepath.Join(t.TempDir(), "st")
	if _, stderr, status := command(t, "copy", store, "flights", "from", "../../examples/flights.csv", "--create"); status != 0 {
		t.Fatal(stderr)
	}
	// The load is smaller than what travels in the log only if it has no file of its own.
	name := filepath.Join(store, "data-1")
	if _, err := os.Stat(name); err != nil {
		name = filepath.Join(store, "log-1")
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(b, []byte("LASPHL"))
	if i < 0 {
		i = bytes.Index(b, []byte("LAS"))
	}
	if i < 0 {
		t.Fatalf("%s does not hold the values", name)
	}
	b[i] ^= 1
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr, status := command(t, "check", store)
	if status != statusFailed || !strings.Contains(out, "damage") {
		t.Errorf("check: status %d\n%s%s", status, out, stderr)
	}
}

// TestFullDevice writes to a device that is always full: an error, and the rest of the
// session goes on to be refused.
func TestFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	var stderr bytes.Buffer
	cmd := exec.Command("ingot", "sql", filepath.Join(t.TempDir(), "st"), "-c", "SELECT 1", "-c", "SELECT 2")
	cmd.Stdout, cmd.Stderr = full, &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != statusFailed {
		t.Errorf("%v; stderr:\n%s", err, stderr.String())
	}
	if !strings.Contains(stderr.String(), syscall.ENOSPC.Error()) || strings.Contains(stderr.String(), "SELECT 2") {
		t.Errorf("stderr:\n%s", stderr.String())
	}
}
