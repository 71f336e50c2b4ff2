package copy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// fromText loads text into a new table t with the given columns ("a int4, b text").
func fromText(t testing.TB, store *columnar.Store, columns, options string, src Source, env Env) (Result, error) {
	t.Helper()
	target := createTable(t, store, textSchema(t, columns))
	opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH ("+options+")"))
	if err != nil {
		t.Fatal(err)
	}
	return From(context.Background(), store, target, src, opt, env)
}

func textSchema(t testing.TB, columns string) *columnar.Schema {
	s := &columnar.Schema{Name: "t"}
	for _, def := range strings.Split(columns, ", ") {
		name, typ, _ := strings.Cut(def, " ")
		typ, notNull := strings.CutSuffix(typ, " not null")
		s.Columns = append(s.Columns, columnar.Column{Name: name, Type: parseType(t, typ), NotNull: notNull})
	}
	return s
}

func writeFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantState(t testing.TB, err error, state string) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.SQLState != state {
		t.Fatalf("error %v, want %s", err, state)
	}
	return e
}

// TestErrorFields checks what an error says of its place.
func TestErrorFields(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := []struct {
		columns, options, in string
		state, column, value string
		line, offset         int64
		context              string
	}{
		{"a int4, b text", "FORMAT csv", "1,x\n2x,y\n", "22P02", "a", "2x", 2, 4, `COPY t, line 2, column a: "2x"`},
		{"a text, b int4", "FORMAT csv, HEADER", "a,b\n\"p\nq\",1\nr,\"s\"\"\"\n", "22P02", "b", `s"`, 4, 14, `COPY t, line 4, column b: "s""`},
		{"a int4", "FORMAT csv", long + "\n", "22P02", "a", long, 1, 0, `COPY t, line 1, column a: "` + strings.Repeat("x", 100) + `..."`},
		{"a int4, b text", "FORMAT csv", "1,x\n2\n", "22P04", "", "2", 2, 0, `COPY t, line 2: "2"`},
		{"a int4, b text", "FORMAT csv", "1,x\n2,y,z\n", "22P04", "", "2,y,z", 2, 0, `COPY t, line 2: "2,y,z"`},
		{"a int4 not null, b text", "FORMAT csv", "1,x\n,y\n", "23502", "a", "", 2, 0, `COPY t, line 2, column a: null input`},
		{"a varchar(3)", "FORMAT csv", "abc\nabc   \nabcd\n", "22001", "a", "abcd", 3, 11, `COPY t, line 3, column a: "abcd"`},
		{"a text", "FORMAT csv", "ok\nb\xffd\n", "22021", "", "", 2, 4, `COPY t, line 2`},
		{"a text", "FORMAT csv, DEFAULT 'D'", "ok\nD\n", "22P04", "", "D", 2, 3, `COPY t, line 2: "D"`},
		{"a numeric(4,1)", "FORMAT csv", "999.94\n999.95\n", "22003", "a", "999.95", 2, 7, `COPY t, line 2, column a: "999.95"`},
		{"a json", "FORMAT csv", "{}\n{\n", "22P02", "a", "{", 2, 3, `COPY t, line 2, column a: "{"`},
	}
	for _, tc := range tests {
		t.Run(tc.in[:min(20, len(tc.in))], func(t *testing.T) {
			for _, small := range []int64{0, -1} {
				_, err := fromText(t, newStore(t), tc.columns, tc.options, FromFiles(writeFile(t, "in.csv", tc.in)), Env{Files: AnyFile(), smallBytes: small, BlockSize: 2, MaxWorkers: 3})
				e := wantState(t, err, tc.state)
				if e.Column != tc.column || e.Value != tc.value || e.Line != tc.line || e.Context() != tc.context || !strings.HasSuffix(e.File, "in.csv") {
					t.Errorf("%+v, context %s", *e, e.Context())
				}
				if e.HasOffset && e.ByteOffset != tc.offset {
					t.Errorf("offset %d, want %d", e.ByteOffset, tc.offset)
				}
			}
		})
	}
}

