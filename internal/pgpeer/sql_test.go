package pgpeer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/pgpeer"
)

// lines returns the lines of a file in testdata, without comments and blank lines.
func lines(tb testing.TB, name string) []string {
	tb.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// TestExpressions compares expressions without a table.
func TestExpressions(t *testing.T) {
	server := pgpeer.Start(t)
	known := newLedger(t, server, expressionDifferences)
	var statements []string
	inputs := lines(t, "expressions.txt")
	for _, x := range inputs {
		statements = append(statements, "SELECT "+x)
	}
	e := open(t, 0)
	for i, want := range server.Run(t, statements...) {
		have := e.run(statements[i])
		known.same(t, inputs[i], outcome(have), outcome(want))
	}
	known.close(t)
}

// modifier is the length, or the precision and scale, in the name of a type.
var modifier = regexp.MustCompile(`\([0-9,-]+\)`)

// TestResultColumns compares the name and the type that the results of expressions have,
// modifiers aside.
func TestResultColumns(t *testing.T) {
	server := pgpeer.Start(t)
	known := newLedger(t, server, columnDifferences)
	var statements []string
	inputs := lines(t, "expressions.txt")
	for _, x := range inputs {
		statements = append(statements, "SELECT "+x+" \\gdesc")
	}
	e := open(t, 0)
	for i, want := range server.Run(t, statements...) {
		res, err := e.session.Exec(context.Background(), "SELECT "+inputs[i])
		if err != nil || want.Failed() {
			continue // the other tests compare errors
		}
		have := res.Columns[0].Name + pgpeer.FieldSep + res.Columns[0].Type.Name() + pgpeer.RecordSep
		res.Close()
		known.same(t, inputs[i], pgpeer.Answer{Text: have}.String(), modifier.ReplaceAllString(want.String(), ""))
	}
	known.close(t)
}

// TestScripts compares sessions: every statement of a file in testdata/scripts in turn.
func TestScripts(t *testing.T) {
	server := pgpeer.Start(t)
	files, err := filepath.Glob("testdata/scripts/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no scripts")
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			known := newLedger(t, server, scriptDifferences[name])
			statements := lines(t, "scripts/"+name)
			e := open(t, 0)
			for i, want := range server.Run(t, statements...) {
				have := e.run(statements[i])
				known.same(t, fmt.Sprintf("%d: %s", i+1, statements[i]), outcome(have), outcome(want))
			}
			known.close(t)
		})
	}
}

// randomQueries is how many generated queries a run compares, a tenth of that with
// -short.
const randomQueries = 3000

// TestRandomQueries compares generated queries. Where both fail, they need not fail with
// the same error: which of several comes first is not defined.
func TestRandomQueries(t *testing.T) {
	server := pgpeer.Start(t)
	g := &generator{rand.New(rand.NewPCG(seed(t), 2))}
	queries := randomQueries
	if testing.Short() {
		queries /= 10
	}
	statements := generatorTable
	for range queries {
		statements = append(statements, g.query())
	}
	e := open(t, 0)
	rows := 0
	for i, want := range server.Run(t, statements...) {
		have := e.run(statements[i])
		if have.Failed() && want.Failed() && have.State != panicState {
			continue
		}
		if outcome(have) != outcome(want) {
			t.Errorf("%s\n    ingot: %s\n postgres: %s", statements[i], have, want)
		}
		if !want.Failed() {
			rows++
		}
	}
	t.Logf("%d of %d gave rows", rows-len(generatorTable), queries)
	if rows < queries/2 {
		t.Errorf("only %d of %d generated queries gave rows", rows, queries)
	}
}
