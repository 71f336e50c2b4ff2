//go:build purego || !amd64

package kernels

func strictlyIncreasingInt64(v []int64) bool { return strictlyIncreasingRef(v) }

func strictlyIncreasingInt32(v []int32) bool { return strictlyIncreasingRef(v) }
