package parse

import (
	"bytes"
)

// splitter finds where statements end: at the first semicolon outside strings, quoted
// names and comments. It can stop at the end of what was read and go on with more.
type splitter struct {
	at      int // the next byte to look at
	mode    mode
	depth   int    // of block comments
	tag     []byte // of a dollar quote
	resume  bool   // a string ended here, and a line end followed: a quote continues it
	ended   bool   // a string ended here
	escapes bool   // the string has backslash escapes
}

// mode is what the splitter is inside of.
type mode uint8

const (
	inCode mode = iota
	inString
	inName // a quoted one
	inDollar
	inLine // a comment up to the line's end
	inBlock
)

// find returns the index of the semicolon that ends the statement at the start of buf.
// Without one it returns -1, and a later call with the same bytes and more after them
// goes on; last says that no more will come.
func (s *splitter) find(buf []byte, last bool) int {
	for s.at < len(buf) {
		i := s.at
		switch s.mode {
		case inCode:
			if buf[i] == ';' {
				return i
			}
			s.at = s.code(buf, i, last)
		case inString:
			s.at = s.string(buf, i, last)
		case inName:
			s.at = s.until(buf, i, []byte(`"`), last)
		case inDollar:
			s.at = s.until(buf, i, s.tag, last)
		case inLine:
			n := bytes.IndexAny(buf[i:], "\r\n")
			if n < 0 {
				s.at = len(buf)
				return -1
			}
			s.at, s.mode = i+n, inCode
		case inBlock:
			s.at = s.block(buf, i, last)
		}
		if s.at == i {
			return -1 // what comes next decides
		}
	}
	return -1
}

// code moves past one byte, or one thing that starts at i, and returns the index
// behind it; i itself if more bytes are needed to tell.
func (s *splitter) code(buf []byte, i int, last bool) int {
	c := buf[i]
	if isSpace(c) {
		s.resume = s.resume || s.ended && (c == '\n' || c == '\r')
		return i + 1
	}
	if c != '\'' && c != '-' {
		s.ended, s.resume = false, false
	}
	next := byte(0)
	if i+1 < len(buf) {
		next = buf[i+1]
	} else if !last && (c == '-' || c == '/' || c == '$') {
		return i
	}
	switch {
	case c == '\'':
		s.escapes = s.resume && s.escapes
		s.mode = inString
		return i + 1
	case c == '"':
		s.mode = inName
		return i + 1
	case c == '-' && next == '-':
		s.mode = inLine
		return i + 2
	case c == '/' && next == '*':
		s.mode, s.depth = inBlock, 1
		return i + 2
	case c == '$' && !isDigit(next):
		return s.dollar(buf, i, last)
	case isNameStart(c) || isDigit(c) || c == '$':
		return s.name(buf, i, last)
	}
	s.ended, s.resume = false, false
	return i + 1
}

// name moves past a name, a number or a parameter, and past the quote of an escape
// string.
func (s *splitter) name(buf []byte, i int, last bool) int {
	j := i + 1
	for j < len(buf) && isName(buf[j]) {
		j++
	}
	if j == len(buf) && !last {
		return i
	}
	if j == i+1 && (buf[i] == 'e' || buf[i] == 'E') && j < len(buf) && buf[j] == '\'' {
		s.mode, s.escapes = inString, true
		return j + 1
	}
	return j
}

// dollar moves past the opening tag of a dollar quote.
func (s *splitter) dollar(buf []byte, i int, last bool) int {
	for j := i + 1; j < len(buf); j++ {
		switch c := buf[j]; {
		case c == '$':
			s.mode, s.tag = inDollar, bytes.Clone(buf[i:j+1])
			return j + 1
		case isNameStart(c), j > i+1 && isDigit(c):
		default:
			return i + 1
		}
	}
	if last {
		return i + 1
	}
	return i
}

// string moves up to and past the closing quote.
func (s *splitter) string(buf []byte, i int, last bool) int {
	for i < len(buf) {
		n := bytes.IndexAny(buf[i:], `'\`)
		if n < 0 {
			return len(buf)
		}
		i += n
		switch {
		case buf[i] == '\\' && !s.escapes:
			i++
		case i+1 == len(buf) && !last:
			return i
		case buf[i] == '\\', i+1 < len(buf) && buf[i+1] == '\'':
			i = min(i+2, len(buf))
		default:
			s.mode, s.ended, s.resume = inCode, true, false
			return i + 1
		}
	}
	return i
}

// until moves past the text that ends the mode, or as far as it cannot start.
func (s *splitter) until(buf []byte, i int, text []byte, last bool) int {
	n := bytes.Index(buf[i:], text)
	if n >= 0 {
		s.mode = inCode
		return i + n + len(text)
	}
	if last {
		return len(buf)
	}
	return max(i, len(buf)-len(text)+1)
}

// block moves inside a block comment.
func (s *splitter) block(buf []byte, i int, last bool) int {
	for ; i+1 < len(buf); i++ {
		switch {
		case buf[i] == '/' && buf[i+1] == '*':
			s.depth++
			i++
		case buf[i] == '*' && buf[i+1] == '/':
			s.depth--
			if s.depth == 0 {
				s.mode = inCode
				return i + 2
			}
			i++
		}
	}
	if last {
		return len(buf)
	}
	return min(i, len(buf))
}

// Complete reports whether text needs no further line: nothing but blanks and comments
// follows its last semicolon, and no string, quoted name or comment is open.
func Complete(text string) bool {
	buf := []byte(text)
	for {
		var s splitter
		n := s.find(buf, true)
		if n >= 0 {
			buf = buf[n+1:]
			continue
		}
		l := lexer{src: string(buf)}
		return l.next().kind == end && l.err == nil
	}
}
