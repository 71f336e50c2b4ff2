package copy

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// directory is what a COPY TO with PARTITION_BY fills: a new directory beside its final
// name, which it gets when it is complete. What had that name is there until then, and
// again if the last step fails.
type directory struct {
	files *Files
	temp  string // its name until it is complete; "" from then on
	path  string
	old   bool // path exists
}

// createDirectory begins the directory path. One that exists must be empty, or hold nothing
// but partitions and be given up by overwrite.
func (f *Files) createDirectory(path string, overwrite bool) (*directory, error) {
	if err := f.refused(path); err != nil {
		return nil, err
	}
	path = filepath.Clean(path) // a link with a slash behind it is a link
	if base := filepath.Base(path); base == "." || base == ".." || base == string(filepath.Separator) {
		return nil, pgerr.New(pgerr.InvalidName, "\"%s\" cannot be replaced by another directory", path).
			WithHint("Name a directory in it.").In(path)
	}
	d := &directory{files: f, path: path}
	mode := fs.FileMode(0o755)
	switch info, err := f.lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fileError(err, "could not open directory", path)
	default:
		if d.path, info, err = f.existing(path, info); err != nil {
			return nil, err
		}
		if err := f.replaceable(d.path, overwrite); err != nil {
			return nil, err
		}
		d.old, mode = true, info.Mode().Perm()
	}
	for {
		temp := besides(d.path, "tmp")
		err := f.mkdir(temp, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fileError(err, "could not create directory", path)
		}
		d.temp = temp
		return d, nil
	}
}

// besides returns a hidden name beside path that nobody else has.
func besides(path, suffix string) string {
	dir, base := filepath.Split(path)
	return dir + fmt.Sprintf(".%s.%08x.%s", base, rand.Uint32(), suffix)
}

// existing returns the name and the properties of the directory that path leads to. Where
// only part of the file system is allowed, it leads through no symbolic link.
func (f *Files) existing(path string, info fs.FileInfo) (string, fs.FileInfo, error) {
	var err error
	if f.any && info.Mode()&fs.ModeSymlink != 0 {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", nil, fileError(err, "could not open directory", path)
		}
		if info, err = f.stat(path); err != nil {
			return "", nil, fileError(err, "could not open directory", path)
		}
	}
	if !info.IsDir() {
		return "", nil, pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a directory", path).
			WithHint("PARTITION_BY writes a directory of files.").In(path)
	}
	return path, info, nil
}

// replaceable is an error if what is in the directory may not be lost.
func (f *Files) replaceable(path string, overwrite bool) error {
	dir, err := f.openFile(path, os.O_RDONLY, 0)
	if err != nil {
		return fileError(err, "could not open directory", path)
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return fileError(err, "could not read directory", path)
	}
	for _, e := range entries {
		switch {
		case !overwrite:
			return pgerr.New(pgerr.DuplicateFile, "directory \"%s\" exists and is not empty", path).
				WithHint("With OVERWRITE it is replaced.").In(path)
		case !e.IsDir() || !strings.Contains(e.Name(), "="):
			return pgerr.New(pgerr.DuplicateFile, "directory \"%s\" holds \"%s\", which is no partition", path, e.Name()).
				WithHint("OVERWRITE replaces what COPY with PARTITION_BY has written, and nothing else.").In(path)
		}
	}
	return nil
}

// create creates a file of a partition: dir is the partition's name, below d. It is there
// already if the file system takes its name for that of another.
func (d *directory) create(dir, file string) (*os.File, error) {
	sub := filepath.Join(d.temp, dir)
	err := d.files.mkdir(sub, 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.files.mkdirAll(sub, 0o755)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fileError(err, "could not create directory", filepath.Join(d.path, dir))
	}
	out, err := d.files.openFile(filepath.Join(sub, file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	return out, fileError(err, "could not create file", filepath.Join(d.path, dir, file))
}

// complete gives the directory its name. As with a file, nothing is synced.
func (d *directory) complete() error {
	f, old := d.files, besides(d.path, "old")
	if d.old {
		if err := f.rename(d.path, old); err != nil {
			return fileError(err, "could not rename directory", d.path)
		}
	}
	if err := f.rename(d.temp, d.path); err != nil {
		err = fileError(err, "could not rename directory", d.path)
		if d.old {
			err = errors.Join(err, fileError(f.rename(old, d.path), "could not rename directory", old))
		}
		return err
	}
	d.temp = ""
	if !d.old {
		return nil
	}
	return fileError(f.removeAll(old), "could not remove the files that were replaced, now in", old)
}

// abandon drops a directory that was not completed; after complete it does nothing. Should
// that fail, a hidden directory is left over, and the error that led here is the one to
// report.
func (d *directory) abandon() {
	if d.temp != "" {
		_ = d.files.removeAll(d.temp)
		d.temp = ""
	}
}

func (f Files) lstat(name string) (fs.FileInfo, error) {
	if f.root != nil {
		return f.root.Lstat(f.inRoot(name))
	}
	return os.Lstat(name)
}

func (f Files) mkdir(name string, mode fs.FileMode) error {
	if f.root != nil {
		return f.root.Mkdir(f.inRoot(name), mode)
	}
	return os.Mkdir(name, mode)
}

func (f Files) mkdirAll(name string, mode fs.FileMode) error {
	if f.root != nil {
		return f.root.MkdirAll(f.inRoot(name), mode)
	}
	return os.MkdirAll(name, mode)
}

func (f Files) removeAll(name string) error {
	if f.root != nil {
		return f.root.RemoveAll(f.inRoot(name))
	}
	return os.RemoveAll(name)
}
