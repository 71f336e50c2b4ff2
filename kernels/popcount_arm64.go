//go:build !purego

package kernels

import "github.com/ingotdb/ingot/asm"

// popCount returns the number of set bits in words.
func popCount(words []uint64) int {
	switch {
	case Active() == NEON && len(words) >= minAsmWords:
		return asm.PopCountNEON(words)
	default:
		return popCountRef(words)
	}
}
