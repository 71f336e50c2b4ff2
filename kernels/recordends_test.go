package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ingotdb/ingot/internal/guard"
)

// kernelLengths are the input lengths, in bytes, at which the byte kernels are tested:
// every one up to past four vectors, then the edges of a group and of a row vector.
func kernelLengths() []int {
	var n []int
	for i := 0; i <= 4*32+1; i++ {
		n = append(n, i)
	}
	return append(n, 191, 192, 193, 255, 256, 257, 319, 320, 511, 512, 513, 2047, 2048, 2049)
}

// fillText fills b with bytes of alphabet, where each quote-like first byte appears with
// probability rare and the rest evenly.
func fillText(r *rand.Rand, b []byte, first byte, rare float64, rest string) {
	for i := range b {
		if r.Float64() < rare {
			b[i] = first
		} else {
			b[i] = rest[r.IntN(len(rest))]
		}
	}
}

func checkRecordEnds(t *testing.T, what string, b []byte, quote, eol byte) {
	t.Helper()
	o, i, q := CountRecordEnds(b, quote, eol)
	wo, wi, wq := countRecordEndsRef(b, quote, eol)
	if o != wo || i != wi || q != wq {
		t.Fatalf("%s: CountRecordEnds = %d, %d, %d; want %d, %d, %d\nb = %q", what, o, i, q, wo, wi, wq, b)
	}
}

func TestCountRecordEndsCases(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			b                       string
			outside, inside, quotes int
		}{
			{"", 0, 0, 0},
			{"\n", 1, 0, 0},
			{"a,b\nc,d\n", 2, 0, 0},
			{"\"a\nb\"\n", 1, 1, 2},
			{"a\"\nb", 0, 1, 1},
			{"\"\"\n\"\"\"\n", 1, 1, 5},
		} {
			o, i, q := CountRecordEnds([]byte(c.b), '"', '\n')
			if o != c.outside || i != c.inside || q != c.quotes {
				t.Errorf("CountRecordEnds(%q) = %d, %d, %d; want %d, %d, %d", c.b, o, i, q, c.outside, c.inside, c.quotes)
			}
		}
	})
}

// TestCountRecordEnds runs every length at every start offset against an unreadable page
// on either side, for inputs without, with few and with many quotes.
func TestCountRecordEnds(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range kernelLengths() {
			end, start := guard.New(n+64), guard.NewAtStart(n+64)
			for _, rare := range []float64{0, 0.003, 0.2} {
				fillText(r, end.Bytes(), '"', rare, "abc,,\n")
				copy(start.Bytes(), end.Bytes())
				for off := range 64 {
					checkRecordEnds(t, fmt.Sprintf("n=%d off=%d rare=%g at end", n, off, rare), end.Bytes()[64-off:][:n+off], '"', '\n')
					checkRecordEnds(t, fmt.Sprintf("n=%d off=%d rare=%g at start", n, off, rare), start.Bytes()[off:][:n], '"', '\n')
				}
			}
			closeAll(t, end, start)
		}
	})
}

func closeAll(t testing.TB, buffers ...*guard.Buffer) {
	t.Helper()
	for _, b := range buffers {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCountRecordEndsBytes tries every byte value as quote and as eol on data that holds
// all of them.
func TestCountRecordEndsBytes(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		b := make([]byte, 4096+17)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		for c := range 256 {
			checkRecordEnds(t, fmt.Sprintf("quote=%#x", c), b, byte(c), byte(c+1))
			checkRecordEnds(t, fmt.Sprintf("eol=%#x", c), b, byte(c+128), byte(c))
		}
	})
}

// TestCountRecordEndsSaturation fills whole blocks with one byte, so that every lane
// counter takes its largest value.
func TestCountRecordEndsSaturation(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		b := make([]byte, 64<<10)
		for i := range b {
			b[i] = '\n'
		}
		checkRecordEnds(t, "all eol", b, '"', '\n')
		checkRecordEnds(t, "all quote", b, '\n', '"')
		b[7] = '"'
		checkRecordEnds(t, "one quote, all eol", b, '"', '\n')
	})
}

func TestCountRecordEndsMisuse(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("quote == eol did not panic")
		}
	}()
	CountRecordEnds([]byte("a"), 'x', 'x')
}
