//go:build purego || !(amd64 || arm64)

package kernels

// popCount returns the number of set bits in words.
func popCount(words []uint64) int { return popCountRef(words) }
