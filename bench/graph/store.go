package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/mmap"
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

// store makes a store with node table n and rel table e in dir.
func (in *input) store(ctx context.Context, dir string) (s *columnar.Store, err error) {
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
	err = load(ctx, s, "n", in.Nodes, func(w *columnar.FragmentWriter, at, i int) {
		w.Cols[0].SetValue(i, columnar.Value{Type: keyType, I: int64(at + i)})
		w.Cols[1].SetValue(i, columnar.Value{Type: nameType, S: in.nameOf(at + i)})
	})
	if err != nil {
		return nil, err
	}
	return s, load(ctx, s, "e", len(in.From), func(w *columnar.FragmentWriter, at, i int) {
		w.Cols[0].SetValue(i, columnar.Value{Type: keyType, I: int64(in.From[at+i])})
		w.Cols[1].SetValue(i, columnar.Value{Type: keyType, I: int64(in.To[at+i])})
		w.Cols[2].SetValue(i, columnar.Value{Type: weightType, I: int64(weight(at + i))})
	})
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

// load appends rows to a table; set stores row at+i as row i of a fragment. Fragments are
// filled by as many goroutines as there are processors, as a COPY fills them.
func load(ctx context.Context, s *columnar.Store, table string, rows int, set func(w *columnar.FragmentWriter, at, i int)) error {
	snap, err := s.Snapshot()
	if err != nil {
		return err
	}
	schema, err := snap.LoadSchema(table)
	snap.Release()
	if err != nil {
		return err
	}
	plan := columnar.LoadPlan{Schema: schema, VarBytes: int64(rows) * maxTextBytes}
	for left := rows; left > 0; left -= visibility.GroupRows {
		plan.Fragments = append(plan.Fragments, min(left, visibility.GroupRows))
	}
	l, err := s.NewLoad(ctx, plan)
	if err != nil {
		return err
	}
	var next atomic.Int64
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for worker := range errs {
		wg.Go(func() {
			for errs[worker] == nil {
				f := int(next.Add(1)) - 1
				if f >= len(plan.Fragments) {
					return
				}
				errs[worker] = fill(l, f, plan.Fragments[f], set)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		l.Abort()
		return err
	}
	if err := l.Sync(ctx); err != nil {
		return err
	}
	return write(ctx, s, func(tx *columnar.Txn) error {
		_, err := tx.Append(ctx, table, l)
		return err
	})
}

// maxTextBytes bounds the text of a row.
const maxTextBytes = 32

// fill writes fragment f of n rows.
func fill(l *columnar.Load, f, n int, set func(w *columnar.FragmentWriter, at, i int)) error {
	w, err := l.Fragment(f, n)
	if err != nil {
		return err
	}
	err = mmap.Guard(func() error {
		for i := range n {
			set(w, f*visibility.GroupRows, i)
		}
		return nil
	})
	return errors.Join(err, w.Finish(n))
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

// writeFiles writes nodes.csv and edges.csv for peers.
func (in *input) writeFiles(dir string) error {
	err := writeLines(filepath.Join(dir, "nodes.csv"), in.Nodes, func(w *bufio.Writer, i int) {
		fmt.Fprintf(w, "%d,%s\n", i, in.nameOf(i))
	})
	return errors.Join(err, writeLines(filepath.Join(dir, "edges.csv"), len(in.From), func(w *bufio.Writer, i int) {
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
