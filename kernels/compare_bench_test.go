package kernels

import (
	"math/rand/v2"
	"testing"
)

// benchCompare runs the two loops of a kernel: equal, and less.
func benchCompare[T any](b *testing.B, valueBytes int, fill func(r *rand.Rand) T, run func(dst []uint64, v []T, op Op)) {
	dst := make([]uint64, 1<<15/wordBits)
	for _, c := range []struct {
		name string
		op   Op
	}{{"eq", Eq}, {"lt", Lt}} {
		b.Run("op="+c.name, func(b *testing.B) {
			benchEach(b, valueBytes, fill, func(v []T) { run(dst, v, c.op) })
		})
	}
}

func BenchmarkCompareInt64(b *testing.B) {
	benchCompare(b, 8, fillInt64, func(dst []uint64, v []int64, op Op) { CompareInt64(dst, v, op, 5) })
}

func BenchmarkCompareInt32(b *testing.B) {
	benchCompare(b, 4, fillInt32, func(dst []uint64, v []int32, op Op) { CompareInt32(dst, v, op, 5) })
}

func BenchmarkCompareInt16(b *testing.B) {
	benchCompare(b, 2, fillInt16, func(dst []uint64, v []int16, op Op) { CompareInt16(dst, v, op, 5) })
}

func BenchmarkCompareFloat64(b *testing.B) {
	benchCompare(b, 8, fillFloat64, func(dst []uint64, v []float64, op Op) { CompareFloat64(dst, v, op, 5) })
}

func BenchmarkStrictlyIncreasingInt64(b *testing.B) {
	next := int64(0)
	benchEach(b, 8, func(*rand.Rand) int64 { next++; return next }, func(v []int64) {
		if !StrictlyIncreasingInt64(v) {
			b.Fatal("not increasing")
		}
	})
}

func BenchmarkStrictlyIncreasingInt32(b *testing.B) {
	next := int32(0)
	benchEach(b, 4, func(*rand.Rand) int32 { next++; return next }, func(v []int32) {
		if !StrictlyIncreasingInt32(v) {
			b.Fatal("not increasing")
		}
	})
}
