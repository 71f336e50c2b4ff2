package columnar

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// OnConflict says what becomes of a row that brings a key of a unique constraint again.
type OnConflict uint8

const (
	// ConflictError ends the load with a *DuplicateError.
	ConflictError OnConflict = iota
	// ConflictIgnore leaves the row out: what was there first stays.
	ConflictIgnore
	// ConflictReplace deletes the row that was there: what comes last stays. The key is
	// the primary key, or the only unique constraint; other constraints are errors.
	ConflictReplace
)

// Appended says what became of the rows of a load.
type Appended struct {
	First    visibility.RowID // id of the first row, if Rows > 0
	Rows     int64            // added to the table
	Skipped  int64            // left out: under ignore those whose key was there, under replace those that a later row of the load replaced
	Replaced int64            // rows of the table that were deleted for new ones
	Missing  int64            // edges left out because an end is not there; see Load.Missing
}

// conflicts collects what the policy does to a load.
type conflicts struct {
	policy  OnConflict
	bits    []uint64 // rows of the load that are left out
	skipped int64
	deletes []visibility.RowID // rows of the table that go; ascending once all are known
	workers int                // goroutines to check keys with; 0 is the number of processors
}

// skips reports whether a row of the load is left out.
func (c *conflicts) skips(row int64) bool {
	return int(row>>6) < len(c.bits) && bit(c.bits, int(row))
}

// skip leaves a row of the load out.
func (c *conflicts) skip(row int64) {
	if need := int(row>>6) + 1; len(c.bits) < need {
		c.bits = append(c.bits, make([]uint64, need-len(c.bits))...)
	}
	if !c.skips(row) {
		c.bits[row>>6] |= 1 << (row & 63)
		c.skipped++
	}
}

// replaced reports whether a row of the table is to be deleted.
func (c *conflicts) replaced(id visibility.RowID) bool {
	_, ok := slices.BinarySearch(c.deletes, id)
	return ok
}

