//go:build !purego

package kernels

import "github.com/ingotdb/ingot/asm"

// The assembly compares blocks of 16 (32) pairs and needs one whole block.
const (
	minIncreasingInt64 = 17
	minIncreasingInt32 = 33
)

func strictlyIncreasingInt64(v []int64) bool {
	switch {
	case Active() == AVX2 && len(v) >= minIncreasingInt64:
		return asm.StrictlyIncreasingInt64AVX2(v)
	default:
		return strictlyIncreasingRef(v)
	}
}

func strictlyIncreasingInt32(v []int32) bool {
	switch {
	case Active() == AVX2 && len(v) >= minIncreasingInt32:
		return asm.StrictlyIncreasingInt32AVX2(v)
	default:
		return strictlyIncreasingRef(v)
	}
}
