//go:build !purego

package kernels

import (
	"math/rand/v2"
	"testing"

	"github.com/ingotdb/ingot/asm"
)

// BenchmarkReadSum reads and adds words, nothing else: what the other benchmarks of the
// same size could reach at most.
func BenchmarkReadSum(b *testing.B) {
	if Detected() != AVX2 {
		b.Fatal("the control is written for AVX2")
	}
	var sum uint64
	b.Run("level=avx2", func(b *testing.B) {
		benchSizes(b, 8, func(*rand.Rand) uint64 { return 0 }, func(v []uint64) { sum += asm.ReadSumAVX2(v) })
	})
	if sum != 0 {
		b.Fatal("the sum of zeros is not zero")
	}
}

func TestReadSum(t *testing.T) {
	if Detected() != AVX2 {
		t.Skip("needs a CPU with AVX2")
	}
	r := newRand(t)
	p := place(t, 200+maxOffset, r.Uint64)
	for n := range 200 {
		p.cuts(n, func(where string, v []uint64) {
			var want uint64
			for _, x := range v {
				want += x
			}
			if got := asm.ReadSumAVX2(v); got != want {
				t.Fatalf("%s: %d, want %d", where, got, want)
			}
		})
	}
}
