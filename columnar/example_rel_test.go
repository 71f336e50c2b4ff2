package columnar_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
)

// Nodes and edges go into a store in one transaction: edges name their ends by key. The
// adjacency then has the neighbours of a node as a range of row ids.
func ExampleTxn_Adjacency() {
	ctx := context.Background()
	s, err := columnar.Open(ctx, "", columnar.Options{FS: memfs.New()})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	tx, err := s.BeginWrite(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer tx.Rollback()
	person := &columnar.Schema{Name: "person",
		Columns:     []columnar.Column{{Name: "id", Type: columnar.Type{Kind: columnar.Int8}, NotNull: true}},
		Constraints: []columnar.Constraint{{Name: "person_pkey", Kind: columnar.PrimaryKey, Columns: []uint32{1}}}}
	if err := tx.CreateTable(person); err != nil {
		log.Fatal(err)
	}
	knows := &columnar.Schema{Name: "knows", Rel: &columnar.Rel{From: person.ID, To: person.ID}}
	if err := tx.CreateTable(knows); err != nil {
		log.Fatal(err)
	}
	load := func(table string, rows ...[]int64) {
		schema, err := tx.LoadSchema(table)
		if err != nil {
			log.Fatal(err)
		}
		l, err := s.NewLoad(ctx, columnar.LoadPlan{Schema: schema, Fragments: []int{len(rows)}})
		if err != nil {
			log.Fatal(err)
		}
		defer l.Abort() // does nothing once the load is appended
		w, err := l.Fragment(0, len(rows))
		if err != nil {
			log.Fatal(err)
		}
		for i, row := range rows {
			for c, v := range row {
				w.Cols[c].Int64s()[i] = v
			}
		}
		if err := w.Finish(len(rows)); err != nil {
			log.Fatal(err)
		}
		if _, err := tx.Append(ctx, table, l); err != nil {
			fmt.Println(err)
		}
	}
	load("person", []int64{10}, []int64{20}, []int64{30})
	load("knows", []int64{20, 30}, []int64{10, 20}, []int64{20, 10})
	load("knows", []int64{10, 99})

	adj, err := tx.Adjacency("knows")
	if err != nil {
		log.Fatal(err)
	}
	err = mmap.Guard(func() error {
		for _, run := range adj.Runs {
			for node := range uint32(adj.From.NextRow()) {
				lo, hi := run.Forward.Range(node)
				fmt.Println("row", node, "knows rows", run.Forward.Neighbors[lo:hi])
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// insert or update on table "knows" violates foreign key constraint "knows_to_fkey" [23503]
	// row 0 knows rows [1]
	// row 1 knows rows [2 0]
	// row 2 knows rows []
}
