package pgtext

import "strconv"

// Int reads a smallint, integer or bigint: bits is 16, 32 or 64.
//
// White space around is skipped. A sign may stand before decimal digits or before a
// number with prefix 0x, 0o or 0b (either case); single underscores may separate digits
// and may follow such a prefix. Status is Syntax or Range. As in PostgreSQL a number
// that leaves the range before its first wrong byte is Range.
func Int(b []byte, bits int) (int64, Status) {
	s := b
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if uint(len(s)-1) >= 18 { // 18 digits cannot overflow
		return intSlow(b, bits)
	}
	var v uint64
	if len(s) >= 8 {
		x := load8(s) ^ asciiZeros
		if !allDigits8(x) {
			return intSlow(b, bits)
		}
		v = value8(x)
		s = s[8:]
		if len(s) >= 8 {
			x := load8(s) ^ asciiZeros
			if !allDigits8(x) {
				return intSlow(b, bits)
			}
			v = v*100000000 + value8(x)
			s = s[8:]
		}
	}
	for _, c := range s {
		d := c - '0'
		if d > 9 {
			return intSlow(b, bits)
		}
		v = v*10 + uint64(d)
	}
	n := int64(v)
	if neg {
		n = -n
	}
	shift := 64 - uint(bits)
	if n<<shift>>shift != n {
		return 0, Range
	}
	return n, OK
}

// intSlow is Int without the fast path; it defines the result.
func intSlow(b []byte, bits int) (int64, Status) {
	s := trimLeft(b)
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	base := uint64(10)
	if r := radix(s); r != 0 {
		base = r
		s = s[2:]
	}
	limit := uint64(1) << (bits - 1) // the smallest value's magnitude
	var v uint64
	i := 0
	for i < len(s) {
		c := s[i]
		if c == '_' && (i > 0 || base != 10) && i+1 < len(s) {
			i++
			c = s[i]
			if uint64(hexValue(c)) >= base {
				return 0, Syntax
			}
		}
		d := uint64(hexValue(c))
		if d >= base {
			break
		}
		if v > limit/base {
			return 0, Range
		}
		v = v*base + d
		i++
	}
	if i == 0 || len(trimLeft(s[i:])) > 0 {
		return 0, Syntax
	}
	if v > limit || v == limit && !neg {
		return 0, Range
	}
	if neg {
		return -int64(v), OK
	}
	return int64(v), OK
}

// radix returns 16, 8 or 2 if s starts with 0x, 0o or 0b in either case, else 0.
func radix(s []byte) uint64 {
	if len(s) < 2 || s[0] != '0' {
		return 0
	}
	switch s[1] {
	case 'x', 'X':
		return 16
	case 'o', 'O':
		return 8
	case 'b', 'B':
		return 2
	}
	return 0
}

// AppendInt appends v in decimal.
func AppendInt(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }
