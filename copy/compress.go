package copy

import (
	"bytes"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// compression is how a file is compressed. A file that is there says it by its first
// bytes, with which no text begins; one that is made, by the end of its name.
type compression struct {
	name   string
	suffix string
	magic  []byte
	open   func(r io.Reader) (io.ReadCloser, error)
	create func(w io.Writer) (deflater, error)
}

// deflater compresses a file; Reset begins another one.
type deflater interface {
	io.WriteCloser
	Reset(w io.Writer)
}

var compressions = []compression{
	{"gzip", ".gz", []byte{0x1f, 0x8b},
		func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) },
		func(w io.Writer) (deflater, error) { return gzip.NewWriter(w), nil }},
	{"zstd", ".zst", []byte{0x28, 0xb5, 0x2f, 0xfd}, openZstd,
		func(w io.Writer) (deflater, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) }},
}

// compressionOf returns the compression of a file that is to be made, or nil.
func compressionOf(path string) *compression {
	for i := range compressions {
		if strings.HasSuffix(path, compressions[i].suffix) {
			return &compressions[i]
		}
	}
	return nil
}

func openZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(freeBytes))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// sniff returns the compression of a file, or nil.
func sniff(f io.ReaderAt) *compression {
	head := make([]byte, 4)
	n, _ := f.ReadAt(head, 0) // a file that cannot be read fails where it is read for good
	for i := range compressions {
		if bytes.HasPrefix(head[:n], compressions[i].magic) {
			return &compressions[i]
		}
	}
	return nil
}

// A compressed file may hold freeBytes, and above that no more than maxExpansion times what
// was read of it. A longer one would make a record, and with it a buffer, of any length
// out of next to nothing.
const (
	freeBytes    = 64 << 20
	maxExpansion = 500
)

// inflated reads a compressed file. All members of a gzip file are read, checksums are
// checked.
type inflated struct {
	io.ReadCloser
	from *countedReader
	kind string
	name string
	n    int64
}

func newInflated(from *countedReader, c *compression, name string) (*inflated, error) {
	r, err := c.open(from)
	if err != nil {
		return nil, errInflate(err, c.name, name)
	}
	return &inflated{ReadCloser: r, from: from, kind: c.name, name: name}, nil
}

func (r *inflated) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if r.n += int64(n); r.n > freeBytes && r.n > maxExpansion*r.from.n {
		e := pgerr.New(pgerr.ProgramLimitExceeded, "%s file \"%s\" expands to more than %d times its size", r.kind, r.name, maxExpansion).
			WithHint("Decompress it first if it is to be trusted.")
		e.File = r.name
		return 0, e
	}
	if err != nil && err != io.EOF {
		err = errInflate(err, r.kind, r.name)
	}
	return n, err
}

func errInflate(err error, kind, name string) error {
	e := pgerr.New(pgerr.BadCopyFileFormat, "could not decompress %s file \"%s\": %w", kind, name, err)
	e.File = name
	return e
}
