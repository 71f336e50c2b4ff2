package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchBytes are the input sizes of the benchmarks: one vector of 64-bit values, and a
// working set that stays in the second-level cache.
var benchBytes = []int{16 << 10, 256 << 10}

// benchEach runs run at every level and size.
func benchEach[T any](b *testing.B, valueBytes int, fill func(r *rand.Rand) T, run func(v []T)) {
	forEachLevel(b, func(b *testing.B) { benchSizes(b, valueBytes, fill, run) })
}

// benchSizes runs run on n values of every size, in calls of at most callBytes, as a
// caller makes them.
func benchSizes[T any](b *testing.B, valueBytes int, fill func(r *rand.Rand) T, run func(v []T)) {
	const callBytes = 64 << 10
	for _, size := range benchBytes {
		r := rand.New(rand.NewPCG(1, 2))
		v := make([]T, size/valueBytes)
		for i := range v {
			v[i] = fill(r)
		}
		b.Run(fmt.Sprintf("n=%d", len(v)), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				for rest := v; len(rest) > 0; {
					part := min(len(rest), callBytes/valueBytes)
					run(rest[:part])
					rest = rest[part:]
				}
			}
		})
	}
}

// benchValidity returns the validity of as many values as a call of a benchmark has,
// with one null in every sixteen, so that no word is dense.
func benchValidity() []uint64 {
	valid := make([]uint64, 1<<15/wordBits)
	for i := range valid {
		valid[i] = 0xfffefffdfffbfff7
	}
	return valid
}
