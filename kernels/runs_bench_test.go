package kernels

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkLeadingZeros(b *testing.B) {
	benchEach(b, 8, func(*rand.Rand) uint64 { return 0 }, func(v []uint64) {
		if LeadingZeros(v, 0, 64*len(v)) != 64*len(v) {
			b.Fatal("not all clear")
		}
	})
}

func BenchmarkLeadingOnes(b *testing.B) {
	benchEach(b, 8, func(*rand.Rand) uint64 { return ^uint64(0) }, func(v []uint64) {
		if LeadingOnes(v, 0, 64*len(v)) != 64*len(v) {
			b.Fatal("not all set")
		}
	})
}

// BenchmarkNextRun walks every run of a bitmap with one set bit in 64 on average.
func BenchmarkNextRun(b *testing.B) {
	benchEach(b, 8, func(r *rand.Rand) uint64 { return 1 << r.IntN(64) }, func(v []uint64) {
		n := 64 * len(v)
		for s, l := NextRun(v, 0, n); l > 0; s, l = NextRun(v, s+l, n) {
		}
	})
}

// BenchmarkLongestRun has runs of any length in random words, and, in the second case,
// one set bit in the first word only.
func BenchmarkLongestRun(b *testing.B) {
	b.Run("bits=random", func(b *testing.B) {
		benchEach(b, 8, func(r *rand.Rand) uint64 { return r.Uint64() }, func(v []uint64) { LongestRun(v, 64*len(v)) })
	})
	b.Run("bits=clear", func(b *testing.B) {
		benchEach(b, 8, func(*rand.Rand) uint64 { return 0 }, func(v []uint64) { LongestRun(v, 64*len(v)) })
	})
}

func BenchmarkPopCount(b *testing.B) {
	benchEach(b, 8, func(r *rand.Rand) uint64 { return r.Uint64() }, func(v []uint64) { PopCount(v, 64*len(v)) })
}
