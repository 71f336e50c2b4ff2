package copy

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/bench/gen/inputs"
	"github.com/ingotdb/ingot/columnar"
)

var columnDefinition = regexp.MustCompile(`(?m)^\s*(\w+) (\w+(?:\(\d+(?:,\s*\d+)?\))?|double precision|timestamp with time zone)`)

// inputSchema reads the CREATE TABLE of a generated input.
func inputSchema(t testing.TB, name string) *columnar.Schema {
	s := &columnar.Schema{Name: "t"}
	ddl := inputs.Schema(name)
	body := ddl[strings.IndexByte(ddl, '(')+1 : strings.LastIndexByte(ddl, ')')]
	long := map[string]string{"bigint": "int8", "integer": "int4", "smallint": "int2", "boolean": "bool", "real": "float4", "double": "float8"}
	for _, m := range columnDefinition.FindAllStringSubmatch(strings.ReplaceAll(body, ", ", ",\n"), -1) {
		typ := m[2]
		if l, ok := long[typ]; ok {
			typ = l
		}
		s.Columns = append(s.Columns, columnar.Column{Name: m[1], Type: parseType(t, strings.ReplaceAll(typ, " ", ""))})
	}
	return s
}

// inputFile writes a generated input and returns its path and size.
func inputFile(t testing.TB, name string, rows int) (string, int64) {
	path := filepath.Join(t.TempDir(), name+".csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := inputs.Write(w, name, rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path, info.Size()
}

var headerOptions = []Option{{Name: "format", Values: []OptionValue{{Text: "csv"}}}, {Name: "header"}}

func benchmarkFrom(b *testing.B, name string, rows, workers int) {
	path, size := inputFile(b, name, rows)
	store := newStore(b)
	target := createTable(b, store, inputSchema(b, name))
	opt, err := ParseFromOptions(headerOptions)
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	var cpu, faults, convert int64
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		res, err := From(ctx, store, target, FromFiles(path), opt, Env{Files: AnyFile(), MaxWorkers: workers})
		if err != nil || res.Rows != int64(rows) {
			b.Fatal(res, err)
		}
		cpu += res.CPUNS
		faults += res.MinorFaults
		convert += res.Stages[StageConvert].NS
		b.StopTimer()
		txn, err := store.BeginWrite(ctx)
		if err != nil {
			b.Fatal(err)
		}
		if err := txn.TruncateTable("t"); err != nil {
			b.Fatal(err)
		}
		if _, err := txn.Commit(ctx); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(cpu)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(convert)/float64(b.N), "convert-ns/op")
	b.ReportMetric(float64(faults)/float64(b.N), "faults/op")
}

// BenchmarkCopySmall is the fixed cost: it must follow the input, not the limit.
func BenchmarkCopySmall(b *testing.B) {
	for _, rows := range []int{0, 100} {
		for _, workers := range []int{1, 4, 16, 64} {
			b.Run(fmt.Sprintf("rows=%d/workers=%d", rows, workers), func(b *testing.B) {
				benchmarkFrom(b, "small89", rows, workers)
			})
		}
	}
}

func BenchmarkCopy(b *testing.B) {
	for _, in := range []struct {
		name string
		rows int
	}{{"ints10", 500_000}, {"mixed", 200_000}, {"wide", 300}, {"flights", 500_000}} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", in.name, workers), func(b *testing.B) {
				benchmarkFrom(b, in.name, in.rows, workers)
			})
		}
	}
}
