package ingot_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/graph"
	"github.com/ingotdb/ingot/mmap"
)

var ctx = context.Background()

// openFlights returns a store with a small table, and what removes it.
func openFlights() (db *ingot.DB, done func()) {
	dir, err := os.MkdirTemp("", "ingot")
	if err != nil {
		log.Fatal(err)
	}
	db, err = ingot.Open(ctx, filepath.Join(dir, "flights.ingot"), ingot.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{
		`CREATE TABLE flights (origin text NOT NULL, delay int)`,
		`INSERT INTO flights VALUES ('ATL', 12), ('LAX', -3), ('ATL', NULL), ('LAX', 40)`,
	} {
		if _, err := db.Exec(ctx, text); err != nil {
			log.Fatal(err)
		}
	}
	return db, func() {
		if err := db.Close(); err != nil {
			log.Fatal(err)
		}
		os.RemoveAll(dir)
	}
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "ingot")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	db, err := ingot.Open(ctx, filepath.Join(dir, "flights.ingot"), ingot.Options{Files: ingot.AnyFile()})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(ctx, `CREATE TABLE flights (time timestamp, delay int, distance int, origin text, destination text)`); err != nil {
		log.Fatal(err)
	}
	out, err := db.Exec(ctx, `COPY flights FROM 'examples/flights.csv' (FORMAT csv, HEADER)`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Tag)
	// Output: COPY 25000
}

func ExampleFilesIn() {
	files, err := ingot.FilesIn("examples")
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	dir, err := os.MkdirTemp("", "ingot")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := ingot.Open(ctx, filepath.Join(dir, "st"), ingot.Options{Files: files})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(ctx, `CREATE TABLE t (line text)`); err != nil {
		log.Fatal(err)
	}
	_, err = db.Exec(ctx, `COPY t FROM '../LICENSE' (FORMAT csv)`)
	fmt.Println(ingot.SQLState(err))
	// Output: 42501
}

func ExampleDB_Exec() {
	db, done := openFlights()
	defer done()
	out, err := db.Exec(ctx, `DELETE FROM flights WHERE delay > $1`, 30)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Tag, out.Rows)
	// Output: DELETE 1 1
}

func ExampleDB_Query() {
	db, done := openFlights()
	defer done()
	rows, err := db.Query(ctx, `SELECT origin, count(*), avg(delay) FROM flights GROUP BY origin ORDER BY origin`)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var origin, average string
		var n int
		if err := rows.Scan(&origin, &n, &average); err != nil {
			log.Fatal(err)
		}
		fmt.Println(origin, n, average)
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ATL 2 12.0000000000000000
	// LAX 2 18.5000000000000000
}

func ExampleRows_Scan() {
	db, done := openFlights()
	defer done()
	rows, err := db.Query(ctx, `SELECT delay, origin FROM flights LIMIT 3`)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var delay *int // NULL is nil
		var origin any
		if err := rows.Scan(&delay, &origin); err != nil {
			log.Fatal(err)
		}
		fmt.Println(delay != nil, origin)
	}
	// Output:
	// true ATL
	// true LAX
	// false ATL
}

func ExampleRows_Batches() {
	db, done := openFlights()
	defer done()
	rows, err := db.Query(ctx, `SELECT delay FROM flights`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows.Columns()[0].Name, rows.Columns()[0].Type)
	sum := int32(0)
	for batch, err := range rows.Batches() {
		if err != nil {
			log.Fatal(err)
		}
		if err := mmap.Guard(func() error {
			for i, v := range batch.Cols[0].Int32s() {
				if !batch.Cols[0].IsNull(i) {
					sum += v
				}
			}
			return nil
		}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(sum)
	// Output:
	// delay int4
	// 49
}

func ExampleDB_Begin() {
	db, done := openFlights()
	defer done()
	tx, err := db.Begin(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer tx.Rollback() // nothing, once it is committed
	for _, origin := range []string{"PHX", "SEA"} {
		if _, err := tx.Exec(ctx, `INSERT INTO flights VALUES ($1, 0)`, origin); err != nil {
			log.Fatal(err)
		}
	}
	rows, err := tx.Query(ctx, `SELECT count(*) FROM flights`)
	if err != nil {
		log.Fatal(err)
	}
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			log.Fatal(err)
		}
		fmt.Println(n, "rows inside")
	}
	if err := tx.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: 6 rows inside
}

func ExampleDB_CopyFrom() {
	db, done := openFlights()
	defer done()
	input := "origin,delay\nDEN,NA\nBOS,7\n"
	out, err := db.CopyFrom(ctx, "flights", strings.NewReader(input), `HEADER MATCH, NULL 'NA'`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Tag, out.Copy.Cardinality)
	// Output: COPY 2 unknown
}

// Arrow data is staged under a name and loaded from there.
func ExampleDB_RegisterArrow() {
	db, done := openFlights()
	defer done()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "code", Type: arrow.BinaryTypes.String}, {Name: "late", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"DEN", "BOS", "DEN"}, nil)
	b.Field(1).(*array.Int64Builder).AppendValues([]int64{3, 90, 4}, nil)
	rec := b.NewRecordBatch()
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{rec})
	defer table.Release()

	if err := db.RegisterArrow("staged", table); err != nil {
		log.Fatal(err)
	}
	out, err := db.Exec(ctx, `COPY flights FROM (SELECT code, late FROM staged WHERE late < 60)`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Tag, out.Copy.Cardinality)
	fmt.Println(db.UnregisterArrow("staged"))
	// Output:
	// COPY 2 at most
	// <nil>
}

