package sql

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// testStore opens a store that is closed when the test ends.
func testStore(t testing.TB) *columnar.Store {
	t.Helper()
	store, err := columnar.Open(context.Background(), t.TempDir(), columnar.Options{Durability: columnar.None})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return store
}

// testSession returns a session on a new store.
func testSession(t testing.TB, opt SessionOptions) *Session {
	t.Helper()
	opt.Files = copy.AnyFile()
	s := NewSession(testStore(t), opt)
	t.Cleanup(func() { s.Close() })
	return s
}

// ask runs a statement and returns its rows as text, a line for each, fields separated by
// a bar, and its tag.
func ask(s *Session, text string, args ...any) (rows, tag string, err error) {
	res, err := s.Exec(context.Background(), text, args...)
	if err != nil {
		return "", "", err
	}
	var b strings.Builder
	for batch, err := range res.Batches {
		if err != nil {
			return b.String(), "", err
		}
		for i := range batch.Rows {
			for c := range batch.Cols {
				if c > 0 {
					b.WriteByte('|')
				}
				if batch.Cols[c].IsNull(i) {
					b.WriteString("<null>")
				} else {
					b.Write(batch.Cols[c].AppendText(nil, i, s.Location()))
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String(), res.Tag, nil
}

// must runs statements that give no rows.
func must(t testing.TB, s *Session, statements ...string) {
	t.Helper()
	for _, text := range statements {
		if _, _, err := ask(s, text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// script is statements with what they give: the rows, then the tag after "-- "; or an
// error as "SQLSTATE message".
type script [][2]string

func (sc script) run(t *testing.T, s *Session) {
	t.Helper()
	for _, c := range sc {
		rows, tag, err := ask(s, c[0])
		got := rows + "-- " + tag
		if err != nil {
			var e *pgerr.Error
			if !errors.As(err, &e) {
				t.Errorf("%s: error without SQLSTATE: %v", c[0], err)
				continue
			}
			got = e.SQLState + " " + e.Message
		}
		if got != c[1] {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, c[1])
		}
	}
}

func TestStatements(t *testing.T) {
	s := testSession(t, SessionOptions{})
	script{
		{"SELECT 1, 'a', NULL", "1|a|<null>\n-- SELECT 1"},
		{"CREATE TABLE t (id int4 PRIMARY KEY, v text, n numeric(10,2) DEFAULT 1.5)", "-- CREATE TABLE"},
		{"CREATE TABLE t (a int)", "42P07 relation \"t\" already exists"},
		{"CREATE TABLE IF NOT EXISTS t (a int)", "-- CREATE TABLE"},
		{"INSERT INTO t VALUES (1, 'one', 10), (2, 'two', DEFAULT), (3, NULL, NULL)", "-- INSERT 0 3"},
		{"INSERT INTO t (id) VALUES (4)", "-- INSERT 0 1"},
		{"SELECT * FROM t", "1|one|10.00\n2|two|1.50\n3|<null>|<null>\n4|<null>|1.50\n-- SELECT 4"},
		{"SELECT id FROM t WHERE v IS NULL AND n > 1", "4\n-- SELECT 1"},
		{"SELECT count(*), count(v), sum(n), avg(id), min(v), max(id) FROM t", "4|2|13.00|2.5000000000000000|one|4\n-- SELECT 1"},
		{"SELECT n, count(*) FROM t GROUP BY n ORDER BY n NULLS FIRST", "<null>|1\n1.50|2\n10.00|1\n-- SELECT 3"},
		{"SELECT id * 2 AS d FROM t ORDER BY d DESC LIMIT 2 OFFSET 1", "6\n4\n-- SELECT 2"},
		{"UPDATE t SET v = 'x' || id, n = n + 1 WHERE id >= 3", "-- UPDATE 2"},
		{"SELECT * FROM t ORDER BY 1", "1|one|10.00\n2|two|1.50\n3|x3|<null>\n4|x4|2.50\n-- SELECT 4"},
		{"DELETE FROM t WHERE id = 1", "-- DELETE 1"},
		{"SELECT count(*) FROM t", "3\n-- SELECT 1"},
		{"INSERT INTO t SELECT id + 10, v, n FROM t", "-- INSERT 0 3"},
		{"SELECT id FROM t WHERE id > 10 ORDER BY id", "12\n13\n14\n-- SELECT 3"},
		{"ALTER TABLE t ADD COLUMN c bool DEFAULT true NOT NULL, DROP COLUMN v", "-- ALTER TABLE"},
		{"SELECT * FROM t WHERE id = 2", "2|1.50|t\n-- SELECT 1"},
		{"ALTER TABLE t RENAME c TO flag", "-- ALTER TABLE"},
		{"ALTER TABLE t RENAME TO u", "-- ALTER TABLE"},
		{"SELECT flag FROM u WHERE id = 2", "t\n-- SELECT 1"},
		{"SELECT nope FROM u", "42703 column \"nope\" does not exist"},
		{"SELECT * FROM t", "42P01 relation \"t\" does not exist"},
		{"TRUNCATE u", "-- TRUNCATE TABLE"},
		{"SELECT count(*), sum(id), bool_and(flag) FROM u", "0|<null>|<null>\n-- SELECT 1"},
		{"DROP TABLE u, u", "42P01 relation \"u\" does not exist"},
		{"DROP TABLE u", "-- DROP TABLE"},
		{"DROP TABLE IF EXISTS u", "-- DROP TABLE"},
		{"CHECKPOINT", "-- CHECKPOINT"},
		{"VACUUM", "-- VACUUM"},
		{"SET TIME ZONE 'Europe/Berlin'", "-- SET"},
		{"SELECT timestamptz '2001-01-01 00:00+00'", "2001-01-01 01:00:00+01\n-- SELECT 1"},
		{"SHOW timezone", "Europe/Berlin\n-- SHOW"},
		{"VALUES (1, 'a'), (2.5, NULL)", "1|a\n2.5|<null>\n-- SELECT 2"},
		{"SELECT g FROM generate_series(1, 5, 2) AS g WHERE g > 1", "3\n5\n-- SELECT 2"},
		{"SELECT sum(g), count(*) FROM generate_series(1, 100000) AS g", "5000050000|100000\n-- SELECT 1"},
	}.run(t, s)
}

// TestLiteralsBeforeColumns inserts outputs of queries that are literals in front of ones that
// are not.
func TestLiteralsBeforeColumns(t *testing.T) {
	s := testSession(t, SessionOptions{})
	script{
		{"CREATE TABLE u (id int4, name text)", "-- CREATE TABLE"},
		{"INSERT INTO u VALUES (1, 'x'), (2, 'y')", "-- INSERT 0 2"},
		{"CREATE TABLE t (a text, b text, c int4)", "-- CREATE TABLE"},
		{"INSERT INTO t SELECT 'lit', name, id FROM u", "-- INSERT 0 2"},
		{"INSERT INTO t (b, a, c) SELECT NULL, name, id FROM u", "-- INSERT 0 2"},
		{"INSERT INTO t (b, c) SELECT 'lit', '7' FROM u", "-- INSERT 0 2"},
		{"COPY t FROM (SELECT 'copied', name, id FROM u)", "-- COPY 2"},
		{"COPY t (c, a, b) FROM (SELECT NULL, 'copied', name FROM u)", "-- COPY 2"},
		{"SELECT * FROM t", "lit|x|1\nlit|y|2\nx|<null>|1\ny|<null>|2\n<null>|lit|7\n<null>|lit|7\n" +
			"copied|x|1\ncopied|y|2\ncopied|x|<null>\ncopied|y|<null>\n-- SELECT 10"},
	}.run(t, s)
}

func TestConstraints(t *testing.T) {
	s := testSession(t, SessionOptions{})
	script{
		{"CREATE TABLE t (a int4 NOT NULL, b int4 CHECK (b > 0), c text UNIQUE, CHECK (a < b))", "-- CREATE TABLE"},
		{"INSERT INTO t VALUES (NULL, 1, 'x')", "23502 null value in column \"a\" of relation \"t\" violates not-null constraint"},
		{"INSERT INTO t VALUES (1, 0, 'x')", "23514 new row for relation \"t\" violates check constraint \"t_b_check\""},
		{"INSERT INTO t VALUES (3, 2, 'x')", "23514 new row for relation \"t\" violates check constraint \"t_check\""},
		{"INSERT INTO t VALUES (1, NULL, 'x')", "-- INSERT 0 1"},
		{"INSERT INTO t VALUES (1, 2, 'x')", "23505 duplicate key value violates unique constraint \"t_c_key\""},
		{"UPDATE t SET b = 1", "23514 new row for relation \"t\" violates check constraint \"t_check\""},
		{"UPDATE t SET a = NULL", "23502 null value in column \"a\" of relation \"t\" violates not-null constraint"},
		{"ALTER TABLE t RENAME COLUMN b TO bb", "-- ALTER TABLE"},
		{"INSERT INTO t VALUES (3, 2, 'y')", "23514 new row for relation \"t\" violates check constraint \"t_check\""},
		{"INSERT INTO t (a, nope) VALUES (1, 2)", "42703 column \"nope\" of relation \"t\" does not exist"},
		{"INSERT INTO t (a, a) VALUES (1, 2)", "42701 column \"a\" specified more than once"},
		{"INSERT INTO t VALUES (1, 2, 'z', 4)", "42601 INSERT has more expressions than target columns"},
		{"INSERT INTO t (a, bb) VALUES (1)", "42601 INSERT has more target columns than expressions"},
		{"INSERT INTO t VALUES ('x', 2, 'z')", "22P02 invalid input syntax for type integer: \"x\""},
		{"INSERT INTO t VALUES (true, 2, 'z')", "42804 column \"a\" is of type integer but expression is of type boolean"},
		{"INSERT INTO t VALUES (3000000000, 2, 'z')", "22003 integer out of range"},
		{"SELECT * FROM t", "1|<null>|x\n-- SELECT 1"},
		{"ALTER TABLE t ADD d int NOT NULL", "23502 column \"d\" of relation \"t\" contains null values"},
		{"ALTER TABLE t ADD d int DEFAULT 5 CHECK (d > 9)", "23514 existing row of relation \"t\" violates check constraint \"t_d_check\""},
		{"ALTER TABLE t ALTER bb SET NOT NULL", "23502 column \"bb\" of relation \"t\" contains null values"},
		{"ALTER TABLE t DROP COLUMN a", "-- ALTER TABLE"},
		{"INSERT INTO t VALUES (2, 'y')", "-- INSERT 0 1"},
	}.run(t, s)
}

func TestArrays(t *testing.T) {
	s := testSession(t, SessionOptions{})
	script{
		{"CREATE TABLE t (id int4 PRIMARY KEY, a int4[], s text[])", "-- CREATE TABLE"},
		{"INSERT INTO t VALUES (1, '{1, 2 ,NULL}', ARRAY['x', 'a b', NULL]), (2, ARRAY[3], '{}'), (3, NULL, NULL)", "-- INSERT 0 3"},
		{"INSERT INTO t VALUES (4, '{1,x}', NULL)", "22P02 invalid input syntax for type integer: \"x\""},
		{"INSERT INTO t VALUES (4, '{1', NULL)", "22P02 malformed array literal: \"{1\""},
		{"SELECT * FROM t", "1|{1,2,NULL}|{x,\"a b\",NULL}\n2|{3}|{}\n3|<null>|<null>\n-- SELECT 3"},
		{"SELECT id FROM t WHERE a = '{3}' OR s = ARRAY['x', 'a b', NULL]", "1\n2\n-- SELECT 2"},
		{"SELECT a::text || '!', s::text FROM t WHERE id = 2", "{3}!|{}\n-- SELECT 1"},
		{"SELECT id FROM t WHERE id = ANY (ARRAY[1, 3]) AND id <> ALL (ARRAY[3, 4])", "1\n-- SELECT 1"},
		{"SELECT '{{1,2},{3,4}}'::int8[], ARRAY[1.50, 2], ARRAY[]::text[]", "{{1,2},{3,4}}|{1.50,2}|{}\n-- SELECT 1"},
		{"SELECT ARRAY[]", "42P18 cannot determine type of empty array"},
		{"SELECT id FROM t ORDER BY a", "0A000 sorting by arrays is not supported"},
		{"SELECT a[1] FROM t", "0A000 subscripts of arrays are not supported"},
		{"SELECT id, a, count(*) FROM t GROUP BY id ORDER BY id LIMIT 1", "1|{1,2,NULL}|1\n-- SELECT 1"},
		{"SELECT a, count(*) FROM t GROUP BY a", "42883 could not identify an equality operator for type integer[]"},
	}.run(t, s)
}

func TestTransactions(t *testing.T) {
	store := testStore(t)
	a, b := NewSession(store, SessionOptions{}), NewSession(store, SessionOptions{})
	defer a.Close()
	defer b.Close()
	must(t, a, "CREATE TABLE t (a int4)", "BEGIN", "INSERT INTO t VALUES (1)")
	script{{"SELECT count(*) FROM t", "0\n-- SELECT 1"}}.run(t, b)
	script{
		{"SELECT count(*) FROM t", "1\n-- SELECT 1"},
		{"CREATE TABLE u (a int4)", "-- CREATE TABLE"},
		{"CHECKPOINT", "25001 CHECKPOINT cannot run inside a transaction block"},
		{"SELECT 1", "25P02 current transaction is aborted, commands ignored until end of transaction block"},
		{"COMMIT", "-- ROLLBACK"},
		{"SELECT count(*) FROM t", "0\n-- SELECT 1"},
		{"SELECT * FROM u", "42P01 relation \"u\" does not exist"},
		{"BEGIN", "-- BEGIN"},
		{"INSERT INTO t VALUES (1)", "-- INSERT 0 1"},
		{"UPDATE t SET a = a + 1", "-- UPDATE 1"},
		{"SELECT a FROM t", "2\n-- SELECT 1"},
		{"COMMIT", "-- COMMIT"},
		{"BEGIN", "-- BEGIN"},
		{"SELECT a FROM t", "2\n-- SELECT 1"},
	}.run(t, a)
	must(t, b, "INSERT INTO t VALUES (3)")
	script{
		{"SELECT count(*) FROM t", "2\n-- SELECT 1"},
		{"DELETE FROM t", "40001 could not serialize access: columnar: the store has changed since this transaction read it"},
		{"ROLLBACK", "-- ROLLBACK"},
		{"BEGIN READ ONLY", "-- BEGIN"},
		{"DELETE FROM t", "25006 cannot write in a read-only transaction"},
		{"END", "-- ROLLBACK"},
		{"DELETE FROM t", "-- DELETE 2"},
	}.run(t, a)
	if a.InTransaction() || a.Failed() {
		t.Error("a transaction is open at the end")
	}
}

func TestCopy(t *testing.T) {
	var out bytes.Buffer
	s := testSession(t, SessionOptions{Stdout: &out, Stdin: strings.NewReader("a,b\n1,x\n2,\n")})
	script{
		{"CREATE TABLE t (a int4 CHECK (a < 5), b text DEFAULT 'd')", "-- CREATE TABLE"},
		{"COPY t FROM STDIN WITH (FORMAT csv, HEADER)", "-- COPY 2"},
		{"SELECT * FROM t", "1|x\n2|<null>\n-- SELECT 2"},
		{"COPY t TO STDOUT (FORMAT csv)", "-- COPY 2"},
		{"COPY (SELECT a * 10 AS x FROM t WHERE b IS NULL) TO STDOUT (FORMAT csv, HEADER)", "-- COPY 1"},
		{"CREATE TABLE u (a int4, b text)", "-- CREATE TABLE"},
		{"COPY u (a) FROM (SELECT a FROM t)", "-- COPY 2"},
		{"SELECT * FROM u", "1|<null>\n2|<null>\n-- SELECT 2"},
		{"COPY t FROM '/does/not/exist.csv' (FORMAT csv)", "58P01 could not open file \"/does/not/exist.csv\": no such file or directory"},
		{"COPY t FROM PROGRAM 'ls'", "0A000 COPY with PROGRAM is not supported"},
	}.run(t, s)
	if got, want := out.String(), "1,x\n2,\nx\n20\n"; got != want {
		t.Errorf("COPY TO STDOUT wrote %q, want %q", got, want)
	}
	s.SetStdin(strings.NewReader("1\n7\n3\n"))
	_, _, err := ask(s, "COPY t (a) FROM STDIN (FORMAT csv)")
	if e := pgerr.From(err); e.SQLState != pgerr.CheckViolation || e.Line != 2 {
		t.Errorf("a row against CHECK: %v", err)
	}
	must(t, s, "BEGIN")
	s.SetStdin(strings.NewReader("3\n4\n"))
	script{
		{"COPY t (a) FROM STDIN (FORMAT csv)", "-- COPY 2"},
		{"SELECT count(*), min(b) FROM t", "4|d\n-- SELECT 1"},
		{"ROLLBACK", "-- ROLLBACK"},
		{"SELECT count(*) FROM t", "2\n-- SELECT 1"},
	}.run(t, s)
}

func TestArguments(t *testing.T) {
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE t (a int8, b text, c float8)")
	if _, _, err := ask(s, "INSERT INTO t VALUES ($1, $2, $3)", 7, "it's", 0.5); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		args []any
		want string
	}{
		{"SELECT a FROM t WHERE b = $1", []any{"it's"}, "7\n"},
		{"SELECT a FROM t WHERE a = $1 AND c < $2", []any{int32(7), 1}, "7\n"},
		{"SELECT $1::date + $2", []any{"2001-01-01", int32(1)}, "2001-01-02\n"},
		{"SELECT coalesce($1, 'none')", []any{nil}, "none\n"},
	} {
		if got, _, err := ask(s, c.text, c.args...); err != nil || got != c.want {
			t.Errorf("%s %v: got %q, %v, want %q", c.text, c.args, got, err, c.want)
		}
	}
	if _, _, err := ask(s, "SELECT $2", 1); pgerr.Code(err) != "42P02" {
		t.Errorf("a missing argument: %v", err)
	}
	if _, _, err := ask(s, "SELECT $1", struct{}{}); pgerr.Code(err) != pgerr.DatatypeMismatch {
		t.Errorf("a strange argument: %v", err)
	}
}
