package torture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

var ctx = context.Background()

// engine is a way to run statements.
type engine interface {
	// prepare creates the tables that are absent.
	prepare() error
	// run commits a statement; nil acknowledges it.
	run(statement) error
	// digest describes the latest commit, after a complete check of the store.
	digest() (string, error)
	close() error
}

// direct runs statements on columnar, with small limits so that every path is taken.
type direct struct{ s *columnar.Store }

func openDirect(dir string, d columnar.Durability) (*direct, error) {
	s, err := columnar.Open(ctx, dir, columnar.Options{InlineBytes: 8 << 10, LogBytes: 128 << 10, Durability: d})
	if err != nil {
		return nil, err
	}
	return &direct{s}, nil
}

func schema(name string) *columnar.Schema {
	return &columnar.Schema{Name: name, Columns: []columnar.Column{
		{Name: "id", Type: columnar.Type{Kind: columnar.Int8}, NotNull: true},
		{Name: "v", Type: columnar.Type{Kind: columnar.Int4}},
		{Name: "s", Type: columnar.Type{Kind: columnar.Text}},
	}}
}

func (e *direct) close() error { return e.s.Close() }

func (e *direct) digest() (string, error) {
	if _, err := e.s.Check(ctx, nil); err != nil {
		return "", err
	}
	snap, err := e.s.Snapshot()
	if err != nil {
		return "", err
	}
	defer snap.Release()
	return digestOf(snap.Tables())
}

