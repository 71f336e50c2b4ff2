package pgtext

import "math/bits"

// Decimal128 is the unscaled value of a numeric(p,s) with p <= 38: a 128-bit two's
// complement integer, to be divided by 10**s.
type Decimal128 struct {
	Hi int64
	Lo uint64
}

// wide is an unsigned 128-bit integer.
type wide struct{ hi, lo uint64 }

func (w wide) mulAdd(m, a uint64) wide {
	h, l := bits.Mul64(w.lo, m)
	l, c := bits.Add64(l, a, 0)
	return wide{w.hi*m + h + c, l}
}

func (w wide) less(v wide) bool { return w.hi < v.hi || w.hi == v.hi && w.lo < v.lo }

func (w wide) signed(neg bool) Decimal128 {
	if neg {
		lo, borrow := bits.Sub64(0, w.lo, 0)
		hi, _ := bits.Sub64(0, w.hi, borrow)
		return Decimal128{int64(hi), lo}
	}
	return Decimal128{int64(w.hi), w.lo}
}

// magnitude returns d's absolute value and whether d is negative.
func (d Decimal128) magnitude() (w wide, neg bool) {
	if d.Hi >= 0 {
		return wide{uint64(d.Hi), d.Lo}, false
	}
	lo, borrow := bits.Sub64(0, d.Lo, 0)
	hi, _ := bits.Sub64(0, uint64(d.Hi), borrow)
	return wide{hi, lo}, true
}

// maxPrecision is the number of decimal digits that fit in a Decimal128.
const maxPrecision = 38

// pow10Wide holds 10**0 to 10**38, and pow10Narrow those below 2**64.
var (
	pow10Wide = func() (p [maxPrecision + 1]wide) {
		p[0].lo = 1
		for i := 1; i < len(p); i++ {
			p[i] = p[i-1].mulAdd(10, 0)
		}
		return p
	}()
	pow10Narrow = func() (p [20]uint64) {
		for i := range p {
			p[i] = pow10Wide[i].lo
		}
		return p
	}()
)

// ParseDecimal reads a numeric(precision, scale) and returns its unscaled value, rounded
// half away from zero. precision is 1 to 38; scale may be negative or above precision,
// as in PostgreSQL.
//
// The text is as for ParseNumericText. NaN is stored (Special says so, the value is 0);
// an infinity is InfiniteField, and a value that does not fit after rounding is
// FieldOverflow. An exponent beyond 2**30-1 is Range. Everything else is Syntax.
func ParseDecimal(b []byte, precision, scale int) (Decimal128, Special, Status) {
	s := b
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if uint(len(s)-1) >= 19 || uint(scale) > 18 {
		return decimalSlow(b, precision, scale)
	}
	var v uint64
	point := -1
	for i, c := range s {
		if d := c - '0'; d <= 9 {
			v = v*10 + uint64(d)
		} else if c == '.' && point < 0 {
			point = i
		} else {
			return decimalSlow(b, precision, scale)
		}
	}
	frac := 0
	if point >= 0 {
		frac = len(s) - point - 1
		if len(s) == 1 {
			return Decimal128{}, Finite, Syntax
		}
	}
	w := wide{0, v}
	switch {
	case frac < scale:
		w.hi, w.lo = bits.Mul64(v, pow10Narrow[scale-frac])
	case frac > scale:
		p := pow10Narrow[frac-scale]
		q, r := v/p, v%p
		if r >= p-r {
			q++
		}
		w.lo = q
	}
	if !w.less(pow10Wide[precision]) {
		return Decimal128{}, Finite, FieldOverflow
	}
	return w.signed(neg), Finite, OK
}

// decimalSlow is ParseDecimal without the fast path; it defines the result.
func decimalSlow(b []byte, precision, scale int) (Decimal128, Special, Status) {
	n, st := scanNumeric(b)
	if st != OK {
		return Decimal128{}, Finite, st
	}
	switch n.special {
	case NaN:
		return Decimal128{}, NaN, OK
	case Infinity, NegInfinity:
		return Decimal128{}, Finite, InfiniteField
	}
	if n.base != 10 {
		text, ok := n.decimalInteger()
		if !ok {
			return Decimal128{}, Finite, FieldOverflow
		}
		return decimalSlow(text, precision, scale)
	}
	zeros := n.leadingZeros()
	if zeros == n.nInt+n.nFrac {
		return Decimal128{}, Finite, OK
	}
	// The number is 0.d1d2d3... * 10**k with d1 not 0, so keep digits of it are wanted.
	k := n.nInt + n.exp - zeros
	keep := k + scale
	if keep > precision {
		return Decimal128{}, Finite, FieldOverflow
	}
	if keep < 0 {
		return Decimal128{}, Finite, OK
	}
	var w wide
	taken := -zeros
	for _, c := range n.digits {
		if c == '.' || c == '_' {
			continue
		}
		if taken == keep {
			if c >= '5' {
				w = w.mulAdd(1, 1)
			}
			break
		}
		if taken >= 0 {
			w = w.mulAdd(10, uint64(c-'0'))
		}
		taken++
	}
	for ; taken < keep; taken++ {
		w = w.mulAdd(10, 0)
	}
	if !w.less(pow10Wide[precision]) {
		return Decimal128{}, Finite, FieldOverflow
	}
	return w.signed(n.neg), Finite, OK
}

// AppendDecimal appends d as PostgreSQL prints a numeric of that scale: scale digits
// behind the point, or, for a negative scale, -scale zeros at the end.
func AppendDecimal(dst []byte, d Decimal128, scale int) []byte {
	w, neg := d.magnitude()
	if neg {
		dst = append(dst, '-')
	}
	var buf [40]byte
	i := len(buf)
	for w.hi != 0 {
		const chunk = 10000000000000000000 // 10**19
		var rem uint64
		q := w.hi / chunk
		w.lo, rem = bits.Div64(w.hi%chunk, w.lo, chunk)
		w.hi = q
		for range 19 {
			i--
			buf[i] = byte('0' + rem%10)
			rem /= 10
		}
	}
	for v := w.lo; v != 0; v /= 10 {
		i--
		buf[i] = byte('0' + v%10)
	}
	if w.lo == 0 {
		for i < len(buf) && buf[i] == '0' {
			i++
		}
	}
	text := buf[i:]
	switch {
	case scale <= 0:
		if len(text) == 0 {
			return append(dst, '0')
		}
		return appendZeros(append(dst, text...), -scale)
	case len(text) <= scale:
		dst = append(dst, '0', '.')
		dst = appendZeros(dst, scale-len(text))
		return append(dst, text...)
	}
	dst = append(dst, text[:len(text)-scale]...)
	dst = append(dst, '.')
	return append(dst, text[len(text)-scale:]...)
}
