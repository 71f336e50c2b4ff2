//go:build unix && !purego

package kernels

// profiledKernel is a kernel to sample and the assembly routine that it spends its time in.
type profiledKernel struct {
	routine string
	run     func()
}

// profiledKernels returns one kernel of each family, to run on words of zeros.
func profiledKernels(words []uint64) []profiledKernel {
	return []profiledKernel{
		{"SkipWordsNEON", func() { LeadingZeros(words, 0, 64*len(words)) }},
		{"PopCountNEON", func() { PopCount(words, 64*len(words)) }},
	}
}
