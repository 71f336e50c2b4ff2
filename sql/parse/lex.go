package parse

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// kind is the class of a token.
type kind uint8

const (
	end    kind = iota
	word        // an unquoted name, folded to lower case
	quoted      // a name between double quotes
	number      // text in the form of ast.Number
	str         // text is decoded
	param       // text is the digits after $
	op          // an operator, or one of ( ) [ ] , ; . :
)

// token is one token and its bytes in the source.
type token struct {
	kind       kind
	text       string
	start, end int
}

// is reports whether t is the operator or the unquoted word s.
func (t token) is(s string) bool { return (t.kind == op || t.kind == word) && t.text == s }

// lexer cuts a source into tokens by PostgreSQL's rules.
type lexer struct {
	src string
	at  int
	err *ast.Error // the first error; only end tokens follow it
}

// maxNumber bounds the characters of a numeric literal; numeric has 131,072 digits
// before the point and 16,383 after it.
const maxNumber = 150_000

func (l *lexer) fail(at int, state, format string, args ...any) token {
	if l.err == nil {
		l.err = ast.NewError(l.src, at, pgerr.New(state, format, args...))
	}
	l.at = len(l.src)
	return token{kind: end, start: len(l.src), end: len(l.src)}
}

// failNear reports a syntax error at bytes from to to.
func (l *lexer) failNear(from, to int, what string) token {
	return l.fail(from, pgerr.SyntaxError, "%s at or near \"%s\"", what, l.src[from:to])
}

// byteAt returns the byte at i, 0 behind the end.
func (l *lexer) byteAt(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isName(c byte) bool { return isNameStart(c) || isDigit(c) || c == '$' }

const operatorBytes = "+-*/<>=~!@#%^&|`?"

func isOperator(c byte) bool { return strings.IndexByte(operatorBytes, c) >= 0 }

// space moves past blanks and comments and reports whether a line end was among them.
func (l *lexer) space() (newline bool) {
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case isSpace(c):
			newline = newline || c == '\n' || c == '\r'
			l.at++
		case c == '-' && l.byteAt(l.at+1) == '-':
			n := strings.IndexAny(l.src[l.at:], "\r\n")
			if n < 0 {
				n = len(l.src) - l.at
			}
			l.at += n
		case c == '/' && l.byteAt(l.at+1) == '*':
			if !l.comment() {
				return newline
			}
		default:
			return newline
		}
	}
	return newline
}

// comment moves past a block comment, which may hold others.
func (l *lexer) comment() bool {
	depth := 0
	for i := l.at; i+1 < len(l.src); {
		switch l.src[i : i+2] {
		case "/*":
			depth++
			i += 2
		case "*/":
			depth--
			i += 2
			if depth == 0 {
				l.at = i
				return true
			}
		default:
			i++
		}
	}
	l.failNear(l.at, len(l.src), "unterminated /* comment")
	return false
}

