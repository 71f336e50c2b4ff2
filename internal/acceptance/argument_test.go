package acceptance

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/columnar"
)

// TestArgumentsThatAreNoText passes bytes that no text may hold: they are refused, or the
// store would hold what its own check takes for damage.
func TestArgumentsThatAreNoText(t *testing.T) {
	ctx := context.Background()
	db, err := ingot.Open(ctx, filepath.Join(t.TempDir(), "st"), ingot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(ctx, "CREATE TABLE t (s text, v varchar(9), j json, b bytea)"); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"a\xff", "a\x00b", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", "cut \xe2\x82"} {
		for _, column := range []string{"s", "v", "j"} {
			for _, arg := range []any{bad, columnar.Value{Type: columnar.Type{Kind: columnar.Text}, S: bad}} {
				if _, err := db.Exec(ctx, "INSERT INTO t ("+column+") VALUES ($1)", arg); ingot.SQLState(err) != "22021" {
					t.Errorf("%q into %s: %v", bad, column, err)
				}
			}
		}
		if rows, err := db.Query(ctx, "SELECT $1 || 'x'", bad); ingot.SQLState(err) != "22021" {
			t.Errorf("SELECT with %q: %v", bad, err)
			rows.Close()
		}
		if _, err := db.Exec(ctx, "INSERT INTO t (b) VALUES ($1)", []byte(bad)); err != nil {
			t.Errorf("%q into b: %v", bad, err)
		}
	}
	if _, err := db.Exec(ctx, "INSERT INTO t (s) VALUES ($1)", "größer €"); err != nil {
		t.Error(err)
	}
	if st, err := db.Check(ctx, nil); err != nil || st.Rows != 7 {
		t.Errorf("%d rows, %v", st.Rows, err)
	}
}
