//go:build purego || !amd64

package kernels

func sumInt64(v []int64, valid []uint64) (hi int64, lo uint64) { return sumInt64Ref(v, valid) }

func sumInt32(v []int32, valid []uint64) int64 { return sumIntRef(v, valid) }

func sumInt16(v []int16, valid []uint64) int64 { return sumIntRef(v, valid) }

func sumFloat64(acc *[8]float64, v []float64, valid []uint64) { sumFloat64Ref(acc, v, valid) }
