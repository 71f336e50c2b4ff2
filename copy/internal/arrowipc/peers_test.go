package arrowipc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// polars prints the columns that it finds in a file of the IPC format.
const polars = `
const pl = require("nodejs-polars");
const [path, form] = process.argv.slice(1);
const bytes = require("fs").readFileSync(path);
const df = form === "stream" ? pl.readIPCStream(bytes) : pl.readIPC(bytes);
console.log(df.height);
for (let c of df.getColumns()) {
	const type = String(c.dtype);
	const values = (type.includes("Decimal") ? c.cast(pl.Utf8) : c).toArray();
	console.log(c.name + " " + type + " " + JSON.stringify(values, (k, v) => typeof v === "bigint" ? String(v) : v));
}
`

// polarsWrites writes a table of text, long and short, of categories, lists, numbers and
// dates as Polars has them.
const polarsWrites = `
const pl = require("nodejs-polars");
const [path, form, codec] = process.argv.slice(1);
const n = 1000, rows = [...Array(n).keys()];
const df = pl.DataFrame({
	text: pl.Series("text", rows.map(i => i % 7 == 0 ? null : "text ".repeat(i % 5) + i)),
	category: pl.Series("category", rows.map(i => ["red", "green", "blue"][i % 3])).cast(pl.Categorical),
	list: pl.Series("list", rows.map(i => [i, i + 1])),
	float: pl.Series("float", rows.map(i => i / 4)),
	bool: pl.Series("bool", rows.map(i => i % 2 == 0)),
	date: pl.Series("date", rows.map(i => new Date(i * 86400000))),
});
const out = form === "stream" ? df.writeIPCStream(path, {compression: codec}) : df.writeIPC(path, {compression: codec});
`

// nodePolars returns the program and the directory in which Polars is.
func nodePolars(t *testing.T) (program, dir string) {
	t.Helper()
	dir, err := filepath.Abs("../../../bench/peers/node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "nodejs-polars")); err != nil {
		t.Skip("needs nodejs-polars in bench/peers/node: make peers")
	}
	if program, err = exec.LookPath("node"); err != nil {
		t.Skip("needs Node.js: no node in PATH")
	}
	return program, dir
}

// TestPolarsWrites reads what Polars writes.
func TestPolarsWrites(t *testing.T) {
	program, dir := nodePolars(t)
	for _, form := range []string{"file", "stream"} {
		for _, codec := range []string{"uncompressed", "lz4", "zstd"} {
			if form == "stream" && codec == "zstd" {
				continue // the codecs are those of files
			}
			t.Run(form+" "+codec, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "t.arrow")
				cmd := exec.Command(program, "-e", polarsWrites, path, form, codec)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				x, err := Open(bytes.NewReader(b), int64(len(b)))
				if err != nil || x.Rows() != 1000 {
					t.Fatal(err)
				}
				row := 0
				for i := range x.Blocks() {
					batch, err := x.Batch(i, []int{5, 0, 1, 2, 3, 4})
					if err != nil {
						t.Fatal(err)
					}
					err = readSteps(batch, 100, func(arrays []arrow.Array) error {
						for k := range arrays[0].Len() {
							i := row + k
							text := fmt.Sprint(strings.Repeat("text ", i%5), i)
							if i%7 == 0 {
								text = array.NullValueStr
							}
							from, to := arrays[3].(array.ListLike).ValueOffsets(k)
							list := arrays[3].(array.ListLike).ListValues()
							if got := arrays[1].ValueStr(k); got != text || arrays[2].ValueStr(k) != []string{"red", "green", "blue"}[i%3] || to-from != 2 ||
								list.ValueStr(int(from)) != fmt.Sprint(i) || arrays[4].ValueStr(k) != fmt.Sprint(float64(i)/4) || arrays[5].ValueStr(k) != fmt.Sprint(i%2 == 0) {
								return fmt.Errorf("row %d: %q, want %q; %s %s", i, got, text, arrays[2].ValueStr(k), arrays[4].ValueStr(k))
							}
						}
						row += arrays[0].Len()
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// TestPolars lets Polars read what is written.
func TestPolars(t *testing.T) {
	program, dir := nodePolars(t)
	var fields []arrow.Field
	var columns []Array
	for _, w := range written {
		if id := w.typ.ID(); id == arrow.BINARY || id == arrow.FIXED_SIZE_BINARY {
			continue // Polars reads them, but not into JavaScript
		}
		arr, _, err := array.FromJSON(memory.DefaultAllocator, w.typ, strings.NewReader(w.json))
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, arrayOf(arr))
		fields = append(fields, arrow.Field{Name: w.typ.String(), Type: w.typ, Nullable: true})
	}
	for _, form := range []string{"file", "stream"} {
		for codec, name := range map[Codec]string{Uncompressed: "none", LZ4: "lz4", Zstd: "zstd"} {
			if form == "stream" && codec == LZ4 {
				continue // the codecs are those of files
			}
			t.Run(form+" "+name, func(t *testing.T) {
				var buf bytes.Buffer
				w, err := NewWriter(&buf, fields, form == "file")
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					p, err := Encode(columns, 5, codec)
					if err != nil {
						t.Fatal(err)
					}
					if err := w.Put(p); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(t.TempDir(), "t.arrow")
				if err := os.WriteFile(path, buf.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(program, "-e", polars, path, form)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				golden(t, "polars.txt", string(out))
			})
		}
	}
}
