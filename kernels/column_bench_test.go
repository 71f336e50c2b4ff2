package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/pgtext"
)

const benchRecords, benchStride, benchCol = 2048, 5, 2

// columnBlock returns a block of records whose fields are all made by field, with its
// separators.
func columnBlock(field func() string) ([]byte, []uint32) {
	var text strings.Builder
	for i := range benchRecords * benchStride {
		text.WriteString(field())
		text.WriteByte(",\n"[i%benchStride/(benchStride-1)])
	}
	block := []byte(text.String())
	return block, separators(block)
}

// BenchmarkColumn parses the third of five columns; ns/field is the figure to compare.
// The sub-benchmark call=field calls internal/pgtext once for every field of the same
// column, as the alternative.
func BenchmarkColumn(b *testing.B) {
	r := rand.New(rand.NewPCG(51, 52))
	null, slow := make([]uint64, benchRecords/64), make([]uint64, benchRecords/64)
	f64, f32 := make([]float64, benchRecords), make([]float32, benchRecords)
	i64, i32 := make([]int64, benchRecords), make([]int32, benchRecords)
	b16, bools := make([]byte, 16*benchRecords), make([]uint64, benchRecords/64)
	date := func() time.Time { return time.Unix(r.Int64N(2_000_000_000), r.Int64N(1_000_000)*1000).UTC() }

	float64s := func(block []byte, seps []uint32) {
		ParseFloat64Column(f64, null, slow, block, seps, benchStride, benchCol, 0)
	}
	decimals := func(block []byte, seps []uint32) {
		ParseDecimal64Column(i64, null, slow, block, seps, benchStride, benchCol, 0, 12, 2)
	}
	timestamps := func(block []byte, seps []uint32) {
		ParseTimestampColumn(i64, null, slow, block, seps, benchStride, benchCol, 0)
	}
	pgFloat64 := func(i int, field []byte) (st pgtext.Status) { f64[i], st = pgtext.Float8(field); return st }
	pgDecimal := func(i int, field []byte) pgtext.Status {
		v, _, st := pgtext.ParseDecimal(field, 12, 2)
		i64[i] = int64(v.Lo)
		return st
	}
	pgTimestamp := func(i int, field []byte) (st pgtext.Status) { i64[i], st = pgtext.Timestamp(field); return st }

	for _, c := range []struct {
		name   string
		field  func() string
		column func(block []byte, seps []uint32)
		single func(i int, field []byte) pgtext.Status
	}{
		{"float64/short", func() string { return strconv.FormatFloat(float64(r.IntN(2000))/8, 'f', -1, 64) }, float64s, pgFloat64},
		{"float64/price", func() string { return strconv.FormatFloat(float64(r.IntN(10_000_000))/100, 'f', 2, 64) }, float64s, pgFloat64},
		{"float64/digits=17", func() string { return strconv.FormatFloat(r.Float64(), 'e', 16, 64)[:18] }, float64s, pgFloat64},
		{"float64/shortest", func() string { return strconv.FormatFloat(r.Float64(), 'g', -1, 64) }, float64s, pgFloat64},
		{"float64/exponent", func() string { return strconv.FormatFloat(math.Float64frombits(r.Uint64N(0x7fe<<52)), 'e', -1, 64) }, float64s, pgFloat64},
		{"float32/shortest", func() string { return strconv.FormatFloat(float64(r.Float32()), 'g', -1, 32) },
			func(block []byte, seps []uint32) {
				ParseFloat32Column(f32, null, slow, block, seps, benchStride, benchCol, 0)
			}, func(i int, field []byte) (st pgtext.Status) { f32[i], st = pgtext.Float4(field); return st }},
		{"decimal64/price", func() string { return fmt.Sprintf("%d.%02d", r.IntN(100_000), r.IntN(100)) }, decimals, pgDecimal},
		{"decimal64/rounded", func() string { return fmt.Sprintf("%d.%04d", r.IntN(100_000)-50_000, r.IntN(10_000)) }, decimals, pgDecimal},
		{"decimal128/digits=25", func() string { return fmt.Sprintf("%d%015d.%02d", 1+r.IntN(100_000_000), r.Int64N(1e15), r.IntN(100)) },
			func(block []byte, seps []uint32) {
				ParseDecimal128Column(b16, null, slow, block, seps, benchStride, benchCol, 0, 38, 2)
			}, func(i int, field []byte) pgtext.Status {
				v, _, st := pgtext.ParseDecimal(field, 38, 2)
				i64[i] = int64(v.Lo)
				return st
			}},
		{"date", func() string { return date().Format(time.DateOnly) }, func(block []byte, seps []uint32) {
			ParseDateColumn(i32, null, slow, block, seps, benchStride, benchCol, 0)
		}, func(i int, field []byte) (st pgtext.Status) { i32[i], st = pgtext.Date(field); return st }},
		{"date/null=0.5", func() string {
			if r.IntN(2) == 0 {
				return ""
			}
			return date().Format(time.DateOnly)
		}, func(block []byte, seps []uint32) {
			ParseDateColumn(i32, null, slow, block, seps, benchStride, benchCol, 0)
		}, nil},
		{"timestamp/seconds", func() string { return date().Format(time.DateTime) }, timestamps, pgTimestamp},
		{"timestamp/micros", func() string { return date().Format("2006-01-02 15:04:05.000000") }, timestamps, pgTimestamp},
		{"timestamp/shortest", func() string { return date().Format("2006-01-02 15:04:05.999999") }, timestamps, pgTimestamp},
		{"timestamptz/z", func() string { return date().Format("2006-01-02T15:04:05.000000Z") }, func(block []byte, seps []uint32) {
			ParseTimestampTZColumn(i64, null, slow, block, seps, benchStride, benchCol, 0, true)
		}, func(i int, field []byte) (st pgtext.Status) {
			i64[i], st = pgtext.TimestampTZ(field, time.UTC)
			return st
		}},
		{"timestamptz/offset", func() string { return date().Format("2006-01-02 15:04:05.000000") + fmt.Sprintf("+%02d", r.IntN(12)) },
			func(block []byte, seps []uint32) {
				ParseTimestampTZColumn(i64, null, slow, block, seps, benchStride, benchCol, 0, true)
			}, func(i int, field []byte) (st pgtext.Status) {
				i64[i], st = pgtext.TimestampTZ(field, time.UTC)
				return st
			}},
		{"bool/tf", func() string { return "tf"[r.IntN(2):][:1] }, func(block []byte, seps []uint32) {
			ParseBoolColumn(bools, benchRecords, null, slow, block, seps, benchStride, benchCol, 0)
		}, func(i int, field []byte) pgtext.Status { _, st := pgtext.Bool(field); return st }},
		{"bool/words", func() string { return fmt.Sprint(r.IntN(2) == 0) }, func(block []byte, seps []uint32) {
			ParseBoolColumn(bools, benchRecords, null, slow, block, seps, benchStride, benchCol, 0)
		}, func(i int, field []byte) pgtext.Status { _, st := pgtext.Bool(field); return st }},
		{"uuid", func() string {
			return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<16), r.IntN(1<<16), r.Int64N(1<<48))
		},
			func(block []byte, seps []uint32) {
				ParseUUIDColumn(b16, null, slow, block, seps, benchStride, benchCol, 0)
			}, func(i int, field []byte) (st pgtext.Status) {
				*(*[16]byte)(b16[16*i:]), st = pgtext.UUID(field)
				return st
			}},
	} {
		block, seps := columnBlock(c.field)
		run := func(b *testing.B, column func()) {
			b.SetBytes(int64(len(block) / benchStride))
			for b.Loop() {
				column()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRecords, "ns/field")
		}
		b.Run(c.name, func(b *testing.B) {
			forEachLevel(b, func(b *testing.B) { run(b, func() { c.column(block, seps) }) })
			if c.single == nil {
				return
			}
			b.Run("call=field", func(b *testing.B) {
				run(b, func() {
					for i := range benchRecords {
						at := i*benchStride + benchCol
						if st := c.single(i, block[seps[at]+1:seps[at+1]]); st != pgtext.OK {
							b.Fatal("refused")
						}
					}
				})
			})
		})
	}
}

