package bitmap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func bit(words []uint64, i int) bool { return words[i>>6]>>(i&63)&1 != 0 }

// TestBits compares both functions with a loop over single bits, at every place in a word
// and in slices that end with the last bit's word.
func TestBits(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, seed))
	lengths := []int{0, 1, 2, 31, 63, 64, 65, 127, 128, 129, 200}
	for at := range 64 {
		for off := range 64 {
			n := lengths[(at+3*off)%len(lengths)]
			dst := make([]uint64, (at+n+63)/64)
			src := make([]uint64, (off+n+63)/64)
			for i := range dst {
				dst[i] = rng.Uint64() & rng.Uint64()
			}
			for i := range src {
				src[i] = rng.Uint64()
			}
			for _, c := range []struct {
				name string
				run  func(dst []uint64)
				bit  func(i int) bool
			}{
				{"Set", func(dst []uint64) { Set(dst, at, n) }, func(int) bool { return true }},
				{"Or", func(dst []uint64) { Or(dst, at, src, off, n) }, func(i int) bool { return bit(src, off+i) }},
				{"Or of nil", func(dst []uint64) { Or(dst, at, nil, off, n) }, func(int) bool { return true }},
			} {
				got, want := slices.Clone(dst), slices.Clone(dst)
				for i := range n {
					if c.bit(i) {
						want[(at+i)>>6] |= 1 << ((at + i) & 63)
					}
				}
				if c.run(got); !slices.Equal(got, want) {
					t.Fatalf("%s of %d bits at %d, from %d on (seed %d): %x, want %x", c.name, n, at, off, seed, got, want)
				}
			}
		}
	}
}

// BenchmarkOr moves the bits of a vector to a place that is on no word's edge.
func BenchmarkOr(b *testing.B) {
	dst, src := make([]uint64, 33), make([]uint64, 32)
	for i := range src {
		src[i] = 0x9e3779b97f4a7c15 * uint64(i+1)
	}
	b.SetBytes(2048 / 8)
	for b.Loop() {
		Or(dst, 17, src, 0, 2048)
	}
}