// TestColumnListAndDefaults checks columns that the input does not fill.
func TestColumnListAndDefaults(t *testing.T) {
	store := newStore(t)
	schema := textSchema(t, "a int4, b text, c text, d int4")
	schema.Columns[2].HasDefault = true
	schema.Columns[3].HasDefault = true
	target := createTable(t, store, schema)
	target.Columns = []int{1, 0}
	target.Defaults = make([]columnar.Value, 4)
	for i := range target.Defaults {
		target.Defaults[i] = columnar.Value{Type: schema.Columns[i].Type, Null: true}
	}
	target.Defaults[2] = columnar.Value{Type: schema.Columns[2].Type, S: "dflt"}
	target.Defaults[3] = columnar.Value{Type: schema.Columns[3].Type, I: 7}
	opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv)"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := From(context.Background(), store, target, FromReader(strings.NewReader("x,1\n,2\n"), ""), opt, Env{}); err != nil {
		t.Fatal(err)
	}
	opt, err = ParseFromOptions(parseOptions(t, `COPY t WITH (FORMAT csv, DEFAULT '\D')`))
	if err != nil {
		t.Fatal(err)
	}
	target.Columns = nil
	if _, err := From(context.Background(), store, target, FromReader(strings.NewReader("3,\"\\D\",\\D,\\D\n4,z,z,5\n"), ""), opt, Env{}); err != nil {
		t.Fatal(err)
	}
	compareRows(t, readTable(t, store), [][]string{{"1", "x", "dflt", "7"}, {"2", null, "dflt", "7"}, {"3", `\D`, "dflt", "7"}, {"4", "z", "z", "5"}})

	schema2 := target.Schema.Clone()
	schema2.Columns[3].NotNull = true
	target.Schema, target.Columns, target.Defaults = schema2, []int{0, 1, 2}, nil
	_, err = From(context.Background(), store, target, FromReader(strings.NewReader("1,x,y\n"), ""), opt, Env{})
	wantState(t, err, pgerr.NotNullViolation)
	if res, err := From(context.Background(), store, target, FromReader(strings.NewReader(""), ""), opt, Env{}); err != nil || res.Rows != 0 {
		t.Fatal(res, err)
	}
}

// TestCheck checks that a CHECK fails with the smallest record, after its conversion.
func TestCheck(t *testing.T) {
	for _, in := range []struct {
		text, state string
		line        int64
	}{
		{"1\n2\n3\n", "", 0}, {"1\n-2\n-3\nx\n", pgerr.CheckViolation, 2}, {"1\nx\n-3\n", pgerr.InvalidTextRepresentation, 2},
	} {
		store := newStore(t)
		target := createTable(t, store, textSchema(t, "a int4"))
		target.Check = func(w *columnar.FragmentWriter, from, to int) (int, error) {
			for i, v := range w.Cols[0].Int32s()[from:to] {
				if v < 0 {
					return from + i, pgerr.New(pgerr.CheckViolation, "new row violates check constraint")
				}
			}
			return to, nil
		}
		opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv)"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = From(context.Background(), store, target, FromReader(strings.NewReader(in.text), ""), opt, Env{})
		if in.state == "" {
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		if e := wantState(t, err, in.state); e.Line != in.line {
			t.Errorf("%q: line %d, want %d", in.text, e.Line, in.line)
		}
	}
}

