package arrowipc

import (
	"bytes"
	"errors"
	"io"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Stream reads a stream of the IPC format from its beginning to its end. A file that
// arrives as a stream is read like one, its footer not at all. It belongs to one goroutine;
// its batches are independent of it and of each other.
type Stream struct {
	r      io.Reader
	at     int64
	schema *schema
	dicts  *dictionaries
	most   int64 // bytes of the longest part of a message so far
	done   bool
}

// OpenStream reads the schema of the stream in r.
func OpenStream(r io.Reader) (*Stream, error) {
	s := &Stream{r: r}
	head := make([]byte, 8)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	head = head[:n]
	if IsFile(head) {
		s.at = 8
	} else {
		s.r = io.MultiReader(bytes.NewReader(head), r)
	}
	m, _, err := s.message()
	switch {
	case err == io.EOF, err == nil && m.kind != messageSchema:
		return nil, errNoArrow()
	case err != nil:
		if e := pgerr.From(err); e.SQLState == pgerr.BadCopyFileFormat {
			return nil, errNoArrow()
		}
		return nil, err
	}
	s.schema, err = readSchema(m.header)
	s.dicts = newDictionaries(s.schema)
	return s, err
}

// Columns returns the columns of the stream.
func (s *Stream) Columns() []Column { return s.schema.columns() }

// Offset returns the bytes that were read.
func (s *Stream) Offset() int64 { return s.at }

// Next returns the next batch for reading the given columns, io.EOF behind the last.
func (s *Stream) Next(columns []int) (*Batch, error) {
	for {
		m, in, err := s.message()
		if err != nil {
			return nil, err
		}
		switch m.kind {
		case messageDictionary:
			if err := s.dicts.add(m, in); err != nil {
				return nil, err
			}
		case messageBatch:
			lay, err := readLayout(m.header, m)
			if err != nil {
				return nil, err
			}
			b, err := s.schema.batch(s.schema.fields, columns, lay, m.at, in)
			if err != nil {
				return nil, err
			}
			if b.dicts, err = s.dicts.seen(b.fields, s.dicts.count()); err != nil {
				return nil, err
			}
			s.dicts.forget()
			return b, nil
		default:
			return nil, damaged(m.at, "a message of kind %d does not belong into a stream", m.kind)
		}
	}
}

// message reads the next message and its body; io.EOF if there is none.
func (s *Stream) message() (message, body, error) {
	if s.done {
		return message{}, body{}, io.EOF
	}
	at := s.at
	b := make([]byte, 8)
	n, err := io.ReadFull(s.r, b[:4])
	if s.at += int64(n); err == io.EOF {
		s.done = true
		return message{}, body{}, io.EOF
	} else if err != nil {
		return message{}, body{}, cut(err, at)
	}
	size, length := prefix(b[:4])
	if size == 4 && b[0] == 0xff && b[1] == 0xff && b[2] == 0xff && b[3] == 0xff {
		n, err = io.ReadFull(s.r, b[4:])
		if s.at += int64(n); err != nil {
			return message{}, body{}, cut(err, at)
		}
		_, length = prefix(b)
	}
	if length == 0 {
		s.done = true
		return message{}, body{}, io.EOF
	}
	if length < 0 {
		return message{}, body{}, damaged(at, "a message has %d bytes of metadata", length)
	}
	meta, err := s.read(length)
	if err != nil {
		return message{}, body{}, cut(err, at)
	}
	m, err := parseMessage(meta, at)
	if err != nil {
		return message{}, body{}, err
	}
	mem, err := s.read(m.body)
	if err != nil {
		return message{}, body{}, cut(err, at)
	}
	return m, body{mem: mem}, nil
}

// cut is the error for a stream that ends inside the message at at.
func cut(err error, at int64) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(at, "the input ends inside a message")
	}
	return err
}

// firstRead is what a stream may claim without having shown that it has that much.
const firstRead = 1 << 20

// read reads n bytes into memory of their own. What is allocated is at most twice what the
// longest part so far, or this one, has shown to be there.
func (s *Stream) read(n int64) ([]byte, error) {
	b := aligned(int(min(n, max(firstRead, 2*s.most))))
	for have := 0; ; {
		k, err := io.ReadFull(s.r, b[have:])
		have += k
		s.at += int64(k)
		if err != nil {
			return nil, err
		}
		if int64(have) == n {
			break
		}
		more := aligned(int(min(n, 2*int64(len(b)))))
		copy(more, b)
		b = more
	}
	s.most = max(s.most, n)
	return b, nil
}
