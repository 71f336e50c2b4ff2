package sql

import (
	"slices"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// load runs a COPY FROM STDIN with the given input.
func load(s *Session, input, statement string) (tag string, err error) {
	s.SetStdin(strings.NewReader(input))
	_, tag, err = ask(s, statement)
	return tag, err
}

func TestCopyRejects(t *testing.T) {
	var notices []string
	s := testSession(t, SessionOptions{OnNotice: func(n string) { notices = append(notices, n) }})
	must(t, s, "CREATE TABLE t (a int4, b text)")
	const input = "1,x\nq,y\n3,\"z\n\"\nr,w\n"
	tag, err := load(s, input, "COPY t FROM STDIN (FORMAT csv, ON_ERROR ignore, REJECTS bad, LOG_VERBOSITY verbose)")
	if err != nil || tag != "COPY 2" {
		t.Fatal(tag, err)
	}
	want := []string{
		`skipping row due to data type incompatibility at line 2 for column "a": "q"`,
		`skipping row due to data type incompatibility at line 5 for column "a": "r"`,
		"2 rows were skipped due to data type incompatibility",
	}
	if !slices.Equal(notices, want) {
		t.Errorf("notices %q, want %q", notices, want)
	}
	script{
		{`SELECT file, line, byte_offset, "column", error, text FROM bad`,
			"<null>|2|4|a|invalid input syntax for type integer: \"q\"|q,y\n<null>|5|15|a|invalid input syntax for type integer: \"r\"|r,w\n-- SELECT 2"},
		{"SELECT count(*) FROM t", "2\n-- SELECT 1"},
	}.run(t, s)
	// The table of rejects is as atomic as the rows.
	must(t, s, "BEGIN")
	if _, err := load(s, "1,x\nq,y\n", "COPY t FROM STDIN (FORMAT csv, ON_ERROR ignore, REJECTS worse)"); err != nil {
		t.Fatal(err)
	}
	script{
		{"SELECT count(*) FROM worse", "1\n-- SELECT 1"},
		{"ROLLBACK", "-- ROLLBACK"},
		{"SELECT count(*) FROM worse", "42P01 relation \"worse\" does not exist"},
	}.run(t, s)
	for _, c := range [][2]string{
		{"COPY t FROM STDIN (FORMAT csv, ON_ERROR ignore, REJECTS t)", pgerr.InvalidParameterValue},
		{"COPY bad FROM STDIN (FORMAT csv, ON_ERROR ignore, REJECTS t)", pgerr.DatatypeMismatch},
	} {
		if _, err := load(s, "a,1,2,b,c,d\n", c[0]); pgerr.Code(err) != c[1] {
			t.Errorf("%s: %v, want %s", c[0], err, c[1])
		}
	}
	// Rejects alone are stored too, and a limit leaves nothing.
	if tag, err := load(s, "x,x\n", "COPY t FROM STDIN (FORMAT csv, ON_ERROR ignore, REJECTS bad)"); err != nil || tag != "COPY 0" {
		t.Error(tag, err)
	}
	_, err = load(s, input, "COPY t FROM STDIN (FORMAT csv, ON_ERROR ignore, REJECTS bad, REJECT_LIMIT 1)")
	if e := pgerr.From(err); e == nil || e.SQLState != "22P02" || e.Line != 5 || e.Column != "" ||
		e.Message != "skipped more than REJECT_LIMIT (1) rows due to data type incompatibility" {
		t.Errorf("REJECT_LIMIT: %+v", e)
	}
	script{{"SELECT count(*), max(line) FROM bad", "3|5\n-- SELECT 1"}}.run(t, s)
	notices = nil
	if _, err := load(s, "x,x\n1,y\n", "COPY t FROM STDIN (FORMAT csv, ON_ERROR set_null)"); err != nil || !slices.Equal(notices, []string{"in 1 row, columns were set to null due to data type incompatibility"}) {
		t.Error(notices, err)
	}
}

func TestCopyWhere(t *testing.T) {
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE t (a int4 NOT NULL, b int4 DEFAULT 7, c text)")
	tag, err := load(s, "1,x\n2,y\n,z\n4,\n", "COPY t (a, c) FROM STDIN (FORMAT csv) WHERE a IS NOT NULL AND a <> 2 AND b = 7 AND coalesce(c, 'x') = 'x'")
	if err != nil || tag != "COPY 2" {
		t.Fatal(tag, err)
	}
	script{{"SELECT * FROM t", "1|7|x\n4|7|<null>\n-- SELECT 2"}}.run(t, s)
	_, err = load(s, "5,x\n0,y\n", "COPY t (a, c) FROM STDIN (FORMAT csv) WHERE 10 / a > 0")
	if e := pgerr.From(err); e.SQLState != pgerr.DivisionByZero || e.Line != 2 {
		t.Errorf("an error in WHERE: %v", err)
	}
	for _, c := range [][2]string{
		{"COPY t FROM STDIN WHERE nope = 1", "42703"},
		{"COPY t FROM STDIN WHERE a", "42804"},
		{"COPY t FROM STDIN WHERE count(*) > 1", "42803"},
		{"COPY t FROM STDIN WHERE a IN (SELECT 1)", "0A000"},
		{"COPY t TO STDOUT WHERE a = 1", "42601"},
	} {
		if _, err := load(s, "", c[0]); pgerr.Code(err) != c[1] {
			t.Errorf("%s: %v, want %s", c[0], err, c[1])
		}
	}
}

func TestCopyConflicts(t *testing.T) {
	var notices []string
	s := testSession(t, SessionOptions{OnNotice: func(n string) { notices = append(notices, n) }})
	must(t, s, "CREATE TABLE t (a int4 PRIMARY KEY, b text)", "INSERT INTO t VALUES (1, 'old'), (2, 'old')")
	const input = "2,new\n3,new\n3,newer\n"
	_, err := load(s, "x,y\n5,a\n6,b\n7,\"c\nc\"\n6,d\n", "COPY t FROM STDIN (FORMAT csv, ON_ERROR ignore) WHERE a <> 5")
	if e := pgerr.From(err); e.SQLState != pgerr.UniqueViolation || e.Line != 6 || !strings.Contains(e.Detail, "line 3") {
		t.Errorf("a key twice: %+v", e)
	}
	notices = nil
	if tag, err := load(s, input, "COPY t FROM STDIN (FORMAT csv, ON_CONFLICT ignore)"); err != nil || tag != "COPY 1" {
		t.Error(tag, err)
	}
	script{{"SELECT * FROM t ORDER BY a", "1|old\n2|old\n3|new\n-- SELECT 3"}}.run(t, s)
	if tag, err := load(s, input, "COPY t FROM STDIN (FORMAT csv, ON_CONFLICT replace)"); err != nil || tag != "COPY 2" {
		t.Error(tag, err)
	}
	script{
		{"SELECT * FROM t ORDER BY a", "1|old\n2|new\n3|newer\n-- SELECT 3"},
		{"COPY t FROM (SELECT a + 1, 'query' FROM t) (ON_CONFLICT ignore)", "-- COPY 1"},
		{"COPY t FROM (SELECT a, 'again' FROM t)", "23505 duplicate key value violates unique constraint \"t_pkey\""},
		{"SELECT * FROM t ORDER BY a", "1|old\n2|new\n3|newer\n4|query\n-- SELECT 4"},
	}.run(t, s)
	want := []string{
		"2 rows were skipped because their keys were there",
		"1 row was skipped because its key was there", "2 rows were replaced",
		"2 rows were skipped because their keys were there",
	}
	if !slices.Equal(notices, want) {
		t.Errorf("notices %q, want %q", notices, want)
	}
}

func TestCopyQuery(t *testing.T) {
	s := testSession(t, SessionOptions{})
	must(t, s, "CREATE TABLE src (a int4, b text, c bool, d numeric(30,2), n numeric)",
		"INSERT INTO src VALUES (1, 'x', true, 'NaN', 1.50), (2, NULL, NULL, 12345678901234567890.5, NULL), (3, 'long text here', false, -1, 'Infinity')",
		"CREATE TABLE dst (a int8 NOT NULL, b text, c bool, d numeric(30,2), n numeric, e int4 DEFAULT 9, CHECK (a < 100))")
	script{
		{"COPY dst FROM (SELECT * FROM src)", "-- COPY 3"},
		{"SELECT * FROM dst", "1|x|t|NaN|1.50|9\n2|<null>|<null>|12345678901234567890.50|<null>|9\n3|long text here|f|-1.00|Infinity|9\n-- SELECT 3"},
		{"COPY dst (b, a) FROM (SELECT b, a * 10 FROM src WHERE a > 1) WITH (ROWS 2)", "-- COPY 2"},
		{"SELECT a, b, e FROM dst WHERE a > 3", "20|<null>|9\n30|long text here|9\n-- SELECT 2"},
		{"COPY dst (a) FROM (SELECT a * 50 FROM src)", "23514 new row for relation \"dst\" violates check constraint \"dst_a_check\""},
		{"COPY dst (a) FROM (SELECT NULL FROM src)", "23502 null value in column \"a\" of relation \"dst\" violates not-null constraint"},
		{"COPY dst (b) FROM (SELECT b FROM src)", "23502 null value in column \"a\" of relation \"dst\" violates not-null constraint"},
		{"COPY dst (a) FROM (SELECT a FROM src) (FORMAT csv)", "0A000 COPY FORMAT cannot be used with COPY FROM a query"},
		{"COPY dst (a) FROM (SELECT a FROM src) (ROWS 5)", "22P04 ROWS says 5 rows but the input has 3"},
		{"COPY dst (a) FROM (VALUES (7), (8))", "-- COPY 2"},
		{"COPY dst (a) FROM (SELECT max(a) + 1 FROM src)", "-- COPY 1"},
		{"SELECT count(*), sum(a) FROM dst", "8|75\n-- SELECT 1"},
		{"CREATE TABLE big (i int4, t text)", "-- CREATE TABLE"},
	}.run(t, s)
	must(t, s, "COPY big FROM (SELECT a, b FROM src)")
	for range 17 {
		must(t, s, "COPY big FROM (SELECT i, t FROM big)")
	}
	must(t, s, "CREATE TABLE fixed (i int4)", "COPY fixed FROM (SELECT i FROM big)")
	script{
		{"SELECT count(*), sum(i), count(t), min(t) FROM big", "393216|786432|262144|long text here\n-- SELECT 1"},
		{"SELECT count(*), sum(i) FROM fixed", "393216|786432\n-- SELECT 1"},
	}.run(t, s)
	res, err := s.Exec(t.Context(), "COPY fixed FROM (SELECT i FROM big)")
	if err != nil || res.Copy.Cardinality.String() != "exact" || res.Copy.Reservations != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}
