package parquet_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/columnar"

	_ "github.com/ingotdb/ingot/copy/parquet"
)

// openDB opens a new store that may use any file.
func openDB(t testing.TB, workers int) *ingot.DB {
	t.Helper()
	db, err := ingot.Open(context.Background(), filepath.Join(t.TempDir(), "store"), ingot.Options{
		Durability: ingot.None, MaxWorkers: workers, Files: ingot.AnyFile(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func exec(t testing.TB, db *ingot.DB, statement string) ingot.Outcome {
	t.Helper()
	res, err := db.Exec(context.Background(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return res
}

// refuse runs a statement that must fail with one of the states.
func refuse(t testing.TB, db *ingot.DB, statement string, states ...string) error {
	t.Helper()
	_, err := db.Exec(context.Background(), statement)
	if !slices.Contains(states, ingot.SQLState(err)) {
		t.Errorf("%s: error %v, want %s", statement, err, states)
	}
	return err
}

// query returns the rows of a query as text, with ~ for NULL.
func query(t testing.TB, db *ingot.DB, text string) (out []string) {
	t.Helper()
	rows, err := db.Query(context.Background(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	for b, err := range rows.Batches() {
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i := range b.Rows {
			var fields []string
			for k := range b.Cols {
				fields = append(fields, valueText(&b.Cols[k], i))
			}
			out = append(out, strings.Join(fields, "|"))
		}
	}
	return out
}

func valueText(v *columnar.Vec, i int) string {
	if v.IsNull(i) {
		return "~"
	}
	return string(v.AppendText(nil, i, time.UTC))
}

func wantRows(t testing.TB, db *ingot.DB, text string, want ...string) {
	t.Helper()
	if got := query(t, db, text); !slices.Equal(got, want) {
		t.Errorf("%s\n got %q\nwant %q", text, got, want)
	}
}

// TestCases loads the cases of testdata.
func TestCases(t *testing.T) {
	dirs, err := filepath.Glob("testdata/cases/*")
	if err != nil || len(dirs) < 7 {
		t.Fatalf("%d cases, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		for _, workers := range []int{1, 2, 8} {
			t.Run(fmt.Sprint(filepath.Base(dir), "/", workers), func(t *testing.T) { runCase(t, dir, workers) })
		}
	}
}

func runCase(t *testing.T, dir string, workers int) {
	b, err := os.ReadFile(filepath.Join(dir, "expect.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Columns    []struct{ Name, Type string }
		Copy       string
		Input      string
		Result     string
		Rows       string
		Aggregates map[string]string
		Error      struct{ SQLState []string }
	}
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	db := openDB(t, workers)
	var defs []string
	for _, col := range c.Columns {
		defs = append(defs, col.Name+" "+col.Type)
	}
	exec(t, db, "CREATE TABLE t ("+strings.Join(defs, ", ")+")")
	statement := strings.ReplaceAll(c.Copy, "{input}", filepath.Join(dir, c.Input))
	switch c.Result {
	case "error":
		refuse(t, db, statement, c.Error.SQLState...)
		wantRows(t, db, "SELECT count(*) FROM t", "0")
	case "aggregates":
		exec(t, db, statement)
		for expr, want := range c.Aggregates {
			wantRows(t, db, "SELECT "+expr+" FROM t", want)
		}
	case "rows":
		exec(t, db, statement)
		f, err := os.Open(filepath.Join(dir, c.Rows))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		records, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, rec := range records[1:] {
			for i := range rec {
				if rec[i] == "" {
					rec[i] = "~" // no case of these has an empty string
				}
			}
			want = append(want, strings.Join(rec, "|"))
		}
		wantRows(t, db, "SELECT * FROM t", want...)
	default:
		t.Fatalf("result %q", c.Result)
	}
}

// write makes a table of the statements and writes it to a file.
func write(t testing.TB, db *ingot.DB, table, options string, statements ...string) string {
	t.Helper()
	for _, s := range statements {
		exec(t, db, s)
	}
	path := filepath.Join(t.TempDir(), table+".parquet")
	exec(t, db, fmt.Sprintf("COPY %s TO '%s' (FORMAT parquet%s)", table, path, options))
	return path
}

// TestConversions loads columns into columns of other types.
func TestConversions(t *testing.T) {
	db := openDB(t, 2)
	path := write(t, db, "a", "",
		"CREATE TABLE a (i int8, s text, d date, ts timestamp, f float4, n numeric(10,2), b bytea, u uuid, j json, l int4[], ok bool)",
		`INSERT INTO a VALUES (1, '7', '2020-02-03', '2020-02-03 04:05:06.5', 1.5, 12.50, '\x00ff', '00112233-4455-6677-8899-aabbccddeeff', '{"k": [1]}', '{1,NULL,3}', true),
			(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			(-2, '-8', '1969-12-31', '1900-01-01 00:00:00', 'NaN', -0.01, '', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '"x"', '{}', false)`)
	for _, tc := range []struct{ columns, fill, want string }{
		{"i int2, s int4", "", "1|7 ~|~ -2|-8"},
		{"i numeric, s numeric(5,1)", "", "1|7.0 ~|~ -2|-8.0"},
		{"i text, d text, n text", "", "1|2020-02-03|12.50 ~|~|~ -2|1969-12-31|-0.01"},
		{"n float8, f float8", "", "12.5|1.5 ~|~ -0.01|NaN"},
		{"n int4", "", "22P02"},
		{"n numeric(20,4)", "", "12.5000 ~ -0.0100"},
		{"u text, j text, l text, ok text", "", "00112233-4455-6677-8899-aabbccddeeff|{\"k\":_[1]}|{1,NULL,3}|t ~|~|~|~ ffffffff-ffff-ffff-ffff-ffffffffffff|\"x\"|{}|f"},
		{"l text[]", "", "{1,NULL,3} ~ {}"},
		{"ts date", "", "2020-02-03 ~ 1900-01-01"},
		{"s varchar(1)", "(s)", "22001"},
		{"s varchar(2)", "(s)", "7 ~ -8"},
		{"d int4", "", "22P02"},
		{"s text, i int8 default 5, missing int4 default 9", "", "7|1|9 ~|~|9 -8|-2|9"},
		{"s text, missing int4", "(s, missing)", "42703"},
		{"l int4[], i int8, s text", "(i, l)", "{1,NULL,3}|1|~ ~|~|~ {}|-2|~"},
	} {
		exec(t, db, "CREATE TABLE t ("+tc.columns+")")
		statement := fmt.Sprintf("COPY t %s FROM '%s' (FORMAT parquet)", tc.fill, path)
		if len(tc.want) == 5 && !strings.Contains(tc.want, " ") {
			refuse(t, db, statement, tc.want)
		} else if _, err := db.Exec(context.Background(), statement); err != nil {
			t.Errorf("%s: %v", tc.columns, err)
		} else {
			want := strings.Fields(tc.want)
			for i := range want {
				want[i] = strings.ReplaceAll(want[i], "_", " ")
			}
			wantRows(t, db, "SELECT * FROM t", want...)
		}
		exec(t, db, "DROP TABLE t")
	}
}

// TestOnError leaves out rows whose values their column does not take.
func TestOnError(t *testing.T) {
	db := openDB(t, 2)
	path := write(t, db, "a", ", ROW_GROUP_SIZE 2", "CREATE TABLE a (i int8, s text)",
		"INSERT INTO a VALUES (1, '1'), (40000, '2'), (3, 'x'), (4, '4'), (70000, 'y'), (6, '6')")
	for _, tc := range []struct{ options, want string }{
		{"", "22003"},
		{", ON_ERROR ignore", "1|1 4|4 6|6"},
		{", ON_ERROR set_null", "1|1 ~|2 3|~ 4|4 ~|~ 6|6"},
		{", ON_ERROR ignore, REJECT_LIMIT 2", "22P02"},
	} {
		exec(t, db, "CREATE TABLE t (i int2, s int4)")
		statement := fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet%s)", path, tc.options)
		if len(tc.want) == 5 {
			refuse(t, db, statement, tc.want)
			wantRows(t, db, "SELECT count(*) FROM t", "0")
		} else {
			exec(t, db, statement)
			wantRows(t, db, "SELECT * FROM t", strings.Fields(tc.want)...)
		}
		exec(t, db, "DROP TABLE t")
	}
}

// TestConstraints loads rows that break them, and finds the smallest.
func TestConstraints(t *testing.T) {
	db := openDB(t, 2)
	path := write(t, db, "a", ", ROW_GROUP_SIZE 3", "CREATE TABLE a (i int8, s text)",
		"INSERT INTO a VALUES (1, 'a'), (2, NULL), (3, 'c'), (4, NULL), (1, 'e')")
	for columns, state := range map[string]string{
		"i int8, s text NOT NULL": "23502", "i int8 CHECK (i < 4), s text": "23514", "i int8 PRIMARY KEY, s text": "23505",
	} {
		exec(t, db, "CREATE TABLE t ("+columns+")")
		refuse(t, db, fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet)", path), state)
		wantRows(t, db, "SELECT count(*) FROM t", "0")
		exec(t, db, "DROP TABLE t")
	}
}

// TestWhere loads the rows for which a condition holds, whatever row groups it passes over.
func TestWhere(t *testing.T) {
	db := openDB(t, 2)
	path := write(t, db, "a", ", ROW_GROUP_SIZE 100",
		"CREATE TABLE a (i int8, f float8, s text, d numeric(20,2), day date)", "CREATE TABLE t (i int8, f float8, s text, d numeric(20,2), day date)")
	var csv bytes.Buffer
	for i := range 1000 {
		f := fmt.Sprint(float64(i) / 4)
		if i%250 == 3 {
			f = "NaN"
		}
		s := fmt.Sprintf("k%04d", i)
		if i >= 900 {
			s = ""
		}
		fmt.Fprintf(&csv, "%d,%s,%s,%d.25,%s\n", i-500, f, s, i-500, time.Unix(int64(i)*86400, 0).UTC().Format("2006-01-02"))
	}
	if _, err := db.CopyFrom(context.Background(), "a", &csv, "FORMAT csv"); err != nil {
		t.Fatal(err)
	}
	exec(t, db, fmt.Sprintf("COPY a TO '%s' (FORMAT parquet, ROW_GROUP_SIZE 100)", path))
	for _, where := range []string{
		"i = -1", "i < -499", "i <= -500", "i > 498", "i >= 499", "i = 5000", "i > 5000", "f > 240", "f < 0.5", "f = 'NaN'", "f >= 'NaN'", "f <= 1",
		"s = 'k0450'", "s < 'k0002'", "s >= 'k0899'", "s IS NOT NULL", "s IS NULL", "d = -1.75", "d < -499", "d > 499.00", "day = '1970-01-05'", "day > '1972-01-01'",
		"i BETWEEN 10 AND 20 AND f > 1", "i = 3 OR f < 1", "i + 1 = 4", "NOT i < 499",
	} {
		exec(t, db, fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet) WHERE %s", path, where))
		want := query(t, db, "SELECT * FROM a WHERE "+where)
		if got := query(t, db, "SELECT * FROM t"); !slices.Equal(got, want) {
			t.Errorf("%s: %d rows %.300q, want %d", where, len(got), got, len(want))
		}
		exec(t, db, "TRUNCATE t")
	}
}

// TestUnwanted loads columns beside some that cannot be read.
func TestUnwanted(t *testing.T) {
	suites := os.Getenv("INGOT_SUITES")
	if suites == "" {
		t.Skip("INGOT_SUITES, the directory of parquet-testing, is not set")
	}
	db := openDB(t, 2)
	path := filepath.Join(suites, "parquet-testing/data/nested_maps.snappy.parquet")
	exec(t, db, "CREATE TABLE t (b int4, c float8)")
	exec(t, db, fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet)", path))
	wantRows(t, db, "SELECT count(*), sum(b), sum(c) FROM t", "6|6|6")
	exec(t, db, "CREATE TABLE u (a text, b int4)")
	err := refuse(t, db, fmt.Sprintf("COPY u FROM '%s' (FORMAT parquet)", path), "0A000")
	if err == nil || !strings.Contains(err.Error(), "\"a\"") {
		t.Errorf("the error does not name the column: %v", err)
	}
	// Bytes that the file does not call text are text for a column of text.
	exec(t, db, "CREATE TABLE s (id int4, string_col text, date_string_col date, timestamp_col timestamp)")
	exec(t, db, fmt.Sprintf("COPY s FROM '%s' (FORMAT parquet)", filepath.Join(suites, "parquet-testing/data/alltypes_plain.parquet")))
	wantRows(t, db, "SELECT * FROM s WHERE id = 5", "5|1|2009-03-01|2009-03-01 00:01:00")
}

// TestOptions checks the options of both directions, and what is written.
func TestOptions(t *testing.T) {
	db := openDB(t, 2)
	exec(t, db, "CREATE TABLE t (i int8, s text)")
	exec(t, db, "INSERT INTO t VALUES (1, 'a'), (2, NULL)")
	path := filepath.Join(t.TempDir(), "t.parquet")
	for _, options := range []string{"", ", COMPRESSION zstd", ", COMPRESSION snappy", ", COMPRESSION 'GZIP'", ", COMPRESSION none", ", ROW_GROUP_SIZE 1", ", NON_FINITE null"} {
		exec(t, db, fmt.Sprintf("COPY t TO '%s' (FORMAT parquet%s)", path, options))
		exec(t, db, "CREATE TABLE u (i int8, s text)")
		exec(t, db, fmt.Sprintf("COPY u FROM '%s' (FORMAT parquet)", path))
		wantRows(t, db, "SELECT * FROM u", "1|a", "2|~")
		exec(t, db, "DROP TABLE u")
	}
	for options, state := range map[string]string{
		"COMPRESSION lzo": "22023", "ROW_GROUP_SIZE 0": "22023", "ROW_GROUP_SIZE x": "42601", "NON_FINITE maybe": "22023", "DELIMITER ','": "42601",
		"NOTHING": "42601", "COMPRESSION none, COMPRESSION none": "42601", "HEADER": "42601",
	} {
		refuse(t, db, fmt.Sprintf("COPY t TO '%s' (FORMAT parquet, %s)", path, options), state, "0A000")
	}
	refuse(t, db, fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet, COMPRESSION none)", path), "42601")
	exec(t, db, fmt.Sprintf("COPY (SELECT s, i * 2 AS twice FROM t WHERE i > 0) TO '%s' (FORMAT parquet)", path))
	exec(t, db, "CREATE TABLE u (twice numeric, s text)")
	exec(t, db, fmt.Sprintf("COPY u FROM '%s' (FORMAT parquet)", path))
	wantRows(t, db, "SELECT * FROM u", "2|a", "4|~")
	// A file survives a failing COPY TO.
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, "CREATE TABLE d (d date)")
	exec(t, db, "INSERT INTO d VALUES ('infinity')")
	refuse(t, db, fmt.Sprintf("COPY d TO '%s' (FORMAT parquet)", path), "22008")
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file is not what it was: %v", err)
	}
	// Into memory and out of it.
	var b bytes.Buffer
	if _, err := db.CopyTo(context.Background(), "t", &b, "FORMAT parquet"); err != nil {
		t.Fatal(err)
	}
	exec(t, db, "TRUNCATE t")
	if _, err := db.CopyFrom(context.Background(), "t", &b, "FORMAT parquet"); err != nil {
		t.Fatal(err)
	}
	wantRows(t, db, "SELECT * FROM t", "1|a", "2|~")
}

// TestParallel writes and reads a table of several row groups with any number of workers.
func TestParallel(t *testing.T) {
	rows := 300_000
	if testing.Short() {
		rows = 140_000
	}
	var want []byte
	for _, workers := range []int{1, 8} {
		db := openDB(t, workers)
		exec(t, db, "CREATE TABLE t (i int8, s text, n int4)")
		var text bytes.Buffer
		for i := range rows {
			fmt.Fprintf(&text, "%d,v%d,", i, i%50)
			if i%7 != 0 {
				fmt.Fprint(&text, i*10)
			}
			text.WriteByte('\n')
		}
		if _, err := db.CopyFrom(context.Background(), "t", &text, "FORMAT csv"); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := db.CopyTo(context.Background(), "t", &b, "FORMAT parquet"); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = b.Bytes()
		} else if !bytes.Equal(want, b.Bytes()) {
			t.Errorf("%d workers write another file", workers)
		}
		exec(t, db, "TRUNCATE t")
		if _, err := db.CopyFrom(context.Background(), "t", &b, "FORMAT parquet"); err != nil {
			t.Fatal(err)
		}
		wantRows(t, db, "SELECT count(*), count(n), sum(i), sum(n), count(*) FILTER (WHERE s = 'v' || (i%50)) FROM t",
			fmt.Sprintf("%d|%d|%d|%d|%d", rows, rows-(rows+6)/7, rows*(rows-1)/2, sumOfTens(rows), rows))
	}
}

func sumOfTens(n int) (sum int) {
	for i := range n {
		if i%7 != 0 {
			sum += 10 * i
		}
	}
	return sum
}
