//go:build purego || !amd64

package kernels

import "math"

func minMaxInt64(v []int64, valid []uint64) (min, max int64) {
	return minMaxIntRef(v, valid, math.MaxInt64, math.MinInt64)
}

func minMaxInt32(v []int32, valid []uint64) (min, max int32) {
	return minMaxIntRef(v, valid, math.MaxInt32, math.MinInt32)
}

func minMaxInt16(v []int16, valid []uint64) (min, max int16) {
	return minMaxIntRef(v, valid, math.MaxInt16, math.MinInt16)
}

func minMaxFloat64(v []float64, valid []uint64) (min, max float64, hasNaN bool) {
	return minMaxFloatRef(v, valid)
}
