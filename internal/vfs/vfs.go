// Package vfs is the only way from the store to its files, mapping included, so that tests
// can put a file system that crashes (memfs) or fails (errfs) in the place of the real one.
//
// An [FS] is one directory and its files; names are plain file names, never paths. OpenDir
// gives the directory of the operating system. There, symbolic links that lead out of the
// directory are refused, and so is everything that is not a regular file.
//
// # What is durable when
//
// Three things reach the device separately, and nothing else does it:
//
//	File.Sync    the bytes and the size of that file, stores through mappings included
//	SyncDir      the names: what Create, Rename and Remove did
//	SyncParent   the directory's own name, once, after it was created
//
// Until then a crash may keep or lose each of them, in any order, and bytes in parts.
package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/ingotdb/ingot/mmap"
)

// FS is one directory. All file access of a store goes through it. Methods are safe for
// concurrent use. Errors wrap the system's (fs.ErrExist, fs.ErrNotExist, syscall.ENOSPC).
type FS interface {
	// Create makes a new, empty file, open for reading and writing, mode 0600. It fails
	// with fs.ErrExist if the name is taken.
	Create(name string) (File, error)
	// Open opens an existing regular file.
	Open(name string, writable bool) (File, error)
	// Rename gives a file another name and replaces what had it. A crash leaves the old
	// state or the new one.
	Rename(oldName, newName string) error
	// Remove takes the name away. The bytes live as long as a File or mapping of them.
	Remove(name string) error
	// List returns the names in the directory, sorted.
	List() ([]string, error)
	// SyncDir makes the directory's entries durable.
	SyncDir() error
	// SyncParent makes the directory's own entry in its parent durable.
	SyncParent() error
	// Lock takes the lock that the file name stands for, or fails at once with a
	// *LockedError. An exclusive lock creates the file where it is absent and writes the
	// holder into it; a shared lock writes nothing, and on a directory without the file
	// it locks nothing. Closing the result gives the lock back.
	Lock(name string, exclusive bool) (io.Closer, error)
	// Path returns the directory's path, for messages.
	Path() string
	// Close gives the directory up. Open files and locks stay as they are.
	Close() error
}

// File is an open file of an FS. Methods are safe for concurrent use, except that Close
// comes last. Mappings outlive Close.
type File interface {
	io.ReaderAt
	// WriteAt writes behind the end too. With an error, n tells how many bytes may have
	// been written; an unknown part of the rest may have been as well.
	io.WriterAt
	io.Closer
	// Name returns the name under which the file was opened.
	Name() string
	// Size returns the length in bytes.
	Size() (int64, error)
	// Truncate sets the length. What is added reads as zero and has no space of its own.
	Truncate(size int64) error
	// Allocate gives bytes [off, off+n) their disk space, lengthens the file to hold
	// them, and changes no byte. A full disk is syscall.ENOSPC or EDQUOT here.
	Allocate(off, n int64) error
	// Sync makes bytes and size durable (fdatasync). After an error nobody knows what is
	// on the device, and another Sync proves nothing.
	Sync() error
	// DropCache asks that clean cached bytes be read from the device again. Best effort.
	DropCache() error
	// Map maps n bytes at off, shared. See mmap.Map.
	Map(off int64, n int, writable bool) (*mmap.Mapping, error)
}

// ErrLocked is what every LockedError is, for errors.Is.
var ErrLocked = errors.New("vfs: locked")

// LockedError says who holds the lock that was refused.
type LockedError struct {
	Path string // of the lock file
	PID  int    // of the holder; 0 when it is not known, as for holders of shared locks
	Host string // of the holder; "" when it is not known
}

// Error names the holder.
func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("vfs: %s is locked by another process", e.Path)
	}
	return fmt.Sprintf("vfs: %s is locked by process %d on %s", e.Path, e.PID, e.Host)
}

// Is reports whether target is ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// CheckName returns an error unless name is a plain file name. Every FS applies it.
func CheckName(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
		return fmt.Errorf("vfs: %q is not a plain file name: %w", name, fs.ErrInvalid)
	}
	return nil
}
