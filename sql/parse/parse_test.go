package parse

import (
	"reflect"
	"testing"

	"github.com/ingotdb/ingot/sql/ast"
)

// sameTree compares two trees and ignores where their nodes stand.
func sameTree(a, b any) bool { return same(reflect.ValueOf(a), reflect.ValueOf(b)) }

func same(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return false
	}
	if !a.IsValid() {
		return true
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type() == reflect.TypeFor[ast.Base]() {
				continue
			}
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Type() == reflect.TypeFor[ast.At]() || a.Equal(b)
}

// checkRoundTrip fails unless the printed form of s parses to the same tree.
func checkRoundTrip(t *testing.T, src string, s ast.Stmt) {
	t.Helper()
	text := s.String()
	again, err := Statement(text)
	if err != nil {
		t.Fatalf("%q prints as %q, which does not parse: %v", src, text, err)
	}
	if !sameTree(s, again) {
		t.Fatalf("%q prints as %q, which parses to another tree: %q", src, text, again.String())
	}
}

// statements has statements with their printed form; "" means the statement itself.
var statements = [][2]string{
	{"SELECT 1", ""},
	{"select A, \"B\" from T", `SELECT a, "B" FROM t`},
	{`SELECT * FROM t WHERE a > 1 GROUP BY a, b HAVING count(*) > 2 ORDER BY a DESC, b LIMIT 10 OFFSET 5`, ""},
	{`SELECT t.*, t.a AS x FROM public.t AS t`, ""},
	{`SELECT a x, b "Y", c AS select FROM t u`, `SELECT a AS x, b AS "Y", c AS "select" FROM t AS u`},
	{`SELECT DISTINCT a FROM t`, ""},
	{`SELECT ALL a FROM t ORDER BY a NULLS FIRST, b DESC NULLS LAST, c ASC NULLS LAST`,
		`SELECT a FROM t ORDER BY a NULLS FIRST, b DESC NULLS LAST, c`},
	{`SELECT FROM t`, ""},
	{`SELECT`, ""},
	{`SELECT a FROM t FETCH FIRST 3 ROWS ONLY`, `SELECT a FROM t LIMIT 3`},
	{`SELECT a FROM t OFFSET 2 ROWS FETCH NEXT ROW ONLY`, `SELECT a FROM t LIMIT 1 OFFSET 2`},
	{`SELECT a FROM t LIMIT ALL`, `SELECT a FROM t`},
	{`SELECT * FROM generate_series(1, 10) AS g`, ""},
	{`VALUES (1, 'a'), (2, NULL)`, ""},

	{`CREATE TABLE t (a int, b text NOT NULL)`, `CREATE TABLE t (a int4, b text NOT NULL)`},
	{`CREATE TABLE IF NOT EXISTS "T" (id bigint PRIMARY KEY, v varchar(20) UNIQUE DEFAULT 'x' CHECK (v <> ''))`,
		`CREATE TABLE IF NOT EXISTS "T" (id int8 PRIMARY KEY, v varchar(20) UNIQUE DEFAULT 'x' CHECK (v <> ''))`},
	{`CREATE TABLE t (a int4 DEFAULT -1 NOT NULL, b int4 DEFAULT (1 + 2) NULL)`,
		`CREATE TABLE t (a int4 NOT NULL DEFAULT (-1), b int4 DEFAULT (1 + 2))`},
	{`CREATE TABLE t (a int4, b int4, PRIMARY KEY (a, b), CONSTRAINT pos CHECK (a > 0), UNIQUE (b))`,
		`CREATE TABLE t (a int4, b int4, PRIMARY KEY (a, b), UNIQUE (b), CONSTRAINT pos CHECK (a > 0))`},
	{`CREATE TABLE t ()`, ""},
	{`CREATE TABLE t (time time, values int, "order" int, date date, timestamp timestamp)`,
		`CREATE TABLE t ("time" time, "values" int4, "order" int4, date date, "timestamp" timestamp)`},
	{`CREATE REL TABLE r (FROM a TO b, FROM c TO d, w float8 DEFAULT 1)`, ""},
	{`CREATE NODE TABLE t (a int4)`, `CREATE TABLE t (a int4)`},
	{`ALTER TABLE t ADD COLUMN c numeric(10,2) DEFAULT 0, DROP COLUMN IF EXISTS d CASCADE`, ""},
	{`ALTER TABLE IF EXISTS t ADD c int, DROP b RESTRICT`,
		`ALTER TABLE IF EXISTS t ADD COLUMN c int4, DROP COLUMN b`},
	{`ALTER TABLE t RENAME a TO b`, `ALTER TABLE t RENAME COLUMN a TO b`},
	{`ALTER TABLE t RENAME TO u`, ""},
	{`ALTER TABLE t ALTER a SET DEFAULT 5, ALTER COLUMN a DROP DEFAULT, ALTER a SET NOT NULL, ALTER a DROP NOT NULL`,
		`ALTER TABLE t ALTER COLUMN a SET DEFAULT 5, ALTER COLUMN a DROP DEFAULT, ALTER COLUMN a SET NOT NULL, ALTER COLUMN a DROP NOT NULL`},
	{`DROP TABLE IF EXISTS a, public.b CASCADE`, ""},
	{`TRUNCATE TABLE ONLY a, b`, `TRUNCATE a, b`},
	{`INSERT INTO t VALUES (1, DEFAULT), (-2, 'it''s')`, ""},
	{`INSERT INTO t (a, "B") SELECT x, y FROM u WHERE x IS NOT NULL`, ""},
	{`INSERT INTO t (SELECT * FROM u)`, `INSERT INTO t SELECT * FROM u`},
	{`INSERT INTO t DEFAULT VALUES`, ""},
	{`UPDATE t SET a = a + 1, b = DEFAULT WHERE c = 'x'`, ""},
	{`UPDATE t x SET a = x.b`, `UPDATE t AS x SET a = x.b`},
	{`DELETE FROM t`, ""},
	{`DELETE FROM t WHERE a IN (1, 2) CASCADE`, ""},
	{`DELETE FROM t CASCADE`, ""},

	{`COPY t FROM 'f.csv' WITH (FORMAT csv, HEADER)`, `COPY t FROM 'f.csv' WITH (format csv, header)`},
	{`copy t (a, b) from stdin (format text, delimiter E'\t', null '', header 2, force_null (a, "B"), force_quote *)`,
		"COPY t (a, b) FROM STDIN WITH (format text, delimiter '\t', null '', header 2, force_null (a, \"B\"), force_quote *)"},
	{`COPY t FROM 'f' CSV HEADER DELIMITER AS ',' NULL AS '' QUOTE '"' ESCAPE '\' FORCE NOT NULL a, b ENCODING 'UTF8'`,
		`COPY t FROM 'f' WITH (format csv, header true, delimiter ',', null '', quote '"', escape '\', force_not_null (a, b), encoding 'UTF8')`},
	{`COPY t TO STDOUT WITH CSV FORCE QUOTE *`, `COPY t TO STDOUT WITH (format csv, force_quote *)`},
	{`COPY t FROM 'f' WITH NULL AS ''`, `COPY t FROM 'f' WITH (null '')`},
	{`COPY t FROM ('a.csv', 'b*.csv') (HEADER)`, `COPY t FROM ('a.csv', 'b*.csv') WITH (header)`},
	{`COPY (INSERT INTO t AS x (a) VALUES (1) RETURNING *, x.a AS b) TO 'f'`, `COPY (INSERT INTO t AS x (a) VALUES (1) RETURNING *, x.a AS b) TO 'f'`},
	{`COPY (UPDATE t SET a = 1 RETURNING a) TO STDOUT`, `COPY (UPDATE t SET a = 1 RETURNING a) TO STDOUT`},
	{`COPY (DELETE FROM t WHERE a = 1 RETURNING a + 1) TO STDOUT`, `COPY (DELETE FROM t WHERE a = 1 RETURNING a + 1) TO STDOUT`},
	{`COPY BINARY t FROM 'f'`, `COPY t FROM 'f' WITH (format binary)`},
	{`COPY t FROM 'f' USING DELIMITERS '|'`, `COPY t FROM 'f' WITH (delimiter '|')`},
	{`COPY t FROM 'f' (FORMAT csv) WHERE a > 10 AND b IS NOT NULL`,
		`COPY t FROM 'f' WITH (format csv) WHERE (a > 10) AND (b IS NOT NULL)`},
	{`COPY t FROM (SELECT a FROM u WHERE a > 1) WITH (parallelism 4, rows 1000, on_conflict ignore)`, ""},
	{`COPY (SELECT a FROM t) TO 'out' (FORMAT arrow, BATCH_SIZE 2)`,
		`COPY (SELECT a FROM t) TO 'out' WITH (format arrow, batch_size 2)`},
	{`COPY t FROM PROGRAM 'cat'`, ""},
	{`COPY t TO STDIN`, `COPY t TO STDOUT`},
	{`COPY t FROM 'f' (null ('', 'NA'), default 'D', log_verbosity default, reject_limit -1, freeze on)`,
		`COPY t FROM 'f' WITH (null ('', 'NA'), default 'D', log_verbosity default, reject_limit -1, freeze on)`},

	{`EXPLAIN SELECT 1`, ""},
	{`EXPLAIN ANALYZE COPY t FROM 'f'`, `EXPLAIN (ANALYZE) COPY t FROM 'f'`},
	{`EXPLAIN (ANALYZE, FORMAT JSON, VERBOSE false) SELECT a FROM t`, `EXPLAIN (ANALYZE, FORMAT json) SELECT a FROM t`},
	{`EXPLAIN ANALYZE (FORMAT json) COPY t FROM 'f'`, `EXPLAIN (ANALYZE, FORMAT json) COPY t FROM 'f'`},
	{`BEGIN`, ""}, {`BEGIN TRANSACTION READ ONLY`, `BEGIN READ ONLY`},
	{`START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE`, `START TRANSACTION`},
	{`COMMIT WORK`, `COMMIT`}, {`END`, `COMMIT`}, {`ROLLBACK`, ""}, {`ABORT TRANSACTION`, `ROLLBACK`},
	{`CHECKPOINT`, ""}, {`VACUUM`, ""}, {`VACUUM a, b`, ""},
	{`SET TIME ZONE 'Europe/Berlin'`, `SET timezone TO 'Europe/Berlin'`},
	{`SET TIMEZONE = UTC`, `SET timezone TO utc`},
	{`SET TIME ZONE LOCAL`, `SET timezone TO DEFAULT`},
	{`SET TIME ZONE -7`, `SET timezone TO -7`},
	{`SET SESSION search_path TO a, 'b'`, `SET search_path TO a, 'b'`},
	{`SET LOCAL x = on`, `SET LOCAL x TO on`},
	{`RESET TIME ZONE`, `SET timezone TO DEFAULT`},
	{`SHOW TIME ZONE`, `SHOW timezone`},
}

