package kernels

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var everyOp = []Op{Eq, Ne, Lt, Le, Gt, Ge}

// wantOp is op by its words, from the order of two values.
func wantOp(op Op, order int) bool {
	switch op {
	case Eq:
		return order == 0
	case Ne:
		return order != 0
	case Lt:
		return order < 0
	case Le:
		return order <= 0
	case Gt:
		return order > 0
	default:
		return order >= 0
	}
}

// orderFloat is PostgreSQL's order of floats.
func orderFloat[T float32 | float64](x, y T) int {
	switch {
	case x != x && y != y:
		return 0
	case x != x:
		return 1
	case y != y:
		return -1
	}
	return cmp.Compare(x, y)
}

// compareCuts checks one compare kernel on every placement, every operator and every
// bound. The result has one word more than the values need, which must stay.
func compareCuts[T cmp.Ordered](t *testing.T, fill func(r *rand.Rand) T, bounds []T,
	order func(x, y T) int, compare func(dst []uint64, v []T, op Op, bound T)) {
	const mark = 0xdeadbeef12345678
	forEachLevel(t, func(t *testing.T) {
		r := newRand(t)
		p := place(t, 2049+maxOffset, func() T { return fill(r) })
		results := place(t, wordsFor(2049), r.Uint64)
		dst := make([]uint64, wordsFor(2049)+1)
		for _, n := range testLengths() {
			turn := 0
			p.cuts(n, func(where string, v []T) {
				bound := bounds[turn%len(bounds)]
				op := everyOp[turn/len(bounds)%len(everyOp)]
				turn++
				for i := range dst {
					dst[i] = mark
				}
				compare(dst, v, op, bound)
				for i := range 64 * wordsFor(n) {
					got := dst[i/64]>>(i%64)&1 != 0
					if want := i < n && wantOp(op, order(v[i], bound)); got != want {
						t.Fatalf("%s: value %d, %v %v %v is %t, want %t", where, i, v[min(i, n-1)], op, bound, got, want)
					}
				}
				if dst[wordsFor(n)] != mark {
					t.Fatalf("%s: a word behind the result was written", where)
				}
				tight := results.atEnd[len(results.atEnd)-wordsFor(n):]
				compare(tight, v, op, bound)
				if !slices.Equal(tight, dst[:len(tight)]) {
					t.Fatalf("%s: another result at an unreadable page", where)
				}
			})
		}
	})
}

func TestCompareInt64(t *testing.T) {
	bounds := []int64{0, 1, -1, math.MinInt64, math.MaxInt64, math.MinInt64 + 1, math.MaxInt64 - 1, 1 << 32}
	compareCuts(t, randomInt64, bounds, cmp.Compare[int64], CompareInt64)
}

func TestCompareInt32(t *testing.T) {
	bounds := []int32{0, 2, -2, math.MinInt32, math.MaxInt32, math.MinInt32 + 1, math.MaxInt32 - 1}
	fill := func(r *rand.Rand) int32 {
		if r.IntN(2) == 0 {
			return bounds[r.IntN(len(bounds))]
		}
		return int32(r.Uint32())
	}
	compareCuts(t, fill, bounds, cmp.Compare[int32], CompareInt32)
}

func TestCompareInt16(t *testing.T) {
	bounds := []int16{0, 2, -2, math.MinInt16, math.MaxInt16, math.MinInt16 + 1, math.MaxInt16 - 1}
	fill := func(r *rand.Rand) int16 {
		if r.IntN(2) == 0 {
			return bounds[r.IntN(len(bounds))]
		}
		return int16(r.Uint32())
	}
	compareCuts(t, fill, bounds, cmp.Compare[int16], CompareInt16)
}

// floatBounds are the numbers at which an order of floats can go wrong.
var floatBounds = []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(),
	math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64}

