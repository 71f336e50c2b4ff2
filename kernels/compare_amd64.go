//go:build !purego

package kernels

import (
	"math"

	"github.com/ingotdb/ingot/asm"
)

// The assembly knows "equal" and "less", for floats also "less or equal", each with its
// result inverted on demand; lessInt and the switches below say which one an operator
// is. It takes whole words of dst; the reference writes the last, partial one.

func compareInt64(dst []uint64, v []int64, op Op, bound int64) {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		whole := len(v) / wordBits
		head, tail := v[:whole*wordBits], v[whole*wordBits:]
		switch op {
		case Eq, Ne:
			asm.EqualInt64AVX2(dst[:whole], head, bound, flipWhen(op == Ne))
		default:
			below, flip, every := lessInt(op, bound, math.MaxInt64)
			if every {
				fillWords(dst[:whole], ^flip)
			} else {
				asm.LessInt64AVX2(dst[:whole], head, below, flip)
			}
		}
		compareIntRef(dst[whole:], tail, op, bound)
	default:
		compareIntRef(dst, v, op, bound)
	}
}

func compareInt32(dst []uint64, v []int32, op Op, bound int32) {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		whole := len(v) / wordBits
		head, tail := v[:whole*wordBits], v[whole*wordBits:]
		switch op {
		case Eq, Ne:
			asm.EqualInt32AVX2(dst[:whole], head, bound, flipWhen(op == Ne))
		default:
			below, flip, every := lessInt(op, bound, math.MaxInt32)
			if every {
				fillWords(dst[:whole], ^flip)
			} else {
				asm.LessInt32AVX2(dst[:whole], head, below, flip)
			}
		}
		compareIntRef(dst[whole:], tail, op, bound)
	default:
		compareIntRef(dst, v, op, bound)
	}
}

func compareInt16(dst []uint64, v []int16, op Op, bound int16) {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		whole := len(v) / wordBits
		head, tail := v[:whole*wordBits], v[whole*wordBits:]
		switch op {
		case Eq, Ne:
			asm.EqualInt16AVX2(dst[:whole], head, bound, flipWhen(op == Ne))
		default:
			below, flip, every := lessInt(op, bound, math.MaxInt16)
			if every {
				fillWords(dst[:whole], ^flip)
			} else {
				asm.LessInt16AVX2(dst[:whole], head, below, flip)
			}
		}
		compareIntRef(dst[whole:], tail, op, bound)
	default:
		compareIntRef(dst, v, op, bound)
	}
}

func compareFloat64(dst []uint64, v []float64, op Op, bound float64) {
	switch {
	case Active() == AVX2 && len(v) >= wordBits:
		whole := len(v) / wordBits
		compareWordsFloat64(dst[:whole], v[:whole*wordBits], op, bound)
		compareFloatRef(dst[whole:], v[whole*wordBits:], op, bound)
	default:
		compareFloatRef(dst, v, op, bound)
	}
}

// compareWordsFloat64 compares 64 values for each word of dst. A routine is false for a
// NaN value, which PostgreSQL's order puts above every number, so Gt and Ge are inverted
// forms. A NaN bound is greater than exactly the values that are <= +Inf.
func compareWordsFloat64(dst []uint64, v []float64, op Op, bound float64) {
	if math.IsNaN(bound) {
		switch op {
		case Eq, Ge:
			asm.LessEqualFloat64AVX2(dst, v, math.Inf(1), flipWhen(true))
		case Ne, Lt:
			asm.LessEqualFloat64AVX2(dst, v, math.Inf(1), flipWhen(false))
		case Le:
			fillWords(dst, ^uint64(0))
		case Gt:
			fillWords(dst, 0)
		}
		return
	}
	switch op {
	case Eq, Ne:
		asm.EqualFloat64AVX2(dst, v, bound, flipWhen(op == Ne))
	case Lt, Ge:
		asm.LessFloat64AVX2(dst, v, bound, flipWhen(op == Ge))
	case Le, Gt:
		asm.LessEqualFloat64AVX2(dst, v, bound, flipWhen(op == Gt))
	}
}

// lessInt returns below and flip such that "v op bound" is "v < below", inverted where
// flip is all ones. For "v <= largest" and its inverse there is no such number: then
// every is true, and the uninverted test holds for every value.
func lessInt[T int16 | int32 | int64](op Op, bound, largest T) (below T, flip uint64, every bool) {
	flip = flipWhen(op == Gt || op == Ge)
	if op == Lt || op == Ge {
		return bound, flip, false
	}
	if bound == largest {
		return 0, flip, true
	}
	return bound + 1, flip, false
}

// flipWhen returns the inverting mask of the assembly: all ones for true.
func flipWhen(invert bool) uint64 { return -bit(invert) }

// fillWords overwrites every word of dst with w.
func fillWords(dst []uint64, w uint64) {
	for i := range dst {
		dst[i] = w
	}
}
