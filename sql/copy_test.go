package sql

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot/copy"
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
		{"COPY t FROM STDIN WHERE row_number() OVER () > 1", "42P20"},
		{"COPY t FROM STDIN WHERE generate_series(1, a) > 1", "0A000"},
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

func TestRegisterArrow(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Microsecond}, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range int64(1000) {
		b.Field(0).(*array.Int64Builder).Append(i)
		b.Field(1).(*array.StringBuilder).Append(strings.Repeat("n", int(i%5)))
		b.Field(2).(*array.TimestampBuilder).Append(arrow.Timestamp(i * 1_000_000))
	}
	rec := b.NewRecordBatch()
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{rec, rec})
	shared := new(Shared)
	if err := shared.RegisterArrow("staged", table); err != nil {
		t.Fatal(err)
	}
	s := testSession(t, SessionOptions{Shared: shared})
	script{
		{"SELECT count(*), sum(id), max(name), min(at) FROM staged", "2000|999000|nnnn|1970-01-01 00:00:00\n-- SELECT 1"},
		{"SELECT id, at FROM staged WHERE id = 61", "61|1970-01-01 00:01:01\n61|1970-01-01 00:01:01\n-- SELECT 2"},
		{"CREATE TABLE n (id int4 PRIMARY KEY, name varchar(10), at timestamp, extra text DEFAULT 'e')", "-- CREATE TABLE"},
		{"COPY n (id, name) FROM (SELECT id, name FROM staged WHERE id < 100) (ON_CONFLICT ignore)", "-- COPY 100"},
		{"COPY n FROM (SELECT id + 1000, name, at FROM staged LIMIT 500)", "-- COPY 500"},
		{"COPY n (id) FROM (SELECT id * 10000000 FROM staged)", "22003 integer out of range"},
		{"SELECT count(*), count(at), min(extra) FROM n", "600|500|e\n-- SELECT 1"},
		{"INSERT INTO staged VALUES (1)", "42P01 relation \"staged\" does not exist"},
		{"DELETE FROM staged", "42P01 relation \"staged\" does not exist"},
		{"SELECT 1 FROM public.staged", "42P01 relation \"staged\" does not exist"},
	}.run(t, s)
	res, err := s.Exec(t.Context(), "COPY n (id, name, at) FROM (SELECT id + 5000, name, at FROM staged LIMIT 1000)")
	if err != nil || res.Copy.Cardinality != copy.Exact || res.Copy.Rows != 1000 {
		t.Errorf("%+v %v", res, err)
	}
	if err := shared.UnregisterArrow("staged"); err != nil {
		t.Fatal(err)
	}
	script{{"SELECT 1 FROM staged", "42P01 relation \"staged\" does not exist"}}.run(t, s)
	if err := shared.UnregisterArrow("staged"); pgerr.Code(err) != pgerr.UndefinedTable {
		t.Error(err)
	}
}

// watched reads what another session says of the COPY that it is the input of.
type watched struct {
	parts []string
	look  func()
}

// Read gives the parts one by one.
func (w *watched) Read(p []byte) (int, error) {
	if len(w.parts) == 0 {
		w.look()
		return 0, io.EOF
	}
	n := len(p)
	n = min(n, len(w.parts[0]))
	n = len(append(p[:0], w.parts[0][:n]...))
	w.parts[0] = w.parts[0][n:]
	if w.parts[0] == "" {
		w.parts = w.parts[1:]
	}
	return n, nil
}

func TestCopyProgress(t *testing.T) {
	store := testStore(t)
	shared := new(Shared)
	var now string
	s := NewSession(store, SessionOptions{Shared: shared, MaxWorkers: 1})
	other := NewSession(store, SessionOptions{Shared: shared})
	defer s.Close()
	defer other.Close()
	must(t, s, "CREATE TABLE t (a int4)")
	big := strings.Repeat("1\n", 12<<20)
	s.SetStdin(&watched{parts: []string{big, "x\n0\n2\n"}, look: func() {
		rows, _, err := ask(other, "SELECT relname, command, type, bytes_processed > 0, bytes_total, tuples_processed > 0, tuples_excluded, tuples_skipped FROM copy_progress()")
		if err != nil {
			t.Error(err)
		}
		now = rows
	}})
	if _, tag, err := ask(s, "COPY t FROM STDIN (FORMAT csv, ON_ERROR ignore) WHERE a <> 0"); err != nil || tag != "COPY 12582913" {
		t.Fatal(tag, err)
	}
	if want := "t|COPY FROM|PIPE|t|0|t|0|0\n"; now != want {
		t.Errorf("copy_progress is %q, want %q", now, want)
	}
	script{{"SELECT count(*) FROM copy_progress() AS p", "0\n-- SELECT 1"}}.run(t, other)
}

// madeUp is a program that a test makes up.
type madeUp struct {
	io.Reader
	io.Writer
	fails error
	ended *int
}

// Close says how the command ended.
func (c madeUp) Close() error {
	*c.ended++
	return c.fails
}

func TestCopyProgram(t *testing.T) {
	var out bytes.Buffer
	ended := 0
	fails := error(nil)
	s := testSession(t, SessionOptions{Program: func(_ context.Context, text string, _ bool) (io.ReadWriteCloser, error) {
		if text == "none" {
			return nil, errors.New("no such command")
		}
		return madeUp{strings.NewReader(text), &out, fails, &ended}, nil
	}})
	script{
		{"CREATE TABLE t (a int4)", "-- CREATE TABLE"},
		{"COPY t FROM PROGRAM '1'", "-- COPY 1"},
		{"COPY t FROM PROGRAM 'none'", "38000 program \"none\" failed: no such command"},
		{"COPY t FROM PROGRAM 'x'", "22P02 invalid input syntax for type integer: \"x\""},
	}.run(t, s)
	if ended != 2 {
		t.Errorf("%d commands ended", ended)
	}
	fails = errors.New("exit status 3")
	script{
		{"COPY t FROM PROGRAM '2'", "38000 program \"2\" failed: exit status 3"},
		{"COPY t TO PROGRAM 'cat'", "38000 program \"cat\" failed: exit status 3"},
		{"SELECT * FROM t", "1\n-- SELECT 1"},
	}.run(t, s)
	fails = nil
	script{{"COPY t TO PROGRAM 'cat'", "-- COPY 1"}}.run(t, s)
	if out.String() != "1\n1\n" {
		t.Errorf("the command was given %q", out.String())
	}
	// A command begins where there is something to write or nothing at all, and ends once.
	ended = 0
	script{
		{"COPY nothing TO PROGRAM 'cat'", "42P01 relation \"nothing\" does not exist"},
		{"COPY t TO PROGRAM 'none'", "38000 program \"none\" failed: no such command"},
		{"COPY (SELECT 1 WHERE false) TO PROGRAM 'none'", "38000 program \"none\" failed: no such command"},
	}.run(t, s)
	if ended != 0 {
		t.Errorf("%d commands ended that should not have begun", ended)
	}
	script{{"COPY t TO PROGRAM 'cat'", "-- COPY 1"}, {"COPY (SELECT 1 WHERE false) TO PROGRAM 'cat'", "-- COPY 0"}}.run(t, s)
	if ended != 2 {
		t.Errorf("two commands ended %d times", ended)
	}
}
