package parse

import (
	"bytes"
	"errors"
	"io"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Scanner cuts a script into statements. It reads no further than it must, so that a
// statement that arrives through a pipe can be run before the next one is written.
//
// Not safe for concurrent use.
type Scanner struct {
	r    io.Reader
	buf  []byte // what was read and not handed out
	base int64  // where buf starts in the script
	line int    // the line at the start of buf, from 1
	eof  bool
	err  error
	data *inlineData // handed out and perhaps not read to its end
}

// Fragment is the text of one statement of a script.
type Fragment struct {
	Text       string // from the first token up to the semicolon, without it
	Start, End int64  // bytes in the script; End is behind the semicolon
	Line       int    // the line of Start, from 1
	Terminated bool   // by a semicolon, not by the end of the script
}

// maxStatement is the longest statement in bytes.
const maxStatement = 1 << 30

// readSize is how much the Scanner asks for at once.
const readSize = 64 << 10

// NewScanner returns a Scanner that reads r.
func NewScanner(r io.Reader) *Scanner { return &Scanner{r: r, line: 1} }

// Next returns the next statement that is not empty, io.EOF behind the last one, or the
// error of the reader. What was not read of the data before it is skipped.
func (s *Scanner) Next() (Fragment, error) {
	if s.data != nil {
		if _, err := io.Copy(io.Discard, s.data); err != nil {
			return Fragment{}, err
		}
	}
	for {
		f, err := s.fragment()
		if err != nil || f.Text != "" {
			return f, err
		}
	}
}

// fragment returns the next statement, which may be empty.
func (s *Scanner) fragment() (Fragment, error) {
	var split splitter
	n := -1
	for {
		if n = split.find(s.buf, s.eof); n >= 0 || s.eof {
			break
		}
		if len(s.buf) > maxStatement {
			return Fragment{}, pgerr.New(pgerr.ProgramLimitExceeded,
				"statement at line %d is longer than %d bytes", s.line, maxStatement)
		}
		if err := s.fill(); err != nil {
			return Fragment{}, err
		}
	}
	f := Fragment{Terminated: n >= 0}
	if n < 0 {
		n = len(s.buf)
		if n == 0 {
			return f, io.EOF
		}
	}
	text := string(s.buf[:n])
	l := lexer{src: text}
	l.space() // an unterminated comment is not empty: the parser reports it
	if l.err == nil {
		f.Text = text[l.at:]
	} else {
		f.Text, l.at = text, 0
	}
	f.Start = s.base + int64(l.at)
	f.Line = s.line + bytes.Count(s.buf[:l.at], []byte{'\n'})
	if f.Terminated {
		n++
	}
	f.End = s.base + int64(n)
	s.skip(n)
	return f, nil
}

// skip drops the first n bytes of buf.
func (s *Scanner) skip(n int) {
	s.line += bytes.Count(s.buf[:n], []byte{'\n'})
	s.buf = s.buf[n:]
	s.base += int64(n)
}

// fill reads once more behind buf.
func (s *Scanner) fill() error {
	if s.err != nil {
		return s.err
	}
	if cap(s.buf)-len(s.buf) < readSize/2 {
		buf := make([]byte, len(s.buf), 2*len(s.buf)+readSize)
		copy(buf, s.buf)
		s.buf = buf
	}
	for range 100 {
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if errors.Is(err, io.EOF) {
			s.eof = true
			return nil
		}
		s.err = err
		if n > 0 {
			return nil // what came before the error first
		}
		if err != nil {
			return err
		}
	}
	s.err = io.ErrNoProgress
	return s.err
}

// Data returns the data that follows the statement Next returned, a COPY FROM STDIN: the
// lines after the statement's, up to a line of \. or the end of the script. It is valid
// until the next call of Next.
func (s *Scanner) Data() io.Reader {
	s.data = &inlineData{s: s}
	return s.data
}

// inlineData reads the data of COPY FROM STDIN from a script.
type inlineData struct {
	s       *Scanner
	started bool // past the line of the statement
	inLine  bool // the next byte is not the first of a line
	err     error
}

// Read implements io.Reader.
func (d *inlineData) Read(p []byte) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	if !d.started {
		d.started = true
		if d.err = d.start(); d.err != nil {
			return 0, d.err
		}
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := d.take(len(p))
	if err != nil {
		d.err = err
		d.s.data = nil
		return 0, err
	}
	copy(p, d.s.buf[:n])
	d.inLine = d.s.buf[n-1] != '\n'
	d.s.skip(n)
	return n, nil
}

// start moves past the rest of the statement's line, which must be empty.
func (d *inlineData) start() error {
	s := d.s
	for {
		n := bytes.IndexByte(s.buf, '\n')
		if n < 0 && !s.eof {
			if err := s.fill(); err != nil {
				return err
			}
			continue
		}
		if n < 0 {
			n = len(s.buf) - 1
		}
		l := lexer{src: string(s.buf[:n+1])}
		if l.next().kind != end || l.err != nil {
			return pgerr.New(pgerr.SyntaxError,
				"text after COPY FROM STDIN on line %d: its data starts on the next line", s.line)
		}
		s.skip(n + 1)
		return nil
	}
}

// take returns how many bytes of buf, at least one and at most limit, are data; io.EOF
// at the end, which it moves past.
func (d *inlineData) take(limit int) (int, error) {
	s := d.s
	for {
		if !d.inLine {
			if n, known := endMarker(s.buf, s.eof); n > 0 {
				s.skip(n)
				return 0, io.EOF
			} else if !known {
				if err := s.fill(); err != nil {
					return 0, err
				}
				continue
			}
		}
		if len(s.buf) > 0 {
			break
		}
		if s.eof {
			return 0, io.EOF
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	n := min(limit, len(s.buf))
	if i := bytes.Index(s.buf[:n], []byte("\n\\")); i >= 0 {
		n = i + 1
	}
	return n, nil
}

// endMarker returns the length of the line of \. that buf starts with, or 0, and whether
// the bytes were enough to tell.
func endMarker(buf []byte, last bool) (n int, known bool) {
	for _, marker := range []string{"\\.\n", "\\.\r\n"} {
		if bytes.HasPrefix(buf, []byte(marker)) {
			return len(marker), true
		}
		if len(buf) < len(marker) && marker[:len(buf)] == string(buf) && !last {
			return 0, false
		}
	}
	if last && (string(buf) == "\\." || string(buf) == "\\.\r") {
		return len(buf), true
	}
	return 0, true
}
