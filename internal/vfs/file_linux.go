package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncFile is fdatasync: the bytes, and of the inode what is needed to read them.
func syncFile(f *os.File) error {
	return control(f, unix.Fdatasync)
}

func dropCache(f *os.File) error {
	return control(f, func(fd int) error { return unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED) })
}

// control calls fn with the descriptor of f, again when it was interrupted.
func control(f *os.File, fn func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	err = conn.Control(func(fd uintptr) {
		for {
			if result = fn(int(fd)); result != unix.EINTR {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return result
}
