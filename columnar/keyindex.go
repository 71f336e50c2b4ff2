package columnar

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// DuplicateError says which row of a load has a key that an earlier row has. It wraps
// the 23505 error that a statement ends with.
type DuplicateError struct {
	Err        *pgerr.Error
	Constraint string
	Row        int64            // position in the load
	Earlier    int64            // position of the earlier row in the load, -1 if it is in the table
	InTable    visibility.RowID // the earlier row, if Earlier is -1
}

// Error returns the message of the wrapped error.
func (e *DuplicateError) Error() string { return e.Err.Error() }

// Unwrap returns the 23505 error.
func (e *DuplicateError) Unwrap() error { return e.Err }

// checkUnique looks whether the fragments of a load, in row order, bring a key of a
// unique constraint a second time, and does with such rows what c says. Under
// ConflictError the smallest such row is a *DuplicateError. The caller holds the write
// lock.
//
// What it costs follows the keys. Keys that ascend and lie outside the ranges of the
// table's chunks need no look at a row; keys inside the range of ascending chunks are
// searched there; only otherwise a hash index of the table's keys is built, sized once
// from the row count, and kept for the next load.
func (s *Store) checkUnique(ctx context.Context, t *Table, frags []*fragment, c *conflicts) error {
	var checks []*uniqueCheck
	for i := range t.schema.Constraints {
		k := &t.schema.Constraints[i]
		if k.Kind == Check || len(frags) == 0 {
			continue
		}
		key, err := t.schema.keyColumns(k)
		if err != nil {
			return err
		}
		checks = append(checks, &uniqueCheck{ctx: ctx, store: s, table: t, frags: frags, constraint: k, key: key,
			c: c, readers: map[*fragment]*keyReader{}})
	}
	return mmap.Guard(func() error { return runChecks(checks, c) })
}

func runChecks(checks []*uniqueCheck, c *conflicts) error {
	switch {
	case c.policy == ConflictIgnore && len(checks) > 1:
		return ignoreAny(checks)
	case c.policy == ConflictReplace:
		target, err := replaceTarget(checks)
		if err != nil || target == nil {
			return err
		}
		if err := target.run(); err != nil {
			return err
		}
		checks = slices.DeleteFunc(checks, func(u *uniqueCheck) bool { return u == target })
		for _, u := range checks {
			u.strict = true
		}
	}
	var first *DuplicateError
	for _, u := range checks {
		var dup *DuplicateError
		if err := u.run(); errors.As(err, &dup) {
			if first == nil || dup.Row < first.Row {
				first = dup
			}
		} else if err != nil {
			return err
		}
	}
	if first != nil {
		return first
	}
	return nil
}

// uniqueCheck is the check of one constraint for one load.
type uniqueCheck struct {
	ctx        context.Context
	store      *Store
	table      *Table
	frags      []*fragment
	constraint *Constraint
	key        []*Column
	c          *conflicts
	strict     bool // a duplicate is an error whatever c says
	readers    map[*fragment]*keyReader
}

func (u *uniqueCheck) run() error {
	if len(u.key) == 1 && integerKey(u.key[0].Type) {
		ascend, lo, hi := u.ascending()
		old, sorted := u.overlapping(lo, hi)
		switch {
		case len(old) == 0 && ascend:
			return nil
		case len(old) == 0:
			return u.probe(nil)
		case sorted && ascend:
			return u.search(old)
		}
	} else if u.table.Rows() == 0 {
		return u.probe(nil)
	}
	ix, err := u.store.keyIndex(u)
	if err != nil {
		return err
	}
	return u.probe(ix)
}

// ascending returns whether the load's keys strictly increase over all fragments, and
// their range.
func (u *uniqueCheck) ascending() (ok bool, lo, hi Value) {
	ok = true
	for i, f := range u.frags {
		z := &f.find(u.key[0].ID).zone
		if ok = ok && z.Ascending; !z.HasBounds {
			ok = false
			continue
		}
		if i > 0 && (!u.frags[i-1].find(u.key[0].ID).zone.HasBounds || CompareValues(z.Min, hi) <= 0) {
			ok = false
		}
		if lo.Type == (Type{}) || CompareValues(z.Min, lo) < 0 {
			lo = z.Min
		}
		if hi.Type == (Type{}) || CompareValues(z.Max, hi) > 0 {
			hi = z.Max
		}
	}
	return ok, lo, hi
}

