package copy

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/iotest"
)

// FuzzFormats loads any bytes in one go, in splits, and as a stream: rows and errors are
// the same.
func FuzzFormats(f *testing.F) {
	add := func(format uint8, b string) { f.Add(format, uint16(3), uint8(2), []byte(b)) }
	add(0, "1,a,t\n2,\"b\n\"\"c\",f\n,,\n")
	add(0, "1,\"a,t\r\n2,b,f\r\n")
	add(1, "1\ta\tt\n\\N\tb\\\nc\\x41\\101\\\\\t\\N\n\\.\nrest")
	add(1, "1\ta\\.\tt\r\n2\t\\xff\tf\r\n\\")
	add(2, string(binaryFile(tupleOf([]byte{0, 0, 0, 1}, []byte("a"), []byte{1}), tupleOf(nil, nil, nil))))
	add(3, string(binaryFile(bytes.Repeat(tupleOf([]byte{0, 0, 0, 1}, []byte{0, 0, 0, 0, 0, 0, 0, 1}), 80), tupleOf(nil, []byte{0}))))
	dir := f.TempDir()
	store := newStore(f)
	f.Fuzz(func(t *testing.T, format uint8, block uint16, workers uint8, b []byte) {
		columns := "a int4, b text, c bool"
		if format%4 == 3 {
			columns = "a int4, b int8"
		}
		opt, err := ParseFromOptions(formatOptions([]string{"csv", "text", "binary", "binary"}[format%4]))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "fuzz")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		type outcome struct {
			rows [][]string
			err  Error
		}
		load := func(src Source, env Env) (o outcome) {
			defer dropTable(t, store)
			target := createTable(t, store, textSchema(t, columns))
			_, err := From(context.Background(), store, target, src, opt, env)
			if err != nil {
				e, ok := err.(*Error)
				if !ok || e.SQLState == "XX000" {
					t.Fatalf("error %T %v", err, err)
				}
				o.err = *e
				o.err.File, o.err.Err = "", nil
			}
			o.rows = readTable(t, store)
			return o
		}
		small := load(FromFiles(path), Env{Files: AnyFile()})
		env := Env{Files: AnyFile(), MaxWorkers: 1 + int(workers%8), BlockSize: 1 + int(block%512), smallBytes: -1, readBytes: int(block / 512)}
		for name, o := range map[string]outcome{
			"splits": load(FromFiles(path), env),
			"stream": load(FromReader(iotest.HalfReader(bytes.NewReader(b)), ""), env),
		} {
			if o.err != small.err || !slices.EqualFunc(o.rows, small.rows, slices.Equal) {
				t.Fatalf("%s: %q, error %+v\nnot %q, error %+v", name, o.rows, o.err, small.rows, small.err)
			}
		}
	})
}
