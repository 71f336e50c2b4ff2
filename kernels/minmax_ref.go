package kernels

import "math"

// minMaxIntRef defines MinMaxInt64, MinMaxInt32 and MinMaxInt16: it lowers low and
// raises high, which the caller starts at the largest and smallest number of the type.
func minMaxIntRef[T int16 | int32 | int64](v []T, valid []uint64, low, high T) (min, max T) {
	for i, x := range v {
		if !present(valid, i) {
			continue
		}
		if x < low {
			low = x
		}
		if x > high {
			high = x
		}
	}
	return low, high
}

// minMaxFloatRef defines MinMaxFloat64 and MinMaxFloat32 but for the sign of a zero. It
// returns +Inf, -Inf when no present value is a number.
func minMaxFloatRef[T float32 | float64](v []T, valid []uint64) (min, max T, hasNaN bool) {
	min, max = T(math.Inf(1)), T(math.Inf(-1))
	for i, x := range v {
		if !present(valid, i) {
			continue
		}
		if x != x {
			hasNaN = true
			continue
		}
		if x < min {
			min = x
		}
		if x > max {
			max = x
		}
	}
	return min, max, hasNaN
}
