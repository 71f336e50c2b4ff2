package fixedwidth_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/examples/fixedwidth"
)

const people = "     1Ada Lovelace  1815-12-10\n" +
	"     2Alan Turing   1912-06-23\n" +
	"     3              1906-12-09\n"

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := ingot.Open(ctx, filepath.Join(dir, "store"), ingot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	if _, err := db.Exec(ctx, "CREATE TABLE people (id int PRIMARY KEY, name text, born date)"); err != nil {
		fmt.Println(err)
		return
	}
	out, err := db.CopyFrom(ctx, "people", strings.NewReader(people), "FORMAT fixedwidth, WIDTHS '6,14,10'")
	fmt.Println(out.Tag, err)
	if _, err := db.CopyTo(ctx, "people", os.Stdout, "FORMAT fixedwidth, WIDTHS '3,12,10'"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// COPY 3 <nil>
	//   1Ada Lovelace1815-12-10
	//   2Alan Turing 1912-06-23
	//   3            1906-12-09
}

// options are the options of a statement.
func options(widths string, more ...copy.Option) []copy.Option {
	return append([]copy.Option{
		{Name: "format", Values: []copy.OptionValue{{Text: fixedwidth.Name}}},
		{Name: "widths", Values: []copy.OptionValue{{Kind: copy.String, Text: widths}}},
	}, more...)
}

func word(name, value string) copy.Option {
	return copy.Option{Name: name, Values: []copy.OptionValue{{Text: value}}}
}

// world is a store with a table t (id int, name text not null, n numeric(8,2)).
type world struct {
	testing.TB
	*columnar.Store
	target *copy.Target
}

func open(t testing.TB) *world {
	t.Helper()
	ctx := context.Background()
	store, err := columnar.Open(ctx, filepath.Join(t.TempDir(), "store"), columnar.Options{Durability: columnar.None})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	w := &world{TB: t, Store: store}
	w.table(&columnar.Schema{Name: "t", Columns: []columnar.Column{
		{Name: "id", Type: columnar.Type{Kind: columnar.Int4}},
		{Name: "name", Type: columnar.Type{Kind: columnar.Text}, NotNull: true},
		{Name: "n", Type: columnar.Type{Kind: columnar.Decimal, Precision: 8, Scale: 2}},
	}})
	return w
}

// table makes an empty table of the schema.
func (w *world) table(s *columnar.Schema) {
	w.Helper()
	ctx := context.Background()
	txn, err := w.BeginWrite(ctx)
	if err != nil {
		w.Fatal(err)
	}
	defer txn.Rollback()
	if w.target != nil {
		if err := txn.TruncateTable(s.Name); err != nil {
			w.Fatal(err)
		}
	} else if err := txn.CreateTable(s); err != nil {
		w.Fatal(err)
	}
	table, err := txn.Table(s.Name)
	if err != nil {
		w.Fatal(err)
	}
	if _, err := txn.Commit(ctx); err != nil {
		w.Fatal(err)
	}
	w.target = &copy.Target{Schema: table.Schema()}
}

const widths = "5,6,9"

func (w *world) from(src copy.Source, env copy.Env, more ...copy.Option) (copy.Result, error) {
	opt, err := copy.ParseFromOptions(options(widths, more...))
	if err != nil {
		return copy.Result{}, err
	}
	env.Files = copy.AnyFile()
	return copy.From(context.Background(), w.Store, w.target, src, opt, env)
}

// written is the table as COPY TO writes it.
func (w *world) written(workers int) string {
	w.Helper()
	snap, err := w.Snapshot()
	if err != nil {
		w.Fatal(err)
	}
	defer snap.Release()
	table, err := snap.Table("t")
	if err != nil {
		w.Fatal(err)
	}
	content, err := copy.TableContent(table, nil)
	if err != nil {
		w.Fatal(err)
	}
	opt, err := copy.ParseToOptions(options(widths))
	if err != nil {
		w.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := copy.To(context.Background(), content, copy.ToWriter(&b), opt, nil, copy.Env{MaxWorkers: workers}); err != nil {
		w.Fatal(err)
	}
	return b.String()
}

// lines returns so many lines, as they are written.
func lines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		n := fmt.Sprintf("%9.2f", float64(i%977)/4)
		if i%11 == 0 {
			n = ""
		}
		fmt.Fprintf(&b, "%5d%-6s%9s\n", i%100000, fmt.Sprint("x", i%1000), n)
	}
	return b.String()
}

