package acceptance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program is the command. It lies in a directory that every user may enter.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "ingot-acceptance-")
		if err == nil {
			defer os.RemoveAll(dir)
			err = os.Chmod(dir, 0o755)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		program = filepath.Join(dir, "ingot")
		if out, err := exec.Command("go", "build", "-o", program, "../../cmd/ingot").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// soak reports whether the full sizes are asked for.
func soak() bool { return os.Getenv("INGOT_SOAK") != "" }

// ended is how a command ended.
type ended struct {
	t              *testing.T
	args           []string
	stdout, stderr string
	status         int
}

// run runs the command to its end.
func run(t *testing.T, args ...string) ended {
	t.Helper()
	return wait(t, exec.Command(program, args...), args)
}

// wait starts cmd and waits for its end.
func wait(t *testing.T, cmd *exec.Cmd, args []string) ended {
	t.Helper()
	return start(t, cmd, args)()
}

// start starts cmd. What it returns waits for the end.
func start(t *testing.T, cmd *exec.Cmd, args []string) func() ended {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() ended {
		t.Helper()
		if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Fatal(err)
		}
		return ended{t, args, out.String(), errs.String(), cmd.ProcessState.ExitCode()}
	}
}

// must runs the command, which has to succeed, and returns its standard output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	e := run(t, args...)
	e.want(0)
	return e.stdout
}

func (e ended) want(status int) {
	e.t.Helper()
	if e.status != status {
		e.t.Fatalf("ingot %s: status %d, want %d\n%s%s", strings.Join(e.args, " "), e.status, status, e.stdout, e.stderr)
	}
}

// object decodes the line of stderr that is a JSON object with the key.
func (e ended) object(key string, into any) {
	e.t.Helper()
	for line := range strings.Lines(e.stderr) {
		if strings.HasPrefix(line, "{") && strings.Contains(line, `"`+key+`":`) {
			if err := json.Unmarshal([]byte(line), into); err != nil {
				e.t.Fatalf("%s: %v", line, err)
			}
			return
		}
	}
	e.t.Fatalf("ingot %s: no JSON object with %q in\n%s", strings.Join(e.args, " "), key, e.stderr)
}

// failure is what --errors json prints.
type failure struct {
	SQLState, Message, Hint, Table, File, Column string

	Line int64
}

// failed returns the error that the command ended with; args contain --errors json.
func (e ended) failed(status int) (f failure) {
	e.t.Helper()
	e.want(status)
	e.object("sqlstate", &f)
	return f
}

// statistics is what --stats json prints for a COPY.
type statistics struct {
	Rows, Bytes   int64
	Cardinality   string
	Workers       int
	Reservations  int
	ReservedBytes int64 `json:"reserved_bytes"`
	UsedBytes     int64 `json:"used_bytes"`
}

// count returns the number of rows of a table.
func count(t *testing.T, store, table string) string {
	t.Helper()
	out := must(t, "sql", store, "--mode", "csv", "-c", "SELECT count(*) AS n FROM "+table)
	return strings.TrimSpace(strings.TrimPrefix(out, "n\n"))
}

// files returns the names in a directory, without what every open store has.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if n := e.Name(); n != "LOCK" && n != "SB" && !strings.HasPrefix(n, "log-") {
			names = append(names, n)
		}
	}
	return names
}

// writeLines writes n records of two columns to a new file.
func writeLines(t *testing.T, n int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(path, bytes.Repeat([]byte(record), n), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const record = "123,abc\n"

// newTable makes a store with an empty table for writeLines.
func newTable(t *testing.T) (store string) {
	t.Helper()
	store = filepath.Join(t.TempDir(), "st")
	must(t, "sql", store, "-c", "CREATE TABLE t (a int, b text)")
	return store
}