// BenchmarkCopyFields places the fields of a column; the control copies each by the
// builtin.
func BenchmarkCopyFields(b *testing.B) {
	r := rand.New(rand.NewPCG(53, 54))
	for _, length := range []int{8, 16, 30, 100} {
		block, seps := columnBlock(func() string { return digitString(r, r.IntN(length)+1) })
		dst, offsets, null := make([]byte, len(block)+CopySlack), make([]int32, benchRecords+1), make([]uint64, benchRecords/64)
		name := fmt.Sprintf("length=1-%d", length)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if n := CopyFields(dst, offsets, null, block, seps, benchStride, benchCol, 0); n != benchRecords {
					b.Fatal(n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRecords, "ns/field")
		})
		b.Run(name+"/call=copy", func(b *testing.B) {
			for b.Loop() {
				at := 0
				for i := range benchRecords {
					s := i*benchStride + benchCol
					at += copy(dst[at:], block[seps[s]+1:seps[s+1]])
					offsets[i+1] = int32(at)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRecords, "ns/field")
		})
	}
}

// BenchmarkBinaryColumns takes rows of ten fields of 8 bytes: the check of the rows, then
// one column.
func BenchmarkBinaryColumns(b *testing.B) {
	widths := []int32{8, 8, 8, 8, 8, 8, 8, 8, 8, 8}
	rows := binaryRows(widths, 512, func(i int) byte { return byte(i * 7) })
	_, stride := CheckBinaryStride(nil, widths)
	b.Run("check", func(b *testing.B) {
		b.SetBytes(int64(len(rows)))
		for b.Loop() {
			if n, _ := CheckBinaryStride(rows, widths); n != 512 {
				b.Fatal(n)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512/10, "ns/field")
	})
	dst := make([]int64, 512)
	b.Run("swap=64", func(b *testing.B) {
		for b.Loop() {
			SwapInt64(dst, rows[6:], stride)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/field")
	})
}

// BenchmarkUTF8 checks 64 KiB of text that is all ASCII, or has two, three or four bytes
// in some or all of its characters.
func BenchmarkUTF8(b *testing.B) {
	const size = 64 << 10
	for _, c := range []struct{ name, text string }{
		{"ascii", "The quick brown fox jumps over it. "},
		{"latin", "Größe, façade, naïve: plain text with some of it. "},
		{"cyrillic", "Съешь же ещё этих мягких булок. "},
		{"han", "我能吞下玻璃而不伤身体。"},
		{"emoji", "😀😃😄😁"},
	} {
		text := []byte(strings.Repeat(c.text, size/len(c.text)))
		b.Run(c.name, func(b *testing.B) {
			forEachLevel(b, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if !ValidUTF8(text) {
						b.Fatal("invalid")
					}
				}
			})
		})
	}
	text := []byte(strings.Repeat("The quick brown fox jumps over it. ", size/35))
	b.Run("AllASCII", func(b *testing.B) {
		forEachLevel(b, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !AllASCII(text) {
					b.Fatal("not ASCII")
				}
			}
		})
	})
}
