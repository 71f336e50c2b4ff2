package kernels

// sumInt64Ref defines SumInt64.
func sumInt64Ref(v []int64, valid []uint64) (hi int64, lo uint64) {
	for i, x := range v {
		if present(valid, i) {
			hi, lo = addInt128(hi, lo, x>>63, uint64(x))
		}
	}
	return hi, lo
}

// sumIntRef defines SumInt32 and SumInt16.
func sumIntRef[T int16 | int32](v []T, valid []uint64) (sum int64) {
	for i, x := range v {
		if present(valid, i) {
			sum += int64(x)
		}
	}
	return sum
}

// sumFloat64Ref defines SumFloat64.
func sumFloat64Ref(acc *[8]float64, v []float64, valid []uint64) {
	for i, x := range v {
		if present(valid, i) {
			acc[i%8] += x
		}
	}
}
