package sql_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/sql"
)

// exampleStore opens a store in a temporary directory.
func exampleStore() (store *columnar.Store, remove func()) {
	dir, err := os.MkdirTemp("", "ingot")
	if err != nil {
		log.Fatal(err)
	}
	store, err = columnar.Open(context.Background(), dir, columnar.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return store, func() {
		store.Close()
		os.RemoveAll(dir)
	}
}

func ExampleSession_Exec() {
	store, remove := exampleStore()
	defer remove()
	ctx := context.Background()
	s := sql.NewSession(store, sql.SessionOptions{})
	defer s.Close()
	for _, text := range []string{
		"CREATE TABLE fruit (name text PRIMARY KEY, grams int4)",
		"INSERT INTO fruit VALUES ('apple', 180), ('fig', 50), ('melon', 1500)",
	} {
		res, err := s.Exec(ctx, text)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Tag)
	}
	res, err := s.Exec(ctx, "SELECT name, grams / 1000.0 AS kg FROM fruit WHERE grams > $1 ORDER BY name", 100)
	if err != nil {
		log.Fatal(err)
	}
	for b, err := range res.Batches {
		if err != nil {
			log.Fatal(err)
		}
		for i := range b.Rows {
			fmt.Printf("%s %s\n", b.Cols[0].Bytes(i), b.Cols[1].AppendText(nil, i, s.Location()))
		}
	}
	fmt.Println(res.Tag)
	// Output:
	// CREATE TABLE
	// INSERT 0 3
	// apple 0.18000000000000000000
	// melon 1.5000000000000000
	// SELECT 2
}

func ExampleSession_SetStdin() {
	store, remove := exampleStore()
	defer remove()
	ctx := context.Background()
	s := sql.NewSession(store, sql.SessionOptions{Stdout: os.Stdout})
	defer s.Close()
	s.SetStdin(strings.NewReader("id,word\n1,one\n2,two\n"))
	for _, text := range []string{
		"CREATE TABLE w (id int8, word text)",
		"COPY w FROM STDIN (FORMAT csv, HEADER)",
		"COPY (SELECT word, id * 10 FROM w) TO STDOUT (FORMAT csv)",
	} {
		res, err := s.Exec(ctx, text)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Tag)
	}
	// Output:
	// CREATE TABLE
	// COPY 2
	// one,10
	// two,20
	// COPY 2
}
