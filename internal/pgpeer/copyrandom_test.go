package pgpeer_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/pgpeer"
)

// randomInputs is how many random inputs a format gets, a tenth of that with -short.
const randomInputs = 2000

// randomFormat is what random inputs of a format are made of.
type randomFormat struct {
	name    string
	first   []string // what an input begins with: it fixes the line end
	pieces  []string
	options []string
}

var randomFormats = []randomFormat{
	{
		name:   "csv",
		first:  []string{"1,x\n", "1,x\r\n", "1,x\r"},
		pieces: []string{"1", "2", "x", "", ",", ",", `"`, `"`, `""`, "\n", "\n", "\r", "\r\n", " ", `\`, `\"`, "NA", "é", "'", "\xff", "3,y", `4,"z"`},
		options: []string{
			"", "", "", `, ESCAPE '\'`, `, QUOTE ''''`, ", NULL 'NA'", ", FORCE_NULL (b)", ", FORCE_NOT_NULL (b)", ", FORCE_NULL (a, b), NULL 'NA'",
			`, DELIMITER E'\t'`, `, QUOTE '"', ESCAPE ''''`, ", HEADER", ", NULL 'x'",
		},
	},
	{
		name:  "text",
		first: []string{"1\tx\n", "1\tx\r\n", "1\tx\r"},
		pieces: []string{"1", "2", "x", "", "\t", "\t", `\N`, `\`, `\\`, "\n", "\n", "\r", "\r\n", " ", `\t`, `\n`, `\x4`, `\x`, `\10`, `\0`, `\q`, "NA", "é",
			"\xff", "3\ty", "4\tz", `\303\251`},
		options: []string{"", "", "", ", NULL 'NA'", ", DELIMITER '|'", ", NULL ''", ", HEADER", `, NULL '\0'`, ", NULL 'x'"},
	},
}

// TestRandomInputs compares COPY FROM of random inputs, most of them malformed, by the
// rows or by SQLSTATE, message and line.
//
// Line numbers are compared where lines end with a newline: of line ends that are data,
// PostgreSQL counts those that are like the first record's and have no backslash, ingot
// all; in the first record itself PostgreSQL counts none. So an input begins with a record
// of its own. It has no end-of-data marker, which PostgreSQL 15 reads otherwise, and no
// bad byte behind a carriage return, where PostgreSQL looks ahead.
func TestRandomInputs(t *testing.T) {
	server := pgpeer.Start(t)
	n := randomInputs
	if testing.Short() {
		n /= 10
	}
	start := seed(t)
	for k, f := range randomFormats {
		t.Run(f.name, func(t *testing.T) {
			compareRandom(t, server, f, rand.New(rand.NewPCG(start, uint64(100+k))), n)
		})
	}
}

// compareRandom compares n inputs of a format.
func compareRandom(t *testing.T, server *pgpeer.Server, f randomFormat, r *rand.Rand, n int) {
	const table, read, clear = "CREATE TABLE t (a int, b text)", "SELECT * FROM t", "DELETE FROM t"
	script := []string{table}
	inputs := make([]string, n)
	for i := range n {
		var b strings.Builder
		b.WriteString(f.first[max(0, r.IntN(len(f.first)+4)-4)])
		for range r.IntN(12) {
			b.WriteString(f.pieces[r.IntN(len(f.pieces))])
		}
		inputs[i] = b.String()
		for strings.Contains(inputs[i], "\r\xff") {
			inputs[i] = strings.ReplaceAll(inputs[i], "\r\xff", "\r")
		}
		file := filepath.Join(server.Files(), fmt.Sprintf("%s.random%d", f.name, i))
		write(t, file, []byte(inputs[i]))
		script = append(script, fmt.Sprintf("COPY t FROM '%s' (FORMAT %s%s)", file, f.name, f.options[r.IntN(len(f.options))]), read, clear)
	}
	answers := server.Run(t, script...)
	blocks := []int{0, 1, 3, 16}
	sessions := make([]*embedded, len(blocks))
	for i, b := range blocks {
		sessions[i] = open(t, b)
		sessions[i].run(table)
	}
	stored := 0
	for i, input := range inputs {
		statement := script[1+3*i]
		lines := input[strings.IndexAny(input, "\r\n")] == '\n' && !(f.name == "text" && strings.Contains(input, "\\\n"))
		want := essence(answers[1+3*i], answers[2+3*i], lines)
		if !answers[1+3*i].Failed() {
			stored++
		}
		k := i % len(sessions)
		e := sessions[k]
		done := e.run(statement)
		if have := essence(done, e.run(read), lines); have != want {
			_, options, _ := strings.Cut(statement, "(FORMAT")
			t.Errorf("%q (FORMAT%s with blocks of %d\n    ingot: %s\n postgres: %s", input, options, blocks[k], have, want)
		}
		if a := e.run(clear); a.Failed() {
			t.Fatal(a)
		}
	}
	t.Logf("%d of %d were stored", stored, n)
	if stored < n/20 || stored > n*19/20 {
		t.Errorf("%d of %d were stored: the inputs are not a good mix", stored, n)
	}
}

// contextLine is the part of a context that has the line.
var contextLine = regexp.MustCompile(`line [0-9]+`)

// essence returns what two systems must agree on: how a COPY ended, with its line if that
// is wanted, and then the rows.
func essence(done, rows pgpeer.Answer, line bool) string {
	if done.Failed() {
		at := ""
		if line {
			at = ", " + contextLine.FindString(done.Context)
		}
		return fmt.Sprintf("%s %s%s / %s", done.State, done.Message, at, rows)
	}
	return fmt.Sprintf("%s / %s", done, rows)
}
