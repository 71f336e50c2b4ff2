package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// stringLiteral reads a literal whose text starts at i. Literals with nothing but
// blanks, a line end among them, between them are one.
func (l *lexer) stringLiteral(start, i int, escapes bool) token {
	var parts []string
	for {
		var text string
		var ok bool
		if escapes {
			text, i, ok = l.escaped(i)
		} else {
			text, i, ok = doubled(l.src, i, '\'')
		}
		if l.err != nil {
			return l.next()
		}
		if !ok {
			return l.failNear(start, len(l.src), "unterminated quoted string")
		}
		parts = append(parts, text)
		l.at = i
		// Only blanks and line comments may stand between the parts.
		if rest := l.continuation(i); rest >= 0 {
			i = rest
			continue
		}
		text = strings.Join(parts, "")
		if strings.IndexByte(text, 0) >= 0 {
			return l.fail(start, pgerr.CharacterNotInRepertoire,
				"invalid byte sequence for encoding \"UTF8\": 0x00")
		}
		if escapes && !utf8.ValidString(text) {
			l.err = ast.NewError(l.src, start, invalidUTF8(text[firstInvalid(text):]))
			return l.next()
		}
		return token{str, text, start, l.at}
	}
}

// continuation returns the index behind the opening quote of a literal that continues
// the one that ended at i, or -1.
func (l *lexer) continuation(i int) int {
	newline := false
	for i < len(l.src) {
		switch c := l.src[i]; {
		case isSpace(c):
			newline = newline || c == '\n' || c == '\r'
			i++
		case strings.HasPrefix(l.src[i:], "--"):
			n := strings.IndexAny(l.src[i:], "\r\n")
			if n < 0 {
				return -1
			}
			i += n
		case c == '\'' && newline:
			return i + 1
		default:
			return -1
		}
	}
	return -1
}

// escaped reads the text of an E” literal from i up to its closing quote.
func (l *lexer) escaped(i int) (string, int, bool) {
	var b []byte
	for {
		n := strings.IndexAny(l.src[i:], `'\`)
		if n < 0 {
			return "", 0, false
		}
		b = append(b, l.src[i:i+n]...)
		i += n
		switch {
		case l.src[i] == '\\':
			if i+1 >= len(l.src) {
				return "", 0, false
			}
			b, i = l.escape(b, i)
			if l.err != nil {
				return "", 0, false
			}
		case l.byteAt(i+1) == '\'':
			b = append(b, '\'')
			i += 2
		default:
			return string(b), i + 1, true
		}
	}
}

// escape appends what the escape at i, a backslash, stands for and returns the index
// behind it.
func (l *lexer) escape(b []byte, i int) ([]byte, int) {
	c := l.src[i+1]
	switch c {
	case 'b':
		return append(b, '\b'), i + 2
	case 'f':
		return append(b, '\f'), i + 2
	case 'n':
		return append(b, '\n'), i + 2
	case 'r':
		return append(b, '\r'), i + 2
	case 't':
		return append(b, '\t'), i + 2
	case 'v':
		return append(b, '\v'), i + 2
	case 'x':
		v, n := l.hex(i+2, 2)
		if n == 0 {
			return append(b, 'x'), i + 2
		}
		return append(b, byte(v)), i + 2 + n
	case 'u', 'U':
		return l.unicode(b, i)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v, n := 0, 0
		for ; n < 3 && l.byteAt(i+1+n) >= '0' && l.byteAt(i+1+n) <= '7'; n++ {
			v = v<<3 | int(l.src[i+1+n]-'0')
		}
		return append(b, byte(v)), i + 1 + n
	}
	return append(b, c), i + 2
}

// unicode appends the character of \uXXXX or \UXXXXXXXX; a high surrogate must be
// followed by a low one.
func (l *lexer) unicode(b []byte, i int) ([]byte, int) {
	r, next, ok := l.codePoint(i)
	if !ok {
		l.fail(i, pgerr.InvalidEscapeSequence, "invalid Unicode escape")
		l.err.Err.WithHint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.")
		return nil, 0
	}
	if r >= 0xd800 && r < 0xdc00 && l.byteAt(next) == '\\' {
		low, after, ok := l.codePoint(next)
		if ok && low >= 0xdc00 && low < 0xe000 {
			r, next = 0x10000+(r-0xd800)<<10+(low-0xdc00), after
		}
	}
	switch {
	case r >= 0xd800 && r < 0xe000:
		l.fail(i, pgerr.SyntaxError, "invalid Unicode surrogate pair at or near \"%s\"", l.src[i:min(next, len(l.src))])
		return nil, 0
	case r <= 0 || r > utf8.MaxRune:
		l.fail(i, pgerr.SyntaxError, "invalid Unicode escape value at or near \"%s\"", l.src[i:next])
		return nil, 0
	}
	return utf8.AppendRune(b, r), next
}

// codePoint reads \uXXXX or \UXXXXXXXX at i.
func (l *lexer) codePoint(i int) (rune, int, bool) {
	want := 0
	switch l.byteAt(i + 1) {
	case 'u':
		want = 4
	case 'U':
		want = 8
	}
	v, n := l.hex(i+2, want)
	return rune(v), i + 2 + n, want > 0 && n == want
}

// hex reads up to n hexadecimal digits at i.
func (l *lexer) hex(i, n int) (v uint32, read int) {
	for ; read < n; read++ {
		c := l.byteAt(i + read)
		switch {
		case isDigit(c):
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return v, read
		}
		v = v<<4 | uint32(c)
	}
	return v, read
}
