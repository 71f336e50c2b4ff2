package copy

import "encoding/binary"

// appendEscaped appends a value of the text format. As in PostgreSQL the backslash, the
// delimiter and the six control bytes that have a letter get a backslash; other bytes
// stay what they are.
func (f *form) appendEscaped(dst, v []byte) []byte {
	if !f.escapes(v) {
		return append(dst, v...)
	}
	for _, c := range v {
		switch letter := controlLetters[c&0x1f]; {
		case c < ' ' && letter != 0:
			dst = append(dst, '\\', letter)
		case c == '\\' || c == f.delim:
			dst = append(dst, '\\', c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// controlLetters has the letter that stands for a control byte behind a backslash.
var controlLetters = [32]byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v'}

// escapes reports whether v may hold a byte that is not written as it is.
func (f *form) escapes(v []byte) bool {
	delim := lowBits * uint64(f.delim)
	for len(v) >= 8 {
		x := binary.LittleEndian.Uint64(v)
		control := (x - lowBits*' ') &^ x & highBits // some byte is below a blank
		if control|zeroByte(x^delim)|zeroByte(x^lowBits*'\\') != 0 {
			return true
		}
		v = v[8:]
	}
	for _, c := range v {
		if c < ' ' || c == f.delim || c == '\\' {
			return true
		}
	}
	return false
}
