package vfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// A lock is two locks: one among processes (flock), which dies with its process however
// that ends, and one inside this process, by device and inode, because some network file
// systems do not keep two descriptors of one process apart.

// inode names a file whatever its path is.
type inode struct{ device, number uint64 }

// heldLocks counts this process's locks: n > 0 holders of shared ones, -1 an exclusive one.
var heldLocks = struct {
	sync.Mutex
	holders map[inode]int
}{holders: map[inode]int{}}

// dirLock is a lock that is held. file is nil where the directory has no lock file.
type dirLock struct {
	file      *file
	inode     inode
	exclusive bool
	once      sync.Once
	err       error
}

func (d *dir) Lock(name string, exclusive bool) (io.Closer, error) {
	flag := os.O_RDONLY
	if exclusive {
		flag = os.O_RDWR | os.O_CREATE
	}
	f, err := d.open(name, flag)
	if !exclusive && errors.Is(err, fs.ErrNotExist) {
		return &dirLock{}, nil
	}
	if err != nil {
		return nil, err
	}
	l := &dirLock{file: f, exclusive: exclusive}
	if err := l.take(filepath.Join(d.path, name)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// take locks inside the process and then among processes; it holds both or neither.
func (l *dirLock) take(path string) (err error) {
	if l.inode, err = inodeOf(l.file.File); err != nil {
		return fmt.Errorf("vfs: lock %s: %w", path, err)
	}
	if !l.enter() {
		return &LockedError{Path: path, PID: os.Getpid(), Host: hostName()}
	}
	if err := flock(l.file.File, l.exclusive); err != nil {
		l.leave()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return lockHolder(path, l.file)
		}
		return fmt.Errorf("vfs: lock %s: %w", path, err)
	}
	if !l.exclusive {
		return nil
	}
	if err := l.sign(fmt.Sprintf("%d %s\n", os.Getpid(), hostName())); err != nil {
		l.leave() // closing the file ends the flock
		return fmt.Errorf("vfs: lock %s: %w", path, err)
	}
	return nil
}

// sign replaces the text in the lock file. It is for people and messages: nothing depends
// on it, so it is not synced.
func (l *dirLock) sign(text string) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(text), 0)
	return err
}

// Close gives the lock back. A second call returns what the first one did.
func (l *dirLock) Close() error {
	l.once.Do(func() {
		if l.file == nil {
			return
		}
		if l.exclusive {
			l.err = l.sign("")
		}
		l.err = errors.Join(l.err, l.file.Close())
		l.leave()
	})
	return l.err
}

func (l *dirLock) enter() bool {
	heldLocks.Lock()
	defer heldLocks.Unlock()
	n := heldLocks.holders[l.inode]
	switch {
	case n < 0, l.exclusive && n > 0:
		return false
	case l.exclusive:
		heldLocks.holders[l.inode] = -1
	default:
		heldLocks.holders[l.inode] = n + 1
	}
	return true
}

func (l *dirLock) leave() {
	heldLocks.Lock()
	defer heldLocks.Unlock()
	if n := heldLocks.holders[l.inode]; n > 1 {
		heldLocks.holders[l.inode] = n - 1
	} else {
		delete(heldLocks.holders, l.inode)
	}
}

// lockHolder makes the error for a lock that another process holds, from what that one
// wrote into the file. A process that is gone cannot be the holder: its text stayed
// because it was killed, and whoever holds the lock now is a reader.
func lockHolder(path string, f *file) *LockedError {
	e := &LockedError{Path: path}
	text := make([]byte, 512)
	n, err := f.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return e
	}
	var pid int
	var host string
	if _, err := fmt.Sscanf(strings.TrimSpace(string(text[:n])), "%d %s", &pid, &host); err != nil || pid <= 0 {
		return e
	}
	if host == hostName() && !processLives(pid) {
		return e
	}
	e.PID, e.Host = pid, host
	return e
}

// hostName returns this machine's name as one word.
func hostName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return strings.ReplaceAll(name, " ", "-")
}
