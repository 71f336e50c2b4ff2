package pgpeer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/pgpeer"
)

// copyCase is an input of COPY FROM, or the options of a COPY.
type copyCase struct {
	create  string // columns and constraints of the table t; a int, b text if empty
	options string // FORMAT csv if empty
	data    string
	columns string // the list behind t, with its parentheses
	where   string // the condition, with WHERE
	to      bool   // COPY TO instead, of a table with the row 1, x
}

// name returns what the case is called in a table of differences.
func (c copyCase) name() string {
	s := fmt.Sprintf("%q", c.data)
	if c.to {
		s = "TO"
	}
	for _, part := range []string{c.create, c.columns, c.options, c.where} {
		if part != "" {
			s += " " + part
		}
	}
	return s
}

// statements returns what is run with the data, or the target, in file.
func (c copyCase) statements(file string) []string {
	if c.create == "" {
		c.create = "a int, b text"
	}
	if c.options == "" {
		c.options = "FORMAT csv"
	}
	create := fmt.Sprintf("CREATE TABLE t (%s)", c.create)
	if c.to {
		return []string{create, "INSERT INTO t VALUES (1, 'x')", fmt.Sprintf("COPY t%s TO '%s' (%s)%s", c.columns, file, c.options, c.where)}
	}
	return []string{create, fmt.Sprintf("COPY t%s FROM '%s' (%s)%s", c.columns, file, c.options, c.where), "SELECT * FROM t"}
}

// compareCopies runs the cases in both systems. The answers are compared with their
// messages, details and contexts, and then what the table holds. Every case is run with
// the splits of ingot as they are and with splits of a few bytes, which must not change
// the answer.
func compareCopies(t *testing.T, cases []copyCase, differences []difference) {
	server := pgpeer.Start(t)
	known := newLedger(t, server, differences)
	file := func(i int, side string) string {
		return filepath.Join(server.Files(), fmt.Sprintf("%s.%d.%s", t.Name(), i, side))
	}
	const drop = "DROP TABLE IF EXISTS t"
	seen := map[string]bool{}
	var script []string
	for i, c := range cases {
		if name := c.name(); seen[name] {
			t.Errorf("%s: twice", name)
		} else {
			seen[name] = true
		}
		if !c.to {
			write(t, file(i, "postgres"), []byte(c.data))
			write(t, file(i, "ingot"), []byte(c.data))
		}
		script = append(append(script, c.statements(file(i, "postgres"))...), drop)
	}
	peer := server.Run(t, script...)
	sessions := []*embedded{open(t, 0), open(t, 7)}
	for i, c := range cases {
		statements := c.statements(file(i, "ingot"))
		theirs := peer[:len(statements)]
		peer = peer[len(statements)+1:]
		want := summary(theirs)
		if c.to {
			want += contents(t, file(i, "postgres"))
		}
		var have [2]string
		for k, e := range sessions {
			var answers []pgpeer.Answer
			for n, s := range statements {
				a := e.run(s)
				if strings.HasPrefix(a.Detail, theirs[n].Detail) {
					a.Detail = theirs[n].Detail // ingot may say more
				}
				answers = append(answers, a)
			}
			have[k] = summary(answers)
			if c.to {
				have[k] += contents(t, file(i, "ingot"))
			}
			if a := e.run(drop); a.Failed() {
				t.Fatalf("%s: %s: %s", c.name(), drop, a)
			}
		}
		if have[0] != have[1] {
			t.Errorf("%s\n    ingot: %s\nby blocks: %s", c.name(), have[0], have[1])
		}
		known.same(t, c.name(), have[0], want)
	}
	known.close(t)
}

// summary returns the answers that a case is about: all but that of CREATE TABLE, if it
// was done.
func summary(answers []pgpeer.Answer) string {
	if answers[0].Failed() {
		return answers[0].String()
	}
	if last := len(answers) - 1; answers[1].Failed() && answers[last].Text == "" {
		return answers[1].String() // and no row is there
	}
	var parts []string
	for _, a := range answers[1:] {
		parts = append(parts, a.String())
	}
	return strings.Join(parts, " / ")
}

// contents returns what a COPY TO wrote, "" if it wrote nothing.
func contents(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if len(b) == 0 {
		return ""
	}
	return fmt.Sprintf(" %q", b)
}

func TestMalformedCSV(t *testing.T) { compareCopies(t, csvCases, csvDifferences) }

func TestMalformedText(t *testing.T) { compareCopies(t, textCases, textDifferences) }

func TestMalformedBinary(t *testing.T) { compareCopies(t, binaryCases(), binaryDifferences) }

func TestCopyOptions(t *testing.T) { compareCopies(t, optionCases, optionDifferences) }
