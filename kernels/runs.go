package kernels

import "math/bits"

// LeadingZeros returns the number of consecutive clear bits from row from on, looking
// no further than row n: over a delete bitmap, the rows that are visible before the
// first deleted one.
//
// 0 <= from and n <= 64*len(bitmap), else it panics. The result is 0 where from >= n.
// Bits at n and beyond are ignored. leadingZerosRef is the definition.
func LeadingZeros(bitmap []uint64, from, n int) int {
	return leadingEqual(bitmap, from, n, 0)
}

// LeadingOnes returns the number of consecutive set bits from row from on, looking no
// further than row n.
//
// The arguments are those of LeadingZeros; leadingOnesRef is the definition.
func LeadingOnes(bitmap []uint64, from, n int) int {
	return leadingEqual(bitmap, from, n, ^uint64(0))
}

// NextRun returns the first maximal run of clear bits at or after row from and before
// row n. Its length is 0, and start is max(from, n), when there is none.
//
// A run that began before from is cut there. The arguments are those of LeadingZeros.
// A caller walks the visible runs of a delete bitmap by
//
//	for start, length := NextRun(b, 0, n); length > 0; start, length = NextRun(b, start+length, n) {
//
// nextRunRef is the definition.
func NextRun(bitmap []uint64, from, n int) (start, length int) {
	start = from + LeadingOnes(bitmap, from, n)
	return start, LeadingZeros(bitmap, start, n)
}

// LongestRun returns the longest run of clear bits before row n, the first of equally
// long ones, and 0, 0 when every bit is set.
//
// n must not be negative or exceed 64*len(bitmap), else it panics. Bits at n and beyond
// are ignored. The time depends on the number of words, not on the number of runs.
// longestRunRef is the definition.
func LongestRun(bitmap []uint64, n int) (start, length int) {
	checkRows("LongestRun", bitmap, n)
	whole, rest := n/wordBits, n%wordBits
	open := 0 // clear bits at the end of the words before i
	for i := 0; i < wordsFor(n); i++ {
		if i < whole && bitmap[i] == 0 {
			skip := skipWords(bitmap[i:whole], 0)
			open += skip * wordBits
			i += skip
			if i == wordsFor(n) {
				break
			}
		}
		w := bitmap[i]
		if i == whole {
			w |= ^uint64(0) << rest
		}
		lead := bits.TrailingZeros64(w)
		if open+lead > length {
			start, length = i*wordBits-open, open+lead
		}
		// Runs inside the word matter only while a longer one would fit into it. Each
		// turn of the inner loop lengthens the best one, so there are at most 63.
		if length < wordBits-1 {
			for at := runsOf(^w, length+1); at != 0; at = runsOf(^w, length+1) {
				start, length = i*wordBits+bits.TrailingZeros64(at), length+1
			}
		}
		open = bits.LeadingZeros64(w)
	}
	if open > length {
		start, length = n-open, open
	}
	return start, length
}

// leadingEqual returns the number of consecutive bits that equal those of pattern, all
// clear or all set, from row from on and before row n.
func leadingEqual(bitmap []uint64, from, n int, pattern uint64) int {
	checkRows("LeadingZeros and LeadingOnes", bitmap, n)
	if from < 0 {
		panic("kernels: LeadingZeros and LeadingOnes: negative row")
	}
	if from >= n {
		return 0
	}
	i := from / wordBits
	if differ := (bitmap[i] ^ pattern) >> (from % wordBits); differ != 0 {
		return min(bits.TrailingZeros64(differ), n-from)
	}
	i++
	words := bitmap[:wordsFor(n)]
	if i < len(words) && words[i] == pattern {
		i += skipWords(words[i:], pattern)
	}
	end := n
	if i < len(words) {
		end = min(n, i*wordBits+bits.TrailingZeros64(words[i]^pattern))
	}
	return end - from
}

// runsOf returns the bits of x at which k set bits in a row begin, 1 <= k <= 64.
func runsOf(x uint64, k int) uint64 {
	have := 1
	for have < k {
		step := min(have, k-have)
		x &= x >> step
		have += step
	}
	return x
}
