package parse_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/parse"
)

func ExampleStatement() {
	stmt, err := parse.Statement("copy Fruit (name) from 'f.csv' csv header")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stmt)
	// Output: COPY fruit (name) FROM 'f.csv' WITH (format csv, header true)
}

func ExampleStatements() {
	_, err := parse.Statements("SELECT 1;\nSELECT a,, b")
	var e *ast.Error
	if errors.As(err, &e) {
		fmt.Printf("line %d, character %d: %s\n", e.Line, e.Position, e.Err.Message)
	}
	// Output: line 2, character 20: syntax error at or near ","
}

func ExampleExpr() {
	e, err := parse.Expr("a + b * -2 > 10 OR NOT c")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e)
	// Output: ((a + (b * (-2))) > 10) OR (NOT c)
}

func ExampleScanner() {
	s := parse.NewScanner(strings.NewReader("COPY t FROM STDIN;\n1\n2\n\\.\nSELECT ';';"))
	for {
		f, err := s.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("line %d: %s\n", f.Line, f.Text)
		if strings.HasPrefix(f.Text, "COPY") {
			data, err := io.ReadAll(s.Data())
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("data: %q\n", data)
		}
	}
	// Output:
	// line 1: COPY t FROM STDIN
	// data: "1\n2\n"
	// line 5: SELECT ';'
}

func ExampleComplete() {
	fmt.Println(parse.Complete("SELECT 'a;"), parse.Complete("SELECT 'a';"))
	// Output: false true
}
