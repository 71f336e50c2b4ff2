package pgpeer_test

// Why ingot and PostgreSQL differ in COPY.
const (
	whyNumbers       = "PostgreSQL 16 reads 0x, 0o, 0b and underscores in numbers"
	whyCSVMarker     = `since PostgreSQL 18 \. is data in CSV`
	whyTextMarker    = `PostgreSQL 18 refuses \. behind data on its line, and words it so`
	whyWords         = "the words and SQLSTATEs of PostgreSQL 17 and later"
	whyNewOption     = "an option of PostgreSQL 16 or later"
	whyHeader        = "HEADER takes a number since PostgreSQL 19"
	whyFreeze        = "FREEZE is a hint"
	whyFreezeTo      = "PostgreSQL 15 passes over FREEZE in COPY TO, later ones refuse it"
	whyFirstRecord   = "PostgreSQL does not count the line ends inside the first record, ingot does"
	whyQuote         = "ingot counts the line ends inside the first record, and its context has no text"
	whyQuoteText     = "the context of an open quote has no text in ingot"
	whyNotNull       = "the context of NOT NULL names the column in ingot, the line in PostgreSQL"
	whyJSON          = "PostgreSQL says where in the JSON text it is, too"
	whyBOM           = "a byte order mark at the start is dropped"
	whyWhere         = "other words for what the condition of COPY FROM cannot be"
	whyClaimedLength = "PostgreSQL asks for the memory that a length claims"
	whyHalfCount     = "PostgreSQL takes a file that ends inside a field count for one that ends before it"
)

