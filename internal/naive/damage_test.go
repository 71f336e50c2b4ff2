package naive

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ingotdb/ingot/columnar"
)

// small makes a closed store of a few blocks: a state with fragments in the log and in a
// file and with deletes, and commits behind it.
func small(t testing.TB) string {
	s := open(t, t.TempDir(), columnar.Options{LogBytes: 128 << 10, InlineBytes: 2 << 10})
	s.write(func(tx *columnar.Txn) error { return tx.CreateTable(every("e")) })
	s.loaded("e", 0, true, 4)
	s.loaded("e", 4, true, 40)
	s.removed("e", 1, 40, 6)
	if err := s.Checkpoint(ctx); err != nil {
		t.Fatal(err)
	}
	s.loaded("e", 50, true, 3)
	s.removed("e", 30, 44, 1)
	s.close()
	return s.dir
}

// outcome is what a reader made of a directory.
type outcome struct {
	rows string
	err  error
}

func naiveOutcome(dir string) outcome {
	s, err := Read(dir)
	if err != nil {
		return outcome{err: err}
	}
	return outcome{rows: s.render()}
}

// engineOutcome also returns what the engine's check finds, which looks at more than a reader
// needs: both slots, logs that nobody replays, all of the values.
func engineOutcome(t testing.TB, dir string) (o outcome, check error) {
	s, err := columnar.Open(ctx, dir, columnar.Options{ReadOnly: true})
	if err != nil {
		return outcome{err: err}, err
	}
	defer s.Close()
	es := &store{Store: s, t: t, dir: dir}
	o.rows, o.err = es.engine()
	_, check = s.Check(ctx, nil)
	return o, errors.Join(o.err, check)
}

