package pgtext

// Bytea reads a bytea and appends its bytes to dst.
//
// After \x come pairs of hexadecimal digits, white space (blank, \n, \t, \r) allowed
// between pairs. Anything else is the escape form: \\ is a backslash, \ooo a byte in
// octal, every other byte itself. Status is HexDigit or HexOdd for the first form,
// Syntax for the second; dst is returned unchanged then.
func Bytea(dst, b []byte) ([]byte, Status) {
	if len(b) >= 2 && b[0] == '\\' && b[1] == 'x' {
		return byteaHex(dst, b[2:])
	}
	out := dst
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '\\' {
			switch {
			case i+1 < len(b) && b[i+1] == '\\':
				i++
			case i+3 < len(b) && b[i+1]-'0' < 4 && b[i+2]-'0' < 8 && b[i+3]-'0' < 8:
				c = (b[i+1]-'0')<<6 | (b[i+2]-'0')<<3 | (b[i+3] - '0')
				i += 3
			default:
				return dst, Syntax
			}
		}
		out = append(out, c)
	}
	return out, OK
}

func byteaHex(dst, b []byte) ([]byte, Status) {
	out := dst
	for i := 0; i < len(b); {
		if c := b[i]; c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		hi := hexValue(b[i])
		if hi > 15 {
			return dst, HexDigit
		}
		if i+1 == len(b) {
			return dst, HexOdd
		}
		lo := hexValue(b[i+1])
		if lo > 15 {
			return dst, HexDigit
		}
		out = append(out, hi<<4|lo)
		i += 2
	}
	return out, OK
}

// badHexDigit returns the character of a \x text that is no digit where one is due.
func badHexDigit(b []byte) []byte {
	second := false
	for i := min(2, len(b)); i < len(b); i++ {
		c := b[i]
		if !second && (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
			continue
		}
		if hexValue(c) > 15 {
			return b[i:min(len(b), i+charLen(c))]
		}
		second = !second
	}
	return nil
}

// AppendBytea appends v as \x and lower-case hexadecimal digits.
func AppendBytea(dst, v []byte) []byte {
	dst = append(dst, '\\', 'x')
	for _, c := range v {
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}
