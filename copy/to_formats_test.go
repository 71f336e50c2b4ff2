package copy_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ingotdb/ingot"

	_ "github.com/ingotdb/ingot/copy/parquet"
)

// everyFormat is the formats that the command writes, with the ends of their files' names.
var everyFormat = []struct{ name, suffix string }{
	{"text", ".tsv"}, {"csv", ".csv"}, {"binary", ".binary"}, {"ndjson", ".ndjson"}, {"arrow", ".arrow"}, {"parquet", ".parquet"},
}

// openDB opens a new store. Its statements may use any file, unless opt says otherwise.
func openDB(t testing.TB, opt ingot.Options) *ingot.DB {
	t.Helper()
	if opt.Durability = ingot.None; opt.Files == (ingot.Files{}) {
		opt.Files = ingot.AnyFile()
	}
	db, err := ingot.Open(context.Background(), filepath.Join(t.TempDir(), "store"), opt)
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

func exec(t testing.TB, db *ingot.DB, format string, args ...any) int64 {
	t.Helper()
	statement := fmt.Sprintf(format, args...)
	res, err := db.Exec(context.Background(), statement)
	if err != nil {
		t.Fatalf("%.300s: %v", statement, err)
	}
	return res.Rows
}

// refuse runs a statement that must fail with that state.
func refuse(t testing.TB, db *ingot.DB, state, format string, args ...any) error {
	t.Helper()
	statement := fmt.Sprintf(format, args...)
	_, err := db.Exec(context.Background(), statement)
	if ingot.SQLState(err) != state {
		t.Errorf("%.300s: error %v, want %s", statement, err, state)
	}
	return err
}

// rowsOf returns what a query gives as lines of CSV.
func rowsOf(t testing.TB, db *ingot.DB, query string) string {
	t.Helper()
	s := db.Session(ingot.SessionOptions{})
	defer s.Close()
	path := filepath.Join(t.TempDir(), "rows")
	exec(t, db, "COPY (%s) TO '%s' (FORMAT csv)", query, path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// load fills table t, whose columns are given, with what line returns for 0 to n-1 as CSV.
func load(t testing.TB, db *ingot.DB, columns string, n int, line func(i int) string) {
	t.Helper()
	exec(t, db, "CREATE TABLE t (%s)", columns)
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	if _, err := db.CopyFrom(context.Background(), "t", strings.NewReader(b.String()), "FORMAT csv"); err != nil {
		t.Fatal(err)
	}
}

// tree returns the files below dir by their names.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// alone is an error of the test if dir holds anything but the given names.
func alone(t testing.TB, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("there are %q, want %q", got, names)
	}
}

// TestFormatsTo holds COPY TO to the same promises in every format: a query gives what its
// table gives, no rows are a file that can be read, and what fails leaves the file that was
// there, and nothing else.
func TestFormatsTo(t *testing.T) {
	db := openDB(t, ingot.Options{MaxWorkers: 3})
	load(t, db, "i int NOT NULL, s text, x float8, b bool, d date", 150_000, func(i int) string {
		if i%11 == 0 {
			return fmt.Sprintf("%d,,,,", i)
		}
		return fmt.Sprintf("%d,text %d,%d.5,%t,2024-01-%02d", i, i*7919%1009, i, i%3 == 0, i%28+1)
	})
	exec(t, db, "CREATE TABLE again (i int NOT NULL, s text, x float8, b bool, d date)")
	want := rowsOf(t, db, "SELECT * FROM t")
	for _, f := range everyFormat {
		t.Run(f.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "out"+f.suffix)
			from := func() string {
				t.Helper()
				exec(t, db, "TRUNCATE again")
				exec(t, db, "COPY again FROM '%s' (FORMAT %s)", path, f.name)
				return rowsOf(t, db, "SELECT * FROM again")
			}
			for _, source := range []string{"t", "(SELECT * FROM t)"} {
				if n := exec(t, db, "COPY %s TO '%s' (FORMAT %s)", source, path, f.name); n != 150_000 {
					t.Errorf("%s: %d rows", source, n)
				}
				if from() != want {
					t.Errorf("%s: other rows", source)
				}
			}
			for _, source := range []string{"again", "(SELECT * FROM again)", "(SELECT * FROM t WHERE i < 0)"} {
				exec(t, db, "TRUNCATE again")
				if n := exec(t, db, "COPY %s TO '%s' (FORMAT %s)", source, path, f.name); n != 0 {
					t.Errorf("%s: %d rows", source, n)
				}
				if got := from(); got != "" {
					t.Errorf("%s: rows in what should have none: %.100s", source, got)
				}
			}
			if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
			refuse(t, db, "22012", "COPY (SELECT i, 1 / (i - 140000) AS q FROM t) TO '%s' (FORMAT %s)", path, f.name)
			ctx, cancel := context.WithCancel(context.Background())
			s := db.Session(ingot.SessionOptions{OnProgress: func(*ingot.Progress) { cancel() }})
			defer s.Close()
			if _, err := s.Exec(ctx, fmt.Sprintf("COPY t TO '%s' (FORMAT %s)", path, f.name), nil); ingot.SQLState(err) != "57014" {
				t.Errorf("cancelled: %v", err)
			}
			if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
				t.Errorf("the old file is %q, %v", b, err)
			}
			alone(t, dir, "out"+f.suffix)
		})
	}
}

// TestCompressionOption lets COMPRESSION say what the end of a name says otherwise.
func TestCompressionOption(t *testing.T) {
	db := openDB(t, ingot.Options{})
	load(t, db, "i int, s text", 1000, func(i int) string { return fmt.Sprintf("%d,some text", i) })
	exec(t, db, "CREATE TABLE again (i int, s text)")
	tests := []struct{ name, option, magic string }{
		{"a.csv", "", "0,some"},
		{"a.csv", ", COMPRESSION auto", "0,some"},
		{"a.csv", ", COMPRESSION gzip", "\x1f\x8b"},
		{"a.csv", ", COMPRESSION 'ZSTD'", "\x28\xb5\x2f\xfd"},
		{"a.csv.gz", "", "\x1f\x8b"},
		{"a.csv.gz", ", COMPRESSION none", "0,some"},
		{"a.csv.zst", ", COMPRESSION gzip", "\x1f\x8b"},
	}
	for _, tc := range tests {
		path := filepath.Join(t.TempDir(), tc.name)
		exec(t, db, "COPY t TO '%s' (FORMAT csv%s)", path, tc.option)
		if b, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(b), tc.magic) {
			t.Errorf("%s%s begins with %q, %v", tc.name, tc.option, b[:min(len(b), 8)], err)
		}
		exec(t, db, "TRUNCATE again")
		if n := exec(t, db, "COPY again FROM '%s' (FORMAT csv)", path); n != 1000 {
			t.Errorf("%s%s: %d rows", tc.name, tc.option, n)
		}
	}
	var b bytes.Buffer
	if _, err := db.CopyTo(context.Background(), "t", &b, "FORMAT csv, COMPRESSION gzip"); err != nil || !strings.HasPrefix(b.String(), "\x1f\x8b") {
		t.Errorf("a writer gets %q, %v", b.Bytes()[:min(b.Len(), 8)], err)
	}
}
