package copy_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

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

// Rows that are columns already: two integers, the second of them NULL, and their text.
func ExampleFromRows() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "copy")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, target := openTable(ctx, dir)
	defer store.Close()
	batch := copy.Batch{Rows: 2, Cols: []columnar.Vec{
		columnar.MakeVec(columnar.Type{Kind: columnar.Int4}, 2, []uint64{0b01}, []byte{7, 0, 0, 0, 0, 0, 0, 0}, nil, nil, nil, nil),
		columnar.MakeVec(columnar.Type{Kind: columnar.Text}, 2, nil, nil, nil, []int32{0, 3, 6}, []byte("onetwo"), nil),
	}}
	rows := func(yield func(copy.Batch, error) bool) { yield(batch, nil) }
	opt, err := copy.ParseRowsOptions(nil)
	if err != nil {
		log.Fatal(err)
	}
	res, err := copy.From(ctx, store, target, copy.FromRows(rows, copy.Exact, 2), opt, copy.Env{})
	fmt.Println(res.Rows, res.Cardinality, err)
	// Output: 2 exact <nil>
}

// Arrow data goes into a table, and what does not fit is an error.
func ExampleFromArrowTable() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "copy")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, target := openTable(ctx, dir)
	defer store.Close()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 1 << 40}, nil)
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"x", "y"}, nil)
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{b.NewRecordBatch()})
	opt, err := copy.ParseRowsOptions(nil)
	if err != nil {
		log.Fatal(err)
	}
	_, err = copy.From(ctx, store, target, copy.FromArrowTable(table), opt, copy.Env{})
	fmt.Println(err)
	// Output: value "1099511627776" is out of range for type integer [22003]
}

// Bad rows are left out and told.
func ExampleFrom_onError() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "copy")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, target := openTable(ctx, dir)
	defer store.Close()
	word := func(name, value string) copy.Option {
		return copy.Option{Name: name, Values: []copy.OptionValue{{Kind: copy.Word, Text: value}}}
	}
	opt, err := copy.ParseFromOptions(csv(word("ON_ERROR", "ignore"), word("LOG_VERBOSITY", "verbose")))
	if err != nil {
		log.Fatal(err)
	}
	env := copy.Env{Notice: func(n string) { fmt.Println(n) }}
	res, err := copy.From(ctx, store, target, copy.FromReader(strings.NewReader("1,x\n2x,y\n3,z\n"), ""), opt, env)
	fmt.Println(res.Rows, res.Skipped, err)
	// Output:
	// skipping row due to data type incompatibility at line 2 for column "a": "2x"
	// 1 row was skipped due to data type incompatibility
	// 2 1 <nil>
}
