//go:build !purego

package asm

// ReadSumAVX2 returns the sum of words modulo 2^64.
//
// It does nothing but read, so its speed is the bound that benchmarks hold a scanning
// kernel against.
//
//go:noescape
func ReadSumAVX2(words []uint64) uint64
