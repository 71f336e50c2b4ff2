package pgpeer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes random expressions over the columns of generatorTable. They are typed
// enough that most of them can be computed; overflow, division by zero and the like are
// wanted.
//
// Constants are columns that hold the same in every row: PostgreSQL computes what is
// constant when it plans, so that it finds errors in what no row reaches, and passes over
// errors in what a constant makes needless. For the same reason a condition is followed
// by IS TRUE: PostgreSQL would compute the parts of an AND in an order of its own.
//
// float4 is in no IN, where expressionDifferences has it.
type generator struct{ r *rand.Rand }

// generatorColumns are the columns whose values differ by row.
const generatorColumns = "id, i2, i4, i8, f4, f8, n, m, s, v, b, d, ts"

// generatorTable is the table that generated expressions read. Its rows have the corners
// of every type.
var generatorTable = []string{
	"CREATE TABLE g (id int4, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(12,3), m numeric, s text, v varchar(10), b bool, d date, ts timestamp, " +
		"k0 int4 DEFAULT 0, k1 int4 DEFAULT 1, k2 int2 DEFAULT -2, k7 int8 DEFAULT 7, kx int4 DEFAULT 2147483647, kn numeric DEFAULT 1.5, kp numeric DEFAULT 100.000, kh numeric DEFAULT 1e20, kf float8 DEFAULT 2.5, " +
		"ke text DEFAULT '', ka text DEFAULT 'abc', ku text DEFAULT 'Ünï a%', kb text DEFAULT ' x ', kd text DEFAULT '12', " +
		"yes bool DEFAULT true, no bool DEFAULT false, dunno bool, leap date DEFAULT '2020-02-29', never date DEFAULT 'infinity', tick timestamp DEFAULT '2001-09-09 01:46:40')",
	"INSERT INTO g (" + generatorColumns + ") VALUES (1, 0, 0, 0, 0, 0, 0, 0, '', '', false, '1970-01-01', '1970-01-01')",
	"INSERT INTO g (" + generatorColumns + ") VALUES (2, 32767, 2147483647, 9223372036854775807, 3.4028235e38, 1.7976931348623157e308, 999999999.999, 1e30, 'zzz', 'Zz', true, '2024-02-29', '2024-02-29 23:59:59.999999')",
	"INSERT INTO g (" + generatorColumns + ") VALUES (3, -32768, -2147483648, -9223372036854775808, -1.5, -2.5, -999999999.999, -0.00000000000000000001, 'abc', 'a%c', NULL, '0044-03-15 BC', '0044-03-15 12:00:00 BC')",
	"INSERT INTO g (" + generatorColumns + ") VALUES (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
	"INSERT INTO g (" + generatorColumns + ") VALUES (5, 7, -3, 100, 'NaN', 'NaN', 'NaN', 'NaN', ' blank ', 'é', true, 'infinity', 'infinity')",
	"INSERT INTO g (" + generatorColumns + ") VALUES (6, 1, 2, 3, 'Infinity', '-Infinity', 2.500, 123.4560, '12', '2.5', false, '-infinity', '-infinity')",
	"INSERT INTO g (" + generatorColumns + ") VALUES (7, 5, 10, 20, 0.1, 0.1, 0.001, 5.0, '😀é', 'NULL', true, '1999-12-31', '2000-01-01 00:00:00.5')",
}

func (g *generator) pick(of ...string) string { return of[g.r.IntN(len(of))] }

// integer returns an expression of an integer type, depth operators deep at most.
func (g *generator) integer(depth int) string {
	if depth == 0 || g.r.IntN(6) == 0 {
		return g.pick("i2", "i4", "i8", "id", "k0", "k1", "k2", "k7", "kx")
	}
	a, d := g.integer(depth-1), depth-1
	switch g.r.IntN(11) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("(%s %s %s)", a, g.pick("+", "-", "*", "/", "%"), g.integer(d))
	case 4:
		return fmt.Sprintf("(%s %s %s)", a, g.pick("&", "|", "#"), g.integer(d))
	case 5:
		return fmt.Sprintf("(%s%s)", g.pick("- ", "~ "), a)
	case 6:
		return fmt.Sprintf("abs(%s)", a)
	case 7:
		return fmt.Sprintf("%s::%s", g.paren(g.number(d)), g.pick("int2", "int4", "int8"))
	case 8:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.boolean(d), a, g.integer(d))
	case 9:
		return fmt.Sprintf("%s(%s, %s)", g.pick("coalesce", "nullif", "greatest", "least"), a, g.integer(d))
	}
	return fmt.Sprintf("%s(%s)", g.pick("length", "octet_length", "ascii"), g.text(d))
}

