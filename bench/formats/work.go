package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/visibility"
)

// Names of the two formats.
const (
	builtInName = "text"
	outsideName = "text_outside"
)

// work is the table and the text of one number of columns.
type work struct {
	store  *columnar.Store
	schema *columnar.Schema
	block  []columnar.Vec // the columns of a row group
	text   []byte         // its rows as text
}

// newWork makes a row group of random integers and its text.
func newWork(ctx context.Context, dir string, columns int) (*work, error) {
	store, err := columnar.Open(ctx, filepath.Join(dir, fmt.Sprint(columns)), columnar.Options{Durability: columnar.None})
	if err != nil {
		return nil, err
	}
	w := &work{store: store, schema: &columnar.Schema{Name: "t"}}
	rng := rand.New(rand.NewPCG(1, uint64(columns)))
	for i := range columns {
		c := columnar.ColumnBuf{Type: columnar.Type{Kind: columnar.Int4}, Fixed: make([]byte, 4*visibility.GroupRows)}
		values := c.Int32s()
		for k := range values {
			values[k] = int32(rng.Uint32() >> (1 + rng.UintN(24)))
		}
		w.schema.Columns = append(w.schema.Columns, columnar.Column{Name: fmt.Sprint("c", i), Type: c.Type})
		w.block = append(w.block, columnar.MakeVec(c.Type, visibility.GroupRows, nil, c.Fixed, nil, nil, nil, nil))
	}
	if err := w.create(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// create makes the table that rows are copied into, and the text that is read.
func (w *work) create(ctx context.Context) error {
	txn, err := w.store.BeginWrite(ctx)
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if err := txn.CreateTable(w.schema); err != nil {
		return err
	}
	if _, err := txn.Commit(ctx); err != nil {
		return err
	}
	var text buffer
	if _, err := w.unload(ctx, builtInName, visibility.GroupRows, &text); err != nil {
		return err
	}
	w.text = text
	return nil
}

func (w *work) close() error { return w.store.Close() }

// buffer keeps what is written to it.
type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// options returns the options of a statement.
func options(format string) []copy.Option {
	return []copy.Option{
		{Name: "format", Values: []copy.OptionValue{{Kind: copy.Word, Text: format}}},
		{Name: "parallelism", Values: []copy.OptionValue{{Kind: copy.Number, Text: "1"}}},
	}
}

// unload writes rows of the table, the row group again and again, and returns the
// processor time.
func (w *work) unload(ctx context.Context, format string, rows int, dst io.Writer) (ns int64, err error) {
	var parts [][]columnar.Vec
	for left := rows; left > 0; left -= visibility.GroupRows {
		part := w.block
		if left < visibility.GroupRows {
			part = make([]columnar.Vec, len(w.block))
			for i := range part {
				part[i] = w.block[i].Slice(0, left)
			}
		}
		parts = append(parts, part)
	}
	t, err := columnar.StagedTable(w.schema.Clone(), parts)
	if err != nil {
		return 0, err
	}
	content, err := copy.TableContent(t, nil)
	if err != nil {
		return 0, err
	}
	opt, err := copy.ParseToOptions(options(format))
	if err != nil {
		return 0, err
	}
	res, err := copy.To(ctx, content, copy.ToWriter(dst), opt, nil, copy.Env{MaxWorkers: 1})
	if err == nil && res.Rows != int64(rows) {
		err = fmt.Errorf("%d rows of %d were written", res.Rows, rows)
	}
	return res.CPUNS, err
}

// to measures COPY TO a writer that discards.
func (w *work) to(ctx context.Context, format string, rows int) (ns int64, err error) {
	return w.unload(ctx, format, rows, io.Discard)
}

// from measures COPY FROM memory with a WHERE that leaves every row out.
func (w *work) from(ctx context.Context, format string, rows int) (ns int64, err error) {
	opt, err := copy.ParseFromOptions(options(format))
	if err != nil {
		return 0, err
	}
	t := &copy.Target{Schema: w.schema, Where: func(n int, _ func(int) columnar.Vec, keep []uint64) (int, error) {
		clear(keep)
		return n, nil
	}}
	res, err := copy.From(ctx, w.store, t, copy.FromReader(w.reader(rows), "text"), opt, copy.Env{MaxWorkers: 1})
	if err == nil && (res.Rows != 0 || res.Excluded != int64(rows)) {
		err = fmt.Errorf("%d rows of %d were read and %d stored", res.Excluded, rows, res.Rows)
	}
	return res.CPUNS, err
}
