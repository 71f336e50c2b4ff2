package mmap

import (
	"os"

	"golang.org/x/sys/unix"
)

func sysReserve(f *os.File, off, n int64) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var reserveErr error
	err = conn.Control(func(fd uintptr) {
		reserveErr = ignoreInterrupt(func() error { return unix.Fallocate(int(fd), 0, off, n) })
	})
	if err != nil {
		return err
	}
	return reserveErr
}
