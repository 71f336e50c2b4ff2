package copy

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// input is one source of bytes with its own head: byte order mark, line style, header.
type input struct {
	name   string
	info   fs.FileInfo // as it was when the COPY began; nil for a stream
	size   int64
	mem    []byte   // the whole input, if it is small, with slackBytes of capacity behind
	file   *os.File // open all along, or nil: every worker opens it for itself
	layout Layout
	lined  bool  // lines are those of its text, not records
	start  int64 // where the records begin
	end    int64 // where they end: size, or before an end-of-copy marker or a trailer

	firstSplit int   // of the COPY's splits
	splits     int   // up to size
	known      int   // of them, those that were summed and hold records
	begun      bool  // the sum has come to it
	whole      bool  // and through it
	firstRow   int64 // of the COPY's rows
	rows       int64
}

// source returns what the input's bytes are read from.
func (in *input) source() io.ReaderAt {
	if in.mem != nil {
		return bytes.NewReader(in.mem[:in.size])
	}
	return in.file
}

// same reports whether info describes the file as it was when the COPY began.
func (in *input) same(info fs.FileInfo) bool {
	return os.SameFile(in.info, info) && info.Size() == in.size && info.ModTime().Equal(in.info.ModTime())
}

// lines returns the number of line breaks in b; none if its lines are records.
func (in *input) lines(b []byte) int64 {
	switch {
	case !in.lined || len(b) == 0:
		return 0
	case in.layout.Scan != nil:
		return in.layout.Scan.Count(b, 0).Lines
	}
	return int64(bytes.Count(b, []byte{'\n'}))
}

// lineAt returns the line of a record of the input: lines is the number of line breaks
// before it, row its row of the COPY.
func (in *input) lineAt(lines, row int64) int64 {
	if in.lined {
		return 1 + lines
	}
	return 1 + row - in.firstRow
}

// errShrunk says that a file ended before the size that it had.
var errShrunk = errors.New("copy: input is shorter than it was")

// prologue finds where the records of in begin.
func (sh *shape) prologue(in *input, file io.ReaderAt) error {
	if in.mem != nil {
		_, err := sh.readHead(in, in.mem[:in.size], in.size)
		return err
	}
	for n := int64(blockBytes); ; n *= 4 {
		n = min(n, in.size)
		head := make([]byte, n)
		if _, err := io.ReadFull(io.NewSectionReader(file, 0, n), head); err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return errChanged(in.name)
			}
			return fileError(err, "could not read from file", in.name)
		}
		if enough, err := sh.readHead(in, head, in.size); enough || err != nil {
			return err
		}
	}
}

// readHead lets the format look at the first bytes of an input of the given size, -1 if that
// is unknown. enough is false if it takes more of them.
func (sh *shape) readHead(in *input, b []byte, size int64) (enough bool, err error) {
	whole := int64(len(b)) == size
	l, err := sh.records.Head(&Head{Name: in.name, Bytes: b, Whole: whole, Size: size})
	var e *Error
	switch {
	case errors.Is(err, ErrShort) && !whole:
		return false, nil
	case errors.As(err, &e):
		e.Table = sh.schema.Name
		if e.File == "" {
			e.File = in.name
		}
		return true, err
	case err != nil:
		return true, err
	case (l.Scan == nil) == (l.Walk == nil), l.Start < 0, size >= 0 && l.Start > size:
		return true, errInternal("format \"%s\" has no layout for \"%s\"", sh.name, in.name)
	}
	in.layout, in.start, in.lined = l, l.Start, sh.format.Text
	return true, nil
}
