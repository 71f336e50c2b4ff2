package copy

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// loadArrow loads src with the given options beside FORMAT arrow.
func loadArrow(t *testing.T, store *columnar.Store, target *Target, src Source, options string, env Env) (Result, error) {
	t.Helper()
	opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT arrow"+options+")"))
	if err != nil {
		t.Fatal(err)
	}
	return From(context.Background(), store, target, src, opt, env)
}

// arrowBytes writes table t.
func arrowBytes(t *testing.T, store *columnar.Store, options string, env Env) ([]byte, error) {
	t.Helper()
	to, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT arrow"+options+")"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = copyTable(t, store, ToWriter(&out), to, env)
	return out.Bytes(), err
}

// arrowFile writes batches with arrow-go and returns the file's name.
func arrowFile(t *testing.T, name string, batches ...arrow.RecordBatch) string {
	t.Helper()
	var buf bytes.Buffer
	w, err := ipc.NewFileWriter(&buf, ipc.WithSchema(batches[0].Schema()))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, buf.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// arrowBatch makes a batch of columns from their types and JSON.
func arrowBatch(t *testing.T, columns ...any) arrow.RecordBatch {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for i := 0; i < len(columns); i += 3 {
		typ := columns[i+1].(arrow.DataType)
		arr, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(columns[i+2].(string)))
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, arrow.Field{Name: columns[i].(string), Type: typ, Nullable: true})
		arrays = append(arrays, arr)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
}

const allTypes = "a bool, b int2, c int4 not null, d int8, e float4, f float8, g numeric(5,2), h numeric(15,2), i numeric(30,2), j numeric, " +
	"k text, l varchar(20), m bytea, n date, o time, p timestamp, q timestamptz, r uuid, s json, t int4[], u text[]"

// randomRow returns a row of allTypes as CSV.
func randomRow(rng *rand.Rand, i int) string {
	values := []string{
		[]string{"t", "f"}[rng.IntN(2)], fmt.Sprint(rng.IntN(65536) - 32768), fmt.Sprint(i), fmt.Sprint(rng.Int64()),
		fmt.Sprint(float32(rng.NormFloat64())), fmt.Sprint(rng.NormFloat64()), fmt.Sprintf("%d.%02d", rng.IntN(999), rng.IntN(100)),
		fmt.Sprintf("-%d.5", rng.IntN(1e9)), fmt.Sprintf("%d%d.25", rng.Int64(), rng.IntN(1000)), fmt.Sprintf("%d.%d", rng.IntN(100), rng.IntN(100)),
		strings.Repeat("xé", rng.IntN(20)), fmt.Sprint("v", rng.IntN(100)), fmt.Sprintf(`\x%04x`, rng.IntN(65536)),
		fmt.Sprintf("%d-02-03", 1000+rng.IntN(2000)), fmt.Sprintf("12:34:56.%06d", rng.IntN(1e6)), fmt.Sprintf("%04d-02-03 04:05:06.%06d", 1+rng.IntN(9000), rng.IntN(1e6)),
		fmt.Sprintf("%04d-02-03 04:05:06.%06d+00", 1+rng.IntN(9000), rng.IntN(1e6)), fmt.Sprintf("00112233-4455-6677-8899-%012x", rng.IntN(1e9)), `"{""a"": 1}"`,
		fmt.Sprintf(`"{%d,NULL,%d}"`, rng.IntN(100), rng.IntN(100)), `"{""a b"",""NULL"",NULL,x}"`,
	}
	for k := range values {
		if k != 2 && rng.IntN(5) == 0 {
			values[k] = ""
		}
	}
	return strings.Join(values, ",") + "\n"
}

// arrowTypesTable makes a store whose table t has all types, with random rows.
func arrowTypesTable(t *testing.T, rows int) (*columnar.Store, *Target) {
	t.Helper()
	store := newStore(t)
	schema := textSchema(t, allTypes)
	target := createTable(t, store, schema)
	rng := rand.New(rand.NewPCG(7, 8))
	var in strings.Builder
	for i := range rows {
		in.WriteString(randomRow(rng, i))
	}
	csv, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv)"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := From(context.Background(), store, target, FromReader(strings.NewReader(in.String()), ""), csv, Env{}); err != nil {
		t.Fatal(err)
	}
	return store, target
}

