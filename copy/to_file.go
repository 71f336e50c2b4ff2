package copy

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// target is the file that a COPY TO writes: a new one beside its final name, or a device
// or pipe that is there already.
type target struct {
	*os.File
	files *Files
	temp  string // its name until it is complete; "" if it has its final one
	path  string
	awake func() bool // stops waking who writes to a pipe when the context ends
}

// create opens path for a COPY TO. A named pipe is waited for until ctx ends, and then
// writing to it ends with an error.
func (f *Files) create(ctx context.Context, path string) (*target, error) {
	if err := f.refused(path); err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o644)
	switch info, err := f.stat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fileError(err, "could not open file", path)
	case info.IsDir():
		return nil, pgerr.New(pgerr.WrongObjectType, "\"%s\" is a directory", path).
			WithHint("Name a file in it.").In(path)
	case !info.Mode().IsRegular():
		open := f.openFile
		if info.Mode()&fs.ModeNamedPipe != 0 {
			open = func(path string, flag int, _ fs.FileMode) (*os.File, error) { return f.openPipe(ctx, path, flag) }
		}
		file, err := open(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, fileError(err, "could not open file", path)
		}
		awake := context.AfterFunc(ctx, func() { _ = file.SetWriteDeadline(time.Unix(1, 0)) }) // a file that never waits has none
		return &target{File: file, files: f, path: path, awake: awake}, nil
	default:
		// The right to write the file decides, not that to write its directory.
		file, err := f.openFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, fileError(err, "could not open file", path)
		}
		file.Close()
		mode = info.Mode().Perm()
		if f.any {
			if path, err = filepath.EvalSymlinks(path); err != nil {
				return nil, fileError(err, "could not open file", path)
			}
		}
	}
	for {
		temp := besides(path, "tmp")
		file, err := f.openFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fileError(err, "could not create file", path)
		}
		return &target{File: file, files: f, temp: temp, path: path}, nil
	}
}

// complete gives the file its name. It is not synced: a COPY TO is as durable as a copy
// that the system's own tools make.
func (t *target) complete() error {
	file := t.File
	t.File = nil
	t.sleep()
	if err := file.Close(); err != nil {
		t.remove()
		return fileError(err, "could not write to file", t.path)
	}
	if t.temp == "" {
		return nil
	}
	if err := t.files.rename(t.temp, t.path); err != nil {
		t.remove()
		return fileError(err, "could not rename file", t.path)
	}
	return nil
}

// abandon drops a file that was not completed; after complete it does nothing.
func (t *target) abandon() {
	if t.File != nil {
		t.sleep()
		t.File.Close()
		t.File = nil
		t.remove()
	}
}

// sleep gives up waking who writes.
func (t *target) sleep() {
	if t.awake != nil {
		t.awake()
	}
}

// remove deletes the temporary file. Should that fail, a hidden file is left over and the
// error that led here is the one to report.
func (t *target) remove() {
	if t.temp != "" {
		_ = t.files.remove(t.temp)
	}
}
