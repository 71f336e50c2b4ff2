package columnar

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

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
// table's chunks need no look at a row. Keys that do not ascend are compared with each
// other in a run of a key index; keys inside the ranges of the chunks are looked up, as
// Keys does it. Every key is judged by itself, so the parts of the load can be looked at
// by any number of goroutines, in any order, with one result.
func (s *Store) checkUnique(ctx context.Context, t *Table, frags []*fragment, c *conflicts) error {
	var checks []*uniqueCheck
	for i := range t.schema.Constraints {
		k := &t.schema.Constraints[i]
		if k.Kind == Check || len(frags) == 0 {
			continue
		}
		u := &uniqueCheck{ctx: ctx, table: t, frags: frags, constraint: k, c: c}
		var err error
		if u.key, err = t.schema.keyColumns(k); err != nil {
			return err
		}
		if err := u.open(); err != nil {
			return err
		}
		checks = append(checks, u)
	}
	switch {
	case c.policy == ConflictIgnore && len(checks) > 1:
		return ignoreAny(checks)
	case c.policy == ConflictReplace:
		target, err := replaceTarget(checks)
		if err != nil || target == nil {
			return err
		}
		if _, err := target.run(); err != nil {
			return err
		}
		c.deletes = ascendingIDs(c.deletes, t.vis.Rows())
		checks = slices.DeleteFunc(checks, func(u *uniqueCheck) bool { return u == target })
		for _, u := range checks {
			u.strict = true
		}
	}
	var first *DuplicateError
	for _, u := range checks {
		dup, err := u.run()
		if err != nil {
			return err
		}
		first = dup.before(first)
	}
	if first != nil {
		return first
	}
	return nil
}

// before returns the one of two errors, which may be nil, with the smaller row.
func (e *DuplicateError) before(other *DuplicateError) *DuplicateError {
	if e == nil || (other != nil && other.Row <= e.Row) {
		return other
	}
	return e
}

// uniqueCheck is the check of one constraint for one load.
type uniqueCheck struct {
	ctx        context.Context
	table      *Table
	frags      []*fragment
	constraint *Constraint
	key        []*Column
	c          *conflicts
	strict     bool // a duplicate is an error whatever c says

	readers []*keyReader // of frags
	firsts  []int64      // positions in the load of the first rows of frags
	rows    int
}

// open prepares reading the load's keys.
func (u *uniqueCheck) open() error {
	return mmap.Guard(func() error {
		for _, f := range u.frags {
			r, err := newKeyReader(f, u.key)
			if err != nil {
				return err
			}
			u.readers = append(u.readers, r)
			u.firsts = append(u.firsts, int64(u.rows))
			u.rows += f.rows
		}
		return nil
	})
}

