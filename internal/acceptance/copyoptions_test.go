package acceptance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// optionCases are statements with what they end with: a SQLSTATE, or nothing for success.
// FILE is the name of a file with one record of three fields.
var optionCases = []struct{ state, statement string }{
	{"42601", `COPY t FROM FILE (FORMAT csv, FORMAT csv)`},
	{"22023", `COPY t FROM FILE (FORMAT nope)`},
	{"42601", `COPY t FROM FILE (NOPE 1)`},
	{"0A000", `COPY t FROM FILE (FORMAT csv, DELIMITER ',,')`},
	{"0A000", `COPY t FROM FILE (FORMAT csv, DELIMITER '')`},
	{"22023", `COPY t FROM FILE (FORMAT csv, DELIMITER E'\n')`},
	{"22023", `COPY t FROM FILE (DELIMITER 'a')`},
	{"22023", `COPY t FROM FILE (DELIMITER '.')`},
	{"22023", `COPY t FROM FILE (DELIMITER '\')`},
	{"22023", `COPY t FROM FILE (DELIMITER '9')`},
	{"22023", `COPY t FROM FILE (FORMAT csv, DELIMITER '"')`},
	{"42601", `COPY t FROM FILE (FORMAT binary, DELIMITER ',')`},
	{"22023", `COPY t FROM FILE (FORMAT csv, NULL E'a\n')`},
	{"22023", `COPY t FROM FILE (FORMAT csv, NULL 'a,b')`},
	{"22023", `COPY t FROM FILE (FORMAT csv, NULL 'a"b')`},
	{"42601", `COPY t FROM FILE (FORMAT binary, NULL 'x')`},
	{"0A000", `COPY t TO STDOUT (FORMAT csv, DEFAULT 'x')`},
	{"0A000", `COPY t FROM FILE (FORMAT csv, DEFAULT 'x', NULL 'x')`},
	{"0A000", `COPY t FROM FILE (FORMAT csv, DEFAULT 'x,')`},
	{"0A000", `COPY t FROM FILE (FORMAT csv, DEFAULT 'x"')`},
	{"22023", `COPY t FROM FILE (FORMAT csv, DEFAULT E'x\n')`},
	{"42601", `COPY t FROM FILE (FORMAT binary, DEFAULT 'x')`},
	{"0A000", `COPY t FROM FILE (FORMAT binary, HEADER)`},
	{"42601", `COPY t FROM FILE (FORMAT csv, HEADER maybe)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, HEADER -1)`},
	{"", `COPY t FROM FILE (FORMAT csv, HEADER 2)`},
	{"42601", `COPY t FROM FILE (FORMAT csv, HEADER 1.5)`},
	{"0A000", `COPY t TO STDOUT (FORMAT csv, HEADER match)`},
	{"0A000", `COPY t TO STDOUT (FORMAT csv, HEADER 2)`},
	{"", `COPY t TO STDOUT (FORMAT csv, HEADER 1)`},
	{"", `COPY t TO STDOUT (FORMAT csv, HEADER 0)`},
	{"", `COPY t TO STDOUT (HEADER)`},
	{"0A000", `COPY t FROM FILE (QUOTE 'x')`},
	{"0A000", `COPY t FROM FILE (ESCAPE 'x')`},
	{"0A000", `COPY t FROM FILE (FORMAT csv, QUOTE 'xx')`},
	{"0A000", `COPY t FROM FILE (FORMAT csv, ESCAPE '')`},
	{"0A000", `COPY t FROM FILE (FORCE_QUOTE (a))`},
	{"0A000", `COPY t FROM FILE (FORMAT csv, FORCE_QUOTE (a))`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, FORCE_QUOTE a)`},
	{"42703", `COPY t TO STDOUT (FORMAT csv, FORCE_QUOTE (zz))`},
	{"42P10", `COPY t (a) TO STDOUT (FORMAT csv, FORCE_QUOTE (b))`},
	{"", `COPY t TO STDOUT (FORMAT csv, FORCE_QUOTE *)`},
	{"0A000", `COPY t TO STDOUT (FORCE_QUOTE *)`},
	{"0A000", `COPY t FROM FILE (FORCE_NOT_NULL (a))`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, FORCE_NOT_NULL (a))`},
	{"42P10", `COPY t(a,b) FROM FILE (FORMAT csv, FORCE_NOT_NULL (c))`},
	{"42703", `COPY t FROM FILE (FORMAT csv, FORCE_NOT_NULL (zz))`},
	{"0A000", `COPY t FROM FILE (FORCE_NULL (a))`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, FORCE_NULL (a))`},
	{"42P10", `COPY t(a,b) FROM FILE (FORMAT csv, FORCE_NULL (c))`},
	{"22023", `COPY t FROM FILE (FORMAT csv, ENCODING 'nope')`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, ENCODING 'nope')`},
	{"22023", `COPY t FROM FILE (FORMAT csv, ON_ERROR nope)`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, ON_ERROR ignore)`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, ON_ERROR stop)`},
	{"42601", `COPY t FROM FILE (FORMAT binary, ON_ERROR ignore)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, REJECT_LIMIT 3)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, ON_ERROR ignore, REJECT_LIMIT 0)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, ON_ERROR set_null, REJECT_LIMIT 3)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, ON_ERROR ignore, REJECT_LIMIT -1)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, LOG_VERBOSITY loud)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, REJECTS 'r')`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, REJECTS 'r')`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, REJECT_LIMIT 3)`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, ON_CONFLICT ignore)`},
	{"", `COPY t FROM FILE (FORMAT csv, ON_CONFLICT ignore)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, ON_CONFLICT maybe)`},
	{"", `COPY t FROM FILE (FORMAT csv, FREEZE)`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, FREEZE)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, PARALLELISM 0)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, PARALLELISM 99999999)`},
	{"22P04", `COPY t FROM FILE (FORMAT csv, ROWS 7)`},
	{"22023", `COPY t FROM FILE (FORMAT csv, ROWS -1)`},
	{"22023", `COPY t TO STDOUT (FORMAT csv, ROWS 7)`},
	{"0A000", `COPY t FROM FILE (FORCE_ARRAY)`},
	{"42701", `COPY t(a,a) FROM FILE (FORMAT csv)`},
	{"42703", `COPY t(a,zz) FROM FILE (FORMAT csv)`},
	{"42P01", `COPY nope FROM FILE (FORMAT csv)`},
	{"58P01", `COPY t FROM '/nonexist' (FORMAT csv)`},
	{"58P01", `COPY t FROM 'n*.zzz' (FORMAT csv)`},
	{"42602", `COPY t FROM '[' (FORMAT csv)`},
	{"58P01", `COPY t TO '/nonexist/x' (FORMAT csv)`},
	{"0A000", `COPY t FROM PROGRAM 'ls' (FORMAT csv)`},
	{"0A000", `COPY t TO PROGRAM 'ls' (FORMAT csv)`},
	{"42601", `COPY t TO STDOUT (FORMAT csv) WHERE a > 1`},
	{"0A000", `COPY t FROM FILE (FORMAT csv) WHERE (SELECT true)`},
	{"42803", `COPY t FROM FILE (FORMAT csv) WHERE sum(a) > 1`},
	{"42P20", `COPY t FROM FILE (FORMAT csv) WHERE row_number() over () > 1`},
	{"0A000", `COPY t FROM FILE (FORMAT csv) WHERE generate_series(1,2) > 1`},
	{"42804", `COPY t FROM FILE (FORMAT csv) WHERE a`},
	{"", `COPY t FROM FILE CSV HEADER DELIMITER AS ',' NULL AS ''`},
	{"", `COPY t FROM FILE WITH CSV QUOTE '"' ESCAPE '"' FORCE NOT NULL b FORCE NULL c`},
	{"", `COPY t TO STDOUT WITH CSV HEADER FORCE QUOTE a, b`},
	{"", `COPY t TO STDOUT WITH DELIMITER '|' NULL 'nn'`},
	{"", `COPY t FROM FILE (FORMAT csv) WHERE a > 1`},
	{"", `COPY t TO STDOUT (FORMAT csv, HEADER true, FORCE_QUOTE (b))`},
	{"", `COPY (SELECT a, b FROM t WHERE a = 1) TO STDOUT (FORMAT csv)`},
	{"", `COPY (VALUES (1,2)) TO STDOUT`},
	{"0A000", `COPY (DELETE FROM t) TO STDOUT`},
}

// TestOptions gives every option of COPY in both directions, used and misused, one after
// the other to the command.
func TestOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(file, []byte("1,x,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(t.TempDir(), "st")
	must(t, "sql", store, "-c", "CREATE TABLE t (a int, b text, c text DEFAULT 'dd')")
	for _, c := range optionCases {
		statement := strings.ReplaceAll(c.statement, "FILE", "'"+file+"'")
		e := run(t, "sql", store, "--errors", "json", "-c", statement)
		if c.state == "" {
			if e.status != 0 {
				t.Errorf("%s: %s", c.statement, e.stderr)
			}
			continue
		}
		if f := e.failed(1); f.SQLState != c.state {
			t.Errorf("%s: %+v, want %s", c.statement, f, c.state)
		}
	}
}
