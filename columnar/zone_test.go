package columnar

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestHeadOrders holds that heads order as the bytes do, with ties only between values
// that share them.
func TestHeadOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func() []byte {
		b := make([]byte, rng.IntN(11))
		for i := range b {
			b[i] = []byte{0, 1, 'a', 'b', 0xff}[rng.IntN(5)]
		}
		return b
	}
	for range 200_000 {
		a, b := draw(), draw()
		x, y := headOf(a), headOf(b)
		pad := func(s []byte) []byte {
			return append(append([]byte{}, s[:min(len(s), 8)]...), make([]byte, 8-min(len(s), 8))...)
		}
		if c := bytes.Compare(pad(a), pad(b)); (c < 0) != (x < y) || (c > 0) != (x > y) {
			t.Fatalf("%x and %x have heads %016x and %016x", a, b, x, y)
		}
	}
}

func BenchmarkZoneTexts(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	v := Vec{typ: Type{Kind: Text}, n: 131072, offs: make([]int32, 1, 131073)}
	for range v.n {
		n := 3
		for range n {
			v.data = append(v.data, 'A'+byte(rng.IntN(26)))
		}
		v.offs = append(v.offs, int32(len(v.data)))
	}
	for b.Loop() {
		zoneOf(&v, 0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(v.n), "ns/row")
}
