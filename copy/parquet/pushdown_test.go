package parquet

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// TestPushDown damages a page of one row group: a COPY whose conditions need no row of it, or
// that does not want the column, does not find out.
func TestPushDown(t *testing.T) {
	var numbers, texts []string
	for i := range 300 {
		numbers, texts = append(numbers, fmt.Sprint(i)), append(texts, fmt.Sprintf("row %03d", i))
	}
	types := []columnar.Type{kind(columnar.Int8), kind(columnar.Text)}
	b := writeColumns(t, []layout{newLayout("i", types[0], false), newLayout("s", types[1], false)},
		[]columnar.Vec{vecOf(t, types[0], numbers), vecOf(t, types[1], texts)}, codecNone, 100, 100)
	b[bytes.Index(b, []byte("row 150"))] ^= 1

	ctx := context.Background()
	store, err := columnar.Open(ctx, filepath.Join(t.TempDir(), "store"), columnar.Options{Durability: columnar.None})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	txn, err := store.BeginWrite(ctx)
	if err != nil {
		t.Fatal(err)
	}
	schema := &columnar.Schema{Name: "t", Columns: []columnar.Column{{Name: "s", Type: types[1]}, {Name: "i", Type: types[0]}}}
	if err := txn.CreateTable(schema); err != nil {
		t.Fatal(err)
	}
	if _, err := txn.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	number := func(op copy.Op, v int64) copy.Predicate {
		return copy.Predicate{Column: 1, Op: op, Value: columnar.Value{Type: types[0], I: v}}
	}
	text := func(op copy.Op, v string) copy.Predicate {
		return copy.Predicate{Column: 0, Op: op, Value: columnar.Value{Type: types[1], S: v}}
	}
	for i, tc := range []struct {
		where   []copy.Predicate
		columns []int
		want    int64 // rows; -1: damage is found
	}{
		{nil, nil, -1},
		{[]copy.Predicate{number(copy.Less, 200)}, nil, -1},
		{[]copy.Predicate{number(copy.Less, 100)}, nil, 100},
		{[]copy.Predicate{text(copy.GreaterEqual, "row 200"), number(copy.Greater, 0)}, nil, 100},
		{[]copy.Predicate{number(copy.Equal, 1000)}, nil, 0},
		{nil, []int{1}, 300},
	} {
		snap, err := store.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		table, err := snap.Table("t")
		if err != nil {
			t.Fatal(err)
		}
		target := &copy.Target{Schema: table.Schema(), Columns: tc.columns, Predicates: tc.where}
		snap.Release()
		opt, err := copy.ParseFromOptions([]copy.Option{{Name: "format", Values: []copy.OptionValue{{Text: "parquet"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if tc.where != nil { // everything that is not passed over is kept
			target.Where = func(n int, _ func(int) columnar.Vec, _ []uint64) (int, error) { return n, nil }
		}
		res, err := copy.From(ctx, store, target, copy.FromReader(bytes.NewReader(b), "stdin"), opt, copy.Env{})
		switch {
		case tc.want < 0:
			if pgerr.Code(err) != pgerr.DataCorrupted {
				t.Errorf("%d: error %v", i, err)
			}
		case err != nil || res.Rows != tc.want:
			t.Errorf("%d: %d rows, %v, want %d", i, res.Rows, err, tc.want)
		}
	}
}
