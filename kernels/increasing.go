package kernels

// StrictlyIncreasingInt64 reports whether every value of v is larger than the one
// before it; true for fewer than two values. strictlyIncreasingRef is the definition.
func StrictlyIncreasingInt64(v []int64) bool { return strictlyIncreasingInt64(v) }

// StrictlyIncreasingInt32 reports whether every value of v is larger than the one
// before it; true for fewer than two values. strictlyIncreasingRef is the definition.
func StrictlyIncreasingInt32(v []int32) bool { return strictlyIncreasingInt32(v) }
