package columnar

import (
	"context"
	"fmt"
	"sync"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// NoRow stands for the row of a key that no visible row has.
const NoRow = ^visibility.RowID(0)

// Keys answers which rows of a Table have given keys.
//
// Where every chunk of an integer key ascends and no two overlap, it searches the chunks
// themselves; else it asks a hash index, which it makes if the table does not have it yet.
// Safe for concurrent use for as long as the Table is readable.
type Keys struct {
	table *Table
	key   []*Column
	spans *keySpans // of ascending chunks; nil if there is an index
	runs  []*keyRun
	frags []keyFrag // ascending by id; for the index
	group []int32   // position in frags of the first fragment with rows of each row group, and an end
	clean bool      // no row is deleted
	pool  sync.Pool // *findScratch
}

// keyFrag is the keys of a fragment of the table.
type keyFrag struct {
	first uint64 // id of row 0
	rows  int
	keys  *keyReader
}

// Keys prepares look-ups in the table's primary key. It costs O(fragments), and O(rows)
// where an index is built or rows have to be added to it; building can be cancelled.
//
// 42830 if the table has no primary key; 53200 if an index would exceed
// Options.MemoryLimit. The Table may be one of a Txn, whose own rows then count; it must
// not be used any more once the Txn has ended or was rolled back to a point before it.
func (t *Table) Keys(ctx context.Context) (*Keys, error) {
	for i := range t.schema.Constraints {
		if c := &t.schema.Constraints[i]; c.Kind == PrimaryKey {
			return t.keysOf(ctx, c)
		}
	}
	return nil, pgerr.New(pgerr.InvalidForeignKey, "there is no primary key for referenced table \"%s\"", t.schema.Name)
}

// keysOf prepares look-ups in the key of a unique constraint.
func (t *Table) keysOf(ctx context.Context, c *Constraint) (*Keys, error) {
	key, err := t.schema.keyColumns(c)
	if err != nil {
		return nil, err
	}
	k := &Keys{table: t, key: key, clean: t.deleted() == 0}
	if len(key) == 1 && integerKey(key[0].Type) {
		if k.spans = newKeySpans(t, key[0]); k.spans != nil {
			return k, nil
		}
	}
	if k.runs, err = t.keys.of(c.Columns).runs(ctx, t, key); err != nil {
		return nil, err
	}
	k.group = make([]int32, t.Groups()+1)
	err = mmap.Guard(func() (err error) {
		t.pieces(func(first visibility.RowID, p piece) {
			if err != nil {
				return
			}
			if first.Row() == 0 {
				k.group[first.Group()] = int32(len(k.frags))
			}
			f := keyFrag{first: uint64(first) - uint64(p.from), rows: p.frag.rows}
			if n := len(k.frags); n > 0 && k.frags[n-1].first == f.first {
				k.group[first.Group()] = int32(n - 1)
				return
			}
			f.keys, err = newKeyReader(p.frag, key)
			k.frags = append(k.frags, f)
		})
		return err
	})
	k.group[t.Groups()] = int32(len(k.frags))
	return k, err
}

// Columns returns the columns of the key; they must not be changed.
func (k *Keys) Columns() []*Column { return k.key }

// findScratch is what a batch of look-ups works with.
type findScratch struct {
	hash [keyBlock]uint64
	at   [keyBlock]int32 // positions in the batch that are not answered yet
	key  keyScratch
	ints [keyBlock]int64
	vec  [keyBlock]*Vec
	sink uint64
}

// Find stores in rows[i] the id of the visible row whose key is row i of keys, NoRow if
// there is none, and returns how many are NoRow.
//
// keys has a Vec of len(rows) rows for each column of the key, of the column's type but
// for the length of a varchar; a key with a null in it is none. They may be mapped
// memory. Big inputs are looked up in parts, each of some thousand keys, by as many
// goroutines as there are.
func (k *Keys) Find(ctx context.Context, keys []Vec, rows []visibility.RowID) (missing int, err error) {
	if len(keys) != len(k.key) {
		return 0, fmt.Errorf("columnar: find in table %s: %d columns, the key has %d", k.table.schema.Name, len(keys), len(k.key))
	}
	r := keyReader{form: keyFormOf(k.key), cols: make([]*Vec, len(keys))}
	for i := range keys {
		if keys[i].n != len(rows) || keys[i].typ.stored() != k.key[i].Type.stored() {
			return 0, fmt.Errorf("columnar: find in table %s: %d rows of %s for column %s, want %d of %s",
				k.table.schema.Name, keys[i].n, keys[i].typ, k.key[i].Name, len(rows), k.key[i].Type)
		}
		r.cols[i] = &keys[i]
	}
	err = mmap.Guard(func() (err error) {
		missing, err = k.find(ctx, &r, 0, rows)
		return err
	})
	return missing, err
}

// find is Find for the rows of r from a row on.
func (k *Keys) find(ctx context.Context, r *keyReader, from int, rows []visibility.RowID) (missing int, err error) {
	s, _ := k.pool.Get().(*findScratch)
	if s == nil {
		s = new(findScratch)
	}
	defer k.pool.Put(s)
	for at := 0; at < len(rows); at += keyBlock {
		if at%(8*keyBlock) == 0 {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		out := rows[at:min(at+keyBlock, len(rows))]
		if k.spans != nil {
			n, err := k.spans.find(r.cols[0], from+at, out, k, s)
			if err != nil {
				return 0, err
			}
			missing += n
		} else {
			missing += k.findHash(r, from+at, out, s)
		}
	}
	return missing, nil
}

// findHash looks a batch up in the runs. Each step is a loop whose iterations do not wait
// for each other, so that many cache misses are under way at a time.
func (k *Keys) findHash(r *keyReader, from int, out []visibility.RowID, s *findScratch) (missing int) {
	hs := s.hash[:len(out)]
	r.hashes(hs, from, &s.key)
	left := s.at[:0]
	for i, h := range hs {
		out[i] = NoRow
		if h != noKey {
			left = append(left, int32(i))
		}
	}
	missing = len(out)
	for _, run := range k.runs {
		if len(left) == 0 {
			break
		}
		if len(run.slots) > 1<<12 {
			for _, i := range left {
				_, _, at, _ := run.place(hs[i])
				s.sink += run.slots[at]
			}
		}
		n := 0
		for _, i := range left {
			if out[i] = k.findIn(run, r, from+int(i), hs[i], &s.key); out[i] == NoRow {
				left[n] = i
				n++
			}
		}
		missing -= len(left) - n
		left = left[:n]
	}
	return missing
}

// findIn looks row i of r up in a run.
func (k *Keys) findIn(run *keyRun, r *keyReader, i int, h uint64, s *keyScratch) visibility.RowID {
	lo, hi, at, print := run.place(h)
	for {
		e := run.slots[at]
		if e == 0 {
			return NoRow
		}
		if (e^print)>>keyRowBits == 0 {
			if id := run.from + e&keyRowMask - 1; k.has(id, r, i, s) {
				return visibility.RowID(id)
			}
		}
		if at++; at == hi {
			at = lo
		}
	}
}

// has reports whether the row id is visible and has the key of row i of r.
func (k *Keys) has(id uint64, r *keyReader, i int, s *keyScratch) bool {
	g := id >> visibility.GroupShift
	if g >= uint64(len(k.group)-1) || (!k.clean && !k.table.vis.Visible(visibility.RowID(id))) {
		return false
	}
	lo, hi := k.group[g], min(k.group[g+1]+1, int32(len(k.frags))) // the last one may begin in the next group
	for hi-lo > 1 {
		if m := (lo + hi) >> 1; k.frags[m].first <= id {
			lo = m
		} else {
			hi = m
		}
	}
	f := &k.frags[lo]
	if at := id - f.first; at < uint64(f.rows) {
		return r.equal(i, f.keys, int(at), s)
	}
	return false // behind the table's last row
}
