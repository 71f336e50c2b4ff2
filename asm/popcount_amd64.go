//go:build !purego

package asm

// PopCountAVX2 returns the number of set bits in words.
//
//go:noescape
func PopCountAVX2(words []uint64) int