// next returns the next token.
func (l *lexer) next() token {
	l.space()
	if l.err != nil || l.at >= len(l.src) {
		return token{kind: end, start: len(l.src), end: len(l.src)}
	}
	start, c := l.at, l.src[l.at]
	switch {
	case c == '\'':
		return l.stringLiteral(start, start+1, false)
	case (c == 'e' || c == 'E') && l.byteAt(start+1) == '\'':
		return l.stringLiteral(start, start+2, true)
	case (c == 'n' || c == 'N') && l.byteAt(start+1) == '\'':
		return l.stringLiteral(start, start+2, false)
	case strings.IndexByte("bBxX", c) >= 0 && l.byteAt(start+1) == '\'':
		return l.fail(start, pgerr.FeatureNotSupported, "bit string literals are not supported")
	case (c == 'u' || c == 'U') && l.byteAt(start+1) == '&' &&
		(l.byteAt(start+2) == '\'' || l.byteAt(start+2) == '"'):
		l.fail(start, pgerr.FeatureNotSupported, "U& literals are not supported")
		l.err.Err.WithHint("Write E'\\u00e9' or the character itself.")
		return l.next()
	case c == '"':
		return l.quotedName()
	case c == '$':
		return l.dollar()
	case isNameStart(c):
		for l.at < len(l.src) && isName(l.src[l.at]) {
			l.at++
		}
		return token{word, foldASCII(l.src[start:l.at]), start, l.at}
	case isDigit(c), c == '.' && isDigit(l.byteAt(start+1)):
		return l.number()
	case c == ':' && l.byteAt(start+1) == ':', c == ':' && l.byteAt(start+1) == '=',
		c == '.' && l.byteAt(start+1) == '.':
		l.at += 2
		return token{op, l.src[start:l.at], start, l.at}
	case strings.IndexByte("()[],;.:", c) >= 0:
		l.at++
		return token{op, l.src[start:l.at], start, l.at}
	case isOperator(c):
		return l.operator()
	}
	return l.failNear(start, start+1, "syntax error")
}

// foldASCII returns s with A-Z in lower case, as PostgreSQL folds names in UTF-8.
func foldASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// operator reads the longest operator. A comment ends one, and + or - can end a longer
// one only if it holds a byte that no operator of standard SQL has: a*-b is * and -.
func (l *lexer) operator() token {
	start, i := l.at, l.at
	for i < len(l.src) && isOperator(l.src[i]) {
		if i > start && (strings.HasPrefix(l.src[i:], "--") || strings.HasPrefix(l.src[i:], "/*")) {
			break
		}
		i++
	}
	for i-start > 1 && (l.src[i-1] == '+' || l.src[i-1] == '-') &&
		!strings.ContainsAny(l.src[start:i-1], "~!@#%^&|`?") {
		i--
	}
	l.at = i
	text := l.src[start:i]
	if text == "!=" {
		text = "<>"
	}
	return token{op, text, start, i}
}

// quotedName reads "name"; a doubled quote stands for one.
func (l *lexer) quotedName() token {
	start := l.at
	text, i, ok := doubled(l.src, start+1, '"')
	switch {
	case !ok:
		return l.failNear(start, len(l.src), "unterminated quoted identifier")
	case text == "":
		return l.failNear(start, i, "zero-length delimited identifier")
	}
	l.at = i
	return token{quoted, text, start, i}
}

// doubled reads up to the closing quote at or after i and returns the text, where
// doubled quotes are single ones, and the index behind the quote.
func doubled(src string, i int, quote byte) (string, int, bool) {
	from, escapes := i, false
	for {
		n := strings.IndexByte(src[i:], quote)
		if n < 0 {
			return "", 0, false
		}
		i += n + 1
		if i < len(src) && src[i] == quote {
			escapes = true
			i++
			continue
		}
		text := src[from : i-1]
		if escapes {
			q := string(quote)
			text = strings.ReplaceAll(text, q+q, q)
		}
		return text, i, true
	}
}

// dollar reads $1 or $tag$text$tag$.
func (l *lexer) dollar() token {
	start, i := l.at, l.at+1
	if isDigit(l.byteAt(i)) {
		for isDigit(l.byteAt(i)) {
			i++
		}
		if isNameStart(l.byteAt(i)) {
			for isName(l.byteAt(i)) {
				i++
			}
			return l.failNear(start, i, "trailing junk after parameter")
		}
		l.at = i
		return token{param, l.src[start+1 : i], start, i}
	}
	tag, ok := dollarTag(l.src[start:])
	if !ok {
		return l.failNear(start, start+1, "syntax error")
	}
	i = start + len(tag)
	n := strings.Index(l.src[i:], tag)
	if n < 0 {
		return l.failNear(start, len(l.src), "unterminated dollar-quoted string")
	}
	l.at = i + n + len(tag)
	return token{str, l.src[i : i+n], start, l.at}
}

