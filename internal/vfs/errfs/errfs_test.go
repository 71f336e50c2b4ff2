package errfs_test

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs/errfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

func TestRules(t *testing.T) {
	f := errfs.New(memfs.New())
	a, err := f.Create("a-1")
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Create("b-1")
	if err != nil {
		t.Fatal(err)
	}
	f.Add(errfs.Rule{Kind: errfs.Write, Name: "a-*", Nth: 2, Err: syscall.EIO})
	f.Add(errfs.Rule{Kind: errfs.Write, Name: "b-*", Sticky: true, Short: true, Err: syscall.ENOSPC})
	for i, want := range []error{nil, syscall.EIO, nil} {
		if _, err := a.WriteAt([]byte("xyxy"), 0); !errors.Is(err, want) {
			t.Errorf("write %d: %v, want %v", i, err, want)
		}
	}
	for range 2 {
		if n, err := b.WriteAt([]byte("xyxy"), 0); n != 2 || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("short write: %d, %v", n, err)
		}
	}
	if size, err := b.Size(); size != 2 || err != nil {
		t.Errorf("size %d, %v", size, err)
	}
	if got := f.Count(errfs.Write); got != 5 {
		t.Errorf("%d writes counted", got)
	}
	if f.Fired() != 3 || f.Count(errfs.Any) != 8 {
		t.Errorf("%d rules fired, %d calls", f.Fired(), f.Count(errfs.Any))
	}
	f.Clear()
	if _, err := b.WriteAt([]byte("xyxy"), 0); err != nil {
		t.Error(err)
	}
}

// TestSilence leaves calls without effect.
func TestSilence(t *testing.T) {
	disk := memfs.New()
	f := errfs.New(disk)
	f.Add(errfs.Rule{Kind: errfs.Sync, Sticky: true})
	a, err := f.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.WriteAt([]byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Sync(), f.SyncDir()); err != nil {
		t.Fatal(err)
	}
	after, err := disk.Crash(0, memfs.Strict).Open("a", false)
	if err != nil {
		t.Fatal(err)
	}
	if size, err := after.Size(); size != 0 || err != nil {
		t.Errorf("size %d, %v: the sync was not left out", size, err)
	}
	f.Add(errfs.Rule{Kind: errfs.Rename, Name: "b", Err: fs.ErrPermission})
	if err := f.Rename("a", "b"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("rename: %v", err)
	}
}

// TestAnyCountsEachCall fails the Nth call of whatever kind.
func TestAnyCountsEachCall(t *testing.T) {
	for n := 1; n <= 4; n++ {
		f := errfs.New(memfs.New())
		a, err := f.Create("a")
		if err != nil {
			t.Fatal(err)
		}
		f.Add(errfs.Rule{Nth: n, Err: syscall.EIO})
		_, writeErr := a.WriteAt([]byte("x"), 0)
		_, sizeErr := a.Size()
		for i, err := range []error{writeErr, sizeErr, f.SyncDir(), f.Remove("a")} {
			if errors.Is(err, syscall.EIO) != (i == n-1) {
				t.Errorf("n = %d: call %d: %v", n, i+1, err)
			}
		}
	}
}
