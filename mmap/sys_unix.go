//go:build linux || darwin || freebsd

package mmap

import (
	"golang.org/x/sys/unix"
)

func sizeOf(fd uintptr) (int64, error) {
	var st unix.Stat_t
	if err := ignoreInterrupt(func() error { return unix.Fstat(int(fd), &st) }); err != nil {
		return 0, err
	}
	return st.Size, nil
}

func sysMap(fd uintptr, off int64, n int, writable bool) ([]byte, error) {
	prot := unix.PROT_READ
	if writable {
		prot |= unix.PROT_WRITE
	}
	return unix.Mmap(int(fd), off, n, prot, unix.MAP_SHARED)
}

func sysUnmap(b []byte) error {
	if debugReleased {
		return unix.Mprotect(b, unix.PROT_NONE)
	}
	return unix.Munmap(b)
}

func sysSync(b []byte) error {
	return ignoreInterrupt(func() error { return unix.Msync(b, unix.MS_SYNC) })
}

var sysAdvice = [...]int{
	AdviceNormal:     unix.MADV_NORMAL,
	AdviceSequential: unix.MADV_SEQUENTIAL,
	AdviceRandom:     unix.MADV_RANDOM,
	AdviceWillNeed:   unix.MADV_WILLNEED,
	AdviceDontNeed:   unix.MADV_DONTNEED,
	AdviceHuge:       sysHuge,
}

func sysAdvise(b []byte, a Advice) error { return unix.Madvise(b, sysAdvice[a]) }

// ignoreInterrupt calls fn until its error is not EINTR.
func ignoreInterrupt(fn func() error) error {
	for {
		if err := fn(); err != unix.EINTR {
			return err
		}
	}
}