// TestSmallestError puts errors all over a large input: the first is the one reported,
// with any number of workers.
func TestSmallestError(t *testing.T) {
	var b strings.Builder
	for i := range 200_000 {
		switch {
		case i >= 150_000 && i%1000 == 0:
			b.WriteString("1,2,3\n")
		case i >= 123_456 && i%500 == 456:
			b.WriteString("x,y\n")
		default:
			fmt.Fprintf(&b, "%d,v%d\n", i, i)
		}
	}
	path := writeFile(t, "in.csv", b.String())
	for workers := 1; workers <= 9; workers++ {
		for _, stream := range []bool{false, true} {
			src := FromFiles(path)
			if stream {
				src = FromReader(strings.NewReader(b.String()), "stdin")
			}
			_, err := fromText(t, newStore(t), "a int4, b text", "FORMAT csv", src, Env{Files: AnyFile(), MaxWorkers: workers, smallBytes: 1000, BlockSize: 50_000})
			if e := wantState(t, err, pgerr.InvalidTextRepresentation); e.Line != 123_457 {
				t.Errorf("%d workers: line %d", workers, e.Line)
			}
		}
	}
}

// TestLongRecords has records longer than a block, a split and a parcel.
func TestLongRecords(t *testing.T) {
	var want [][]string
	var b strings.Builder
	for i, n := range []int{0, 10, 70_000, 3_000_000, 1, 200_000, 64 << 10, 5} {
		text := strings.Repeat("line\nwith \"quotes\", and more\r\n", n/30+1)[:n]
		want = append(want, []string{fmt.Sprint(i), text})
		fmt.Fprintf(&b, "%d,\"%s\"\n", i, strings.ReplaceAll(text, `"`, `""`))
	}
	path := writeFile(t, "in.csv", b.String())
	for _, env := range []Env{{MaxWorkers: 1}, {MaxWorkers: 3, BlockSize: 1000, smallBytes: -1}, {MaxWorkers: 4, BlockSize: 1 << 20, smallBytes: 10}} {
		env.Files = AnyFile()
		for _, src := range []Source{FromFiles(path), FromReader(strings.NewReader(b.String()), "")} {
			store := newStore(t)
			if _, err := fromText(t, store, "a int4, b text", "FORMAT csv", src, env); err != nil {
				t.Fatal(err)
			}
			compareRows(t, readTable(t, store), want)
		}
	}
}

