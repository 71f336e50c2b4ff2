package columnar

import (
	"context"

	"github.com/ingotdb/ingot/visibility"
)

// nodeKeys answers which rows of a node table have given keys, from a map.
type nodeKeys struct{ rows map[string]visibility.RowID }

func (t *Table) nodeKeys(ctx context.Context) (*nodeKeys, error) {
	key, err := t.schema.nodeKey()
	if err != nil {
		return nil, err
	}
	k := &nodeKeys{rows: map[string]visibility.RowID{}}
	t.pieces(func(first visibility.RowID, p piece) {
		var r keyReader
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || len(p.frag.chunks) == 0 {
			return
		}
		if err = r.reset(p.frag, []*Column{key}); err != nil {
			return
		}
		for i := range int(p.rows) {
			if id := first + visibility.RowID(i); t.vis.Visible(id) {
				b, _ := r.append(nil, int(p.from)+i)
				k.rows[string(b)] = id
			}
		}
	})
	return k, err
}

// Find stores the row ids of keys, all bits set where there is none.
func (k *nodeKeys) Find(_ context.Context, keys []Vec, rows []visibility.RowID) (missing int, err error) {
	r := keyReader{cols: keys}
	for i := range rows {
		b, ok := r.append(nil, i)
		id, there := k.rows[string(b)]
		if !ok || !there {
			id = ^visibility.RowID(0)
			missing++
		}
		rows[i] = id
	}
	return missing, nil
}
