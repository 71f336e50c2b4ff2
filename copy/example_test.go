package copy_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
)

func csv(options ...copy.Option) []copy.Option {
	return append(options, copy.Option{Name: "FORMAT", Values: []copy.OptionValue{{Kind: copy.Word, Text: "csv"}}})
}

// openTable opens a store in dir and creates a table with columns a and b.
func openTable(ctx context.Context, dir string) (*columnar.Store, *copy.Target) {
	store, err := columnar.Open(ctx, filepath.Join(dir, "store"), columnar.Options{})
	if err != nil {
		log.Fatal(err)
	}
	txn, err := store.BeginWrite(ctx)
	if err != nil {
		log.Fatal(err)
	}
	schema := &columnar.Schema{Name: "t", Columns: []columnar.Column{
		{Name: "a", Type: columnar.Type{Kind: columnar.Int4}}, {Name: "b", Type: columnar.Type{Kind: columnar.Text}},
	}}
	if err := txn.CreateTable(schema); err != nil {
		log.Fatal(err)
	}
	if _, err := txn.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	return store, &copy.Target{Schema: schema}
}

// A load from a reader, then the table as CSV again.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "copy")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, target := openTable(ctx, dir)
	defer store.Close()

	from, err := copy.ParseFromOptions(csv(copy.Option{Name: "HEADER"}))
	if err != nil {
		log.Fatal(err)
	}
	in := "a,b\n1,\"two\nlines\"\n2,\n"
	res, err := copy.From(ctx, store, target, copy.FromReader(strings.NewReader(in), "stdin"), from, copy.Env{})
	fmt.Println(res.Rows, err)

	snap, err := store.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Release()
	table, err := snap.Table("t")
	if err != nil {
		log.Fatal(err)
	}
	content, err := copy.TableContent(table, nil)
	if err != nil {
		log.Fatal(err)
	}
	to, err := copy.ParseToOptions(csv())
	if err != nil {
		log.Fatal(err)
	}
	if _, err := copy.To(ctx, content, copy.ToWriter(os.Stdout), to, nil, copy.Env{}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 <nil>
	// 1,"two
	// lines"
	// 2,
}

// The error of a bad row says where it stands.
func ExampleFrom_badRow() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "copy")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, target := openTable(ctx, dir)
	defer store.Close()
	opt, err := copy.ParseFromOptions(csv())
	if err != nil {
		log.Fatal(err)
	}
	_, err = copy.From(ctx, store, target, copy.FromReader(strings.NewReader("1,x\n2x,y\n"), ""), opt, copy.Env{})
	fmt.Println(err)
	// Output:
	// invalid input syntax for type integer: "2x" (COPY t, line 2, column a: "2x") [22P02]
}

func ExampleInfer() {
	opt, err := copy.ParseFromOptions(csv())
	if err != nil {
		log.Fatal(err)
	}
	in := "zip,lat,seen\n00501,40.9,2024-01-02\n10001,,2024-01-03\n"
	inf, err := copy.Infer(context.Background(), copy.FromReader(strings.NewReader(in), "stdin"), opt, copy.Env{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(inf.Says)
	// Output:
	// columns (zip text, lat float8, seen date) inferred from all of the input: 2 rows, a header
}

func ExamplePlanFrom() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "copy")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, target := openTable(ctx, dir)
	defer store.Close()
	path := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(path, []byte("1,x\n2,y\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	opt, err := copy.ParseFromOptions(csv())
	if err != nil {
		log.Fatal(err)
	}
	files, err := copy.FilesIn(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	plan, err := copy.PlanFrom(ctx, target, copy.FromFiles("*.csv"), opt, copy.Env{Files: files})
	fmt.Println(plan.Cardinality, plan.Rows, plan.Workers, plan.Reason, err)
	// Output:
	// exact 2 1 counted; 8 bytes do not justify a second worker <nil>
}
