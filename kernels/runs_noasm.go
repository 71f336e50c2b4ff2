//go:build purego || !(amd64 || arm64)

package kernels

// skipWords returns how many leading words equal pattern.
func skipWords(words []uint64, pattern uint64) int { return skipWordsRef(words, pattern) }
