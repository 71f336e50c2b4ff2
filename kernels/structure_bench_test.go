package kernels

import "testing"

func BenchmarkIndexStructure(b *testing.B) {
	const n = 32 << 10
	inputs := []struct {
		name string
		b    []byte
	}{
		{"integers", csvBlock(n, false)},
		{"sparse", sparselyQuoted(n)},
		{"quoted", csvBlock(n, true)},
		{"empty", emptyFields(n)},
	}
	dst, quoteBits := make([]uint32, n), make([]uint64, n/64)
	forEachLevel(b, func(b *testing.B) {
		for _, in := range inputs {
			b.Run("text="+in.name, func(b *testing.B) {
				b.SetBytes(int64(len(in.b)))
				for b.Loop() {
					IndexStructure(dst, quoteBits, in.b, ',', '"', '\n', '\r', false)
				}
			})
		}
	})
}

// emptyFields returns n bytes of separators only, the densest input there is.
func emptyFields(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = ','
		if i%10 == 9 {
			b[i] = '\n'
		}
	}
	return b
}
