package pgtext

import (
	"math"
	"math/bits"
	"strconv"
)

// AppendFloat8 appends the shortest digits that read back as f, in PostgreSQL's layout:
// plain for 1e-4 <= |f| < 1e15, else scientific with at least two exponent digits; NaN,
// Infinity, -Infinity.
//
// Shortest is PostgreSQL's: the digits must lie strictly between the midpoints to the
// neighbouring doubles. 1e23 is such a midpoint, and prints as 9.999999999999999e+22.
func AppendFloat8(dst []byte, f float64) []byte { return appendFloat(dst, f, 64, 15) }

// AppendFloat4 is AppendFloat8 for a real; plain below 1e6.
func AppendFloat4(dst []byte, f float32) []byte { return appendFloat(dst, float64(f), 32, 6) }

func appendFloat(dst []byte, f float64, size, plainDigits int) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case f > math.MaxFloat64:
		return append(dst, "Infinity"...)
	case f < -math.MaxFloat64:
		return append(dst, "-Infinity"...)
	}
	var buf [32]byte
	text := strconv.AppendFloat(buf[:0], f, 'e', -1, size)
	d := splitDigits(text)
	for places := d.n; d.midpoint(f, size); places++ {
		text = strconv.AppendFloat(buf[:0], f, 'e', places, size)
		d = splitDigits(text)
	}
	if text[0] == '-' {
		dst = append(dst, '-')
	}
	return d.append(dst, plainDigits)
}

// digits is a decimal d.ddd * 10**exp.
type digits struct {
	text [17]byte
	n    int
	exp  int
}

// splitDigits takes apart what strconv printed with format 'e'. Trailing zeros, which
// only a stated precision leaves, are dropped.
func splitDigits(text []byte) (d digits) {
	i := 0
	if text[0] == '-' {
		i = 1
	}
	for ; text[i] != 'e'; i++ {
		if text[i] != '.' {
			d.text[d.n] = text[i]
			d.n++
		}
	}
	for d.n > 1 && d.text[d.n-1] == '0' {
		d.n--
	}
	for _, c := range text[i+2:] {
		d.exp = d.exp*10 + int(c-'0')
	}
	if text[i+1] == '-' {
		d.exp = -d.exp
	}
	return d
}

// midpoint reports whether the digits, which read back as f, lie exactly between f and a
// neighbour.
//
// A midpoint is (2m+1) or (2m-1) times a power of two, m being f's mantissa. Digits of
// 17 places or fewer can only equal it if they are an integer D * 10**k whose odd part
// is 2m+1 or 2m-1; 5**k divides that, so k is at most 23 and D * 5**k is below 2**111.
// Below a power of two the midpoint is 4m-1 times a power of two, and neither 2**54-1
// nor 2**25-1 is D * 5**k with D shorter than the digits of m itself.
func (d *digits) midpoint(f float64, size int) bool {
	k := d.exp - d.n + 1
	if k < 1 || k > 23 {
		return false
	}
	var v uint64
	for _, c := range d.text[:d.n] {
		v = v*10 + uint64(c-'0')
	}
	hi, lo := bits.Mul64(v, pow5[k])
	if hi == 0 && lo == 0 {
		return false
	}
	if lo == 0 {
		hi, lo = 0, hi
	}
	t := uint(bits.TrailingZeros64(lo))
	lo = lo>>t | hi<<(64-t)
	if hi>>t != 0 {
		return false
	}
	var m uint64
	if size == 32 {
		m = uint64(math.Float32bits(float32(f))&(1<<23-1) | 1<<23)
	} else {
		m = math.Float64bits(f)&(1<<52-1) | 1<<52
	}
	return lo == 2*m+1 || lo == 2*m-1
}

var pow5 = func() (p [24]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 5
	}
	return p
}()

func (d *digits) append(dst []byte, plainDigits int) []byte {
	t := d.text[:d.n]
	switch {
	case d.exp < -4 || d.exp >= plainDigits:
		dst = append(dst, t[0])
		if d.n > 1 {
			dst = append(dst, '.')
			dst = append(dst, t[1:]...)
		}
		dst = append(dst, 'e')
		e := d.exp
		if e < 0 {
			dst = append(dst, '-')
			e = -e
		} else {
			dst = append(dst, '+')
		}
		if e < 10 {
			dst = append(dst, '0')
		}
		return strconv.AppendInt(dst, int64(e), 10)
	case d.exp < 0:
		dst = append(dst, "0.0000"[:1-d.exp]...)
		return append(dst, t...)
	case d.n <= d.exp+1:
		dst = append(dst, t...)
		for i := d.n; i <= d.exp; i++ {
			dst = append(dst, '0')
		}
		return dst
	default:
		dst = append(dst, t[:d.exp+1]...)
		dst = append(dst, '.')
		return append(dst, t[d.exp+1:]...)
	}
}
