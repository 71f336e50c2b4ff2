package ndjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The pieces of JSON that are no structure: numbers, names, and what stands behind a
// backslash. All of them read a block that ends with a control byte that is no part of a
// value, so none looks for the end of the block.

const (
	swarZeros = 0x3030303030303030
	swarHigh  = 0x8080808080808080
)

// digits returns the position of the first byte from p on that is no decimal digit.
func digits(b []byte, p int) int {
	for p+8 <= len(b) {
		// The lowest high bit that is set is that of the first other byte: what a sum
		// carries over goes upwards.
		x := binary.LittleEndian.Uint64(b[p:]) ^ swarZeros
		if m := (x + 0x7676767676767676 | x) & swarHigh; m != 0 {
			return p + bits.TrailingZeros64(m)>>3
		}
		p += 8
	}
	for b[p]-'0' <= 9 {
		p++
	}
	return p
}

// number returns the position behind the number that starts at p with a digit or a minus,
// or -1 if it is none. What follows it is for the caller to judge.
func number(b []byte, p int) int {
	if b[p] == '-' {
		p++
	}
	if b[p] == '0' {
		p++
	} else {
		q := digits(b, p)
		if q == p {
			return -1
		}
		p = q
	}
	if b[p] == '.' {
		q := digits(b, p+1)
		if q == p+1 {
			return -1
		}
		p = q
	}
	if b[p]|0x20 == 'e' {
		p++
		if b[p] == '+' || b[p] == '-' {
			p++
		}
		q := digits(b, p)
		if q == p {
			return -1
		}
		p = q
	}
	return p
}

// name returns the length of true, false or null at p, or 0.
func name(b []byte, p int) int {
	if len(b)-p < 5 {
		return 0
	}
	switch binary.LittleEndian.Uint32(b[p:]) {
	case 't' | 'r'<<8 | 'u'<<16 | 'e'<<24, 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24:
		return 4
	case 'f' | 'a'<<8 | 'l'<<16 | 's'<<24:
		if b[p+4] == 'e' {
			return 5
		}
	}
	return 0
}

// hex4 returns the number that four hexadecimal digits at p stand for, or -1.
func hex4(b []byte, p int) (v rune) {
	if p+4 > len(b) {
		return -1
	}
	for _, c := range b[p : p+4] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20-'a' <= 5:
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		v = v<<4 | rune(c)
	}
	return v
}

const (
	highSurrogate = 0xd800
	lowSurrogate  = 0xdc00
	endSurrogate  = 0xe000
)

// escape judges the escape whose backslash is b[p] and returns its length and the
// character that it stands for. n is 0 if it is none.
func escape(b []byte, p int) (r rune, n int, f fault) {
	switch c := b[p+1]; c {
	case '"', '\\', '/':
		return rune(c), 2, faultNone
	case 'b':
		return '\b', 2, faultNone
	case 'f':
		return '\f', 2, faultNone
	case 'n':
		return '\n', 2, faultNone
	case 'r':
		return '\r', 2, faultNone
	case 't':
		return '\t', 2, faultNone
	case 'u':
	default:
		return 0, 0, faultSyntax
	}
	switch r = hex4(b, p+2); {
	case r < 0:
		return 0, 0, faultSyntax
	case r < highSurrogate || r >= endSurrogate:
		return r, 6, faultNone
	case r >= lowSurrogate || b[p+6] != '\\' || b[p+7] != 'u':
		return 0, 0, faultSurrogate
	}
	low := hex4(b, p+8)
	switch {
	case low < 0:
		return 0, 0, faultSyntax
	case low < lowSurrogate || low >= endSurrogate:
		return 0, 0, faultSurrogate
	}
	return 0x10000 + (r-highSurrogate)<<10 + (low - lowSurrogate), 12, faultNone
}

// unescape copies the inside of a string, whose escapes are right, to dst, which may be
// the same bytes, and returns the number of bytes that it became. What an
// escape stands for is never longer than the escape.
func unescape(dst, src []byte) (n int) {
	for i := 0; i < len(src); {
		if src[i] != '\\' {
			dst[n] = src[i]
			n++
			i++
			continue
		}
		r, size, _ := escape(src, i)
		n += utf8.EncodeRune(dst[n:n+utf8.RuneLen(r)], r)
		i += size
	}
	return n
}
