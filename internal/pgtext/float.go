package pgtext

import (
	"math"
	"strconv"
	"unsafe"
)

// Float8 reads a double precision number, correctly rounded.
//
// White space around is skipped. Besides decimal numbers it takes inf, infinity and nan
// (any case, signed) and C's hexadecimal floats; no underscores. Status is Syntax, or
// Range for a number that overflows or that is not zero and rounds to zero. As in
// PostgreSQL, Range is found before garbage behind the number.
func Float8(b []byte) (float64, Status) {
	m, exp, neg, ok := shortDecimal(b)
	if ok && m < 1<<53 && exp+22 <= 44 {
		f := float64(m)
		if e := int(exp); e < 0 {
			f /= exactPow10[-e]
		} else {
			f *= exactPow10[e]
		}
		if neg {
			f = -f
		}
		return f, OK
	}
	if ok {
		return round(b, 64, m != 0)
	}
	return floatSlow(b, 64)
}

// Float4 reads a real. It is Float8 for 32 bits, rounded once.
func Float4(b []byte) (float32, Status) {
	m, exp, neg, ok := shortDecimal(b)
	if ok && m < 1<<24 && exp+10 <= 20 {
		f := float32(m)
		if e := int(exp); e < 0 {
			f /= float32(exactPow10[-e])
		} else {
			f *= float32(exactPow10[e])
		}
		if neg {
			f = -f
		}
		return f, OK
	}
	if ok {
		f, st := round(b, 32, m != 0)
		return float32(f), st
	}
	f, st := floatSlow(b, 32)
	return float32(f), st
}

// round reads a text that was screened: strconv would take no other number for it.
func round(b []byte, bits int, nonzero bool) (float64, Status) {
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), bits)
	if err != nil || f == 0 && nonzero {
		return 0, Range
	}
	return f, OK
}

// exactPow10 holds the powers of ten that a double represents exactly. Those up to
// 10**10 are exact in a float32 too. A product or quotient of two exact operands is
// rounded once, hence correctly.
var exactPow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// shortDecimal reads [sign] digits [. digits] [e [sign] digits] where the mantissa has
// at most 19 digits and the exponent at most 3, and nothing else. The value is
// m * 10**exp; exp is unsigned so that callers bound it with one comparison.
func shortDecimal(b []byte) (m uint64, exp uint, neg, ok bool) {
	i := 0
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		neg = b[i] == '-'
		i++
	}
	start := i
	for i < len(b) && isDigit(b[i]) {
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	digits := i - start
	if i < len(b) && b[i] == '.' {
		i++
		start = i
		for i < len(b) && isDigit(b[i]) {
			m = m*10 + uint64(b[i]-'0')
			i++
		}
		digits += i - start
		exp = uint(start - i)
	}
	if uint(digits-1) >= 19 {
		return 0, 0, false, false
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		eneg := false
		if i < len(b) && (b[i] == '-' || b[i] == '+') {
			eneg = b[i] == '-'
			i++
		}
		start = i
		e := uint(0)
		for i < len(b) && isDigit(b[i]) && i-start < 3 {
			e = e*10 + uint(b[i]-'0')
			i++
		}
		if i == start {
			return 0, 0, false, false
		}
		if eneg {
			e = -e
		}
		exp += e
	}
	return m, exp, neg, i == len(b)
}

// floatSlow is Float8 and Float4 without the fast path.
func floatSlow(b []byte, bits int) (float64, Status) {
	s := trimLeft(b)
	p := scanFloat(s)
	if p.end == 0 {
		return 0, Syntax
	}
	var f float64
	switch p.kind {
	case floatNaN:
		f = math.NaN()
	case floatInf:
		f = math.Inf(1)
		if s[0] == '-' {
			f = math.Inf(-1)
		}
	default:
		var buf [48]byte
		text := s[:p.end]
		if p.kind == floatHex {
			text = p.hexText(buf[:0], s)
		}
		var st Status
		if f, st = round(text, bits, p.nonzero); st != OK {
			return 0, st
		}
	}
	if len(trimLeft(s[p.end:])) > 0 {
		return 0, Syntax
	}
	return f, OK
}