// number returns an expression of any numeric type.
func (g *generator) number(depth int) string {
	if depth == 0 || g.r.IntN(6) == 0 {
		return g.pick("i4", "i8", "f4", "f8", "n", "m", "k7", "kn", "kp", "kh", "kf")
	}
	a, d := g.number(depth-1), depth-1
	switch g.r.IntN(11) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("(%s %s %s)", a, g.pick("+", "-", "*", "/"), g.number(d))
	case 4:
		return g.integer(depth)
	case 5:
		return fmt.Sprintf("%s(%s)", g.pick("abs", "round", "trunc", "floor", "ceil", "sign"), a)
	case 6:
		return fmt.Sprintf("%s::%s", g.paren(a), g.pick("numeric", "float4", "float8", "numeric(20,4)", "numeric(6,1)"))
	case 7:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.boolean(d), a, g.number(d))
	case 8:
		return fmt.Sprintf("%s(%s, %s)", g.pick("coalesce", "nullif", "greatest", "least"), a, g.number(d))
	}
	return fmt.Sprintf("(- %s)", a)
}

// text returns an expression of type text or varchar.
func (g *generator) text(depth int) string {
	if depth == 0 || g.r.IntN(6) == 0 {
		return g.pick("s", "v", "ke", "ka", "ku", "kb", "kd")
	}
	a, d := g.text(depth-1), depth-1
	small := func() string { return g.pick("0", "1", "2", "3", "-1", "-2", "10", "k0", "k1", "id") }
	switch g.r.IntN(10) {
	case 0, 1:
		return fmt.Sprintf("(%s || %s)", a, g.text(d))
	case 2:
		return fmt.Sprintf("(%s || %s)", a, g.any(d))
	case 3:
		return fmt.Sprintf("%s(%s)", g.pick("upper", "lower", "reverse", "initcap", "btrim", "ltrim", "rtrim"), a)
	case 4:
		return fmt.Sprintf("%s(%s, %s)", g.pick("left", "right", "substr", "lpad", "rpad"), a, small())
	case 5:
		return fmt.Sprintf("substr(%s, %s, %s)", a, small(), small())
	case 6:
		return fmt.Sprintf("replace(%s, %s, %s)", a, g.text(0), g.text(0))
	case 7:
		return fmt.Sprintf("%s::text", g.paren(g.any(d)))
	case 8:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.boolean(d), a, g.text(d))
	}
	return fmt.Sprintf("%s(%s, %s)", g.pick("coalesce", "nullif", "greatest", "least", "concat"), a, g.text(d))
}

// boolean returns a condition.
func (g *generator) boolean(depth int) string {
	if depth == 0 || g.r.IntN(8) == 0 {
		return g.pick("b", "yes", "no", "dunno", "i4 > 0", "s = 'abc'", "f8 < 1", "b IS NULL")
	}
	d := depth - 1
	compare := func() string {
		return g.pick("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
	}
	switch g.r.IntN(12) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", g.boolean(d), g.pick("AND", "OR"), g.boolean(d))
	case 2:
		return fmt.Sprintf("(NOT %s)", g.boolean(d))
	case 3, 4:
		return fmt.Sprintf("(%s %s %s)", g.number(d), compare(), g.number(d))
	case 5:
		return fmt.Sprintf("(%s %s %s)", g.text(d), compare(), g.text(d))
	case 6:
		return fmt.Sprintf("(%s %s %s)", g.time(d), compare(), g.time(d))
	case 7:
		return fmt.Sprintf("(%s IS %s)", g.any(d), g.pick("NULL", "NOT NULL"))
	case 8:
		return fmt.Sprintf("(%s IS %s%s)", g.boolean(d), g.pick("", "NOT "), g.pick("TRUE", "FALSE", "UNKNOWN"))
	case 9:
		return fmt.Sprintf("(%s %sIN (%s, %s, %s))", g.integer(d), g.pick("", "NOT "), g.integer(0), g.pick("n", "kn", "kf"), g.integer(0))
	case 10:
		return fmt.Sprintf("(%s %sBETWEEN %s AND %s)", g.number(d), g.pick("", "NOT "), g.number(d), g.number(d))
	}
	return fmt.Sprintf("(%s %s %s)", g.text(d), g.pick("LIKE", "NOT LIKE", "ILIKE"), g.pick("'%'", "'a%'", "'%c'", "'_b_'", "'%é%'", "''", "s", "v"))
}