// span is a fragment of the table whose keys may be among the load's.
type span struct {
	frag  *fragment
	zone  *Zone
	first visibility.RowID
}

// overlapping returns the table's fragments with keys in [lo, hi], ordered by key;
// sorted is true if their keys ascend and no two of them overlap.
func (u *uniqueCheck) overlapping(lo, hi Value) (spans []span, sorted bool) {
	if lo.Type == (Type{}) {
		return nil, true // every key of the load is null
	}
	sorted = true
	u.table.pieces(func(first visibility.RowID, p piece) {
		if p.from != 0 || len(p.frag.chunks) == 0 {
			return
		}
		k := p.frag.find(u.key[0].ID)
		if k == nil { // older than the column: every row holds the column's Missing
			sorted = false
			spans = append(spans, span{frag: p.frag, zone: &Zone{}, first: first})
			return
		}
		if k.zone.overlap(lo, hi) {
			sorted = sorted && k.zone.Ascending
			spans = append(spans, span{p.frag, &k.zone, first})
		}
	})
	if !sorted {
		return spans, false
	}
	slices.SortFunc(spans, func(a, b span) int { return CompareValues(a.zone.Min, b.zone.Min) })
	for i := 1; i < len(spans); i++ {
		if CompareValues(spans[i].zone.Min, spans[i-1].zone.Max) <= 0 {
			return spans, false
		}
	}
	return spans, true
}

// search looks every key of an ascending load up in ascending fragments, both in order.
func (u *uniqueCheck) search(spans []span) error {
	row := int64(0)
	for _, f := range u.frags {
		r, err := u.reader(f)
		if err != nil {
			return err
		}
		for i := range f.rows {
			if err := u.wanted(i); err != nil {
				return err
			}
			x := r.cols[0].int(i)
			for len(spans) > 0 && spans[0].zone.Max.I < x {
				spans = spans[1:]
			}
			if len(spans) == 0 {
				return nil
			}
			if x >= spans[0].zone.Min.I {
				old, err := u.reader(spans[0].frag)
				if err != nil {
					return err
				}
				at := old.cols[0].search(x)
				if id := spans[0].first + visibility.RowID(at); at >= 0 && u.table.vis.Visible(id) && !u.c.replaces(id) && !u.c.skips(row+int64(i)) {
					if err := u.conflict(r, i, row+int64(i), -1, id); err != nil {
						return err
					}
				}
			}
		}
		row += int64(f.rows)
	}
	return nil
}

// ctxRows is after how many rows a check looks whether it is still wanted.
const ctxRows = 1 << 14

// wanted returns the context's error at every ctxRows-th row.
func (u *uniqueCheck) wanted(row int) error {
	if row%ctxRows != 0 {
		return nil
	}
	return u.ctx.Err()
}

// reader returns the key reader of a fragment.
func (u *uniqueCheck) reader(f *fragment) (*keyReader, error) {
	if r := u.readers[f]; r != nil {
		return r, nil
	}
	r := &keyReader{}
	if err := r.reset(f, u.key); err != nil {
		return nil, err
	}
	u.readers[f] = r
	return r, nil
}

// conflict does with row, whose key an earlier row has, what the load wants.
func (u *uniqueCheck) conflict(r *keyReader, i int, row, earlier int64, inTable visibility.RowID) error {
	switch {
	case u.strict || u.c.policy == ConflictError:
		return u.duplicate(r, i, row, earlier, inTable)
	case u.c.policy == ConflictIgnore:
		u.c.skip(row)
	case earlier >= 0:
		u.c.skip(earlier)
	default:
		u.c.replace(inTable)
	}
	return nil
}

func (u *uniqueCheck) duplicate(r *keyReader, i int, row, earlier int64, inTable visibility.RowID) error {
	var names []string
	for _, c := range u.key {
		names = append(names, c.Name)
	}
	e := pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint \"%s\"", u.constraint.Name).
		WithDetail("Key (%s)=(%s) already exists.", strings.Join(names, ", "), r.text(i))
	e.Table = u.table.schema.Name
	return &DuplicateError{Err: e, Constraint: u.constraint.Name, Row: row, Earlier: earlier, InTable: inTable}
}

