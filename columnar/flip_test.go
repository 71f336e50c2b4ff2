package columnar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

// smallStore makes a cleanly closed store with rows in the log's state, in a record and in
// data files, deletes, an altered table and edges; and returns what it holds.
func smallStore(t testing.TB, logBytes int64) (*memfs.FS, *model) {
	t.Helper()
	fsys := memfs.New()
	w := world{m: newModel(), opt: Options{FS: fsys, InlineBytes: 2 << 10, LogBytes: logBytes}}
	for i, err := range []error{w.open(),
		do(func(c *change) error { return errors.Join(c.create(allTypes("a")), c.create(narrow("n"))) })(&w),
		do(func(c *change) error { return c.load("a", 3, 64, true) })(&w),
		do(func(c *change) error { return c.load("n", 70, 64, true) })(&w),
		do(func(c *change) error { return c.remove("n", every(5)) })(&w),
		do(func(c *change) error {
			return c.alter("n", func(cols []Column) []Column { return append(cols, extraColumn("x", 2)) })
		})(&w),
		w.s.Checkpoint(context.Background()),
		w.s.Checkpoint(context.Background()), // no slot leads to the first logs any more
		do(func(c *change) error { return c.load("n", 66, 64, false) })(&w),
		do(func(c *change) error {
			return errors.Join(c.create(keyed("k")), c.load("k", 6, 64, true), c.relate("r", "k", "k"))
		})(&w),
		do(func(c *change) error { return c.load("r", 5, 64, true) })(&w),
		do(func(c *change) error { return c.load("r", 130, 192, true) })(&w),
		do(func(c *change) error { return errors.Join(c.load("a", 1, 64, true), c.remove("n", every(9))) })(&w),
		w.close()} {
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	return fsys, w.m
}

// readAll returns the contents of every file.
func readAll(t testing.TB, fsys vfs.FS) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	names, err := fsys.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := fsys.Open(name, false)
		if err != nil {
			t.Fatal(err)
		}
		size, err := f.Size()
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, size)
		if _, err := f.ReadAt(b, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		out[name] = b
	}
	return out
}

// overwrite puts b into a file at off.
func overwrite(fsys vfs.FS, name string, b []byte, off int64) error {
	f, err := fsys.Open(name, true)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, off)
	return errors.Join(err, f.Close())
}

// replace makes a file hold b and nothing else; nil removes it.
func replace(fsys vfs.FS, name string, b []byte) error {
	if err := fsys.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if b == nil {
		return nil
	}
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	return errors.Join(err, f.Close())
}

// verdict is what a damaged store answered.
type verdict int

const (
	refused verdict = iota // with ErrCorrupt or ErrVersion
	noticed                // right rows, but Check finds the damage
	unseen                 // right rows, and nothing to find
)

// judge opens a store that was damaged and reads all of it. A panic, a wrong row, or an
// error that is neither ErrCorrupt nor ErrVersion is an error; wants are the digests that
// count as right.
func judge(fsys vfs.FS, readOnly bool, wants ...string) (v verdict, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	known := func(err error) error {
		if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) {
			return nil
		}
		return fmt.Errorf("neither corrupt nor a newer version: %w", err)
	}
	s, err := Open(context.Background(), "", Options{FS: fsys, ReadOnly: readOnly})
	if err != nil {
		return refused, known(err)
	}
	defer s.Close()
	got, err := digestStore(s)
	if err != nil {
		return refused, known(err)
	}
	if !slices.Contains(wants, got) {
		return unseen, fmt.Errorf("the store holds\n%s\nwant\n%s", got, strings.Join(wants, "\nor\n"))
	}
	if _, err := s.Check(context.Background(), nil); err != nil {
		return noticed, known(err)
	}
	return unseen, nil
}

