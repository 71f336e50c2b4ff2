package journal

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs"
)

// BenchmarkAppend is one commit on the disk under the temporary directory.
func BenchmarkAppend(b *testing.B) {
	for _, sync := range []bool{true, false} {
		for _, n := range []int{100, 4000, 70_000, 1 << 20} {
			b.Run(fmt.Sprintf("sync=%v/bytes=%d", sync, n), func(b *testing.B) {
				dir, err := vfs.OpenDir(b.TempDir(), true)
				noError(b, err)
				defer dir.Close()
				j, err := Create(Options{FS: dir, FirstLogBytes: 64 << 20, LogBytes: 64 << 20}, nil)
				noError(b, err)
				body := make([]byte, n)
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					_, err := j.Append(sync, body)
					if errors.Is(err, ErrLogFull) {
						b.StopTimer()
						noError(b, j.Rotate(int64(n)))
						b.StartTimer()
						_, err = j.Append(sync, body)
					}
					noError(b, err)
				}
				noError(b, j.Close())
			})
		}
	}
}

// BenchmarkRotate measures the switch to a prepared log and to one that is not.
func BenchmarkRotate(b *testing.B) {
	for _, prepared := range []bool{true, false} {
		b.Run(fmt.Sprintf("prepared=%v", prepared), func(b *testing.B) {
			dir, err := vfs.OpenDir(b.TempDir(), true)
			noError(b, err)
			defer dir.Close()
			j, err := Create(Options{FS: dir}, nil)
			noError(b, err)
			state := make([]byte, 100_000)
			for b.Loop() {
				if prepared {
					b.StopTimer()
					noError(b, j.Prepare())
					b.StartTimer()
				}
				noError(b, j.Rotate(0, state))
			}
			noError(b, j.Close())
		})
	}
}
