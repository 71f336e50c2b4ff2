//go:build unix

package acceptance

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// prompt is how long a command may go on after SIGINT before it counts as hanging. The design
// says 50 ms, which bench/cancel measures; a busy machine must not fail the test.
const prompt = 30 * time.Second

// TestInterruptedOutput sends SIGINT to a COPY TO and to a query that wait: for somebody to
// open a named pipe, and for somebody to read what was written.
func TestInterruptedOutput(t *testing.T) {
	store := newTable(t)
	must(t, "sql", store, "-c", "INSERT INTO t SELECT g, 'some text that fills the pipe' FROM generate_series(1, 200000) g")
	fifo := func(open bool) string {
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		if open {
			f, err := os.OpenFile(pipe, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
		}
		return pipe
	}
	for _, args := range [][]string{
		{"copy", store, "t", "to", "-"},
		{"copy", store, "t", "to", fifo(false)},
		{"copy", store, "t", "to", fifo(true)},
		{"sql", store, "-c", "SELECT * FROM t"},
	} {
		cmd := exec.Command(program, append(args, "--errors", "json")...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		errs, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var began time.Time
		interrupt := time.AfterFunc(300*time.Millisecond, func() {
			began = time.Now()
			cmd.Process.Signal(os.Interrupt)
		})
		kill := time.AfterFunc(300*time.Millisecond+prompt, func() { cmd.Process.Kill() })
		told, err := io.ReadAll(errs)
		if err != nil {
			t.Error(err)
		}
		stopped := !interrupt.Stop() // and so it was sent
		heeded := kill.Stop()
		out.Close()
		cmd.Wait() // its status is looked at
		e := ended{t, args, "", string(told), cmd.ProcessState.ExitCode()}
		if !stopped || !heeded {
			t.Errorf("%v: interrupted %t, ended by itself %t\n%s", args, stopped, heeded, told)
			continue
		}
		if f := e.failed(130); f.SQLState != "57014" || f.Message != "canceling statement due to user request" {
			t.Errorf("%v: %+v", args, f)
		}
		t.Logf("%v: %v", args, time.Since(began))
	}
}
