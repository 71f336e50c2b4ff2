package parquet

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/ingotdb/ingot/columnar"
)

// benchColumns are columns of the types that tables mostly have, n rows of each.
func benchColumns(b *testing.B, n int) ([]layout, []columnar.Vec) {
	r := rand.New(rand.NewPCG(1, 2))
	types := []columnar.Type{
		kind(columnar.Int8), kind(columnar.Text), kind(columnar.Int4), decimal(12, 2), kind(columnar.Float8), kind(columnar.Bool),
		kind(columnar.Date), kind(columnar.Timestamp), kind(columnar.UUID), kind(columnar.Text),
	}
	var layouts []layout
	var cols []columnar.Vec
	for k, typ := range types {
		texts := make([]string, n)
		for i := range texts {
			switch {
			case k == 0:
				texts[i] = fmt.Sprint(i)
			case k == 1:
				texts[i] = fmt.Sprint("category ", r.IntN(12))
			case k == 9 && r.IntN(5) == 0, k == 7 && r.IntN(20) == 0:
				texts[i] = "~"
			case k == 9:
				texts[i] = "some words of " + fmt.Sprint(r.IntN(1<<30)) + " and more"
			case k == 4:
				texts[i] = fmt.Sprint(r.IntN(1 << 20))
			case k == 3:
				texts[i] = fmt.Sprintf("%d.%02d", r.IntN(100000), r.IntN(100))
			default:
				texts[i] = randomText(r, typ, false)
			}
		}
		layouts = append(layouts, newLayout(fmt.Sprint("c", k), typ, false))
		cols = append(cols, vecOf(b, typ, texts))
	}
	return layouts, cols
}

const benchRows = 1 << 18

// BenchmarkRead reads ten columns into memory, in one goroutine.
func BenchmarkRead(b *testing.B) {
	layouts, cols := benchColumns(b, benchRows)
	for _, codec := range []int32{codecNone, codecSnappy, codecZstd} {
		b.Run("codec="+codecNames[codec], func(b *testing.B) {
			data := writeColumns(b, layouts, cols, codec, groupRows, 2048)
			f, err := openFile(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				b.Fatal(err)
			}
			var all []int
			for k := range f.fields {
				all = append(all, k)
			}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				for g := range f.foot.groups {
					if err := readGroup(f, g, all, func([]columnar.Vec, int) {}); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows/float64(len(cols)), "ns/value")
		})
	}
}

// BenchmarkWrite writes ten columns, in one goroutine.
func BenchmarkWrite(b *testing.B) {
	layouts, cols := benchColumns(b, benchRows)
	const step = 2048
	var parts [][]columnar.Vec
	for from := 0; from < benchRows; from += step {
		part := make([]columnar.Vec, len(cols))
		for i := range cols {
			part[i] = cols[i].Slice(from, step)
		}
		parts = append(parts, part)
	}
	for _, codec := range []int32{codecNone, codecSnappy, codecZstd} {
		b.Run("codec="+codecNames[codec], func(b *testing.B) {
			var size int64
			for b.Loop() {
				a, err := newArchive(io.Discard, layouts, codec, groupRows, false)
				if err != nil {
					b.Fatal(err)
				}
				p := a.packer()
				for _, part := range parts {
					if err := p.add(part, step); err != nil {
						b.Fatal(err)
					}
				}
				groups, err := p.pack(true)
				if err != nil {
					b.Fatal(err)
				}
				if err := a.put(groups); err != nil {
					b.Fatal(err)
				}
				size = a.at
			}
			b.SetBytes(size)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows/float64(len(cols)), "ns/value")
		})
	}
}
