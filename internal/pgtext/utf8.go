package pgtext

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// ValidUTF8 reports whether b is valid UTF-8: no overlong form, no surrogate, nothing
// above U+10FFFF. A zero byte is valid here; text must also pass HasZero.
func ValidUTF8(b []byte) bool {
	for len(b) >= 8 {
		high := load8(b) & highBits
		if high == 0 {
			b = b[8:]
			continue
		}
		if bits.OnesCount64(high) > 4 {
			break // not a Latin script: the library's loop is better at that
		}
		b = b[bits.TrailingZeros64(high)/8:]
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			return false
		}
		b = b[n:]
	}
	return utf8.Valid(b)
}

// HasZero reports whether b holds a zero byte, which no text may.
func HasZero(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }

// InvalidSequence returns where the first character of b that is not valid text starts,
// and the bytes that PostgreSQL shows of it: as many as its first byte announces, or as
// remain. pos is -1 if there is none. A zero byte is not valid text.
func InvalidSequence(b []byte) (pos int, seq []byte) {
	for i := 0; i < len(b); {
		if c := b[i]; c != 0 && c < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 || r == 0 {
			return i, b[i:min(len(b), i+charLen(b[i]))]
		}
		i += n
	}
	return -1, nil
}

// charLen returns the length of a character that its first byte announces, 1 for a byte
// that can be no first byte.
func charLen(c byte) int {
	switch {
	case c < 0xc0 || c >= 0xf8:
		return 1
	case c < 0xe0:
		return 2
	case c < 0xf0:
		return 3
	}
	return 4
}

// EncodingMessage returns PostgreSQL's message for the bytes that InvalidSequence
// returned. Its SQLSTATE is 22021.
func EncodingMessage(seq []byte) string {
	msg := []byte(`invalid byte sequence for encoding "UTF8":`)
	for _, c := range seq {
		msg = append(msg, " 0x"...)
		msg = append(msg, hexDigits[c>>4], hexDigits[c&15])
	}
	return string(msg)
}