func (w *world) file(name, content string) string {
	w.Helper()
	path := filepath.Join(w.TempDir(), name)
	var b bytes.Buffer
	b.WriteString(content)
	if strings.HasSuffix(name, ".gz") {
		b.Reset()
		z := gzip.NewWriter(&b)
		io.WriteString(z, content)
		z.Close()
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		w.Fatal(err)
	}
	return path
}

// TestEveryWay loads the same lines from files, windows of a file, several files, streams and
// compressed files, with 1 to 8 workers and blocks of any size, and writes them again.
func TestEveryWay(t *testing.T) {
	const rows = 60_000 // more than a worker's worth
	text := lines(0, rows)
	w := open(t)
	path, zipped := w.file("t.dat", text), w.file("t.dat.gz", text)
	first, second := w.file("a.dat", lines(0, 777)), w.file("b.dat", strings.TrimSuffix(lines(777, rows), "\n"))
	zippedRest := w.file("b.dat.gz", lines(777, rows))
	for name, src := range map[string]func() copy.Source{
		"file":   func() copy.Source { return copy.FromFiles(path) },
		"files":  func() copy.Source { return copy.FromFiles(first, second) },
		"gzip":   func() copy.Source { return copy.FromFiles(zipped) },
		"mixed":  func() copy.Source { return copy.FromFiles(first, zippedRest) },
		"stream": func() copy.Source { return copy.FromReader(iotest.HalfReader(strings.NewReader(text)), "") },
	} {
		for _, env := range []copy.Env{
			{MaxWorkers: 1}, {MaxWorkers: 8}, {MaxWorkers: 3, BlockSize: 4093}, {MaxWorkers: 8, MemoryLimit: 1 << 20, BlockSize: 64 << 10},
		} {
			w.table(w.target.Schema)
			res, err := w.from(src(), env)
			if err != nil || res.Rows != rows {
				t.Fatalf("%s, %d workers, blocks of %d: %d rows, %v", name, env.MaxWorkers, env.BlockSize, res.Rows, err)
			}
			if got := w.written(env.MaxWorkers); got != text {
				t.Fatalf("%s, %d workers, blocks of %d: other rows", name, env.MaxWorkers, env.BlockSize)
			}
		}
	}
}

// TestSmallBlocks has blocks down to a byte.
func TestSmallBlocks(t *testing.T) {
	w := open(t)
	path := w.file("t.dat", lines(0, 300))
	for _, size := range []int{1, 2, 7, 20, 21, 22, 64} {
		w.table(w.target.Schema)
		if res, err := w.from(copy.FromFiles(path), copy.Env{BlockSize: size, MaxWorkers: 2}); err != nil || res.Rows != 300 {
			t.Fatalf("blocks of %d: %d rows, %v", size, res.Rows, err)
		}
		if got := w.written(1); got != lines(0, 300) {
			t.Fatalf("blocks of %d: other rows", size)
		}
	}
}

