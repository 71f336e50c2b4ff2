package vfs_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/internal/vfs/errfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
)

// everyFS runs a test on each implementation.
func everyFS(t *testing.T, fn func(t *testing.T, dir vfs.FS)) {
	t.Run("os", func(t *testing.T) { fn(t, openDir(t, t.TempDir())) })
	t.Run("memfs", func(t *testing.T) { fn(t, memfs.New()) })
	t.Run("errfs", func(t *testing.T) { fn(t, errfs.New(memfs.New())) })
}

func openDir(t *testing.T, path string) vfs.FS {
	t.Helper()
	dir, err := vfs.OpenDir(path, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { noError(t, dir.Close()) })
	return dir
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes a file with a content.
func write(t *testing.T, dir vfs.FS, name, content string) {
	t.Helper()
	f, err := dir.Create(name)
	noError(t, err)
	_, err = f.WriteAt([]byte(content), 0)
	noError(t, errors.Join(err, f.Sync(), f.Close()))
}

// read returns the content of a file.
func read(t *testing.T, dir vfs.FS, name string) string {
	t.Helper()
	f, err := dir.Open(name, false)
	noError(t, err)
	size, err := f.Size()
	noError(t, err)
	b := make([]byte, size)
	if n, err := f.ReadAt(b, 0); n != len(b) || err != nil && err != io.EOF {
		t.Fatalf("read %d of %d bytes: %v", n, size, err)
	}
	noError(t, f.Close())
	return string(b)
}

func TestNames(t *testing.T) {
	everyFS(t, func(t *testing.T, dir vfs.FS) {
		write(t, dir, "b", "one")
		write(t, dir, "a", "two")
		if _, err := dir.Create("a"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("Create of an existing file: %v", err)
		}
		if _, err := dir.Open("c", false); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open of a missing file: %v", err)
		}
		names, err := dir.List()
		noError(t, err)
		if !slices.Equal(names, []string{"a", "b"}) {
			t.Errorf("List: %q", names)
		}
		noError(t, dir.Rename("b", "a"))
		if got := read(t, dir, "a"); got != "one" {
			t.Errorf("after Rename: %q", got)
		}
		if err := dir.Rename("b", "c"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Rename of a missing file: %v", err)
		}
		noError(t, errors.Join(dir.SyncDir(), dir.SyncParent(), dir.Remove("a")))
		if err := dir.Remove("a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Remove of a missing file: %v", err)
		}
		for _, bad := range []string{"", ".", "..", "a/b", "../a", "/a", `a\b`, "a\x00"} {
			_, createErr := dir.Create(bad)
			_, openErr := dir.Open(bad, false)
			_, lockErr := dir.Lock(bad, true)
			for _, err := range []error{createErr, openErr, lockErr, dir.Remove(bad), dir.Rename(bad, "x"), dir.Rename("x", bad)} {
				if !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("name %q: %v", bad, err)
				}
			}
		}
	})
}

func TestBytes(t *testing.T) {
	everyFS(t, func(t *testing.T, dir vfs.FS) {
		f, err := dir.Create("f")
		noError(t, err)
		defer f.Close()
		if f.Name() != "f" {
			t.Errorf("name %q", f.Name())
		}
		_, err = f.WriteAt([]byte("hello"), 10000)
		noError(t, err)
		want := make([]byte, 10005)
		copy(want[10000:], "hello")
		if got := read(t, dir, "f"); got != string(want) {
			t.Error("a write behind the end is not zeros and the bytes")
		}
		b := make([]byte, 10)
		if n, err := f.ReadAt(b, 10003); n != 2 || err != io.EOF || string(b[:2]) != "lo" {
			t.Errorf("read over the end: %d bytes, %v", n, err)
		}
		if n, err := f.ReadAt(b, 20000); n != 0 || err != io.EOF {
			t.Errorf("read behind the end: %d bytes, %v", n, err)
		}
		noError(t, errors.Join(f.Truncate(10002), f.Truncate(10010)))
		if got := read(t, dir, "f"); got[10000:] != "he\x00\x00\x00\x00\x00\x00\x00\x00" {
			t.Errorf("after Truncate: %q", got[10000:])
		}
		noError(t, f.Allocate(5000, 10000))
		if got := read(t, dir, "f"); len(got) != 15000 || got[10000:10002] != "he" {
			t.Errorf("after Allocate: %d bytes", len(got))
		}
		noError(t, errors.Join(f.DropCache(), f.Sync()))
		r, err := dir.Open("f", false)
		noError(t, err)
		if _, err := r.WriteAt([]byte("x"), 0); err == nil {
			t.Error("a file opened for reading was written")
		}
		noError(t, errors.Join(r.Sync(), r.Close()))
		if _, err := r.ReadAt(b, 0); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("read of a closed file: %v", err)
		}
	})
}

