package parse

import (
	"errors"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// syntaxErrors has texts with the message and the character that PostgreSQL gives.
var syntaxErrors = []struct {
	src, message string
	position     int
}{
	{"SELEC 1", `syntax error at or near "SELEC"`, 1},
	{"SELECT 1 +", `syntax error at end of input`, 11},
	{"SELECT 1 FROM t WHERE", `syntax error at end of input`, 22},
	{"SELECT é é é", `syntax error at or near "é"`, 12},
	{"SELECT 'é', FROM t", `syntax error at or near "FROM"`, 13},
	{"SELECT 1 1", `syntax error at or near "1"`, 10},
	{"SELECT a FROM order", `syntax error at or near "order"`, 15},
	{"SELECT 'abc", `unterminated quoted string at or near "'abc"`, 8},
	{"SELECT E'abc\\'", `unterminated quoted string at or near "E'abc\'"`, 8},
	{`SELECT "abc`, `unterminated quoted identifier at or near ""abc"`, 8},
	{`SELECT "" FROM t`, `zero-length delimited identifier at or near """"`, 8},
	{"SELECT $a$x$b$", `unterminated dollar-quoted string at or near "$a$x$b$"`, 8},
	{"SELECT /* x /* y */", `unterminated /* comment at or near "/* x /* y */"`, 8},
	{"SELECT 12abc", `trailing junk after numeric literal at or near "12abc"`, 8},
	{"SELECT $1a", `trailing junk after parameter at or near "$1a"`, 8},
	{"SELECT 0xG", `invalid hexadecimal integer at or near "0x"`, 8},
	{"SELECT a < b < c", `syntax error at or near "<"`, 14},
	{"SELECT a FROM t LIMIT 1, 2", `LIMIT #,# syntax is not supported`, 24},
	{"COPY t FROM", `syntax error at end of input`, 12},
	{"COPY t FROM f", `syntax error at or near "f"`, 13},
	{"COPY t FROM 'f' WITH ()", `syntax error at or near ")"`, 23},
	{"COPY t FROM 'f' (a b c)", `syntax error at or near "c"`, 22},
	{"COPY t TO 'f' WHERE a", `WHERE clause not allowed with COPY TO`, 15},
	{"COPY (SELECT 1) FROM 'f'", `syntax error at or near "FROM"`, 17},
	{"INSERT INTO t VALUES (1), (1, 2)", `VALUES lists must all be the same length`, 27},
	{"VALUES (DEFAULT)", `DEFAULT is not allowed in this context`, 9},
	{"SELECT DEFAULT", `DEFAULT is not allowed in this context`, 8},
	{"CREATE TABLE t (a int b)", `syntax error at or near "b"`, 23},
	{"CREATE TABLE t (a int NULL NOT NULL)", `conflicting NULL/NOT NULL declarations for column "a"`, 17},
	{"SELECT 1; SELEC", `syntax error at or near "SELEC"`, 11},
	{"SELECT \\", `syntax error at or near "\"`, 8},
	{"SELECT CASE END", `syntax error at or near "END"`, 13},
	{"EXPLAIN VACUUM", `syntax error at or near "VACUUM"`, 9},
	{"BEGIN READ", `syntax error at or near "READ"`, 7},
	{"SET x", `syntax error at end of input`, 6},
	{"CREATE REL TABLE r (w int)", `syntax error at or near "w"`, 21},
}

func parseError(t *testing.T, src string) *ast.Error {
	t.Helper()
	_, err := Statements(src)
	var e *ast.Error
	if !errors.As(err, &e) {
		t.Fatalf("%q: got %v, want an *ast.Error", src, err)
	}
	return e
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range syntaxErrors {
		e := parseError(t, c.src)
		if e.Err.SQLState != pgerr.SyntaxError || e.Err.Message != c.message || e.Position != c.position {
			t.Errorf("%q\n got %s %s at %d\nwant %s at %d", c.src, e.Err.SQLState, e.Err.Message, e.Position, c.message, c.position)
		}
	}
}

// otherErrors has texts with the SQLSTATE and a part of the message.
var otherErrors = [][3]string{
	{"CREATE TABLE t (a foo)", pgerr.UndefinedObject, `type "foo" does not exist`},
	{"SELECT a::interval", pgerr.FeatureNotSupported, "type interval is not supported"},
	{"CREATE TABLE t (a numeric(39))", pgerr.InvalidParameterValue, "NUMERIC precision 39 must be between 1 and 38"},
	{"CREATE TABLE t (a numeric(5,6))", pgerr.InvalidParameterValue, "NUMERIC scale 6 must be between 0 and precision 5"},
	{"CREATE TABLE t (a varchar(0))", pgerr.InvalidParameterValue, "length for type varchar must be at least 1"},
	{"CREATE TABLE t (a float(54))", pgerr.InvalidParameterValue, "precision for type float must be less than 54 bits"},
	{"CREATE TABLE t (a char(3))", pgerr.FeatureNotSupported, "type character"},
	{"CREATE TABLE t (a serial)", pgerr.FeatureNotSupported, "type serial"},
	{"CREATE TABLE t (a timestamp(3))", pgerr.FeatureNotSupported, "precision of times"},
	{"CREATE TABLE t (a int[][])", pgerr.FeatureNotSupported, "more than one dimension"},
	{"CREATE TABLE t (a int REFERENCES u)", pgerr.FeatureNotSupported, "foreign keys"},
	{"CREATE TABLE t (a int GENERATED ALWAYS AS IDENTITY)", pgerr.FeatureNotSupported, "generated"},
	{"CREATE TABLE t AS SELECT 1", pgerr.FeatureNotSupported, "CREATE TABLE AS"},
	{"CREATE TEMP TABLE t (a int)", pgerr.FeatureNotSupported, "temporary"},
	{"CREATE INDEX i ON t (a)", pgerr.FeatureNotSupported, "CREATE INDEX"},
	{"DROP VIEW v", pgerr.FeatureNotSupported, "DROP VIEW"},
	{"ALTER TABLE t ALTER a TYPE int", pgerr.FeatureNotSupported, "change of a column's type"},
	{"SELECT a FROM t, u", pgerr.FeatureNotSupported, "joins"},
	{"SELECT a FROM t JOIN u ON true", pgerr.FeatureNotSupported, "joins"},
	{"SELECT a FROM t x LEFT JOIN u ON true", pgerr.FeatureNotSupported, "joins"},
	{"SELECT a FROM (SELECT 1) x", pgerr.FeatureNotSupported, "subquery in FROM"},
	{"SELECT a FROM t WHERE a IN (SELECT 1)", pgerr.FeatureNotSupported, "subqueries"},
	{"SELECT (SELECT 1)", pgerr.FeatureNotSupported, "subqueries"},
	{"SELECT EXISTS (SELECT 1)", pgerr.FeatureNotSupported, "subqueries"},
	{"SELECT sum(a) OVER (PARTITION BY b) FROM t", pgerr.FeatureNotSupported, "window functions"},
	{"WITH x AS (SELECT 1) SELECT 1", pgerr.FeatureNotSupported, "WITH"},
	{"SELECT 1 UNION ALL SELECT 2", pgerr.FeatureNotSupported, "UNION"},
	{"SELECT a FROM t GROUP BY ROLLUP (a)", pgerr.FeatureNotSupported, "grouping sets"},
	{"SELECT DISTINCT ON (a) a FROM t", pgerr.FeatureNotSupported, "DISTINCT ON"},
	{"SELECT a FROM t FOR UPDATE", pgerr.FeatureNotSupported, "row locking"},
	{"SELECT (1, 2)", pgerr.FeatureNotSupported, "row values"},
	{"SELECT a SIMILAR TO 'x'", pgerr.FeatureNotSupported, "SIMILAR TO"},
	{"INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", pgerr.FeatureNotSupported, "ON CONFLICT"},
	{"COPY (DELETE FROM t) TO STDOUT", pgerr.FeatureNotSupported, "COPY query must have a RETURNING clause"},
	{"COPY (DELETE FROM t RETURNING a) FROM STDIN", pgerr.SyntaxError, "FROM"},
	{"COPY t FROM ('a', b)", pgerr.SyntaxError, "b"},
	{"COPY t TO ('a', 'b')", pgerr.SyntaxError, "("},
	{"SAVEPOINT a", pgerr.FeatureNotSupported, "savepoints"},
	{"ROLLBACK TO a", pgerr.FeatureNotSupported, "savepoints"},
	{"GRANT ALL ON t TO u", pgerr.FeatureNotSupported, "GRANT"},
	{"VACUUM FULL", pgerr.FeatureNotSupported, "options of VACUUM"},
	{"SELECT U&'x'", pgerr.FeatureNotSupported, "U&"},
	{"SELECT B'1'", pgerr.FeatureNotSupported, "bit string"},
	{`SELECT a COLLATE "de_DE"`, pgerr.FeatureNotSupported, "collation"},
	{"SELECT E'\\xff'", pgerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0xff`},
	{"SELECT E'\\000'", pgerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`},
	{"SELECT '\xe9 x'", pgerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0xe9 0x20 0x78`},
	{"SELECT E'\\u12'", pgerr.InvalidEscapeSequence, "invalid Unicode escape"},
	{"SELECT E'\\ud83d'", pgerr.SyntaxError, "invalid Unicode surrogate pair"},
	{"SELECT E'\\UFFFFFFFF'", pgerr.SyntaxError, "invalid Unicode escape value"},
	{"SELECT $0", "42P02", "there is no parameter $0"},
	{"SELECT $99999999999999999999", pgerr.SyntaxError, "parameter number too large"},
	{"EXPLAIN (FORMAT xml) SELECT 1", pgerr.InvalidParameterValue, `"xml"`},
	{"EXPLAIN (FOO) SELECT 1", pgerr.SyntaxError, "unrecognized EXPLAIN option"},
	{"SELECT " + strings.Repeat("9", maxNumber+1), pgerr.NumericValueOutOfRange, "overflows numeric"},
}

func TestOtherErrors(t *testing.T) {
	for _, c := range otherErrors {
		e := parseError(t, c[0])
		if e.Err.SQLState != c[1] || !strings.Contains(e.Err.Message, c[2]) {
			t.Errorf("%.60q: got %s %s, want %s ...%s...", c[0], e.Err.SQLState, e.Err.Message, c[1], c[2])
		}
	}
}

func TestErrorLine(t *testing.T) {
	e := parseError(t, "SELECT 1;\nSELECT\n 'é' oops oops")
	if e.Line != 3 || e.Position != 28 {
		t.Errorf("got line %d, character %d, want 3, 28", e.Line, e.Position)
	}
	if got, want := e.Error(), `syntax error at or near "oops" at character 28 [42601]`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if pgerr.Code(e) != pgerr.SyntaxError {
		t.Errorf("the SQLSTATE of the error is %s", pgerr.Code(e))
	}
}

func TestNestingIsBounded(t *testing.T) {
	const n = 1 << 18
	for name, src := range map[string]string{
		"parentheses": strings.Repeat("(", n) + "1" + strings.Repeat(")", n),
		"minus":       strings.Repeat("- ", n) + "a",
		"not":         strings.Repeat("NOT ", n) + "a",
		"operators":   "1" + strings.Repeat("+1", n),
		"casts":       "1" + strings.Repeat("::int", n),
		"subscripts":  "a" + strings.Repeat("[1]", n),
		"case":        strings.Repeat("CASE WHEN ", n),
		"calls":       strings.Repeat("f(", n),
		"arrays":      strings.Repeat("ARRAY[a,", n),
		"in":          strings.Repeat("a IN (", n),
		"prefix":      strings.Repeat("~ ", n),
		"is null":     "a" + strings.Repeat(" IS NULL = b", n),
		"zone":        "a" + strings.Repeat(" AT TIME ZONE b", n),
	} {
		e := parseError(t, "SELECT "+src)
		if code := e.Err.SQLState; code != pgerr.StatementTooComplex {
			t.Errorf("%s: got %s %s, want %s", name, code, e.Err.Message, pgerr.StatementTooComplex)
		}
	}
	wide := "SELECT a IN (1" + strings.Repeat(",1", n) + ")"
	if _, err := Statement(wide); err != nil {
		t.Errorf("a wide IN list: %v", err)
	}
	deep := "SELECT " + strings.Repeat("(", maxDepth-1) + "1" + strings.Repeat(")", maxDepth-1)
	if _, err := Statement(deep); err != nil {
		t.Errorf("nesting at the limit: %v", err)
	}
}
