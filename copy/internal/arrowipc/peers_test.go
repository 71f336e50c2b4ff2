package arrowipc

import (
	"bytes"
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

// TestPolars lets Polars read what is written.
func TestPolars(t *testing.T) {
	dir, err := filepath.Abs("../../../bench/peers/node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "nodejs-polars")); err != nil {
		t.Skip("needs nodejs-polars: npm ci in bench/peers/node")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
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
				cmd := exec.Command(node, "-e", polars, path, form)
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
