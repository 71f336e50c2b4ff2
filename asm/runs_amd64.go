//go:build !purego

package asm

// SkipWordsAVX2 returns how many leading words equal pattern.
//
//go:noescape
func SkipWordsAVX2(words []uint64, pattern uint64) int