// TestArrowRoundTrip writes all types and reads them back: as a file, a stream, a stream in
// a file and a compressed one, in batches of all sizes and by several workers.
func TestArrowRoundTrip(t *testing.T) {
	const rows = 3000
	store, target := arrowTypesTable(t, rows)
	want := readTable(t, store)
	for _, tc := range []struct {
		options string
		pipe    bool
		zip     bool
	}{
		{options: ", STREAM false"},
		{options: ", STREAM false, BATCH_SIZE 7"},
		{options: ", STREAM false, BATCH_SIZE 64, COMPRESSION zstd"},
		{options: ", STREAM false, COMPRESSION lz4"},
		{options: ""},
		{options: ", BATCH_SIZE 1000"},
		{options: "", pipe: true},
		{options: ", BATCH_SIZE 64", pipe: true},
		{options: ", STREAM false, BATCH_SIZE 100, COMPRESSION lz4", pipe: true},
		{options: ", BATCH_SIZE 100, COMPRESSION zstd", zip: true},
	} {
		t.Run(fmt.Sprintf("%s pipe %v zip %v", tc.options, tc.pipe, tc.zip), func(t *testing.T) {
			b, err := arrowBytes(t, store, tc.options, Env{MaxWorkers: 3})
			if err != nil {
				t.Fatal(err)
			}
			if file := strings.Contains(tc.options, "STREAM false"); bytes.HasPrefix(b, []byte("ARROW1")) != file {
				t.Errorf("it begins with %q", b[:8])
			}
			again := newStore(t)
			createTable(t, again, target.Schema)
			src := FromReader(bytes.NewReader(b), "")
			if !tc.pipe {
				path := filepath.Join(t.TempDir(), "t")
				if tc.zip {
					var z bytes.Buffer
					w := gzip.NewWriter(&z)
					w.Write(b)
					w.Close()
					b = z.Bytes()
				}
				if err := os.WriteFile(path, b, 0o666); err != nil {
					t.Fatal(err)
				}
				src = FromFiles(path)
			}
			res, err := loadArrow(t, again, target, src, tc.options, Env{MaxWorkers: 3, Files: AnyFile(), smallBytes: 1})
			if err != nil || res.Rows != rows {
				t.Fatal(res.Rows, err)
			}
			if exact := res.Cardinality == Exact; exact != (!tc.pipe && !tc.zip) {
				t.Errorf("cardinality %v", res.Cardinality)
			}
			compareRows(t, readTable(t, again), want)
		})
	}
}

// TestArrowNames writes to named files: the name decides the form.
func TestArrowNames(t *testing.T) {
	store, _ := arrowTypesTable(t, 10)
	for name, file := range map[string]bool{"x.arrow": true, "x.feather": true, "x.ARROWS": false, "x": true} {
		to, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT arrow)"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := copyTable(t, store, ToFile(path), to, Env{Files: AnyFile()}); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil || bytes.HasPrefix(b, []byte("ARROW1")) != file {
			t.Errorf("%s begins with %q, %v", name, b[:8], err)
		}
	}
}

