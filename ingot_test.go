package ingot_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/mmap"
)

// open opens a new store that is closed with the test.
func open(t *testing.T, opt ingot.Options) *ingot.DB {
	t.Helper()
	db, err := ingot.Open(ctx, filepath.Join(t.TempDir(), "st"), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil && !errors.Is(err, ingot.ErrClosed) {
			t.Error(err)
		}
	})
	return db
}

func exec(t *testing.T, db *ingot.DB, text string, args ...any) ingot.Outcome {
	t.Helper()
	out, err := db.Exec(ctx, text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

// one returns the only row of a query.
func one(t *testing.T, q func(context.Context, string, ...any) (*ingot.Rows, error), text string, args ...any) []any {
	t.Helper()
	rows, err := q(ctx, text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	var row []any
	for rows.Next() {
		if row != nil {
			t.Fatalf("%s: more than one row", text)
		}
		row = make([]any, len(rows.Columns()))
		dest := make([]any, len(row))
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return row
}

func TestBadOptions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "st")
	for _, opt := range []ingot.Options{
		{MaxWorkers: -1}, {BlockSize: -1}, {MemoryLimit: -1}, {Durability: 7},
	} {
		if db, err := ingot.Open(ctx, dir, opt); err == nil {
			t.Errorf("%+v was accepted", opt)
			db.Close()
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a refused Open made a directory")
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, path string
		readOnly   bool
		state      string
	}{
		{"a directory with other files", dir, false, "42809"},
		{"a file", file, false, "42809"},
		{"an empty directory", empty, true, "58P01"},
		{"nothing", filepath.Join(dir, "no"), true, "58P01"},
	} {
		_, err := ingot.Open(ctx, c.path, ingot.Options{ReadOnly: c.readOnly})
		if got := ingot.SQLState(err); got != c.state {
			t.Errorf("open of %s: %v, want %s", c.what, err, c.state)
		} else if !strings.Contains(err.Error(), c.path) {
			t.Errorf("open of %s does not name it: %v", c.what, err)
		}
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
		t.Errorf("a refused Open left files: %v %v", names, err)
	}
}

func TestReadOnly(t *testing.T) {
	db := open(t, ingot.Options{})
	exec(t, db, "CREATE TABLE t (a int)")
	exec(t, db, "INSERT INTO t VALUES (1)")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var readers [2]*ingot.DB // any number of them
	for i := range readers {
		var err error
		if readers[i], err = ingot.Open(ctx, db.Path(), ingot.Options{ReadOnly: true}); err != nil {
			t.Fatal(err)
		}
		defer readers[i].Close()
	}
	if got := one(t, readers[1].Query, "SELECT a FROM t"); got[0] != int64(1) {
		t.Errorf("got %v", got)
	}
	_, err := readers[0].Exec(ctx, "INSERT INTO t VALUES (2)")
	if !errors.Is(err, ingot.ErrReadOnly) || ingot.SQLState(err) != "25006" {
		t.Errorf("INSERT into a store that is open for reading: %v", err)
	}
}

func TestScanTypes(t *testing.T) {
	db := open(t, ingot.Options{Location: time.FixedZone("x", 3600)})
	day := time.Date(2001, 2, 3, 0, 0, 0, 0, time.UTC)
	moment := time.Date(2001, 2, 3, 4, 5, 6, 789000, time.UTC)
	for _, c := range []struct {
		expr string
		dest any // a pointer; what it must hold is want
		want any
	}{
		{"1::int2", new(int16), int16(1)},
		{"-7::int8", new(int), -7},
		{"2147483647", new(int32), int32(math.MaxInt32)},
		{"1::int8", new(float64), 1.0},
		{"1.5::float4", new(float32), float32(1.5)},
		{"'NaN'::float8 > 1", new(bool), true},
		{"date '2001-02-03'", new(time.Time), day},
		{"timestamp '2001-02-03 04:05:06.000789'", new(time.Time), moment},
		{"timestamptz '2001-02-03 04:05:06.000789+00'", new(time.Time), moment},
		{"timestamptz '2001-02-03 04:05:06+00'", new(string), "2001-02-03 05:05:06+01"},
		{"1.50::numeric(5,2)", new(string), "1.50"},
		{`'\x00ff'::bytea`, new([]byte), []byte{0, 255}},
		{`'text'`, new([]byte), []byte("text")},
		{"NULL::int", new(any), nil},
		{"NULL::int", new(*int), (*int)(nil)},
		{"true", new(any), true},
		{"2.5::float8", new(any), 2.5},
		{"date 'infinity'", new(any), "infinity"},
		{"date '2001-02-03'", new(any), day},
		{`'\x01'::bytea`, new(any), []byte{1}},
		{"12.30", new(any), "12.30"},
	} {
		err := scanInto(db, "SELECT "+c.expr, c.dest)
		if got := reflect.ValueOf(c.dest).Elem().Interface(); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s into %T: %v %v, want %v", c.expr, c.dest, got, err, c.want)
		}
	}
	five := 0
	p := &five
	if err := scanInto(db, "SELECT 5", &p); err != nil || p == nil || *p != 5 {
		t.Errorf("5 into **int: %v %v", p, err)
	}
	for expr, dest := range map[string]any{
		"NULL::int": new(int), "40000": new(int16), "'1'": new(int), "1.5": new(float64), "1": new(bool),
		"date 'infinity'": new(time.Time), "2": new(chan int), "3": 0,
	} {
		if err := scanInto(db, "SELECT "+expr, dest); err == nil {
			t.Errorf("%s into %T is no error", expr, dest)
		}
	}
	if err := scanInto(db, "SELECT 1, 2", new(int)); err == nil {
		t.Error("two columns into one value is no error")
	}
}

func scanInto(db *ingot.DB, text string, dest ...any) error {
	rows, err := db.Query(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return errors.Join(errors.New("no row"), rows.Err())
	}
	return rows.Scan(dest...)
}

func TestArguments(t *testing.T) {
	db := open(t, ingot.Options{})
	exec(t, db, "CREATE TABLE t (i int8, f float8, b bool, s text, y bytea, ts timestamptz)")
	moment := time.Date(2024, 2, 29, 12, 0, 0, 1000, time.UTC)
	exec(t, db, "INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6)", int32(-1), 0.25, true, `it's "so"`, []byte{0, 1}, moment)
	exec(t, db, "INSERT INTO t VALUES ($1, $1, $1, $1, $1, $1)", nil)
	got := one(t, db.Query, "SELECT * FROM t WHERE i = $1 AND s = $2", -1, `it's "so"`)
	want := []any{int64(-1), 0.25, true, `it's "so"`, []byte{0, 1}, moment}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := db.Exec(ctx, "INSERT INTO t (i) VALUES ($1)", make(chan int)); err == nil {
		t.Error("a channel is an argument")
	}
	if _, err := db.Exec(ctx, "INSERT INTO t (i) VALUES ($2)", 1); err == nil {
		t.Error("$2 without a second argument is no error")
	}
}

func TestTx(t *testing.T) {
	db := open(t, ingot.Options{BusyTimeout: -1})
	exec(t, db, "CREATE TABLE t (a int)")
	count := func() any { return one(t, db.Query, "SELECT count(*) FROM t")[0] }
	begin := func() *ingot.Tx {
		tx, err := db.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}

	tx := begin()
	if _, err := tx.Exec(ctx, "INSERT INTO t VALUES (1), (2)"); err != nil {
		t.Fatal(err)
	}
	if got := one(t, tx.Query, "SELECT count(*) FROM t")[0]; got != int64(2) || count() != int64(0) {
		t.Errorf("inside %v, outside %v", got, count())
	}
	if _, err := db.Exec(ctx, "INSERT INTO t VALUES (3)"); !errors.Is(err, ingot.ErrBusy) || ingot.SQLState(err) != "55P03" {
		t.Errorf("a second writer: %v", err)
	}
	if err := tx.Commit(ctx); err != nil || count() != int64(2) {
		t.Errorf("after commit %v rows, %v", count(), err)
	}
	if err := tx.Rollback(); !errors.Is(err, ingot.ErrTxDone) {
		t.Errorf("rollback after commit: %v", err)
	}
	if _, err := tx.Exec(ctx, "SELECT 1"); !errors.Is(err, ingot.ErrTxDone) {
		t.Errorf("exec after commit: %v", err)
	}

	tx = begin()
	if _, err := tx.Exec(ctx, "DELETE FROM t"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil || count() != int64(2) {
		t.Errorf("after rollback %v rows, %v", count(), err)
	}

	tx = begin()
	if _, err := tx.Exec(ctx, "INSERT INTO t VALUES ('x')"); err == nil {
		t.Fatal("no error")
	}
	if _, err := tx.Exec(ctx, "SELECT 1"); ingot.SQLState(err) != "25P02" {
		t.Errorf("after a failure: %v, want 25P02", err)
	}
	if err := tx.Commit(ctx); err == nil {
		t.Error("the commit of a failed transaction is no error")
	}

	tx = begin()
	one(t, tx.Query, "SELECT count(*) FROM t")
	exec(t, db, "INSERT INTO t VALUES (4)")
	if _, err := tx.Exec(ctx, "INSERT INTO t VALUES (5)"); !errors.Is(err, ingot.ErrConflict) || ingot.SQLState(err) != "40001" {
		t.Errorf("a write after somebody else's: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
}

// TestCloseWithReaders closes a store while a snapshot and a batch are out: they stay
// readable, Close says so, and the last release unmaps everything.
func TestCloseWithReaders(t *testing.T) {
	before, _ := mmap.Live()
	db := open(t, ingot.Options{})
	exec(t, db, "CREATE TABLE t (a int8)")
	var b strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&b, "%d\n", i)
	}
	if _, err := db.CopyFrom(ctx, "t", strings.NewReader(b.String()), ""); err != nil {
		t.Fatal(err)
	}
	snap, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var leased *ingot.Leased
	if err := db.Close(); !errors.As(err, &leased) {
		t.Errorf("Close with a snapshot out: %v", err)
	}
	if _, err := db.Query(ctx, "SELECT 1 FROM t"); !errors.Is(err, ingot.ErrClosed) {
		t.Errorf("Query after Close: %v", err)
	}
	rows := int64(0)
	for batch, err := range snap.Scan(ctx, "t", ingot.ScanOptions{BatchRows: 1000}) {
		if err != nil {
			t.Fatal(err)
		}
		rows += batch.NumRows()
		batch.Release()
	}
	if rows != 300_000 {
		t.Errorf("the snapshot has %d rows after Close", rows)
	}
	snap.Release()
	if after, bytes := mmap.Live(); after != before {
		t.Errorf("%d mappings of %d bytes are left, %d were there before", after, bytes, before)
	}
}

// TestRowsEndEarly leaves rows before their end: in the middle of Next, of Batches, and
// by cancelling.
func TestRowsEndEarly(t *testing.T) {
	before, _ := mmap.Live()
	db := open(t, ingot.Options{})
	exec(t, db, "CREATE TABLE t (a int8)")
	if _, err := db.CopyFrom(ctx, "t", strings.NewReader(strings.Repeat("1\n", 400_000)), ""); err != nil {
		t.Fatal(err)
	}
	goroutines := runtime.NumGoroutine()
	rows, err := db.Query(ctx, "SELECT a FROM t")
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	if err := errors.Join(rows.Close(), rows.Close()); err != nil || rows.Next() {
		t.Errorf("after Close: %v", err)
	}
	if rows, err = db.Query(ctx, "SELECT a FROM t"); err != nil {
		t.Fatal(err)
	}
	for _, err := range rows.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	within, cancel := context.WithCancel(ctx)
	if rows, err = db.Query(within, "SELECT a FROM t"); err != nil || !rows.Next() {
		t.Fatal(err)
	}
	cancel()
	for rows.Next() {
	}
	if err := rows.Err(); ingot.SQLState(err) != "57014" {
		t.Errorf("after cancelling: %v", err)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d were there before", n, goroutines)
	}
	if err := db.Close(); err != nil {
		t.Errorf("Close says %v: the rows still hold something", err)
	}
	if after, _ := mmap.Live(); after != before {
		t.Errorf("%d mappings are left, %d were there before", after, before)
	}
}

// TestCopyFormats reads and writes with and without a format named in the options.
func TestCopyFormats(t *testing.T) {
	db := open(t, ingot.Options{})
	exec(t, db, "CREATE TABLE t (a int, b text)")
	for _, c := range []struct{ options, input string }{
		{"", "1,\"x,y\"\n"},
		{"DELIMITER ';'", "1;\"x,y\"\n"},
		{"FORMAT text", "1\tx,y\n"},
		{"Format 'csv', HEADER", "a,b\n1,\"x,y\"\n"},
	} {
		exec(t, db, "TRUNCATE t")
		if _, err := db.CopyFrom(ctx, "t", strings.NewReader(c.input), c.options); err != nil {
			t.Errorf("from, %q: %v", c.options, err)
			continue
		}
		var out strings.Builder
		if _, err := db.CopyTo(ctx, "t", &out, c.options); err != nil || strings.ReplaceAll(out.String(), `"`, "") != strings.ReplaceAll(c.input, `"`, "") {
			t.Errorf("to, %q: %v %q", c.options, err, out.String())
		}
	}
	for _, options := range []string{"nonsense", "HEADER)", "FORMAT csv, FORMAT csv"} {
		if _, err := db.CopyFrom(ctx, "t", strings.NewReader(""), options); ingot.SQLState(err) != "42601" {
			t.Errorf("options %q: %v, want 42601", options, err)
		}
	}
}

func TestNoFilesByDefault(t *testing.T) {
	db := open(t, ingot.Options{})
	exec(t, db, "CREATE TABLE t (a text)")
	for _, text := range []string{"COPY t FROM 'LICENSE' (FORMAT csv)", "COPY t TO '/dev/null' (FORMAT csv)"} {
		if _, err := db.Exec(ctx, text); ingot.SQLState(err) != "42501" {
			t.Errorf("%s: %v, want 42501", text, err)
		}
	}
}

// TestManyAtOnce loads, deletes and reads from several goroutines; every reader sees
// whole loads.
func TestManyAtOnce(t *testing.T) {
	db := open(t, ingot.Options{Durability: ingot.None})
	exec(t, db, "CREATE TABLE t (load int, i int)")
	const loads, rowsEach = 20, 500
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range loads {
				var b strings.Builder
				for i := range rowsEach {
					fmt.Fprintf(&b, "%d,%d\n", w*loads+n, i)
				}
				if _, err := db.CopyFrom(ctx, "t", strings.NewReader(b.String()), ""); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for seen, of := 0, 0; seen < 2*loads*rowsEach && !t.Failed(); {
				if err := scanInto(db, "SELECT count(*), count(DISTINCT load) FROM t", &seen, &of); err != nil {
					t.Error(err)
				}
				if seen != of*rowsEach {
					t.Errorf("%d rows of %d loads", seen, of)
				}
			}
		}()
	}
	wg.Wait()
}
