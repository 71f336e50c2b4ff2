package kernels

import "testing"

func TestStrictlyIncreasing(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		next64, next32 := int64(-1<<40), int32(-1<<20)
		p64 := place(t, 2049+maxOffset, func() int64 { next64 += 1 + next64&1<<33; return next64 })
		p32 := place(t, 2049+maxOffset, func() int32 { next32 += 1 + next32&3; return next32 })
		for _, n := range testLengths() {
			p64.cuts(n, func(where string, v []int64) {
				if !StrictlyIncreasingInt64(v) {
					t.Fatalf("int64, %s: not increasing", where)
				}
			})
			p32.cuts(n, func(where string, v []int32) {
				if !StrictlyIncreasingInt32(v) {
					t.Fatalf("int32, %s: not increasing", where)
				}
			})
		}
	})
}

// TestStrictlyIncreasingEach has one pair out of order, at every place of every length.
func TestStrictlyIncreasingEach(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		for n := 2; n <= 200; n++ {
			v64, v32 := make([]int64, n), make([]int32, n)
			for i := range v64 {
				v64[i], v32[i] = int64(i)*2-100, int32(i)*2-100
			}
			for i := 1; i < n; i++ {
				for _, wrong := range []int64{v64[i-1], v64[i-1] - 1} {
					right := v64[i]
					v64[i], v32[i] = wrong, int32(wrong)
					if StrictlyIncreasingInt64(v64) || StrictlyIncreasingInt32(v32) {
						t.Fatalf("n=%d: value %d is %d after %d, and not found", n, i, wrong, v64[i-1])
					}
					v64[i], v32[i] = right, int32(right)
				}
			}
		}
		// The differences of extremes overflow; the comparison must not.
		extremes := make([]int64, 40)
		for i := range extremes {
			extremes[i] = int64(i - 20)
		}
		extremes[0], extremes[39] = -1<<63, 1<<63-1
		if !StrictlyIncreasingInt64(extremes) {
			t.Error("extremes are not increasing")
		}
	})
}
