//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// processUsage returns what the process has used; zeros if the system does not say.
func processUsage() usage {
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &ru) != nil {
		return usage{}
	}
	return usage{
		cpu:         time.Duration(ru.Utime.Nano() + ru.Stime.Nano()),
		minorFaults: int64(ru.Minflt),
	}
}
