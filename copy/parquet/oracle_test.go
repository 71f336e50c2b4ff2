package parquet

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/ingotdb/ingot/columnar"
)

// physicalText reads a field as the plain values that it is made of, as text.
func physicalText(f *reader, k int) ([]string, error) {
	d := f.fields[k]
	d.leaf.set(&element{typ: d.phys, length: int32(d.width), converted: convertedNone})
	g := *f
	own := *f.schema
	own.fields = slices.Clone(f.fields)
	own.fields[k] = d
	g.schema = &own
	var out []string
	for i := range g.foot.groups {
		if err := readGroup(&g, i, []int{k}, func(vecs []columnar.Vec, rows int) {
			for r := range rows {
				s := "~"
				if !vecs[0].IsNull(r) {
					s = string(vecs[0].AppendText(nil, r, time.UTC))
				}
				out = append(out, s)
			}
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// arrowGoText is physicalText by arrow-go.
func arrowGoText(b []byte, leaf int) (out []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	for g := range r.NumRowGroups() {
		c, err := r.RowGroup(g).Column(leaf)
		if err != nil {
			return nil, err
		}
		n := int(r.RowGroup(g).NumRows())
		max := c.Descriptor().MaxDefinitionLevel()
		defs := make([]int16, n)
		for done := 0; done < n; {
			var levels int64
			var values []string
			switch c := c.(type) {
			case *file.BooleanColumnChunkReader:
				levels, values, err = arrowGoBatch(n-done, defs, c.ReadBatch, func(v bool) string { return fmt.Sprint(v)[:1] })
			case *file.Int32ColumnChunkReader:
				levels, values, err = arrowGoBatch(n-done, defs, c.ReadBatch, func(v int32) string { return fmt.Sprint(v) })
			case *file.Int64ColumnChunkReader:
				levels, values, err = arrowGoBatch(n-done, defs, c.ReadBatch, func(v int64) string { return fmt.Sprint(v) })
			case *file.Float32ColumnChunkReader:
				levels, values, err = arrowGoBatch(n-done, defs, c.ReadBatch, func(v float32) string {
					return string(columnar.Value{Type: columnar.Type{Kind: columnar.Float4}, F: float64(v)}.AppendText(nil, time.UTC))
				})
			case *file.Float64ColumnChunkReader:
				levels, values, err = arrowGoBatch(n-done, defs, c.ReadBatch, func(v float64) string {
					return string(columnar.Value{Type: columnar.Type{Kind: columnar.Float8}, F: v}.AppendText(nil, time.UTC))
				})
			case *file.ByteArrayColumnChunkReader:
				levels, values, err = arrowGoBatch(n-done, defs, c.ReadBatch, func(v parquet.ByteArray) string { return fmt.Sprintf("\\x%x", []byte(v)) })
			case *file.FixedLenByteArrayColumnChunkReader:
				levels, values, err = arrowGoBatch(n-done, defs, c.ReadBatch, func(v parquet.FixedLenByteArray) string { return fmt.Sprintf("\\x%x", []byte(v)) })
			default:
				return nil, fmt.Errorf("not compared")
			}
			if err != nil {
				return nil, err
			}
			if levels == 0 {
				return nil, fmt.Errorf("%d of %d rows", done, n)
			}
			for i := range levels {
				if max == 0 || defs[i] == max {
					out, values = append(out, values[0]), values[1:]
				} else {
					out = append(out, "~")
				}
			}
			done += int(levels)
		}
	}
	return out, nil
}

func arrowGoBatch[T any](n int, defs []int16, read func(int64, []T, []int16, []int16) (int64, int, error), text func(T) string) (int64, []string, error) {
	values := make([]T, n)
	levels, got, err := read(int64(n), values, defs, nil)
	var out []string
	for _, v := range values[:got] {
		out = append(out, text(v))
	}
	return levels, out, err
}

// TestAgainstArrowGo compares every flat column of every good file of parquet-testing with what
// arrow-go reads.
func TestAgainstArrowGo(t *testing.T) {
	_, files := suiteFiles(t, "parquet-testing/data/*.parquet", "parquet-testing/data/geospatial/*.parquet", "parquet-testing/shredded_variant/*.parquet")
	compared := 0
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := openFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			continue
		}
		for k := range f.fields {
			d := &f.fields[k]
			if d.refused != "" || d.list || strings.Contains(path, "corrupt") {
				continue
			}
			want, err := arrowGoText(b, d.at)
			if err != nil {
				t.Logf("%s: column %s: arrow-go: %v", path, d.name, err)
				continue
			}
			got, err := physicalText(f, k)
			if err != nil {
				t.Errorf("%s: column %s: %v", path, d.name, err)
				continue
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: column %s: got\n%.200q, arrow-go\n%.200q", path, d.name, got, want)
			}
			compared++
		}
	}
	if compared < 200 {
		t.Errorf("only %d columns were compared", compared)
	}
}