// TestSeveralFiles checks a glob: files in byte order, each with its own head and style,
// in fragments that span them.
func TestSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	var want [][]string
	texts := map[string]string{
		"p-1.csv": "a,b\n1,x\n2,y", "p-10.csv": "\xef\xbb\xbfa,b\r\n3,\"z\nz\"\r\n", "p-2.csv": "", "p-3.csv": "a,b\n", "p-4.csv": "a,b\r5,v\r6,w\r",
		"q.csv": "a,b\n99,never\n",
	}
	want = [][]string{{"1", "x"}, {"2", "y"}, {"3", "z\nz"}, {"5", "v"}, {"6", "w"}}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, env := range []Env{{}, {smallBytes: -1, MaxWorkers: 3, BlockSize: 3}} {
		env.Files = AnyFile()
		store := newStore(t)
		res, err := fromText(t, store, "a int4, b text", "FORMAT csv, HEADER match", FromFiles(filepath.Join(dir, "p-*.csv")), env)
		e := wantState(t, err, pgerr.BadCopyFileFormat) // p-2.csv has no header
		if !strings.HasSuffix(e.File, "p-2.csv") {
			t.Errorf("file %s", e.File)
		}
		store = newStore(t)
		res, err = fromText(t, store, "a int4, b text", "FORMAT csv, HEADER", FromFiles(filepath.Join(dir, "p-*.csv")), env)
		if err != nil || res.Rows != 5 || res.Reservations != 1 || res.Cardinality != Exact {
			t.Fatal(res, err)
		}
		compareRows(t, readTable(t, store), want)
	}
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	secret := writeFile(t, "secret.csv", "1\n")
	tests := []struct {
		path  string
		files Files
		state string
	}{
		{filepath.Join(dir, "missing.csv"), AnyFile(), "58P01"},
		{filepath.Join(dir, "*.csv"), AnyFile(), "58P01"},
		{dir, AnyFile(), "42809"},
		{filepath.Join(secret, "x"), AnyFile(), "42809"},
		{filepath.Join(dir, "["), AnyFile(), "42602"},
		{secret, Files{}, "42501"},
	}
	if os.Geteuid() != 0 {
		if err := os.Chmod(secret, 0); err != nil {
			t.Fatal(err)
		}
		tests = append(tests, struct {
			path  string
			files Files
			state string
		}{secret, AnyFile(), "42501"})
	}
	for _, tc := range tests {
		_, err := fromText(t, newStore(t), "a int4", "FORMAT csv", FromFiles(tc.path), Env{Files: tc.files})
		wantState(t, err, tc.state)
	}
	rooted, err := FilesIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer rooted.Close()
	if err := os.WriteFile(filepath.Join(dir, "ok.csv"), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "link.csv")); err != nil {
		t.Fatal(err)
	}
	for path, state := range map[string]string{"ok.csv": "", "o*.csv": "", filepath.Join(dir, "ok.csv"): "", "link.csv": "42501", "../x.csv": "42501", secret: "42501"} {
		res, err := fromText(t, newStore(t), "a int4", "FORMAT csv", FromFiles(path), Env{Files: rooted})
		if state != "" {
			wantState(t, err, state)
		} else if err != nil || res.Rows != 1 {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// lookedAt is a context that does something when it is looked at for the n-th time.
type lookedAt struct {
	context.Context
	left atomic.Int64
	do   func()
}

func newLookedAt(ctx context.Context, n int, do func()) *lookedAt {
	c := &lookedAt{Context: ctx, do: do}
	c.left.Store(int64(n))
	return c
}

func (c *lookedAt) Err() error {
	if c.left.Add(-1) == 0 {
		c.do()
	}
	return c.Context.Err()
}

func TestChangedWhileRead(t *testing.T) {
	const lines = 50_000
	text := strings.Repeat("123,abc\n", lines)
	past := time.Now().Add(-time.Hour)
	changes := map[string]func(t *testing.T, path string){
		"grown": func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString("4,x\n"); err != nil {
				t.Fatal(err)
			}
		},
		"shrunk": func(t *testing.T, path string) {
			if err := os.Truncate(path, 1000); err != nil {
				t.Fatal(err)
			}
		},
		"rewritten": func(t *testing.T, path string) {
			if err := os.WriteFile(path, bytes.Repeat([]byte("1,abcde\n"), lines), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"fewer records in the same bytes and time": func(t *testing.T, path string) {
			fewer := strings.Repeat("123,abc\n123,abcdefghijk\n", lines/3)
			fewer += text[len(fewer):]
			if err := os.WriteFile(path, []byte(fewer), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, past, past); err != nil {
				t.Fatal(err)
			}
		},
		"more records in the same bytes and time": func(t *testing.T, path string) {
			if err := os.WriteFile(path, bytes.Repeat([]byte("1,a\n"), 2*lines), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, past, past); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			for _, at := range []struct{ workers, look int }{{1, 3}, {1, 6}, {4, 3}, {4, 8}} {
				path := writeFile(t, "in.csv", text)
				if err := os.Chtimes(path, past, past); err != nil {
					t.Fatal(err)
				}
				store := newStore(t)
				target := createTable(t, store, textSchema(t, "a int4, b text"))
				opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv)"))
				if err != nil {
					t.Fatal(err)
				}
				env := Env{Files: AnyFile(), MaxWorkers: at.workers, smallBytes: 1000, BlockSize: 100_000}
				// The first look is the count's, the second the reservation's, the rest are
				// one for each batch that is converted.
				ctx := newLookedAt(context.Background(), at.look, func() { change(t, path) })
				_, err = From(ctx, store, target, FromFiles(path), opt, env)
				var e *Error
				switch {
				case !errors.As(err, &e):
					t.Errorf("error %v", err)
				case e.SQLState == pgerr.ObjectNotInState && strings.Contains(e.Message, "changed while being read"):
				case strings.HasSuffix(name, "same bytes and time") && (e.SQLState == pgerr.BadCopyFileFormat || e.SQLState == pgerr.InvalidTextRepresentation):
					// A block that is half old and half new may hold a record that is neither.
				default:
					t.Error(e)
				}
				if n := len(readTable(t, store)); n != 0 {
					t.Errorf("%d rows", n)
				}
			}
		})
	}
}

func TestCancel(t *testing.T) {
	text := strings.Repeat("1,abc\n", 200_000)
	path := writeFile(t, "in.csv", text)
	for _, looks := range []int{1, 3, 10} {
		for _, src := range []Source{FromFiles(path), FromReader(strings.NewReader(text), "")} {
			store := newStore(t)
			target := createTable(t, store, textSchema(t, "a int4, b text"))
			opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv)"))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			_, err = From(newLookedAt(ctx, looks, cancel), store, target, src, opt, Env{Files: AnyFile(), MaxWorkers: 1, smallBytes: 1000, BlockSize: 10_000})
			wantState(t, err, pgerr.QueryCanceled)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v is not context.Canceled", err)
			}
			if n := len(readTable(t, store)); n != 0 {
				t.Errorf("%d rows", n)
			}
			cancel()
		}
	}
}

