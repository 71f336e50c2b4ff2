package sql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

func TestMemoryLimit(t *testing.T) {
	s := testSession(t, SessionOptions{MemoryLimit: 1 << 20})
	must(t, s, "CREATE TABLE t (a int8, s text)", "INSERT INTO t SELECT g, 'text' || g FROM generate_series(1, 60000) AS g")
	for _, q := range []string{
		"SELECT a FROM t ORDER BY s",
		"SELECT s, count(*) FROM t GROUP BY s",
		"SELECT count(DISTINCT s) FROM t",
		"SELECT DISTINCT s FROM t",
		"SELECT g, count(*) FROM generate_series(1, 100000) AS g GROUP BY g",
		"SELECT repeat(s, 10000000) FROM t",
	} {
		if _, _, err := ask(s, q); pgerr.Code(err) != pgerr.OutOfMemory {
			t.Errorf("%s: %v, want %s", q, err, pgerr.OutOfMemory)
		}
	}
	for _, q := range []string{
		"SELECT a FROM t ORDER BY s LIMIT 10",
		"SELECT a % 10, count(*) FROM t GROUP BY 1",
		"SELECT count(*), max(s) FROM t",
	} {
		if _, _, err := ask(s, q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// TestLeaving leaves the loop over a result early, or never enters it: the statement
// ends, and nothing is held when the store closes (testStore checks that).
func TestLeaving(t *testing.T) {
	for _, workers := range []int{1, 3} {
		s := testSession(t, SessionOptions{MaxWorkers: workers})
		must(t, s, "CREATE TABLE t (a int8)", "INSERT INTO t SELECT g FROM generate_series(1, 300000) AS g")
		for _, q := range []string{"SELECT a FROM t", "SELECT a FROM t WHERE a % 2 = 0", "SELECT a FROM t ORDER BY a", "SELECT a FROM t GROUP BY a"} {
			res, err := s.Exec(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range res.Batches {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			for range res.Batches {
				t.Error("a second loop gives rows")
			}
			if res, err = s.Exec(context.Background(), q); err != nil {
				t.Fatal(err)
			}
			res.Close()
			res.Close()
			for range res.Batches {
				t.Error("a closed result gives rows")
			}
		}
	}
}

func TestCancel(t *testing.T) {
	s := testSession(t, SessionOptions{MaxWorkers: 2})
	must(t, s, "CREATE TABLE t (a int8)", "INSERT INTO t SELECT g FROM generate_series(1, 300000) AS g")
	for _, q := range []string{"SELECT sum(a) FROM t", "SELECT a FROM t WHERE a > 5", "SELECT a, count(*) FROM t GROUP BY a",
		"SELECT g FROM generate_series(1, 1000000000) AS g WHERE g < 0"} {
		ctx, cancel := context.WithCancel(context.Background())
		res, err := s.Exec(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		for _, e := range res.Batches {
			if err = e; err != nil {
				break
			}
		}
		if !errors.Is(err, context.Canceled) || pgerr.Code(err) != pgerr.QueryCanceled {
			t.Errorf("%s: got %v", q, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, q := range []string{"DELETE FROM t", "UPDATE t SET a = 1", "INSERT INTO t VALUES (1)"} {
		if _, err := s.Exec(ctx, q); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", q, err)
		}
	}
	script{{"SELECT count(*), sum(a) FROM t", "300000|45000150000\n-- SELECT 1"}}.run(t, s)
}

// TestErrorWhileReading has an error come up in the loop: the transaction it is in fails.
func TestErrorWhileReading(t *testing.T) {
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE t (a int4)", "INSERT INTO t VALUES (1), (0)", "BEGIN", "INSERT INTO t VALUES (5)")
	if _, _, err := ask(s, "SELECT 1 / a FROM t"); pgerr.Code(err) != pgerr.DivisionByZero {
		t.Fatal(err)
	}
	if !s.Failed() {
		t.Error("the transaction goes on after an error")
	}
	script{
		{"SELECT 1", "25P02 current transaction is aborted, commands ignored until end of transaction block"},
		{"ROLLBACK", "-- ROLLBACK"},
		{"SELECT count(*) FROM t", "2\n-- SELECT 1"},
	}.run(t, s)
}

// TestAtomicStatements has statements fail at their last row: nothing of them stays.
func TestAtomicStatements(t *testing.T) {
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE t (a int4 PRIMARY KEY, b int4 CHECK (b <> 7))",
		"INSERT INTO t SELECT g, g + 100 FROM generate_series(1, 5000) AS g")
	script{
		{"INSERT INTO t SELECT g, 10007 - g FROM generate_series(5001, 10000) AS g",
			"23514 new row for relation \"t\" violates check constraint \"t_b_check\""},
		{"INSERT INTO t SELECT 10001 - g, 0 FROM generate_series(1, 5001) AS g",
			"23505 duplicate key value violates unique constraint \"t_pkey\""},
		{"UPDATE t SET b = 10 / (a - 5000)", "22012 division by zero"},
		{"UPDATE t SET a = a / 2", "23505 duplicate key value violates unique constraint \"t_pkey\""},
		{"UPDATE t SET a = a + 1", "-- UPDATE 5000"},
		{"SELECT count(*), sum(a), sum(b) FROM t", "5000|12507500|13002500\n-- SELECT 1"},
	}.run(t, s)
}

func TestReadOnlyStore(t *testing.T) {
	dir := t.TempDir()
	store, err := columnar.Open(context.Background(), dir, columnar.Options{Durability: columnar.None})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(store, SessionOptions{})
	must(t, s, "CREATE TABLE t (a int4)", "INSERT INTO t VALUES (1)")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if store, err = columnar.Open(context.Background(), dir, columnar.Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s = NewSession(store, SessionOptions{})
	script{
		{"SELECT a FROM t", "1\n-- SELECT 1"},
		{"INSERT INTO t VALUES (2)", "25006 cannot write: columnar: store is open read-only"},
		{"DELETE FROM t", "25006 cannot write: columnar: store is open read-only"},
		{"CREATE TABLE u (a int4)", "25006 cannot write: columnar: store is open read-only"},
	}.run(t, s)
}

func TestExplain(t *testing.T) {
	s := testSession(t, SessionOptions{MaxWorkers: 1, Stdin: strings.NewReader("")})
	must(t, s, "CREATE TABLE t (a int4, b text)", "INSERT INTO t VALUES (1, 'x'), (2, 'y')")
	script{
		{"EXPLAIN SELECT b, count(*) FROM t WHERE a > 5 GROUP BY b ORDER BY 2 LIMIT 3", `Limit
  limit: 3
  Sort
    keeps: 3
    Group by b
      Scan t
        columns: b, a
        filter: a > 5
        rows: 2
        row groups: 1
        workers: 1
        rows left by zone maps: 0
-- EXPLAIN`},
		{"EXPLAIN SELECT count(*) FROM t", "Aggregate\n  Row count of t\n-- EXPLAIN"},
		{"EXPLAIN (FORMAT json) SELECT count(*) FROM t", `{
  "step": "Aggregate",
  "input": {
    "step": "Row count of t"
  }
}
-- EXPLAIN`},
		{"EXPLAIN DELETE FROM t", "Delete from t\n  Scan t\n    columns: \n    rows: 2\n    row groups: 1\n    workers: 1\n-- EXPLAIN"},
		{"EXPLAIN SELECT nope FROM t", "42703 column \"nope\" does not exist"},
	}.run(t, s)
	rows, _, err := ask(s, "EXPLAIN COPY t FROM STDIN (FORMAT csv)")
	if err != nil || !strings.Contains(rows, "cardinality: unknown") || !strings.Contains(rows, "reason: ") {
		t.Errorf("EXPLAIN COPY: %q, %v", rows, err)
	}
	rows, _, err = ask(s, "EXPLAIN ANALYZE INSERT INTO t VALUES (3, 'z')")
	if err != nil || !strings.Contains(rows, "actual rows: 1") {
		t.Errorf("EXPLAIN ANALYZE: %q, %v", rows, err)
	}
	script{{"SELECT count(*) FROM t", "3\n-- SELECT 1"}}.run(t, s)
}

func TestPositionsOfErrors(t *testing.T) {
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE t (a int4, b text)")
	for text, position := range map[string]string{
		"SELECT a + nope FROM t":             "at character 12",
		"SELECT a FROM t WHERE b + 1 > 2":    "at character 25",
		"SELECT a FROM nope":                 "at character 15",
		"INSERT INTO t VALUES (1, 2), ('é')": "at character 30",
		"UPDATE t SET nope = 1":              "at character 14",
		"SELECT sum(a), b FROM t":            "at character 16",
		"SELECT a FROM t ORDER BY 7":         "at character 26",
		"CREATE TABLE u (a int4, a int4)":    "at character 25",
		"SELECT foo(a) FROM t":               "at character 8",
		"SELECT '2001-13-01'::date":          "at character 8",
	} {
		_, _, err := ask(s, text)
		if err == nil || !strings.Contains(err.Error(), position) {
			t.Errorf("%s: %v, want it %s", text, err, position)
		}
	}
}

// TestWideTable has 5,000 columns, which every step must take without looking at all of
// them for each.
func TestWideTable(t *testing.T) {
	const n = 5000
	s := testSession(t, SessionOptions{})
	var defs, names, values []string
	for i := range n {
		defs = append(defs, fmt.Sprintf("c%d int4", i))
		names = append(names, fmt.Sprintf("c%d", i))
		values = append(values, fmt.Sprint(i))
	}
	must(t, s, "CREATE TABLE w ("+strings.Join(defs, ", ")+")",
		"INSERT INTO w ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(values, ", ")+")",
		"INSERT INTO w SELECT * FROM w", "UPDATE w SET c4999 = c0 + 1 WHERE c0 = 0")
	script{
		{"SELECT count(*), sum(c4998), max(c4999) FROM w", "2|9996|1\n-- SELECT 1"},
		{"SELECT " + strings.Join(names, " + ") + " FROM w LIMIT 1", "12492502\n-- SELECT 1"},
	}.run(t, s)
	rows, _, err := ask(s, "SELECT * FROM w LIMIT 1")
	if err != nil || strings.Count(rows, "|") != n-1 {
		t.Errorf("SELECT * gives %d fields, %v", strings.Count(rows, "|")+1, err)
	}
}

// TestExplainCopy holds that EXPLAIN refuses what COPY refuses, and says where rows come from.
func TestExplainCopy(t *testing.T) {
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE t (a int4, b text)", "CREATE TABLE u (a int4)")
	for _, text := range []string{
		"COPY t FROM PROGRAM 'ls'",
		"COPY t TO PROGRAM 'ls'",
		"COPY t FROM (SELECT 1, 'x', 2)",
		"COPY t FROM (SELECT 'x'::bytea)",
		"COPY t FROM (SELECT a FROM u) (NOPE 1)",
		"COPY t FROM (SELECT a FROM u) (DELIMITER ',')",
		"COPY t (a, a) FROM (SELECT a, a FROM u)",
	} {
		_, _, want := ask(s, text)
		if _, _, err := ask(s, "EXPLAIN "+text); want == nil || pgerr.Code(err) != pgerr.Code(want) {
			t.Errorf("EXPLAIN %s: %v, want %v", text, err, want)
		}
	}
	runs := testSession(t, SessionOptions{Program: func(context.Context, string, bool) (io.ReadWriteCloser, error) {
		t.Error("EXPLAIN runs the program")
		return nil, errors.New("no")
	}})
	must(t, runs, "CREATE TABLE t (a int4, b text)")
	for _, c := range [][2]string{
		{"COPY t FROM PROGRAM 'ls'", "source: program ls\n"},
		{"COPY t TO PROGRAM 'ls'", "Copy to program ls\n"},
		{"COPY t FROM (SELECT a FROM t)", "source: query\n"},
		{"COPY t FROM (SELECT a FROM t LIMIT 3)", "cardinality: exact\n"},
	} {
		if got, _, err := ask(runs, "EXPLAIN "+c[0]); err != nil || !strings.Contains(got, c[1]) {
			t.Errorf("EXPLAIN %s: %v\n%s; want %q in it", c[0], err, got, c[1])
		}
	}
}
