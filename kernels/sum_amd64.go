//go:build !purego

package kernels

import (
	"math/bits"

	"github.com/ingotdb/ingot/asm"
)

// The assembly takes whole validity words; the fewer than 64 values behind them are
// added by the reference.

func sumInt64(v []int64, valid []uint64) (hi int64, lo uint64) {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		head, tail, headValid, tailValid := wholeWords(v, valid)
		high, wrapped := asm.SumInt64AVX2(head, headValid)
		hi, lo = joinBiased(high, wrapped, uint64(len(head)))
		tailHi, tailLo := sumInt64Ref(tail, tailValid)
		return addInt128(hi, lo, tailHi, tailLo)
	default:
		return sumInt64Ref(v, valid)
	}
}

// joinBiased returns the sum of n values from what asm.SumInt64AVX2 returns.
//
// With u = v + 2^63 for each value, high is the sum of u>>32 and wrapped that of v
// modulo 2^64. The sum of the low halves of u is below n * 2^32, hence below 2^64, so
// (sum of u) - high*2^32 modulo 2^64 is exactly that sum.
func joinBiased(high, wrapped, n uint64) (hi int64, lo uint64) {
	lowHalves := wrapped + n<<63 - high<<32
	hi, lo = addInt128(int64(high>>32), high<<32, 0, lowHalves)
	lo, borrow := bits.Sub64(lo, n<<63, 0)
	return hi - int64(n>>1) - int64(borrow), lo
}

func sumInt32(v []int32, valid []uint64) int64 {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		head, tail, headValid, tailValid := wholeWords(v, valid)
		return asm.SumInt32AVX2(head, headValid) + sumIntRef(tail, tailValid)
	default:
		return sumIntRef(v, valid)
	}
}

func sumInt16(v []int16, valid []uint64) int64 {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		head, tail, headValid, tailValid := wholeWords(v, valid)
		return asm.SumInt16AVX2(head, headValid) + sumIntRef(tail, tailValid)
	default:
		return sumIntRef(v, valid)
	}
}

func sumFloat64(acc *[8]float64, v []float64, valid []uint64) {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		head, tail, headValid, tailValid := wholeWords(v, valid)
		asm.SumFloat64AVX2(acc, head, headValid)
		sumFloat64Ref(acc, tail, tailValid)
	default:
		sumFloat64Ref(acc, v, valid)
	}
}
