//go:build !purego

package asm

// SkipWordsNEON returns how many leading words equal pattern.
//
//go:noescape
func SkipWordsNEON(words []uint64, pattern uint64) int
