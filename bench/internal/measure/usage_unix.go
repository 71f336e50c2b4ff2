//go:build unix

package measure

import (
	"io/fs"
	"syscall"
)

// processUsage returns the processor time and the minor faults of this process so far.
func processUsage() (cpuNS, minorFaults int64) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, 0
	}
	return r.Utime.Nano() + r.Stime.Nano(), int64(r.Minflt)
}

// allocated returns the bytes that a file takes on disk.
func allocated(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * 512
	}
	return info.Size()
}
