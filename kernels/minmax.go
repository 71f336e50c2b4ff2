package kernels

// MinMaxInt64 returns the smallest and the largest present value. ok is false, and min
// and max are 0, when there is none.
//
// valid is nil (every value present) or holds a bit per value, set for present; it
// panics if valid is too short. Bits past len(v) are ignored. minMaxIntRef is the
// definition.
func MinMaxInt64(v []int64, valid []uint64) (min, max int64, ok bool) {
	return orNone(minMaxInt64(v, validWords(valid, len(v))))
}

// MinMaxInt32 is MinMaxInt64 for 32-bit values.
func MinMaxInt32(v []int32, valid []uint64) (min, max int32, ok bool) {
	return orNone(minMaxInt32(v, validWords(valid, len(v))))
}

// MinMaxInt16 is MinMaxInt64 for 16-bit values.
func MinMaxInt16(v []int16, valid []uint64) (min, max int16, ok bool) {
	return orNone(minMaxInt16(v, validWords(valid, len(v))))
}

// MinMaxFloat64 returns the smallest and the largest present value that is not NaN, and
// whether a present value is NaN. ok is false, and min and max are 0, when there is no
// present value that is not NaN.
//
// A bound that is zero is returned as +0, whether -0 or +0 stands in v. valid is as for
// MinMaxInt64; minMaxFloatRef is the definition.
func MinMaxFloat64(v []float64, valid []uint64) (min, max float64, ok, hasNaN bool) {
	min, max, hasNaN = minMaxFloat64(v, validWords(valid, len(v)))
	min, max, ok = orNone(min, max)
	return plusZero(min), plusZero(max), ok, hasNaN
}

// MinMaxFloat32 is MinMaxFloat64 for 32-bit values. It is plain Go at every level.
func MinMaxFloat32(v []float32, valid []uint64) (min, max float32, ok, hasNaN bool) {
	min, max, hasNaN = minMaxFloatRef(v, validWords(valid, len(v)))
	min, max, ok = orNone(min, max)
	return plusZero(min), plusZero(max), ok, hasNaN
}

// orNone turns bounds that start as (largest, smallest) of their type, and so are in
// order as soon as one value was seen, into the form of the public functions.
func orNone[T int16 | int32 | int64 | float32 | float64](low, high T) (min, max T, ok bool) {
	if low > high {
		return 0, 0, false
	}
	return low, high, true
}

// plusZero returns x, and +0 for -0.
func plusZero[T float32 | float64](x T) T {
	if x == 0 {
		return 0
	}
	return x
}
