package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// randomInt64 returns small, large and extreme values.
func randomInt64(r *rand.Rand) int64 {
	switch r.IntN(6) {
	case 0:
		return math.MinInt64
	case 1:
		return math.MaxInt64
	case 2:
		return r.Int64N(7) - 3
	case 3:
		return int64(1)<<32 - r.Int64N(3)
	default:
		return int64(r.Uint64())
	}
}

// sumCuts runs check on every placement with no validity and with one that ends at an
// unreadable page.
func sumCuts[T any](t *testing.T, fill func(r *rand.Rand) T, check func(where string, v []T, valid []uint64)) {
	forEachLevel(t, func(t *testing.T) {
		r := newRand(t)
		p := place(t, 2049+maxOffset, func() T { return fill(r) })
		valid := validities(t, r, 2049)
		for _, n := range testLengths() {
			p.cuts(n, func(where string, v []T) {
				check(where+", all valid", v, nil)
				check(where, v, valid(n))
			})
			if t.Failed() {
				return
			}
		}
	})
}

func TestSumInt64(t *testing.T) {
	sumCuts(t, randomInt64, func(where string, v []int64, valid []uint64) {
		hi, lo := SumInt64(v, valid)
		if wantHi, wantLo := sumInt64Ref(v, valid); hi != wantHi || lo != wantLo {
			t.Errorf("%s: %d, %d; want %d, %d", where, hi, lo, wantHi, wantLo)
		}
	})
}

func TestSumInt32(t *testing.T) {
	sumCuts(t, func(r *rand.Rand) int32 { return int32(r.Uint32()) }, func(where string, v []int32, valid []uint64) {
		if got, want := SumInt32(v, valid), sumIntRef(v, valid); got != want {
			t.Errorf("%s: %d, want %d", where, got, want)
		}
	})
}

func TestSumInt16(t *testing.T) {
	sumCuts(t, func(r *rand.Rand) int16 { return int16(r.Uint32()) }, func(where string, v []int16, valid []uint64) {
		if got, want := SumInt16(v, valid), sumIntRef(v, valid); got != want {
			t.Errorf("%s: %d, want %d", where, got, want)
		}
	})
}

// TestSumExtremes sums as many equal extremes as make the internal lanes largest.
func TestSumExtremes(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		for _, x := range []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64} {
			v := make([]int64, 3*maxSumInt64+65)
			for i := range v {
				v[i] = x
			}
			hi, lo := SumInt64(v, nil)
			got := new(big.Int).Lsh(big.NewInt(hi), 64)
			got.Add(got, new(big.Int).SetUint64(lo))
			if want := new(big.Int).Mul(big.NewInt(x), big.NewInt(int64(len(v)))); got.Cmp(want) != 0 {
				t.Errorf("%d times %d: %d, want %d", len(v), x, got, want)
			}
		}
		for _, x := range []int16{math.MinInt16, -1, math.MaxInt16} {
			v := make([]int16, 3*maxSumInt16+65)
			for i := range v {
				v[i] = x
			}
			if got, want := SumInt16(v, nil), int64(x)*int64(len(v)); got != want {
				t.Errorf("%d times %d: %d, want %d", len(v), x, got, want)
			}
		}
		for _, x := range []int32{math.MinInt32, -1, math.MaxInt32} {
			v := make([]int32, 1<<15)
			for i := range v {
				v[i] = x
			}
			if got, want := SumInt32(v, nil), int64(x)*int64(len(v)); got != want {
				t.Errorf("%d times %d: %d, want %d", len(v), x, got, want)
			}
		}
	})
}

// TestSumLong has validity across the calls that a long slice is cut into.
func TestSumLong(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := newRand(t)
		v, w := make([]int64, 2*maxSumInt64+100), make([]int16, 2*maxSumInt16+100)
		for i := range v {
			v[i] = randomInt64(r)
		}
		for i := range w {
			w[i] = int16(r.Uint32())
		}
		valid := make([]uint64, wordsFor(len(w)))
		for i := range valid {
			valid[i] = randomWord(r)
		}
		hi, lo := SumInt64(v, valid)
		if wantHi, wantLo := sumInt64Ref(v, valid); hi != wantHi || lo != wantLo {
			t.Errorf("SumInt64 = %d, %d; want %d, %d", hi, lo, wantHi, wantLo)
		}
		if got, want := SumInt16(w, valid), sumIntRef(w, valid); got != want {
			t.Errorf("SumInt16 = %d, want %d", got, want)
		}
	})
}

