package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ingotdb/ingot/internal/guard"
)

// checkStringStops compares MarkStringStops with its definition; out has at least the
// words that b needs, and their end is what is written.
func checkStringStops(t *testing.T, what string, out *guard.Buffer, b []byte) {
	t.Helper()
	words := (len(b) + 63) / 64
	want := make([]uint64, words)
	wantASCII := markStringStopsRef(want, b)
	dst := guard.Slice[uint64](out)
	dst = dst[len(dst)-words:]
	for i := range dst {
		dst[i] = 0x5a5a5a5a5a5a5a5a
	}
	if ascii := MarkStringStops(dst, b); ascii != wantASCII {
		t.Fatalf("%s: ascii %t, want %t\nb = %q", what, ascii, wantASCII, b)
	}
	if !slices.Equal(dst, want) {
		t.Fatalf("%s: marks %#x\nwant %#x\nb = %q", what, dst, want, b)
	}
}

func TestMarkStringStopsCases(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			b     string
			marks uint64
			ascii bool
		}{
			{"", 0, true},
			{"{\"a\":1}\n", 0b10001010, true},
			{"a\\\"\x1f\x20\x7f", 0b1110, true},
			{"\x00\u00dc", 0b1, false},
		} {
			dst := make([]uint64, 1)
			if ascii := MarkStringStops(dst, []byte(c.b)); dst[0] != c.marks || ascii != c.ascii {
				t.Errorf("MarkStringStops(%q) = %b, %t; want %b, %t", c.b, dst[0], ascii, c.marks, c.ascii)
			}
		}
	})
}

// TestMarkStringStops runs every length at every start offset with input and output
// against unreadable pages.
func TestMarkStringStops(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(21, 22))
		for _, n := range kernelLengths() {
			end, start, out := guard.New(n+64), guard.NewAtStart(n+64), guard.New((n+127)/64*8)
			for _, rest := range []string{"abc", "ab\\\x1f\x20\n\x00~", "\"\\\x01", "äöß\""} {
				fillText(r, end.Bytes(), '"', 0.05, rest)
				copy(start.Bytes(), end.Bytes())
				for off := range 64 {
					what := fmt.Sprintf("n=%d off=%d rest=%q", n, off, rest)
					checkStringStops(t, what+" at end", out, end.Bytes()[64-off:][:n+off])
					checkStringStops(t, what+" at start", out, start.Bytes()[off:][:n])
				}
			}
			closeAll(t, end, start, out)
		}
	})
}

// TestMarkStringStopsBytes puts every byte at every place of a block, among blanks.
func TestMarkStringStopsBytes(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		b := make([]byte, 64+17)
		out := guard.New(16)
		defer closeAll(t, out)
		for c := range 256 {
			for at := range b {
				for i := range b {
					b[i] = ' '
				}
				b[at] = byte(c)
				checkStringStops(t, fmt.Sprintf("%#02x at %d", c, at), out, b)
			}
		}
	})
}

func TestMarkStringStopsMisuse(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("one word for 65 bytes is taken")
		}
	}()
	MarkStringStops(make([]uint64, 1), make([]byte, 65))
}

func FuzzMarkStringStops(f *testing.F) {
	f.Add([]byte(`{"a":"b\"c","d":[1,2]}` + "\r\n"))
	f.Add(make([]byte, 200))
	out := guard.New(64 << 10 / 8)
	defer closeAll(f, out)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 64<<10 {
			return
		}
		for _, l := range Levels() {
			undo := SetLevelForTest(l)
			checkStringStops(t, l.String(), out, b)
			undo()
		}
	})
}

func BenchmarkMarkStringStops(b *testing.B) {
	in := make([]byte, 32<<10)
	fillText(rand.New(rand.NewPCG(23, 24)), in, '"', 0.1, "abcdefgh:,{}0123456789")
	dst := make([]uint64, len(in)/64)
	forEachLevel(b, func(b *testing.B) {
		b.SetBytes(int64(len(in)))
		for b.Loop() {
			MarkStringStops(dst, in)
		}
	})
}
