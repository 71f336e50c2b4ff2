package pgpeer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/internal/pgpeer"
	"github.com/ingotdb/ingot/mmap"
)

func TestMain(m *testing.M) { os.Exit(pgpeer.Main(m)) }

// embedded is a session of ingot on a store of its own.
type embedded struct {
	session *ingot.Session
	notices []string
}

// open returns a session on a new store. block is the bytes of a split, 0 for the
// default.
func open(tb testing.TB, block int) *embedded {
	tb.Helper()
	db, err := ingot.Open(context.Background(), filepath.Join(tb.TempDir(), "store"), ingot.Options{
		Durability: ingot.None, Files: ingot.AnyFile(), BlockSize: block,
	})
	if err != nil {
		tb.Fatal(err)
	}
	e := &embedded{}
	e.session = db.Session(ingot.SessionOptions{OnNotice: func(n string) { e.notices = append(e.notices, n) }})
	tb.Cleanup(func() {
		if err := errors.Join(e.session.Close(), db.Close()); err != nil {
			tb.Error(err)
		}
	})
	return e
}

// run runs a statement and returns its answer in PostgreSQL's form.
func (e *embedded) run(statement string) pgpeer.Answer {
	text, err := e.text(statement)
	if err == nil {
		return pgpeer.Answer{Text: text}
	}
	pe := ingot.AsError(err)
	return pgpeer.Answer{
		State: pe.SQLState, Message: pe.Message, Detail: pe.Detail, Hint: pe.Hint, Context: pe.Context(),
	}
}

// panicState is the State of an answer to a statement that panicked.
const panicState = "panic"

// text runs a statement and returns its rows or its tag. A panic is an error like others,
// so that a test goes on with the next statement.
func (e *embedded) text(statement string) (_ string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &ingot.Error{SQLState: panicState, Message: fmt.Sprint(p)}
		}
	}()
	res, err := e.session.Exec(context.Background(), statement)
	if err != nil {
		return "", err
	}
	defer res.Close()
	if res.Columns == nil {
		return res.Tag, nil
	}
	var out strings.Builder
	loc := e.session.Location()
	for b, err := range res.Batches {
		if err != nil {
			return "", err
		}
		err = mmap.Guard(func() error {
			for i := range b.Rows {
				for c := range b.Cols {
					if c > 0 {
						out.WriteString(pgpeer.FieldSep)
					}
					if b.Cols[c].IsNull(i) {
						out.WriteString(pgpeer.Null)
					} else {
						out.Write(b.Cols[c].AppendText(nil, i, loc))
					}
				}
				out.WriteString(pgpeer.RecordSep)
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	text := out.String()
	if res.Statement == "SELECT" {
		return text, nil
	}
	if rows, ok := strings.CutSuffix(text, pgpeer.RecordSep); ok { // of RETURNING, which psql prints so
		text = rows + "\n"
	}
	return text + res.Tag, nil
}

// peerMajor is the version of PostgreSQL whose answers the tables have.
const peerMajor = 15

// difference is what is known to differ, and why. The answers are in the form of
// Answer.String.
type difference struct {
	input           string
	ingot, postgres string
	why             string
	// newer says that PostgreSQL after peerMajor has another answer, too, so that the
	// entry holds for peerMajor alone; why says what changed.
	newer bool
}

// ledger compares answers with a table of differences and finds entries that no test met.
type ledger struct {
	known map[string]difference
	met   map[string]bool
	major int
}

func newLedger(tb testing.TB, server *pgpeer.Server, known []difference) *ledger {
	tb.Helper()
	l := &ledger{known: map[string]difference{}, met: map[string]bool{}, major: server.Major()}
	for _, d := range known {
		if _, twice := l.known[d.input]; twice {
			tb.Errorf("%s: twice in the table", d.input)
		}
		if d.why == "" {
			tb.Errorf("%s: in the table without a reason", d.input)
		}
		l.known[d.input] = d
	}
	return l
}

// same compares two answers to input, both brought to text.
func (l *ledger) same(tb testing.TB, input, have, want string) {
	tb.Helper()
	d, known := l.known[input]
	l.met[input] = l.met[input] || known
	switch {
	case known && d.newer && l.major > peerMajor:
	case have == want && known:
		tb.Errorf("%s\nno longer differs: take it out of the table", input)
	case have == want:
	case !known:
		tb.Errorf("%s\n    ingot: %s\n postgres: %s", input, have, want)
	case have != d.ingot || want != d.postgres:
		tb.Errorf("%s\n    ingot: %s\n    table: %s\n postgres: %s\n    table: %s", input, have, d.ingot, want, d.postgres)
	}
}

// close reports entries that no test met.
func (l *ledger) close(tb testing.TB) {
	tb.Helper()
	var unmet []string
	for input := range l.known {
		if !l.met[input] {
			unmet = append(unmet, input)
		}
	}
	sort.Strings(unmet)
	for _, input := range unmet {
		tb.Errorf("%s\nis in the table of differences, and no test asks it", input)
	}
}

// outcome is what two systems must agree on for any statement: the rows or the tag, or
// the SQLSTATE.
func outcome(a pgpeer.Answer) string {
	if a.Failed() {
		return a.State
	}
	return a.String()
}

// TestPeer checks that answers are read as they are printed.
func TestPeer(t *testing.T) {
	server := pgpeer.Start(t)
	statements := []string{
		"SELECT 1, NULL, ''", "SELECT ''", "SELECT NULL", "SELECT 1 WHERE false", "SELECT E'a\\nb' FROM generate_series(1, 2)",
		"CREATE TABLE t (a int CHECK (a > 0))", "INSERT INTO t VALUES (1), (2)", "INSERT INTO t VALUES (-1)", "SELECT 1 +",
		"BEGIN", "SELECT 1/0", "SELECT 1", "COMMIT",
	}
	want := []string{
		"1|NULL|;", ";", "NULL;", "", "a\\nb;a\\nb;",
		"CREATE TABLE", "INSERT 0 2",
		`23514 new row for relation "t" violates check constraint "t_a_check" DETAIL Failing row contains (-1).`,
		`42601 syntax error at or near ";"`,
		"BEGIN", "22012 division by zero", "25P02 current transaction is aborted, commands ignored until end of transaction block", "ROLLBACK",
	}
	for i, a := range server.Run(t, statements...) {
		if a.String() != want[i] {
			t.Errorf("%s: have %q, want %q", statements[i], a.String(), want[i])
		}
	}
	path := filepath.Join(server.Files(), "peer.csv")
	if err := os.WriteFile(path, []byte("1\nx\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := server.Run(t, "CREATE TABLE t (a int)", fmt.Sprintf("COPY t FROM '%s' (FORMAT csv)", path))[1].String()
	if want := `22P02 invalid input syntax for type integer: "x" CONTEXT COPY t, line 2, column a: "x"`; got != want {
		t.Errorf("COPY: have %q, want %q", got, want)
	}
}

// TestPeerAndIngot checks that both sides give an answer in the same form.
func TestPeerAndIngot(t *testing.T) {
	server := pgpeer.Start(t)
	statements := []string{
		"CREATE TABLE t (a int, b text)", "INSERT INTO t VALUES (1, NULL), (2, '')", "SELECT * FROM t", "SELECT a FROM t WHERE a > 2",
		"SELECT a/0 FROM t", "DELETE FROM t",
	}
	answers := server.Run(t, statements...)
	e := open(t, 0)
	for i, s := range statements {
		if have := e.run(s); have.String() != answers[i].String() {
			t.Errorf("%s: ingot %q, PostgreSQL %q", s, have, answers[i])
		}
	}
}
