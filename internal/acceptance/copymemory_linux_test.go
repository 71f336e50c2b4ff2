package acceptance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fed runs the command with what write writes as its standard input, and returns the most
// anonymous memory that it had, in bytes, as far as looking every few milliseconds shows.
func fed(t *testing.T, write func(w io.Writer) error, args ...string) (e ended, peak int64) {
	t.Helper()
	cmd := exec.Command(program, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	end := start(t, cmd, args)
	written, watched := make(chan error, 1), make(chan int64, 1)
	stop := make(chan struct{})
	go func() {
		err := write(in)
		in.Close()
		written <- err
	}()
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		most := int64(0)
		for {
			most = max(most, anonymous(cmd.Process.Pid))
			select {
			case <-tick.C:
			case <-stop:
				watched <- most
				return
			}
		}
	}()
	e = end()
	close(stop)
	if err := <-written; err != nil && e.status == 0 {
		t.Error(err) // one that fails does not read on
	}
	return e, <-watched
}

// anonymous returns the RssAnon of a process, 0 if it has ended.
func anonymous(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(b), "RssAnon:")
	number, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	n, _ := strconv.ParseInt(number, 10, 64) // a kernel without it
	return n << 10
}

// repeated writes n bytes and more of repetitions of s.
func repeated(s string, n int) func(w io.Writer) error {
	return func(w io.Writer) error {
		b := bytes.Repeat([]byte(s), 1+(1<<20)/len(s))
		for left := n; left > 0; left -= len(b) {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestMemoryOfLoad loads much, from a file and from a stream: buffers do not grow with it.
func TestMemoryOfLoad(t *testing.T) {
	size := 120 << 20
	if soak() {
		size = 1000 << 20
	}
	var lines strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&lines, "%d,\"abc, %s\"\n", i*7919, strings.Repeat("def ", i%20))
	}
	data := repeated(lines.String(), size)
	path := filepath.Join(t.TempDir(), "in.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := data(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	none := func(io.Writer) error { return nil }
	for _, c := range []struct {
		from  string
		write func(io.Writer) error
	}{{path, none}, {"-", data}} {
		e, peak := fed(t, c.write, "copy", newTable(t), "t", "from", c.from, "--stats", "json")
		e.want(0)
		var s statistics
		if e.object("reservations", &s); s.Bytes < int64(size) {
			t.Errorf("%d bytes of %d were read", s.Bytes, size)
		}
		t.Logf("%d bytes from %s: %d bytes of memory", size, filepath.Base(c.from), peak)
		if peak >= 100_000_000 {
			t.Errorf("%d bytes from %s took %d bytes of memory", size, c.from, peak)
		}
	}
}

// TestHostileSizes gives inputs that claim much, or that make much of little. Each fails,
// and takes no more memory than its bytes justify.
func TestHostileSizes(t *testing.T) {
	const base = 64 << 20 // what any load may take
	bin := func(parts ...any) func(io.Writer) error {
		return func(w io.Writer) error {
			if _, err := io.WriteString(w, "PGCOPY\n\xff\r\n\x00"); err != nil {
				return err
			}
			for _, p := range parts {
				if err := binary.Write(w, binary.BigEndian, p); err != nil {
					return err
				}
			}
			return nil
		}
	}
	long := 96 << 20
	if soak() {
		long = 3 << 30
	}
	type input struct {
		name, format string
		write        func(io.Writer) error
		state        string
		most         int64
	}
	for _, c := range []input{
		{"extension", "binary", bin(int32(0), int32(1<<31-1)), "22P04", base},
		{"fields", "binary", bin(int32(0), int32(0), int16(1<<15-1)), "22P04", base},
		{"field", "binary", bin(int32(0), int32(0), int16(2), int32(4), int32(1), int32(1<<31-1), []byte("abc")), "22P04", base},
		{"zeros", "csv", repeated("\x00", long), "22021", 3 * base},
		{"delimiters", "csv", repeated(",", 96<<20), "22P04", 5 * 96 << 20},
		{"open quote", "csv", func(w io.Writer) error {
			if _, err := io.WriteString(w, `1,"`); err != nil {
				return err
			}
			return repeated("x", long)(w)
		}, "22P04", base + 4*int64(long)},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, peak := fed(t, c.write, "copy", newTable(t), "t", "from", "-", "-o", "format="+c.format, "--errors", "json")
			f := e.failed(1)
			t.Logf("%d bytes of memory", peak)
			if f.SQLState != c.state {
				t.Errorf("%+v, want %s", f, c.state)
			}
			if peak > c.most {
				t.Errorf("%d bytes of memory, want %d at most", peak, c.most)
			}
			if len(e.stderr) > 1<<20 {
				t.Errorf("the error is %d bytes long", len(e.stderr))
			}
		})
	}
}

// TestBomb loads compressed files that hold much more than they should.
func TestBomb(t *testing.T) {
	for _, c := range []struct{ name, text, state string }{
		{"zeros", "\x00", "22021"},
		{"one field", "x", "54000"},
	} {
		path := filepath.Join(t.TempDir(), "bomb.csv.gz")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		out := bufio.NewWriter(f)
		z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if err := repeated(c.text, 200<<20)(z); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		e, peak := fed(t, func(io.Writer) error { return nil }, "copy", newTable(t), "t", "from", path, "--errors", "json")
		got := e.failed(1)
		t.Logf("%s: %d bytes of memory", c.name, peak)
		if got.SQLState != c.state || got.File != path || peak > 400<<20 {
			t.Errorf("%s: %+v with %d bytes of memory, want %s", c.name, got, peak, c.state)
		}
	}
}