// ascendingIDs returns distinct row ids, all below rows, in order. It may change ids. Many
// are put into a bitmap, which takes a twentieth of the time that sorting 3 million does.
func ascendingIDs(ids []visibility.RowID, rows uint64) []visibility.RowID {
	if uint64(len(ids))*64 < rows {
		slices.Sort(ids)
		return ids
	}
	words := make([]uint64, (rows+63)/64)
	for _, id := range ids {
		words[id>>6] |= 1 << (id & 63)
	}
	out := ids[:0]
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			out = append(out, visibility.RowID(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return out
}

// replaceTarget returns the check whose constraint ConflictReplace is about; nil if the
// table has no unique constraint.
func replaceTarget(checks []*uniqueCheck) (*uniqueCheck, error) {
	if len(checks) == 0 {
		return nil, nil
	}
	if i := slices.IndexFunc(checks, func(u *uniqueCheck) bool { return u.constraint.Kind == PrimaryKey }); i >= 0 {
		return checks[i], nil
	}
	if len(checks) > 1 {
		return nil, pgerr.New(pgerr.InvalidColumnReference, "table \"%s\" has several unique constraints and no primary key to replace rows by", checks[0].table.schema.Name).
			WithHint("Give the table a primary key, or use ON_CONFLICT ignore.")
	}
	return checks[0], nil
}

// ignoreAny leaves out the rows that have a key of any constraint again. A row that is
// left out for one constraint does not count for the others, so what the load brings
// itself is looked at row by row.
func ignoreAny(checks []*uniqueCheck) error {
	c, rows := checks[0].c, checks[0].rows
	seen := make([]loadIndex, len(checks))
	for k, u := range checks {
		release, err := u.table.keys.reserve(rows)
		if err != nil {
			return err
		}
		defer release()
		if u.table.Rows() > 0 {
			if _, err := u.lookUp(nil); err != nil {
				return err
			}
		}
		seen[k] = newLoadIndex(u)
	}
	return mmap.Guard(func() error {
		hashes := make([][keyBlock]uint64, len(checks))
		for f := range checks[0].frags {
			for at := 0; at < checks[0].frags[f].rows; at += keyBlock {
				if err := checks[0].ctx.Err(); err != nil {
					return err
				}
				n := min(keyBlock, checks[0].frags[f].rows-at)
				for k, u := range checks {
					u.readers[f].hashes(hashes[k][:n], at, &seen[k].scratch)
				}
				for i := range n {
					row := checks[0].firsts[f] + int64(at+i)
					if c.skips(row) {
						continue
					}
					again := false
					for k := range seen {
						again = again || seen[k].has(hashes[k][i], row)
					}
					if again {
						c.skip(row)
						continue
					}
					for k := range seen {
						seen[k].put(hashes[k][i], row)
					}
				}
			}
		}
		return nil
	})
}

// loadIndex is a hash table of the rows of a load that were kept so far, by one of its
// keys. A slot is as in a keyRun.
type loadIndex struct {
	check   *uniqueCheck
	slots   []uint64 // twice as many as rows, a power of two
	scratch keyScratch
}

func newLoadIndex(u *uniqueCheck) loadIndex {
	return loadIndex{check: u, slots: make([]uint64, 1<<bits.Len(uint(2*u.rows)))}
}

// has reports whether a row that was put has the key of row, whose hash is h.
func (x *loadIndex) has(h uint64, row int64) bool {
	if h == noKey {
		return false
	}
	mask := uint64(len(x.slots) - 1)
	for i := h & mask; x.slots[i] != 0; i = (i + 1) & mask {
		if (x.slots[i]^h)>>keyRowBits == 0 {
			a, i1 := x.check.reader(row)
			b, i2 := x.check.reader(int64(x.slots[i]&keyRowMask - 1))
			if a.equal(i1, b, i2, &x.scratch) {
				return true
			}
		}
	}
	return false
}

// put adds a row.
func (x *loadIndex) put(h uint64, row int64) {
	if h == noKey {
		return
	}
	mask := uint64(len(x.slots) - 1)
	i := h & mask
	for x.slots[i] != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = h>>keyRowBits<<keyRowBits | uint64(row+1)
}

// without returns a load that has the rows of l that c does not leave out, and gives l
// up. Rows close up within their fragment: a hole is never published.
func (l *Load) without(ctx context.Context, c *conflicts) (*Load, error) {
	out, err := l.store.NewLoad(ctx, LoadPlan{Schema: l.schema})
	if err != nil {
		return nil, err
	}
	err = mmap.Guard(func() error {
		row := int64(0)
		for _, f := range l.frags {
			kept, err := f.without(c, row)
			if err != nil {
				return err
			}
			row += int64(f.rows)
			if kept.rows == 0 {
				continue
			}
			if err := out.add(kept); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = out.Sync(ctx)
	}
	if err != nil {
		out.Abort()
		return nil, err
	}
	l.discard()
	return out, nil
}

// add puts a fragment in memory behind those of a load of unknown size.
func (l *Load) add(f *fragment) error {
	w := FragmentWriter{load: l, index: len(l.frags)}
	return w.place(f)
}

// without returns, in memory, the rows of f that c does not leave out; first is the
// position of f's first row in the load.
func (f *fragment) without(c *conflicts, first int64) (*fragment, error) {
	var keep []int32
	for i := range f.rows {
		if !c.skips(first + int64(i)) {
			keep = append(keep, int32(i))
		}
	}
	out := &fragment{rows: len(keep), chunks: make([]chunk, len(f.chunks))}
	for i := range f.chunks {
		k, o := &f.chunks[i], &out.chunks[i]
		v, err := f.open(k)
		if err != nil {
			return nil, err
		}
		o.col, o.typ = k.col, k.typ
		o.vec = new(Packed).Take(v, keep)
		nulls := 0
		if o.vec.valid != nil {
			if nulls = out.rows - kernels.PopCount(o.vec.valid, out.rows); nulls == 0 {
				o.vec.valid = nil
			}
		}
		o.zone = zoneOf(&o.vec, nulls)
		o.loc.size = layoutOf(o.typ, o.vec.valid == nil, out.rows).size
		o.loc.outLen = int64(len(o.vec.data))
	}
	return out, nil
}

// errTaken says that a load cannot be appended again.
var errTaken = errors.New("columnar: load was aborted or appended before")
