package pgtext

import (
	"bytes"
	"math/big"
)

// Special says that a numeric is not a number, or not finite.
type Special uint8

const (
	Finite Special = iota
	NaN
	Infinity
	NegInfinity
)

// The limits of a bare numeric: digits before and behind the point, and the largest
// exponent that is looked at.
const (
	maxIntDigits  = 131072
	maxFracDigits = 16383
	maxExponent   = 1<<30 - 1
)

// numericText is a numeric taken apart, digits still where they are in the input.
type numericText struct {
	special Special
	neg     bool
	base    uint64
	digits  []byte // the mantissa: digits of the base, at most one point, underscores
	nInt    int    // digits before the point
	nFrac   int    // digits behind it
	exp     int    // at most maxExponent in magnitude
}

// scanNumeric checks b and takes it apart. Status is Syntax, or Range for an exponent
// that PostgreSQL does not look at.
func scanNumeric(b []byte) (n numericText, st Status) {
	s := trimLeft(b)
	if foldedPrefix(s, "nan") {
		n.special = NaN
		return n, onlySpace(s[3:])
	}
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		n.neg = s[0] == '-'
		s = s[1:]
	}
	if foldedPrefix(s, "inf") {
		n.special = Infinity
		if n.neg {
			n.special = NegInfinity
		}
		if foldedPrefix(s, "infinity") {
			return n, onlySpace(s[8:])
		}
		return n, onlySpace(s[3:])
	}
	if n.base = radix(s); n.base != 0 {
		s = s[2:]
		end, digits := digitRun(s, n.base, true)
		n.digits, n.nInt = s[:end], digits
		if digits == 0 {
			return n, Syntax
		}
		return n, onlySpace(s[end:])
	}
	n.base = 10
	end, count := digitRun(s, 10, false)
	n.nInt = count
	if end < len(s) && s[end] == '.' {
		end++
		more, count := digitRun(s[end:], 10, false)
		end += more
		n.nFrac = count
	}
	n.digits = s[:end]
	if n.nInt+n.nFrac == 0 {
		return n, Syntax
	}
	s = s[end:]
	if len(s) > 0 && s[0]|0x20 == 'e' {
		if s, st = n.scanExponent(s[1:]); st != OK {
			return n, st
		}
	}
	return n, onlySpace(s)
}

func (n *numericText) scanExponent(s []byte) (rest []byte, st Status) {
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	end, count := digitRun(s, 10, false)
	if count == 0 {
		return s, Syntax
	}
	for _, c := range s[:end] {
		if c == '_' {
			continue
		}
		n.exp = n.exp*10 + int(c-'0')
		if n.exp > maxExponent {
			return s, Range
		}
	}
	if neg {
		n.exp = -n.exp
	}
	return s[end:], OK
}

// digitRun returns the length of the digits at the start of s, with single underscores
// between them and, if lead, one before them, and how many digits they are. A misplaced
// underscore is left to the caller, who finds it behind the run.
func digitRun(s []byte, base uint64, lead bool) (end, count int) {
	i := 0
	for i < len(s) {
		c := s[i]
		step := 1
		if c == '_' && (count > 0 || lead) && i+1 < len(s) {
			c = s[i+1]
			step = 2
		}
		if uint64(hexValue(c)) >= base {
			break
		}
		i += step
		count++
	}
	return i, count
}

func onlySpace(s []byte) Status {
	if len(trimLeft(s)) > 0 {
		return Syntax
	}
	return OK
}

// leadingZeros returns how many digits stand before the first that is not 0; all of
// them if the value is zero.
func (n *numericText) leadingZeros() int {
	z := 0
	for _, c := range n.digits {
		switch c {
		case '.', '_':
		case '0':
			z++
		default:
			return z
		}
	}
	return z
}

// decimalInteger rewrites a hexadecimal, octal or binary integer as decimal text. It
// allocates. ok is false if the value is beyond a bare numeric's range anyway.
func (n *numericText) decimalInteger() (text []byte, ok bool) {
	text = bytes.TrimLeft(bytes.ReplaceAll(n.digits, []byte{'_'}, nil), "0")
	bitsPerDigit := map[uint64]int{16: 4, 8: 3, 2: 1}[n.base]
	const maxBits = 435412 // of 10**maxIntDigits
	if (len(text)-1)*bitsPerDigit > maxBits {
		return nil, false
	}
	if len(text) == 0 {
		return []byte{'0'}, true
	}
	var v big.Int
	v.SetString(string(text), int(n.base))
	if n.neg {
		v.Neg(&v)
	}
	return v.Append(nil, 10), true
}