func TestStatements(t *testing.T) {
	for _, c := range statements {
		s, err := Statement(c[0])
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		want := c[1]
		if want == "" {
			want = c[0]
		}
		if got := s.String(); got != want {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, want)
		}
		checkRoundTrip(t, c[0], s)
	}
}

// expressions has expressions with their printed form, which shows how they bind.
var expressions = [][2]string{
	{"1 + 2 * 3", "1 + (2 * 3)"},
	{"(1 + 2) * 3", "(1 + 2) * 3"},
	{"1 - 2 - 3", "(1 - 2) - 3"},
	{"2 ^ 3 ^ 4", "(2 ^ 3) ^ 4"},
	{"- 2 ^ 2", "(-2) ^ 2"},
	{"-a ^ 2", "(-a) ^ 2"},
	{"- -5", "5"}, {"-(-(5))", "5"}, {"+5", "+5"}, {"- 5::int", "-5::int4"}, {"(-5)::int", "(-5)::int4"},
	{"-9223372036854775808", "-9223372036854775808"},
	{"a AND b OR c AND NOT d", "(a AND b) OR (c AND (NOT d))"},
	{"a AND b AND c AND (d AND e)", "a AND b AND c AND (d AND e)"},
	{"NOT NOT a = b", "NOT (NOT (a = b))"},
	{"a = NOT b AND c", "(a = (NOT b)) AND c"},
	{"a = b IS NULL", "(a = b) IS NULL"},
	{"a < b = c", ""}, // not associative
	{"a IS NOT DISTINCT FROM b AND c", "(a IS NOT DISTINCT FROM b) AND c"},
	{"a IS TRUE OR b IS NOT UNKNOWN OR c IS NOT FALSE", "(a IS TRUE) OR (b IS NOT UNKNOWN) OR (c IS NOT FALSE)"},
	{"a ISNULL", "a IS NULL"}, {"a NOTNULL", "a IS NOT NULL"},
	{"a + 1 BETWEEN 2 AND 3 AND b", "((a + 1) BETWEEN 2 AND 3) AND b"},
	{"a NOT BETWEEN SYMMETRIC 3 AND 2", "a NOT BETWEEN SYMMETRIC 3 AND 2"},
	{"a LIKE b LIKE c", ""}, {"a LIKE b IN (c)", ""}, {"a BETWEEN b AND c BETWEEN d AND e", ""},
	{"a IS NULL = b IS NULL", "((a IS NULL) = b) IS NULL"}, {"a IN (b) IN (c)", "(a IN (b)) IN (c)"},
	{"a || b LIKE 'x%' ESCAPE '!' = true", "((a || b) LIKE 'x%' ESCAPE '!') = TRUE"},
	{"a NOT ILIKE b", "a NOT ILIKE b"},
	{"a = b LIKE c", "a = (b LIKE c)"},
	{"a NOT IN (1, 2 + 3)", "a NOT IN (1, 2 + 3)"},
	{"a != 1", "a <> 1"}, {"a<>-1", "a <> (-1)"}, {"a*-1", "a * (-1)"}, {"a->>'k'", "a ->> 'k'"},
	{"a = ANY (ARRAY[1, 2])", "a = ANY (ARRAY[1, 2])"}, {"a < ALL ('{1}'::int[])", "a < ALL ('{1}'::int4[])"},
	{"a[1]::text[2]", "a[1]::text[]"},
	{"(a[1]::text[])[2]", "(a[1]::text[])[2]"},
	{"ARRAY[]::text[]", "ARRAY[]::text[]"},
	{"CAST(a AS double precision)", "a::float8"},
	{"a::numeric(10,2)::varchar(3)", "a::numeric(10,2)::varchar(3)"},
	{"a::character varying(5)", "a::varchar(5)"}, {"a::float(24)", "a::float4"}, {"a::float(25)", "a::float8"},
	{"a::timestamp(6) with time zone", "a::timestamptz"}, {"a::time without time zone", "a::time"},
	{"a::int array", "a::int4[]"}, {"a::decimal(5)", "a::numeric(5,0)"}, {"a::jsonb", "a::json"},
	{"a::DOUBLE", "a::float8"}, {"a::STRING", "a::text"}, {"a::INT64", "a::int8"}, {"a::blob", "a::bytea"},
	{"date '2001-01-01' + 1", "'2001-01-01'::date + 1"},
	{"timestamp with time zone '2001-01-01'", "'2001-01-01'::timestamptz"},
	{"double precision '1'", "'1'::float8"}, {"date", "date"}, {"timestamp", `"timestamp"`},
	{"CASE a WHEN 1 THEN 'x' ELSE b END", "CASE a WHEN 1 THEN 'x' ELSE b END"},
	{"case when a then b end", "CASE WHEN a THEN b END"},
	{"EXTRACT(YEAR FROM d)", "extract('year', d)"}, {"extract('epoch' from d)", "extract('epoch', d)"},
	{"SUBSTRING(a FROM 2 FOR 3)", "substring(a, 2, 3)"}, {"substring(a for 3)", "substring(a, 1, 3)"},
	{"substring(a for 3 from 2)", "substring(a, 2, 3)"}, {"substr(a, 1)", "substr(a, 1)"},
	{"POSITION('b' IN a)", `"position"(a, 'b')`},
	{"TRIM(a)", "btrim(a)"}, {"trim(LEADING 'x' FROM a)", "ltrim(a, 'x')"}, {"trim(trailing from a)", "rtrim(a)"},
	{"overlay(a placing b from 2 for 3)", `"overlay"(a, b, 2, 3)`},
	{"coalesce(a, b)", "coalesce(a, b)"}, {"left(a, 2)", "left(a, 2)"}, {"pg_catalog.lower(a)", "lower(a)"},
	{"count(*)", "count(*)"}, {"count(DISTINCT a) FILTER (WHERE b > 1)", "count(DISTINCT a) FILTER (WHERE b > 1)"},
	{"sum(ALL a)", "sum(a)"}, {"now()", "now()"}, {"current_timestamp", "now()"}, {"CURRENT_DATE", "now()::date"},
	{"a AT TIME ZONE 'UTC' || b", "timezone('UTC', a) || b"},
	{`a COLLATE "C" || b`, "a || b"},
	{"$1 + $2", "$1 + $2"}, {"public.t.c", "t.c"}, {`"A b"."c""d"`, `"A b"."c""d"`},
	{"E'a\\'\\n\\x41\\101\\u00e9\\U0001F600'", "'a''\nAAé😀'"},
	{"E'\\ud83d\\ude00'", "'😀'"},
	{"'a' 'b'", ""}, {"'a'\n  'b'", "'ab'"}, {"'a' -- c\n 'b'", "'ab'"},
	{"$$it's$$ || $x$a$$b$x$", "'it''s' || 'a$$b'"}, {"n'x'", "'x'"},
	{"0x1F + 0o17 + 0b101 + 1_000", "((31 + 15) + 5) + 1000"}, {"1.5E3", "1.5e3"}, {".5", ".5"}, {"5.", "5."},
	{"0xFFFFFFFFFFFFFFFFFF", "4722366482869645213695"},
	{"1 /* a /* b */ c */ + -- d\n 2", "1 + 2"}, {"a --b\n- 1", "a - 1"},
	{"~ a & b", "(~ a) & b"}, {"@ -5", "@ (-5)"}, {"a @-1", "a @- 1"}, {"a @- 1", "a @- 1"},
	{"É = é", `"É" = "é"`},
}

