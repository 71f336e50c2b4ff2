//go:build !unix

package measure

import "io/fs"

// processUsage returns the processor time and the minor faults of this process so far;
// this system does not tell.
func processUsage() (cpuNS, minorFaults int64) { return 0, 0 }

// allocated returns the bytes that a file takes on disk.
func allocated(info fs.FileInfo) int64 { return info.Size() }
