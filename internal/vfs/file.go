package vfs

import (
	"fmt"
	"os"

	"github.com/ingotdb/ingot/mmap"
)

// file is a regular file of the operating system. Reads, writes, Truncate and Close are
// os.File's: they retry interrupted calls and report short ones.
type file struct {
	*os.File
	name string
}

func (f *file) Name() string { return f.name }

func (f *file) Size() (int64, error) {
	st, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("vfs: %w", err)
	}
	return st.Size(), nil
}

func (f *file) Allocate(off, n int64) error { return mmap.Reserve(f.File, off, n) }

func (f *file) Map(off int64, n int, writable bool) (*mmap.Mapping, error) {
	return mmap.MapFile(f.File, off, n, writable)
}

func (f *file) Sync() error {
	if err := syncFile(f.File); err != nil {
		return fmt.Errorf("vfs: sync %s: %w", f.name, err)
	}
	return nil
}

func (f *file) DropCache() error {
	if err := dropCache(f.File); err != nil {
		return fmt.Errorf("vfs: drop cache of %s: %w", f.name, err)
	}
	return nil
}
