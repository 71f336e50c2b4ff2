//go:build unix && !purego

package kernels

import "unsafe"

// profiledKernel is a kernel to sample and the assembly routine that it spends its time in.
type profiledKernel struct {
	routine string
	run     func()
}

// profiledKernels returns one kernel of each family, to run on words of zeros.
func profiledKernels(words []uint64) []profiledKernel {
	values := unsafe.Slice((*int64)(unsafe.Pointer(&words[0])), len(words))
	mask := make([]uint64, len(words)/wordBits)
	return []profiledKernel{
		{"SkipWordsAVX2", func() { LeadingZeros(words, 0, 64*len(words)) }},
		{"PopCountAVX2", func() { PopCount(words, 64*len(words)) }},
		{"SumInt64AVX2", func() { SumInt64(values, nil) }},
		{"MinMaxInt64AVX2", func() { MinMaxInt64(values, nil) }},
		{"LessInt64AVX2", func() { CompareInt64(mask, values, Lt, 5) }},
	}
}
