//go:build !purego

package kernels

import (
	"math"

	"github.com/ingotdb/ingot/asm"
)

// The assembly takes whole validity words; the fewer than 64 values behind them are
// compared by the reference.

func minMaxInt64(v []int64, valid []uint64) (min, max int64) {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		head, tail, headValid, tailValid := wholeWords(v, valid)
		min, max = asm.MinMaxInt64AVX2(head, headValid)
		return minMaxIntRef(tail, tailValid, min, max)
	default:
		return minMaxIntRef(v, valid, math.MaxInt64, math.MinInt64)
	}
}

func minMaxInt32(v []int32, valid []uint64) (min, max int32) {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		head, tail, headValid, tailValid := wholeWords(v, valid)
		min, max = asm.MinMaxInt32AVX2(head, headValid)
		return minMaxIntRef(tail, tailValid, min, max)
	default:
		return minMaxIntRef(v, valid, math.MaxInt32, math.MinInt32)
	}
}

func minMaxInt16(v []int16, valid []uint64) (min, max int16) {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		head, tail, headValid, tailValid := wholeWords(v, valid)
		min, max = asm.MinMaxInt16AVX2(head, headValid)
		return minMaxIntRef(tail, tailValid, min, max)
	default:
		return minMaxIntRef(v, valid, math.MaxInt16, math.MinInt16)
	}
}

func minMaxFloat64(v []float64, valid []uint64) (low, high float64, hasNaN bool) {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		head, tail, headValid, tailValid := wholeWords(v, valid)
		low, high, nan := asm.MinMaxFloat64AVX2(head, headValid)
		tailLow, tailHigh, tailNaN := minMaxFloatRef(tail, tailValid)
		// Neither side holds a NaN, and the sign of a zero does not matter here.
		return min(low, tailLow), max(high, tailHigh), nan != 0 || tailNaN
	default:
		return minMaxFloatRef(v, valid)
	}
}
