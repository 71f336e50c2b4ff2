package kernels

import (
	"math"
	"slices"
	"testing"
)

// FuzzCompare compares the compare kernels and the order tests with their definitions at
// every level. The values are the words of data, repeated to reach whole blocks.
func FuzzCompare(f *testing.F) {
	f.Add([]byte("01234567abcdefgh"), uint8(200), uint8(2), uint64(1<<63))
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\xf8\x7f\x00\x00\x00\x00\x00\x00\x00\x80"), uint8(65), uint8(4), uint64(0))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\x7f"), uint8(64), uint8(3), uint64(1<<63-1))
	f.Fuzz(func(t *testing.T, data []byte, count, operator uint8, bound uint64) {
		words := wordsOf(data)
		if len(words) == 0 {
			return
		}
		op := Op(operator % 6)
		v64, v32, v16, vf := make([]int64, count), make([]int32, count), make([]int16, count), make([]float64, count)
		for i := range v64 {
			w := words[i%len(words)]
			v64[i], v32[i], v16[i], vf[i] = int64(w), int32(w), int16(w), math.Float64frombits(w)
		}
		got, want := make([]uint64, wordsFor(int(count))), make([]uint64, wordsFor(int(count)))
		for _, l := range Levels() {
			undo := SetLevelForTest(l)
			for name, run := range map[string]func(){
				"CompareInt64": func() {
					CompareInt64(got, v64, op, int64(bound))
					compareIntRef(want, v64, op, int64(bound))
				},
				"CompareInt32": func() {
					CompareInt32(got, v32, op, int32(bound))
					compareIntRef(want, v32, op, int32(bound))
				},
				"CompareInt16": func() {
					CompareInt16(got, v16, op, int16(bound))
					compareIntRef(want, v16, op, int16(bound))
				},
				"CompareFloat64": func() {
					CompareFloat64(got, vf, op, math.Float64frombits(bound))
					compareFloatRef(want, vf, op, math.Float64frombits(bound))
				},
			} {
				if run(); !slices.Equal(got, want) {
					t.Errorf("%v: %s, operator %v, bound %#x: %#x, want %#x", l, name, op, bound, got, want)
				}
			}
			slices.Sort(v64)
			slices.Sort(v32)
			if got, want := StrictlyIncreasingInt64(v64), strictlyIncreasingRef(v64); got != want {
				t.Errorf("%v: StrictlyIncreasingInt64 %t, want %t", l, got, want)
			}
			if got, want := StrictlyIncreasingInt32(v32), strictlyIncreasingRef(v32); got != want {
				t.Errorf("%v: StrictlyIncreasingInt32 %t, want %t", l, got, want)
			}
			undo()
		}
	})
}