// probe puts the load's keys into ix one after another, unless one is there already. A
// nil ix is a new one for the load alone.
func (u *uniqueCheck) probe(ix *keyIndex) error {
	base, err := u.room(&ix)
	if err != nil {
		return err
	}
	at := base
	for _, f := range u.frags {
		r, err := u.reader(f)
		if err != nil {
			return err
		}
		for i := range f.rows {
			if err := u.wanted(i); err != nil {
				return err
			}
			if h, ok := r.hash(i); ok && !u.c.skips(int64(at-base)) {
				id, hit, err := ix.find(h, func(id uint64) (bool, error) { return u.same(r, i, id, base, at) })
				if err == nil && hit {
					err = u.conflict(r, i, int64(at-base), earlierRow(id, base), visibility.RowID(id))
				}
				if err != nil {
					return err
				}
				if !u.c.skips(int64(at - base)) {
					ix.put(h, at)
				}
			}
			at++
		}
	}
	if ix.rows = at; u.c.skipped > 0 {
		ix.rows = base // the rows get other ids than they were entered with
	}
	return nil
}

// earlierRow returns the position in the load of a row id of an index, -1 if it is the
// table's.
func earlierRow(id, base uint64) int64 {
	if id < base {
		return -1
	}
	return int64(id - base)
}

// room makes *ix an index with room for the load's keys and returns the row id that
// the first of them gets in it.
func (u *uniqueCheck) room(ix **keyIndex) (base uint64, err error) {
	rows := 0
	for _, f := range u.frags {
		rows += f.rows
	}
	if *ix == nil {
		*ix = &keyIndex{}
		return 0, (*ix).size(u.store, rows)
	}
	if base = (*ix).rows; (*ix).full(rows) {
		err = (*ix).rebuild(u, int(base)+rows)
	}
	return base, err
}

// same reports whether the row id of an index entry has the key of row i of r. Rows
// from base on are the load's, of which those below at are in the index; an entry may
// name a row that is gone, or was rolled back.
func (u *uniqueCheck) same(r *keyReader, i int, id, base, at uint64) (bool, error) {
	if id >= at || (id >= base && u.c.skips(int64(id-base))) {
		return false, nil
	}
	var f *fragment
	row := 0
	if id < base {
		if !u.table.vis.Visible(visibility.RowID(id)) || u.c.replaces(visibility.RowID(id)) {
			return false, nil
		}
		var p piece
		p, row = u.table.locate(visibility.RowID(id))
		f = p.frag
	} else {
		rest := int(id - base)
		for _, g := range u.frags {
			if f, row = g, rest; rest < g.rows {
				break
			}
			rest -= g.rows
		}
	}
	other, err := u.reader(f)
	if err != nil {
		return false, err
	}
	return r.equal(i, other, row), nil
}

// keyIndex is a hash table from keys to row ids, open addressing, at most 3/4 full. A
// slot is 24 bits of the hash and 40 bits of row id + 1; the key itself is read from
// the row, so an entry that is out of date is harmless and only a missing one is not.
// Owned by the writer.
type keyIndex struct {
	epoch *keyIndexes
	rows  uint64 // every row id below is in it, if it has a key and was visible then
	slots []uint64
	used  int
	bytes int64
}

const keyRowBits = 40

// keyIndex returns the index of the constraint, brought up to the table's rows.
func (s *Store) keyIndex(u *uniqueCheck) (*keyIndex, error) {
	name := indexName{u.table.schema.ID, u.constraint.Name}
	ix := s.keys[name]
	rows := u.table.vis.Rows()
	if ix != nil && (ix.epoch != u.table.keys || ix.full(int(rows-min(rows, ix.rows)))) {
		ix.drop(s)
		ix = nil
	}
	if ix == nil {
		ix = &keyIndex{epoch: u.table.keys}
		if err := ix.size(s, int(rows)+int(rows)/2); err != nil {
			return nil, err
		}
		if s.keys == nil {
			s.keys = map[indexName]*keyIndex{}
		}
		s.keys[name] = ix
	}
	return ix, ix.extend(u)
}

