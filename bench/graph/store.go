package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/visibility"
)

var (
	keyType    = columnar.Type{Kind: columnar.Int8}
	nameType   = columnar.Type{Kind: columnar.Text}
	weightType = columnar.Type{Kind: columnar.Int4}
)

// weight is the weight of edge i, as every system loads it.
func weight(i int) int { return i%100 + 1 }

// nameOf returns the first name of node i.
func (in *input) nameOf(i int) string {
	if in.names == nil {
		return ""
	}
	return in.names[i]
}

// store makes a store with node table n and rel table e in dir, of the files in the directory
// files.
func (in *input) store(ctx context.Context, dir, files string) (s *columnar.Store, err error) {
	s, err = columnar.Open(ctx, dir, columnar.Options{})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := createTables(ctx, s, keyType); err != nil {
		return nil, err
	}
	return s, errors.Join(copyFile(ctx, s, "n", nodesFile(files)), copyFile(ctx, s, "e", edgesFile(files)))
}

// createTables creates the node table n, with keys of the given type, and the rel table e.
func createTables(ctx context.Context, s *columnar.Store, key columnar.Type) error {
	n := &columnar.Schema{Name: "n", Columns: []columnar.Column{{Name: "id", Type: key, NotNull: true}, {Name: "name", Type: nameType}},
		Constraints: []columnar.Constraint{{Name: "n_pkey", Kind: columnar.PrimaryKey, Columns: []uint32{1}}}}
	return write(ctx, s, func(tx *columnar.Txn) error {
		if err := tx.CreateTable(n); err != nil {
			return err
		}
		return tx.CreateTable(&columnar.Schema{Name: "e", Columns: []columnar.Column{{Name: "w", Type: weightType}}, Rel: &columnar.Rel{From: n.ID, To: n.ID}})
	})
}

// write commits what fn does.
func write(ctx context.Context, s *columnar.Store, fn func(*columnar.Txn) error) error {
	tx, err := s.BeginWrite(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	_, err = tx.Commit(ctx)
	return err
}

// copyFile loads a CSV file without a header into a table.
func copyFile(ctx context.Context, s *columnar.Store, table, file string) error {
	snap, err := s.Snapshot()
	if err != nil {
		return err
	}
	schema, err := snap.LoadSchema(table)
	snap.Release()
	if err != nil {
		return err
	}
	opt, err := copy.ParseFromOptions([]copy.Option{{Name: "FORMAT", Values: []copy.OptionValue{{Kind: copy.Word, Text: "csv"}}}})
	if err != nil {
		return err
	}
	_, err = copy.From(ctx, s, &copy.Target{Schema: schema}, copy.FromFiles(file), opt, copy.Env{Files: copy.AnyFile()})
	return err
}

// deleteFirsts deletes row 0 of every row group of the nodes, and its edges.
func deleteFirsts(ctx context.Context, s *columnar.Store, nodes int) error {
	return write(ctx, s, func(tx *columnar.Txn) error {
		var ids []visibility.RowID
		for id := 0; id < nodes; id += visibility.GroupRows {
			ids = append(ids, visibility.RowID(id))
		}
		_, _, err := tx.DeleteCascade("n", ids)
		return err
	})
}

// nodesFile and edgesFile are the files in a directory that every system loads.
func nodesFile(dir string) string { return filepath.Join(dir, "nodes.csv") }
func edgesFile(dir string) string { return filepath.Join(dir, "edges.csv") }

// writeFiles writes the files of nodes and edges into a directory, which it makes.
func (in *input) writeFiles(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	err := writeLines(nodesFile(dir), in.Nodes, func(w *bufio.Writer, i int) {
		fmt.Fprintf(w, "%d,%s\n", i, in.nameOf(i))
	})
	return errors.Join(err, writeLines(edgesFile(dir), len(in.From), func(w *bufio.Writer, i int) {
		fmt.Fprintf(w, "%d,%d,%d\n", in.From[i], in.To[i], weight(i))
	}))
}

func writeLines(name string, n int, line func(w *bufio.Writer, i int)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for i := range n {
		line(w, i)
	}
	return errors.Join(w.Flush(), f.Close())
}
