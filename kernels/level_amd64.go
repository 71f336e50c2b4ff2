//go:build !purego

package kernels

import "github.com/klauspost/cpuid/v2"

// detectLevel tests each feature that the AVX2 kernels use by its name; cpuid reports
// AVX2 only where the operating system saves the upper halves of the registers.
func detectLevel() Level {
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.BMI1, cpuid.BMI2, cpuid.LZCNT, cpuid.POPCNT, cpuid.CLMUL) {
		return AVX2
	}
	return Generic
}