// TestDamage changes single bytes all over a store. Both readers must read the same, or both
// refuse; and what one refuses as damage the other does not take for a newer format.
func TestDamage(t *testing.T) {
	dir := small(t)
	clean := naiveOutcome(dir)
	if clean.err != nil {
		t.Fatal(clean.err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	counts := map[string]int{}
	for _, name := range []string{"SB", "log-1", "log-2", "data-1"} {
		whole, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var used []int
		for i, b := range whole {
			if b != 0 || i > 0 && whole[i-1] != 0 {
				used = append(used, i)
			}
		}
		for range 150 {
			at, mask := used[r.IntN(len(used))], byte(1)<<r.IntN(8)
			what := fmt.Sprintf("%s, byte %d ^ %#x", name, at, mask)
			edit(t, dir, name, func(b []byte) { b[at] ^= mask })
			got := naiveOutcome(dir)
			want, check := engineOutcome(t, dir)
			switch {
			case got.err == nil && want.err == nil:
				differ(t, what, got.rows, want.rows)
				counts["read"]++
			case want.err != nil && got.err == nil:
				t.Errorf("%s: the engine refuses what naive reads: %v", what, want.err)
			case check == nil:
				t.Errorf("%s: naive refuses what the engine holds for good: %v", what, got.err)
			case !errors.Is(got.err, ErrCorrupt) || !errors.Is(check, columnar.ErrCorrupt):
				t.Errorf("%s: not corruption: %v; %v", what, got.err, check)
			default:
				counts["refused"]++
			}
			if err := os.WriteFile(filepath.Join(dir, name), whole, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if counts["read"] == 0 || counts["refused"] < 200 {
		t.Errorf("outcomes: %v", counts)
	}
}

// TestTornTail damages the records of an open store from the last one backward. The last one
// may be torn, and history ends before it; any other was durable, and is corruption.
func TestTornTail(t *testing.T) {
	s := open(t, t.TempDir(), columnar.Options{LogBytes: 256 << 10})
	defer s.close()
	s.write(func(tx *columnar.Txn) error { return tx.CreateTable(every("e")) })
	var after []string // what the table held after each commit
	var ends []int
	for i := range 4 {
		s.loaded("e", i*50, true, 50)
		after = append(after, s.same("commit").render())
		ends = append(ends, tail(t, s.dir))
	}
	for k := range ends {
		dir := copyDir(t, s.dir)
		edit(t, dir, "log-1", func(b []byte) { b[ends[k]-4096] ^= 4 }) // in the last block of the commit
		got := naiveOutcome(dir)
		want, _ := engineOutcome(t, dir)
		if k < len(ends)-1 {
			if !errors.Is(got.err, ErrCorrupt) || !errors.Is(want.err, columnar.ErrCorrupt) {
				t.Errorf("commit %d damaged: %v; %v", k, got.err, want.err)
			}
			continue
		}
		if got.err != nil || want.err != nil {
			t.Fatal(got.err, want.err)
		}
		differ(t, "last commit torn", got.rows, want.rows)
		differ(t, "last commit torn", got.rows, after[k-1])
	}
}

// tail returns where the records of log-1 end: behind the last block that is not zero.
func tail(t testing.TB, dir string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "log-1"))
	if err != nil {
		t.Fatal(err)
	}
	n := len(b)
	for n > 0 && allZero(b[n-4096:n]) {
		n -= 4096
	}
	return n
}

// TestLostData loses the data file of a commit that was not synced: history ends before the
// commit. After a commit with a sync the same is corruption.
func TestLostData(t *testing.T) {
	for _, durability := range []columnar.Durability{columnar.None, columnar.Full} {
		s := open(t, t.TempDir(), columnar.Options{Durability: durability, InlineBytes: 1})
		s.write(func(tx *columnar.Txn) error { return tx.CreateTable(every("e")) })
		s.loaded("e", 0, true, 200)
		before := s.same("before").render()
		s.loaded("e", 200, true, 300)
		s.removed("e", 0, 10, 1)
		s.same("after")
		for what, lose := range map[string]func(dir string){
			"missing": func(dir string) {
				if err := os.Remove(filepath.Join(dir, "data-2")); err != nil {
					t.Fatal(err)
				}
			},
			"short": func(dir string) {
				if err := os.Truncate(filepath.Join(dir, "data-2"), 8192); err != nil {
					t.Fatal(err)
				}
			},
			"zeros":          func(dir string) { edit(t, dir, "data-2", func(b []byte) { clear(b[4096:8192]) }) },
			"header":         func(dir string) { edit(t, dir, "data-2", func(b []byte) { clear(b[:64]) }) },
			"another's file": func(dir string) { edit(t, dir, "data-2", func(b []byte) { reidentify(b) }) },
		} {
			dir := copyDir(t, s.dir)
			lose(dir)
			got := naiveOutcome(dir)
			want, _ := engineOutcome(t, dir)
			if durability == columnar.Full {
				if !errors.Is(got.err, ErrCorrupt) || !errors.Is(want.err, columnar.ErrCorrupt) {
					t.Errorf("%s, after a sync: %v; %v", what, got.err, want.err)
				}
				continue
			}
			if got.err != nil || want.err != nil {
				t.Errorf("%s: %v; %v", what, got.err, want.err)
				continue
			}
			differ(t, what, got.rows, want.rows)
			differ(t, what, got.rows, before)
		}
		// The file is given up durably, and gone: nobody misses it.
		s.write(func(tx *columnar.Txn) error { return tx.TruncateTable("e") })
		if got, err := Read(copyDir(t, s.dir)); err != nil || got.table("e").Rows != 0 {
			t.Errorf("after truncate: %v", err)
		}
		s.close()
	}
}

// reidentify gives a data file another random id, with a header that holds.
func reidentify(b []byte) {
	b[24]++
	binary.LittleEndian.PutUint32(b[60:], crc(b[:60]))
}

// TestNewerFormat raises the versions in each place that has one, and an encoding.
func TestNewerFormat(t *testing.T) {
	dir := small(t)
	sum := func(b []byte, n int) { binary.LittleEndian.PutUint32(b[n:], crc(b[:n])) }
	for what, c := range map[string]struct {
		file string
		edit func(b []byte)
	}{
		"slot that counts":      {"SB", func(b []byte) { b[8] = 2; sum(b, 56) }},
		"slot that does not":    {"SB", func(b []byte) { b[4096+8] = 2; sum(b[4096:], 56) }},
		"log":                   {"log-2", func(b []byte) { b[8] = 2; sum(b, 56) }},
		"data file":             {"data-1", func(b []byte) { b[8] = 2; sum(b, 60) }},
		"slot with a later use": {"SB", func(b []byte) { b[8], b[12] = 3, 1; sum(b, 56) }},
	} {
		copied := copyDir(t, dir)
		edit(t, copied, c.file, c.edit)
		got := naiveOutcome(copied)
		want, _ := engineOutcome(t, copied)
		if !errors.Is(got.err, ErrVersion) || errors.Is(got.err, ErrCorrupt) {
			t.Errorf("%s: %v", what, got.err)
		}
		if !errors.Is(want.err, columnar.ErrVersion) {
			t.Errorf("%s: engine: %v", what, want.err)
		}
	}
}

// TestExtras puts something into both kinds of extra: readers pass over it.
func TestExtras(t *testing.T) {
	dir := small(t)
	before := naiveOutcome(dir)
	edit(t, dir, "log-2", func(b []byte) {
		length := binary.LittleEndian.Uint64(b[4096+56:])
		body := append([]byte{}, b[4096+72:][:length]...)
		longer, extras := withExtras(t, body)
		if extras < 20 {
			t.Fatalf("%d extras", extras)
		}
		if (72+len(longer)+4095)/4096 != (72+len(body)+4095)/4096 {
			t.Fatalf("a state of %d bytes becomes one of %d", len(body), len(longer))
		}
		copy(b[4096+72:], longer)
		h := b[4096:]
		binary.LittleEndian.PutUint64(h[56:], uint64(len(longer)))
		binary.LittleEndian.PutUint32(h[64:], crc(longer))
		binary.LittleEndian.PutUint32(h[68:], crc(h[:68]))
	})
	got := naiveOutcome(dir)
	want, check := engineOutcome(t, dir)
	if got.err != nil || check != nil {
		t.Fatal(got.err, check)
	}
	differ(t, "naive", got.rows, before.rows)
	differ(t, "columnar", want.rows, before.rows)
}

// withExtras returns a state with "new" in each extra, and how many there were.
func withExtras(t testing.TB, body []byte) (out []byte, extras int) {
	t.Helper()
	h := &history{tables: map[uint32]*Table{}, files: map[uint64]reference{}}
	c := &cursor{where: "state", b: body}
	h.state(c)
	if c.err != nil {
		t.Fatal(c.err)
	}
	from := 0
	for _, at := range c.extras {
		if body[at] != 0 {
			t.Errorf("the extra at %d has %d bytes", at, body[at])
		}
		out = append(append(out, body[from:at]...), "\x03new"...)
		from = at + 1
	}
	return append(out, body[from:]...), len(c.extras)
}