// TestErrors has what is wrong with lines, and where that is said to be, for every worker
// count and from a file as from a stream.
func TestErrors(t *testing.T) {
	long := lines(0, 40_000)
	for _, c := range []struct {
		name, input            string
		state, message, column string
		line, offset           int64
	}{
		{"short", lines(0, 3) + "    3x\n" + lines(4, 9), "22P04", "line has 6 bytes, expected 20", "", 4, 63},
		{"long", lines(0, 3) + lines(3, 4)[:20] + "!\n", "22P04", "line has 21 bytes, expected 20", "", 4, 63},
		{"cut", lines(0, 3) + "    3x", "22P04", "line has 6 bytes, expected 20", "", 4, 63},
		{"empty", lines(0, 1) + "\n" + lines(1, 2), "22P04", "line has 0 bytes, expected 20", "", 2, 21},
		{"value", long + "   1yx          1.50\n" + lines(0, 9), "22P02", "invalid input syntax for type integer: \"1y\"", "id", 40_001, int64(len(long)) + 3},
		{"range", long + "    1x     1234567.1\n" + "bad\n", "22003", "numeric field overflow", "n", 40_001, int64(len(long)) + 11},
		{"bytes", long + "    1\xff          1.50\n", "22021", "invalid byte sequence for encoding \"UTF8\"", "", 40_001, int64(len(long))},
		{"null", lines(0, 2) + "    1           1.50\n", "23502", "null value in column \"name\" of relation \"t\" violates not-null constraint", "name", 3, -1},
	} {
		w := open(t)
		path := w.file("t.dat", c.input)
		for _, workers := range []int{1, 2, 8} {
			for _, src := range []copy.Source{copy.FromFiles(path), copy.FromReader(strings.NewReader(c.input), "stdin")} {
				_, err := w.from(src, copy.Env{MaxWorkers: workers, BlockSize: 10_001})
				var e *copy.Error
				if !errors.As(err, &e) || e.SQLState != c.state || e.Message != c.message || e.Column != c.column || e.Line != c.line || e.Table != "t" {
					t.Errorf("%s, %d workers: %+v", c.name, workers, err)
					continue
				}
				if e.HasOffset != (c.offset >= 0) || e.HasOffset && e.ByteOffset != c.offset {
					t.Errorf("%s, %d workers: byte offset %d, want %d", c.name, workers, e.ByteOffset, c.offset)
				}
			}
		}
		if got := w.written(1); got != "" {
			t.Errorf("%s: rows were stored", c.name)
		}
	}
}

// TestOnError leaves out the rows, or the values, that are not of their types.
func TestOnError(t *testing.T) {
	var text, kept, nulled strings.Builder
	bad := 0
	for i := range 20_000 {
		line := lines(i, i+1)
		if i%17 == 5 {
			bad++
			nulled.WriteString("     " + line[5:])
			text.WriteString("  z  " + line[5:])
			continue
		}
		text.WriteString(line)
		kept.WriteString(line)
		nulled.WriteString(line)
	}
	w := open(t)
	path := w.file("t.dat", text.String())
	for _, workers := range []int{1, 4, 8} {
		w.table(w.target.Schema)
		res, err := w.from(copy.FromFiles(path), copy.Env{MaxWorkers: workers, BlockSize: 5000}, word("on_error", "ignore"))
		if err != nil || res.Skipped != int64(bad) || w.written(1) != kept.String() {
			t.Fatalf("ignore, %d workers: %d of %d skipped, %v", workers, res.Skipped, bad, err)
		}
		w.table(w.target.Schema)
		var notices []string
		env := copy.Env{MaxWorkers: workers, Notice: func(s string) { notices = append(notices, s) }}
		res, err = w.from(copy.FromReader(strings.NewReader(text.String()), ""), env, word("on_error", "set_null"), word("log_verbosity", "verbose"))
		if err != nil || res.SetNull != int64(bad) || w.written(1) != nulled.String() {
			t.Fatalf("set_null, %d workers: %d of %d, %v", workers, res.SetNull, bad, err)
		}
		if len(notices) != bad+1 || notices[0] != "setting to null due to data type incompatibility at line 6 for column \"id\": \"z\"" {
			t.Fatalf("set_null, %d workers: %d notices, the first %q", workers, len(notices), notices[:1])
		}
	}
	limit := copy.Option{Name: "reject_limit", Values: []copy.OptionValue{{Kind: copy.Number, Text: "3"}}}
	_, err := w.from(copy.FromFiles(path), copy.Env{}, word("on_error", "ignore"), limit)
	var e *copy.Error
	if !errors.As(err, &e) || e.Line != 57 {
		t.Errorf("REJECT_LIMIT: %v", err)
	}
}

