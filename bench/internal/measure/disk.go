package measure

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// ProbeDisk returns the time that one sync of size bytes takes: they are written to a
// new file in dir, which is removed, and only the sync is timed. The bytes are not all
// alike, so that nothing below can make them fewer.
func ProbeDisk(dir string, size int64) (syncNS int64, err error) {
	f, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return 0, fmt.Errorf("measure: probe the disk: %w", err)
	}
	defer func() {
		if e := errors.Join(f.Close(), os.Remove(f.Name())); e != nil && err == nil {
			err = fmt.Errorf("measure: probe the disk: %w", e)
		}
	}()
	block := make([]byte, 1<<20)
	x := uint64(size) | 1
	for left := size; left > 0; left -= int64(len(block)) {
		for i := range block {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			block[i] = byte(x)
		}
		if left < int64(len(block)) {
			block = block[:left]
		}
		if _, err := f.Write(block); err != nil {
			return 0, fmt.Errorf("measure: probe the disk: %w", err)
		}
	}
	begin := time.Now()
	if err := f.Sync(); err != nil {
		return 0, fmt.Errorf("measure: probe the disk: %w", err)
	}
	return int64(time.Since(begin)), nil
}
