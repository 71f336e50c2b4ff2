package parquet_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ingotdb/ingot"
)

// TestPushDownStatements damages the pages of one row group: a COPY whose WHERE needs no row of it does
// not find out.
func TestPushDownStatements(t *testing.T) {
	db := openDB(t, 2)
	exec(t, db, "CREATE TABLE a (i int8, s text)")
	var csv bytes.Buffer
	for i := range 300 {
		fmt.Fprintf(&csv, "%d,row %03d\n", i, i)
	}
	if _, err := db.CopyFrom(context.Background(), "a", &csv, "FORMAT csv"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	exec(t, db, fmt.Sprintf("COPY a TO '%s' (FORMAT parquet, COMPRESSION none, ROW_GROUP_SIZE 100)", path))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte("row 150"))
	b[at] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	exec(t, db, "CREATE TABLE t (i int8, s text)")
	for where, want := range map[string]string{
		"": "XX001", " WHERE i < 200": "XX001", " WHERE i < 100": "100", " WHERE s >= 'row 200' AND i <> 250": "99", " WHERE i = 299 AND s IS NOT NULL": "1",
		" WHERE i BETWEEN 220 AND 221": "2", " WHERE i < 0 OR i > 290": "XX001",
	} {
		statement := fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet)%s", path, where)
		if want == "XX001" {
			refuse(t, db, statement, want)
			continue
		}
		exec(t, db, statement)
		wantRows(t, db, "SELECT count(*) FROM t", want)
		exec(t, db, "TRUNCATE t")
	}
	// The column that is damaged is not read if it is not wanted.
	exec(t, db, fmt.Sprintf("COPY t (i) FROM '%s' (FORMAT parquet)", path))
	wantRows(t, db, "SELECT count(*), count(s) FROM t", "300|0")
}

// TestFewRowsOfMany loads next to nothing of many row groups, and strings so long that a row
// group becomes several fragments.
func TestFewRowsOfMany(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		db := openDB(t, workers)
		exec(t, db, "CREATE TABLE a (i int8, s text)")
		exec(t, db, "INSERT INTO a SELECT g, 'row ' || g FROM generate_series(1, 300000) g")
		dir := t.TempDir()
		many, long := filepath.Join(dir, "many.parquet"), filepath.Join(dir, "long.parquet")
		exec(t, db, fmt.Sprintf("COPY a TO '%s' (FORMAT parquet, ROW_GROUP_SIZE 10000)", many))
		exec(t, db, "CREATE TABLE t (i int8, s text, PRIMARY KEY (i))")
		for where, want := range map[string]string{"i + 0 = 7": "1", "i % 50000 = 1": "6", "i + 0 < 0": "0", "i + 0 > 0": "300000"} {
			exec(t, db, fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet) WHERE %s", many, where))
			wantRows(t, db, "SELECT count(*) FROM t", want)
			exec(t, db, "TRUNCATE t")
		}
		exec(t, db, fmt.Sprintf("COPY (SELECT i, repeat(s, 400) AS s FROM a WHERE i <= 20000) TO '%s' (FORMAT parquet, ROW_GROUP_SIZE 5000)", long))
		exec(t, db, fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet)", long))
		wantRows(t, db, "SELECT count(*), sum(i), sum(length(s)) FROM t", "20000|200010000|67557600")
		// The same key again is told by its record, wherever it ended up.
		refuse(t, db, fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet)", long), "23505")
	}
}

// TestKeyErrorsSayTheRecord loads a key that is there already, behind records that are left
// out in several ways: the record that is told is the one of the file.
func TestKeyErrorsSayTheRecord(t *testing.T) {
	for _, workers := range []int{1, 3} {
		db := openDB(t, workers)
		dir := t.TempDir()
		for i, name := range []string{"a", "b"} {
			exec(t, db, fmt.Sprintf("COPY (SELECT CASE WHEN g %% 10 = 0 THEN 'no' ELSE (g + %d)::text END AS k, g + %d AS n FROM generate_series(1, 100000) g) TO '%s' (FORMAT parquet, ROW_GROUP_SIZE 7000)",
				100000*i, 100000*i, filepath.Join(dir, name+".parquet")))
		}
		exec(t, db, "CREATE TABLE t (k int8 PRIMARY KEY, n int8)")
		exec(t, db, "INSERT INTO t VALUES (155551)")
		for _, where := range []string{"", " WHERE n > 130000", " WHERE n + 0 > 130000"} {
			_, err := db.Exec(context.Background(), fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet, ON_ERROR ignore)%s", filepath.Join(dir, "*.parquet"), where))
			e := ingot.AsError(err)
			if e.SQLState != "23505" || filepath.Base(e.File) != "b.parquet" || e.Line != 55551 {
				t.Errorf("%d workers,%s: %v, file %q, line %d", workers, where, err, e.File, e.Line)
			}
		}
	}
}
