package kernels

import (
	"math/bits"
	"testing"
)

// runLengths are the bitmap lengths, in words, of the placement tests: around 4 blocks
// of both assembly forms.
func runLengths() []int {
	var n []int
	for i := 0; i <= 4*32+5; i++ {
		n = append(n, i)
	}
	return n
}

// TestSkipWords puts one differing word at every position of bitmaps of every length.
func TestSkipWords(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		for _, pattern := range []uint64{0, ^uint64(0), 0x0123456789abcdef} {
			p := place(t, 4*32+5+maxOffset, func() uint64 { return pattern })
			for _, n := range runLengths() {
				p.cuts(n, func(where string, words []uint64) {
					if got := skipWords(words, pattern); got != n {
						t.Fatalf("%s: %d equal words, want %d", where, got, n)
					}
				})
			}
			for _, n := range []int{1, 3, 4, 7, 8, 31, 32, 33, 67, 133} {
				for at := range n {
					words := p.atEnd[len(p.atEnd)-n:]
					bit := uint64(1) << (at * 7 % 64)
					words[at] ^= bit
					if got, want := skipWords(words, pattern), skipWordsRef(words, pattern); got != want {
						t.Errorf("n=%d, word %d differs: %d equal words, want %d", n, at, got, want)
					}
					words[at] ^= bit
				}
			}
		}
	})
}

// TestLeading compares every start row, length and one stray bit with the definition.
func TestLeading(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		const words = 13
		p := place(t, words, func() uint64 { return 0 })
		for _, n := range []int{0, 1, 63, 64, 65, 127, 500, words*64 - 1, words * 64} {
			for at := 0; at < words*64; at += 5 {
				bitmap := p.atEnd
				bitmap[at/64] ^= 1 << (at % 64)
				for from := 0; from <= n+1; from += 1 + from/64*6 {
					if got, want := LeadingZeros(bitmap, from, n), leadingZerosRef(bitmap, from, n); got != want {
						t.Fatalf("LeadingZeros(bit %d set, %d, %d) = %d, want %d", at, from, n, got, want)
					}
				}
				for i := range bitmap {
					bitmap[i] ^= ^uint64(0)
				}
				for from := 0; from <= n+1; from += 1 + from/64*6 {
					if got, want := LeadingOnes(bitmap, from, n), leadingOnesRef(bitmap, from, n); got != want {
						t.Fatalf("LeadingOnes(bit %d clear, %d, %d) = %d, want %d", at, from, n, got, want)
					}
				}
				clear(bitmap)
			}
		}
	})
}

// TestRuns compares NextRun and LongestRun with their definitions on random bitmaps.
func TestRuns(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := newRand(t)
		for range 3000 {
			bitmap := make([]uint64, r.IntN(20))
			for i := range bitmap {
				bitmap[i] = randomWord(r)
			}
			n := r.IntN(64*len(bitmap) + 1)
			start, length := LongestRun(bitmap, n)
			if s, l := longestRunRef(bitmap, n); s != start || l != length {
				t.Fatalf("LongestRun(%#x, %d) = %d, %d, want %d, %d", bitmap, n, start, length, s, l)
			}
			from := r.IntN(n + 1)
			start, length = NextRun(bitmap, from, n)
			if s, l := nextRunRef(bitmap, from, n); s != start || l != length {
				t.Fatalf("NextRun(%#x, %d, %d) = %d, %d, want %d, %d", bitmap, from, n, start, length, s, l)
			}
			visible := 0
			for s, l := NextRun(bitmap, 0, n); l > 0; s, l = NextRun(bitmap, s+l, n) {
				visible += l
			}
			if want := n - PopCount(bitmap, n); visible != want {
				t.Fatalf("runs of %#x, %d cover %d rows, want %d", bitmap, n, visible, want)
			}
		}
	})
}

// TestLongestRunFirst has several runs of the longest length; the first one counts.
func TestLongestRunFirst(t *testing.T) {
	for _, c := range []struct {
		bitmap        []uint64
		n             int
		start, length int
	}{
		{nil, 0, 0, 0},
		{[]uint64{^uint64(0)}, 64, 0, 0},
		{[]uint64{0}, 64, 0, 64},
		{[]uint64{0x5555555555555555}, 64, 1, 1},
		{[]uint64{0xff00ff00ff00ff00}, 64, 0, 8},
		{[]uint64{0xff00ff00ff00ff01}, 64, 16, 8},
		{[]uint64{1, 1}, 128, 1, 63},
		{[]uint64{1 << 63, 1 << 63}, 128, 0, 63},
		{[]uint64{0x0fffffffffffffff, 0xfffffffffffffff0}, 128, 60, 8},
		{[]uint64{1, 0, 2}, 129, 1, 128},
		{[]uint64{1, 0, 2}, 130, 1, 128},
		{[]uint64{1, 0, 1}, 100, 1, 99},
	} {
		if s, l := LongestRun(c.bitmap, c.n); s != c.start || l != c.length {
			t.Errorf("LongestRun(%#x, %d) = %d, %d, want %d, %d", c.bitmap, c.n, s, l, c.start, c.length)
		}
	}
}

func TestRunsOf(t *testing.T) {
	r := newRand(t)
	for k := 1; k <= 64; k++ {
		x := r.Uint64() | r.Uint64()
		if k > 20 {
			x = ^uint64(1 << r.IntN(64))
		}
		var want uint64
		for i := 0; i+k <= 64; i++ {
			if bits.TrailingZeros64(^(x >> i)) >= k {
				want |= 1 << i
			}
		}
		if got := runsOf(x, k); got != want {
			t.Errorf("runsOf(%#x, %d) = %#x, want %#x", x, k, got, want)
		}
	}
}

func TestRunsMisuse(t *testing.T) {
	two := make([]uint64, 2)
	mustPanic(t, "LeadingZeros past the bitmap", func() { LeadingZeros(two, 0, 129) })
	mustPanic(t, "LeadingZeros from -1", func() { LeadingZeros(two, -1, 128) })
	mustPanic(t, "LeadingOnes of -1 rows", func() { LeadingOnes(two, 0, -1) })
	mustPanic(t, "LongestRun past the bitmap", func() { LongestRun(two, 129) })
	mustPanic(t, "LongestRun of -1 rows", func() { LongestRun(two, -1) })
	mustPanic(t, "PopCount past the bitmap", func() { PopCount(two, 129) })
}
