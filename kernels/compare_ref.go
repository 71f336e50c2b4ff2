package kernels

// compareIntRef defines CompareInt64, CompareInt32 and CompareInt16.
func compareIntRef[T int16 | int32 | int64](dst []uint64, v []T, op Op, bound T) {
	for k := range dst {
		from, to := k*wordBits, min(len(v), (k+1)*wordBits)
		var equal, less uint64
		for i, x := range v[from:to] {
			equal |= bit(x == bound) << i
			less |= bit(x < bound) << i
		}
		dst[k] = opWord(op, equal, less, to-from)
	}
}

// compareFloatRef defines CompareFloat64 and CompareFloat32.
func compareFloatRef[T float32 | float64](dst []uint64, v []T, op Op, bound T) {
	for k := range dst {
		from, to := k*wordBits, min(len(v), (k+1)*wordBits)
		var equal, less uint64
		for i, x := range v[from:to] {
			equal |= bit(equalFloat(x, bound)) << i
			less |= bit(lessFloat(x, bound)) << i
		}
		dst[k] = opWord(op, equal, less, to-from)
	}
}

// equalFloat reports whether x equals y, a NaN every NaN.
func equalFloat[T float32 | float64](x, y T) bool { return x == y || x != x && y != y }

// lessFloat reports whether x comes before y, a NaN after every number.
func lessFloat[T float32 | float64](x, y T) bool { return x < y || x == x && y != y }