// indexName says whose index it is.
type indexName struct {
	table      uint32
	constraint string
}

// forgetRows says that rows from the head version's end on may have been rolled back.
func (s *Store) forgetRows(v *version) {
	for name, ix := range s.keys {
		d := v.draft()
		slot := d.slotOf(name.table)
		if slot < 0 || v.tables[slot].keys != ix.epoch {
			ix.drop(s)
			delete(s.keys, name)
			continue
		}
		ix.rows = min(ix.rows, v.tables[slot].vis.Rows())
	}
}

// size makes room for n keys, within the store's memory limit.
func (ix *keyIndex) size(s *Store, n int) error {
	slots := 1 << bits.Len(uint(n+n/3+16))
	bytes := int64(slots) * 8
	if limit := s.opt.MemoryLimit; limit > 0 && s.keyBytes.Load()+bytes > limit {
		return pgerr.New(pgerr.OutOfMemory, "a key index for %d rows needs %d bytes", n, bytes).
			WithDetail("The memory limit is %d bytes, of which key indexes hold %d.", limit, s.keyBytes.Load()).
			WithHint("Raise the memory limit, or load rows in ascending order of their key.")
	}
	ix.slots = make([]uint64, slots)
	ix.used = 0
	return nil
}

// keep counts the index's memory as held by the store.
func (ix *keyIndex) keep(s *Store) {
	s.keyBytes.Add(int64(len(ix.slots))*8 - ix.bytes)
	ix.bytes = int64(len(ix.slots)) * 8
}

func (ix *keyIndex) drop(s *Store) {
	s.keyBytes.Add(-ix.bytes)
	ix.bytes, ix.slots = 0, nil
}

// full reports whether n keys more would fill it too far.
func (ix *keyIndex) full(n int) bool { return (ix.used+n)*4 > len(ix.slots)*3 }

// rebuild makes the index anew with room for n keys.
func (ix *keyIndex) rebuild(u *uniqueCheck, n int) error {
	ix.rows = 0
	if err := ix.size(u.store, n+n/2); err != nil {
		return err
	}
	return ix.extend(u)
}

// extend puts the table's visible rows from ix.rows on into the index.
func (ix *keyIndex) extend(u *uniqueCheck) error {
	ix.keep(u.store)
	var failed error
	u.table.pieces(func(first visibility.RowID, p piece) {
		if failed != nil || uint64(first)+uint64(p.rows) <= ix.rows {
			return
		}
		r, err := u.reader(p.frag)
		if err != nil {
			failed = err
			return
		}
		for i := range int(p.rows) {
			id := first + visibility.RowID(i)
			if failed = u.wanted(i); failed != nil {
				return
			}
			if uint64(id) < ix.rows || !u.table.vis.Visible(id) {
				continue
			}
			if h, ok := r.hash(int(p.from) + i); ok {
				ix.put(h, uint64(id))
			}
		}
	})
	if failed == nil {
		ix.rows = u.table.vis.Rows()
	}
	return failed
}

// put adds an entry.
func (ix *keyIndex) put(h, id uint64) {
	mask := uint64(len(ix.slots) - 1)
	i := h & mask
	for ix.slots[i] != 0 {
		i = (i + 1) & mask
	}
	ix.slots[i] = h>>keyRowBits<<keyRowBits | (id + 1)
	ix.used++
}

// find calls same with the row id of each entry that may have a key of hash h until it
// says yes.
func (ix *keyIndex) find(h uint64, same func(id uint64) (bool, error)) (id uint64, hit bool, err error) {
	mask := uint64(len(ix.slots) - 1)
	for i := h & mask; ix.slots[i] != 0; i = (i + 1) & mask {
		if (ix.slots[i]^h)>>keyRowBits != 0 {
			continue
		}
		id := ix.slots[i]&(1<<keyRowBits-1) - 1
		hit, err := same(id)
		if hit || err != nil {
			return id, hit, err
		}
	}
	return 0, false, nil
}

// keyIndexes are the key indexes of a table.
type keyIndexes struct{ store *Store }
