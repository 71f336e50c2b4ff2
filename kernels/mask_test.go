package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ingotdb/ingot/internal/guard"
)

// maxOffset is the largest start offset that the placement tests use, in values.
const maxOffset = 63

// testLengths are the lengths of values that the placement tests use: every length
// around the first four blocks of 64, and those around one vector.
func testLengths() []int {
	var n []int
	for i := 0; i <= 4*wordBits+1; i++ {
		n = append(n, i)
	}
	return append(n, 2047, 2048, 2049)
}

// placed is memory with an unreadable page on each side: atEnd ends at one, atStart
// begins behind one. Both hold the same random values.
type placed[T any] struct{ atEnd, atStart []T }

// place returns n values made by fill, in both positions.
func place[T any](t testing.TB, n int, fill func() T) placed[T] {
	var zero T
	end, start := guard.New(n*int(unsafe.Sizeof(zero))), guard.NewAtStart(n*int(unsafe.Sizeof(zero)))
	t.Cleanup(func() { end.Close(); start.Close() })
	p := placed[T]{guard.Slice[T](end), guard.Slice[T](start)}
	for i := range p.atEnd {
		p.atEnd[i] = fill()
	}
	copy(p.atStart, p.atEnd)
	return p
}

// cuts calls f with n values that touch the unreadable page behind them, n that touch the
// one before them, and n at every other start offset.
func (p placed[T]) cuts(n int, f func(where string, v []T)) {
	for offset := 0; offset <= maxOffset && offset+n <= len(p.atEnd); offset++ {
		end := len(p.atEnd) - offset
		f(fmt.Sprintf("n=%d, %d before the end", n, offset), p.atEnd[end-n:end:end])
		f(fmt.Sprintf("n=%d, %d after the start", n, offset), p.atStart[offset:offset+n:offset+n])
	}
}

// newRand returns the source of a test's random values; the seed is printed on failure.
func newRand(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with rand.NewPCG(%d, 0) in newRand", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// randomWord returns all zeros, all ones, few ones, few zeros or any bits.
func randomWord(r *rand.Rand) uint64 {
	switch r.IntN(5) {
	case 0:
		return 0
	case 1:
		return ^uint64(0)
	case 2:
		return 1 << r.IntN(64)
	case 3:
		return ^(uint64(1) << r.IntN(64))
	default:
		return r.Uint64()
	}
}

// validities returns a function that gives the validity of n values, at most most:
// mixed words, all and none among them, that end at an unreadable page.
func validities(t testing.TB, r *rand.Rand, most int) func(n int) []uint64 {
	p := place(t, wordsFor(most), func() uint64 { return randomWord(r) })
	return func(n int) []uint64 { return p.atEnd[len(p.atEnd)-wordsFor(n):] }
}

// mustPanic fails the test if f returns.
func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

func TestWholeWords(t *testing.T) {
	v := make([]int64, 130)
	head, tail, headValid, tailValid := wholeWords(v, []uint64{1, 2, 3})
	if len(head) != 128 || len(tail) != 2 || len(headValid) != 2 || len(tailValid) != 1 || tailValid[0] != 3 {
		t.Errorf("130 values: %d + %d values, validity %v and %v", len(head), len(tail), headValid, tailValid)
	}
	if _, _, a, b := wholeWords(v, nil); a != nil || b != nil {
		t.Errorf("nil validity became %v and %v", a, b)
	}
}
