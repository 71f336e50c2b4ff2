package copy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ingotdb/ingot/columnar"
)

var formats = []string{"csv", "text", "binary", "arrow"}

func formatOptions(format string) []Option {
	return []Option{{Name: "format", Values: []OptionValue{{Text: format}}}}
}

// formatFile writes a generated input in a format, by way of a table, and returns its path
// and size.
func formatFile(b *testing.B, format, name string, rows int) (string, int64) {
	path, _ := inputFile(b, name, rows)
	store := newStore(b)
	opt, err := ParseFromOptions(headerOptions)
	if err != nil {
		b.Fatal(err)
	}
	env := Env{Files: AnyFile()}
	if _, err := From(context.Background(), store, createTable(b, store, inputSchema(b, name)), FromFiles(path), opt, env); err != nil {
		b.Fatal(err)
	}
	to, err := ParseToOptions(formatOptions(format))
	if err != nil {
		b.Fatal(err)
	}
	out := filepath.Join(b.TempDir(), name)
	if err := copyTable(b, store, ToFile(out), to, env); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(out)
	if err != nil {
		b.Fatal(err)
	}
	return out, info.Size()
}

// BenchmarkFormats loads the same rows in every format.
func BenchmarkFormats(b *testing.B) {
	for _, in := range []struct {
		name string
		rows int
	}{{"ints10", 500_000}, {"mixed", 200_000}, {"flights", 500_000}} {
		for _, format := range formats {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/format=%s/workers=%d", in.name, format, workers), func(b *testing.B) {
					path, size := formatFile(b, format, in.name, in.rows)
					opt, err := ParseFromOptions(formatOptions(format))
					if err != nil {
						b.Fatal(err)
					}
					benchmarkFile(b, path, size, inputSchema(b, in.name), opt, in.rows, workers)
				})
			}
		}
	}
}

// BenchmarkFormatsTo writes the same rows in every format.
func BenchmarkFormatsTo(b *testing.B) {
	for _, in := range []struct {
		name string
		rows int
	}{{"ints10", 500_000}, {"mixed", 200_000}, {"flights", 500_000}} {
		path, _ := inputFile(b, in.name, in.rows)
		store := newStore(b)
		opt, err := ParseFromOptions(headerOptions)
		if err != nil {
			b.Fatal(err)
		}
		env := Env{Files: AnyFile(), MaxWorkers: 1}
		if _, err := From(context.Background(), store, createTable(b, store, inputSchema(b, in.name)), FromFiles(path), opt, env); err != nil {
			b.Fatal(err)
		}
		for _, format := range formats {
			b.Run(in.name+"/format="+format, func(b *testing.B) {
				to, err := ParseToOptions(formatOptions(format))
				if err != nil {
					b.Fatal(err)
				}
				var n counter
				for b.Loop() {
					n = 0
					if err := copyTable(b, store, ToWriter(&n), to, env); err != nil {
						b.Fatal(err)
					}
				}
				b.SetBytes(int64(n))
			})
		}
	}
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// benchmarkFile loads a file into an empty table again and again.
func benchmarkFile(b *testing.B, path string, size int64, schema *columnar.Schema, opt *FromOptions, rows, workers int) {
	store := newStore(b)
	target := createTable(b, store, schema)
	ctx := context.Background()
	var cpu, convert, split int64
	b.SetBytes(size)
	for b.Loop() {
		res, err := From(ctx, store, target, FromFiles(path), opt, Env{Files: AnyFile(), MaxWorkers: workers})
		if err != nil || res.Rows != int64(rows) {
			b.Fatal(res, err)
		}
		cpu += res.CPUNS
		convert += res.Stages[StageConvert].NS
		split += res.Stages[StageSplit].NS
		b.StopTimer()
		truncate(b, store)
		b.StartTimer()
	}
	b.ReportMetric(float64(cpu)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(convert)/float64(b.N), "convert-ns/op")
	b.ReportMetric(float64(split)/float64(b.N), "split-ns/op")
}