// TestArrowErrors loads a file whose values are wrong in several places, by any number of
// workers: the smallest failing row wins, in it the first column, and rows before it whose
// NOT NULL fails.
func TestArrowErrors(t *testing.T) {
	const rows = 700
	ints, texts := make([]string, rows), make([]string, rows)
	for i := range rows {
		ints[i], texts[i] = fmt.Sprint(i), fmt.Sprintf(`"%d"`, i)
	}
	ints[500], texts[400], texts[600] = "70000", `"x"`, `"y"`
	all := func() arrow.RecordBatch {
		return arrowBatch(t, "b", arrow.BinaryTypes.String, "["+strings.Join(texts, ",")+"]",
			"a", arrow.PrimitiveTypes.Int64, "["+strings.Join(ints, ",")+"]")
	}
	load := func(options string, workers int, columns string, batch arrow.RecordBatch) (Result, [][]string, error) {
		store := newStore(t)
		target := createTable(t, store, textSchema(t, columns))
		path := arrowFile(t, "x.arrow", batch.NewSlice(0, 333), batch.NewSlice(333, rows))
		var notices []string
		res, err := loadArrow(t, store, target, FromFiles(path), options, Env{MaxWorkers: workers, Files: AnyFile(), smallBytes: 1, Notice: func(s string) { notices = append(notices, s) }})
		return res, readTable(t, store), err
	}
	for _, workers := range []int{1, 4} {
		_, _, err := load("", workers, "a int2, b int4", all())
		if e := wantState(t, err, pgerr.InvalidTextRepresentation); e.Line != 401 || e.Column != "b" || e.Value != "x" || e.File == "" {
			t.Errorf("%+v", e)
		}
		res, got, err := load(", ON_ERROR ignore", workers, "a int2, b int4", all())
		if err != nil || res.Skipped != 3 || len(got) != rows-3 {
			t.Fatal(res.Skipped, len(got), err)
		}
		res, got, err = load(", ON_ERROR set_null", workers, "a int2, b int4", all())
		if err != nil || res.SetNull != 3 || got[400][1] != null || got[400][0] != "400" || got[500][0] != null {
			t.Fatal(res.SetNull, got[400], err)
		}
		_, _, err = load(", ON_ERROR ignore, REJECT_LIMIT 2", workers, "a int2, b int4", all())
		if e := wantState(t, err, pgerr.InvalidTextRepresentation); e.Line != 601 {
			t.Errorf("%+v", e)
		}
	}
	ints[20] = "null"
	_, _, err := load("", 4, "a int2 not null, b int4", all())
	if e := wantState(t, err, pgerr.NotNullViolation); e.Line != 21 || e.Column != "a" {
		t.Errorf("%+v", e)
	}
	texts[3] = `"a\u0000b"`
	for _, options := range []string{"", ", ON_ERROR ignore"} {
		_, _, err = load(options, 4, "a int4, b text", all())
		if e := wantState(t, err, pgerr.CharacterNotInRepertoire); e.Line != 4 || e.Column != "b" {
			t.Errorf("%+v", e)
		}
	}
}

// TestArrowColumns matches columns by name or by position, leaves out what is not wanted,
// and says what is missing or cannot be read.
func TestArrowColumns(t *testing.T) {
	point := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32})
	batch := arrowBatch(t, "b", arrow.BinaryTypes.String, `["one", "two"]`, "p", point, `[{"x": 1}, null]`,
		"a", arrow.PrimitiveTypes.Int8, `[1, 2]`)
	two := arrowBatch(t, "x", arrow.PrimitiveTypes.Int8, `[1, 2]`, "y", arrow.BinaryTypes.String, `["one", "two"]`)
	want := [][]string{{"1", "one"}, {"2", "two"}}
	for _, tc := range []struct {
		columns, options string
		batch            arrow.RecordBatch
		list             []int
		want             [][]string
		state, message   string
	}{
		{"a int4, b text", "", batch, nil, want, "", ""},
		{"a int4, b text", ", MATCH name", batch, []int{1, 0}, want, "", ""},
		{"a int4, b text", ", MATCH position", two, nil, want, "", ""},
		{"a int4, b text", ", MATCH position", two, []int{0, 1}, want, "", ""},
		{"a int4, b text, c int4", "", batch, nil, [][]string{{"1", "one", null}, {"2", "two", null}}, "", ""},
		{"a int4, b text, c int4", "", batch, []int{0, 2}, nil, pgerr.UndefinedColumn, `no column "c"`},
		{"a int4, b text, c int4", ", MATCH position", two, nil, nil, pgerr.UndefinedColumn, `"c"`},
		{"a int4", ", MATCH position", two, nil, nil, pgerr.DatatypeMismatch, "has 2 columns"},
		{"a int4, p text", "", batch, nil, nil, pgerr.FeatureNotSupported, `column "p" has the type Arrow's struct`},
		{"A int4", "", batch, nil, nil, pgerr.UndefinedColumn, `no column "A"`},
	} {
		store := newStore(t)
		target := createTable(t, store, textSchema(t, tc.columns))
		target.Columns = tc.list
		_, err := loadArrow(t, store, target, FromFiles(arrowFile(t, "x.arrow", tc.batch)), tc.options, Env{Files: AnyFile()})
		if tc.state != "" {
			if e := wantState(t, err, tc.state); !strings.Contains(e.Message, tc.message) {
				t.Errorf("%s%s: %v", tc.columns, tc.options, e)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s%s: %v", tc.columns, tc.options, err)
			continue
		}
		compareRows(t, readTable(t, store), tc.want)
	}
}