func TestMappings(t *testing.T) {
	everyFS(t, func(t *testing.T, dir vfs.FS) {
		before, _ := mmap.Live()
		f, err := dir.Create("f")
		noError(t, err)
		noError(t, f.Allocate(0, 9000))
		w, err := f.Map(100, 5000, true)
		noError(t, err)
		r, err := f.Map(90, 1000, false)
		noError(t, err)
		copy(w.Bytes(), "stored")
		if got := read(t, dir, "f")[100:106]; got != "stored" || string(r.Bytes()[10:16]) != "stored" {
			t.Errorf("a store through a mapping: the file has %q, a mapping %q", got, r.Bytes()[10:16])
		}
		// A growth that moves the memory of an in-memory file.
		noError(t, f.Allocate(0, 1<<20))
		copy(w.Bytes(), "second")
		if got := read(t, dir, "f")[100:106]; got != "second" || string(r.Bytes()[10:16]) != "second" {
			t.Errorf("a store after a growth: the file has %q, a mapping %q", got, r.Bytes()[10:16])
		}
		_, err = f.WriteAt([]byte("third"), 100)
		noError(t, err)
		if string(w.Bytes()[:5]) != "third" || string(r.Bytes()[10:15]) != "third" {
			t.Errorf("a write after a growth: the mappings have %q and %q", w.Bytes()[:5], r.Bytes()[10:15])
		}
		if _, err := f.Map(1<<20-10, 11, false); !errors.Is(err, mmap.ErrShort) {
			t.Errorf("a mapping over the end: %v", err)
		}
		noError(t, errors.Join(f.Close(), dir.Remove("f")))
		if !bytes.HasPrefix(w.Bytes(), []byte("third")) {
			t.Error("the mapping did not outlive its file")
		}
		w.Release()
		r.Release()
		if after, _ := mmap.Live(); after != before {
			t.Errorf("%d mappings left", after-before)
		}
	})
}

func TestLocks(t *testing.T) {
	everyFS(t, func(t *testing.T, dir vfs.FS) {
		x, err := dir.Lock("LOCK", true)
		noError(t, err)
		for _, exclusive := range []bool{true, false} {
			_, err := dir.Lock("LOCK", exclusive)
			var locked *vfs.LockedError
			if !errors.Is(err, vfs.ErrLocked) || !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Host == "" {
				t.Errorf("exclusive %v: %v", exclusive, err)
			}
		}
		noError(t, errors.Join(x.Close(), x.Close()))
		s1, err := dir.Lock("LOCK", false)
		noError(t, err)
		s2, err := dir.Lock("LOCK", false)
		noError(t, err)
		if _, err := dir.Lock("LOCK", true); !errors.Is(err, vfs.ErrLocked) {
			t.Errorf("exclusive beside shared: %v", err)
		}
		noError(t, errors.Join(s1.Close(), s1.Close()))
		if _, err := dir.Lock("LOCK", true); !errors.Is(err, vfs.ErrLocked) {
			t.Errorf("exclusive beside one shared: %v", err)
		}
		noError(t, s2.Close())
		x, err = dir.Lock("LOCK", true)
		noError(t, err)
		noError(t, x.Close())
	})
}

func TestModesAndLinks(t *testing.T) {
	top := t.TempDir()
	path := filepath.Join(top, "store")
	if _, err := vfs.OpenDir(path, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenDir of a missing directory: %v", err)
	}
	dir := openDir(t, path)
	write(t, dir, "f", "inside")
	for name, want := range map[string]fs.FileMode{path: 0o700, filepath.Join(path, "f"): 0o600} {
		if st, err := os.Stat(name); err != nil || st.Mode().Perm()&^want != 0 {
			t.Errorf("%s has mode %v, %v", name, st.Mode(), err)
		}
	}
	noError(t, os.WriteFile(filepath.Join(top, "secret"), []byte("outside"), 0o600))
	noError(t, os.Symlink("../secret", filepath.Join(path, "link")))
	noError(t, os.Mkdir(filepath.Join(path, "sub"), 0o700))
	for _, name := range []string{"link", "sub"} {
		if _, err := dir.Open(name, false); err == nil {
			t.Errorf("%s was opened", name)
		} else if !strings.Contains(err.Error(), filepath.Join(path, name)) {
			t.Errorf("error %q does not name the file", err)
		}
	}
	if dir.Path() != path {
		t.Errorf("path %q", dir.Path())
	}
}
