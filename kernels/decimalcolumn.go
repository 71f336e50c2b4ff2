package kernels

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// The most decimal digits of each width.
const (
	maxPrecision32  = 9
	maxPrecision64  = 18
	maxPrecision128 = 38
)

// ParseDecimal64Column parses column col of len(dst) records into decimals with scale
// digits behind the point, unscaled: 1.5 with scale 2 is 150.
//
// b, seps, stride, col, trim, null and slow are those of ParseInt64Column: a record is
// null (empty), slow (not taken; dst is 0) or a value. A value is at most 32 bytes of
//
//	[+-] digits [. digits]
//
// with digits on at least one side of the point and at most 19 of them not counting
// leading zeros, whose magnitude is below 10**precision after rounding half away from
// zero to scale digits. Anything else is slow, exponents and NaN among it.
//
// precision is 1 to 18, scale 0 to precision; it panics on others and on misuse as
// ParseInt64Column does. No content of b or seps makes it panic or read outside b. The
// result is the same at every Level; decimalRef is the definition.
func ParseDecimal64Column(dst []int64, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32, precision, scale int) {
	checkDecimal(precision, scale, maxPrecision64)
	parseDecimalColumn(dst, null, slow, b, seps, stride, col, trim, precision, scale)
}

// ParseDecimal32Column is ParseDecimal64Column for a precision of 1 to 9.
func ParseDecimal32Column(dst []int32, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32, precision, scale int) {
	checkDecimal(precision, scale, maxPrecision32)
	parseDecimalColumn(dst, null, slow, b, seps, stride, col, trim, precision, scale)
}

// ParseDecimal128Column is ParseDecimal64Column for a precision of 1 to 38 and a text of
// up to 64 bytes with any number of digits.
//
// dst holds 16 bytes for each record, which it counts: little-endian two's complement.
// It panics if len(dst) is no multiple of 16. decimal128Ref is the definition.
func ParseDecimal128Column(dst []byte, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32, precision, scale int) {
	checkDecimal(precision, scale, maxPrecision128)
	n := recordsOf16(len(dst))
	if !checkColumn(n, len(null), len(slow), len(seps), stride, col) {
		return
	}
	seps = seps[col:]
	limit := pow10Wide[precision]
	var s numberScan
	for from := 0; from < n; from += len(s.mantissa) {
		records := min(len(s.mantissa), n-from)
		scanNumbers(&s, records, b, seps[from*stride:], stride, trim, false)
		for r := range records {
			v, neg := uint128{lo: s.mantissa[r]}, s.neg>>r&1 != 0
			up, ok := scale+int(s.exponent[r]), s.slow>>r&1 == 0
			switch {
			case !ok:
				i := (from + r) * stride
				start, end := seps[i]+1, seps[i+1]-trim
				if start < end && uint64(end) <= uint64(len(b)) {
					v, neg, ok = wideDecimal(b[start:end], scale)
				}
			case up < 0:
				v.lo = roundDown(v.lo, -up)
			case up <= 19:
				v.hi, v.lo = bits.Mul64(v.lo, pow10[min(up, 19)])
			default:
				v, ok = v.timesPow10(up)
			}
			if ok = ok && v.less(limit); !ok {
				v = uint128{}
				s.slow |= 1 << r
			} else {
				s.slow &^= 1 << r
			}
			if neg {
				v = v.negated()
			}
			binary.LittleEndian.PutUint64(dst[16*(from+r):], v.lo)
			binary.LittleEndian.PutUint64(dst[16*(from+r)+8:], v.hi)
		}
		null[from/64], slow[from/64] = s.null, s.slow
	}
}

func parseDecimalColumn[T int32 | int64](dst []T, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32, precision, scale int) {
	if !checkColumn(len(dst), len(null), len(slow), len(seps), stride, col) {
		return
	}
	limit := pow10[precision]
	var s numberScan
	for from := 0; from < len(dst); from += len(s.mantissa) {
		part := dst[from:min(from+len(s.mantissa), len(dst))]
		scanNumbers(&s, len(part), b, seps[from*stride+col:], stride, trim, false)
		for i := range part {
			r := uint(i) % 64 // spares the checks of shifts and indexes
			v := s.mantissa[r]
			if up := scale + int(s.exponent[r]); up >= 0 {
				hi, lo := bits.Mul64(v, pow10[min(up, maxPrecision64)])
				v = lo
				if hi != 0 {
					v = limit
				}
			} else {
				v = roundDown(v, -up)
			}
			if v >= limit {
				v = 0
				s.slow |= 1 << r
			}
			sign := -int64(s.neg >> r & 1)
			part[i] = T(int64(v) ^ sign - sign)
		}
		null[from/64], slow[from/64] = s.null, s.slow
	}
}