// time returns an expression of type date or timestamp.
func (g *generator) time(depth int) string {
	if depth == 0 || g.r.IntN(4) == 0 {
		return g.pick("d", "ts", "leap", "tick", "never")
	}
	d := depth - 1
	switch g.r.IntN(5) {
	case 0:
		return fmt.Sprintf("(d %s %s)", g.pick("+", "-"), g.pick("1", "-1", "i2", "i4", "id"))
	case 1:
		return fmt.Sprintf("date_trunc('%s', %s::timestamp)", g.pick("year", "quarter", "month", "week", "day", "hour", "second", "century"), g.time(d))
	case 2:
		return fmt.Sprintf("%s::%s", g.paren(g.time(d)), g.pick("date", "timestamp"))
	case 3:
		return fmt.Sprintf("%s(%s, %s)", g.pick("coalesce", "greatest", "least"), g.time(d), g.time(d))
	}
	return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.boolean(d), g.time(d), g.time(d))
}

// any returns an expression of any type.
func (g *generator) any(depth int) string {
	switch g.r.IntN(6) {
	case 0:
		return g.integer(depth)
	case 1:
		return g.number(depth)
	case 2:
		return g.text(depth)
	case 3:
		return g.boolean(depth)
	case 4:
		return fmt.Sprintf("extract(%s FROM %s)", g.pick("year", "month", "day", "dow", "doy", "epoch", "week", "isoyear", "quarter", "century"), g.time(depth))
	}
	return g.time(depth)
}

// paren puts parentheses around what is more than a name or a number.
func (g *generator) paren(s string) string {
	if strings.ContainsAny(s, " -:") && !strings.HasPrefix(s, "(") {
		return "(" + s + ")"
	}
	return s
}

// query returns a SELECT over the table, by row or grouped.
func (g *generator) query() string {
	switch g.r.IntN(4) {
	case 0:
		var list []string
		for range 1 + g.r.IntN(3) {
			f := ""
			if g.r.IntN(3) == 0 {
				f = fmt.Sprintf(" FILTER (WHERE (%s) IS TRUE)", g.boolean(2))
			}
			list = append(list, fmt.Sprintf("%s(%s)%s", g.pick("count", "min", "max", "count"), g.pick(g.number(2), g.text(1), g.time(1)), f),
				fmt.Sprintf("%s(%s%s)%s", g.pick("sum", "avg"), g.pick("", "DISTINCT "), g.integer(2), f))
		}
		k := g.pick(g.boolean(1), g.integer(1), "i4 % 2", "s")
		return fmt.Sprintf("SELECT (%s) AS k, %s FROM g GROUP BY k ORDER BY k", k, strings.Join(list, ", "))
	case 1:
		return fmt.Sprintf("SELECT id, %s FROM g WHERE (%s) IS TRUE ORDER BY id", g.any(3), g.boolean(2))
	case 2:
		return fmt.Sprintf("SELECT id FROM g ORDER BY %s %s NULLS %s, id LIMIT %d OFFSET %d",
			g.paren(g.any(2)), g.pick("ASC", "DESC"), g.pick("FIRST", "LAST"), 1+g.r.IntN(7), g.r.IntN(3))
	}
	return fmt.Sprintf("SELECT id, %s FROM g ORDER BY id", g.any(4))
}
