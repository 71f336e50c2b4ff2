//go:build darwin || freebsd

package mmap

import "golang.org/x/sys/unix"

// sysHuge is no advice: there is none of the kind.
const sysHuge = unix.MADV_NORMAL