// TestFlip changes every byte of a small, cleanly closed store, one at a time: all bits of
// it, and one. The store refuses, or it answers right. Opened for writing (which repairs
// what it can) a sample gives the same.
func TestFlip(t *testing.T) {
	fsys, m := smallStore(t, 1)
	want := m.digest()
	files := readAll(t, fsys)
	if v, err := judge(fsys, true, want); err != nil || v != unseen {
		t.Fatalf("undamaged: %v, %v", v, err)
	}
	type place struct {
		name string
		at   int
		mask byte
	}
	var places []place
	rng := rand.New(rand.NewPCG(rand.Uint64(), 9))
	total := 0
	for name, b := range files {
		total += len(b)
		for at := range b {
			places = append(places, place{name, at, 0xff}, place{name, at, 1 << rng.IntN(8)})
		}
	}
	if total > 96<<10 {
		t.Errorf("the store has %d bytes: too many for every byte", total)
	}
	rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	deadline := time.Now().Add(budget(3 * time.Second))
	tried := 0
	var count [3]int
	held := func(p place, readOnly bool, fsys vfs.FS) verdict {
		if err := overwrite(fsys, p.name, []byte{files[p.name][p.at] ^ p.mask}, int64(p.at)); err != nil {
			t.Fatal(err)
		}
		v, err := judge(fsys, readOnly, want)
		if err != nil {
			t.Fatalf("%s, byte %d xor %#x, read-only %v: %v", p.name, p.at, p.mask, readOnly, err)
		}
		return v
	}
	for _, p := range places {
		if tried > 2000 && time.Now().After(deadline) {
			break
		}
		count[held(p, true, fsys)]++
		if err := overwrite(fsys, p.name, files[p.name][p.at:p.at+1], int64(p.at)); err != nil {
			t.Fatal(err)
		}
		if tried%8 == 0 {
			held(p, false, fsys.Crash(0, memfs.Kill))
		}
		tried++
	}
	noLeaks(t, "flips")
	t.Logf("%d of %d flips in %d bytes: %d refused, %d found by Check, %d in bytes that mean nothing", tried, len(places), total, count[refused], count[noticed], count[unseen])
	if tried < 2000 || count[refused] < tried/10 {
		t.Error("too few")
	}
}

