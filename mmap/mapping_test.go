//go:build linux || darwin || freebsd

package mmap

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// tempFile makes a file with n pseudo-random bytes.
func tempFile(t testing.TB, n int) (*os.File, []byte) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	content := make([]byte, n)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range content {
		content[i] = byte(rng.Uint32())
	}
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	return f, content
}

// noLeaks fails the test if it ends with more mappings than it began with.
func noLeaks(t *testing.T) {
	t.Helper()
	n, size := Live()
	t.Cleanup(func() {
		if n2, size2 := Live(); n2 != n || size2 != size {
			t.Errorf("%d mappings of %d bytes at the end, %d of %d at the start", n2, size2, n, size)
		}
	})
}

func mustMap(t testing.TB, f *os.File, off int64, n int, writable bool) *Mapping {
	t.Helper()
	m, err := MapFile(f, off, n, writable)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMapWindowsAnywhere(t *testing.T) {
	noLeaks(t)
	page := os.Getpagesize()
	f, content := tempFile(t, 3*page+100)
	for _, off := range []int{0, 1, 63, page - 1, page, page + 1, 2*page + 17, 3*page + 99, 3*page + 100} {
		for _, n := range []int{0, 1, 99, page, page + 1, 3*page + 100} {
			m, err := MapFile(f, int64(off), n, false)
			if off+n > len(content) {
				if !errors.Is(err, ErrShort) {
					t.Errorf("off %d, n %d: error %v, want ErrShort", off, n, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("off %d, n %d: %v", off, n, err)
			}
			if b := m.Bytes(); len(b) != n || cap(b) != n || m.Len() != n || !bytes.Equal(b, content[off:off+n]) {
				t.Errorf("off %d, n %d: %d bytes, capacity %d, or not the file's bytes", off, n, len(b), cap(b))
			}
			m.Release()
		}
	}
}

func TestMapRefusesBadRanges(t *testing.T) {
	noLeaks(t)
	f, _ := tempFile(t, 10)
	for _, r := range []struct {
		off int64
		n   int
	}{{-1, 1}, {0, -1}, {1<<63 - 1, 2}} {
		if m, err := MapFile(f, r.off, r.n, false); err == nil {
			m.Release()
			t.Errorf("%d bytes at %d were mapped", r.n, r.off)
		}
	}
	if _, err := Map(f.Fd(), 0, 11, false); !errors.Is(err, ErrShort) {
		t.Errorf("error %v, want ErrShort", err)
	}
	closed, err := os.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := MapFile(closed, 0, 1, false); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v, want os.ErrClosed", err)
	}
}

func TestWritableMappingIsShared(t *testing.T) {
	noLeaks(t)
	f, _ := tempFile(t, 10000)
	w, r := mustMap(t, f, 5000, 1000, true), mustMap(t, f, 4990, 100, false)
	defer r.Release()
	if !w.Writable() || r.Writable() {
		t.Error("Writable is wrong")
	}
	copy(w.Bytes()[5:], "stored")
	if err := w.Sync(3, 10); err != nil {
		t.Fatal(err)
	}
	w.Release()
	got := make([]byte, 6)
	if _, err := f.ReadAt(got, 5005); err != nil || string(got) != "stored" {
		t.Errorf("the file has %q, %v", got, err)
	}
	if got := string(r.Bytes()[15:21]); got != "stored" {
		t.Errorf("the other mapping has %q", got)
	}
}

func TestSyncAndAdviseCheckTheirArguments(t *testing.T) {
	noLeaks(t)
	f, _ := tempFile(t, 10000)
	m := mustMap(t, f, 100, 5000, true)
	defer m.Release()
	for _, r := range [][2]int{{-1, 1}, {0, -1}, {0, 5001}, {5000, 1}, {5001, 0}, {1, 1<<63 - 1}} {
		if err := m.Sync(r[0], r[1]); err == nil {
			t.Errorf("Sync(%d, %d) worked", r[0], r[1])
		}
	}
	for a := AdviceNormal; a <= AdviceHuge; a++ {
		if err := m.Advise(a); err != nil {
			t.Errorf("advice %d: %v", a, err)
		}
	}
	if err := m.Advise(AdviceHuge + 1); err == nil {
		t.Error("unknown advice was taken")
	}
	if err := m.Sync(0, 5000); err != nil {
		t.Error(err)
	}
}

func TestMappingOutlivesItsFile(t *testing.T) {
	noLeaks(t)
	f, content := tempFile(t, 5000)
	other, err := os.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	m := mustMap(t, other, 0, 5000, false)
	defer m.Release()
	if err := errors.Join(other.Close(), os.Remove(f.Name())); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.Bytes(), content) {
		t.Error("the bytes changed when the file was closed and unlinked")
	}
}

func TestReferencesAreCounted(t *testing.T) {
	noLeaks(t)
	released := 0
	m := OfBytes(make([]byte, 7, 20), func() { released++ })
	if cap(m.Bytes()) != 7 {
		t.Errorf("capacity %d", cap(m.Bytes()))
	}
	m.Retain()
	if !m.TryRetain() {
		t.Fatal("TryRetain of a live mapping failed")
	}
	m.Release()
	m.Release()
	if released != 0 || m.Len() != 7 {
		t.Fatal("released too early")
	}
	m.Release()
	if released != 1 || m.Len() != 0 {
		t.Fatalf("released %d times, %d bytes left", released, m.Len())
	}
	if m.TryRetain() {
		t.Error("TryRetain of a dead mapping worked")
	}
	for name, fn := range map[string]func(){"Retain": m.Retain, "Release": m.Release} {
		if !panics(fn) {
			t.Errorf("%s of a dead mapping does not panic", name)
		}
	}
	if m.TryRetain() {
		t.Error("misuse brought a dead mapping back")
	}
}

func panics(fn func()) (did bool) {
	defer func() { did = recover() != nil }()
	fn()
	return false
}

// TestTryRetainRacesWithTheLastRelease has readers that look for a mapping while its owner
// gives it up: each reads it whole or not at all.
func TestTryRetainRacesWithTheLastRelease(t *testing.T) {
	noLeaks(t)
	f, content := tempFile(t, 4096)
	for range 200 {
		m := mustMap(t, f, 0, 4096, false)
		start := make(chan struct{})
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				<-start
				if m.TryRetain() {
					defer m.Release()
					if !bytes.Equal(m.Bytes(), content) {
						t.Error("wrong bytes")
					}
				}
			})
		}
		close(start)
		m.Release()
		readers.Wait()
		if m.TryRetain() {
			t.Fatal("the mapping is still alive")
		}
	}
}

