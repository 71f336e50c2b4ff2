package pgpeer_test

// Why ingot and PostgreSQL differ in statements and expressions.
const (
	whyPrecision       = "numeric has a precision of 1 to 38 and a scale of 0 to the precision"
	whyFloat8Functions = "sqrt, power, exp and log are float8"
	whyNumericPower    = "^ of numerics is not there"
	whyNoForm          = "no such form of the function"
	whyBitStrings      = "bit strings and Unicode escapes are not there"
	whyRegex           = "regular expressions are not there"
	whyInterval        = "there is no interval"
	whyTimestampRange  = "timestamp ends 30 years before PostgreSQL's, which counts from 2000"
	whyOneTable        = "one table, no joins, subqueries, windows and set operations"
	whyTwoTables       = "ON CONFLICT, USING and FROM are not there"
	whySetwise         = "keys are compared when the statement has ended, so that they may trade places"
	whyFold            = "PostgreSQL computes constants when it plans, needed or not"
	whyTypes           = "a type, relation or constraint that is not there"
	whyBind            = "another SQLSTATE for a name that cannot be bound"
	whyAlterType       = "ALTER COLUMN TYPE is not there"
	whySavepoint       = "SAVEPOINT is not there"
	whyCommonType      = "IN compares float4 with numerics as float8"
	whyLock            = "FOR UPDATE is not there"
)

// expressionDifferences are those of TestExpressions.
var expressionDifferences = []difference{
	{input: "2 ^ 0.5", ingot: "0A000", postgres: "1.4142135623730950;", why: whyNumericPower},
	{input: "(-8) ^ (1.0/3)", ingot: "0A000", postgres: "2201F", why: whyNumericPower},
	{input: "12345::numeric(3,-2)", ingot: "22023", postgres: "12300;", why: whyPrecision},
	{input: "12345::numeric(5,-2)", ingot: "22023", postgres: "12300;", why: whyPrecision},
	{input: "0.00012345::numeric(3,5)", ingot: "22023", postgres: "0.00012;", why: whyPrecision},
	{input: "0.12345::numeric(3,5)", ingot: "22023", postgres: "22003", why: whyPrecision},
	{input: "1::numeric(1000,0)", ingot: "22023", postgres: "1;", why: whyPrecision},
	{input: "1::numeric(10,11)", ingot: "22023", postgres: "22003", why: whyPrecision},
	{input: "1::numeric(39,0)", ingot: "22023", postgres: "1;", why: whyPrecision},
	{input: "1::numeric(39,3)", ingot: "22023", postgres: "1.000;", why: whyPrecision},
	{input: "1::numeric(100,50)", ingot: "22023", postgres: "1.00000000000000000000000000000000000000000000000000;", why: whyPrecision},
	{input: "'0x10'::numeric", ingot: "16;", postgres: "22P02", why: whyNumbers, newer: true},
	{input: "'1_000'::numeric", ingot: "1000;", postgres: "22P02", why: whyNumbers, newer: true},
	{input: "'1_000'::int", ingot: "1000;", postgres: "22P02", why: whyNumbers, newer: true},
	{input: "'0x1F'::int", ingot: "31;", postgres: "22P02", why: whyNumbers, newer: true},
	{input: "'0b11'::int", ingot: "3;", postgres: "22P02", why: whyNumbers, newer: true},
	{input: "'0o17'::int", ingot: "15;", postgres: "22P02", why: whyNumbers, newer: true},
	{input: "sqrt(2.0)", ingot: "1.4142135623730951;", postgres: "1.414213562373095;", why: whyFloat8Functions},
	{input: "sqrt(4.00)", ingot: "2;", postgres: "2.000000000000000;", why: whyFloat8Functions},
	{input: "sqrt(1e-10)", ingot: "1e-05;", postgres: "0.000010000000000000000;", why: whyFloat8Functions},
	{input: "power(2.0, 10)", ingot: "1024;", postgres: "1024.0000000000000000;", why: whyFloat8Functions},
	{input: "power(2, 0.5)", ingot: "1.4142135623730951;", postgres: "1.4142135623730950;", why: whyFloat8Functions},
	{input: "power(2.5, 2)", ingot: "6.25;", postgres: "6.2500000000000000;", why: whyFloat8Functions},
	{input: "power(2.0, -3)", ingot: "0.125;", postgres: "0.1250000000000000;", why: whyFloat8Functions},
	{input: "exp(1.0)", ingot: "2.718281828459045;", postgres: "2.7182818284590452;", why: whyFloat8Functions},
	{input: "exp(0.0)", ingot: "1;", postgres: "1.0000000000000000;", why: whyFloat8Functions},
	{input: "exp(-1.5)", ingot: "0.22313016014842982;", postgres: "0.2231301601484298;", why: whyFloat8Functions},
	{input: "exp(1000.0)", ingot: "22003", postgres: "197007111401704699388887935224332312531693798532384578995280299138506385078244119347497807656302688993096381798752022693598298173054461289923262783660152825232320535169584566756192271567602788071422466826314006855168508653497941660316045367817938092905299728580132869945856470286534375900456564355589156220422320260518826112288638358372248724725214506150418881937494100871264232248436315760560377439930623959705844189509050047074217568.2;", why: whyFloat8Functions},
	{input: "log(100.0)", ingot: "2;", postgres: "2.0000000000000000;", why: whyFloat8Functions},
	{input: "log(2.0, 8.0)", ingot: "42883", postgres: "3.0000000000000000;", why: whyNoForm},
	{input: "log(2, 8)", ingot: "42883", postgres: "3.0000000000000000;", why: whyNoForm},
	{input: `U&'\0041'`, ingot: "0A000", postgres: "A;", why: whyBitStrings},
	{input: "X'1F'", ingot: "0A000", postgres: "00011111;", why: whyBitStrings},
	{input: "B'101'", ingot: "0A000", postgres: "101;", why: whyBitStrings},
	{input: "'abc' ~ 'b'", ingot: "0A000", postgres: "t;", why: whyRegex},
	{input: "'abc' similar to 'abc'", ingot: "0A000", postgres: "t;", why: whyRegex},
	{input: "time '12:00' - time '11:00'", ingot: "0A000", postgres: "01:00:00;", why: whyInterval},
	{input: "timestamp '294276-12-31 23:59:59.999999'", ingot: "22008", postgres: "294276-12-31 23:59:59.999999;", why: whyTimestampRange},
	{input: "timestamp '2020-01-01' - timestamp '2019-01-01'", ingot: "0A000", postgres: "365 days;", why: whyInterval},
	{input: "interval '1 day'", ingot: "0A000", postgres: "1 day;", why: whyInterval},
	{input: "date '2020-01-01' + interval '1 day'", ingot: "0A000", postgres: "2020-01-02 00:00:00;", why: whyInterval},
	{input: "age(date '2020-01-01', date '2019-01-01')", ingot: "42883", postgres: "1 year;", why: whyInterval},
	{input: "row_number() over ()", ingot: "0A000", postgres: "1;", why: whyOneTable},
	{input: "(select 1)", ingot: "0A000", postgres: "1;", why: whyOneTable},
	{input: "exists (select 1)", ingot: "0A000", postgres: "t;", why: whyOneTable},
	{input: "x'1'", ingot: "0A000", postgres: "0001;", why: whyBitStrings},
	{input: "0.1::float4 in (0.1, 1e3)", ingot: "f;", postgres: "t;", why: whyCommonType},
}

