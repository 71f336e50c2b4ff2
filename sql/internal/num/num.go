// Package num computes with numeric values as PostgreSQL does: exactly, with a display
// scale that every operation determines, NaN and the infinities.
package num

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// kind says what a Num is; the order is that of comparison.
type kind int8

const (
	negInf kind = iota - 1
	finite
	posInf
	nan
)

// Num is a numeric: coefficient * 10^-scale, or a special value. The zero Num is 0.
// A Num is immutable.
type Num struct {
	c     int64    // the coefficient, if big is nil
	big   *big.Int // the coefficient where it exceeds an int64
	scale int32    // digits behind the point that are shown
	kind  kind
}

// The special values.
var (
	NaN    = Num{kind: nan}
	Inf    = Num{kind: posInf}
	NegInf = Num{kind: negInf}
)

// Limits of a numeric: digits before the point, and behind it.
const (
	maxInt   = 131072
	MaxScale = 16383
)

var pow64 = func() (p [19]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// pow10 returns 10^n.
func pow10(n int32) *big.Int {
	if int(n) < len(pow64) {
		return big.NewInt(pow64[n])
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// Int returns v.
func Int(v int64) Num { return Num{c: v} }

// Scaled returns the 128-bit two's complement (hi, lo) * 10^-scale.
func Scaled(hi int64, lo uint64, scale int) Num {
	if hi == int64(lo)>>63 {
		return Num{c: int64(lo), scale: int32(scale)}
	}
	b := new(big.Int).SetInt64(hi)
	b.Lsh(b, 64)
	return fromBig(b.Add(b, new(big.Int).SetUint64(lo)), int32(scale))
}

// fromBig returns b * 10^-scale; b is the callee's from then on.
func fromBig(b *big.Int, scale int32) Num {
	if b.IsInt64() {
		return Num{c: b.Int64(), scale: scale}
	}
	return Num{big: b, scale: scale}
}

// coef returns the coefficient as a big.Int that must not be changed.
func (x Num) coef() *big.Int {
	if x.big != nil {
		return x.big
	}
	return big.NewInt(x.c)
}

// Parse reads the canonical text of a numeric, the form it is stored in.
func Parse(text []byte) (Num, bool) {
	switch string(text) {
	case "NaN":
		return NaN, true
	case "Infinity":
		return Inf, true
	case "-Infinity":
		return NegInf, true
	}
	s, neg := text, false
	if len(s) > 0 && s[0] == '-' {
		neg = true
		s = s[1:]
	}
	var c uint64
	scale, seen, digits := int32(0), false, 0
	for _, b := range s {
		switch {
		case b == '.' && !seen:
			seen = true
			continue
		case b < '0' || b > '9':
			return Num{}, false
		}
		if digits++; digits <= 18 {
			c = c*10 + uint64(b-'0')
		}
		if seen {
			scale++
		}
	}
	if digits == 0 {
		return Num{}, false
	}
	if digits <= 18 {
		v := int64(c)
		if neg {
			v = -v
		}
		return Num{c: v, scale: scale}, true
	}
	plain := make([]byte, 0, len(text))
	for _, b := range text {
		if b != '.' {
			plain = append(plain, b)
		}
	}
	v, ok := new(big.Int).SetString(string(plain), 10)
	if !ok {
		return Num{}, false
	}
	return fromBig(v, scale), true
}

// Float returns f with the digits that PostgreSQL keeps of it: 15 of a float8 (bits 64),
// 6 of a float4 (bits 32).
func Float(f float64, bits int) Num {
	switch {
	case math.IsNaN(f):
		return NaN
	case math.IsInf(f, 1):
		return Inf
	case math.IsInf(f, -1):
		return NegInf
	}
	digits := 15
	if bits == 32 {
		digits = 6
	}
	text := strconv.FormatFloat(f, 'e', digits-1, 64)
	mantissa, exp, _ := strings.Cut(text, "e")
	m, _ := Parse([]byte(mantissa)) // digits and a point: never wrong
	e, _ := strconv.Atoi(exp)
	for m.c != 0 && m.scale > 0 && m.c%10 == 0 {
		m.c /= 10
		m.scale--
	}
	if m.c == 0 {
		return Num{}
	}
	m.scale -= int32(e)
	if m.scale < 0 {
		m = m.rescale(0)
	}
	return m
}

// rescale returns x with a larger scale, or with scale 0 where it is negative.
func (x Num) rescale(scale int32) Num {
	d := scale - x.scale
	if d == 0 || x.kind != finite {
		return x
	}
	if x.big == nil && int(d) < len(pow64) {
		if hi, lo := bits.Mul64(absU(x.c), uint64(pow64[d])); hi == 0 && lo <= math.MaxInt64 {
			v := int64(lo)
			if x.c < 0 {
				v = -v
			}
			return Num{c: v, scale: scale}
		}
	}
	return fromBig(new(big.Int).Mul(x.coef(), pow10(d)), scale)
}

func absU(v int64) uint64 {
	if v < 0 {
		return uint64(-v)
	}
	return uint64(v)
}

// Scale returns the digits behind the point.
func (x Num) Scale() int { return int(x.scale) }

// IsNaN reports whether x is NaN.
func (x Num) IsNaN() bool { return x.kind == nan }

// IsFinite reports whether x is neither NaN nor infinite.
func (x Num) IsFinite() bool { return x.kind == finite }

// Sign returns -1, 0 or 1; 1 for NaN.
func (x Num) Sign() int {
	switch {
	case x.kind != finite:
		return sign(int64(x.kind))
	case x.big != nil:
		return x.big.Sign()
	}
	return sign(x.c)
}

func sign(v int64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}

// Fits reports whether x is within the limits of a numeric.
func (x Num) Fits() bool {
	if x.kind != finite || x.big == nil {
		return true
	}
	// A bit is less than a third of a digit.
	if int64(x.big.BitLen())*3/10 <= maxInt+int64(x.scale) {
		return true
	}
	return len(x.big.Text(10))-int(x.scale) <= maxInt
}

// AppendText appends x as PostgreSQL prints it.
func (x Num) AppendText(dst []byte) []byte {
	switch x.kind {
	case nan:
		return append(dst, "NaN"...)
	case posInf:
		return append(dst, "Infinity"...)
	case negInf:
		return append(dst, "-Infinity"...)
	}
	start := len(dst)
	if x.big != nil {
		dst = x.big.Append(dst, 10)
	} else {
		dst = strconv.AppendInt(dst, x.c, 10)
	}
	if x.scale == 0 {
		return dst
	}
	if dst[start] == '-' {
		start++
	}
	// Zeros in front until a digit stands before the point.
	if lack := int(x.scale) + 1 - (len(dst) - start); lack > 0 {
		n := len(dst)
		for range lack {
			dst = append(dst, '0')
		}
		copy(dst[start+lack:], dst[start:n])
		for i := range lack {
			dst[start+i] = '0'
		}
	}
	point := len(dst) - int(x.scale)
	dst = append(dst, 0)
	copy(dst[point+1:], dst[point:])
	dst[point] = '.'
	return dst
}

// String returns x as PostgreSQL prints it.
func (x Num) String() string { return string(x.AppendText(nil)) }

// Float64 returns x as the nearest float8.
func (x Num) Float64() float64 {
	switch x.kind {
	case nan:
		return math.NaN()
	case posInf:
		return math.Inf(1)
	case negInf:
		return math.Inf(-1)
	}
	if x.scale == 0 && x.big == nil {
		return float64(x.c)
	}
	f, _ := strconv.ParseFloat(x.String(), 64) // out of range gives an infinity
	return f
}

// Int64 returns x rounded to an integer, half away from zero; ok is false if it does
// not fit or is special.
func (x Num) Int64() (v int64, ok bool) {
	r := x.Round(0)
	return r.c, r.kind == finite && r.big == nil
}

// Decimal returns the coefficient of x rounded to scale as a 128-bit two's complement.
// ok is false if x has more than precision digits then, or is not finite.
func (x Num) Decimal(precision, scale int) (hi int64, lo uint64, ok bool) {
	if x.kind != finite {
		return 0, 0, false
	}
	r := x.Round(int32(scale)).rescale(int32(scale))
	b := r.coef()
	if b.CmpAbs(pow10(int32(precision))) >= 0 {
		return 0, 0, false
	}
	if r.big == nil {
		return r.c >> 63, uint64(r.c), true
	}
	abs := new(big.Int).Abs(b)
	lo = new(big.Int).And(abs, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	hi = int64(abs.Rsh(abs, 64).Uint64())
	if b.Sign() < 0 {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi = int64(-uint64(hi) - borrow)
	}
	return hi, lo, true
}