func (e *direct) prepare() error {
	return e.write(func(tx *columnar.Txn) error {
		if len(tx.Tables()) > 0 {
			return nil
		}
		for _, name := range tableNames {
			if err := tx.CreateTable(schema(name)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *direct) write(fn func(*columnar.Txn) error) error {
	tx, err := e.s.BeginWrite(ctx)
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

func (e *direct) run(st statement) error {
	switch st[0].kind {
	case checkpoint:
		return e.s.Checkpoint(ctx)
	case vacuum:
		return e.s.Vacuum(ctx)
	}
	return e.write(func(tx *columnar.Txn) error {
		for _, o := range st {
			if err := e.do(tx, o); err != nil {
				return fmt.Errorf("%v: %w", st, err)
			}
		}
		return nil
	})
}

func (e *direct) do(tx *columnar.Txn, o op) error {
	switch o.kind {
	case truncate:
		return tx.TruncateTable(o.table)
	case recreate:
		if err := tx.DropTable(o.table); err != nil {
			return err
		}
		return tx.CreateTable(schema(o.table))
	case remove:
		return e.remove(tx, o)
	}
	tab, err := tx.Table(o.table)
	if err != nil {
		return err
	}
	l, err := e.load(tab.Schema(), o)
	if err != nil {
		return err
	}
	defer l.Abort()
	_, err = tx.Append(ctx, o.table, l)
	return err
}

// load makes a planned load if the first id is even, a stream otherwise.
func (e *direct) load(s *columnar.Schema, o op) (*columnar.Load, error) {
	const most = 512
	p := columnar.LoadPlan{Schema: s}
	if o.from%2 == 0 {
		for left := o.to - o.from; left > 0; left -= most {
			p.Fragments = append(p.Fragments, int(min(left, most)))
		}
		p.VarBytes = 300 * (o.to - o.from)
	}
	l, err := e.s.NewLoad(ctx, p)
	if err != nil {
		return nil, err
	}
	for i, id := 0, o.from; id < o.to; i++ {
		rows := int(min(o.to-id, most))
		w, err := l.Fragment(i, rows)
		if err == nil {
			err = mmap.Guard(func() error {
				for r := range rows {
					w.Cols[0].SetValue(r, columnar.Value{Type: w.Cols[0].Type, I: id})
					w.Cols[1].SetValue(r, columnar.Value{Type: w.Cols[1].Type, I: number(id), Null: number(id) < 0})
					w.Cols[2].SetValue(r, columnar.Value{Type: w.Cols[2].Type, S: text(id)})
					id++
				}
				return nil
			})
		}
		if err == nil {
			err = w.Finish(rows)
		}
		if err != nil {
			l.Abort()
			return nil, err
		}
	}
	return l, nil
}

func (e *direct) remove(tx *columnar.Txn, o op) error {
	tab, err := tx.Table(o.table)
	if err != nil {
		return err
	}
	var ids []visibility.RowID
	err = mmap.Guard(func() error {
		for b, err := range tab.Scan(ctx, columnar.ScanOptions{Columns: []int{0}}) {
			if err != nil {
				return err
			}
			for r, id := range b.Cols[0].Int64s() {
				if id >= o.from && id < o.to {
					ids = append(ids, b.First+visibility.RowID(r))
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = tx.Delete(o.table, ids)
	return err
}

// facade runs statements as a user of the library does.
type facade struct{ db *ingot.DB }

func openFacade(dir string, d columnar.Durability) (*facade, error) {
	db, err := ingot.Open(ctx, dir, ingot.Options{Durability: d})
	if err != nil {
		return nil, err
	}
	return &facade{db}, nil
}

func (e *facade) close() error { return e.db.Close() }

func (e *facade) digest() (string, error) {
	if _, err := e.db.Check(ctx, nil); err != nil {
		return "", err
	}
	snap, err := e.db.Snapshot()
	if err != nil {
		return "", err
	}
	defer snap.Release()
	return digestOf(snap.Tables())
}

const createText = "CREATE TABLE %s (id int8 NOT NULL, v int4, s text)"

func (e *facade) prepare() error {
	info, err := e.db.Info()
	if err != nil || len(info) == len(tableNames) {
		return err
	}
	for _, name := range tableNames {
		if slices.ContainsFunc(info, func(t ingot.TableInfo) bool { return t.Name == name }) {
			continue
		}
		if _, err := e.db.Exec(ctx, fmt.Sprintf(createText, name)); err != nil {
			return err
		}
	}
	return nil
}

func (e *facade) run(st statement) error {
	switch st[0].kind {
	case checkpoint:
		_, err := e.db.Exec(ctx, "CHECKPOINT")
		return err
	case vacuum:
		_, err := e.db.Exec(ctx, "VACUUM")
		return err
	}
	if len(st) == 1 && st[0].kind != recreate { // a statement of its own
		o := st[0]
		if o.kind == load {
			_, err := e.db.CopyFrom(ctx, o.table, strings.NewReader(csv(o)), "")
			return err
		}
		_, err := e.db.Exec(ctx, o.sql())
		return err
	}
	tx, err := e.db.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, o := range st {
		switch o.kind {
		case load:
			_, err = tx.CopyFrom(ctx, o.table, strings.NewReader(csv(o)), "")
		case recreate:
			if _, err = tx.Exec(ctx, "DROP TABLE "+o.table); err == nil {
				_, err = tx.Exec(ctx, fmt.Sprintf(createText, o.table))
			}
		default:
			_, err = tx.Exec(ctx, o.sql())
		}
		if err != nil {
			return fmt.Errorf("%v: %w", st, err)
		}
	}
	return tx.Commit(ctx)
}

func (o op) sql() string {
	if o.kind == remove {
		return fmt.Sprintf("DELETE FROM %s WHERE id >= %d AND id < %d", o.table, o.from, o.to)
	}
	return "TRUNCATE " + o.table
}

// csv returns the rows of a load.
func csv(o op) string {
	var b strings.Builder
	for id := o.from; id < o.to; id++ {
		if n := number(id); n < 0 {
			fmt.Fprintf(&b, "%d,,\"%s\"\n", id, text(id))
		} else {
			fmt.Fprintf(&b, "%d,%d,\"%s\"\n", id, n, text(id))
		}
	}
	return b.String()
}
