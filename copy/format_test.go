package copy

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// toText writes table t and returns the bytes.
func toText(t *testing.T, store *columnar.Store, options string, env Env) string {
	t.Helper()
	to, err := ParseToOptions(parseOptions(t, "COPY t WITH ("+options+")"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := copyTable(t, store, ToWriter(&out), to, env); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestToText checks the escapes of the text format, and that they read back.
func TestToText(t *testing.T) {
	all := "\b\f\n\r\t\v\\|,x\x01\x7fé"
	for _, tc := range []struct{ options, want string }{
		{"FORMAT text", "1\t" + `\b\f\n\r\t\v\\|,x` + "\x01\x7fé\n2\t\\\\N\n\\N\t\\N\n4\t\\\\.\n"},
		{"FORMAT text, DELIMITER '|', NULL 'x', HEADER", "a|b\\|c\n1|" + `\b\f\n\r\t\v\\\|,x` + "\x01\x7fé\n2|\\\\N\nx|x\n4|\\\\.\n"},
		{"FORMAT text, DELIMITER '\x01', NULL ''", "1\x01" + `\b\f\n\r\t\v\\|,x` + "\\\x01\x7fé\n2\x01\\\\N\n\x01\n4\x01\\\\.\n"},
	} {
		store := newStore(t)
		schema := textSchema(t, "a int4, b text")
		schema.Columns[1].Name = "b|c"
		target := createTable(t, store, schema)
		csv, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv)"))
		if err != nil {
			t.Fatal(err)
		}
		in := "1,\"" + all + "\"\n2,\\N\n,\n4,\\.\n"
		if _, err := From(context.Background(), store, target, FromReader(strings.NewReader(in), ""), csv, Env{}); err != nil {
			t.Fatal(err)
		}
		rows := readTable(t, store)
		got := toText(t, store, tc.options, Env{})
		if got != tc.want {
			t.Errorf("%s: wrote %q, want %q", tc.options, got, tc.want)
		}
		truncate(t, store)
		text, err := ParseFromOptions(parseOptions(t, "COPY t WITH ("+strings.Replace(tc.options, "HEADER", "HEADER match", 1)+")"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := From(context.Background(), store, target, FromReader(strings.NewReader(got), ""), text, Env{}); err != nil {
			t.Fatal(err)
		}
		compareRows(t, readTable(t, store), rows)
	}
}

// TestTextPlaces checks rows, or the error and its place, of inputs in the text format.
func TestTextPlaces(t *testing.T) {
	tests := []struct {
		columns, options, in string
		rows                 [][]string
		state, message       string
		line                 int64
	}{
		{"a text", "FORMAT text", "\n\\N\nx\\\ny\n\\", [][]string{{""}, {null}, {"x\ny"}, {""}}, "", "", 0},
		{"a text", "FORMAT text", "a\\.b\n", nil, "22P04", "end-of-copy marker is not alone on its line", 1},
		{"a text", "FORMAT text", "a\n\\.", nil, "22P04", "end-of-copy marker is not alone on its line", 2},
		{"a text", "FORMAT text", "a\n\\.x\n", nil, "22P04", "end-of-copy marker is not alone on its line", 2},
		{"a text", "FORMAT text", "a\n\\.\r\n", nil, "22P04", "end-of-copy marker does not match previous newline style", 2},
		{"a text", "FORMAT text", "a\r\n\\.\n", nil, "22P04", "end-of-copy marker does not match previous newline style", 2},
		{"a text", "FORMAT text", "a\r\n\\.\rx\r\n", nil, "22P04", "end-of-copy marker is not alone on its line", 2},
		{"a text", "FORMAT text", "a\r\n\\.\r\n\xff", [][]string{{"a"}}, "", "", 0},
		{"a text", "FORMAT text", "a\r\\.\rb", [][]string{{"a"}}, "", "", 0},
		{"a text", "FORMAT text", "\\.\n", nil, "", "", 0},
		{"a text", "FORMAT text", "\\\\.\n", [][]string{{`\.`}}, "", "", 0},
		{"a text", "FORMAT text, HEADER", "\\.\nx\n", nil, "", "", 0},
		{"a text", "FORMAT text, HEADER 2", "h\n\\.\nx\n", nil, "", "", 0},
		{"a text", "FORMAT text, HEADER 2", "h\nx\\.\nx\n", nil, "22P04", "end-of-copy marker is not alone on its line", 2},
		{"a text", "FORMAT text, HEADER match", "\\141\nx\n", [][]string{{"x"}}, "", "", 0},
		{"a text", "FORMAT text, HEADER match", "\\N\nx\n", nil, "22P04", "column name mismatch in header line field 1: got null value", 1},
		{"a text", "FORMAT text", "a\nb\rc\n", nil, "22P04", "literal carriage return found in data", 2},
		{"a text", "FORMAT text", "a\r\nb\nc\r\n", nil, "22P04", "literal newline found in data", 2},
		{"a text", "FORMAT text", "a\r\nb\\\r\nc\r\n", nil, "22P04", "literal newline found in data", 2},
		{"a text", "FORMAT text", "a\r\nb\\\nc\r\n", [][]string{{"a"}, {"b\nc"}}, "", "", 0},
		{"a text, b int4", "FORMAT text", "a\t1\nb\n", nil, "22P04", `missing data for column "b"`, 2},
		{"a int4, b int4", "FORMAT text", "1\t1\nx\n", nil, "22P02", "invalid input syntax for type integer", 2},
		{"a text", "FORMAT text", "a\nx\tb\n", nil, "22P04", "extra data after last expected column", 2},
		{"a int4, b text", "FORMAT text", "x\t\\xff\n", nil, "22021", `invalid byte sequence for encoding "UTF8": 0xff`, 1},
		{"a bytea", "FORMAT text", "\\\\xff00\n", [][]string{{`\xff00`}}, "", "", 0},
		{"a text, b int4", "FORMAT text, DEFAULT '\\D'", "x\t\\D\n", nil, "22P04", "unexpected default marker in COPY data", 1},
		{"a int4, b text", "FORMAT text, NULL '\\0'", "\\0\t\\0\n1\t\\60\n", [][]string{{null, null}, {"1", "0"}}, "", "", 0},
		{"a int4", "FORMAT text, NULL '0'", "0\n\\60\n", [][]string{{null}, {"0"}}, "", "", 0},
	}
	for _, tc := range tests {
		t.Run(tc.in, func(t *testing.T) {
			path := writeFile(t, "in.txt", tc.in)
			for _, block := range []int{0, 1, 3} {
				for _, stream := range []bool{false, true} {
					src, env := FromFiles(path), Env{Files: AnyFile(), BlockSize: block, smallBytes: int64(block) - 1, MaxWorkers: 3}
					if block == 0 {
						env.smallBytes = 0
					}
					if stream {
						src = FromReader(strings.NewReader(tc.in), "stdin")
					}
					store := newStore(t)
					_, err := fromText(t, store, tc.columns, tc.options, src, env)
					if tc.state == "" {
						if err != nil {
							t.Fatal(err)
						}
						compareRows(t, readTable(t, store), tc.rows)
						continue
					}
					if e := wantState(t, err, tc.state); e.Line != tc.line || !strings.Contains(e.Message, tc.message) {
						t.Errorf("block %d: %+v, want line %d, %q", block, *e, tc.line, tc.message)
					}
				}
			}
		})
	}
}

// TestFormatsRoundTrip writes a table of many row groups in every format, in parallel, and
// reads it again, in parallel.
func TestFormatsRoundTrip(t *testing.T) {
	const rows = 300_000
	store := newStore(t)
	target := createTable(t, store, textSchema(t, "a int4, b int8, c text, d numeric(10,2)"))
	csv, err := ParseFromOptions(formatOptions("csv"))
	if err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	for i := range rows {
		if i%1000 == 7 {
			in.WriteString(",,,\n")
			continue
		}
		fmt.Fprintf(&in, "%d,%d,\"v\t%d\\\n\",%d.%02d\n", i, int64(i)*1e12, i, i, i%100)
	}
	env := Env{Files: AnyFile(), MaxWorkers: 4}
	ctx := context.Background()
	if _, err := From(ctx, store, target, FromReader(strings.NewReader(in.String()), ""), csv, env); err != nil {
		t.Fatal(err)
	}
	want := toText(t, store, "FORMAT csv", env)
	for _, format := range formats {
		path := filepath.Join(t.TempDir(), "out")
		to, err := ParseToOptions(formatOptions(format))
		if err != nil {
			t.Fatal(err)
		}
		if err := copyTable(t, store, ToFile(path), to, env); err != nil {
			t.Fatal(err)
		}
		from, err := ParseFromOptions(formatOptions(format))
		if err != nil {
			t.Fatal(err)
		}
		for _, stream := range []bool{false, true} {
			again := newStore(t)
			env := Env{Files: AnyFile(), MaxWorkers: 4, Progress: new(Progress)}
			src := FromFiles(path)
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if stream {
				src = FromReader(f, "stdin")
			}
			res, err := From(ctx, again, createTable(t, again, textSchema(t, "a int4, b int8, c text, d numeric(10,2)")), src, from, env)
			f.Close()
			if err != nil || res.Rows != rows {
				t.Fatal(res.Rows, err)
			}
			if !stream && (res.Cardinality != Exact || res.Reservations != 1 || res.Workers < 2) {
				t.Errorf("%s: %+v", format, res)
			}
			p := env.Progress
			if size := p.BytesTotal.Load(); !stream && p.BytesProcessed.Load() != size || p.TuplesProcessed.Load() != rows {
				t.Errorf("%s: progress %d of %d bytes, %d tuples", format, p.BytesProcessed.Load(), size, p.TuplesProcessed.Load())
			}
			if got := toText(t, again, "FORMAT csv", env); got != want {
				t.Errorf("%s: another table", format)
			}
		}
	}
}

// TestBinaryWhere leaves tuples out.
func TestBinaryWhere(t *testing.T) {
	var tuples [][]byte
	for i := range byte(200) {
		v := []byte{0, 0, 0, i}
		if i == 150 {
			v = nil
		}
		tuples = append(tuples, tupleOf(v))
	}
	store := newStore(t)
	target := createTable(t, store, textSchema(t, "a int4"))
	target.Where = func(n int, col func(int) columnar.Vec, keep []uint64) (int, error) {
		v := col(0)
		for i, x := range v.Int32s()[:n] {
			if x%3 != 0 || v.IsNull(i) {
				keep[i>>6] &^= 1 << (i & 63)
			}
		}
		return n, nil
	}
	from, _ := binaryOptions(t)
	res, err := From(context.Background(), store, target, FromReader(bytes.NewReader(binaryFile(tuples...)), ""), from, Env{})
	if err != nil || res.Rows != 66 {
		t.Fatal(res.Rows, err)
	}
	if rows := readTable(t, store); len(rows) != 66 || rows[50][0] != "153" {
		t.Errorf("%d rows, %q", len(rows), rows)
	}
}

// TestBinaryDuplicate checks the place of a key that is there already.
func TestBinaryDuplicate(t *testing.T) {
	file := binaryFile(tupleOf([]byte{0, 0, 0, 1}), tupleOf([]byte{0, 0, 0, 2}), tupleOf([]byte{0, 0, 0, 1}))
	path := writeFile(t, "in.bin", string(file))
	from, _ := binaryOptions(t)
	for _, src := range []Source{FromFiles(path), FromReader(bytes.NewReader(file), "stdin")} {
		store := newStore(t)
		schema := textSchema(t, "a int4 not null")
		schema.Constraints = []columnar.Constraint{{Name: "t_pkey", Kind: columnar.PrimaryKey, Columns: []uint32{1}}}
		_, err := From(context.Background(), store, createTable(t, store, schema), src, from, Env{Files: AnyFile()})
		if e := wantState(t, err, pgerr.UniqueViolation); e.Line != 3 {
			t.Errorf("line %d", e.Line)
		}
	}
}

// TestBinaryClaims checks that a claimed length or number of elements takes no memory.
func TestBinaryClaims(t *testing.T) {
	array := []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0x0f, 0xff, 0xff, 0xff, 0, 0, 0, 1}
	for name, file := range map[string][]byte{
		"field":     append(binaryFile()[:binaryHeadBytes], 0, 2, 0x7f, 0xff, 0xff, 0xff, 'x'),
		"elements":  binaryFile(tupleOf([]byte("x"), array)),
		"extension": []byte(binarySignature + "\x00\x00\x00\x00\x7f\xff\xff\xff"),
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, "in.bin", string(file))
			from, _ := binaryOptions(t)
			for _, src := range []Source{FromFiles(path), FromReader(bytes.NewReader(file), "stdin")} {
				store := newStore(t)
				schema := textSchema(t, "a text, b int4")
				schema.Columns[1].Type.Array = true
				target := createTable(t, store, schema)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := From(context.Background(), store, target, src, from, Env{Files: AnyFile()})
				runtime.ReadMemStats(&after)
				if err == nil {
					t.Fatal("no error")
				}
				if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
					t.Errorf("%d bytes allocated for a file of %d", n, len(file))
				}
			}
		})
	}
}

// TestArrays loads arrays from csv and text, and writes them.
func TestArrays(t *testing.T) {
	for format, in := range map[string]string{"csv": "\"{1, NULL,-3}\"\n[2:3]={4}\n", "text": "{1, NULL,-3}\n{ {4,5},{6,7} }\n"} {
		store := newStore(t)
		schema := textSchema(t, "a int4")
		schema.Columns[0].Type.Array = true
		target := createTable(t, store, schema)
		opt, err := ParseFromOptions(formatOptions(format))
		if err != nil {
			t.Fatal(err)
		}
		_, err = From(context.Background(), store, target, FromReader(strings.NewReader(in), ""), opt, Env{})
		if format == "csv" {
			e := wantState(t, err, pgerr.InvalidTextRepresentation)
			if e.Line != 2 || e.Column != "a" || !strings.HasPrefix(e.Message, "malformed array literal") {
				t.Errorf("%+v", *e)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := toText(t, store, "FORMAT csv", Env{}); got != "\"{1,NULL,-3}\"\n\"{{4,5},{6,7}}\"\n" {
			t.Errorf("wrote %q", got)
		}
	}
}