func ExampleTx_CopyFrom() {
	db, done := openFlights()
	defer done()
	tx, err := db.Begin(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec(ctx, `TRUNCATE flights`); err != nil {
		log.Fatal(err)
	}
	_, err = tx.CopyFrom(ctx, "flights", strings.NewReader("DEN,soon\n"), "")
	fmt.Println(err)
	// Output: invalid input syntax for type integer: "soon" (COPY flights, line 1, column delay: "soon") [22P02]
}

func ExampleDB_CopyTo() {
	db, done := openFlights()
	defer done()
	if _, err := db.CopyTo(ctx, "flights", os.Stdout, `HEADER, NULL '-'`); err != nil {
		log.Fatal(err)
	}
	// Output:
	// origin,delay
	// ATL,12
	// LAX,-3
	// ATL,-
	// LAX,40
}

func ExampleDB_Scan() {
	db, done := openFlights()
	defer done()
	for batch, err := range db.Scan(ctx, "flights", ingot.ScanOptions{Columns: []string{"delay"}}) {
		if err != nil {
			log.Fatal(err)
		}
		delays := batch.Column(0).(*array.Int32)
		fmt.Println(delays)
		batch.Release()
	}
	// Output: [12 -3 (null) 40]
}

func ExampleDB_Snapshot() {
	db, done := openFlights()
	defer done()
	snap, err := db.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Release()
	if _, err := db.Exec(ctx, `DELETE FROM flights`); err != nil {
		log.Fatal(err)
	}
	for _, t := range snap.Tables() {
		fmt.Println(t.Schema().Name, t.Rows())
	}
	for batch, err := range snap.Scan(ctx, "flights", ingot.ScanOptions{Columns: []string{"origin"}, Copy: true}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(batch.NumRows(), "rows still seen")
		batch.Release()
	}
	// Output:
	// flights 4
	// 4 rows still seen
}

func ExampleDB_Session() {
	db, done := openFlights()
	defer done()
	s := db.Session(ingot.SessionOptions{
		Stdin:    strings.NewReader("PHX,1\n"),
		Stdout:   os.Stdout,
		OnNotice: func(text string) { fmt.Println("notice:", text) },
	})
	defer s.Close()
	for _, text := range []string{
		`BEGIN`,
		`COPY flights FROM STDIN (FORMAT csv)`,
		`COPY (SELECT origin FROM flights WHERE delay = 1) TO STDOUT (FORMAT csv)`,
		`ROLLBACK`,
		`DROP TABLE IF EXISTS trains`,
	} {
		res, err := s.Exec(ctx, text)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(res.Tag)
	}
	// Output:
	// BEGIN
	// COPY 1
	// PHX
	// COPY 1
	// ROLLBACK
	// notice: table "trains" does not exist, skipping
	// DROP TABLE
}

func ExampleDB_Check() {
	db, done := openFlights()
	defer done()
	if err := db.Checkpoint(ctx); err != nil {
		log.Fatal(err)
	}
	if err := db.Vacuum(ctx); err != nil {
		log.Fatal(err)
	}
	st, err := db.Check(ctx, func(finding error) { fmt.Println(finding) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(st.Tables, st.Rows, st.Chunks)
	// Output: 1 4 2
}

func ExampleDB_Info() {
	db, done := openFlights()
	defer done()
	tables, err := db.Info()
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tables {
		chunk := t.RowGroups[0].Fragments[0].Chunks[1]
		fmt.Println(t.Name, t.Rows, chunk.Column, chunk.Encoding, chunk.Zone.Min.I, chunk.Zone.Max.I)
	}
	// Output: flights 4 delay plain -3 40
}

func ExampleAsError() {
	db, done := openFlights()
	defer done()
	_, err := db.CopyFrom(ctx, "flights", strings.NewReader("ATL,1\nLAX,late\n"), "")
	e := ingot.AsError(err)
	fmt.Println(e.SQLState, e.Line, e.Column, e.Value)
	// Output: 22P02 2 delay late
}

func ExampleSQLState() {
	db, done := openFlights()
	defer done()
	reader, err := ingot.Open(ctx, db.Path(), ingot.Options{ReadOnly: true})
	fmt.Println(reader == nil, errors.Is(err, ingot.ErrLocked), ingot.SQLState(err))
	// Output: true true 55P03
}

func ExampleSnapshot_Graph() {
	db, done := openFlights()
	defer done()
	for _, text := range []string{
		"CREATE TABLE airport (code text PRIMARY KEY)",
		"INSERT INTO airport VALUES ('ATL'), ('JFK'), ('LAX'), ('SEA')",
		"CREATE REL TABLE route (FROM airport TO airport, miles int8)",
		"INSERT INTO route VALUES ('SEA', 'LAX', 954), ('LAX', 'ATL', 1946), ('ATL', 'JFK', 760)",
	} {
		if _, err := db.Exec(ctx, text); err != nil {
			log.Fatal(err)
		}
	}
	snap, err := db.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer snap.Release()
	g, err := snap.Graph("route")
	if err != nil {
		log.Fatal(err)
	}
	sea := graph.Node{Row: 3} // the fourth row of the one node table
	for r, err := range g.Reachable(ctx, sea, graph.Hops{Min: 1, Max: 2}, nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Node.Row, r.Hops)
	}
	// Output:
	// 2 1
	// 0 2
}
