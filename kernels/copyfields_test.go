package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ingotdb/ingot/internal/guard"
)

// TestCopyFields places random fields, some records of which have no room or lead outside
// the block, between unreadable pages.
func TestCopyFields(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(63, 64))
		for round := range 300 {
			stride := 1 + r.IntN(3)
			n := r.IntN(140)
			longest := []int{3, 17, 40, 300}[round%4]
			var block []byte
			for i := range n * stride {
				block = append(block, digitString(r, r.IntN(longest))...)
				block = append(block, ",\n"[i%stride/max(1, stride-1)])
			}
			if stride == 1 {
				for i, c := range block {
					if c == ',' {
						block[i] = '\n'
					}
				}
			}
			seps := separators(block)
			if n > 0 && round%2 == 0 {
				block = block[:len(block)-1]
			}
			if n > 0 && round%5 == 0 {
				seps[r.IntN(len(seps))] = []uint32{0, 3, uint32(len(block)), uint32(len(block)) + 1, 1 << 31, ^uint32(0)}[r.IntN(6)]
			}
			source := guard.New(len(block))
			copy(source.Bytes(), block)
			base := r.IntN(5)
			col := r.IntN(stride)
			sizes := []int{len(block) + base + CopySlack, r.IntN(len(block)+base+CopySlack) + base}
			for _, size := range sizes {
				target := guard.New(size)
				want, wantOffsets, wantNull := make([]byte, size), make([]int32, n+1), make([]uint64, (n+63)/64)
				gotOffsets, gotNull := make([]int32, n+1), make([]uint64, (n+63)/64)
				wantOffsets[0], gotOffsets[0] = int32(base), int32(base)
				wantN := copyFieldsRef(want, wantOffsets, wantNull, block, seps[col:], stride, 0)
				gotN := CopyFields(target.Bytes(), gotOffsets, gotNull, source.Bytes(), seps, stride, col, 0)
				if gotN != wantN || !slices.Equal(gotOffsets[:gotN+1], wantOffsets[:wantN+1]) {
					t.Fatalf("seed 63,64 round %d size %d: %d records, offsets %v; want %d, %v", round, size, gotN, gotOffsets, wantN, wantOffsets)
				}
				end := gotOffsets[gotN]
				if string(target.Bytes()[base:max(int(end), base)]) != string(want[base:max(int(end), base)]) {
					t.Fatalf("seed 63,64 round %d size %d: bytes differ", round, size)
				}
				for i := range gotN / 64 * 64 {
					if (gotNull[i/64]^wantNull[i/64])>>(i%64)&1 != 0 {
						t.Fatalf("seed 63,64 round %d: null bit %d", round, i)
					}
				}
				if gotN == n && !slices.Equal(gotNull, wantNull) {
					t.Fatalf("seed 63,64 round %d: null %#x, want %#x", round, gotNull, wantNull)
				}
				closeAll(t, target)
			}
			closeAll(t, source)
		}
	})
}

func TestCopyFieldsMisuse(t *testing.T) {
	one, none := []int32{0}, []uint32{0}
	if CopyFields(nil, one, nil, nil, none, 1, 0, 0) != 0 {
		t.Error("records of nothing")
	}
	mustPanic(t, "no offsets", func() { CopyFields(nil, nil, nil, nil, none, 1, 0, 0) })
	mustPanic(t, "negative offset", func() { CopyFields(nil, []int32{-1}, nil, nil, none, 1, 0, 0) })
	mustPanic(t, "short seps", func() { CopyFields(nil, []int32{0, 0}, make([]uint64, 1), nil, none, 1, 0, 0) })
	mustPanic(t, "short null", func() { CopyFields(nil, []int32{0, 0}, nil, nil, []uint32{0, 0}, 1, 0, 0) })
	mustPanic(t, "column", func() { CopyFields(nil, one, nil, nil, none, 1, 1, 0) })
}