// csvDifferences are those of TestMalformedCSV.
var csvDifferences = []difference{
	{input: `"1,\"x\n2,y\n"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 3", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: "1,"x\n2,y\n"`, why: whyQuote},
	{input: `"1,\"x\n2,y\n3,z"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 3", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: "1,"x\n2,y\n3,z"`, why: whyQuote},
	{input: `"1,\"x"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 1", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: "1,"x"`, why: whyQuoteText},
	{input: `"\""`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 1", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: """`, why: whyQuoteText},
	{input: `"1,x\"y\n"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 2", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: "1,x"y\n"`, why: whyQuote},
	{input: `"1,\"x\"\"y\n"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 2", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: "1,"x""y\n"`, why: whyQuote},
	{input: `"1,\"\"\"\n"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 2", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: "1,"""\n"`, why: whyQuote},
	{input: `"1,\"a\nb\"\nx,\"c\nd\ne\"\n"`, ingot: `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 5, column a: "x"`, postgres: `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 4, column a: "x"`, why: whyFirstRecord},
	{input: `"1,\"a\nb\"\n\"2\",\"c\nd\",z\n"`, ingot: `22P04 extra data after last expected column CONTEXT COPY t, line 4: ""2","c\nd",z"`, postgres: `22P04 extra data after last expected column CONTEXT COPY t, line 3: ""2","c\nd",z"`, why: whyFirstRecord},
	{input: `"1,a\\\"b\n" FORMAT csv, ESCAPE '\'`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 2", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: "1,a\"b\n"`, why: whyQuote},
	{input: `"1,\"a\\\"\n" FORMAT csv, ESCAPE '\'`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 2", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: "1,"a\"\n"`, why: whyQuote},
	{input: `"1,\"a\\" FORMAT csv, ESCAPE '\'`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 1", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: "1,"a\"`, why: whyQuoteText},
	{input: `"1,'a\n" FORMAT csv, QUOTE ''''`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 2", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 1: "1,'a\n"`, why: whyQuote},
	{input: `"1,x\n2,\"y\nz\n"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 4", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 4: "2,"y\nz\n"`, why: whyQuoteText},
	{input: `"1,x\n2,\"y\nzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 4", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 4: "2,"y\nzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz..."`, why: whyQuoteText},
	{input: `"1,x\n2,y\"\n3,z\n4,z\n"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 5", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 5: "2,y"\n3,z\n4,z\n"`, why: whyQuoteText},
	{input: `"1,x\r\n2,\"y\r\nz\r\n"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 4", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 4: "2,"y\r\nz\r\n"`, why: whyQuoteText},
	{input: `"1,x\n2,\"y\nz\"\n3,\"w"`, ingot: "22P04 unterminated CSV quoted field CONTEXT COPY t, line 4", postgres: `22P04 unterminated CSV quoted field CONTEXT COPY t, line 4: "3,"w"`, why: whyQuoteText},
	{input: `"1,x\r\n2,\"y\nz\"\r\nx,y\r\n"`, ingot: `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 4, column a: "x"`, postgres: `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 3, column a: "x"`, why: whyFirstRecord},
	{input: `"1,x\n\\.\n2,y\n"`, ingot: `22P02 invalid input syntax for type integer: "\." CONTEXT COPY t, line 2, column a: "\."`, postgres: "COPY 1 / 1|x;", why: whyCSVMarker, newer: true},
	{input: `"\\.\n" a text`, ingot: `COPY 1 / \.;`, postgres: "COPY 0 / ", why: whyCSVMarker, newer: true},
	{input: `"a\n\\.\nb\n" a text`, ingot: `COPY 3 / a;\.;b;`, postgres: "COPY 1 / a;", why: whyCSVMarker, newer: true},
	{input: `"0x1F\n" a int`, ingot: "COPY 1 / 31;", postgres: `22P02 invalid input syntax for type integer: "0x1F" CONTEXT COPY t, line 1, column a: "0x1F"`, why: whyNumbers, newer: true},
	{input: `"1_000\n" a int`, ingot: "COPY 1 / 1000;", postgres: `22P02 invalid input syntax for type integer: "1_000" CONTEXT COPY t, line 1, column a: "1_000"`, why: whyNumbers, newer: true},
	{input: `"{a}\n" a json`, ingot: `22P02 invalid input syntax for type json DETAIL Token "a" is invalid. CONTEXT COPY t, line 1, column a: "{a}"`, postgres: `22P02 invalid input syntax for type json DETAIL Token "a" is invalid. CONTEXT JSON data, line 1: {a...\nCOPY t, line 1, column a: "{a}"`, why: whyJSON},
	{input: `"\"{\"\"a\"\": }\"\n" a json`, ingot: `22P02 invalid input syntax for type json DETAIL Expected JSON value, but found "}". CONTEXT COPY t, line 1, column a: "{"a": }"`, postgres: `22P02 invalid input syntax for type json DETAIL Expected JSON value, but found "}". CONTEXT JSON data, line 1: {"a": }\nCOPY t, line 1, column a: "{"a": }"`, why: whyJSON},
	{input: `"\"[1,\n2\"\n" a json`, ingot: `22P02 invalid input syntax for type json DETAIL The input string ended unexpectedly. CONTEXT COPY t, line 2, column a: "[1,\n2"`, postgres: `22P02 invalid input syntax for type json DETAIL The input string ended unexpectedly. CONTEXT JSON data, line 2: 2\nCOPY t, line 1, column a: "[1,\n2"`, why: whyJSON},
	{input: `"\"{\"\"a\"\":1} x\"\n" a json`, ingot: `22P02 invalid input syntax for type json DETAIL Token "x" is invalid. CONTEXT COPY t, line 1, column a: "{"a":1} x"`, postgres: `22P02 invalid input syntax for type json DETAIL Token "x" is invalid. CONTEXT JSON data, line 1: {"a":1} x\nCOPY t, line 1, column a: "{"a":1} x"`, why: whyJSON},
	{input: `"\"\"\"\\u00\"\"\"\n" a json`, ingot: `22P02 invalid input syntax for type json DETAIL "\u" must be followed by four hexadecimal digits. CONTEXT COPY t, line 1, column a: ""\u00""`, postgres: `22P02 invalid input syntax for type json DETAIL "\u" must be followed by four hexadecimal digits. CONTEXT JSON data, line 1: "\u00"\nCOPY t, line 1, column a: ""\u00""`, why: whyJSON},
	{input: `"\"\"\"a\tb\"\"\"\n" a json`, ingot: "22P02 invalid input syntax for type json DETAIL Character with value 0x09 must be escaped. CONTEXT COPY t, line 1, column a: \"\"a\tb\"\"", postgres: "22P02 invalid input syntax for type json DETAIL Character with value 0x09 must be escaped. CONTEXT JSON data, line 1: \"a...\\nCOPY t, line 1, column a: \"\"a\tb\"\"", why: whyJSON},
	{input: `"1,\"\n\n\xff\"\n"`, ingot: `22021 invalid byte sequence for encoding "UTF8": 0xff CONTEXT COPY t, line 3`, postgres: `22021 invalid byte sequence for encoding "UTF8": 0xff CONTEXT COPY t, line 1`, why: whyFirstRecord},
	{input: `"\ufeff1,x\n"`, ingot: "COPY 1 / 1|x;", postgres: "22P02 invalid input syntax for type integer: \"\ufeff1\" CONTEXT COPY t, line 1, column a: \"\ufeff1\"", why: whyBOM},
	{input: `"a,\"b\nc\"\nx,y\n" FORMAT csv, HEADER`, ingot: `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 3, column a: "x"`, postgres: `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 2, column a: "x"`, why: whyFirstRecord},
	{input: `"1,x\n,y\n" a int NOT NULL, b text`, ingot: `23502 null value in column "a" of relation "t" violates not-null constraint DETAIL Failing row contains (null, y). CONTEXT COPY t, line 2, column a: null input`, postgres: `23502 null value in column "a" of relation "t" violates not-null constraint DETAIL Failing row contains (null, y). CONTEXT COPY t, line 2: ",y"`, why: whyNotNull},
	{input: `"1,\n,y\n" a int NOT NULL, b text NOT NULL`, ingot: `23502 null value in column "b" of relation "t" violates not-null constraint DETAIL Failing row contains (1, null). CONTEXT COPY t, line 1, column b: null input`, postgres: `23502 null value in column "b" of relation "t" violates not-null constraint DETAIL Failing row contains (1, null). CONTEXT COPY t, line 1: "1,"`, why: whyNotNull},
	{input: `"1,x\n-1,\n" a int CHECK (a > 0), b text NOT NULL`, ingot: `23502 null value in column "b" of relation "t" violates not-null constraint DETAIL Failing row contains (-1, null). CONTEXT COPY t, line 2, column b: null input`, postgres: `23502 null value in column "b" of relation "t" violates not-null constraint DETAIL Failing row contains (-1, null). CONTEXT COPY t, line 2: "-1,"`, why: whyNotNull},
	{input: `"1,x\n2,y\n,z\n" a int PRIMARY KEY, b text`, ingot: `23502 null value in column "a" of relation "t" violates not-null constraint DETAIL Failing row contains (null, z). CONTEXT COPY t, line 3, column a: null input`, postgres: `23502 null value in column "a" of relation "t" violates not-null constraint DETAIL Failing row contains (null, z). CONTEXT COPY t, line 3: ",z"`, why: whyNotNull},
	{input: `"1,\"a\nb\"\n2,\"c\nd\"\n1,\"e\nf\"\n" a int PRIMARY KEY, b text`, ingot: `23505 duplicate key value violates unique constraint "t_pkey" DETAIL Key (a)=(1) already exists. CONTEXT COPY t, line 6`, postgres: `23505 duplicate key value violates unique constraint "t_pkey" DETAIL Key (a)=(1) already exists. CONTEXT COPY t, line 5`, why: whyFirstRecord},
	{input: `"1\n" a int, b text NOT NULL  (a)`, ingot: `23502 null value in column "b" of relation "t" violates not-null constraint DETAIL Failing row contains (1, null). CONTEXT COPY t, line 1, column b: null input`, postgres: `23502 null value in column "b" of relation "t" violates not-null constraint DETAIL Failing row contains (1, null). CONTEXT COPY t, line 1: "1"`, why: whyNotNull},
	{input: `"1,x\n"  WHERE a > (SELECT 1)`, ingot: "0A000 subqueries are not supported", postgres: "0A000 cannot use subquery in COPY FROM WHERE condition", why: whyWhere},
}

// textDifferences are those of TestMalformedText.
var textDifferences = []difference{
	{input: `"1\t\\a\\q\\.\\,\n" FORMAT text`, ingot: "22P04 end-of-copy marker is not alone on its line CONTEXT COPY t, line 1", postgres: "22P04 end-of-copy marker corrupt CONTEXT COPY t, line 1", why: whyTextMarker, newer: true},
	{input: `"1\ta\\\nb\nx\ty\n" FORMAT text`, ingot: `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 3, column a: "x"`, postgres: `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 2, column a: "x"`, why: whyFirstRecord},
	{input: `"1\tx\n\\." FORMAT text`, ingot: "22P04 end-of-copy marker is not alone on its line CONTEXT COPY t, line 2", postgres: "22P04 end-of-copy marker corrupt CONTEXT COPY t, line 2", why: whyTextMarker, newer: true},
	{input: `"1\tx\n\\.x\n" FORMAT text`, ingot: "22P04 end-of-copy marker is not alone on its line CONTEXT COPY t, line 2", postgres: "22P04 end-of-copy marker corrupt CONTEXT COPY t, line 2", why: whyTextMarker, newer: true},
	{input: `"1\tx\\.\n2\ty\n" FORMAT text`, ingot: "22P04 end-of-copy marker is not alone on its line CONTEXT COPY t, line 1", postgres: "COPY 2 / 1|x;2|y;", why: whyTextMarker, newer: true},
	{input: `"1\t\\.\n2\ty\n" FORMAT text`, ingot: "22P04 end-of-copy marker is not alone on its line CONTEXT COPY t, line 1", postgres: "COPY 2 / 1|;2|y;", why: whyTextMarker, newer: true},
	{input: `"\\..\n" a text FORMAT text`, ingot: "22P04 end-of-copy marker is not alone on its line CONTEXT COPY t, line 1", postgres: "22P04 end-of-copy marker corrupt CONTEXT COPY t, line 1", why: whyTextMarker, newer: true},
	{input: `"a\\.\n" a text FORMAT text`, ingot: "22P04 end-of-copy marker is not alone on its line CONTEXT COPY t, line 1", postgres: "COPY 1 / a;", why: whyTextMarker, newer: true},
	{input: `"\\." a text FORMAT text`, ingot: "22P04 end-of-copy marker is not alone on its line CONTEXT COPY t, line 1", postgres: "22P04 end-of-copy marker corrupt CONTEXT COPY t, line 1", why: whyTextMarker, newer: true},
	{input: `"a\\\nb\nx\ty\n" FORMAT text, HEADER`, ingot: `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 3, column a: "x"`, postgres: `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 2, column a: "x"`, why: whyFirstRecord},
	{input: `"1\tx\n\\N\ty\n" a int NOT NULL, b text FORMAT text`, ingot: `23502 null value in column "a" of relation "t" violates not-null constraint DETAIL Failing row contains (null, y). CONTEXT COPY t, line 2, column a: null input`, postgres: "23502 null value in column \"a\" of relation \"t\" violates not-null constraint DETAIL Failing row contains (null, y). CONTEXT COPY t, line 2: \"\\N\ty\"", why: whyNotNull},
}

// binaryDifferences are those of TestMalformedBinary.
var binaryDifferences = []difference{
	{input: `"PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x01x\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x01x\xff" FORMAT binary`, ingot: "22P04 unexpected EOF in COPY data CONTEXT COPY t, line 3", postgres: "COPY 2 / 1|x;1|x;", why: whyHalfCount},
	{input: `"PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x01x\x00" FORMAT binary`, ingot: "22P04 unexpected EOF in COPY data CONTEXT COPY t, line 2", postgres: "COPY 1 / 1|x;", why: whyHalfCount},
	{input: `"PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x01x\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x7f\xff\xff\xffabc\xff\xff" FORMAT binary`, ingot: "22P04 unexpected EOF in COPY data CONTEXT COPY t, line 2, column b", postgres: "54000 out of memory DETAIL Cannot enlarge string buffer containing 0 bytes by 2147483647 more bytes. CONTEXT COPY t, line 2, column b", why: whyClaimedLength},
	{input: `"PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01{\xff\xff" a json FORMAT binary`, ingot: "22P02 invalid input syntax for type json DETAIL The input string ended unexpectedly. CONTEXT COPY t, line 1, column a", postgres: `22P02 invalid input syntax for type json DETAIL The input string ended unexpectedly. CONTEXT JSON data, line 1: {\nCOPY t, line 1, column a`, why: whyJSON},
	{input: `"PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x01x\x00\x02\xff\xff\xff\xff\x00\x00\x00\x01x\xff\xff" a int NOT NULL, b text FORMAT binary`, ingot: `23502 null value in column "a" of relation "t" violates not-null constraint DETAIL Failing row contains (null, x). CONTEXT COPY t, line 2, column a: null input`, postgres: `23502 null value in column "a" of relation "t" violates not-null constraint DETAIL Failing row contains (null, x). CONTEXT COPY t, line 2`, why: whyNotNull},
}

// optionDifferences are those of TestCopyOptions.
var optionDifferences = []difference{
	{input: `"1,x\n" FORMAT csv, NULL 'a,b'`, ingot: "22023 COPY delimiter character must not appear in the NULL specification", postgres: "0A000 COPY delimiter must not appear in the NULL specification", why: whyWords, newer: true},
	{input: `"1,x\n" FORMAT csv, NULL 'a"b'`, ingot: "22023 CSV quote character must not appear in the NULL specification", postgres: "0A000 CSV quote character must not appear in the NULL specification", why: whyWords, newer: true},
	{input: `"1,x\n" FORMAT csv, HEADER perhaps`, ingot: `42601 header requires a Boolean value, an integer value greater than or equal to zero, or the string "match"`, postgres: `42601 header requires a Boolean value or "match"`, why: whyHeader, newer: true},
	{input: `"1,x\n" FORMAT csv, HEADER 2`, ingot: "COPY 0 / ", postgres: `42601 header requires a Boolean value or "match"`, why: whyHeader, newer: true},
	{input: `"1,x\n" FORMAT csv, HEADER -1`, ingot: "22023 a negative integer value cannot be specified for header", postgres: `42601 header requires a Boolean value or "match"`, why: whyHeader, newer: true},
	{input: `"1,x\n" FORMAT csv, FORCE_QUOTE (a)`, ingot: "0A000 COPY FORCE_QUOTE cannot be used with COPY FROM", postgres: "0A000 COPY force quote only available using COPY TO", why: whyWords, newer: true},
	{input: `"1,x\n" FORMAT csv, FORCE_QUOTE *`, ingot: "0A000 COPY FORCE_QUOTE cannot be used with COPY FROM", postgres: "0A000 COPY force quote only available using COPY TO", why: whyWords, newer: true},
	{input: `"1,x\n" FORMAT csv, FORCE_NOT_NULL *`, ingot: "COPY 1 / 1|x;", postgres: `22023 argument to option "force_not_null" must be a list of column names`, why: whyWords, newer: true},
	{input: `"1,x\n" FORMAT csv, FORCE_NULL *`, ingot: "COPY 1 / 1|x;", postgres: `22023 argument to option "force_null" must be a list of column names`, why: whyWords, newer: true},
	{input: `"1,x\n" FORMAT csv, FREEZE`, ingot: "COPY 1 / 1|x;", postgres: "55000 cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction", why: whyFreeze},
	{input: `"1,x\n" FORMAT csv, ON_ERROR stop`, ingot: "COPY 1 / 1|x;", postgres: `42601 option "on_error" not recognized`, why: whyNewOption, newer: true},
	{input: `"1,x\nx,y\n" FORMAT csv, ON_ERROR ignore`, ingot: "COPY 1 / 1|x;", postgres: `42601 option "on_error" not recognized`, why: whyNewOption, newer: true},
	{input: `"1,x\n" FORMAT csv, DEFAULT 'd'`, ingot: "COPY 1 / 1|x;", postgres: `42601 option "default" not recognized`, why: whyNewOption, newer: true},
	{input: `"1\tx\n" FORMAT text, QUOTE 'x'`, ingot: "0A000 COPY QUOTE requires CSV mode", postgres: "0A000 COPY quote available only in CSV mode", why: whyWords, newer: true},
	{input: `"1\tx\n" FORMAT text, ESCAPE 'x'`, ingot: "0A000 COPY ESCAPE requires CSV mode", postgres: "0A000 COPY escape available only in CSV mode", why: whyWords, newer: true},
	{input: `"1\tx\n" FORMAT text, FORCE_NOT_NULL (a)`, ingot: "0A000 COPY FORCE_NOT_NULL requires CSV mode", postgres: "0A000 COPY force not null available only in CSV mode", why: whyWords, newer: true},
	{input: `"1\tx\n" FORMAT text, FORCE_NULL (a)`, ingot: "0A000 COPY FORCE_NULL requires CSV mode", postgres: "0A000 COPY force null available only in CSV mode", why: whyWords, newer: true},
	{input: `"1\tx\n" FORMAT binary, QUOTE 'x'`, ingot: "0A000 COPY QUOTE requires CSV mode", postgres: "0A000 COPY quote available only in CSV mode", why: whyWords, newer: true},
	{input: `"1\tx\n" FORMAT text, NULL E'\t'`, ingot: "22023 COPY delimiter character must not appear in the NULL specification", postgres: "0A000 COPY delimiter must not appear in the NULL specification", why: whyWords, newer: true},
	{input: "TO FORMAT csv, HEADER 2", ingot: "INSERT 0 1 / 0A000 cannot use multi-line header in COPY TO", postgres: `INSERT 0 1 / 42601 header requires a Boolean value or "match"`, why: whyHeader, newer: true},
	{input: "TO FORMAT csv, FORCE_NOT_NULL (a)", ingot: "INSERT 0 1 / 22023 COPY FORCE_NOT_NULL cannot be used with COPY TO", postgres: "INSERT 0 1 / 0A000 COPY force not null only available using COPY FROM", why: whyWords, newer: true},
	{input: "TO FORMAT csv, FORCE_NULL (a)", ingot: "INSERT 0 1 / 22023 COPY FORCE_NULL cannot be used with COPY TO", postgres: "INSERT 0 1 / 0A000 COPY force null only available using COPY FROM", why: whyWords, newer: true},
	{input: "TO FORMAT csv, DEFAULT 'x'", ingot: "INSERT 0 1 / 0A000 COPY DEFAULT cannot be used with COPY TO", postgres: `INSERT 0 1 / 42601 option "default" not recognized`, why: whyNewOption, newer: true},
	{input: "TO FORMAT csv, ON_ERROR stop", ingot: "INSERT 0 1 / 22023 COPY ON_ERROR cannot be used with COPY TO", postgres: `INSERT 0 1 / 42601 option "on_error" not recognized`, why: whyNewOption, newer: true},
	{input: "TO FORMAT csv, FREEZE", ingot: "INSERT 0 1 / 22023 COPY FREEZE cannot be used with COPY TO", postgres: `INSERT 0 1 / COPY 1 "1,x\n"`, why: whyFreezeTo, newer: true},
	{input: "TO FORMAT text, FORCE_QUOTE *", ingot: "INSERT 0 1 / 0A000 COPY FORCE_QUOTE requires CSV mode", postgres: "INSERT 0 1 / 0A000 COPY force quote available only in CSV mode", why: whyWords, newer: true},
}
