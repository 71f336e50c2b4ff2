package kernels

import (
	"math/rand/v2"
	"testing"
)

// benchAggregate runs an aggregate without nulls and with nulls in every word.
func benchAggregate[T any](b *testing.B, valueBytes int, fill func(r *rand.Rand) T, run func(v []T, valid []uint64)) {
	b.Run("nulls=none", func(b *testing.B) {
		benchEach(b, valueBytes, fill, func(v []T) { run(v, nil) })
	})
	valid := benchValidity()
	b.Run("nulls=some", func(b *testing.B) {
		benchEach(b, valueBytes, fill, func(v []T) { run(v, valid) })
	})
}

func fillInt64(r *rand.Rand) int64 { return int64(r.Uint64()) }

func fillInt32(r *rand.Rand) int32 { return int32(r.Uint32()) }

func fillInt16(r *rand.Rand) int16 { return int16(r.Uint32()) }

func fillFloat64(r *rand.Rand) float64 { return r.NormFloat64() }

func BenchmarkSumInt64(b *testing.B) {
	benchAggregate(b, 8, fillInt64, func(v []int64, valid []uint64) { SumInt64(v, valid) })
}

func BenchmarkSumInt32(b *testing.B) {
	benchAggregate(b, 4, fillInt32, func(v []int32, valid []uint64) { SumInt32(v, valid) })
}

func BenchmarkSumInt16(b *testing.B) {
	benchAggregate(b, 2, fillInt16, func(v []int16, valid []uint64) { SumInt16(v, valid) })
}

func BenchmarkSumFloat64(b *testing.B) {
	var acc [8]float64
	benchAggregate(b, 8, fillFloat64, func(v []float64, valid []uint64) { SumFloat64(&acc, v, valid) })
}

func BenchmarkMinMaxInt64(b *testing.B) {
	benchAggregate(b, 8, fillInt64, func(v []int64, valid []uint64) { MinMaxInt64(v, valid) })
}

func BenchmarkMinMaxInt32(b *testing.B) {
	benchAggregate(b, 4, fillInt32, func(v []int32, valid []uint64) { MinMaxInt32(v, valid) })
}

func BenchmarkMinMaxInt16(b *testing.B) {
	benchAggregate(b, 2, fillInt16, func(v []int16, valid []uint64) { MinMaxInt16(v, valid) })
}

func BenchmarkMinMaxFloat64(b *testing.B) {
	benchAggregate(b, 8, fillFloat64, func(v []float64, valid []uint64) { MinMaxFloat64(v, valid) })
}
