package sql

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
)

func TestReturning(t *testing.T) {
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE t (a int4 PRIMARY KEY, b text DEFAULT 'd', c int8)")
	script{
		{"INSERT INTO t VALUES (1, 'x', 10), (2, NULL, 20) RETURNING *, a + c AS sum", "1|x|10|11\n2|<null>|20|22\n-- INSERT 0 2"},
		{"INSERT INTO t (a) VALUES (3) RETURNING b, t.a", "d|3\n-- INSERT 0 1"},
		{"INSERT INTO t AS n SELECT a + 10, b, c FROM t RETURNING n.a", "11\n12\n13\n-- INSERT 0 3"},
		{"UPDATE t SET c = coalesce(c, 0) + 1 WHERE a < 3 RETURNING a, c", "1|11\n2|21\n-- UPDATE 2"},
		{"DELETE FROM t AS d WHERE a > 10 RETURNING d.a, b", "11|x\n12|<null>\n13|d\n-- DELETE 3"},
		{"DELETE FROM t WHERE a > 10 RETURNING a", "-- DELETE 0"},
		// An error in the list undoes the statement.
		{"INSERT INTO t VALUES (7, 'x', 0) RETURNING 1 / c", "22012 division by zero"},
		{"DELETE FROM t RETURNING 1 / (a - 3)", "22012 division by zero"},
		{"UPDATE t SET c = 0 RETURNING 1 / c", "22012 division by zero"},
		{"INSERT INTO t VALUES (1) RETURNING a", "23505 duplicate key value violates unique constraint \"t_pkey\""},
		{"INSERT INTO t VALUES (8) RETURNING count(*)", "42803 aggregate functions are not allowed in RETURNING"},
		{"INSERT INTO t VALUES (8) RETURNING nope", "42703 column \"nope\" does not exist"},
		{"SELECT a, b, c FROM t ORDER BY a", "1|x|11\n2|<null>|21\n3|d|<null>\n-- SELECT 3"},
	}.run(t, s)
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestCopyChange(t *testing.T) {
	var out strings.Builder
	s := testSession(t, SessionOptions{Stdout: &out})
	must(t, s, "CREATE TABLE t (a int4, b text)")
	script{
		{"COPY (INSERT INTO t VALUES (1, 'x'), (2, 'y') RETURNING b, a) TO STDOUT (FORMAT csv, HEADER)", "-- COPY 2"},
		{"COPY (UPDATE t SET a = a + 1 WHERE b = 'y' RETURNING *) TO STDOUT", "-- COPY 1"},
		{"BEGIN", "-- BEGIN"},
		{"COPY (DELETE FROM t RETURNING a) TO STDOUT", "-- COPY 2"},
		{"ROLLBACK", "-- ROLLBACK"},
	}.run(t, s)
	if want := "b,a\nx,1\ny,2\n3\ty\n1\n3\n"; out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
	// What cannot be written does not change the table, and leaves no transaction open.
	s.SetStdout(broken{})
	if _, _, err := ask(s, "COPY (DELETE FROM t RETURNING a) TO STDOUT"); err == nil {
		t.Error("a COPY to a writer that fails succeeds")
	}
	if s.InTransaction() {
		t.Error("a transaction is open")
	}
	script{{"SELECT a FROM t ORDER BY a", "1\n3\n-- SELECT 2"}}.run(t, s)
}

// TestCopyFileList loads named files and patterns in the order given.
func TestCopyFileList(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"z.csv": "1,z\n", "a1.csv": "2,a1\n", "a2.csv": "3,a2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE t (a int4, b text)")
	list := func(names ...string) string {
		for i, name := range names {
			names[i] = "'" + filepath.Join(dir, name) + "'"
		}
		return "COPY t FROM (" + strings.Join(names, ", ") + ") (FORMAT csv)"
	}
	script{
		{list("z.csv", "a*.csv"), "-- COPY 3"},
		{"SELECT a, b FROM t", "1|z\n2|a1\n3|a2\n-- SELECT 3"},
	}.run(t, s)
	if _, _, err := ask(s, list("z.csv", "none*.csv")); pgerr.Code(err) != pgerr.UndefinedFile {
		t.Errorf("a pattern without a match: %v", err)
	}
	script{{"SELECT count(*) FROM t", "3\n-- SELECT 1"}}.run(t, s)
}

// BenchmarkDeleteReturning deletes a few rows that a scan finds, with and without their values.
func BenchmarkDeleteReturning(b *testing.B) {
	s := NewSession(testStore(b), SessionOptions{MaxWorkers: 1})
	defer s.Close()
	must(b, s, "CREATE TABLE t (id int8, s text)", "INSERT INTO t SELECT g, 'key' || g FROM generate_series(1, 1000000) AS g")
	for _, returning := range []string{"", " RETURNING id"} {
		b.Run("list="+strings.TrimSpace(returning), func(b *testing.B) {
			for b.Loop() {
				must(b, s, "BEGIN", "DELETE FROM t WHERE s LIKE '%7_77'"+returning, "ROLLBACK")
			}
		})
	}
}