// ParseNumericText reads a numeric without precision and appends PostgreSQL's output form
// of it to dst, which is also the form it is stored in: an optional minus sign, digits
// without leading zeros, and as many digits behind the point as the input had (an
// exponent moves the point); or NaN, Infinity, -Infinity. Zero has no sign.
//
// White space around, underscores between digits and hexadecimal, octal and binary
// integers are taken, as in Int; the latter allocate. Status is Syntax, or Range beyond
// 131072 digits before the point or 16383 behind it. dst is returned unchanged then.
func ParseNumericText(dst, b []byte) ([]byte, Status) {
	if isNumericText(b) {
		return append(dst, b...), OK
	}
	n, st := scanNumeric(b)
	if st != OK {
		return dst, st
	}
	switch n.special {
	case NaN:
		return append(dst, "NaN"...), OK
	case Infinity:
		return append(dst, "Infinity"...), OK
	case NegInfinity:
		return append(dst, "-Infinity"...), OK
	}
	if n.base != 10 {
		text, ok := n.decimalInteger()
		if !ok {
			return dst, Range
		}
		return ParseNumericText(dst, text)
	}
	scale := max(0, n.nFrac-n.exp)
	zeros := n.leadingZeros()
	total := n.nInt + n.nFrac
	point := n.nInt + n.exp // the point's place in the digits; may be outside them
	if scale > maxFracDigits || zeros < total && point-zeros > maxIntDigits {
		return dst, Range
	}
	if zeros == total {
		point = zeros
	}
	if n.neg && zeros < total {
		dst = append(dst, '-')
	}
	if point <= zeros {
		dst = append(dst, '0')
		if scale > 0 {
			dst = append(dst, '.')
			dst = appendZeros(dst, min(zeros-point, scale))
		}
	}
	if zeros == total {
		return appendZeros(dst, scale-min(zeros-point, scale)), OK
	}
	at := 0
	for _, c := range n.digits {
		if c == '.' || c == '_' {
			continue
		}
		if at >= zeros {
			if at == point && at > zeros {
				dst = append(dst, '.')
			}
			dst = append(dst, c)
		}
		at++
	}
	return appendZeros(dst, point-total), OK
}

// isNumericText reports whether b is a number that is in output form already. It may
// miss some: zero and long ones.
func isNumericText(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > maxFracDigits {
		return false
	}
	point := len(b)
	nonzero := false
	for i, c := range b {
		switch {
		case isDigit(c):
			nonzero = nonzero || c != '0'
		case c == '.' && point == len(b):
			point = i
		default:
			return false
		}
	}
	return nonzero && point > 0 && point != len(b)-1 && (b[0] != '0' || point == 1)
}

func appendZeros(dst []byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, '0')
	}
	return dst
}

// numericParts splits text in output form into sign, digits before the point and digits
// behind it; no leading or trailing zeros are among them, and zero has neither sign nor
// digits.
func numericParts(text []byte) (sp Special, neg bool, whole, frac []byte) {
	switch {
	case len(text) == 0:
		return Finite, false, nil, nil
	case text[0] == 'N':
		return NaN, false, nil, nil
	case text[0] == 'I':
		return Infinity, false, nil, nil
	}
	if text[0] == '-' {
		text = text[1:]
		if len(text) > 0 && text[0] == 'I' {
			return NegInfinity, true, nil, nil
		}
		neg = true
	}
	whole, frac, _ = bytes.Cut(text, []byte{'.'})
	if len(whole) == 1 && whole[0] == '0' {
		whole = nil
	}
	for len(frac) > 0 && frac[len(frac)-1] == '0' {
		frac = frac[:len(frac)-1]
	}
	return Finite, neg && len(whole)+len(frac) > 0, whole, frac
}

// CompareNumericText orders two numerics in output form: -1, 0 or 1. Trailing zeros do
// not count, NaN is equal to itself and above everything.
func CompareNumericText(a, b []byte) int {
	sa, na, wa, fa := numericParts(a)
	sb, nb, wb, fb := numericParts(b)
	if ra, rb := rank(sa), rank(sb); ra != rb || ra != 0 {
		return compareInt(ra, rb)
	}
	if na != nb {
		if na {
			return -1
		}
		return 1
	}
	c := compareInt(len(wa), len(wb))
	if c == 0 {
		c = bytes.Compare(wa, wb)
	}
	if c == 0 {
		c = bytes.Compare(fa, fb)
	}
	if na {
		return -c
	}
	return c
}

func rank(s Special) int {
	switch s {
	case NaN:
		return 2
	case Infinity:
		return 1
	case NegInfinity:
		return -1
	}
	return 0
}

func compareInt(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// The first byte of a numeric key.
const (
	keyNegInfinity = 1 + iota
	keyNegative
	keyZero
	keyPositive
	keyInfinity
	keyNaN
)

// NumericKey appends a key of a numeric in output form: equal numbers have equal keys
// (1.0 and 1.00), and keys compared as bytes order as CompareNumericText does.
//
// Format: one byte for the sign class; for a number other than zero then the place of
// its first digit as three bytes, big-endian, 0x800000 added, and its digits without
// leading and trailing zeros, two to a byte as 10a+b+1, and a zero byte. All bytes but
// the first are inverted for a negative number.
func NumericKey(dst, text []byte) []byte {
	sp, neg, whole, frac := numericParts(text)
	switch {
	case sp == NaN:
		return append(dst, keyNaN)
	case sp == Infinity:
		return append(dst, keyInfinity)
	case sp == NegInfinity:
		return append(dst, keyNegInfinity)
	case len(whole)+len(frac) == 0:
		return append(dst, keyZero)
	}
	place := len(whole)
	if place == 0 {
		for frac[0] == '0' {
			frac = frac[1:]
			place--
		}
	}
	if len(frac) == 0 {
		whole = bytes.TrimRight(whole, "0")
	}
	class, flip := byte(keyPositive), byte(0)
	if neg {
		class, flip = keyNegative, 0xff
	}
	p := uint32(place + 0x800000)
	dst = append(dst, class, byte(p>>16)^flip, byte(p>>8)^flip, byte(p)^flip)
	total := len(whole) + len(frac)
	at := func(i int) byte {
		switch {
		case i < len(whole):
			return whole[i] - '0'
		case i < total:
			return frac[i-len(whole)] - '0'
		}
		return 0
	}
	for i := 0; i < total; i += 2 {
		dst = append(dst, (at(i)*10+at(i+1)+1)^flip)
	}
	return append(dst, flip)
}
