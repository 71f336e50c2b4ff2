//go:build !purego

package kernels

// detectLevel needs no test: Advanced SIMD is part of every arm64 system that Go runs
// on, and the kernels use nothing beyond it.
func detectLevel() Level { return NEON }
