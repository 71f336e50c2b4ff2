package kernels

import "math/bits"

// PopCount returns the number of set bits among the first n of bitmap.
//
// n must not be negative or exceed 64*len(bitmap), else it panics. Bits at n and beyond
// are ignored.
func PopCount(bitmap []uint64, n int) int {
	checkRows("PopCount", bitmap, n)
	whole := n / wordBits
	count := popCount(bitmap[:whole])
	if rest := n % wordBits; rest != 0 {
		count += bits.OnesCount64(bitmap[whole] << (wordBits - rest))
	}
	return count
}