// dollarTag returns the $tag$ at the start of s.
func dollarTag(s string) (string, bool) {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '$':
			return s[:i+1], true
		case isNameStart(c), i > 1 && isDigit(c):
		default:
			return "", false
		}
	}
	return "", false
}

// number reads an integer of base 10, 16, 8 or 2 or a decimal, with single underscores
// between digits.
func (l *lexer) number() token {
	start := l.at
	if l.src[start] == '0' {
		switch l.byteAt(start + 1) {
		case 'x', 'X':
			return l.integer(16, "hexadecimal", func(c byte) bool {
				return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
			})
		case 'o', 'O':
			return l.integer(8, "octal", func(c byte) bool { return c >= '0' && c <= '7' })
		case 'b', 'B':
			return l.integer(2, "binary", func(c byte) bool { return c == '0' || c == '1' })
		}
	}
	i := l.digits(start)
	if l.byteAt(i) == '.' && l.byteAt(i+1) != '.' {
		i++
		if isDigit(l.byteAt(i)) {
			i = l.digits(i)
		}
	}
	if c := l.byteAt(i); c == 'e' || c == 'E' {
		j := i + 1
		if c := l.byteAt(j); c == '+' || c == '-' {
			j++
		}
		if isDigit(l.byteAt(j)) {
			i = l.digits(j)
		}
	}
	return l.numberEnd(start, i, func(text string) string { return strings.ToLower(text) })
}

// digits moves past decimal digits and the single underscores between them.
func (l *lexer) digits(i int) int {
	for isDigit(l.byteAt(i)) || l.byteAt(i) == '_' && isDigit(l.byteAt(i+1)) {
		i++
	}
	return i
}

// integer reads the digits of base after a prefix of two bytes.
func (l *lexer) integer(base int, name string, digit func(byte) bool) token {
	start := l.at
	i := start + 2
	for digit(l.byteAt(i)) || l.byteAt(i) == '_' && digit(l.byteAt(i+1)) {
		i++
	}
	if i == start+2 {
		return l.failNear(start, i, "invalid "+name+" integer")
	}
	return l.numberEnd(start, i, func(text string) string {
		v, _ := new(big.Int).SetString(text[2:], base) // only digits of base are in text
		return v.String()
	})
}

// numberEnd checks what follows a number that ends at i and returns its token; canon
// turns its text without underscores into that of ast.Number.
func (l *lexer) numberEnd(start, i int, canon func(string) string) token {
	if isNameStart(l.byteAt(i)) {
		for isName(l.byteAt(i)) {
			i++
		}
		return l.failNear(start, i, "trailing junk after numeric literal")
	}
	if i-start > maxNumber {
		return l.fail(start, pgerr.NumericValueOutOfRange, "value overflows numeric format")
	}
	l.at = i
	return token{number, canon(strings.ReplaceAll(l.src[start:i], "_", "")), start, i}
}

// firstInvalid returns the index of the first byte of s that is not UTF-8, or -1.
func firstInvalid(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i := 0; ; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
}

// invalidUTF8 returns the error for the bytes at the start of s: as many as the first
// one announces, as PostgreSQL shows them.
func invalidUTF8(s string) *pgerr.Error {
	n := 1
	switch c := s[0]; {
	case c&0xe0 == 0xc0:
		n = 2
	case c&0xf0 == 0xe0:
		n = 3
	case c&0xf8 == 0xf0:
		n = 4
	}
	var b strings.Builder
	for i := 0; i < min(n, len(s)); i++ {
		b.WriteString(" 0x")
		b.WriteByte("0123456789abcdef"[s[i]>>4])
		b.WriteByte("0123456789abcdef"[s[i]&15])
	}
	return pgerr.New(pgerr.CharacterNotInRepertoire,
		"invalid byte sequence for encoding \"UTF8\":%s", b.String())
}
