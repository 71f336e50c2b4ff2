package ast_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/parse"
)

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "a_1$": "a_1$", "A": `"A"`, "1a": `"1a"`, "é": `"é"`, `a"b`: `"a""b"`, "": `""`,
		"select": `"select"`, "left": `"left"`, "values": `"values"`, "csv": "csv", "a b": `"a b"`,
	} {
		if got := ast.Quote(name); got != want {
			t.Errorf("Quote(%q) is %s, want %s", name, got, want)
		}
	}
	if got := ast.QuoteString("it's"); got != "'it''s'" {
		t.Errorf("QuoteString gives %s", got)
	}
}

func TestCategories(t *testing.T) {
	for word, want := range map[string]ast.Category{
		"select": ast.Reserved, "int": ast.ColumnName, "left": ast.FunctionName, "copy": ast.Unreserved,
	} {
		if got := ast.CategoryOf(word); got != want {
			t.Errorf("CategoryOf(%q) is %d, want %d", word, got, want)
		}
	}
	if ast.BareLabel("filter") || !ast.BareLabel("name") {
		t.Error("FILTER needs AS as a label, and a plain name does not")
	}
}

func TestNewError(t *testing.T) {
	for _, c := range []struct{ offset, position, line int }{{0, 1, 1}, {3, 3, 2}, {5, 5, 2}, {99, 5, 2}, {-1, 5, 2}} {
		e := ast.NewError("é\nab", c.offset, pgerr.New(pgerr.SyntaxError, "oops"))
		if e.Position != c.position || e.Line != c.line {
			t.Errorf("offset %d is character %d of line %d, want %d of %d", c.offset, e.Position, e.Line, c.position, c.line)
		}
	}
}

// TestWalk reaches every column of an expression that has every kind of node in it.
func TestWalk(t *testing.T) {
	e, err := parse.Expr(`c1 + -c2 IS NULL AND (c3 IS TRUE) IS DISTINCT FROM c4 OR c5 IN (c6, 1) AND c7 BETWEEN c8 AND c9
		AND c10 LIKE c11 ESCAPE c12 AND CASE c13 WHEN c14 THEN c15 ELSE c16 END AND c17::bool AND
		f(c18) AND count(c19) FILTER (WHERE c20) > 1 AND ARRAY[c21] = c22 AND c23[c24] AND c25 = ANY (c26)`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	ast.Walk(e, func(x ast.Expr) bool {
		if c, ok := x.(*ast.Column); ok {
			got = append(got, c.Name)
		}
		return true
	})
	var want []string
	for i := range 26 {
		want = append(want, fmt.Sprint("c", i+1))
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("reached %v", got)
	}
}
