package pgtext

// A date or time is read in two steps: the text is cut into tokens by its characters
// alone, and the tokens are then given a meaning one after the other, each in the light
// of those before it. Both steps follow PostgreSQL's rules, which are older than ISO 8601
// and take far more than it; what they are is seen from the outside by which texts pass.

type tokenKind uint8

const (
	tokNumber tokenKind = iota // digits, perhaps with a point
	tokDate                    // digits or letters joined by separators
	tokTime                    // digits with colons
	tokWord                    // letters
	tokSigned                  // a sign and letters
	tokOffset                  // a sign and digits, colons, points or hyphens
)

type token struct {
	kind  tokenKind
	start uint8
	end   uint8
}

const (
	maxTokens = 25
	// maxTokenBytes bounds the tokens of one text together, one more byte counted for
	// each; a longer text is Syntax.
	maxTokenBytes = 129
)

// tokens holds the tokens of one text in lower case, and the same bytes in the text's
// own case for the names of time zones.
type tokens struct {
	n     int
	list  [maxTokens]token
	text  [maxTokenBytes]byte
	exact [maxTokenBytes]byte
	used  int
	full  bool
}

func (t *tokens) take(c byte) {
	if t.used >= maxTokenBytes-1 {
		t.full = true
		return
	}
	t.text[t.used] = lower(c)
	t.exact[t.used] = c
	t.used++
}

// takeWhile takes bytes from s at i as long as ok holds.
func (t *tokens) takeWhile(s []byte, i int, ok func(byte) bool) int {
	for i < len(s) && ok(s[i]) {
		t.take(s[i])
		i++
	}
	return i
}

func (t *tokens) bytes(i int) []byte { return t.text[t.list[i].start:t.list[i].end] }

func (t *tokens) name(i int) (folded, exact []byte) {
	k := t.list[i]
	return t.text[k.start:k.end], t.exact[k.start:k.end]
}

func isTimeByte(c byte) bool   { return isDigit(c) || c == ':' || c == '.' }
func isOffsetByte(c byte) bool { return isTimeByte(c) || c == '-' }
func isNameByte(c byte) bool {
	switch c {
	case '+', '-', '/', '_', '.', ':':
		return true
	}
	return isDigit(c) || isAlpha(c)
}

// isPunct reports whether c is a printing ASCII character that is neither a letter, a
// digit nor a blank.
func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isDigit(c) && !isAlpha(c) }

// cut fills t from s. It returns Syntax for a byte that starts no token and for too long
// a text.
func (t *tokens) cut(s []byte) Status {
	for i := 0; i < len(s); {
		c := s[i]
		if isSpace(c) {
			i++
			continue
		}
		if t.n == maxTokens {
			return Syntax
		}
		start := t.used
		var kind tokenKind
		switch {
		case isDigit(c):
			kind, i = t.cutDigits(s, i)
		case c == '.':
			t.take(c)
			i = t.takeWhile(s, i+1, isDigit)
		case isAlpha(c):
			kind, i = t.cutLetters(s, i)
		case c == '+' || c == '-':
			t.take(c)
			for i++; i < len(s) && isSpace(s[i]); i++ {
			}
			switch {
			case i < len(s) && isDigit(s[i]):
				kind = tokOffset
				i = t.takeWhile(s, i, isOffsetByte)
			case i < len(s) && isAlpha(s[i]):
				kind = tokSigned
				i = t.takeWhile(s, i, isAlpha)
			default:
				return Syntax
			}
		case isPunct(c):
			i++
			continue
		default:
			return Syntax
		}
		if t.full {
			return Syntax
		}
		t.list[t.n] = token{kind, uint8(start), uint8(t.used)}
		t.n++
		t.used++
	}
	return OK
}

// cutDigits cuts a token that starts with a digit.
func (t *tokens) cutDigits(s []byte, i int) (tokenKind, int) {
	i = t.takeWhile(s, i, isDigit)
	if i == len(s) {
		return tokNumber, i
	}
	sep := s[i]
	switch sep {
	case ':':
		return tokTime, t.takeWhile(s, i, isTimeByte)
	case '-', '/', '.':
	default:
		return tokNumber, i
	}
	t.take(sep)
	i++
	if i == len(s) || !isDigit(s[i]) {
		for i < len(s) && (isDigit(s[i]) || isAlpha(s[i]) || s[i] == sep) {
			t.take(s[i])
			i++
		}
		return tokDate, i
	}
	i = t.takeWhile(s, i, isDigit)
	if i < len(s) && s[i] == sep {
		for i < len(s) && (isDigit(s[i]) || s[i] == sep) {
			t.take(s[i])
			i++
		}
		return tokDate, i
	}
	if sep == '.' {
		return tokNumber, i
	}
	return tokDate, i
}

// cutLetters cuts a token that starts with a letter. What follows the letters makes it a
// date or a zone name, unless a digit or plus sign follows a word with a meaning of its
// own, as in T040506.
func (t *tokens) cutLetters(s []byte, i int) (tokenKind, int) {
	start := t.used
	i = t.takeWhile(s, i, isAlpha)
	if i == len(s) {
		return tokWord, i
	}
	switch c := s[i]; {
	case c == '-' || c == '/' || c == '.':
	case c == '+' || isDigit(c):
		if w := lookupWord(t.text[start:t.used]); w.kind != wordUnknown {
			return tokWord, i
		}
	default:
		return tokWord, i
	}
	return tokDate, t.takeWhile(s, i, isNameByte)
}