// randomFloat64 returns values of very different size, so that another order of additions
// gives another sum, with zeros of both signs and, if special, infinities and NaN.
func randomFloat64(r *rand.Rand, special bool) float64 {
	switch k := r.IntN(40); {
	case k < 3:
		return math.Copysign(0, float64(1-k))
	case k == 3 && special:
		return math.Inf(1 - 2*r.IntN(2))
	case k == 4 && special:
		return math.NaN()
	default:
		return math.Ldexp(r.Float64()-0.5, r.IntN(80)-40)
	}
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func TestSumFloat64(t *testing.T) {
	for _, special := range []bool{false, true} {
		fill := func(r *rand.Rand) float64 { return randomFloat64(r, special) }
		sumCuts(t, fill, func(where string, v []float64, valid []uint64) {
			acc := [8]float64{0, math.Copysign(0, -1), 1, 1e-30, -1e30, 5, 6, 7}
			want := acc
			SumFloat64(&acc, v, valid)
			sumFloat64Ref(&want, v, valid)
			for i := range acc {
				if !sameBits(acc[i], want[i]) && !(math.IsNaN(acc[i]) && math.IsNaN(want[i])) {
					t.Errorf("%s: lane %d is %x, want %x", where, i, acc[i], want[i])
				}
			}
			if a, b := CombineLanes(&acc), CombineLanes(&want); !sameBits(a, b) {
				t.Errorf("%s: sum %x, want %x", where, a, b)
			}
		})
	}
}

// TestSumFloat64Null has nulls that would change the sum if they were added.
func TestSumFloat64Null(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		v := make([]float64, 128)
		for i := range v {
			v[i] = math.NaN()
		}
		v[70], v[71] = 2.5, math.Copysign(0, -1)
		for i := range 8 {
			v[i] = math.Inf(1)
		}
		acc := [8]float64{1: math.Copysign(0, -1)}
		SumFloat64(&acc, v, []uint64{0, 0xc0})
		want := [8]float64{1: math.Copysign(0, -1), 6: 2.5}
		for i := range acc {
			if !sameBits(acc[i], want[i]) {
				t.Errorf("lane %d is %v, want %v", i, acc[i], want[i])
			}
		}
	})
}

// TestCombineLanes pins the order of the seven additions by lanes whose sum depends on
// it: 1 is lost when added to 2^53 alone, 2 is not.
func TestCombineLanes(t *testing.T) {
	big := math.Ldexp(1, 53)
	for _, c := range []struct {
		acc  [8]float64
		want float64
	}{
		{[8]float64{1, 2, 3, 4, 5, 6, 7, 8}, 36},
		{[8]float64{0: 1, 4: 1, 2: big}, big + 2},        // lanes 0 and 4 meet first
		{[8]float64{0: 1, 6: 1, 4: big}, big},            // 1+big, then 1
		{[8]float64{2: 1, 6: 1, 0: big}, big + 2},        // lanes 2 and 6 meet first
		{[8]float64{1: 1, 5: 1, 3: big}, big + 2},        // lanes 1 and 5 meet first
		{[8]float64{3: 1, 7: 1, 1: big}, big + 2},        // lanes 3 and 7 meet first
		{[8]float64{0: 1, 2: 1, 1: big}, big + 2},        // even lanes before odd ones
		{[8]float64{1: 1, 3: 1, 0: big}, big + 2},        // odd lanes among themselves
		{[8]float64{0: 1, 1: 1, 2: big, 7: 1}, big + 2},  // 1+big, then 1+1
		{[8]float64{0: 1, 4: big, 2: -big, 6: 1}, 0 + 1}, // (1+big) + (-big+1)
	} {
		if got := CombineLanes(&c.acc); got != c.want {
			t.Errorf("CombineLanes(%v) = %v, want %v", c.acc, got, c.want)
		}
	}
	minusInf := [8]float64{math.Inf(1), math.Inf(-1)}
	if got := CombineLanes(&minusInf); !sameBits(got, math.NaN()) {
		t.Errorf("CombineLanes(Inf, -Inf) = %#x, want the canonical NaN", math.Float64bits(got))
	}
}

func TestSumMisuse(t *testing.T) {
	short := make([]uint64, 1)
	mustPanic(t, "SumInt64", func() { SumInt64(make([]int64, 65), short) })
	mustPanic(t, "SumInt32", func() { SumInt32(make([]int32, 65), short) })
	mustPanic(t, "SumInt16", func() { SumInt16(make([]int16, 65), short) })
	mustPanic(t, "SumFloat64", func() { SumFloat64(new([8]float64), make([]float64, 65), short) })
	mustPanic(t, "SumInt64 with an empty validity", func() { SumInt64(make([]int64, 1), []uint64{}) })
}
