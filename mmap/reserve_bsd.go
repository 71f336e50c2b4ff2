//go:build darwin || freebsd

package mmap

import (
	"os"
	"syscall"
)

// sysReserve has no call that gives holes inside a file their blocks on every file system
// of these systems, so Reserve writes.
func sysReserve(*os.File, int64, int64) error { return syscall.ENOSYS }
