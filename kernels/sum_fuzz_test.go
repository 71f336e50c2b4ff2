package kernels

import (
	"math"
	"testing"
)

// FuzzAggregates compares sums and extremes with their definitions at every level. The
// values are the words of data, repeated to reach whole blocks; the second word is the
// validity of each block.
func FuzzAggregates(f *testing.F) {
	f.Add([]byte("01234567abcdefgh\x00\x00\x00\x00\x00\x00\xf8\x7f\x00\x00\x00\x00\x00\x00\x00\x80"), uint8(200), true)
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\x7f\xff\xff\xff\xff\xff\xff\xff\xff"), uint8(129), false)
	f.Fuzz(func(t *testing.T, data []byte, count uint8, nulls bool) {
		words := wordsOf(data)
		if len(words) < 2 {
			return
		}
		v64, v32, v16, vf := make([]int64, count), make([]int32, count), make([]int16, count), make([]float64, count)
		for i := range v64 {
			w := words[i%len(words)]
			v64[i], v32[i], v16[i], vf[i] = int64(w), int32(w>>7), int16(w>>13), math.Float64frombits(w)
		}
		var valid []uint64
		if nulls {
			for i := range wordsFor(int(count)) {
				valid = append(valid, words[1]<<i|words[0]>>(64-i))
			}
		}
		for _, l := range Levels() {
			undo := SetLevelForTest(l)
			hi, lo := SumInt64(v64, valid)
			if a, b := sumInt64Ref(v64, valid); hi != a || lo != b {
				t.Errorf("%v: SumInt64 %d, %d; want %d, %d", l, hi, lo, a, b)
			}
			if got, want := SumInt32(v32, valid), sumIntRef(v32, valid); got != want {
				t.Errorf("%v: SumInt32 %d, want %d", l, got, want)
			}
			if got, want := SumInt16(v16, valid), sumIntRef(v16, valid); got != want {
				t.Errorf("%v: SumInt16 %d, want %d", l, got, want)
			}
			var acc, want [8]float64
			SumFloat64(&acc, vf, valid)
			sumFloat64Ref(&want, vf, valid)
			if got, want := CombineLanes(&acc), CombineLanes(&want); !sameBits(got, want) {
				t.Errorf("%v: SumFloat64 %x, want %x", l, got, want)
			}
			low, high, ok := MinMaxInt64(v64, valid)
			if a, b, c := wantMinMax(v64, valid); low != a || high != b || ok != c {
				t.Errorf("%v: MinMaxInt64 %d, %d, %t; want %d, %d, %t", l, low, high, ok, a, b, c)
			}
			low32, high32, ok := MinMaxInt32(v32, valid)
			if a, b, c := wantMinMax(v32, valid); low32 != a || high32 != b || ok != c {
				t.Errorf("%v: MinMaxInt32 %d, %d, %t; want %d, %d, %t", l, low32, high32, ok, a, b, c)
			}
			low16, high16, ok := MinMaxInt16(v16, valid)
			if a, b, c := wantMinMax(v16, valid); low16 != a || high16 != b || ok != c {
				t.Errorf("%v: MinMaxInt16 %d, %d, %t; want %d, %d, %t", l, low16, high16, ok, a, b, c)
			}
			lowF, highF, ok, nan := MinMaxFloat64(vf, valid)
			a, b, c := minMaxFloatRef(vf, valid)
			a, b, present := orNone(a, b)
			if !sameBits(lowF, plusZero(a)) || !sameBits(highF, plusZero(b)) || ok != present || nan != c {
				t.Errorf("%v: MinMaxFloat64 %v, %v, %t, %t; want %v, %v, %t, %t", l, lowF, highF, ok, nan, a, b, present, c)
			}
			undo()
		}
	})
}
