package kernels

import "math/bits"

// popCountRef returns the number of set bits in words.
func popCountRef(words []uint64) int {
	count := 0
	for _, w := range words {
		count += bits.OnesCount64(w)
	}
	return count
}
