package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// wantMinMax is MinMax by its words: the present values, one by one.
func wantMinMax[T int16 | int32 | int64](v []T, valid []uint64) (min, max T, ok bool) {
	for i, x := range v {
		switch {
		case !present(valid, i):
		case !ok:
			min, max, ok = x, x, true
		case x < min:
			min = x
		case x > max:
			max = x
		}
	}
	return min, max, ok
}

func TestMinMaxInt64(t *testing.T) {
	sumCuts(t, randomInt64, func(where string, v []int64, valid []uint64) {
		min, max, ok := MinMaxInt64(v, valid)
		if a, b, c := wantMinMax(v, valid); min != a || max != b || ok != c {
			t.Errorf("%s: %d, %d, %t; want %d, %d, %t", where, min, max, ok, a, b, c)
		}
	})
}

func TestMinMaxInt32(t *testing.T) {
	sumCuts(t, func(r *rand.Rand) int32 { return int32(r.Uint32()) }, func(where string, v []int32, valid []uint64) {
		min, max, ok := MinMaxInt32(v, valid)
		if a, b, c := wantMinMax(v, valid); min != a || max != b || ok != c {
			t.Errorf("%s: %d, %d, %t; want %d, %d, %t", where, min, max, ok, a, b, c)
		}
	})
}

func TestMinMaxInt16(t *testing.T) {
	sumCuts(t, func(r *rand.Rand) int16 { return int16(r.Uint32()) }, func(where string, v []int16, valid []uint64) {
		min, max, ok := MinMaxInt16(v, valid)
		if a, b, c := wantMinMax(v, valid); min != a || max != b || ok != c {
			t.Errorf("%s: %d, %d, %t; want %d, %d, %t", where, min, max, ok, a, b, c)
		}
	})
}

func TestMinMaxFloat64(t *testing.T) {
	for _, special := range []bool{false, true} {
		fill := func(r *rand.Rand) float64 { return randomFloat64(r, special) }
		sumCuts(t, fill, func(where string, v []float64, valid []uint64) {
			min, max, ok, hasNaN := MinMaxFloat64(v, valid)
			a, b, nan := minMaxFloatRef(v, valid)
			a, b, c := orNone(a, b)
			if !sameBits(min, plusZero(a)) || !sameBits(max, plusZero(b)) || ok != c || hasNaN != nan {
				t.Errorf("%s: %v, %v, %t, %t; want %v, %v, %t, %t", where, min, max, ok, hasNaN, a, b, c, nan)
			}
		})
	}
}

// TestMinMaxEach moves one extreme over every position, so that every lane and every step
// of the reduction must carry it, present and null.
func TestMinMaxEach(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		const n = 200
		for at := range n {
			for _, isNull := range []bool{false, true} {
				v64, v32, v16, vf := make([]int64, n), make([]int32, n), make([]int16, n), make([]float64, n)
				valid := []uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
				want := int64(9)
				if isNull {
					valid[at/64] ^= 1 << (at % 64)
					want = 0
				}
				for _, sign := range []int64{1, -1} {
					v64[at], v32[at], v16[at], vf[at] = sign*9, int32(sign*9), int16(sign*9), float64(sign*9)
					low, high := min(0, sign*want), max(0, sign*want)
					a, b, _ := MinMaxInt64(v64, valid)
					c, d, _ := MinMaxInt32(v32, valid)
					e, f, _ := MinMaxInt16(v16, valid)
					g, h, _, _ := MinMaxFloat64(vf, valid)
					if a != low || b != high || int64(c) != low || int64(d) != high ||
						int64(e) != low || int64(f) != high || int64(g) != low || int64(h) != high {
						t.Fatalf("%d at %d, null %t: int64 %d, %d; int32 %d, %d; int16 %d, %d; float64 %v, %v; want %d, %d",
							sign*9, at, isNull, a, b, c, d, e, f, g, h, low, high)
					}
				}
				vf[at] = math.NaN()
				if g, h, ok, nan := MinMaxFloat64(vf, valid); g != 0 || h != 0 || !ok || nan == isNull {
					t.Fatalf("NaN at %d, null %t: %v, %v, %t, %t", at, isNull, g, h, ok, nan)
				}
			}
		}
	})
}

// TestMinMaxFloatSpecial covers what the comparison of floats leaves open.
func TestMinMaxFloatSpecial(t *testing.T) {
	minusZero, nan, inf := math.Copysign(0, -1), math.NaN(), math.Inf(1)
	forEachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			values     []float64
			min, max   float64
			ok, hasNaN bool
		}{
			{nil, 0, 0, false, false},
			{[]float64{nan}, 0, 0, false, true},
			{[]float64{minusZero}, 0, 0, true, false},
			{[]float64{minusZero, 0}, 0, 0, true, false},
			{[]float64{0, minusZero}, 0, 0, true, false},
			{[]float64{inf}, inf, inf, true, false},
			{[]float64{-inf}, -inf, -inf, true, false},
			{[]float64{-inf, nan, inf}, -inf, inf, true, true},
			{[]float64{nan, 5, nan}, 5, 5, true, true},
		} {
			for _, copies := range []int{1, 64, 65} {
				var v []float64
				var v32 []float32
				for range copies {
					for _, x := range c.values {
						v, v32 = append(v, x), append(v32, float32(x))
					}
				}
				min, max, ok, hasNaN := MinMaxFloat64(v, nil)
				if !sameBits(min, c.min) || !sameBits(max, c.max) || ok != c.ok || hasNaN != c.hasNaN {
					t.Errorf("%v x %d: %v, %v, %t, %t", c.values, copies, min, max, ok, hasNaN)
				}
				low, high, ok, hasNaN := MinMaxFloat32(v32, nil)
				if !sameBits(float64(low), c.min) || !sameBits(float64(high), c.max) || ok != c.ok || hasNaN != c.hasNaN {
					t.Errorf("float32 %v x %d: %v, %v, %t, %t", c.values, copies, low, high, ok, hasNaN)
				}
			}
		}
	})
}

func TestMinMaxMisuse(t *testing.T) {
	short := make([]uint64, 1)
	mustPanic(t, "MinMaxInt64", func() { MinMaxInt64(make([]int64, 65), short) })
	mustPanic(t, "MinMaxInt32", func() { MinMaxInt32(make([]int32, 65), short) })
	mustPanic(t, "MinMaxInt16", func() { MinMaxInt16(make([]int16, 65), short) })
	mustPanic(t, "MinMaxFloat64", func() { MinMaxFloat64(make([]float64, 65), short) })
	mustPanic(t, "MinMaxFloat32", func() { MinMaxFloat32(make([]float32, 65), short) })
}
