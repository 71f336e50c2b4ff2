package kernels

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkParseIntColumn parses the sixth of ten columns; ns/field is the figure to
// compare, bytes are those of the column's fields.
func BenchmarkParseIntColumn(b *testing.B) {
	const records, stride, col = 2048, 10, 5
	r := rand.New(rand.NewPCG(31, 32))
	shapes := []struct {
		name  string
		field func() string
	}{
		{"digits=1-4", func() string { return fmt.Sprint(r.IntN(10_000)) }},
		{"digits=9", func() string { return fmt.Sprint(r.IntN(1_000_000_000)) }},
		{"digits=9/signs", func() string { return fmt.Sprint(r.IntN(1_000_000_000) - 500_000_000) }},
		{"digits=9/null=0.5", func() string {
			if r.IntN(2) == 0 {
				return ""
			}
			return fmt.Sprint(r.IntN(1_000_000_000))
		}},
		{"digits=17-18", func() string { return fmt.Sprint(10_000_000_000_000_000 + r.Int64N(900_000_000_000_000_000)) }},
	}
	null, slow := make([]uint64, records/64), make([]uint64, records/64)
	dst64, dst32, dst16 := make([]int64, records), make([]int32, records), make([]int16, records)
	forEachLevel(b, func(b *testing.B) {
		for _, s := range shapes {
			var text strings.Builder
			for i := range records * stride {
				text.WriteString(s.field())
				text.WriteByte(",\n"[i%stride/(stride-1)])
			}
			block := []byte(text.String())
			seps := separators(block)
			run := func(name string, parse func()) {
				b.Run(s.name+"/type="+name, func(b *testing.B) {
					b.SetBytes(int64(len(block) / stride))
					for b.Loop() {
						parse()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/field")
				})
			}
			run("int64", func() { ParseInt64Column(dst64, null, slow, block, seps, stride, col, 0) })
			if strings.HasPrefix(s.name, "digits=9") {
				run("int32", func() { ParseInt32Column(dst32, null, slow, block, seps, stride, col, 0) })
			}
			if s.name == "digits=1-4" {
				run("int16", func() { ParseInt16Column(dst16, null, slow, block, seps, stride, col, 0) })
			}
		}
	})
}
