package kernels

import "unicode/utf8"

// AllASCII reports whether no byte of b has its high bit set; a zero byte is ASCII.
//
// No byte outside b is read at any level. The result is the same at every Level;
// allASCIIRef is the definition.
func AllASCII(b []byte) bool { return allASCII(b) }

// ValidUTF8 reports whether b is valid UTF-8: no overlong form, no surrogate, nothing
// above U+10FFFF, no character cut off at the end. A zero byte is valid.
//
// b may be of any length: it is checked in pieces that leave the goroutine preemptible.
// No byte outside b is read at any level. The result is the same at every Level;
// utf8.Valid is the definition.
func ValidUTF8(b []byte) bool {
	for len(b) > maxCallBytes {
		n := maxCallBytes
		for n > maxCallBytes-utf8.UTFMax && !utf8.RuneStart(b[n]) {
			n-- // not inside a character
		}
		if !validUTF8(b[:n]) {
			return false
		}
		b = b[n:]
	}
	return validUTF8(b)
}

// maxCallBytes is the most that one call into assembly gets of an input that may be longer.
const maxCallBytes = 64 << 10

// allASCIIRef is the definition of AllASCII.
func allASCIIRef(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// allASCIIGo is AllASCII without assembly: 32 bytes at a time, then 8, then single ones.
func allASCIIGo(b []byte) bool {
	for len(b) >= 32 {
		if (load8(b)|load8(b[8:])|load8(b[16:])|load8(b[24:]))&(swarOnes<<7) != 0 {
			return false
		}
		b = b[32:]
	}
	for len(b) >= 8 {
		if load8(b)&(swarOnes<<7) != 0 {
			return false
		}
		b = b[8:]
	}
	return allASCIIRef(b)
}

// validUTF8Go is ValidUTF8 without assembly. utf8.Valid is faster past the first byte
// that is not ASCII.
func validUTF8Go(b []byte) bool {
	for len(b) >= 32 && (load8(b)|load8(b[8:])|load8(b[16:])|load8(b[24:]))&(swarOnes<<7) == 0 {
		b = b[32:]
	}
	return utf8.Valid(b)
}