func TestCompareFloat64(t *testing.T) {
	fill := func(r *rand.Rand) float64 {
		if r.IntN(2) == 0 {
			return floatBounds[r.IntN(len(floatBounds))]
		}
		return r.NormFloat64()
	}
	compareCuts(t, fill, floatBounds, orderFloat[float64], CompareFloat64)
}

func TestCompareFloat32(t *testing.T) {
	bounds := []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32}
	fill := func(r *rand.Rand) float32 {
		if r.IntN(2) == 0 {
			return bounds[r.IntN(len(bounds))]
		}
		return float32(r.NormFloat64())
	}
	compareCuts(t, fill, bounds, orderFloat[float32], CompareFloat32)
}

// TestCompareEveryOp pairs every operator with every bound on one vector.
func TestCompareEveryOp(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		dst := make([]uint64, 32)
		v := make([]float64, 2048)
		for i := range v {
			v[i] = floatBounds[(i*7)%len(floatBounds)]
		}
		for _, op := range everyOp {
			for _, bound := range floatBounds {
				CompareFloat64(dst, v, op, bound)
				for i, x := range v {
					if got, want := dst[i/64]>>(i%64)&1 != 0, wantOp(op, orderFloat(x, bound)); got != want {
						t.Fatalf("%v %v %v is %t, want %t", x, op, bound, got, want)
					}
				}
			}
		}
	})
}

func TestCompareColumns(t *testing.T) {
	r := newRand(t)
	for _, n := range []int{0, 1, 63, 64, 65, 500} {
		a, b := make([]int64, n), make([]int64, n+1)
		f, g := make([]float64, n), make([]float64, n+1)
		for i := range n {
			a[i], b[i] = r.Int64N(3), r.Int64N(3)
			f[i], g[i] = floatBounds[r.IntN(len(floatBounds))], floatBounds[r.IntN(len(floatBounds))]
		}
		ints, floats := make([]uint64, wordsFor(n)), make([]uint64, wordsFor(n))
		for _, op := range everyOp {
			CompareColumnsInt(ints, a, b, op)
			CompareColumnsFloat(floats, f, g, op)
			for i := range 64 * wordsFor(n) {
				got := ints[i/64]>>(i%64)&1 != 0
				if want := i < n && wantOp(op, cmp.Compare(a[min(i, n-1)], b[min(i, n-1)])); got != want {
					t.Fatalf("n=%d: row %d, operator %v is %t, want %t", n, i, op, got, want)
				}
				got = floats[i/64]>>(i%64)&1 != 0
				if want := i < n && wantOp(op, orderFloat(f[min(i, n-1)], g[min(i, n-1)])); got != want {
					t.Fatalf("n=%d: row %d, %v %v %v is %t, want %t", n, i, f[i], op, g[i], got, want)
				}
			}
		}
	}
}

func TestCompareMisuse(t *testing.T) {
	one := make([]uint64, 1)
	mustPanic(t, "CompareInt64 with a short result", func() { CompareInt64(one, make([]int64, 65), Eq, 0) })
	mustPanic(t, "CompareInt32 with a short result", func() { CompareInt32(one, make([]int32, 65), Eq, 0) })
	mustPanic(t, "CompareInt16 with a short result", func() { CompareInt16(one, make([]int16, 65), Eq, 0) })
	mustPanic(t, "CompareFloat64 with a short result", func() { CompareFloat64(one, make([]float64, 65), Eq, 0) })
	mustPanic(t, "CompareFloat32 with an unknown operator", func() { CompareFloat32(one, make([]float32, 1), Ge+1, 0) })
	mustPanic(t, "CompareColumnsInt of unequal columns", func() { CompareColumnsInt(one, make([]int64, 2), make([]int64, 1), Eq) })
	if got := []string{Eq.String(), Ne.String(), Lt.String(), Le.String(), Gt.String(), Ge.String(), Op(9).String()}; !slices.Equal(got,
		[]string{"=", "<>", "<", "<=", ">", ">=", "Op(9)"}) {
		t.Errorf("names of operators: %q", got)
	}
}
