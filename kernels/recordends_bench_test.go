package kernels

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// csvBlock returns n bytes of rows of ten integers of about nine digits, with every
// field in quotes if quoted.
func csvBlock(n int, quoted bool) []byte {
	r := rand.New(rand.NewPCG(5, 6))
	var b bytes.Buffer
	format := "%d"
	if quoted {
		format = `"%d"`
	}
	for b.Len() < n {
		for i := range 10 {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, r.IntN(1_000_000_000))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()[:n]
}

// sparselyQuoted returns n bytes of text in which one field of about eight has quotes.
func sparselyQuoted(n int) []byte {
	r := rand.New(rand.NewPCG(7, 8))
	var b bytes.Buffer
	for b.Len() < n {
		if r.IntN(8) == 0 {
			fmt.Fprintf(&b, `"%d, x",`, r.IntN(1_000_000))
		} else {
			fmt.Fprintf(&b, "%d,", r.IntN(1_000_000_000))
		}
		if r.IntN(10) == 0 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()[:n]
}

func BenchmarkCountRecordEnds(b *testing.B) {
	const n = 64 << 10
	inputs := []struct {
		name string
		b    []byte
	}{
		{"unquoted", csvBlock(n, false)},
		{"sparse", sparselyQuoted(n)},
		{"quoted", csvBlock(n, true)},
	}
	forEachLevel(b, func(b *testing.B) {
		for _, in := range inputs {
			b.Run("text="+in.name, func(b *testing.B) {
				b.SetBytes(int64(len(in.b)))
				for b.Loop() {
					CountRecordEnds(in.b, '"', '\n')
				}
			})
		}
	})
}
