package ndjson

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// countNaive returns the record ends of text and whether its last line holds something,
// if the line it starts in does or not.
func countNaive(text string, open bool) (ends int64, after bool) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		some := strings.Trim(line, " \t\r") != "" || i == 0 && open
		if i == len(lines)-1 {
			return ends, some
		}
		if some {
			ends++
		}
	}
	return 0, false
}

func checkTally(t *testing.T, text string, tally Tally) {
	t.Helper()
	if lines := int64(strings.Count(text, "\n")); tally.Lines != lines {
		t.Fatalf("%q: %d lines, want %d", text, tally.Lines, lines)
	}
	for _, open := range []bool{false, true} {
		ends, after := tally.Records(open)
		if wantEnds, wantAfter := countNaive(text, open); ends != wantEnds || after != wantAfter {
			t.Fatalf("%q, open %t: %d %t, want %d %t (%+v)", text, open, ends, after, wantEnds, wantAfter, tally)
		}
		for k := int64(1); k <= ends+1; k++ {
			p := After([]byte(text), open, k)
			if k > ends {
				if p >= 0 {
					t.Fatalf("%q, open %t: record %d of %d ends at %d", text, open, k, ends, p)
				}
				continue
			}
			if before, _ := countNaive(text[:p], open); before != k || text[p-1] != '\n' {
				t.Fatalf("%q, open %t: record %d ends at %d", text, open, k, p)
			}
			if before, _ := countNaive(text[:p-1], open); before != k-1 {
				t.Fatalf("%q, open %t: record %d ends before %d", text, open, k, p)
			}
		}
	}
}

// TestTally cuts random lines into random ranges, composed in a random order.
func TestTally(t *testing.T) {
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 0))
	for range 6000 {
		b := make([]byte, r.IntN(24))
		for i := range b {
			b[i] = " \t\r\n\n\n{x"[r.IntN(8)]
		}
		text := string(b)
		checkTally(t, text, Count(b))
		var parts []Tally
		for rest := b; ; {
			n := r.IntN(len(rest) + 1)
			parts = append(parts, Count(rest[:n]))
			if rest = rest[n:]; len(rest) == 0 {
				break
			}
		}
		for len(parts) > 1 {
			i := r.IntN(len(parts) - 1)
			parts[i] = parts[i].Then(parts[i+1])
			parts = append(parts[:i+1], parts[i+2:]...)
		}
		checkTally(t, text, parts[0])
		checkTally(t, text, Tally{}.Then(parts[0]).Then(Tally{}))
	}
}
