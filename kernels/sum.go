package kernels

import (
	"math"
	"math/bits"
)

const (
	// maxSumInt64 bounds one assembly call of SumInt64, which needs less than 2^32
	// values, to 64 KiB.
	maxSumInt64 = 1 << 13

	// maxSumInt16 bounds one assembly call of SumInt16, which needs less than 2^19
	// values, to 64 KiB.
	maxSumInt16 = 1 << 15
)

// SumInt64 returns the exact sum of the present values as the 128-bit two's complement
// number hi*2^64 + lo; 0 when there are none.
//
// valid is nil (every value present) or holds a bit per value, set for present; it
// panics if valid is too short. Bits past len(v) are ignored. sumInt64Ref is the
// definition.
func SumInt64(v []int64, valid []uint64) (hi int64, lo uint64) {
	valid = validWords(valid, len(v))
	for len(v) > maxSumInt64 {
		h, l := sumInt64(v[:maxSumInt64], validWords(valid, maxSumInt64))
		hi, lo = addInt128(hi, lo, h, l)
		v = v[maxSumInt64:]
		if valid != nil {
			valid = valid[maxSumInt64/wordBits:]
		}
	}
	h, l := sumInt64(v, valid)
	return addInt128(hi, lo, h, l)
}

// SumInt32 returns the sum of the present values, 0 when there are none.
//
// It is exact for fewer than 2^32 values. valid is as for SumInt64; sumIntRef is the
// definition.
func SumInt32(v []int32, valid []uint64) int64 {
	return sumInt32(v, validWords(valid, len(v)))
}

// SumInt16 returns the sum of the present values, 0 when there are none.
//
// It is exact for fewer than 2^48 values. valid is as for SumInt64; sumIntRef is the
// definition.
func SumInt16(v []int16, valid []uint64) (sum int64) {
	valid = validWords(valid, len(v))
	for len(v) > maxSumInt16 {
		sum += sumInt16(v[:maxSumInt16], validWords(valid, maxSumInt16))
		v = v[maxSumInt16:]
		if valid != nil {
			valid = valid[maxSumInt16/wordBits:]
		}
	}
	return sum + sumInt16(v, valid)
}

// SumFloat64 adds v[i] to acc[i%8], in order of i, for every present value. A null adds
// nothing: its lane stays as it is, whatever bits stand in v[i].
//
// This and CombineLanes are what the sum of a float8 column is: acc starts at +0 for
// each Vector, every value of the vector is added in one call, the eight lanes are
// combined, and the sums of the vectors are added in row order. The result is the same
// at every level and for every number of workers, bit for bit. Only the payload of a NaN
// in acc may differ, which CombineLanes makes canonical. acc must hold no signaling NaN.
//
// valid is as for SumInt64; sumFloat64Ref is the definition.
func SumFloat64(acc *[8]float64, v []float64, valid []uint64) {
	sumFloat64(acc, v, validWords(valid, len(v)))
}

// CombineLanes returns the sum of the eight lanes in a fixed order,
// ((0+4) + (2+6)) + ((1+5) + (3+7)), and math.NaN() for any NaN.
func CombineLanes(acc *[8]float64) float64 {
	even := (acc[0] + acc[4]) + (acc[2] + acc[6])
	odd := (acc[1] + acc[5]) + (acc[3] + acc[7])
	sum := even + odd
	if sum != sum {
		return math.NaN()
	}
	return sum
}

// addInt128 returns the sum of two 128-bit numbers.
func addInt128(aHi int64, aLo uint64, bHi int64, bLo uint64) (hi int64, lo uint64) {
	lo, carry := bits.Add64(aLo, bLo, 0)
	return aHi + bHi + int64(carry), lo
}
