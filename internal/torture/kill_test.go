//go:build unix

package torture

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
)

// childEnv tells the test binary that it is a child, and gives it its orders: engine,
// durability, seed, scale, store and expected-state file, separated by spaces.
const childEnv = "INGOT_TORTURE_CHILD"

func TestMain(m *testing.M) {
	if orders := os.Getenv(childEnv); orders != "" {
		if err := child(orders); err != nil {
			fmt.Printf("failed %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// orders is what a child is told.
type orders struct {
	engine     string
	durability columnar.Durability
	seed       uint64
	scale      int
	store      string
	expected   string
}

func (o orders) String() string {
	return fmt.Sprintf("%s %d %d %d %s %s", o.engine, o.durability, o.seed, o.scale, o.store, o.expected)
}

func parseOrders(s string) (o orders, err error) {
	_, err = fmt.Sscanf(s, "%s %d %d %d %s %s", &o.engine, &o.durability, &o.seed, &o.scale, &o.store, &o.expected)
	return o, err
}

func (o orders) open() (engine, error) {
	if o.engine == "facade" {
		return openFacade(o.store, o.durability)
	}
	return openDirect(o.store, o.durability)
}

// after returns the state after n statements.
func (o orders) after(n int) *state {
	s := newState()
	for s.done < n {
		s.apply(s.next(o.seed, o.scale))
	}
	return s
}

// child opens the store, compares it with the expected state and says on its standard
// output "open N" when it is after N statements; then it runs the next ones and says
// "begin N" and "ack N" around each, until it is killed.
func child(text string) error {
	o, err := parseOrders(text)
	if err != nil {
		return err
	}
	acked, begun, err := readExpected(o.expected)
	if err != nil {
		return err
	}
	e, err := o.open()
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	s, err := o.locate(e, acked, begun)
	if err != nil {
		return err
	}
	fmt.Printf("open %d\n", s.done)
	for {
		st := s.next(o.seed, o.scale)
		fmt.Printf("begin %d\n", s.done)
		if err := e.run(st); err != nil {
			return fmt.Errorf("statement %d, %v: %w", s.done, st, err)
		}
		fmt.Printf("ack %d\n", s.done)
		s.apply(st)
	}
}

// locate returns the state from acked to begun that the store is at.
func (o orders) locate(e engine, acked, begun int) (*state, error) {
	if acked == 0 {
		if err := e.prepare(); err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
	}
	got, err := e.digest()
	if err != nil {
		return nil, err
	}
	var want []string
	for n := acked; n <= begun; n++ {
		s := o.after(n)
		if s.digest() == got {
			return s, nil
		}
		want = append(want, s.digest())
	}
	return nil, fmt.Errorf("the store holds {%s}; after %d acknowledged and %d begun statements it should hold {%s}",
		got, acked, begun, strings.Join(want, "} or {"))
}

func readExpected(path string) (acked, begun int, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(string(b), &acked, &begun)
	return acked, begun, err
}

func writeExpected(path string, acked, begun int) error {
	return os.WriteFile(path, fmt.Appendln(nil, acked, begun), 0o600)
}

// TestKill kills children at random moments, for each engine and durability. SIGKILL
// leaves the page cache, so nothing acknowledged may be missing under durability none
// either.
func TestKill(t *testing.T) {
	kills, push := 6, 10*time.Second
	if os.Getenv("INGOT_SOAK") == "1" {
		kills, push = 50, time.Hour
	}
	total := 0
	for _, engine := range []string{"direct", "facade"} {
		for _, d := range []columnar.Durability{columnar.Full, columnar.None} {
			dir := t.TempDir()
			o := orders{engine: engine, durability: d, seed: rand.Uint64(), scale: 600,
				store: filepath.Join(dir, "store"), expected: filepath.Join(dir, "expected")}
			if engine == "facade" {
				o.scale = 9000 // a load of 1 MiB and more has a data file
			}
			total += campaign(t, o, kills, push)
		}
	}
	if total < 20 {
		t.Errorf("only %d kills", total)
	}
}

// campaign kills children on one store and returns how many. The time is a limit for
// machines that are very busy; at least five children die in any case.
func campaign(t *testing.T, o orders, kills int, limit time.Duration) (killed int) {
	t.Helper()
	if err := writeExpected(o.expected, 0, 0); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(o.seed, 1))
	acked, begun, opening := 0, 0, 0
	begunAt := time.Now()
	for killed < kills && (killed < 5 || time.Since(begunAt) < limit) {
		c, err := start(o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.killed(rng, killed%2 == 0)
		if err != nil {
			t.Fatalf("orders %q, %d acknowledged and %d begun: %v", o, acked, begun, err)
		}
		killed++
		opening += b2i(r.opened < 0)
		acked, begun = r.fold(acked, begun)
		if err := writeExpected(o.expected, acked, begun); err != nil {
			t.Fatal(err)
		}
	}
	last, err := o.open()
	if err != nil {
		t.Fatalf("orders %q: %v", o, err)
	}
	s, err := o.locate(last, acked, begun)
	if err != nil {
		t.Fatalf("orders %q: %v", o, err)
	}
	for range 3 {
		st := s.next(o.seed, o.scale)
		if err := last.run(st); err != nil {
			t.Fatalf("orders %q: statement after the last kill: %v", o, err)
		}
		s.apply(st)
	}
	if err := last.close(); err != nil {
		t.Errorf("orders %q: %v", o, err)
	}
	t.Logf("%s, durability %d: %d kills, %d of them while opening, %d statements acknowledged", o.engine, o.durability, killed, opening, acked)
	if acked == 0 {
		t.Error("no statement was ever acknowledged")
	}
	return killed
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// process is a running child.
type process struct {
	cmd *exec.Cmd
	out io.ReadCloser
}

func start(o orders) (*process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+o.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd, out}, cmd.Start()
}

// report is what a child said until it died. Numbers are -1 where it said nothing.
type report struct {
	opened, begun, acked int
}

// fold returns how many statements are acknowledged and begun after the report.
func (r report) fold(acked, begun int) (int, int) {
	if r.opened >= 0 {
		acked, begun = r.opened, r.opened
	}
	if r.acked >= 0 {
		acked = r.acked + 1
	}
	if r.begun >= 0 {
		begun = r.begun + 1
	}
	return acked, max(begun, acked)
}

// killed kills the child and returns what it had said: a random time after its start, or
// with late a moment after one of its lines, when it has committed something.
func (p *process) killed(rng *rand.Rand, late bool) (report, error) {
	r := report{-1, -1, -1}
	after, moment := -1, time.Duration(rng.IntN(120))*time.Millisecond
	if late {
		after, moment = 3+rng.IntN(24), time.Duration(rng.IntN(2000))*time.Microsecond
	}
	kill := func() { time.AfterFunc(moment, func() { p.cmd.Process.Kill() }) }
	if after < 0 {
		kill()
	}
	var failed error
	lines := bufio.NewScanner(p.out)
	for n := 0; lines.Scan(); n++ {
		if n == after {
			kill()
		}
		if err := r.note(lines.Text()); err != nil {
			failed = err
			break
		}
	}
	if failed != nil {
		p.cmd.Process.Kill()
	}
	err := p.cmd.Wait()
	var exit *exec.ExitError
	switch {
	case failed != nil:
		return r, failed
	case !errors.As(err, &exit) || exit.ExitCode() != -1:
		return r, fmt.Errorf("the child ended by itself: %v", err)
	}
	return r, nil
}

// note takes a line of the child. A line that was cut off by the kill says nothing.
func (r *report) note(line string) error {
	what, rest, _ := strings.Cut(line, " ")
	if what == "failed" {
		return errors.New(rest)
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return fmt.Errorf("the child said %q", line)
	}
	switch what {
	case "open":
		r.opened = n
	case "begin":
		r.begun = n
	case "ack":
		r.acked = n
	}
	return nil
}
