package copy

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Files says which files statements may read and write. The zero Files allows none:
// a program that lets strangers write statements need do nothing to be safe.
type Files struct {
	any  bool
	root *os.Root
	dir  string
}

// AnyFile allows every file that the process can reach.
func AnyFile() Files { return Files{any: true} }

// FilesIn allows the files below dir and no others: names are taken relative to it, and
// neither .. nor a symbolic link leads out. Close gives up the open directory.
func FilesIn(dir string) (Files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Files{}, fileError(err, "could not open directory", dir)
	}
	return Files{root: root, dir: dir}, nil
}

// Close releases what FilesIn opened.
func (f Files) Close() error {
	if f.root == nil {
		return nil
	}
	return f.root.Close()
}

// refused is the error for a file that the policy does not allow; nil if it may be
// looked at.
func (f Files) refused(name string) error {
	if f.any || f.root != nil {
		return nil
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to COPY with the file \"%s\"", name).
		WithHint("This program lets no statement use files; use STDIN or STDOUT.").In(name)
}

// inRoot returns name relative to the allowed directory.
func (f Files) inRoot(name string) string {
	if filepath.IsAbs(name) {
		if rel, err := filepath.Rel(f.dir, name); err == nil {
			return rel
		}
	}
	return filepath.Clean(name)
}

func (f Files) openFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if err := f.refused(name); err != nil {
		return nil, err
	}
	if f.root != nil {
		return f.root.OpenFile(f.inRoot(name), flag, perm)
	}
	return os.OpenFile(name, flag, perm)
}

// open opens name for reading. A directory is 42809. A named pipe is waited for until ctx
// ends.
func (f Files) open(ctx context.Context, name string) (*os.File, fs.FileInfo, error) {
	open := f.openFile
	if f.refused(name) == nil {
		if info, err := f.stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			open = func(name string, flag int, _ fs.FileMode) (*os.File, error) { return f.openPipe(ctx, name, flag) }
		}
	}
	file, err := open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, fileError(err, "could not open file", name)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, nil, fileError(err, "could not stat file", name)
	}
	if info.IsDir() {
		file.Close()
		return nil, nil, pgerr.New(pgerr.WrongObjectType, "\"%s\" is a directory", name).
			WithHint("Name a file, or a pattern such as '%s'.", filepath.Join(name, "*.csv")).In(name)
	}
	return file, info, nil
}

// openPipe opens a named pipe for reading or writing, which lasts until there is somebody at
// its other end. If ctx ends first, the error is ctx's.
func (f Files) openPipe(ctx context.Context, name string, flag int) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened)
	go func() {
		file, err := f.openFile(name, flag, 0)
		select {
		case done <- opened{file, err}:
		case <-ctx.Done():
			file.Close() // of nil does nothing
		}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
	}
	// Somebody who comes and goes ends the wait of the goroutine.
	other := os.O_WRONLY
	if flag == os.O_WRONLY {
		other = os.O_RDONLY
	}
	if end, err := f.openFile(name, other|syscall.O_NONBLOCK, 0); err == nil {
		end.Close()
	}
	return nil, ctx.Err()
}

func (f Files) rename(from, to string) error {
	if f.root != nil {
		return f.root.Rename(f.inRoot(from), f.inRoot(to))
	}
	return os.Rename(from, to)
}

func (f Files) remove(name string) error {
	if f.root != nil {
		return f.root.Remove(f.inRoot(name))
	}
	return os.Remove(name)
}

func (f Files) stat(name string) (fs.FileInfo, error) {
	if f.root != nil {
		return f.root.Stat(f.inRoot(name))
	}
	return os.Stat(name)
}

// expand returns the files that names and patterns stand for: each pattern's matches in
// byte order. A name that exists is taken as it is, whatever characters it holds; a
// pattern that matches nothing is 58P01.
func (f Files) expand(patterns []string) ([]string, error) {
	var out []string
	for _, p := range patterns {
		if err := f.refused(p); err != nil {
			return nil, err
		}
		if !strings.ContainsAny(p, "*?[") {
			out = append(out, p)
			continue
		}
		if _, err := f.stat(p); err == nil {
			out = append(out, p)
			continue
		}
		matches, err := f.glob(p)
		if err != nil {
			return nil, pgerr.New(pgerr.InvalidName, "invalid file name pattern \"%s\": %w", p, err).In(p)
		}
		if len(matches) == 0 {
			return nil, pgerr.New(pgerr.UndefinedFile, "no file matches \"%s\"", p).In(p)
		}
		slices.Sort(matches)
		out = append(out, matches...)
	}
	return out, nil
}

func (f Files) glob(pattern string) ([]string, error) {
	if f.root != nil {
		return fs.Glob(f.root.FS(), filepath.ToSlash(f.inRoot(pattern)))
	}
	return filepath.Glob(pattern)
}

// fileError returns err, which an operation on the file name ended with, as an *Error
// with PostgreSQL's SQLSTATE for it. An *Error, and the end of a context, is returned as
// it is.
func fileError(err error, what, name string) error {
	var known *Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	cause := err
	var pe *fs.PathError
	if errors.As(err, &pe) {
		cause = pe.Err
	}
	e := pgerr.New(pgerr.Code(err), "%s \"%s\": %w", what, name, cause).In(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.SQLState = pgerr.UndefinedFile
		e.WithHint("The name is taken relative to the directory the program runs in.")
	case errors.Is(err, fs.ErrPermission), strings.Contains(cause.Error(), "escapes"):
		e.SQLState = pgerr.InsufficientPrivilege
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR):
		e.SQLState = pgerr.WrongObjectType
	case e.SQLState == pgerr.InternalError:
		e.SQLState = pgerr.IOError
	}
	return e
}
