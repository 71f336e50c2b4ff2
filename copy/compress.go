package copy

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// compression is how a file is compressed, as its first bytes say. No text begins with
// any of these, so a name's suffix is not looked at.
type compression struct {
	name  string
	magic []byte
	open  func(r io.Reader) (io.ReadCloser, error)
}

var compressions = []compression{
	{"gzip", []byte{0x1f, 0x8b}, func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
	{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd}, openZstd},
}

func openZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
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

// inflated reads a compressed file. All members of a gzip file are read, checksums are
// checked.
type inflated struct {
	io.ReadCloser
	file *os.File
	kind string
}

func newInflated(f *os.File, c *compression) (*inflated, error) {
	r, err := c.open(f)
	if err != nil {
		return nil, errInflate(err, c.name, f.Name())
	}
	return &inflated{ReadCloser: r, file: f, kind: c.name}, nil
}

func (r *inflated) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = errInflate(err, r.kind, r.file.Name())
	}
	return n, err
}

// Close closes the file too.
func (r *inflated) Close() error { return errors.Join(r.ReadCloser.Close(), r.file.Close()) }

func errInflate(err error, kind, name string) error {
	e := pgerr.New(pgerr.BadCopyFileFormat, "could not decompress %s file \"%s\": %w", kind, name, err)
	e.File = name
	return e
}