func TestExpressions(t *testing.T) {
	for _, c := range expressions {
		e, err := Expr(c[0])
		if c[1] == "" {
			if err == nil {
				t.Errorf("%s: parsed as %s, want a syntax error", c[0], e)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		want := c[1]
		if got := e.String(); got != want {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, want)
		}
		again, err := Expr(e.String())
		if err != nil || !sameTree(e, again) {
			t.Errorf("%s prints as %s, which parses to %v (%v)", c[0], e, again, err)
		}
	}
}

func TestStatementsSplit(t *testing.T) {
	list, err := Statements(";; SELECT 1 ; -- x\n SELECT ';';")
	if err != nil || len(list) != 2 {
		t.Fatalf("got %v, %v, want two statements", list, err)
	}
	if list[1].Pos() != 20 {
		t.Errorf("the second statement is at %d, want 20", list[1].Pos())
	}
}

func TestPositions(t *testing.T) {
	e, err := Expr("é + sum(b) > 3")
	if err != nil {
		t.Fatal(err)
	}
	gt := e.(*ast.Binary)
	add := gt.L.(*ast.Binary)
	if gt.Pos() != 12 || add.Pos() != 3 || add.L.Pos() != 0 || add.R.Pos() != 5 || gt.R.Pos() != 14 {
		t.Errorf("positions %d %d %d %d %d", gt.Pos(), add.Pos(), add.L.Pos(), add.R.Pos(), gt.R.Pos())
	}
}