// TestResult checks the accounts of a load that is not small.
func TestResult(t *testing.T) {
	path, size := inputFile(t, "ints10", 60_000)
	store := newStore(t)
	target := createTable(t, store, inputSchema(t, "ints10"))
	opt, err := ParseFromOptions(headerOptions)
	if err != nil {
		t.Fatal(err)
	}
	var p Progress
	res, err := From(context.Background(), store, target, FromFiles(path), opt, Env{Files: AnyFile(), MaxWorkers: 3, Progress: &p})
	if err != nil {
		t.Fatal(err)
	}
	if res.Rows != 60_000 || res.Bytes != size || res.Cardinality != Exact || res.Workers != 3 || res.Reservations != 1 || res.UsedBytes != res.ReservedBytes {
		t.Errorf("%+v", res)
	}
	for _, s := range []Stage{StageRead, StageSplit, StageConvert, StageStore} {
		if res.Stages[s].NS <= 0 {
			t.Errorf("stage %s took no time", s)
		}
	}
	if res.Stages[StageConvert].Bytes < size-100 || res.Stages[StageRead].Bytes < 2*size-200 {
		t.Errorf("stages %+v for %d bytes", res.Stages, size)
	}
	if p.BytesProcessed.Load() != size || p.BytesTotal.Load() != size || p.TuplesProcessed.Load() != 60_000 {
		t.Errorf("progress %d of %d bytes, %d rows", p.BytesProcessed.Load(), p.BytesTotal.Load(), p.TuplesProcessed.Load())
	}
	plan, err := PlanFrom(context.Background(), target, FromFiles(path), opt, Env{Files: AnyFile(), MaxWorkers: 3})
	if err != nil || plan.Cardinality != Estimate || plan.Workers != 3 || plan.Rows < 55_000 || plan.Rows > 65_000 || plan.Reason == "" {
		t.Errorf("plan %+v, %v", plan, err)
	}
}

// TestLongNumerics has numbers that are much longer written out than in the input.
func TestLongNumerics(t *testing.T) {
	var b strings.Builder
	want := make([][]string, 0, 5000)
	for i := range 5000 {
		fmt.Fprintf(&b, "%d,1e%d\n", i, i%1000)
		want = append(want, []string{fmt.Sprint(i), "1" + strings.Repeat("0", i%1000)})
	}
	path := writeFile(t, "in.csv", b.String())
	for _, env := range []Env{{}, {smallBytes: -1, BlockSize: 10_000, MaxWorkers: 3}} {
		env.Files, env.Progress = AnyFile(), new(Progress)
		store := newStore(t)
		res, err := fromText(t, store, "a int4, b numeric", "FORMAT csv", FromFiles(path), env)
		if err != nil || env.Progress.TuplesProcessed.Load() != 5000 || env.Progress.BytesProcessed.Load() != int64(b.Len()) {
			t.Fatal(res, err)
		}
		compareRows(t, readTable(t, store), want)
	}
}

