package pgpeer_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/pgpeer"
)

// variation is a way to write and to read a table again.
type variation struct {
	name    string
	to      string // options of COPY TO
	from    string // those of COPY FROM, if they are not the same
	columns []column
	block   int    // bytes of a split in ingot, 0 for the default
	differs string // why what both write is not the same, though each reads it alike
}

var variations = []variation{
	{name: "csv", to: "FORMAT csv"},
	{name: "csv small blocks", to: "FORMAT csv", block: 700},
	{name: "csv header", to: "FORMAT csv, HEADER"},
	{name: "csv header match", to: "FORMAT csv, HEADER true", from: "FORMAT csv, HEADER MATCH"},
	{name: "csv delimiter quote", to: "FORMAT csv, DELIMITER '|', QUOTE ''''"},
	{name: "csv tab null", to: `FORMAT csv, DELIMITER E'\t', NULL '\N'`},
	{name: "csv null word", to: "FORMAT csv, NULL 'NULL', HEADER"},
	{name: "csv null t", to: "FORMAT csv, NULL 't'"},
	{name: "csv escape backslash", to: `FORMAT csv, ESCAPE '\'`},
	{name: "csv escape backslash small blocks", to: `FORMAT csv, ESCAPE '\'`, block: 500},
	{name: "csv escape quote", to: "FORMAT csv, QUOTE '\"', ESCAPE '''', DELIMITER ';'"},
	{name: "csv force quote all", to: "FORMAT csv, FORCE_QUOTE *", from: "FORMAT csv"},
	{name: "csv force quote", to: "FORMAT csv, FORCE_QUOTE (t, i4, d, x, j)", from: "FORMAT csv"},
	{name: "csv force not null", to: "FORMAT csv", from: "FORMAT csv, FORCE_NOT_NULL (t, v)"},
	{name: "csv force null", to: "FORMAT csv, FORCE_QUOTE (t, v), NULL 'NA'", from: "FORMAT csv, FORCE_NULL (t, v), NULL 'NA'"},
	{name: "csv arrays", to: "FORMAT csv", columns: arrays},
	{name: "text", to: "FORMAT text"},
	{name: "text small blocks", to: "FORMAT text", block: 700},
	{name: "text header", to: "FORMAT text, HEADER"},
	{name: "text delimiter null", to: "FORMAT text, DELIMITER '|', NULL ''"},
	{name: "text comma null word", to: "DELIMITER ',', NULL 'NA'"},
	{name: "text null t", to: "NULL 't'"},
	{name: "text arrays", to: "FORMAT text", columns: arrays},
	{name: "text escape", to: "FORMAT text, DELIMITER E'\\x01', NULL 'null'"},
	{name: "binary", to: "FORMAT binary"},
	{name: "binary small blocks", to: "FORMAT binary", block: 700},
	{name: "binary arrays", to: "FORMAT binary", columns: arrays},
}

// roundTripRows is how many rows all variations together have at least, a tenth of that
// with -short.
const roundTripRows = 100_000

// TestRoundTrip loads the same rows into both systems, compares what each writes byte for
// byte, gives each what the other wrote, and compares what they then hold.
func TestRoundTrip(t *testing.T) {
	server := pgpeer.Start(t)
	n := seed(t)
	rows := (roundTripRows + len(variations) - 1) / len(variations)
	if testing.Short() {
		rows /= 10
	}
	for i, v := range variations {
		t.Run(strings.ReplaceAll(v.name, " ", "_"), func(t *testing.T) {
			if v.columns == nil {
				v.columns = columns
			}
			if v.from == "" {
				v.from = v.to
			}
			roundTrip(t, server, v, randomCSV(rand.New(rand.NewPCG(n, uint64(i))), v.columns, rows))
		})
	}
}

// roundTrip runs one variation with the rows in data.
func roundTrip(t *testing.T, server *pgpeer.Server, v variation, data []byte) {
	dir := filepath.Join(server.Files(), strings.ReplaceAll(v.name, " ", "_"))
	file := func(name string) string { return dir + "." + name }
	write(t, file("seed"), data)
	create := []string{createTable("a", v.columns), createTable("b", v.columns)}

	e := open(t, v.block)
	mine := append(create,
		fmt.Sprintf("COPY a FROM '%s' (FORMAT csv)", file("seed")),
		fmt.Sprintf("COPY a TO '%s' (%s)", file("ingot"), v.to))
	for _, s := range mine {
		a := e.run(s)
		if a.Failed() {
			t.Fatalf("ingot: %s: %s", s, a)
		}
	}
	if err := os.Chmod(file("ingot"), 0o644); err != nil {
		t.Fatal(err)
	}

	// PostgreSQL does not keep rows in the order of the input: a short row may go into an
	// earlier page.
	theirs := append(create,
		fmt.Sprintf("COPY a FROM '%s' (FORMAT csv)", file("seed")),
		fmt.Sprintf("COPY (SELECT * FROM a ORDER BY id) TO '%s' (%s)", file("postgres"), v.to),
		fmt.Sprintf("COPY b FROM '%s' (%s)", file("ingot"), v.from),
		fmt.Sprintf("COPY (SELECT * FROM b ORDER BY id) TO '%s' (FORMAT csv)", file("postgres.b")))
	for i, a := range server.Run(t, theirs...) {
		if a.Failed() {
			t.Fatalf("PostgreSQL: %s: %s", theirs[i], a)
		}
	}
	if v.differs == "" {
		sameFile(t, v.name+": what both wrote", file("ingot"), file("postgres"))
	} else if bytes.Equal(contentsOf(t, file("ingot")), contentsOf(t, file("postgres"))) {
		t.Errorf("%s: what both wrote no longer differs: %q is to be taken out", v.name, v.differs)
	}

	for _, s := range []string{
		fmt.Sprintf("COPY b FROM '%s' (%s)", file("postgres"), v.from),
		fmt.Sprintf("COPY b TO '%s' (FORMAT csv)", file("ingot.b")),
	} {
		if a := e.run(s); a.Failed() {
			t.Fatalf("ingot: %s: %s", s, a)
		}
	}
	sameFile(t, v.name+": what both read", file("ingot.b"), file("postgres.b"))
}

// write writes a file that the server can read.
func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// contentsOf returns what is in a file.
func contentsOf(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sameFile reports the first place where two files differ.
func sameFile(t *testing.T, what, ingotName, postgresName string) {
	t.Helper()
	have, want := contentsOf(t, ingotName), contentsOf(t, postgresName)
	if bytes.Equal(have, want) {
		return
	}
	at := 0
	for at < len(have) && at < len(want) && have[at] == want[at] {
		at++
	}
	around := func(b []byte) []byte { return b[max(0, at-80):min(len(b), at+80)] }
	t.Errorf("%s: %d and %d bytes, the first difference at %d\n    ingot: %q\n postgres: %q",
		what, len(have), len(want), at, around(have), around(want))
}
