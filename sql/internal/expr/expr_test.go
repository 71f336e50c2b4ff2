package expr

import (
	"bufio"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/parse"
)

// evaluate returns the type and the text of an expression without columns.
func evaluate(text string) (typ, value string, err error) {
	e, err := parse.Expr(text)
	if err != nil {
		return "", "", err
	}
	s := &Scope{Source: text, Clause: "this query", Location: time.UTC}
	n, err := s.Decided(e)
	if err != nil {
		return "", "", err
	}
	v, err := n.Eval(&Batch{Rows: 3}, nil)
	if err != nil {
		return "", "", err
	}
	stored := v.Stored(3)
	if stored.IsNull(2) {
		return stored.Type().Name(), "<null>", nil
	}
	return stored.Type().Name(), string(stored.AppendText(nil, 2, time.UTC)), nil
}

// differs has expressions of the golden file whose outcome here is another one, and why.
var differs = map[string]string{
	"sum(1)":      "err|42803|aggregate functions are not allowed in this query", // the query binds them
	"'0x1F'::int": "ok|integer|31",                                               // since PostgreSQL 16
}

// TestPostgres compares type, value, SQLSTATE and message with what PostgreSQL 15 gave.
func TestPostgres(t *testing.T) {
	f, err := os.Open("testdata/postgres.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		text, outcome, ok := strings.Cut(s.Text(), "\t")
		if !ok {
			t.Fatalf("bad line %q", s.Text())
		}
		typ, value, err := evaluate(text)
		got := "ok|" + typ + "|" + value
		if err != nil {
			var e *pgerr.Error
			if !errors.As(err, &e) {
				t.Errorf("%s: error without SQLSTATE: %v", text, err)
				continue
			}
			got = "err|" + e.SQLState + "|" + e.Message
		}
		want := outcome
		if other, ok := differs[text]; ok {
			want = other
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}