// checkDecimal panics unless 1 <= precision <= most and 0 <= scale <= precision.
func checkDecimal(precision, scale, most int) {
	if precision < 1 || precision > most || scale < 0 || scale > precision {
		panic(fmt.Sprintf("kernels: decimal column: precision %d, scale %d; at most %d digits", precision, scale, most))
	}
}

// recordsOf16 returns how many values of 16 bytes n bytes are, and panics on others.
func recordsOf16(n int) int {
	if n%16 != 0 {
		panic(fmt.Sprintf("kernels: column: %d bytes are no values of 16", n))
	}
	return n / 16
}

// roundDown returns v / 10**down rounded half up; v is below 10**19, down at least 1.
func roundDown(v uint64, down int) uint64 {
	if down > 19 {
		return 0
	}
	p := pow10[down]
	q, rest := v/p, v%p
	if rest >= p-rest {
		q++
	}
	return q
}

// uint128 is an unsigned 128-bit integer.
type uint128 struct{ hi, lo uint64 }

func (v uint128) less(w uint128) bool { return v.hi < w.hi || v.hi == w.hi && v.lo < w.lo }

// negated returns the two's complement of v.
func (v uint128) negated() uint128 {
	lo, borrow := bits.Sub64(0, v.lo, 0)
	hi, _ := bits.Sub64(0, v.hi, borrow)
	return uint128{hi, lo}
}

// times returns v * m, and false if that has more than 128 bits.
func (v uint128) times(m uint64) (uint128, bool) {
	over, mid := bits.Mul64(v.hi, m)
	hi, lo := bits.Mul64(v.lo, m)
	hi, carry := bits.Add64(hi, mid, 0)
	return uint128{hi, lo}, over == 0 && carry == 0
}

// plus returns v + n, modulo 2**128.
func (v uint128) plus(n uint64) uint128 {
	lo, carry := bits.Add64(v.lo, n, 0)
	return uint128{v.hi + carry, lo}
}

// timesPow10 returns v * 10**n, n at most 38, and false if that has more than 128 bits.
func (v uint128) timesPow10(n int) (uint128, bool) {
	v, ok1 := v.times(pow10[min(n, 19)])
	v, ok2 := v.times(pow10[max(n-19, 0)])
	return v, ok1 && ok2
}

// pow10Wide holds the powers of ten up to the highest precision.
var pow10Wide = func() (p [maxPrecision128 + 1]uint128) {
	for i := range p {
		p[i], _ = uint128{lo: 1}.timesPow10(i)
	}
	return p
}()

// maxDecimalLength is the longest text of a decimal of 128 bits.
const maxDecimalLength = 64

// wideDecimal reads a decimal of any number of digits: its magnitude rounded half up to
// scale digits behind the point. f is not empty. ok is false for what is no decimal and
// for a magnitude of more than 38 digits.
func wideDecimal(f []byte, scale int) (v uint128, neg, ok bool) {
	if len(f) > maxDecimalLength {
		return v, false, false
	}
	if isSign(f[0]) {
		neg = f[0] == '-'
		f = f[1:]
	}
	whole, fraction := f, []byte(nil)
	if point := bytes.IndexByte(f, '.'); point >= 0 {
		whole, fraction = f[:point], f[point+1:]
	}
	if len(whole)+len(fraction) == 0 {
		return v, false, false
	}
	// The digits that count, behind zeros and with zeros for those that are not given.
	var digits [8 + maxDecimalLength + maxPrecision128]byte
	n := 8 + copy(digits[8:], whole)
	n += copy(digits[n:], fraction[:min(scale, len(fraction))])
	for i := len(fraction); i < scale; i++ {
		digits[n] = '0'
		n++
	}
	first := 8
	for first < n && digits[first] == '0' {
		first++
	}
	if n-first > maxPrecision128 {
		return v, false, false
	}
	for first < n {
		// As many digits as leave a multiple of eight.
		take := (n-first-1)%8 + 1
		part, all := eightDigits(digits[first+take-8:], take)
		if !all {
			return v, false, false
		}
		v, _ = v.times(1e8) // below 10**38: no overflow
		v = v.plus(uint64(part))
		first += take
	}
	if len(fraction) <= scale {
		return v, neg, true
	}
	for _, c := range fraction[scale:] {
		if !isDigit(c) {
			return uint128{}, false, false
		}
	}
	if fraction[scale] >= '5' {
		v = v.plus(1)
	}
	return v, neg, true
}
