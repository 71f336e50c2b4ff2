package parquet

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// A widener turns n values of a physical type into values of the column's natural type, both
// little-endian and without gaps. It appends to bad the numbers of those that the type does
// not have; what it stores for them means nothing.
type widener func(dst, src []byte, n int, bad *[]int32)

const (
	microsPerDay = 86_400_000_000
	julianEpoch  = 2_440_588 // the Julian day of 1970-01-01
)

// physWidth returns the bytes of a value of the leaf's physical type, 0 if they vary.
func (l *leaf) physWidth() int {
	switch l.phys {
	case physInt32, physFloat:
		return 4
	case physInt64, physDouble:
		return 8
	case physInt96:
		return 12
	case physFixed:
		return l.width
	}
	return 0
}

// widener returns how fixed-width values of the leaf become those of its natural type; nil if
// they are the same.
func (l *leaf) widener() widener {
	switch l.meaning {
	case meansInt:
		return l.intWidener()
	case meansFloat16:
		return widenFloat16
	case meansDecimal:
		return l.decimalWidener()
	case meansDate:
		return widenDate
	case meansTime:
		return l.timeWidener()
	case meansTimestamp:
		switch l.unit {
		case unitMillis:
			return widenMillis
		case unitNanos:
			return widenNanos
		}
		return widenMicros
	case meansInt96:
		return widenInt96
	}
	return nil
}

func (l *leaf) intWidener() widener {
	load := func(src []byte, i int) int64 { return int64(int32(binary.LittleEndian.Uint32(src[4*i:]))) }
	if l.phys == physInt64 {
		load = func(src []byte, i int) int64 { return int64(binary.LittleEndian.Uint64(src[8*i:])) }
	}
	w := l.typ.Width()
	if l.signed && w == l.physWidth() {
		return nil
	}
	// Values are of l.bits bits, whatever the physical type has room for: what is above is
	// not the value's, but a value that it changes is none of the column's.
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	switch {
	case l.signed:
		least, most = -1<<(l.bits-1), 1<<(l.bits-1)-1
	case l.bits < 32 || l.bits == 32 && l.phys == physInt64:
		least, most = 0, 1<<l.bits-1
	}
	mask := int64(-1)
	if !l.signed && l.bits == 32 && l.phys == physInt32 {
		mask = math.MaxUint32
	}
	return func(dst, src []byte, n int, bad *[]int32) {
		for i := range n {
			v := load(src, i) & mask
			if v < least || v > most {
				*bad = append(*bad, int32(i))
			}
			switch w {
			case 2:
				binary.LittleEndian.PutUint16(dst[2*i:], uint16(v))
			case 4:
				binary.LittleEndian.PutUint32(dst[4*i:], uint32(v))
			case 8:
				binary.LittleEndian.PutUint64(dst[8*i:], uint64(v))
			default: // 64 bits without a sign
				binary.LittleEndian.PutUint64(dst[16*i:], uint64(v))
				binary.LittleEndian.PutUint64(dst[16*i+8:], 0)
			}
		}
	}
}

func widenFloat16(dst, src []byte, n int, _ *[]int32) {
	for i := range n {
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(float16(binary.LittleEndian.Uint16(src[2*i:]))))
	}
}