type floatKind uint8

const (
	floatDecimal floatKind = iota
	floatHex
	floatInf
	floatNaN
)

// floatPrefix says what number, in C's sense, a text starts with: the text up to end,
// which is 0 if it starts with none.
type floatPrefix struct {
	kind    floatKind
	end     int
	nonzero bool // some mantissa digit is not 0
	digits  int  // where a hexadecimal mantissa starts
	exp     int  // the binary exponent of a hexadecimal one, bounded
}

func scanFloat(s []byte) (p floatPrefix) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	rest := s[i:]
	switch {
	case foldedPrefix(rest, "infinity"):
		return floatPrefix{kind: floatInf, end: i + 8}
	case foldedPrefix(rest, "inf"):
		return floatPrefix{kind: floatInf, end: i + 3}
	case foldedPrefix(rest, "nan"):
		return floatPrefix{kind: floatNaN, end: i + 3 + payload(rest[3:])}
	case radix(rest) == 16:
		if p := scanHexFloat(s, i+2); p.end > 0 {
			return p
		}
	}
	i, n, nonzero := mantissa(s, i, 10)
	if n == 0 {
		return floatPrefix{}
	}
	p = floatPrefix{end: i, nonzero: nonzero}
	if j, _, ok := exponent(s, i, 'e'); ok {
		p.end = j
	}
	return p
}

func scanHexFloat(s []byte, start int) floatPrefix {
	i, n, nonzero := mantissa(s, start, 16)
	if n == 0 {
		return floatPrefix{}
	}
	p := floatPrefix{kind: floatHex, end: i, nonzero: nonzero, digits: start}
	if j, e, ok := exponent(s, i, 'p'); ok {
		p.end, p.exp = j, e
	}
	return p
}

// mantissa passes digits of the base with at most one point among them, and returns the
// index behind, the number of digits and whether one is not 0.
func mantissa(s []byte, i, base int) (end, n int, nonzero bool) {
	point := false
	for ; i < len(s); i++ {
		if s[i] == '.' && !point {
			point = true
			continue
		}
		d := hexValue(s[i])
		if int(d) >= base {
			break
		}
		nonzero = nonzero || d != 0
		n++
	}
	return i, n, nonzero
}

// exponent passes an exponent that starts with mark at s[i]; ok is false if there is
// none. e saturates.
func exponent(s []byte, i int, mark byte) (end, e int, ok bool) {
	if i >= len(s) || lower(s[i]) != mark {
		return i, 0, false
	}
	i++
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	start := i
	for ; i < len(s) && isDigit(s[i]); i++ {
		if e < 100000000 {
			e = e*10 + int(s[i]-'0')
		}
	}
	if neg {
		e = -e
	}
	return i, e, i > start
}

// payload returns the length of a NaN's "(name)", 0 if there is none.
func payload(s []byte) int {
	if len(s) == 0 || s[0] != '(' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == ')':
			return i + 1
		case !isDigit(c) && !isAlpha(c) && c != '_':
			return 0
		}
	}
	return 0
}

// hexText appends the hexadecimal float at the start of s in a form of bounded length:
// 16 significant digits, a digit 1 behind them if anything was cut off, and an exponent.
// Seventeen digits hold more bits than a double and its rounding bit, so the value is
// rounded as the whole text would be.
func (p *floatPrefix) hexText(dst, s []byte) []byte {
	if s[0] == '-' {
		dst = append(dst, '-')
	}
	dst = append(dst, "0x"...)
	exp := p.exp
	kept := 0
	cut, point := false, false
	for i := p.digits; i < p.end && s[i]|0x20 != 'p'; i++ {
		c := s[i]
		switch {
		case c == '.':
			point = true
			continue
		case kept == 0 && c == '0':
		case kept < 16:
			dst = append(dst, c)
			kept++
		default:
			cut = cut || c != '0'
			exp += 4
		}
		if point {
			exp -= 4
		}
	}
	if kept == 0 {
		dst = append(dst, '0')
	}
	if cut {
		dst = append(dst, ".1"...)
	}
	dst = append(dst, 'p')
	return strconv.AppendInt(dst, int64(exp), 10)
}
