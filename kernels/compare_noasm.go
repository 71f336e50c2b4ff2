//go:build purego || !amd64

package kernels

func compareInt64(dst []uint64, v []int64, op Op, bound int64) { compareIntRef(dst, v, op, bound) }

func compareInt32(dst []uint64, v []int32, op Op, bound int32) { compareIntRef(dst, v, op, bound) }

func compareInt16(dst []uint64, v []int16, op Op, bound int16) { compareIntRef(dst, v, op, bound) }

func compareFloat64(dst []uint64, v []float64, op Op, bound float64) {
	compareFloatRef(dst, v, op, bound)
}
