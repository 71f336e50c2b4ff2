package arrowipc

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/ingotdb/ingot/internal/pgerr"
)

var update = flag.Bool("update", false, "write the golden files")

// suite returns the files of a directory of arrow-testing, with their names below it.
func suite(t testing.TB, dir string) (names []string, root string) {
	t.Helper()
	base := os.Getenv("INGOT_SUITES")
	if base == "" {
		t.Skip("INGOT_SUITES must name the directory that holds arrow-testing")
	}
	root = filepath.Join(base, "arrow-testing", "data", dir)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".json.gz") || strings.HasSuffix(path, ".md") {
			return err
		}
		rel, err := filepath.Rel(root, path)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, root
}

// readable returns the columns that can be read, and those that cannot in words.
func readable(columns []Column) (list []int, refused string) {
	for i, c := range columns {
		if c.Type != nil {
			list = append(list, i)
		} else {
			refused += fmt.Sprintf(", no %s", c.Kind)
		}
	}
	return list, refused
}

// readSteps reads all rows of a batch in pieces of step rows, and gives each piece to see.
func readSteps(b *Batch, step int64, see func([]arrow.Array) error) error {
	for from := int64(0); from < b.Rows() || from == 0; from += step {
		arrays, err := b.Read(from, min(step, b.Rows()-from))
		if err != nil {
			return err
		}
		if err := see(arrays); err != nil {
			return err
		}
	}
	return nil
}

// errUnsound is for what a Batch must never give.
var errUnsound = errors.New("an array that is not sound was read")

// contents is what arrow-go says about values that exist and are not what they should be:
// text is checked where it is stored, and nobody looks at a view's prefix or its padding.
var contents = regexp.MustCompile(`not valid utf8|inlined prefix|padding bytes`)

// touch reads values, which panics if one is not where it should be.
func touch(arrays []arrow.Array) error {
	for _, a := range arrays {
		if err := array.ValidateFull(a); err != nil && !contents.MatchString(err.Error()) {
			return fmt.Errorf("%w: %w", errUnsound, err)
		}
		for i := range min(a.Len(), 256) {
			if a.IsValid(i) {
				_ = a.ValueStr(i)
			}
		}
	}
	return nil
}

// readAll reads all of an input of known size.
func readAll(b []byte, step int64) (rows int64, what string, err error) {
	x, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return 0, "", err
	}
	list, refused := readable(x.Columns())
	what = fmt.Sprintf("%d columns%s, %d batches", len(x.Columns()), refused, len(x.Blocks()))
	for i := range x.Blocks() {
		batch, err := x.Batch(i, list)
		if err != nil {
			return rows, what, err
		}
		rows += batch.Rows()
		if err := readSteps(batch, step, touch); err != nil {
			return rows, what, err
		}
	}
	return rows, what, nil
}

// readStream reads all of a stream.
func readStream(r io.Reader) (rows int64, err error) {
	s, err := OpenStream(r)
	if err != nil {
		return 0, err
	}
	list, _ := readable(s.Columns())
	for {
		batch, err := s.Next(list)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows += batch.Rows()
		if err := readSteps(batch, 1<<20, touch); err != nil {
			return rows, err
		}
	}
}

// errorText returns an error in one line with its SQLSTATE.
func errorText(err error) string {
	e := pgerr.From(err)
	return e.SQLState + " " + strings.ReplaceAll(e.Message, "\n", " ")
}

// TestSuites reads every file of arrow-testing, good ones and those that crashed other
// readers, in both ways, and compares what comes of it with the golden file. None may
// allocate more than its bytes justify.
func TestSuites(t *testing.T) {
	for _, dir := range []string{"arrow-ipc-file", "arrow-ipc-stream"} {
		t.Run(dir, func(t *testing.T) {
			names, root := suite(t, dir)
			var out strings.Builder
			for _, name := range names {
				b, err := os.ReadFile(filepath.Join(root, name))
				if err != nil {
					t.Fatal(err)
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				rows, what, err := readAll(b, 64)
				outcome := fmt.Sprintf("%d rows, %s", rows, what)
				if err != nil {
					outcome = errorText(err)
				}
				n, streamErr := readStream(bytes.NewReader(b))
				switch {
				case streamErr == nil && err == nil && n == rows:
				case streamErr != nil && err != nil && errorText(streamErr) == errorText(err):
				case streamErr != nil:
					outcome += "; as a stream " + errorText(streamErr)
				default:
					outcome += fmt.Sprintf("; as a stream %d rows", n)
				}
				runtime.ReadMemStats(&after)
				if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20+uint64(len(b))*256 {
					t.Errorf("%s of %d bytes allocates %d", name, len(b), used)
				}
				fmt.Fprintf(&out, "%s: %s\n", name, outcome)
			}
			golden(t, dir+".txt", out.String())
		})
	}
}

// golden compares got with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			t.Errorf("line %d of %s\n got  %s\n want %s", i+1, name, x, y)
		}
	}
}

// TestIntegration compares all arrays of the good files with those of arrow-go's reader.
func TestIntegration(t *testing.T) {
	names, root := suite(t, "arrow-ipc-stream/integration")
	compared := 0
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := arrowGo(b)
		if err != nil {
			t.Logf("%s: arrow-go says %v", name, err)
			continue
		}
		x, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(x.Blocks()) != len(want) {
			t.Errorf("%s: %d batches, arrow-go has %d", name, len(x.Blocks()), len(want))
			continue
		}
		list, _ := readable(x.Columns())
		for i, rec := range want {
			batch, err := x.Batch(i, list)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			row := int64(0)
			err = readSteps(batch, 3, func(arrays []arrow.Array) error {
				for k, a := range arrays {
					w := array.NewSlice(rec.Column(list[k]), row, row+int64(a.Len()))
					if ext, ok := w.(array.ExtensionArray); ok {
						w = ext.Storage()
					}
					// Elements of lists have names, which make types different that are the same here.
					if got, want := fmt.Sprint(a), fmt.Sprint(w); !array.Equal(a, w) && got != want {
						return fmt.Errorf("column %s, rows from %d:\n got  %.500s\n want %.500s", x.Columns()[list[k]].Name, row, got, want)
					}
					compared++
				}
				row += 3
				return nil
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d arrays were compared", compared)
	}
}

// arrowGo reads an input with arrow-go.
func arrowGo(b []byte) (out []arrow.RecordBatch, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if IsFile(b) {
		r, err := ipc.NewFileReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		for i := range r.NumRecords() {
			rec, err := r.RecordBatchAt(i)
			if err != nil {
				return nil, err
			}
			out = append(out, rec)
		}
		return out, nil
	}
	r, err := ipc.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	for r.Next() {
		r.RecordBatch().Retain()
		out = append(out, r.RecordBatch())
	}
	return out, r.Err()
}
