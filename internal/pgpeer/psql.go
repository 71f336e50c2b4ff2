package pgpeer

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Separators of an Answer's Text, and how NULL is written in it: characters that no test
// has in its data.
const (
	FieldSep  = "\x1f"
	RecordSep = "\x1e"
	Null      = "\x1d"
)

// Answer is how a statement ended, in the form that both systems can be brought to.
type Answer struct {
	// Text is the rows, each field followed by FieldSep or RecordSep, or the command tag
	// of a statement without rows. It is empty after an error.
	Text string
	// State is the SQLSTATE of an error, empty if there was none; the rest is its parts.
	State, Message, Detail, Hint string
	// Context is PostgreSQL's CONTEXT: the place in the input of a COPY.
	Context string
}

// Failed reports whether the statement ended with an error.
func (a Answer) Failed() bool { return a.State != "" }

// lineEnds writes line ends as escapes.
var lineEnds = strings.NewReplacer("\n", `\n`, "\r", `\r`)

// String returns the answer on a line, for messages and tables.
func (a Answer) String() string {
	if a.Failed() {
		s := a.State + " " + a.Message
		if a.Detail != "" {
			s += " DETAIL " + a.Detail
		}
		if a.Context != "" {
			s += " CONTEXT " + a.Context
		}
		return lineEnds.Replace(s)
	}
	return strings.NewReplacer(FieldSep, "|", RecordSep, ";", Null, "NULL").Replace(lineEnds.Replace(a.Text))
}

// mark stands between the answers in psql's two outputs.
const mark = "\x02--pgpeer--\x02"

// Run runs statements in one session, in a new and empty schema, and returns an answer
// for each. An error does not end the session. A statement is complete SQL (psql reads
// its quotes and comments), with or without a semicolon; COPY reads and writes files, see
// Files. Run fails the test if psql itself does.
func (s *Server) Run(tb testing.TB, statements ...string) []Answer {
	tb.Helper()
	var script strings.Builder
	schema := fmt.Sprintf("peer%d", s.schemas.Add(1))
	fmt.Fprintf(&script, "CREATE SCHEMA %s;\nSET search_path = %s;\n\\echo '%s'\n\\warn '%s'\n", schema, schema, mark, mark)
	for _, st := range statements {
		fmt.Fprintf(&script, "%s\n;\n\\echo '%s'\n\\warn '%s'\n", st, mark, mark)
	}
	cmd := exec.Command(filepath.Join(s.bin, "psql"), "-X", "-A", "-t", "-h", s.dir, "-U", "postgres", "-d", "postgres",
		"-F", FieldSep, "-R", RecordSep, "-P", "null="+Null, "-v", "VERBOSITY=verbose", "-v", "ON_ERROR_STOP=0", "-f", "-")
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(script.String()), &stdout, &stderr
	cmd.Env = []string{"PGCLIENTENCODING=UTF8", "LC_ALL=C", "PGOPTIONS="}
	if err := cmd.Run(); err != nil {
		tb.Fatalf("psql: %v\n%s", err, stderr.String())
	}
	results := strings.Split(stdout.String(), mark+"\n")
	errs := strings.Split(stderr.String(), mark+"\n")
	if len(results) != len(statements)+2 || len(errs) != len(statements)+2 {
		tb.Fatalf("psql: %d answers and %d errors for %d statements: one of them is not complete\n%s",
			len(results)-2, len(errs)-2, len(statements), stderr.String())
	}
	answers := make([]Answer, len(statements))
	for i := range statements {
		answers[i] = parseError(errs[i+1])
		if !answers[i].Failed() {
			answers[i].Text = strings.TrimSuffix(results[i+1], "\n")
			if results[i+1] == "\n" {
				answers[i].Text = RecordSep // a row with one empty field
			} else if answers[i].Text != "" && isRows(answers[i].Text, statements[i]) {
				answers[i].Text += RecordSep
			}
		}
	}
	return answers
}

// isRows reports whether what psql printed is rows and not a command tag.
func isRows(text, statement string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(statement), " ")
	switch strings.ToUpper(word) {
	case "SELECT", "VALUES", "EXPLAIN", "SHOW", "WITH", "TABLE":
		return true
	}
	return strings.Contains(text, RecordSep)
}

// parseError reads psql's verbose form of an error; warnings are passed over.
func parseError(text string) Answer {
	var a Answer
	_, text, found := strings.Cut(text, "ERROR:  ")
	if !found {
		return a
	}
	part := &a.Message
	a.State, text, _ = strings.Cut(text, ": ")
	drop := new(string)
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		key, rest, found := strings.Cut(line, ":  ")
		switch {
		case found && key == "DETAIL":
			part, line = &a.Detail, rest
		case found && key == "HINT":
			part, line = &a.Hint, rest
		case found && key == "CONTEXT":
			part, line = &a.Context, rest
		case found && (key == "LOCATION" || key == "QUERY" || strings.HasSuffix(key, "NAME")),
			part == &a.Message && strings.HasPrefix(line, "LINE "):
			part = drop
		case i > 0:
			*part += "\n"
		}
		*part += line
	}
	return a
}