func TestReserve(t *testing.T) {
	for _, how := range []struct {
		name string
		fn   func(f *os.File, off, n int64) error
	}{
		{"system", Reserve},
		{"writing", func(f *os.File, off, n int64) error {
			st, err := f.Stat()
			if err != nil {
				return err
			}
			return writeBlocks(f, st.Size(), off, n)
		}},
	} {
		t.Run(how.name, func(t *testing.T) {
			f, content := tempFile(t, 5000)
			if err := how.fn(f, 1000, 3<<20); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(f.Name())
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 1000+3<<20 {
				t.Errorf("%d bytes, want %d", len(got), 1000+3<<20)
			}
			if !bytes.Equal(got[:5000], content) || !bytes.Equal(got[5000:], make([]byte, len(got)-5000)) {
				t.Error("old bytes changed or new ones are not zero")
			}
			if err := how.fn(f, 0, 10); err != nil {
				t.Fatal(err)
			}
			if st, err := f.Stat(); err != nil || st.Size() != int64(len(got)) {
				t.Errorf("a range inside the file made it %d bytes, %v", st.Size(), err)
			}
		})
	}
}

func TestReserveRefusesBadRanges(t *testing.T) {
	f, _ := tempFile(t, 10)
	for _, r := range [][2]int64{{-1, 1}, {0, -1}, {1<<63 - 1, 1}} {
		if err := Reserve(f, r[0], r[1]); err == nil {
			t.Errorf("%d bytes at %d were reserved", r[1], r[0])
		}
	}
	if err := Reserve(f, 1<<40, 0); err != nil {
		t.Error(err)
	}
	if st, err := f.Stat(); err != nil || st.Size() != 10 {
		t.Errorf("size is %d, %v", st.Size(), err)
	}
}
