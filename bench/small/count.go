package main

import (
	"strings"
	"sync/atomic"

	"github.com/ingotdb/ingot/internal/vfs"
)

const blockBytes = 4 << 10

// countingFS is a file system that counts what is done to the log.
type countingFS struct {
	vfs.FS
	logSyncs atomic.Int64
	logBytes atomic.Int64
}

// Create counts the file's log traffic if it is a log.
func (c *countingFS) Create(name string) (vfs.File, error) { return c.counted(c.FS.Create(name)) }

// Open counts the file's log traffic if it is a log.
func (c *countingFS) Open(name string, writable bool) (vfs.File, error) {
	return c.counted(c.FS.Open(name, writable))
}

func (c *countingFS) counted(f vfs.File, err error) (vfs.File, error) {
	if err != nil || !strings.HasPrefix(f.Name(), "log") {
		return f, err
	}
	return &countedLog{File: f, fs: c}, nil
}

// countedLog is a log, or one that is being prepared.
type countedLog struct {
	vfs.File
	fs   *countingFS
	used atomic.Bool // it holds more than the zeros it was prepared with
}

// WriteAt counts the blocks that are written, unless they are the zeros that a log is
// prepared with: everything else begins with a magic number.
func (l *countedLog) WriteAt(b []byte, off int64) (int, error) {
	if len(b) > 0 && b[0] != 0 {
		l.used.Store(true)
		first, end := off/blockBytes, (off+int64(len(b))+blockBytes-1)/blockBytes
		l.fs.logBytes.Add((end - first) * blockBytes)
	}
	return l.File.WriteAt(b, off)
}

// Sync counts the sync, unless it only makes a prepared log durable.
func (l *countedLog) Sync() error {
	if l.used.Load() {
		l.fs.logSyncs.Add(1)
	}
	return l.File.Sync()
}