// TestRows checks the caller's promise.
func TestRows(t *testing.T) {
	for _, src := range []func() Source{
		func() Source { return FromReader(strings.NewReader("1\n2\n"), "") },
		func() Source { return FromFiles(writeFile(t, "in.csv", "1\n2\n")) },
	} {
		if res, err := fromText(t, newStore(t), "a int4", "FORMAT csv, ROWS 2", src(), Env{Files: AnyFile()}); err != nil || res.Cardinality != Exact {
			t.Error(res, err)
		}
		_, err := fromText(t, newStore(t), "a int4", "FORMAT csv, ROWS 3", src(), Env{Files: AnyFile()})
		wantState(t, err, pgerr.BadCopyFileFormat)
	}
}

// TestInTransaction checks that rows wait for the commit of the caller's transaction.
func TestInTransaction(t *testing.T) {
	ctx := context.Background()
	store := newStore(t)
	target := createTable(t, store, textSchema(t, "a int4"))
	opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv)"))
	if err != nil {
		t.Fatal(err)
	}
	txn, err := store.BeginWrite(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := FromTxn(ctx, store, txn, target, FromReader(strings.NewReader("1\n2\n"), ""), opt, Env{}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = FromTxn(ctx, store, txn, target, FromReader(strings.NewReader("1\nx\n"), ""), opt, Env{})
	wantState(t, err, pgerr.InvalidTextRepresentation)
	if n := len(readTable(t, store)); n != 0 {
		t.Errorf("%d rows before the commit", n)
	}
	if _, err := txn.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(readTable(t, store)); n != 4 {
		t.Errorf("%d rows", n)
	}
}

// TestDuplicateLine finds the line of a duplicate key wherever its row came from.
func TestDuplicateLine(t *testing.T) {
	var plain, broken strings.Builder
	for i := range 1000 {
		k := i
		if i == 777 {
			k = 5
		}
		fmt.Fprintf(&plain, "%d,x\n", k)
		fmt.Fprintf(&broken, "%d,\"x\ny\"\n", k)
	}
	for text, line := range map[string]int64{plain.String(): 778, broken.String(): 2 * 778} {
		path := writeFile(t, "in.csv", text)
		for _, src := range []Source{FromFiles(path), FromFiles(path, writeFile(t, "empty.csv", "")), FromReader(strings.NewReader(text), "stdin")} {
			for _, small := range []int64{0, -1} {
				store := newStore(t)
				schema := textSchema(t, "a int4 not null, b text")
				schema.Constraints = []columnar.Constraint{{Name: "t_pkey", Kind: columnar.PrimaryKey, Columns: []uint32{1}}}
				target := createTable(t, store, schema)
				opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv)"))
				if err != nil {
					t.Fatal(err)
				}
				if src.reader != nil {
					src = FromReader(strings.NewReader(text), "stdin")
				}
				_, err = From(context.Background(), store, target, src, opt, Env{Files: AnyFile(), smallBytes: small, BlockSize: 100, MaxWorkers: 2})
				e := wantState(t, err, pgerr.UniqueViolation)
				if e.Line != line || e.Context() != fmt.Sprintf("COPY t, line %d", line) {
					t.Errorf("%+v, want line %d", *e, line)
				}
			}
		}
	}
}

