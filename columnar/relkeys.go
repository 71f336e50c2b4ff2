package columnar

import (
	"fmt"
	"sync"

	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// endKeys is what a rel table needs to be read with the keys of the nodes in place of their
// row ids.
type endKeys [2]struct {
	nodes *Table
	key   *Column
	once  sync.Once
	rows  *rowFinder // made by the first scan that wants the keys
}

// Keyed returns the table called name as people see it: of a rel table, "from" and "to" are
// the primary keys of the nodes, in its Schema, which is the one of LoadSchema, and in what
// scans of it give. Other tables are as Table returns them. 42P01 if there is none.
func (s *Snapshot) Keyed(name string) (*Table, error) { return s.ref.Value().keyed(name) }

// Keyed is Snapshot.Keyed for the tables as the transaction sees them.
func (t *Txn) Keyed(name string) (*Table, error) {
	if t.done {
		return nil, ErrTxnDone
	}
	return t.draft.keyed(name)
}

func (v *version) keyed(name string) (*Table, error) {
	t, err := v.table(name)
	if err != nil || t.schema.Rel == nil {
		return t, err
	}
	s, err := v.loadSchema(name)
	if err != nil {
		return nil, err
	}
	k := *t
	k.schema, k.keyed = s, new(endKeys)
	for _, e := range []end{fromEnd, toEnd} {
		k.keyed[e].nodes = v.tableOf(t.schema.Rel.node(e))
		if k.keyed[e].key, err = k.keyed[e].nodes.schema.nodeKey(); err != nil {
			return nil, err
		}
	}
	return &k, nil
}

// keys returns the keys of the nodes whose row ids v has. Of edges that are deleted the key
// is not defined, for the node may be gone; its row id is still one that the table has given.
func (k *endKeys) keys(e end, v *Vec) (out Vec, err error) {
	x := &k[e]
	err = mmap.Guard(func() error {
		x.once.Do(func() {
			var frags []*fragment
			x.nodes.pieces(func(_ visibility.RowID, p piece) {
				if p.from == 0 {
					frags = append(frags, p.frag)
				}
			})
			x.rows = findRows(frags)
		})
		ids := v.Int64s()
		at := make([]uint32, len(ids))
		for i, id := range ids {
			at[i] = uint32(id)
			if id < 0 || uint64(id) >= uint64(x.rows.starts[len(x.rows.frags)]) {
				return corrupt("log", -1, "an edge is %s row %d of table %s, which is not there", e, id, x.nodes.schema.Name)
			}
		}
		c := newColumnBuf(x.key.Type, len(ids))
		if err := x.rows.gather(at).column(&c, x.key); err != nil {
			return err
		}
		out = MakeVec(c.Type, len(ids), nil, c.Fixed, c.Bits, c.Offsets, c.Data, c.NaN)
		return nil
	})
	return out, err
}

// Gather returns a column of the given rows, in their order, in memory of its own. column is
// a position in the schema. The rows must exist; of deleted ones the values are not
// defined.
func (t *Table) Gather(ids []visibility.RowID, column int) (out Vec, err error) {
	if column < 0 || column >= len(t.schema.Columns) {
		return out, fmt.Errorf("columnar: gather column %d of table %s, which has %d", column, t.schema.Name, len(t.schema.Columns))
	}
	for _, id := range ids {
		if id >= t.NextRow() {
			return out, fmt.Errorf("columnar: gather row %d of table %s, which has %d", id, t.schema.Name, t.NextRow())
		}
	}
	col := t.schema.Columns[column]
	ends := t.keyed != nil && column <= toAt
	if ends {
		col.Type = Type{Kind: Int8} // as they are stored
	}
	err = mmap.Guard(func() error {
		c := newColumnBuf(col.Type, len(ids))
		if err := t.gatherRows(ids).column(&c, &col); err != nil {
			return err
		}
		out = MakeVec(c.Type, len(ids), c.Valid, c.Fixed, c.Bits, c.Offsets, c.Data, c.NaN)
		return nil
	})
	if err == nil && ends {
		return t.keyed.keys(end(column), &out)
	}
	return out, err
}