// TestWhere has a statement with WHERE and with columns that the lines do not fill.
func TestWhere(t *testing.T) {
	ctx := context.Background()
	db, err := ingot.Open(ctx, filepath.Join(t.TempDir(), "store"), ingot.Options{Files: ingot.AnyFile()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	w := &world{TB: t}
	path := w.file("t.dat", lines(0, 30_000))
	for _, s := range []string{
		"CREATE TABLE t (n numeric(8,2), id int, name text, src text NOT NULL DEFAULT 'here')",
		"COPY t (id, name, n) FROM '" + path + "' (FORMAT fixedwidth, WIDTHS '" + widths + "') WHERE id % 1000 = 7 AND n > 100",
	} {
		if _, err := db.Exec(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := db.CopyTo(ctx, "t", &out, "FORMAT csv"); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for i := 7; i < 30_000; i += 1000 {
		if n := float64(i%977) / 4; n > 100 && i%11 != 0 {
			fmt.Fprintf(&want, "%.2f,%d,x%d,here\n", n, i, i%1000)
		}
	}
	if out.String() != want.String() {
		t.Errorf("%s\nwant\n%s", out.String(), want.String())
	}
}

// TestOptions has options that are wrong, on either side.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		state string
		list  []copy.Option
	}{
		{"42601", options(widths)[:1]},
		{"22023", options("5,0")},
		{"22023", options("a")},
		{"42601", options(widths, word("depth", "3"))},
		{"42601", options(widths, options(widths)[1])},
		{"42601", options(widths, word("delimiter", ","))},
	} {
		for side, parse := range map[string]func([]copy.Option) error{
			"from": func(o []copy.Option) error { _, err := copy.ParseFromOptions(o); return err },
			"to":   func(o []copy.Option) error { _, err := copy.ParseToOptions(o); return err },
		} {
			var e *copy.Error
			if err := parse(c.list); !errors.As(err, &e) || e.SQLState != c.state {
				t.Errorf("%s %v: %v, want %s", side, c.list, err, c.state)
			}
		}
	}
	w := open(t)
	w.target.Columns = []int{0, 1}
	var e *copy.Error
	if _, err := w.from(copy.FromReader(strings.NewReader(""), ""), copy.Env{}); !errors.As(err, &e) || e.SQLState != "22023" {
		t.Errorf("three widths for two columns: %v", err)
	}
}

// TestCutCharacter has a line in which a field begins inside a character: its parts are no
// text.
func TestCutCharacter(t *testing.T) {
	ctx := context.Background()
	db, err := ingot.Open(ctx, filepath.Join(t.TempDir(), "store"), ingot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(ctx, "CREATE TABLE t (a text, b text)"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.CopyFrom(ctx, "t", strings.NewReader("é1\n"), "FORMAT fixedwidth, WIDTHS '2,1'"); err != nil {
		t.Error(err)
	}
	_, err = db.CopyFrom(ctx, "t", strings.NewReader("xy1\né1\n"), "FORMAT fixedwidth, WIDTHS '1,2'")
	var e *copy.Error
	if !errors.As(err, &e) || e.SQLState != "22021" || e.Line != 2 || e.Column != "a" {
		t.Errorf("%+v, want 22021 in line 2", err)
	}
}

// TestUnwritable has values that do not fit their fields.
func TestUnwritable(t *testing.T) {
	ctx := context.Background()
	db, err := ingot.Open(ctx, filepath.Join(t.TempDir(), "store"), ingot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for value, state := range map[string]string{"abc": "22001", "\n": "0A000"} {
		for _, s := range []string{"CREATE TABLE t (a text)", "INSERT INTO t VALUES ('" + value + "')"} {
			if _, err := db.Exec(ctx, s); err != nil {
				t.Fatal(err)
			}
		}
		var e *copy.Error
		if _, err := db.CopyTo(ctx, "t", io.Discard, "FORMAT fixedwidth, WIDTHS '2'"); !errors.As(err, &e) || e.SQLState != state {
			t.Errorf("%q: %v, want %s", value, err, state)
		}
		if _, err := db.Exec(ctx, "DROP TABLE t"); err != nil {
			t.Fatal(err)
		}
	}
}
