//go:build !purego

package asm

// PopCountNEON returns the number of set bits in words.
//
//go:noescape
func PopCountNEON(words []uint64) int
