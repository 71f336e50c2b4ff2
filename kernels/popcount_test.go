package kernels

import "testing"

func TestPopCount(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := newRand(t)
		p := place(t, 4*32+5+maxOffset, func() uint64 { return randomWord(r) })
		for _, n := range runLengths() {
			p.cuts(n, func(where string, words []uint64) {
				if got, want := PopCount(words, 64*n), popCountRef(words); got != want {
					t.Fatalf("%s: %d set bits, want %d", where, got, want)
				}
			})
		}
		// Bits past n are ignored.
		for n := range 300 {
			want := 0
			for i := range n {
				want += int(p.atStart[i/64] >> (i % 64) & 1)
			}
			if got := PopCount(p.atStart, n); got != want {
				t.Errorf("PopCount(%d rows) = %d, want %d", n, got, want)
			}
		}
	})
}

// TestPopCountFull has every bit set, the largest sums that a lane must hold.
func TestPopCountFull(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		words := make([]uint64, 8192)
		for i := range words {
			words[i] = ^uint64(0)
		}
		if got := PopCount(words, 64*len(words)); got != 64*len(words) {
			t.Errorf("%d set bits, want %d", got, 64*len(words))
		}
	})
}