// TestArrowBadFiles loads what is no Arrow data, or only the beginning of some.
func TestArrowBadFiles(t *testing.T) {
	whole, err := os.ReadFile(arrowFile(t, "x.arrow", arrowBatch(t, "a", arrow.PrimitiveTypes.Int32, `[1, 2, 3]`)))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"empty": nil, "text": []byte("a,b\n1,2\n3,4\n5,6\n7,8\n"), "cut": whole[:len(whole)/2], "without its end": whole[:len(whole)-3],
		"no magic behind": append(bytes.Clone(whole[:len(whole)-6]), "ARROWX"...),
	} {
		path := filepath.Join(t.TempDir(), "x.arrow")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, src := range []Source{FromFiles(path), FromReader(bytes.NewReader(b), "")} {
			store := newStore(t)
			target := createTable(t, store, textSchema(t, "a int4"))
			_, err := loadArrow(t, store, target, src, "", Env{Files: AnyFile()})
			if src.reader != nil && err == nil && strings.Contains(name, "e") && len(b) > len(whole)/2 {
				continue // the footer of a stream is not looked at
			}
			t.Log(name, err)
			wantState(t, err, pgerr.BadCopyFileFormat)
			compareRows(t, readTable(t, store), nil)
		}
	}
}

// TestArrowHostile loads good files of which some bytes were changed into columns that take
// all of their types: rows or an error, and never one that says that the code is wrong.
func TestArrowHostile(t *testing.T) {
	dict := dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String)
	batch := arrowBatch(t,
		"a", arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[1, 2], null, [], [3, null]]`,
		"b", arrow.FixedSizeListOf(2, arrow.BinaryTypes.String), `[["x", "yy"], null, ["z", null], ["", "u"]]`,
		"c", arrow.ListViewOf(arrow.PrimitiveTypes.Int16), `[[1, 2], null, [], [3, null]]`,
		"d", arrow.ListOf(dict), `[["x", "y"], null, [], ["x", null]]`,
		"e", dict, `["x", null, "y", "x"]`,
		"f", arrow.BinaryTypes.StringView, `["x", null, "longer than what a view holds", "y"]`,
		"g", arrow.BinaryTypes.LargeString, `["x", null, "yy", ""]`,
		"h", &arrow.Decimal256Type{Precision: 50, Scale: 2}, `["1.25", null, "-3.00", "0.01"]`,
		"i", &arrow.FixedSizeBinaryType{ByteWidth: 3}, `["AAAA", null, "AAAB", "AAAC"]`,
		"j", &arrow.TimestampType{Unit: arrow.Nanosecond}, `["2001-02-03 04:05:06", null, "1960-01-01 00:00:00", "1970-01-01 00:00:00"]`,
		"k", arrow.FixedWidthTypes.Boolean, `[true, null, false, true]`,
		"l", arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Float64)), `[[[1.5], [2]], null, [], [[3]]]`)
	good, err := os.ReadFile(arrowFile(t, "x.arrow", batch, batch))
	if err != nil {
		t.Fatal(err)
	}
	store := newStore(t)
	schema := &columnar.Schema{Name: "t"}
	for i, typ := range []string{"int4[]", "text[]", "int2[]", "text[]", "text", "text", "text", "numeric(20,2)", "bytea", "timestamp", "bool", "float8[]"} {
		schema.Columns = append(schema.Columns, columnar.Column{Name: string(rune('a' + i)), Type: parseType(t, typ)})
	}
	target := createTable(t, store, schema)
	path := filepath.Join(t.TempDir(), "x.arrow")
	const seed = 21
	rng := rand.New(rand.NewPCG(seed, 1))
	rounds, loaded := 600, 0
	if testing.Short() {
		rounds = 100
	}
	for round := range rounds {
		b := bytes.Clone(good)
		for range rng.IntN(4) {
			at := rng.IntN(len(b))
			switch rng.IntN(3) {
			case 0:
				b[at] ^= 1 << rng.IntN(8)
			case 1:
				b[at] = byte(rng.Uint32())
			default:
				copy4 := []byte{0xff, 0xff, 0xff, 0x7f}
				for k := range copy4 {
					if at&^3+k < len(b) {
						b[at&^3+k] = copy4[k]
					}
				}
			}
		}
		options := []string{"", ", ON_ERROR ignore", ", ON_ERROR set_null"}[rng.IntN(3)]
		src := FromReader(bytes.NewReader(b), "")
		if round%2 == 0 {
			if err := os.WriteFile(path, b, 0o666); err != nil {
				t.Fatal(err)
			}
			src = FromFiles(path)
		}
		if _, err := loadArrow(t, store, target, src, options, Env{Files: AnyFile()}); err != nil {
			if e := pgerr.From(err); e.SQLState[:2] == "XX" && e.SQLState != pgerr.DataCorrupted {
				t.Fatalf("seed %d, round %d: %v", seed, round, err)
			}
			continue
		}
		loaded++
	}
	if loaded < rounds/10 || loaded == rounds {
		t.Errorf("%d of %d were loaded", loaded, rounds)
	}
}

// TestArrowSpecials writes what Arrow does not have.
func TestArrowSpecials(t *testing.T) {
	for typ, values := range map[string][]string{
		"date": {"infinity", "-infinity"}, "timestamp": {"infinity"}, "timestamptz": {"-infinity"}, "numeric(5,2)": {"NaN"},
		"int4[]": {"{{1,2},{3,4}}", "[0:1]={1,2}"}, "date[]": {"{infinity}"},
	} {
		for _, v := range values {
			store := newStore(t)
			schema := &columnar.Schema{Name: "t", Columns: []columnar.Column{{Name: "a", Type: parseType(t, typ)}}}
			target := createTable(t, store, schema)
			csv, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv)"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := From(context.Background(), store, target, FromReader(strings.NewReader("\""+v+"\"\n"), ""), csv, Env{}); err != nil {
				t.Fatal(err)
			}
			_, err = arrowBytes(t, store, "", Env{})
			if e := pgerr.From(err); err == nil || e.Column != "a" || e.Hint == "" {
				t.Errorf("%s %s: %v", typ, v, err)
			}
			b, err := arrowBytes(t, store, ", NON_FINITE null", Env{})
			if strings.Contains(v, "1") {
				wantState(t, err, pgerr.FeatureNotSupported)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			truncate(t, store)
			if _, err := loadArrow(t, store, target, FromReader(bytes.NewReader(b), ""), "", Env{}); err != nil {
				t.Fatal(err)
			}
			want := null
			if strings.HasSuffix(typ, "[]") {
				want = "{NULL}"
			}
			compareRows(t, readTable(t, store), [][]string{{want}})
		}
	}
}

// TestArrowOptions misuses the options of the format.
func TestArrowOptions(t *testing.T) {
	for _, tc := range []struct {
		to      bool
		options string
		state   string
	}{
		{false, "COMPRESSION gzip", pgerr.InvalidParameterValue},
		{false, "BATCH_SIZE 0", pgerr.InvalidParameterValue},
		{false, "SIZE 1", pgerr.SyntaxError},
		{false, "MATCH perhaps", pgerr.InvalidParameterValue},
		{false, "DELIMITER ','", pgerr.SyntaxError},
		{false, "ENCODING 'LATIN1'", pgerr.FeatureNotSupported},
		{true, "MATCH name", pgerr.SyntaxError},
		{true, "COMPRESSION gzip", pgerr.InvalidParameterValue},
		{true, "BATCH_SIZE 0", pgerr.InvalidParameterValue},
		{true, "BATCH_SIZE 2, BATCH_SIZE 2", pgerr.SyntaxError},
		{true, "STREAM perhaps", pgerr.SyntaxError},
		{true, "NON_FINITE perhaps", pgerr.InvalidParameterValue},
	} {
		list := parseOptions(t, "COPY t WITH (FORMAT arrow, "+tc.options+")")
		_, err := ParseFromOptions(list)
		if tc.to {
			_, err = ParseToOptions(list)
		}
		if e := pgerr.From(err); err == nil || e.SQLState != tc.state {
			t.Errorf("%s: %v, want %s", tc.options, err, tc.state)
		}
	}
}
