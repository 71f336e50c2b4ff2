package vfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"syscall"
)

// dir is a directory of the operating system.
//
// Names are resolved below root, so that neither a name nor a symbolic link leads out.
// handle stays open for SyncDir: an error of write-back is reported only to those who had
// the file open when it happened.
type dir struct {
	path   string
	root   *os.Root
	handle *os.File
}

// OpenDir opens the directory path. With create it is made, mode 0700, where it is absent;
// its parent must exist. The caller closes the FS.
func OpenDir(path string, create bool) (FS, error) {
	if create {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("vfs: %w", err)
		}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("vfs: %w", err)
	}
	handle, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("vfs: %w", err), root.Close())
	}
	return &dir{path: path, root: root, handle: handle}, nil
}

func (d *dir) Path() string { return d.path }

func (d *dir) Close() error { return errors.Join(d.handle.Close(), d.root.Close()) }

// explain puts the full path of the file into an error of os.Root, which knows only names.
func (d *dir) explain(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		err = le.Err
	}
	return fmt.Errorf("vfs: %s: %w", filepath.Join(d.path, name), err)
}

func (d *dir) Create(name string) (File, error) {
	return d.open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

func (d *dir) Open(name string, writable bool) (File, error) {
	if writable {
		return d.open(name, os.O_RDWR)
	}
	return d.open(name, os.O_RDONLY)
}

// open opens a regular file below the root. It never waits: a pipe of that name would.
func (d *dir) open(name string, flag int) (*file, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(name, flag|openNonblock, 0o600)
	if err != nil {
		return nil, d.explain(name, err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("not a regular file: %w", fs.ErrInvalid)
	}
	if err != nil {
		return nil, errors.Join(d.explain(name, err), f.Close())
	}
	return &file{File: f, name: name}, nil
}

func (d *dir) Rename(oldName, newName string) error {
	if err := errors.Join(CheckName(oldName), CheckName(newName)); err != nil {
		return err
	}
	if err := d.root.Rename(oldName, newName); err != nil {
		return d.explain(oldName, err)
	}
	return nil
}

func (d *dir) Remove(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := d.root.Remove(name); err != nil {
		return d.explain(name, err)
	}
	return nil
}

func (d *dir) List() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, d.explain("", err)
	}
	names, err := f.Readdirnames(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, d.explain("", err)
	}
	sort.Strings(names)
	return names, nil
}

func (d *dir) SyncDir() error { return syncDirectory(d.handle) }

func (d *dir) SyncParent() error {
	path, err := filepath.Abs(d.path)
	if err != nil {
		return fmt.Errorf("vfs: %w", err)
	}
	parent, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("vfs: %w", err)
	}
	return errors.Join(syncDirectory(parent), parent.Close())
}

// syncDirectory syncs the entries of an open directory. EINVAL is how a file system says
// that it has nothing to sync there; every other error stands.
func syncDirectory(f *os.File) error {
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("vfs: sync directory: %w", err)
	}
	return nil
}
