package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is an ingot on a terminal of its own.
type terminal struct {
	t   *testing.T
	cmd *exec.Cmd
	tty *os.File // the user's side

	mu   sync.Mutex
	seen strings.Builder // what came and expect has not passed
	all  strings.Builder // what came
	more *sync.Cond
	end  bool
}

// openTerminal returns the two sides of a new pseudo-terminal.
func openTerminal(t *testing.T) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("needs /dev/ptmx: %v", err)
	}
	fd := int(user.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100}); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return user, program
}

func startTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	user, program := openTerminal(t)
	c := &terminal{t: t, cmd: exec.Command("ingot", args...), tty: user}
	c.more = sync.NewCond(&c.mu)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = program, program, program
	c.cmd.Env = append(os.Environ(), "TERM=xterm", "XDG_CACHE_HOME="+t.TempDir())
	c.cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	go c.read()
	t.Cleanup(func() {
		if c.cmd.ProcessState == nil {
			c.cmd.Process.Kill()
			c.cmd.Wait()
		}
		user.Close()
	})
	return c
}

// read collects what the program writes until it closes its side.
func (c *terminal) read() {
	b := make([]byte, 4096)
	for {
		n, err := c.tty.Read(b)
		c.mu.Lock()
		c.seen.Write(b[:n])
		c.all.Write(b[:n])
		c.end = err != nil
		c.more.Broadcast()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// expect waits until text has come and forgets everything up to it.
func (c *terminal) expect(text string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if _, after, found := strings.Cut(c.seen.String(), text); found {
			c.seen.Reset()
			c.seen.WriteString(after)
			return
		}
		if c.end {
			c.t.Fatalf("%q did not come; there was %q", text, c.seen.String())
		}
		c.more.Wait()
	}
}

func (c *terminal) typed(text string) {
	c.t.Helper()
	if _, err := c.tty.WriteString(text); err != nil {
		c.t.Fatal(err)
	}
}

// TestShell talks to the shell as a user does.
func TestShell(t *testing.T) {
	c := startTerminal(t, "sql", filepath.Join(t.TempDir(), "st"))
	c.expect("ingot> ")
	c.typed("CREATE TABLE t (a int NOT NULL);\r")
	c.expect("CREATE TABLE")
	c.typed("INSERT INTO t\r")
	c.expect("-> ")
	c.typed("VALUES (1), (2);\r")
	c.expect("INSERT 0 2")
	c.typed("SELECT a FROM t WHERE a > 1;\r")
	c.expect("│ 2 │")
	c.expect("SELECT 1")
	c.typed("\\d t\r")
	c.expect("a int4 NOT NULL")
	c.typed("\\mode ndjson\r")
	c.typed("SELECT sum(a) AS s FROM t;\r")
	c.expect(`{"s":3}`)
	c.typed("COPY t FROM STDIN CSV;\r")
	c.expect(">> ")
	c.typed("7\r")
	c.expect(">> ")
	c.typed("\\.\r")
	c.expect("COPY 1")
	c.typed("BEGIN;\r")
	c.expect("ingot*> ")
	c.typed("SELECT 1/0;\r")
	c.expect("22012")
	c.expect("ingot!> ")
	c.typed("ROLLBACK;\r")
	c.expect("ROLLBACK")
	c.expect("ingot> ")
	c.typed("SELECT half\x01") // to the beginning, which draws the line anew
	c.expect("ingot> SELECT half")
	c.typed("\x03")
	c.expect("ingot> ")
	c.typed("\\q\r")
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestProgressBar holds a COPY open until its bar is on the terminal.
func TestProgressBar(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Skipf("needs mkfifo: %v", err)
	}
	store := filepath.Join(dir, "st")
	if _, stderr, status := command(t, "sql", store, "-c", "CREATE TABLE t (a int)"); status != 0 {
		t.Fatal(stderr)
	}
	c := startTerminal(t, "copy", store, "t", "from", fifo)
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString("1\n2\n"); err != nil {
		t.Fatal(err)
	}
	c.expect(" rows")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c.expect("COPY 2")
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Contains(c.all.String(), "\x1b[3") {
		t.Errorf("there is colour: %q", c.all.String())
	}
}
