package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ingotdb/ingot/internal/guard"
)

// syntax is the byte parameters of IndexStructure.
type syntax struct{ delim, quote, eol, other byte }

var (
	csvSyntax  = syntax{',', '"', '\n', '\r'}
	textSyntax = syntax{'\t', '\n', '\n', '\r'}
)

// structureOut holds the outputs of one IndexStructure call, placed against guard pages.
type structureOut struct {
	dstBuffer, bitsBuffer *guard.Buffer
}

// newStructureOut returns outputs of exactly the size that n bytes need.
func newStructureOut(n int) structureOut {
	return structureOut{guard.New(4 * n), guard.New((n + 63) / 64 * 8)}
}

func checkStructure(t *testing.T, what string, out structureOut, b []byte, x syntax, inQuote bool) {
	t.Helper()
	words := (len(b) + 63) / 64
	wantDst, wantBits := make([]uint32, len(b)), make([]uint64, words)
	want := indexStructureRef(wantDst, wantBits, b, x.delim, x.quote, x.eol, x.other, inQuote)

	dst, quoteBits := guard.Slice[uint32](out.dstBuffer), guard.Slice[uint64](out.bitsBuffer)
	dst, quoteBits = dst[len(dst)-len(b):], quoteBits[len(quoteBits)-words:]
	for i := range quoteBits {
		quoteBits[i] = 0x5a5a5a5a5a5a5a5a
	}
	s := IndexStructure(dst, quoteBits, b, x.delim, x.quote, x.eol, x.other, inQuote)
	if s != want {
		t.Fatalf("%s: IndexStructure = %+v, want %+v\nb = %q", what, s, want, b)
	}
	if !slices.Equal(dst[:s.Seps], wantDst[:s.Seps]) {
		t.Fatalf("%s: positions %v\nwant %v\nb = %q", what, dst[:s.Seps], wantDst[:s.Seps], b)
	}
	if !slices.Equal(quoteBits, wantBits) {
		t.Fatalf("%s: quote bits %#x\nwant %#x\nb = %q", what, quoteBits, wantBits, b)
	}
}

func TestIndexStructureCases(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			b       string
			x       syntax
			inQuote bool
			seps    []uint32
			quotes  uint64
			want    Structure
		}{
			{"", csvSyntax, false, nil, 0, Structure{}},
			{"", csvSyntax, true, nil, 0, Structure{InQuote: true}},
			{"a,b\r\n", csvSyntax, false, []uint32{1, 4}, 0, Structure{Seps: 2, Ends: 1, Others: 1}},
			{"\"a,b\",c\n", csvSyntax, false, []uint32{5, 7}, 0b10001, Structure{Seps: 2, Ends: 1, Quotes: 2}},
			{"a,\"\n", csvSyntax, true, []uint32{3}, 0b100, Structure{Seps: 1, Ends: 1, Quotes: 1}},
			{"\"\n\r,", csvSyntax, false, nil, 1, Structure{Quotes: 1, InQuote: true}},
			{"\"a\tb\"\n", textSyntax, false, []uint32{2, 5}, 0, Structure{Seps: 2, Ends: 1}},
			{"a\tb\n", textSyntax, true, nil, 0, Structure{InQuote: true}},
		} {
			dst, quoteBits := make([]uint32, len(c.b)), make([]uint64, 1)
			s := IndexStructure(dst, quoteBits, []byte(c.b), c.x.delim, c.x.quote, c.x.eol, c.x.other, c.inQuote)
			if s != c.want || !slices.Equal(dst[:s.Seps], c.seps) || quoteBits[0] != c.quotes {
				t.Errorf("IndexStructure(%q, inQuote %t) = %+v, %v, %b; want %+v, %v, %b",
					c.b, c.inQuote, s, dst[:s.Seps], quoteBits[0], c.want, c.seps, c.quotes)
			}
		}
	})
}

// TestIndexStructure runs every length at every start offset with input and outputs
// against unreadable pages, from no separator to almost nothing else.
func TestIndexStructure(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for _, n := range kernelLengths() {
			end, start, out := guard.New(n+64), guard.NewAtStart(n+64), newStructureOut(n+64)
			for _, rest := range []string{"abc", "0123456789012,\n\r", ",\n", ",,\n\r\"\""} {
				fillText(r, end.Bytes(), '"', 0.02, rest)
				copy(start.Bytes(), end.Bytes())
				for off := range 64 {
					what := fmt.Sprintf("n=%d off=%d rest=%q", n, off, rest)
					checkStructure(t, what+" at end", out, end.Bytes()[64-off:][:n+off], csvSyntax, off%2 != 0)
					checkStructure(t, what+" at start", out, start.Bytes()[off:][:n], csvSyntax, off%2 == 0)
				}
				checkStructure(t, "no quote byte", out, end.Bytes(), textSyntax, false)
			}
			closeAll(t, end, start, out.dstBuffer, out.bitsBuffer)
		}
	})
}

// TestIndexStructureBytes tries every byte value in every role on data that holds all of
// them.
func TestIndexStructureBytes(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 14))
		b := make([]byte, 2048+17)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		out := newStructureOut(len(b))
		defer closeAll(t, out.dstBuffer, out.bitsBuffer)
		for c := range 256 {
			x := syntax{byte(c), byte(c + 1), byte(c + 2), byte(c + 3)}
			checkStructure(t, fmt.Sprintf("%+v", x), out, b, x, false)
			x.quote = x.eol
			checkStructure(t, fmt.Sprintf("%+v", x), out, b, x, false)
			x.other = x.eol
			checkStructure(t, fmt.Sprintf("%+v", x), out, b, x, false)
		}
	})
}

// TestIndexStructureCounts puts every number of separators from 0 to 64 into one block,
// so that each way through the stores is taken.
func TestIndexStructureCounts(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		out := newStructureOut(64)
		defer closeAll(t, out.dstBuffer, out.bitsBuffer)
		for n := range 65 {
			b := make([]byte, 64)
			for _, i := range r.Perm(64)[:n] {
				b[i] = ",\n"[r.IntN(2)]
			}
			checkStructure(t, fmt.Sprintf("%d separators", n), out, b, csvSyntax, false)
		}
	})
}

func TestIndexStructureMisuse(t *testing.T) {
	b, dst, quoteBits := make([]byte, 65), make([]uint32, 65), make([]uint64, 2)
	for name, f := range map[string]func(){
		"delim is quote":  func() { IndexStructure(dst, quoteBits, b, '"', '"', '\n', '\r', false) },
		"delim is eol":    func() { IndexStructure(dst, quoteBits, b, '\n', '"', '\n', '\r', false) },
		"other is quote":  func() { IndexStructure(dst, quoteBits, b, ',', '"', '\n', '"', false) },
		"short dst":       func() { IndexStructure(dst[:64], quoteBits, b, ',', '"', '\n', '\r', false) },
		"short quoteBits": func() { IndexStructure(dst, quoteBits[:1], b, ',', '"', '\n', '\r', false) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
