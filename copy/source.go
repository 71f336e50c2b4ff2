package copy

import (
	"io"
	"time"
)

// Source is where the rows of a COPY FROM come from.
type Source struct {
	paths  []string
	reader io.Reader
	name   string
	rows   *rowSource
}

// FromFiles returns the source of one or more files, in the given order. A name may be a
// pattern of path.Match, which stands for its matches in byte order.
func FromFiles(paths ...string) Source { return Source{paths: paths} }

// FromReader returns the source of what r reads up to io.EOF; name is for messages and may
// be empty. r is read by one goroutine and never closed.
func FromReader(r io.Reader, name string) Source { return Source{reader: r, name: name} }

// Env is what the program around a statement decides.
type Env struct {
	Files      Files
	MaxWorkers int // at most so many goroutines convert; 0 is GOMAXPROCS
	BlockSize  int // bytes of a split; 0 is DefaultBlockSize. For tests: results never depend on it
	Progress   *Progress
	// MemoryLimit is the bytes of input that are worth keeping for the second look: larger
	// files are taken in windows of a quarter of it, of 1 GiB at most. 0 is no limit.
	MemoryLimit int64
	Notice      func(string) // called with each notice by the goroutine of the COPY; may be nil

	smallBytes int64 // inputs up to this many bytes are loaded by the calling goroutine; 0 is the default
	readBytes  int   // bytes to index at a time; 0 is the default

	patience time.Duration // how long a parcel of a stream waits to be full; 0 is the default
}

const (
	// DefaultBlockSize is the size of a split.
	DefaultBlockSize = 1 << 20

	maxBlockSize = 4 << 20
	maxWorkers   = 1024

	// smallBytes is the most input that the calling goroutine reads at once and converts
	// alone: below it a second goroutine costs more than it saves.
	smallBytes = 1 << 20

	// workerBytes is the input that justifies one more worker.
	workerBytes = 1 << 20
)

func (e *Env) small() int64 {
	if e.smallBytes != 0 {
		return e.smallBytes
	}
	return smallBytes
}

func (e *Env) blockSize() int64 {
	if e.BlockSize <= 0 {
		return DefaultBlockSize
	}
	return int64(min(e.BlockSize, maxBlockSize))
}