// TestFlipEveryField flips a byte in each 16 of the parts that must not change unseen: what
// is not zero. Only the mark at the end of the log may: without it the store looks as after
// a crash, which is harmless.
func TestFlipEveryField(t *testing.T) {
	fsys, m := smallStore(t, 1)
	want := m.digest()
	files := readAll(t, fsys)
	quiet := 0
	n := 0
	for name, b := range files {
		if name == lockName {
			continue
		}
		for at := 0; at < len(b); at += 16 {
			part := b[at:min(at+16, len(b))]
			if slices.Max(part) == 0 {
				continue
			}
			i := at + slices.Index(part, slices.Max(part))
			if err := overwrite(fsys, name, []byte{b[i] ^ 0x10}, int64(i)); err != nil {
				t.Fatal(err)
			}
			v, err := judge(fsys, true, want)
			if err != nil {
				t.Fatalf("%s, byte %d: %v", name, i, err)
			}
			if n++; v == unseen {
				quiet++
			}
			if v == unseen && !(strings.HasPrefix(name, "log-") && slices.Max(b[(i/4096+1)*4096:]) == 0) {
				t.Errorf("%s, byte %d of %d (%#x): nobody noticed", name, i, len(b), b[i])
			}
			if err := overwrite(fsys, name, b[i:i+1], int64(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d flips, %d unseen", n, quiet)
}

// TestTorn cuts every file of a small store at many lengths, takes files away, doubles and
// swaps its 4 KiB blocks, and swaps files with another store's.
//
// One swap may show the state before the last commit: that of the last record with the
// mark behind it, which damages both the record and the only proof that it was there.
func TestTorn(t *testing.T) {
	fsys, m := smallStore(t, 1)
	want, before := m.digest(), m.parent.digest()
	files := readAll(t, fsys)
	var count [3]int
	damage := func(what string, change func(*memfs.FS) error, wants ...string) {
		t.Helper()
		wants = append(wants, want)
		for _, readOnly := range []bool{true, false} {
			img := fsys.Crash(0, memfs.Kill)
			if err := change(img); err != nil {
				t.Fatal(err)
			}
			v, err := judge(img, readOnly, wants...)
			if err != nil {
				t.Fatalf("%s, read-only %v: %v", what, readOnly, err)
			}
			count[v]++
		}
		noLeaks(t, what)
	}
	step := 97
	if soak() {
		step = 1
	}
	for name, b := range files {
		for n := 0; n < len(b); n += step {
			damage(fmt.Sprintf("%s cut at %d of %d", name, n, len(b)), func(f *memfs.FS) error { return replace(f, name, append([]byte{}, b[:n]...)) })
		}
		if name != "SB" { // a directory without one is no store, and logs alone are refused at create
			damage(name+" missing", func(f *memfs.FS) error { return replace(f, name, nil) })
		}
		damage(name+" longer", func(f *memfs.FS) error { return overwrite(f, name, []byte("more"), int64(len(b)+5000)) })
		for i := 0; i+4096 <= len(b); i += 4096 {
			for j := 0; j+4096 <= len(b); j += 4096 {
				if i == j {
					continue
				}
				damage(fmt.Sprintf("%s block %d over block %d", name, i/4096, j/4096), func(f *memfs.FS) error {
					return overwrite(f, name, b[i:i+4096], int64(j))
				})
				if i < j {
					damage(fmt.Sprintf("%s blocks %d and %d swapped", name, i/4096, j/4096), func(f *memfs.FS) error {
						return errors.Join(overwrite(f, name, b[i:i+4096], int64(j)), overwrite(f, name, b[j:j+4096], int64(i)))
					}, before)
				}
			}
		}
	}
	other, _ := smallStore(t, 1)
	for name, theirs := range readAll(t, other) {
		if name == lockName {
			continue
		}
		damage(name+" of another store", func(f *memfs.FS) error { return replace(f, name, theirs) })
	}
	t.Logf("%d damages: %d refused, %d found by Check, %d harmless", count[0]+count[1]+count[2], count[refused], count[noticed], count[unseen])
	if count[refused] < 100 {
		t.Error("too few were refused")
	}
}

// TestTornHistory puts older versions of each file back, alone and in pairs: the store
// refuses, or shows a state that it once had.
func TestTornHistory(t *testing.T) {
	fsys := memfs.New()
	w := world{m: newModel(), opt: Options{FS: fsys, InlineBytes: 2 << 10, LogBytes: 24 << 10}}
	var versions []map[string][]byte
	wants := []string{""}
	steps := []step{creates(narrow, "t"), loads("t", 20, 64, true), loads("t", 100, 64, true), deletes("t", every(3)), checkpoints(),
		loads("t", 30, 64, true), vacuums(), deletes("t", every(2)), vacuums(), loads("t", 5, 64, true), reopens()}
	if err := w.open(); err != nil {
		t.Fatal(err)
	}
	for _, st := range steps {
		if err := st.run(&w); err != nil {
			t.Fatalf("%s: %v", st.name, err)
		}
		wants = append(wants, w.m.digest())
		versions = append(versions, readAll(t, fsys))
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	last := readAll(t, fsys)
	var count [3]int
	try := func(what string, files map[string][]byte) {
		for _, readOnly := range []bool{true, false} {
			img := memfs.New()
			for name, b := range files {
				if err := replace(img, name, b); err != nil {
					t.Fatal(err)
				}
			}
			v, err := judge(img, readOnly, wants...)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			count[v]++
		}
	}
	for i, old := range versions {
		for name, b := range old {
			files := map[string][]byte{}
			for n, c := range last {
				files[n] = c
			}
			files[name] = b
			try(fmt.Sprintf("%s as after step %d", name, i), files)
			for second, c := range old {
				if second > name {
					files[second] = c
					try(fmt.Sprintf("%s and %s as after step %d", name, second, i), files)
					files[second] = last[second]
					if last[second] == nil {
						delete(files, second)
					}
				}
			}
		}
		try(fmt.Sprintf("everything as after step %d", i), old)
	}
	t.Logf("%d replays: %d refused, %d found by Check, %d at a state of the past", count[0]+count[1]+count[2], count[refused], count[noticed], count[unseen])
	if count[refused] == 0 || count[unseen] == 0 {
		t.Error("one kind is missing")
	}
}

// TestFlipMemory holds that damage does not make the store allocate much more than it is.
func TestFlipMemory(t *testing.T) {
	fsys, m := smallStore(t, 1)
	want := m.digest()
	files := readAll(t, fsys)
	rng := rand.New(rand.NewPCG(5, 5))
	worst := uint64(0)
	for name, b := range files {
		for range 150 {
			at := rng.IntN(max(1, len(b)))
			if len(b) == 0 {
				continue
			}
			if err := overwrite(fsys, name, []byte{b[at] ^ 0x80}, int64(at)); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := judge(fsys, true, want); err != nil {
				t.Fatalf("%s, byte %d: %v", name, at, err)
			}
			runtime.ReadMemStats(&after)
			worst = max(worst, after.TotalAlloc-before.TotalAlloc)
			if err := overwrite(fsys, name, b[at:at+1], int64(at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("at most %d bytes for one open and scan", worst)
	if worst > 16<<20 {
		t.Errorf("%d bytes were allocated", worst)
	}
}
