package pgtext

import "encoding/binary"

// isSpace reports whether c is white space in the C locale: blank, \t, \n, \v, \f, \r.
func isSpace(c byte) bool { return c == ' ' || c-'\t' < 5 }

func isDigit(c byte) bool { return c-'0' < 10 }

func isAlpha(c byte) bool { return c|0x20-'a' < 26 }

// lower returns c in lower case if it is an ASCII letter.
func lower(c byte) byte {
	if c-'A' < 26 {
		return c + 0x20
	}
	return c
}

// hexValue returns the value of a hexadecimal digit, or 255.
func hexValue(c byte) byte { return hexValues[c] }

var hexValues = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i, c := range "0123456789abcdef" {
		t[c] = byte(i)
	}
	for i, c := range "ABCDEF" {
		t[c] = byte(i + 10)
	}
	return t
}()

// trimSpace returns b without the white space at its ends.
func trimSpace(b []byte) []byte { return trimRight(trimLeft(b)) }

func trimLeft(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

func trimRight(b []byte) []byte {
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// foldedPrefix reports whether b starts with word, letters compared without case. word
// must be lower case.
func foldedPrefix(b []byte, word string) bool {
	if len(b) < len(word) {
		return false
	}
	for i := range len(word) {
		if lower(b[i]) != word[i] {
			return false
		}
	}
	return true
}

const (
	asciiZeros = 0x3030303030303030
	highBits   = 0x8080808080808080
)

// load8 returns the first eight bytes of b, the first one lowest. len(b) must be at
// least 8.
func load8(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// allDigits8 reports whether each byte of x, which has been XORed with ASCII zeros, is
// at most 9. The addition sets the high bit of a byte from 10 to 127; a byte above 127
// has it already, and a carry out of such a byte can only refuse what is refused anyway.
func allDigits8(x uint64) bool {
	return (x|(x+0x7676767676767676))&highBits == 0
}

// value8 returns the number whose eight decimal digits are the bytes of x, first digit
// lowest.
func value8(x uint64) uint64 {
	x = x*10 + x>>8
	const mask = 0x000000ff000000ff
	const mul1 = 100 + 1000000<<32
	const mul2 = 1 + 10000<<32
	return (x&mask*mul1 + x>>16&mask*mul2) >> 32
}