// columnDifferences are those of TestResultColumns.
var columnDifferences = []difference{
	{input: "sqrt(2.0)", ingot: "sqrt|double precision;", postgres: "sqrt|numeric;", why: whyFloat8Functions},
	{input: "sqrt(4.00)", ingot: "sqrt|double precision;", postgres: "sqrt|numeric;", why: whyFloat8Functions},
	{input: "sqrt(1e-10)", ingot: "sqrt|double precision;", postgres: "sqrt|numeric;", why: whyFloat8Functions},
	{input: "sqrt(123456789.123456789)", ingot: "sqrt|double precision;", postgres: "sqrt|numeric;", why: whyFloat8Functions},
	{input: "power(2.0, 10)", ingot: "power|double precision;", postgres: "power|numeric;", why: whyFloat8Functions},
	{input: "power(2, 0.5)", ingot: "power|double precision;", postgres: "power|numeric;", why: whyFloat8Functions},
	{input: "power(2.5, 2)", ingot: "power|double precision;", postgres: "power|numeric;", why: whyFloat8Functions},
	{input: "power(-1, 0.5)", ingot: "power|double precision;", postgres: "power|numeric;", why: whyFloat8Functions},
	{input: "power(2.0, -3)", ingot: "power|double precision;", postgres: "power|numeric;", why: whyFloat8Functions},
	{input: "exp(1.0)", ingot: "exp|double precision;", postgres: "exp|numeric;", why: whyFloat8Functions},
	{input: "exp(0.0)", ingot: "exp|double precision;", postgres: "exp|numeric;", why: whyFloat8Functions},
	{input: "exp(-1.5)", ingot: "exp|double precision;", postgres: "exp|numeric;", why: whyFloat8Functions},
	{input: "exp(1000.0)", ingot: "exp|double precision;", postgres: "exp|numeric;", why: whyFloat8Functions},
	{input: "exp(10000000.0)", ingot: "exp|double precision;", postgres: "exp|numeric;", why: whyFloat8Functions},
	{input: "ln(2.0)", ingot: "ln|double precision;", postgres: "ln|numeric;", why: whyFloat8Functions},
	{input: "ln(1e-10)", ingot: "ln|double precision;", postgres: "ln|numeric;", why: whyFloat8Functions},
	{input: "log(100.0)", ingot: "log|double precision;", postgres: "log|numeric;", why: whyFloat8Functions},
}