// TestReaderError passes on what the reader says, unless a record failed before.
func TestReaderError(t *testing.T) {
	boom := errors.New("boom")
	_, err := fromText(t, newStore(t), "a int4", "FORMAT csv", FromReader(io.MultiReader(strings.NewReader("1\n2\n"), failing{boom}), "pipe"), Env{})
	if wantState(t, err, pgerr.IOError); !errors.Is(err, boom) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestCopyTo writes a table of several row groups with any number of workers, and reads
// it again.
func TestCopyTo(t *testing.T) {
	path, _ := inputFile(t, "mixed", 140_000)
	store := newStore(t)
	target := createTable(t, store, inputSchema(t, "mixed"))
	opt, err := ParseFromOptions(headerOptions)
	if err != nil {
		t.Fatal(err)
	}
	env := Env{Files: AnyFile()}
	if _, err := From(context.Background(), store, target, FromFiles(path), opt, env); err != nil {
		t.Fatal(err)
	}
	to, err := ParseToOptions(headerOptions)
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	for _, workers := range []int{1, 2, 8} {
		env.MaxWorkers = workers
		out := filepath.Join(t.TempDir(), "out.csv")
		if err := copyTable(t, store, ToFile(out), to, env); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		var b bytes.Buffer
		if err := copyTable(t, store, ToWriter(&b), to, env); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, first) || !bytes.Equal(b.Bytes(), first) {
			t.Errorf("%d workers: other bytes", workers)
		}
	}
	again := newStore(t)
	if _, err := From(context.Background(), again, createTable(t, again, inputSchema(t, "mixed")), FromReader(bytes.NewReader(first), ""), opt, env); err != nil {
		t.Fatal(err)
	}
	if a, b := readTable(t, store), readTable(t, again); !slices.EqualFunc(a, b, slices.Equal) {
		t.Error("the copy of the copy has other rows")
	}
}

// TestCopyToFailure keeps what was there.
func TestCopyToFailure(t *testing.T) {
	store := newStore(t)
	if _, err := fromText(t, store, "a int4", "FORMAT csv", FromReader(strings.NewReader("1\n"), ""), Env{}); err != nil {
		t.Fatal(err)
	}
	to, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT csv)"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out.csv")
	if err := os.WriteFile(out, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	rows := func(yield func(Batch, error) bool) { yield(Batch{}, boom) }
	content := QueryContent([]string{"a"}, []columnar.Type{{Kind: columnar.Int4}}, rows)
	if _, err := To(context.Background(), content, ToFile(out), to, nil, Env{Files: AnyFile()}); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(out); err != nil || string(b) != "old" {
		t.Errorf("%q, %v", b, err)
	}
	if err := copyTable(t, store, ToFile(out), to, Env{Files: AnyFile()}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(out); err != nil || string(b) != "1\n" {
		t.Errorf("%q, %v", b, err)
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o640 {
		t.Error(info.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v is left over, %v", entries, err)
	}
	wantState(t, copyTable(t, store, ToFile(dir), to, Env{Files: AnyFile()}), pgerr.WrongObjectType)
	wantState(t, copyTable(t, store, ToFile(filepath.Join(dir, "no", "x")), to, Env{Files: AnyFile()}), pgerr.UndefinedFile)
	wantState(t, copyTable(t, store, ToFile(out), to, Env{}), pgerr.InsufficientPrivilege)
}

func TestAppendInt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []int64{0, 9, 10, 99, 100, -1, 1<<63 - 1, -1 << 63}
	for p := int64(1); p > 0 && p < 1<<62; p *= 10 {
		values = append(values, p-1, p, p+1, -p)
	}
	for range 10_000 {
		values = append(values, int64(r.Uint64())>>r.IntN(64))
	}
	for _, v := range values {
		if got, want := string(appendInt([]byte("x"), v)), fmt.Sprintf("x%d", v); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

// FuzzFrom compares the pipeline with the model on any bytes.
func FuzzFrom(f *testing.F) {
	f.Add([]byte("1,\"a\nb\"\n2,c\n"), uint64(1))
	f.Add([]byte("a\r\nb\rc"), uint64(2))
	f.Add([]byte("Y"), uint64(0)) // the only field that is there is converted before it is missed
	store, dir := newStore(f), f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 3))
		checkModel(t, store, dir, r, drawOptions(r), b, fmt.Sprintf("seed %d", seed))
	})
}
