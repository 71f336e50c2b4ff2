package copy

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// input is one source of bytes with its own head: byte order mark, line style, header.
type input struct {
	name  string
	info  fs.FileInfo // as it was when the COPY began; nil for a stream
	size  int64
	mem   []byte   // the whole input, if it is small, with slackBytes of capacity behind
	file  *os.File // open all along, or nil: every worker opens it for itself
	d     dialect
	start int64 // where the records begin
	end   int64 // where they end: size, or before an end-of-copy marker or a trailer

	headLines int64 // line breaks before start

	firstSplit int   // of the COPY's splits
	splits     int   // up to size
	known      int   // of them, those that were summed and hold records
	begun      bool  // the sum has come to it
	whole      bool  // and through it
	firstRow   int64 // of the COPY's rows
	rows       int64
	lastByte   byte
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

// errShrunk says that a file ended before the size that it had.
var errShrunk = errors.New("copy: input is shorter than it was")

// prologue finds where the records of in begin and how they end.
func (sh *shape) prologue(in *input, file io.ReaderAt, proto dialect, header Header) error {
	if in.mem != nil {
		_, err := sh.readHead(in, proto, header, in.mem[:in.size], true)
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
		if enough, err := sh.readHead(in, proto, header, head, n == in.size); enough || err != nil {
			return err
		}
	}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// readHead does prologue's work on the first bytes of an input. enough is false if it
// takes more of them; whole says that there are no more.
func (sh *shape) readHead(in *input, proto dialect, header Header, b []byte, whole bool) (enough bool, err error) {
	if sh.binary {
		return sh.binaryHead(in, b, whole)
	}
	if !whole && len(b) < len(byteOrderMark) {
		return false, nil
	}
	in.d = proto
	in.d.setStyle(styleLF)
	pos := 0
	if !proto.text && bytes.HasPrefix(b, byteOrderMark) {
		pos = len(byteOrderMark)
	}
	style := in.d.firstStyle(b[pos:], whole)
	if style == styleNone && !whole {
		return false, nil
	}
	if style == styleNone && header.Match && pos == len(b) {
		return true, sh.matchHeader(in, nil, 0)
	}
	in.d.setStyle(style)
	for range header.Records {
		if pos == len(b) {
			break
		}
		end := in.d.afterEnd(b[pos:], outside, 1)
		if end < 0 && !whole {
			return false, nil
		}
		if end < 0 {
			end = len(b) - pos
		}
		if proto.text && in.d.isEnd(b[pos:]) {
			if header.Match {
				return true, sh.matchHeader(in, nil, countLines(&in.d, b[:pos])+1)
			}
			break
		}
		x := explainer{sh: sh, d: &in.d, place: place{file: in.name, line: 1 + countLines(&in.d, b[:pos]), offset: int64(pos)}}
		if e := x.bytes(b[pos : pos+end]); e != nil {
			return true, e
		}
		if header.Match {
			if err := sh.matchHeader(in, x.body(b[pos:pos+end]), countLines(&in.d, b[:pos+end])); err != nil {
				return true, err
			}
		}
		pos += end
	}
	in.start, in.headLines = int64(pos), countLines(&in.d, b[:pos])
	return true, nil
}

func countLines(d *dialect, b []byte) int64 { return int64(bytes.Count(b, []byte{d.eol})) }

// firstStyle returns how the first record of b ends: styleNone if it does not, or if
// b breaks off behind a CR and is not whole.
func (d *dialect) firstStyle(b []byte, whole bool) lineStyle {
	s := outside
	for i, c := range b {
		if s == outside {
			switch {
			case c == '\n':
				return styleLF
			case c == '\r' && i+1 < len(b) && b[i+1] == '\n':
				return styleCRLF
			case c == '\r' && (i+1 < len(b) || whole):
				return styleCR
			case c == '\r':
				return styleNone
			}
		}
		s = d.next(s, c)
	}
	return styleNone
}

// matchHeader compares the fields of a header record with the columns.
func (sh *shape) matchHeader(in *input, body []byte, lines int64) error {
	fail := func(format string, args ...any) error {
		e := pgerr.New(pgerr.BadCopyFileFormat, format, args...)
		return e.At(sh.schema.Name, in.name, max(lines, 1), "").WithValue(shown(body))
	}
	raw := in.d.splitFields(body, columnar.MaxColumns+1)
	if len(raw) != len(sh.fields) {
		return fail("wrong number of fields in header line: got %d, expected %d", len(raw), len(sh.fields))
	}
	for i, b := range raw {
		want := sh.fields[i].name
		if string(b) == sh.null {
			return fail("column name mismatch in header line field %d: got null value (\"%s\"), expected \"%s\"", i+1, sh.null, want)
		}
		if name, _ := in.d.unquote(nil, b); string(name) != want {
			return fail("column name mismatch in header line field %d: got \"%s\", expected \"%s\"", i+1, name, want)
		}
	}
	return nil
}