// run does the check. The error of a smallest row that may not be is returned apart from
// those that say that the check could not be done.
func (u *uniqueCheck) run() (dup *DuplicateError, err error) {
	ascend, apart := false, u.table.Rows() == 0
	if len(u.key) == 1 && integerKey(u.key[0].Type) {
		var lo, hi Value
		ascend, lo, hi = u.ascending()
		apart = apart || !u.overlaps(lo, hi)
	}
	if !ascend {
		if dup, err = u.compare(); err != nil {
			return nil, err
		}
	}
	if apart {
		return dup, nil
	}
	inTable, err := u.lookUp(dup)
	return inTable.before(dup), err
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

// overlaps reports whether keys of the table can be in [lo, hi]. Without bounds every
// key of the load is null.
func (u *uniqueCheck) overlaps(lo, hi Value) bool {
	if lo.Type == (Type{}) {
		return false
	}
	found := false
	u.table.pieces(func(_ visibility.RowID, p piece) {
		if found || p.from != 0 || len(p.frag.chunks) == 0 {
			return
		}
		k := p.frag.find(u.key[0].ID) // nil if older than the column: every row holds the column's Missing
		found = k == nil || k.zone.overlap(lo, hi)
	})
	return found
}

// compare looks for keys that the load has twice, by making a run of its keys. The run
// is offered to the table's index, which the rows will be a part of.
func (u *uniqueCheck) compare() (*DuplicateError, error) {
	release, err := u.table.keys.reserve(u.rows)
	if err != nil {
		return nil, err
	}
	defer release()
	base := uint64(u.table.NextRow())
	b := runBuilder{ctx: u.ctx, key: u.key, readers: u.readers, workers: keyWorkers(u.rows, u.c.workers)}
	for i, f := range u.frags {
		b.rows = append(b.rows, keyRows{f, 0, f.rows, base + uint64(u.firsts[i])})
	}
	if u.c.skipped > 0 {
		b.skip = func(id uint64) bool { return u.c.skips(int64(id - base)) }
	}
	twice := make([]twins, 1<<partitionBits(u.rows))
	ignore, replace := u.ignores(), u.replaces()
	b.repeated = func(p int, earlier, later uint64) uint64 {
		t := &twice[p]
		switch {
		case ignore:
			t.skip = append(t.skip, int64(later-base))
		case replace:
			t.skip = append(t.skip, int64(earlier-base))
			return later
		case !t.found || later < t.later:
			t.earlier, t.later, t.found = earlier, later, true
		}
		return earlier
	}
	r, err := b.build()
	if err != nil {
		return nil, err
	}
	var first twins
	for i := range twice {
		t := &twice[i]
		if t.found && (!first.found || t.later < first.later) {
			first = *t
		}
		for _, row := range t.skip {
			u.c.skip(row)
		}
	}
	if first.found {
		return u.duplicate(int64(first.later-base), int64(first.earlier-base), 0)
	}
	if u.c.skipped == 0 {
		u.table.keys.of(u.constraint.Columns).offer(r, u.frags)
	}
	return nil, nil
}

// twins is what is known of the keys in one partition that the load has twice.
type twins struct {
	earlier, later uint64 // the first such pair
	found          bool
	skip           []int64
}

func (u *uniqueCheck) ignores() bool  { return !u.strict && u.c.policy == ConflictIgnore }
func (u *uniqueCheck) replaces() bool { return !u.strict && u.c.policy == ConflictReplace }

// lookUp looks for keys of the load that the table has, up to the row of an error that is
// known already, if there is one.
func (u *uniqueCheck) lookUp(dup *DuplicateError) (*DuplicateError, error) {
	keys, err := u.table.keysOf(u.ctx, u.constraint)
	if err != nil {
		return nil, err
	}
	type known struct {
		row int64
		id  visibility.RowID
	}
	var least atomic.Int64 // the smallest row that is an error so far
	if least.Store(int64(u.rows)); dup != nil {
		least.Store(dup.Row)
	}
	tasks := u.tasks()
	found := make([][]known, len(tasks))
	err = u.find(keys, tasks, func(task int, row int64, id visibility.RowID) {
		if (u.strict && (u.c.skips(row) || u.c.replaced(id))) || (u.replaces() && u.c.skips(row)) {
			return
		}
		if u.ignores() || u.replaces() {
			found[task] = append(found[task], known{row, id})
		} else if len(found[task]) == 0 {
			found[task] = []known{{row, id}}
			for l := least.Load(); row < l && !least.CompareAndSwap(l, row); l = least.Load() {
			}
		}
	}, &least)
	if err != nil {
		return nil, err
	}
	for _, task := range found {
		for _, k := range task {
			switch {
			case u.ignores():
				u.c.skip(k.row)
			case u.replaces():
				u.c.deletes = append(u.c.deletes, k.id)
			default:
				return u.duplicate(k.row, -1, k.id)
			}
		}
	}
	return nil, nil
}

// taskRows is how many rows of a load one goroutine looks up at a time.
const taskRows = 1 << 14

// findTask is consecutive rows of one fragment of a load.
type findTask struct{ frag, from, rows int }

// tasks returns the load in parts to look up, in the order of the rows.
func (u *uniqueCheck) tasks() []findTask {
	var out []findTask
	for i, f := range u.frags {
		for at := 0; at < f.rows; at += taskRows {
			out = append(out, findTask{i, at, min(taskRows, f.rows-at)})
		}
	}
	return out
}

// find looks the keys of the tasks up and calls each with the row of the load and its twin
// in the table: in order for each task, not over tasks. Tasks behind the row in least are
// left out.
func (u *uniqueCheck) find(keys *Keys, tasks []findTask, each func(task int, row int64, id visibility.RowID), least *atomic.Int64) error {
	return inParallel(u.ctx, keyWorkers(u.rows, u.c.workers), len(tasks), func(i int) error {
		t := tasks[i]
		first := u.firsts[t.frag] + int64(t.from)
		if first > least.Load() {
			return nil
		}
		var ids [8 * keyBlock]visibility.RowID
		for at := 0; at < t.rows; at += len(ids) {
			out := ids[:min(len(ids), t.rows-at)]
			missing, err := keys.find(u.ctx, u.readers[t.frag], t.from+at, out)
			if err != nil {
				return err
			}
			if missing == len(out) {
				continue
			}
			for j, id := range out {
				if id != NoRow {
					each(i, first+int64(at+j), id)
				}
			}
		}
		return nil
	})
}

// reader returns the reader that holds a row of the load, and the row in it.
func (u *uniqueCheck) reader(row int64) (*keyReader, int) {
	i, exact := slices.BinarySearch(u.firsts, row)
	if !exact {
		i--
	}
	return u.readers[i], int(row - u.firsts[i])
}

// duplicate returns the error of a row of the load.
func (u *uniqueCheck) duplicate(row, earlier int64, inTable visibility.RowID) (*DuplicateError, error) {
	var names []string
	for _, c := range u.key {
		names = append(names, c.Name)
	}
	var text string
	err := mmap.Guard(func() error {
		r, i := u.reader(row)
		text = r.text(i)
		return nil
	})
	if err != nil {
		return nil, err
	}
	e := pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint \"%s\"", u.constraint.Name).
		WithDetail("Key (%s)=(%s) already exists.", strings.Join(names, ", "), text)
	e.Table = u.table.schema.Name
	return &DuplicateError{Err: e, Constraint: u.constraint.Name, Row: row, Earlier: earlier, InTable: inTable}, nil
}
