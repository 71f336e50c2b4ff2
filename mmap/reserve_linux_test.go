package mmap

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFullDisk reserves and stores on a file system of 1 MiB.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("ingot", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("needs the right to mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	f, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Reserve(f, 0, 100<<10); err != nil {
		t.Fatal(err)
	}
	if err := Reserve(f, 0, 2<<20); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want ENOSPC", err)
	}
	if st, err := f.Stat(); err != nil || st.Size() != 100<<10 {
		t.Errorf("the failure left %d bytes, %v", st.Size(), err)
	}
	if err := writeBlocks(f, 100<<10, 0, 2<<20); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("by writing: error %v, want ENOSPC", err)
	}
	// Without Reserve, the store itself faults.
	if err := f.Truncate(2 << 20); err != nil {
		t.Fatal(err)
	}
	m := mustMap(t, f, 0, 2<<20, true)
	defer m.Release()
	if err := Guard(func() error { clearAll(m.Bytes()); return nil }); !errors.Is(err, ErrFault) {
		t.Errorf("error %v, want ErrFault", err)
	}
}

func clearAll(b []byte) {
	for i := range b {
		b[i] = 1
	}
}
