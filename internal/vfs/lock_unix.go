//go:build linux || darwin || freebsd

package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openNonblock keeps an open from waiting for the other end of a pipe. Regular files do
// not know it.
const openNonblock = unix.O_NONBLOCK

func inodeOf(f *os.File) (inode, error) {
	var st unix.Stat_t
	conn, err := f.SyscallConn()
	if err != nil {
		return inode{}, err
	}
	var statErr error
	if err := conn.Control(func(fd uintptr) { statErr = unix.Fstat(int(fd), &st) }); err != nil {
		return inode{}, err
	}
	return inode{device: uint64(st.Dev), number: uint64(st.Ino)}, statErr
}

// flock locks f among processes without waiting; EWOULDBLOCK means that another holds it.
func flock(f *os.File, exclusive bool) error {
	how := unix.LOCK_SH | unix.LOCK_NB
	if exclusive {
		how = unix.LOCK_EX | unix.LOCK_NB
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var lockErr error
	err = conn.Control(func(fd uintptr) {
		for {
			if lockErr = unix.Flock(int(fd), how); lockErr != unix.EINTR {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return lockErr
}

// processLives reports whether this machine has a process of that id.
func processLives(pid int) bool {
	return !errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}
