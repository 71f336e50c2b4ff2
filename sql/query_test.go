package sql

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// differs has queries of the golden file that end in another way here, and how.
var differs = map[string]string{
	// Float4 is summed as float8 and rounded once.
	"SELECT sum(r), avg(r) FROM g": "78.35|0.7391509435508611",
}

// TestPostgres compares queries over a table of every type with what PostgreSQL 15 gave,
// rows, SQLSTATEs and messages.
func TestPostgres(t *testing.T) {
	setup, err := os.ReadFile("testdata/setup.sql")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/queries.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := testSession(t, SessionOptions{})
	create, insert, _ := strings.Cut(string(setup), ";\n")
	must(t, s, create, insert)
	for _, part := range strings.Split("\n"+string(golden), "\n> ")[1:] {
		query, want, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
		rows, _, err := ask(s, query)
		got := strings.TrimSuffix(rows, "\n")
		if err != nil {
			var e *pgerr.Error
			if !errors.As(err, &e) {
				t.Errorf("%s: error without SQLSTATE: %v", query, err)
				continue
			}
			got = "error " + e.SQLState + " " + e.Message
		}
		if other, ok := differs[query]; ok {
			want = other
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}
