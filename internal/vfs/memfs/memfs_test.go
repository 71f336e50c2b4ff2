package memfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"syscall"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs"
)

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, f *FS, name string) vfs.File {
	t.Helper()
	file, err := f.Create(name)
	noError(t, err)
	return file
}

func write(t *testing.T, file vfs.File, off int64, content []byte) {
	t.Helper()
	_, err := file.WriteAt(content, off)
	noError(t, err)
}

// content returns what a file holds; nil if it is not there.
func content(t *testing.T, f *FS, name string) []byte {
	t.Helper()
	file, err := f.Open(name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	noError(t, err)
	size, err := file.Size()
	noError(t, err)
	b := make([]byte, size)
	if _, err := file.ReadAt(b, 0); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return b
}

// TestSyncedSurvives: in every mode a synced file with a synced name is there as it was.
func TestSyncedSurvives(t *testing.T) {
	f := New()
	file := create(t, f, "a")
	m := bytes.Repeat([]byte("m"), 3000)
	noError(t, file.Allocate(0, 9000))
	w, err := file.Map(1000, 3000, true)
	noError(t, err)
	copy(w.Bytes(), m)
	write(t, file, 5000, []byte("written"))
	noError(t, errors.Join(file.Sync(), f.SyncDir()))
	w.Release()
	want := content(t, f, "a")
	for _, mode := range Modes() {
		for seed := range uint64(20) {
			if got := content(t, f.Crash(seed, mode), "a"); !bytes.Equal(got, want) {
				t.Fatalf("mode %s, seed %d: %d bytes differ from the %d synced", mode, seed, len(got), len(want))
			}
		}
	}
}

// outcomes crashes many times and returns which contents a file had, and in how many cases
// it was not there.
func outcomes(t *testing.T, f *FS, name string, mode Mode) (seen map[string]int, missing int) {
	t.Helper()
	seen = map[string]int{}
	for seed := range uint64(300) {
		if b := content(t, f.Crash(seed, mode), name); b == nil {
			missing++
		} else {
			seen[string(b)]++
		}
	}
	return seen, missing
}

func fill(c byte, n int) []byte { return bytes.Repeat([]byte{c}, n) }

func TestUnsyncedSectors(t *testing.T) {
	f := New()
	file := create(t, f, "a")
	write(t, file, 0, fill('o', 1024))
	noError(t, errors.Join(file.Sync(), f.SyncDir()))
	write(t, file, 0, fill('b', 1024))
	write(t, file, 0, fill('n', 1024))
	both := func(x, y byte) string { return string(fill(x, 512)) + string(fill(y, 512)) }

	if seen, _ := outcomes(t, f, "a", Strict); seen[both('o', 'o')] != 300 {
		t.Error("strict: something un-synced survived")
	}
	if seen, _ := outcomes(t, f, "a", Kill); seen[both('n', 'n')] != 300 {
		t.Error("kill: something was lost")
	}
	seen, _ := outcomes(t, f, "a", Sectors)
	for _, x := range []byte("obn") {
		for _, y := range []byte("obn") {
			if seen[both(x, y)] == 0 {
				t.Errorf("sectors: never %c and %c", x, y)
			}
			delete(seen, both(x, y))
		}
	}
	if len(seen) != 0 {
		t.Errorf("sectors: %d other results", len(seen))
	}
	torn := 0
	seen, _ = outcomes(t, f, "a", Torn)
	for s, n := range seen {
		if bytes.Count([]byte(s[:512]), []byte{s[0]}) != 512 {
			torn += n
		}
	}
	if torn == 0 {
		t.Error("torn: no sector was torn")
	}
}

func TestUnsyncedSizes(t *testing.T) {
	f := New()
	file := create(t, f, "a")
	write(t, file, 0, fill('o', 700))
	noError(t, errors.Join(file.Sync(), f.SyncDir()))
	write(t, file, 700, fill('n', 700))
	noError(t, file.Truncate(300))
	if seen, _ := outcomes(t, f, "a", SizeOnly); seen[string(fill('o', 300))] != 300 {
		t.Error("size only, shorter: not the new size with old bytes")
	}
	lengths := map[int]bool{}
	seen, _ := outcomes(t, f, "a", Sectors)
	for s := range seen {
		lengths[len(s)] = true
	}
	if got := slices.Sorted(maps.Keys(lengths)); !slices.Equal(got, []int{300, 700, 1400}) {
		t.Errorf("sizes %v, want 300, 700, 1400", got)
	}
	noError(t, file.Truncate(1000))
	want := string(fill('o', 700)) + string(make([]byte, 300))
	if seen, _ := outcomes(t, f, "a", SizeOnly); seen[want] != 300 {
		t.Error("size only, longer: not the new size with zeros")
	}
}

func TestUnsyncedMapping(t *testing.T) {
	f := New()
	file := create(t, f, "a")
	write(t, file, 0, fill('o', 2048))
	noError(t, errors.Join(file.Sync(), f.SyncDir()))
	w, err := file.Map(512, 1024, true)
	noError(t, err)
	for i := range w.Bytes() {
		w.Bytes()[i] = 'n'
	}
	for _, when := range []string{"mapped", "released"} {
		kept, lost := 0, 0
		seen, _ := outcomes(t, f, "a", Sectors)
		for s, n := range seen {
			if s[:512] != string(fill('o', 512)) || s[1536:] != string(fill('o', 512)) {
				t.Fatalf("%s: bytes outside the mapping changed", when)
			}
			if s[512] == 'n' {
				kept += n
			} else {
				lost += n
			}
		}
		if kept == 0 || lost == 0 {
			t.Errorf("%s: kept %d times, lost %d times", when, kept, lost)
		}
		if when == "mapped" {
			w.Release()
		}
	}
	noError(t, file.Sync())
	if seen, _ := outcomes(t, f, "a", Strict); len(seen) != 1 || seen[string(content(t, f, "a"))] != 300 {
		t.Error("Sync did not make the stores durable")
	}
}

func TestUnsyncedEntries(t *testing.T) {
	f := New()
	write(t, create(t, f, "old"), 0, []byte("o"))
	noError(t, f.SyncDir())
	new := create(t, f, "new.tmp")
	write(t, new, 0, []byte("n"))
	noError(t, errors.Join(new.Sync(), f.Rename("new.tmp", "new"), f.Remove("old")))
	found := map[string]int{}
	for seed := range uint64(200) {
		names, err := f.Crash(seed, EntriesLost).List()
		noError(t, err)
		found[string(bytes.Join(asBytes(names), []byte(" ")))]++
	}
	for _, want := range []string{"", "new", "old", "new old", "new.tmp", "new.tmp old"} {
		if found[want] == 0 {
			t.Errorf("never %q", want)
		}
		delete(found, want)
	}
	if len(found) != 0 {
		t.Errorf("other results: %v", found)
	}
	if names, err := f.Crash(0, Strict).List(); err != nil || !slices.Equal(names, []string{"old"}) {
		t.Errorf("strict: %q, %v", names, err)
	}
	noError(t, f.SyncDir())
	if names, err := f.Crash(0, Strict).List(); err != nil || !slices.Equal(names, []string{"new"}) {
		t.Errorf("strict after SyncDir: %q, %v", names, err)
	}
}

func asBytes(s []string) (out [][]byte) {
	for _, x := range s {
		out = append(out, []byte(x))
	}
	return out
}

// TestKillThenPowerCut: what a kill leaves in the cache is still not on the device.
func TestKillThenPowerCut(t *testing.T) {
	f := New()
	file := create(t, f, "a")
	write(t, file, 0, []byte("old"))
	noError(t, errors.Join(file.Sync(), f.SyncDir()))
	write(t, file, 0, []byte("new"))
	write(t, create(t, f, "b"), 0, []byte("b"))
	killed := f.Crash(1, Kill)
	if got := content(t, killed, "a"); string(got) != "new" || content(t, killed, "b") == nil {
		t.Errorf("after the kill: %q", got)
	}
	cut := killed.Crash(1, Strict)
	if got := content(t, cut, "a"); string(got) != "old" || content(t, cut, "b") != nil {
		t.Errorf("after the power cut: %q", got)
	}
	again, err := killed.Open("a", true)
	noError(t, errors.Join(err, again.Sync()))
	if got := content(t, killed.Crash(1, Strict), "a"); string(got) != "new" {
		t.Errorf("after a sync and a power cut: %q", got)
	}
}

func TestStopAfter(t *testing.T) {
	f := New()
	file := create(t, f, "a")
	l, err := f.Lock("LOCK", true)
	noError(t, err)
	f.StopAfter(2)
	write(t, file, 0, []byte("x"))
	noError(t, file.Sync())
	if _, err := file.WriteAt([]byte("y"), 0); !errors.Is(err, ErrCrashed) {
		t.Errorf("write: %v", err)
	}
	if _, err := file.ReadAt(make([]byte, 1), 0); !errors.Is(err, ErrCrashed) {
		t.Errorf("read: %v", err)
	}
	if _, err := f.List(); !errors.Is(err, ErrCrashed) {
		t.Errorf("list: %v", err)
	}
	noError(t, errors.Join(l.Close(), file.Close()))
	if got := f.Log(); !slices.Equal(got, []string{"Create a", "WriteAt a", "Sync a"}) || f.Calls() != 3 {
		t.Errorf("log %q", got)
	}
	if _, err := f.Crash(0, Kill).Lock("LOCK", true); err != nil {
		t.Errorf("the lock outlived the crash: %v", err)
	}
}

func TestCapacity(t *testing.T) {
	f := New()
	f.SetCapacity(5 * blockSize)
	file := create(t, f, "a")
	noError(t, file.Allocate(0, 2*blockSize+1))
	if f.Used() != 3*blockSize {
		t.Errorf("used %d", f.Used())
	}
	if err := file.Allocate(0, 6*blockSize); !errors.Is(err, syscall.ENOSPC) || f.Used() != 3*blockSize {
		t.Errorf("Allocate of too much: %v, used %d", err, f.Used())
	}
	n, err := file.WriteAt(make([]byte, 3*blockSize), 3*blockSize-100)
	if !errors.Is(err, syscall.ENOSPC) || n != 2*blockSize+100 {
		t.Errorf("wrote %d bytes, %v", n, err)
	}
	write(t, file, 0, make([]byte, 5*blockSize)) // overwriting needs nothing
	if _, err := f.Create("b"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Create on a full disk: %v", err)
	}
	noError(t, file.Truncate(blockSize+1))
	if f.Used() != 2*blockSize {
		t.Errorf("used %d after Truncate", f.Used())
	}
	m, err := file.Map(0, 100, false)
	noError(t, errors.Join(err, f.Remove("a"), file.Close()))
	if f.Used() != 2*blockSize {
		t.Errorf("used %d while mapped", f.Used())
	}
	m.Release()
	if f.Used() != 0 {
		t.Errorf("used %d at the end", f.Used())
	}
}
