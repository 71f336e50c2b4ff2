package columnar

import (
	"context"
	"fmt"

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
	form  keyForm
	spans *keySpans // of ascending chunks; nil if there is an index
	runs  []*keyRun
	frags []keyFrag // ascending by id; for the index
	group []int32   // position in frags of the first fragment with rows of each row group, and an end
	clean bool      // no row is deleted
}

// keyFrag is the keys of a fragment of the table.
type keyFrag struct {
	first uint64 // id of row 0
	keys  keyReader
	width int // bytes of a key, if that is fixed
}

// Keys prepares look-ups in the table's primary key. It costs O(fragments), and O(rows)
// where an index is built or rows have to be added to it; building can be cancelled.
//
// 42830 if the table has no primary key; 53200 if an index would exceed
// Options.MemoryLimit. The Table may be one of a Txn, whose own rows then count; it must
// not be used any more once the Txn has ended or was rolled back to a point before it.
func (t *Table) Keys(ctx context.Context) (*Keys, error) {
	if c := t.schema.primaryKey(); c != nil {
		return t.keysOf(ctx, c)
	}
	return nil, pgerr.New(pgerr.InvalidForeignKey, "there is no primary key for referenced table \"%s\"", t.schema.Name)
}

// keysOf prepares look-ups in the key of a unique constraint.
func (t *Table) keysOf(ctx context.Context, c *Constraint) (*Keys, error) {
	key, err := t.schema.keyColumns(c)
	if err != nil {
		return nil, err
	}
	k := &Keys{table: t, key: key, form: keyFormOf(key), clean: t.deleted() == 0}
	if len(key) == 1 && integerKey(key[0].Type) {
		if k.spans = newKeySpans(t, key[0]); k.spans != nil {
			return k, nil
		}
	}
	if k.runs, err = t.keys.of(c.Columns).runs(ctx, t, key); err != nil {
		return nil, err
	}
	var cols []*Vec // for the fragments to come
	k.group = make([]int32, t.Groups()+1)
	err = mmap.Guard(func() (err error) {
		t.pieces(func(first visibility.RowID, p piece) {
			if err != nil {
				return
			}
			if first.Row() == 0 {
				k.group[first.Group()] = int32(len(k.frags))
			}
			f := keyFrag{first: uint64(first) - uint64(p.from), width: key[0].Type.Width()}
			if n := len(k.frags); n > 0 && k.frags[n-1].first == f.first {
				k.group[first.Group()] = int32(n - 1)
				return
			}
			if cap(cols) < len(key) {
				cols = make([]*Vec, 0, 64*len(key))
			}
			err = f.keys.open(p.frag, key, cols[:0:len(key)])
			cols = cols[len(key):len(key)]
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
	left [keyBlock]int32  // positions in the batch that are not answered yet
	slot [keyBlock]uint64 // the slot, or the row, to begin at
	id   [keyBlock]uint64 // of the row that may have the key
	ints [keyBlock]int64  // the keys
	got  [keyBlock]int64  // the keys of the rows
	vec  [keyBlock]*Vec   // the columns of the rows
	key  keyScratch
	sink uint64 // what is read to have it in the cache
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
	r := keyReader{form: k.form, cols: make([]*Vec, len(keys))}
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
	pool := &k.table.keys.scratch
	s, _ := pool.Get().(*findScratch)
	if s == nil {
		s = new(findScratch)
	}
	defer pool.Put(s)
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
	n := 0
	for i, h := range hs {
		out[i] = NoRow
		s.left[n] = int32(i)
		n += b2i(h != noKey)
	}
	missing = len(out)
	for _, run := range k.runs {
		if n == 0 {
			break
		}
		before := n
		n = k.findRun(run, r, from, out, n, s)
		missing -= before - n
	}
	return missing
}

// findRun looks the keys at s.left[:n] up in a run and returns how many are left.
func (k *Keys) findRun(run *keyRun, r *keyReader, from int, out []visibility.RowID, n int, s *findScratch) int {
	left := s.left[:n]
	rows := k.table.vis.Rows()
	sink := uint64(0)
	for j, i := range left {
		slots, at, _ := run.place(s.hash[i])
		s.slot[j] = uint64(at)
		sink += slots[at]
	}
	s.sink += sink
	for j, i := range left {
		s.id[j], s.slot[j] = run.next(s.hash[i], int(s.slot[j]), rows)
	}
	k.touch(s.id[:n], s)
	missed := 0
	for j, i := range left {
		id := s.id[j]
		for id != 0 && !k.has(id-1, r, from+int(i), &s.key) {
			id, s.slot[j] = run.next(s.hash[i], int(s.slot[j]), rows)
		}
		if id == 0 {
			left[missed] = i
			missed++
		} else {
			out[i] = visibility.RowID(id - 1)
		}
	}
	return missed
}

// next returns the id, plus 1, of the next row below rows that may have a key of hash h,
// from slot at on, and the slot behind; 0 if there is none.
func (r *keyRun) next(h uint64, at int, rows uint64) (id, slot uint64) {
	slots, _, print := r.place(h)
	for {
		e := slots[at]
		if e == 0 {
			return 0, uint64(at)
		}
		if at++; at == len(slots) {
			at = 0
		}
		if id := r.from + e&keyRowMask; (e^print)>>keyRowBits == 0 && id <= rows {
			return id, uint64(at)
		}
	}
}

// touch reads the keys of rows, whose ids are given plus 1, to have them in the cache.
func (k *Keys) touch(ids []uint64, s *findScratch) {
	if k.form == keyAny {
		return
	}
	sink := uint64(0)
	for j, id := range ids {
		if id == 0 {
			s.vec[j] = nil
			continue
		}
		f, at := k.locate(id - 1)
		v := f.keys.cols[0]
		s.vec[j], s.got[j] = v, int64(at)
		if v.offs != nil {
			sink += uint64(v.offs[at])
		} else {
			sink += uint64(v.fixed[at*f.width])
		}
	}
	s.sink += sink
	if k.form != keyBytes {
		return
	}
	for j, v := range s.vec[:len(ids)] {
		if v != nil && v.offs != nil {
			if at := int(v.offs[s.got[j]]); at < len(v.data) {
				sink += uint64(v.data[at])
			}
		}
	}
	s.sink += sink
}

// locate returns the fragment that holds the row id, which exists, and the row in it.
func (k *Keys) locate(id uint64) (*keyFrag, int) {
	g := id >> visibility.GroupShift
	lo := int(k.group[g])
	for lo+1 < len(k.frags) && k.frags[lo+1].first <= id {
		lo++
	}
	f := &k.frags[lo]
	return f, int(id - f.first)
}

// has reports whether the row id, which exists, is visible and has the key of row i of r.
func (k *Keys) has(id uint64, r *keyReader, i int, s *keyScratch) bool {
	if !k.clean && !k.table.vis.Visible(visibility.RowID(id)) {
		return false
	}
	f, at := k.locate(id)
	return r.equal(i, &f.keys, at, s)
}
