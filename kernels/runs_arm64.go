//go:build !purego

package kernels

import "github.com/ingotdb/ingot/asm"

// skipWords returns how many leading words equal pattern.
func skipWords(words []uint64, pattern uint64) int {
	switch {
	case Active() == NEON && len(words) >= minAsmWords:
		return asm.SkipWordsNEON(words, pattern)
	default:
		return skipWordsRef(words, pattern)
	}
}
