package parquet

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

var update = flag.Bool("update", false, "write the golden files")

// suiteFiles returns files of the test suites, sorted.
func suiteFiles(t testing.TB, patterns ...string) (root string, files []string) {
	root = os.Getenv("INGOT_SUITES")
	if root == "" {
		t.Skip("INGOT_SUITES, the directory of parquet-testing and arrow-testing, is not set")
	}
	for _, p := range patterns {
		got, err := filepath.Glob(filepath.Join(root, p))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, got...)
	}
	if len(files) == 0 {
		t.Fatalf("no files like %q in %s", patterns, root)
	}
	return root, files
}

// readAll reads every field of a file that can be read, and calls row with the columns of each
// batch. What is wrong with one field does not keep the others.
func readFields(b []byte, each func(f *field, v columnar.Vec, rows int)) (*reader, map[string]error, error) {
	f, err := openFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, nil, err
	}
	failed := map[string]error{}
	for k := range f.fields {
		name := fmt.Sprint(k, " ", f.fields[k].name)
		for g := range f.foot.groups {
			if err := readGroup(f, g, []int{k}, func(vecs []columnar.Vec, rows int) {
				each(&f.fields[k], vecs[0], rows)
			}); err != nil {
				failed[name] = err
				break
			}
		}
	}
	return f, failed, nil
}

// readGroup reads fields of a row group together.
func readGroup(f *reader, group int, fields []int, each func(vecs []columnar.Vec, rows int)) error {
	g, err := f.group(group, fields, 0, f.foot.groups[group].rows, time.UTC)
	if err != nil {
		return err
	}
	defer g.release()
	for {
		rows, err := g.next()
		if err != nil || rows == 0 {
			return err
		}
		if err := g.eachBad(rows, func(_, column int) error { return f.fields[fields[column]].badValue() }); err != nil {
			return err
		}
		each(g.vecs, rows)
	}
}

// outcome says in a few words what becomes of a file: its rows and a hash of their text, or
// the error.
func outcome(b []byte) string {
	sums := map[string]uint64{}
	var scratch []byte
	f, failed, err := readFields(b, func(d *field, v columnar.Vec, rows int) {
		h := fnv.New64a()
		fmt.Fprint(h, sums[d.name])
		for i := range rows {
			if scratch = append(scratch[:0], '~'); !v.IsNull(i) {
				scratch = v.AppendText(scratch[:0], i, time.UTC)
			}
			h.Write(append(scratch, '\n'))
		}
		sums[d.name] = h.Sum64()
	})
	if err != nil {
		return "error " + oneLine(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d rows", f.foot.rows)
	for k := range f.fields {
		d := &f.fields[k]
		if err := failed[fmt.Sprint(k, " ", d.name)]; err != nil {
			fmt.Fprintf(&out, "\n\t%.60q: %s", d.name, oneLine(err))
			continue
		}
		fmt.Fprintf(&out, "\n\t%.60q %s %016x", d.name, d.columnType(), sums[d.name])
	}
	return out.String()
}

func oneLine(err error) string {
	s := err.Error()
	var e *pgerr.Error
	if errors.As(err, &e) && e.Detail != "" {
		s += " " + e.Detail
	}
	return strings.ReplaceAll(s, "\n", " ")
}

// TestSuites reads every file of parquet-testing, good and bad, and of the Parquet part of
// arrow-testing, and compares what becomes of it with the golden file. None may take more
// memory than its bytes back.
func TestSuites(t *testing.T) {
	for golden, patterns := range map[string][]string{
		"parquet-testing": {"parquet-testing/data/*.parquet*", "parquet-testing/data/*/*.parquet*", "parquet-testing/bad_data/*.parquet"},
		"variants":        {"parquet-testing/shredded_variant/*.parquet"},
		"fuzzing":         {"arrow-testing/data/parquet/fuzzing/*", "arrow-testing/data/parquet/encoding-fuzzing/*"},
	} {
		t.Run(golden, func(t *testing.T) {
			root, files := suiteFiles(t, patterns...)
			var out strings.Builder
			for _, path := range files {
				if strings.HasSuffix(path, "README.md") {
					continue
				}
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				got := outcome(b)
				runtime.ReadMemStats(&after)
				if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20+100*uint64(len(b)) {
					t.Errorf("%s of %d bytes: %d MB were allocated", path, len(b), used>>20)
				}
				name, err := filepath.Rel(root, path)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "%s: %s\n", filepath.ToSlash(name), got)
			}
			compareGolden(t, filepath.Join("testdata", golden+".golden"), out.String())
		})
	}
}

// compareGolden compares text with a file, which -update writes.
func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(b), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || line != want[i] {
			t.Fatalf("%s:%d: got\n%s\nwant\n%s", path, i+1, line, append(want, "")[min(i, len(want))])
		}
	}
	if n := strings.Count(got, "\n") + 1; n != len(want) {
		t.Fatalf("%s has %d lines, got %d", path, len(want), n)
	}
}

// trials returns n, or many times n for a soak.
func trials(n int) int {
	switch {
	case os.Getenv("INGOT_SOAK") == "1":
		return 50 * n
	case testing.Short():
		return max(1, n/3)
	}
	return n
}
