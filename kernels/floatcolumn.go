package kernels

import (
	"math"
	"math/bits"
)

// ParseFloat64Column parses column col of len(dst) records, correctly rounded.
//
// b, seps, stride, col, trim, null and slow are those of ParseInt64Column: a record is
// null (empty), slow (not taken; dst is 0) or a value. A value is at most 32 bytes of
//
//	[+-] digits [. digits] [e [+-] digits]
//
// with digits on at least one side of the point, at most 19 of them not counting leading
// zeros, and one to three in the exponent behind 'e' or 'E'. It is the double nearest to
// the number, of two equally near ones the even. A number that overflows, and one that is
// not zero and rounds to zero, is slow, as is anything else: inf, nan, blanks.
//
// It panics on misuse as ParseInt64Column does; no content of b or seps makes it panic or
// read outside b. The result is the same at every Level; float64Ref is the definition.
func ParseFloat64Column(dst []float64, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
	if !checkColumn(len(dst), len(null), len(slow), len(seps), stride, col) {
		return
	}
	var s numberScan
	for from := 0; from < len(dst); from += len(s.mantissa) {
		part := dst[from:min(from+len(s.mantissa), len(dst))]
		scanNumbers(&s, len(part), b, seps[from*stride+col:], stride, trim, true)
		for i := range part {
			r := uint(i) % 64 // spares the checks of shifts and indexes
			m, exp, sign := s.mantissa[r], int(s.exponent[r]), s.neg>>r<<63
			if m < 1<<53 && uint(-exp) < uint(len(exact64)) {
				part[i] = math.Float64frombits(math.Float64bits(float64(int64(m))/exact64[-exp]) | sign)
				continue
			}
			f, ok := roundDecimal(m, exp, &binary64)
			if !ok {
				f, sign = 0, 0
				s.slow |= 1 << r
			}
			part[i] = math.Float64frombits(f | sign)
		}
		null[from/64], slow[from/64] = s.null, s.slow
	}
}

// ParseFloat32Column is ParseFloat64Column rounded to a float32, once. float32Ref is the
// definition.
func ParseFloat32Column(dst []float32, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
	if !checkColumn(len(dst), len(null), len(slow), len(seps), stride, col) {
		return
	}
	var s numberScan
	for from := 0; from < len(dst); from += len(s.mantissa) {
		part := dst[from:min(from+len(s.mantissa), len(dst))]
		scanNumbers(&s, len(part), b, seps[from*stride+col:], stride, trim, true)
		for i := range part {
			r := uint(i) % 64 // spares the checks of shifts and indexes
			m, exp, sign := s.mantissa[r], int(s.exponent[r]), uint32(s.neg>>r)<<31
			if m < 1<<24 && uint(-exp) < uint(len(exact32)) {
				part[i] = math.Float32frombits(math.Float32bits(float32(int32(m))/exact32[-exp]) | sign)
				continue
			}
			f, ok := roundDecimal(m, exp, &binary32)
			if !ok {
				f, sign = 0, 0
				s.slow |= 1 << r
			}
			part[i] = math.Float32frombits(uint32(f) | sign)
		}
		null[from/64], slow[from/64] = s.null, s.slow
	}
}

// Powers of ten that a float represents exactly. The quotient of two exact operands is
// rounded once, hence correctly.
var (
	exact64 = [23]float64{
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	}
	exact32 = [11]float32{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10}
)

// binaryFormat describes a binary floating-point format.
type binaryFormat struct {
	mantissaBits int // stored ones
	bias         int
	infinity     int // the exponent field of infinity

	// The exponents of ten for which m * 10**exp, m below 2**64, can lie exactly halfway
	// between two neighbours.
	minHalf, maxHalf int
}

var (
	binary64 = binaryFormat{mantissaBits: 52, bias: 1023, infinity: 0x7ff, minHalf: -4, maxHalf: 23}
	binary32 = binaryFormat{mantissaBits: 23, bias: 127, infinity: 0xff, minHalf: -17, maxHalf: 10}
)

// roundDecimal returns the bits of m * 10**exp in the format to, rounded to nearest,
// ties to even. ok is false if that is infinite, or zero though m is not.
//
// It multiplies m, normalized, by the 128-bit power of five of powersOfFive: first by the
// upper half, then, where the bits that decide the rounding are all ones and a carry
// could still change them, by the lower half. With mantissas below 2**64 and these 128
// bits that product always decides (Mushtak and Lemire, Fast Number Parsing Without
// Fallback); only a tie needs a look at the product being exact, which it can be in the
// range of exponents that the format names alone.
func roundDecimal(m uint64, exp int, to *binaryFormat) (float uint64, ok bool) {
	if m == 0 {
		return 0, true
	}
	if exp < minPower || exp > maxPower {
		return 0, false
	}
	zeros := bits.LeadingZeros64(m)
	m <<= zeros & 63
	power := &powersOfFive[exp-minPower]
	hi, lo := bits.Mul64(m, power[0])
	// Two bits more than the mantissa: one for rounding, one for a product below 1.
	if keep := uint(to.mantissaBits + 3); hi<<keep == ^uint64(0)<<keep {
		hi2, _ := bits.Mul64(m, power[1])
		var carry uint64
		lo, carry = bits.Add64(lo, hi2, 0)
		hi += carry
	}
	upper := int(hi >> 63)
	shift := uint(upper+64-to.mantissaBits-3) & 63
	mantissa := hi >> shift
	// floor(exp * log2(10)) + 63 is the binary exponent of 10**exp's upper half.
	exponent := (217706*exp)>>16 + 63 + upper - zeros + to.bias
	if exponent <= 0 {
		if exponent <= -63 {
			return 0, false
		}
		mantissa >>= uint(1-exponent) & 63
		mantissa = (mantissa + mantissa&1) >> 1
		// Rounded up to the smallest normal number, the bit is where its exponent is.
		return mantissa, mantissa != 0
	}
	if lo <= 1 && mantissa&3 == 1 && exp >= to.minHalf && exp <= to.maxHalf && mantissa<<shift == hi {
		mantissa-- // a tie, and down is even
	}
	mantissa = (mantissa + mantissa&1) >> 1
	if mantissa >= 2<<to.mantissaBits {
		mantissa >>= 1
		exponent++
	}
	if exponent >= to.infinity {
		return 0, false
	}
	return mantissa&(1<<to.mantissaBits-1) | uint64(exponent)<<to.mantissaBits, true
}
