package kernels

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ingotdb/ingot/internal/guard"
)

// checkText compares both text kernels with their definitions on text at the end and at
// the start of a readable page.
func checkText(t *testing.T, what string, text []byte) {
	t.Helper()
	end, start := guard.New(len(text)), guard.NewAtStart(len(text))
	defer closeAll(t, end, start)
	for _, g := range []*guard.Buffer{end, start} {
		copy(g.Bytes(), text)
		if got, want := ValidUTF8(g.Bytes()), utf8.Valid(text); got != want {
			t.Fatalf("%s: ValidUTF8 of %d bytes is %v, want %v: % x", what, len(text), got, want, text)
		}
		if got, want := AllASCII(g.Bytes()), allASCIIRef(text); got != want {
			t.Fatalf("%s: AllASCII of %d bytes is %v, want %v: % x", what, len(text), got, want, text)
		}
	}
}

// TestTextPairs puts every two bytes, alone and behind each kind of first byte, to every
// place of two blocks.
func TestTextPairs(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		text := make([]byte, 96)
		for _, before := range []string{"", "\xc3", "\xe0", "\xe1", "\xed", "\xef", "\xf0", "\xf1", "\xf4", "\xe1\x80", "\xf1\x80", "\xf4\x8f"} {
			for pair := range 1 << 16 {
				at := pair % 64
				for i := range text {
					text[i] = 'x'
				}
				n := at + copy(text[at:], before)
				text[n], text[n+1] = byte(pair>>8), byte(pair)
				for _, b := range [][]byte{text, text[:n+2]} {
					if got, want := ValidUTF8(b), utf8.Valid(b); got != want {
						t.Fatalf("%q then %#04x at %d of %d: %v, want %v", before, pair, at, len(b), got, want)
					}
				}
			}
		}
	})
}

// TestTextRandom changes, cuts and joins valid text.
func TestTextRandom(t *testing.T) {
	runes := []rune("aZ0\x00\x7f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffffß我😀")
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(71, 72))
		for round := range 1000 {
			var b strings.Builder
			for range r.IntN(120) {
				if round%3 == 0 {
					b.WriteByte(byte('a' + r.IntN(26)))
					continue
				}
				b.WriteRune(runes[r.IntN(len(runes))])
			}
			text := []byte(b.String())
			checkText(t, fmt.Sprintf("seed 71,72 round %d, valid", round), text)
			if len(text) == 0 {
				continue
			}
			checkText(t, fmt.Sprintf("seed 71,72 round %d, cut", round), text[:r.IntN(len(text))])
			text[r.IntN(len(text))] = byte(r.Uint32())
			checkText(t, fmt.Sprintf("seed 71,72 round %d, changed", round), text)
		}
	})
}

// TestTextLengths sets one byte of plain text to 0x80 or 0xff, everywhere.
func TestTextLengths(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 129, 160, 191, 255, 300} {
			text := []byte(strings.Repeat("a", n))
			checkText(t, "plain", text)
			for i := range text {
				text[i] = 0x80 | byte(i*0x7f)
				checkText(t, fmt.Sprint("byte ", i), text)
				text[i] = 'a'
			}
		}
	})
}

// TestTextLong has text that is longer than one call gets, with characters of every length
// across the ends of the pieces, and bytes there that make it invalid.
func TestTextLong(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		for _, char := range []string{"a", "ß", "我", "😀"} {
			for shift := range 4 {
				text := []byte(strings.Repeat("x", shift) + strings.Repeat(char, (2*maxCallBytes+100)/len(char)))
				if !ValidUTF8(text) {
					t.Fatalf("%d bytes of %q behind %d are not valid", len(text), char, shift)
				}
				for _, edge := range []int{maxCallBytes, 2 * maxCallBytes, len(text)} {
					for at := edge - 5; at < min(edge+4, len(text)); at++ {
						was := text[at]
						for _, c := range []byte{'x', 0x80, 0xf0} {
							text[at] = c
							if got, want := ValidUTF8(text), utf8.Valid(text); got != want {
								t.Fatalf("%q behind %d, %#02x at %d: %v, want %v", char, shift, c, at, got, want)
							}
						}
						text[at] = was
					}
					if got, want := ValidUTF8(text[:edge]), utf8.Valid(text[:edge]); got != want {
						t.Fatalf("%q behind %d, cut at %d: %v, want %v", char, shift, edge, got, want)
					}
				}
			}
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add([]byte("Größe 我能吞下玻璃而不伤身体 😀 and some more plain text"))
	f.Add([]byte("0123456789012345678901234567890\xf0\x90\x80\x80"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, l := range Levels() {
			undo := SetLevelForTest(l)
			checkText(t, l.String(), b)
			undo()
		}
	})
}
