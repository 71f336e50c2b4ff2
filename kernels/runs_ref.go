package kernels

// leadingZerosRef defines LeadingZeros bit by bit.
func leadingZerosRef(bitmap []uint64, from, n int) int {
	count := 0
	for i := from; i < n && bitmap[i/wordBits]>>(i%wordBits)&1 == 0; i++ {
		count++
	}
	return count
}

// leadingOnesRef defines LeadingOnes bit by bit.
func leadingOnesRef(bitmap []uint64, from, n int) int {
	count := 0
	for i := from; i < n && bitmap[i/wordBits]>>(i%wordBits)&1 == 1; i++ {
		count++
	}
	return count
}

// nextRunRef defines NextRun bit by bit.
func nextRunRef(bitmap []uint64, from, n int) (start, length int) {
	start = from
	for start < n && bitmap[start/wordBits]>>(start%wordBits)&1 == 1 {
		start++
	}
	return start, leadingZerosRef(bitmap, start, n)
}

// longestRunRef defines LongestRun by walking every run.
func longestRunRef(bitmap []uint64, n int) (start, length int) {
	for s, l := nextRunRef(bitmap, 0, n); l > 0; s, l = nextRunRef(bitmap, s+l, n) {
		if l > length {
			start, length = s, l
		}
	}
	return start, length
}

// skipWordsRef returns how many leading words equal pattern.
func skipWordsRef(words []uint64, pattern uint64) int {
	for i, w := range words {
		if w != pattern {
			return i
		}
	}
	return len(words)
}