// float16 returns the value of an IEEE 754 half.
func float16(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exp {
	case 0: // zero, or a number below 2**-14
		f := float32(frac) / (1 << 24)
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 31:
		return math.Float32frombits(sign | 255<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

func widenDate(dst, src []byte, n int, bad *[]int32) {
	copy(dst[:4*n], src)
	for i := range n {
		if d := int32(binary.LittleEndian.Uint32(src[4*i:])); d < pgtext.MinDate || d > pgtext.MaxDate {
			*bad = append(*bad, int32(i))
		}
	}
}

func (l *leaf) timeWidener() widener {
	millis, nanos := l.unit == unitMillis, l.unit == unitNanos
	return func(dst, src []byte, n int, bad *[]int32) {
		for i := range n {
			var t int64
			switch {
			case millis:
				t = int64(int32(binary.LittleEndian.Uint32(src[4*i:]))) * 1000
			case nanos:
				t = pgtext.MicrosOfNanos(int64(binary.LittleEndian.Uint64(src[8*i:])))
			default:
				t = int64(binary.LittleEndian.Uint64(src[8*i:]))
			}
			if t < 0 || t > microsPerDay {
				*bad = append(*bad, int32(i))
			}
			binary.LittleEndian.PutUint64(dst[8*i:], uint64(t))
		}
	}
}

func widenMicros(dst, src []byte, n int, bad *[]int32) {
	copy(dst[:8*n], src)
	for i := range n {
		if t := int64(binary.LittleEndian.Uint64(src[8*i:])); t < pgtext.MinTimestamp || t > pgtext.MaxTimestamp {
			*bad = append(*bad, int32(i))
		}
	}
}

func widenMillis(dst, src []byte, n int, bad *[]int32) {
	for i := range n {
		t := int64(binary.LittleEndian.Uint64(src[8*i:]))
		if t < pgtext.MinTimestamp/1000 || t > pgtext.MaxTimestamp/1000 {
			*bad = append(*bad, int32(i))
		}
		binary.LittleEndian.PutUint64(dst[8*i:], uint64(t*1000))
	}
}

func widenNanos(dst, src []byte, n int, _ *[]int32) {
	for i := range n {
		binary.LittleEndian.PutUint64(dst[8*i:], uint64(pgtext.MicrosOfNanos(int64(binary.LittleEndian.Uint64(src[8*i:])))))
	}
}

// widenInt96 reads timestamps of nanoseconds of a day and the Julian day.
func widenInt96(dst, src []byte, n int, bad *[]int32) {
	for i := range n {
		ns := int64(binary.LittleEndian.Uint64(src[12*i:]))
		day := int64(binary.LittleEndian.Uint32(src[12*i+8:])) - julianEpoch
		t := day*microsPerDay + pgtext.MicrosOfNanos(ns) // 2**32 days are 2**68.3 us: the product may wrap
		if day > pgtext.MaxTimestamp/microsPerDay-1 || day < pgtext.MinDate || t < pgtext.MinTimestamp ||
			ns < -1000*microsPerDay || ns > 1000*microsPerDay {
			*bad = append(*bad, int32(i))
		}
		binary.LittleEndian.PutUint64(dst[8*i:], uint64(t))
	}
}

// powers are the powers of ten up to 10**38.
var powers = func() (p [columnar.MaxPrecision + 1]pgtext.Decimal128) {
	p[0].Lo = 1
	for i := 1; i < len(p); i++ {
		hi, lo := bits.Mul64(p[i-1].Lo, 10)
		p[i] = pgtext.Decimal128{Hi: p[i-1].Hi*10 + int64(hi), Lo: lo}
	}
	return p
}()

// within reports whether v has no more digits than the precision.
func within(v pgtext.Decimal128, precision int) bool {
	if v.Hi < 0 {
		lo, borrow := bits.Sub64(0, v.Lo, 0)
		hi, _ := bits.Sub64(0, uint64(v.Hi), borrow)
		v = pgtext.Decimal128{Hi: int64(hi), Lo: lo}
		if v.Hi < 0 {
			return false
		}
	}
	p := powers[precision]
	return v.Hi < p.Hi || v.Hi == p.Hi && v.Lo < p.Lo
}

// putDecimal stores v in a column of w bytes a value.
func putDecimal(dst []byte, i, w int, v pgtext.Decimal128) {
	switch w {
	case 4:
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(v.Lo))
	case 8:
		binary.LittleEndian.PutUint64(dst[8*i:], v.Lo)
	default:
		binary.LittleEndian.PutUint64(dst[16*i:], v.Lo)
		binary.LittleEndian.PutUint64(dst[16*i+8:], uint64(v.Hi))
	}
}

// bigEndian reads a two's complement of any length; ok is false if 128 bits do not hold it.
func bigEndian(b []byte) (v pgtext.Decimal128, ok bool) {
	if len(b) == 0 {
		return v, true
	}
	fill := byte(int8(b[0]) >> 7)
	for len(b) > 16 {
		if b[0] != fill {
			return v, false
		}
		b = b[1:]
	}
	if len(b) > 0 && byte(int8(b[0])>>7) != fill {
		return v, false
	}
	var w [16]byte
	for i := range w[:16-len(b)] {
		w[i] = fill
	}
	copy(w[16-len(b):], b)
	return pgtext.Decimal128{Hi: int64(binary.BigEndian.Uint64(w[:])), Lo: binary.BigEndian.Uint64(w[8:])}, true
}

// decimalWidener is for decimals of a fixed width, and of up to 38 digits.
func (l *leaf) decimalWidener() widener {
	w, precision := l.typ.Width(), int(l.precision)
	if l.phys == physFixed {
		size := l.width
		return func(dst, src []byte, n int, bad *[]int32) {
			for i := range n {
				v, ok := bigEndian(src[i*size : (i+1)*size])
				if !ok || !within(v, precision) {
					*bad = append(*bad, int32(i))
				}
				putDecimal(dst, i, w, v)
			}
		}
	}
	most := int64(math.MaxInt64)
	if precision <= 18 {
		most = int64(powers[precision].Lo) - 1
	}
	wide := l.phys == physInt64
	return func(dst, src []byte, n int, bad *[]int32) {
		for i := range n {
			var v int64
			if wide {
				v = int64(binary.LittleEndian.Uint64(src[8*i:]))
			} else {
				v = int64(int32(binary.LittleEndian.Uint32(src[4*i:])))
			}
			if v > most || v < -most {
				*bad = append(*bad, int32(i))
			}
			putDecimal(dst, i, w, pgtext.Decimal128{Hi: v >> 63, Lo: uint64(v)})
		}
	}
}

// appendNumeric appends the text of a decimal of any precision.
func appendNumeric(dst, b []byte, scale int) []byte {
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	neg := v.Sign() < 0
	digits := v.Abs(v).String()
	for len(digits) <= scale {
		digits = "0" + digits
	}
	if neg {
		dst = append(dst, '-')
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	if scale > 0 {
		dst = append(append(dst, '.'), digits[len(digits)-scale:]...)
	}
	return dst
}
