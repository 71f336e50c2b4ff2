package copy

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"os"
	"time"
)

// stream is a source that can only be read from front to back: a pipe, a file that is
// compressed or in another encoding, or any file that is loaded together with one.
type stream struct {
	name    string
	reader  io.Reader // what the caller gave; nil for a file
	file    *os.File  // open; nil if it is opened when its turn comes
	info    fs.FileInfo
	kind    *compression // nil: none
	decoder *decoder
	closers []io.Closer
	awake   func() bool // stops waking the reader of a pipe when the context ends
}

// plain reports whether the bytes of s are those that the records are in.
func (s *stream) plain(o *FromOptions) bool { return s.kind == nil && o.Encoding == "" }

// open returns what the records of s are read from: the file, what is in it, and that as
// UTF-8. Bytes of a source that is not plain are counted where they are read.
func (s *stream) open(l *loader) (io.Reader, error) {
	r := s.reader
	if r == nil {
		if s.file == nil {
			file, info, err := l.env.Files.open(l.ctx, s.name)
			if err != nil {
				return nil, err
			}
			if s.file = file; !os.SameFile(s.info, info) {
				return nil, errChanged(s.name)
			}
		}
		s.closers = append(s.closers, s.file)
		if !s.info.Mode().IsRegular() {
			file := s.file
			s.awake = context.AfterFunc(l.ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) }) // a file that never waits has none
		}
		r = s.file
	}
	if s.plain(l.opt) {
		return r, nil
	}
	counted := &countedReader{r: r, progress: l.env.Progress}
	r = counted
	if s.kind != nil {
		inflated, err := newInflated(counted, s.kind, s.name)
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, inflated)
		r = inflated
	}
	if l.opt.Encoding != "" {
		s.decoder = newDecoder(r, l.opt.Encoding)
		r = s.decoder
	}
	return r, nil
}

// close closes what open opened.
func (s *stream) close() {
	if s.awake != nil {
		s.awake()
	}
	if s.closers == nil && s.file != nil {
		s.file.Close()
	}
	for _, c := range s.closers {
		c.Close()
	}
	s.closers, s.file = nil, nil
}

// countedReader counts the bytes of the source that were read.
type countedReader struct {
	r        io.Reader
	n        int64
	progress *Progress
}

// Read counts what it reads.
func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.progress.BytesProcessed.Add(int64(n))
	return n, err
}

// mustStream reports whether a file can only be read as a stream, and how it is compressed.
func mustStream(file *os.File, info fs.FileInfo) (kind *compression, must bool) {
	if !info.Mode().IsRegular() {
		return nil, true
	}
	kind = sniff(file)
	return kind, kind != nil
}

// fromStreams converts the streams one after the other.
func (l *loader) fromStreams(streams []*stream) error {
	for _, s := range streams {
		r, err := s.open(l)
		if err == nil {
			err = l.fromStream(s, r)
		}
		s.close()
		if err != nil {
			return s.why(err)
		}
	}
	return l.checkRows()
}

// drain reads what is behind the last record, so that a checksum at the end of a compressed
// file is looked at and every byte is counted.
func (s *stream) drain(r io.Reader) error {
	if s.kind == nil {
		return nil
	}
	_, err := io.Copy(io.Discard, bufio.NewReaderSize(r, 64<<10))
	return err
}