// scriptDifferences are those of TestScripts, by file. An input is the number of the
// statement and the statement.
var scriptDifferences = map[string][]difference{
	"change.sql": {
		{input: "50: UPDATE t SET a = a + 1", ingot: "UPDATE 15", postgres: "23505", why: whySetwise},
		{input: "62: UPDATE t SET d = 1/0 WHERE a = 0", ingot: "UPDATE 0", postgres: "22012", why: whyFold},
		{input: "128: INSERT INTO v (n) VALUES (1) ON CONFLICT DO NOTHING", ingot: "0A000", postgres: "INSERT 0 0", why: whyTwoTables},
		{input: "129: INSERT INTO v (n) VALUES (1) ON CONFLICT (n) DO UPDATE SET s = 'q'", ingot: "0A000", postgres: "INSERT 0 1", why: whyTwoTables},
		{input: "132: DELETE FROM v USING w WHERE f = n", ingot: "0A000", postgres: "DELETE 0", why: whyTwoTables},
		{input: "133: UPDATE v SET s = 'q' FROM w WHERE f = n", ingot: "0A000", postgres: "UPDATE 0", why: whyTwoTables},
	},
	"ddl.sql": {
		{input: "27: CREATE TABLE u (a numeric(5,6))", ingot: "22023", postgres: "CREATE TABLE", why: whyPrecision},
		{input: "84: ALTER TABLE tt ALTER COLUMN bb TYPE int", ingot: "0A000", postgres: "42804", why: whyAlterType},
		{input: "93: CREATE TABLE bad (a interval)", ingot: "0A000", postgres: "CREATE TABLE", why: whyTypes},
		{input: "95: CREATE TABLE bad (a char(5))", ingot: "0A000", postgres: "CREATE TABLE", why: whyTypes},
		{input: "97: CREATE TABLE bad (a serial)", ingot: "0A000", postgres: "CREATE TABLE", why: whyTypes},
		{input: "99: CREATE TABLE bad (a money)", ingot: "0A000", postgres: "CREATE TABLE", why: whyTypes},
		{input: "101: CREATE TABLE bad (a inet)", ingot: "0A000", postgres: "CREATE TABLE", why: whyTypes},
		{input: "103: CREATE TABLE bad (a int REFERENCES tt)", ingot: "0A000", postgres: "42704", why: whyTypes},
		{input: "104: CREATE INDEX i ON tt (d)", ingot: "0A000", postgres: "CREATE INDEX", why: whyTypes},
		{input: "105: CREATE VIEW v AS SELECT 1", ingot: "0A000", postgres: "CREATE VIEW", why: whyTypes},
		{input: "118: SELECT a.b.c.d FROM t", ingot: "0A000", postgres: "42P01", why: whyBind},
	},
	"select.sql": {
		{input: "143: SELECT id FROM t, t", ingot: "0A000", postgres: "42712", why: whyOneTable},
		{input: "144: SELECT id FROM t JOIN t AS u ON true", ingot: "0A000", postgres: "42702", why: whyOneTable},
		{input: "145: SELECT id FROM (SELECT 1 AS id) AS u", ingot: "0A000", postgres: "1;", why: whyOneTable},
		{input: "146: SELECT 1 FROM t WHERE id = (SELECT 1)", ingot: "0A000", postgres: "1;", why: whyOneTable},
		{input: "147: SELECT 1 UNION SELECT 1", ingot: "0A000", postgres: "1;", why: whyOneTable},
		{input: "148: SELECT 1 FROM t WHERE id = 1 FOR UPDATE", ingot: "0A000", postgres: "1;", why: whyLock},
		{input: "149: WITH x AS (SELECT 1) SELECT * FROM x", ingot: "0A000", postgres: "1;", why: whyOneTable},
		{input: "151: SELECT 1/0 FROM t WHERE false", ingot: "", postgres: "22012", why: whyFold},
	},
	"transaction.sql": {
		{input: "80: SAVEPOINT s", ingot: "0A000", postgres: "25P01", why: whySavepoint},
		{input: "82: SAVEPOINT s", ingot: "0A000", postgres: "SAVEPOINT", why: whySavepoint},
		{input: "103: SET TIME ZONE INTERVAL '-08:00' HOUR TO MINUTE", ingot: "0A000", postgres: "SET", why: whyInterval},
	},
}
