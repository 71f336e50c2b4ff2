package kernels

// strictlyIncreasingRef defines StrictlyIncreasingInt64 and StrictlyIncreasingInt32.
func strictlyIncreasingRef[T int32 | int64](v []T) bool {
	for i := 1; i < len(v); i++ {
		if v[i] <= v[i-1] {
			return false
		}
	}
	return true
}
