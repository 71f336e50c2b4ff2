package pgtext

// UUID reads a uuid: 32 hexadecimal digits, a hyphen allowed after every fourth, braces
// allowed around. No white space. Status is Syntax.
func UUID(b []byte) (u [16]byte, st Status) {
	s := b
	if len(s) > 0 && s[0] == '{' {
		if s[len(s)-1] != '}' {
			return u, Syntax
		}
		s = s[1 : len(s)-1]
	}
	for i := range u {
		if len(s) < 2 {
			return u, Syntax
		}
		hi, lo := hexValue(s[0]), hexValue(s[1])
		if hi|lo > 15 {
			return u, Syntax
		}
		u[i] = hi<<4 | lo
		s = s[2:]
		if i%2 == 1 && i < 15 && len(s) > 0 && s[0] == '-' {
			s = s[1:]
		}
	}
	if len(s) != 0 {
		return u, Syntax
	}
	return u, OK
}

const hexDigits = "0123456789abcdef"

// AppendUUID appends u in lower case, 8-4-4-4-12.
func AppendUUID(dst []byte, u [16]byte) []byte {
	for i, c := range u {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}
