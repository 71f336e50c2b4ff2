package columnar

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/ingotdb/ingot/internal/journal"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/visibility"
)

// Txn is the store's one write transaction: it sees the commit point it began at plus
// its own changes, which nobody else sees before Commit. It is used by one goroutine
// at a time and ends with Commit or Rollback. Tables it returned before a change do
// not show the change.
type Txn struct {
	store *Store
	ref   *visibility.Ref[*version] // keeps the files of the base alive
	draft draft
	body  []byte
	loads []*Load
	spill *Load // of small statements once the record is large; nil until then

	crowded bool // a rel table has so many runs that a checkpoint is due
	done    bool
}

// BeginWrite takes the write lock. It waits until ctx ends or for the busy timeout,
// after which it returns ErrBusy (55P03) naming the holder.
func (s *Store) BeginWrite(ctx context.Context) (*Txn, error) {
	if s.opt.ReadOnly {
		return nil, errReadOnly()
	}
	if err := s.acquire(ctx, "a write transaction"); err != nil {
		return nil, err
	}
	ref := s.head.Acquire()
	if ref == nil {
		s.release()
		return nil, ErrClosed
	}
	return &Txn{store: s, ref: ref, draft: ref.Value().draft(), body: s.body[:0]}, nil
}

// acquire takes the write lock for the holder described by what.
func (s *Store) acquire(ctx context.Context, what string) error {
	if err := s.usable(); err != nil {
		return err
	}
	select {
	case <-s.writer:
	default:
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("%s begun at %s", what, time.Now().Format(time.RFC3339))
	s.holder.Store(&name)
	return nil
}

func (s *Store) wait(ctx context.Context) error {
	begun := time.Now()
	holder := "another transaction"
	if h := s.holder.Load(); h != nil {
		holder = *h
	}
	if s.opt.BusyTimeout < 0 {
		return errBusy(holder, 0)
	}
	timeout := time.NewTimer(s.opt.BusyTimeout)
	defer timeout.Stop()
	select {
	case <-s.writer:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing.Done():
		return ErrClosed
	case <-timeout.C:
		return errBusy(holder, time.Since(begun))
	}
}

func (s *Store) release() { s.writer <- struct{}{} }

// Table returns the table called name as the transaction sees it; 42P01 if there is none.
func (t *Txn) Table(name string) (*Table, error) {
	if t.done {
		return nil, ErrTxnDone
	}
	return t.draft.table(name)
}

// Tables returns all tables as the transaction sees them, ordered by name.
func (t *Txn) Tables() []*Table { return t.draft.list() }

// BaseSeq returns the commit that the transaction began at.
func (t *Txn) BaseSeq() visibility.CommitSeq { return t.draft.seq }

// slot returns where the table called name is in the draft.
func (t *Txn) slot(name string) (int, error) {
	if t.done {
		return 0, ErrTxnDone
	}
	i, ok := t.draft.names[name]
	if !ok {
		return 0, errNoTable(name)
	}
	return i, nil
}

// CreateTable adds a table and gives s and its columns their IDs. 42P07 if the name
// is taken, 42701 for a repeated column, 54011 for too many.
//
// The columns of a rel table are its properties; "from" and "to" are put before them. A
// node table without a primary key is 42830, one with a key of several columns 0A000.
func (t *Txn) CreateTable(s *Schema) error {
	if t.done {
		return ErrTxnDone
	}
	c := s.Clone()
	if c.Rel != nil {
		if err := t.draft.prepareRel(c); err != nil {
			return err
		}
	}
	if err := c.prepare(); err != nil {
		return err
	}
	c.ID = t.draft.nextTable + 1
	if err := t.draft.create(c); err != nil {
		return err
	}
	*s = *c.Clone()
	if c.Rel != nil {
		t.body = appendRel(appendSchema(append(t.body, opRel), c), c.Rel)
	} else {
		t.body = appendSchema(append(t.body, opCreate), c)
	}
	return nil
}

// AlterTable gives the table with s.ID the schema s: columns that stay keep their ID,
// new ones come last with ID 0 and read as Missing in the rows there are.
func (t *Txn) AlterTable(s *Schema) error {
	if t.done {
		return ErrTxnDone
	}
	slot := t.draft.slotOf(s.ID)
	if slot < 0 {
		return errNoTable(s.Name)
	}
	c := s.Clone()
	old := t.draft.tables[slot].schema
	c.nextColumn = old.nextColumn
	if err := errors.Join(c.prepareAlter(old), c.prepare(), t.draft.alterRel(slot, c)); err != nil {
		return err
	}
	if !c.follows(t.draft.tables[slot].schema) {
		return pgerr.New(pgerr.FeatureNotSupported, "a column of table \"%s\" cannot change its type", c.Name).
			WithHint("Add a column of the new type and drop the old one.")
	}
	if err := t.draft.alter(slot, c); err != nil {
		return err
	}
	t.body = appendSchema(append(t.body, opAlter), c)
	return nil
}

// DropTable removes the table called name; 2BP01 if rel tables have it at an end.
func (t *Txn) DropTable(name string) error {
	slot, err := t.slot(name)
	if err != nil {
		return err
	}
	if err := t.draft.unreferenced(slot, "drop", false); err != nil {
		return err
	}
	t.body = appendOpTable(t.body, opDrop, t.draft.tables[slot].schema.ID)
	t.draft.drop(slot)
	return nil
}

// TruncateTable removes all rows of the table called name; its row ids start at 0 again.
// 2BP01 if rel tables have it at an end and have had rows since they were truncated.
func (t *Txn) TruncateTable(name string) error {
	slot, err := t.slot(name)
	if err != nil {
		return err
	}
	if err := t.draft.unreferenced(slot, "truncate", true); err != nil {
		return err
	}
	t.body = appendOpTable(t.body, opTruncate, t.draft.tables[slot].schema.ID)
	t.draft.truncate(slot)
	return nil
}

// Append takes over a load whose fragments are all finished and puts its rows behind
// the table's. It returns the row id of the first. A key that violates a unique
// constraint is a *DuplicateError (23505). The load's schema must be the table's
// current one, or what LoadSchema gives: 40001 if the table was altered since. An error
// drops the load.
//
// Edges are put in order of their source; an end that is not there is a *MissingError
// (23503), or leaves the edge out with LoadPlan.SkipMissing.
func (t *Txn) Append(ctx context.Context, name string, l *Load) (first visibility.RowID, err error) {
	a, err := t.AppendConflict(ctx, name, l, ConflictError)
	return a.First, err
}

// AppendConflict is Append with another end for rows that violate a unique constraint. The
// edges of a row that is replaced go over to the row with its key.
func (t *Txn) AppendConflict(ctx context.Context, name string, l *Load, policy OnConflict) (a Appended, err error) {
	brought := l
	defer func() {
		if err != nil {
			brought.Abort() // which does nothing once somebody has taken it
		}
	}()
	slot, err := t.slot(name)
	if err != nil {
		return a, err
	}
	table := t.draft.tables[slot]
	if table.schema.Rel != nil {
		return t.appendEdges(ctx, slot, l)
	}
	if l.schema != table.schema && !sameShape(l.schema, table.schema) {
		return a, errAltered(name)
	}
	if err := l.Sync(ctx); err != nil {
		return a, err
	}
	frags, err := l.take()
	if err != nil {
		return a, err
	}
	taken := l // until the transaction has it
	defer func() {
		if err != nil && taken != nil {
			taken.discard()
		}
	}()
	c := conflicts{policy: policy, workers: l.plan.Workers}
	if err := t.store.checkUnique(ctx, table, frags, &c); err != nil {
		return a, err
	}
	if c.skipped > 0 {
		if l, err = l.without(ctx, &c); err != nil {
			return a, err
		}
		taken = l
		if frags, err = l.take(); err != nil {
			return a, err
		}
	}
	a = Appended{First: table.NextRow(), Skipped: c.skipped}
	for _, f := range frags {
		a.Rows += int64(f.rows)
	}
	replaced := c.deletes
	moved, err := t.detach(ctx, slot, replaced, true)
	if err != nil {
		return a, err
	}
	a.Replaced = int64(t.remove(slot, replaced))
	if err := t.add(slot, l, frags); err != nil {
		return a, err
	}
	if taken = nil; len(moved) == 0 {
		return a, nil
	}
	moves, err := t.moves(ctx, slot, table, replaced)
	if err != nil {
		return a, err
	}
	return a, t.attach(ctx, moved, table.schema.ID, moves)
}

// errAltered says that rows were loaded for another shape of their table.
func errAltered(name string) error {
	return pgerr.New(pgerr.SerializationFailure, "table \"%s\" was altered while rows were loaded: %w", name, ErrConflict).
		WithHint("Run the statement again.")
}

// add writes the operations that bring the fragments of a load and puts them into the
// draft.
func (t *Txn) add(slot int, l *Load, frags []*fragment) error {
	if len(frags) == 0 { // no record would ever have a reason to drop its file
		l.discard()
		return nil
	}
	id := t.draft.tables[slot].schema.ID
	if l.df != nil {
		ref := l.df.ref()
		t.body = ref.append(append(t.body, opFile))
	} else if int64(len(t.body)) > spillFactor*t.store.opt.InlineBytes {
		if err := t.spillFragments(frags); err != nil {
			return err
		}
	}
	for _, f := range frags {
		if f.file == nil {
			t.body = appendInline(appendOpTable(t.body, opInline, id), f)
		} else {
			t.body = appendOpTable(t.body, opRows, id)
			t.body = binary.AppendUvarint(t.body, f.file.number)
			t.body = appendFragment(t.body, f)
		}
		t.draft.append(slot, f)
	}
	t.loads = append(t.loads, l)
	return nil
}

// spillFactor is how many times Options.InlineBytes the record of a transaction of many
// small statements may reach before later ones go to a data file.
const spillFactor = 8

// spillFragments writes fragments in memory to the data file that the later small
// statements of the transaction share. It is synced and mapped at Commit.
func (t *Txn) spillFragments(frags []*fragment) error {
	if t.spill == nil {
		l, err := t.store.NewLoad(context.Background(), LoadPlan{})
		if err != nil {
			return err
		}
		if err := l.spillAll(); err != nil {
			l.Abort()
			return err
		}
		t.spill = l
	}
	t.spill.mu.Lock()
	defer t.spill.mu.Unlock()
	for _, f := range frags {
		if err := t.spill.spill(f); err != nil {
			return err
		}
		t.spill.frags = append(t.spill.frags, f)
	}
	return nil
}

// seal makes the file of spilled statements durable and puts its name in front of the
// record.
func (t *Txn) seal(ctx context.Context) error {
	if t.spill == nil {
		return nil
	}
	if err := t.spill.Sync(ctx); err != nil {
		return err
	}
	ref := t.spill.df.ref()
	t.body = append(ref.append([]byte{opFile}), t.body...)
	t.loads = append(t.loads, t.spill)
	t.spill.taken = true
	if _, ok := t.draft.refs[t.spill.df]; !ok {
		t.draft.refs[t.spill.df] = 0 // nothing is left of what was spilled: the file goes at once
	}
	t.spill = nil
	return nil
}

// sameShape reports whether rows loaded for a fit b.
func sameShape(a, b *Schema) bool {
	if a.ID != b.ID || len(a.Columns) != len(b.Columns) {
		return false
	}
	for i := range a.Columns {
		x, y := &a.Columns[i], &b.Columns[i]
		if x.ID != y.ID || x.Type != y.Type || x.NotNull != y.NotNull {
			return false
		}
	}
	return true
}

// take returns the load's fragments and makes it the transaction's.
func (l *Load) take() ([]*fragment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.aborted || l.taken {
		return nil, errTaken
	}
	frags := make([]*fragment, 0, len(l.frags))
	for i, f := range l.frags {
		if f == nil {
			return nil, fmt.Errorf("columnar: fragment %d of the load is not finished", i)
		}
		if f.rows > 0 {
			frags = append(frags, f)
		}
	}
	l.taken = true
	return frags, nil
}

// Delete removes rows of the table called name and returns how many of them were
// there. ids ascend and are below NextRow; others are an error. A row that is the end of
// an edge is 23503.
func (t *Txn) Delete(name string, ids []visibility.RowID) (int, error) {
	slot, err := t.deletable(name, ids)
	if err != nil {
		return 0, err
	}
	if err := t.restrict(slot, ids); err != nil {
		return 0, err
	}
	return t.remove(slot, ids), nil
}

// deletable returns the slot of the table called name if ids ascend and are below its
// NextRow.
func (t *Txn) deletable(name string, ids []visibility.RowID) (int, error) {
	slot, err := t.slot(name)
	if err != nil {
		return 0, err
	}
	next := t.draft.tables[slot].NextRow()
	for i, id := range ids {
		if id >= next || i > 0 && id < ids[i-1] {
			return 0, fmt.Errorf("columnar: delete from %s: row id %d at position %d does not ascend or is not below %d", name, id, i, next)
		}
	}
	return slot, nil
}

// remove deletes rows of the table in a slot and returns how many of them were there.
func (t *Txn) remove(slot int, ids []visibility.RowID) int {
	table, n := t.draft.tables[slot].withDeleted(ids)
	if n == 0 {
		return 0
	}
	t.draft.set(slot, table)
	t.body = appendOpDelete(t.body, table.schema.ID, ids)
	return n
}

// Savepoint is a point within a transaction to go back to.
type Savepoint struct {
	draft draft
	body  int
	loads int
}

// Savepoint returns the present point of the transaction.
func (t *Txn) Savepoint() Savepoint {
	return Savepoint{draft: t.draft.clone(), body: len(t.body), loads: len(t.loads)}
}

// RollbackTo undoes everything since p was taken; p stays usable.
func (t *Txn) RollbackTo(p Savepoint) {
	t.draft = p.draft.clone()
	t.body = t.body[:p.body]
	for _, l := range t.loads[p.loads:] {
		l.discard()
	}
	t.loads = t.loads[:p.loads]
	t.store.forgetRows(&t.draft.version)
}

// discard aborts a load that a transaction had taken.
func (l *Load) discard() {
	l.mu.Lock()
	l.taken = false
	l.mu.Unlock()
	l.Abort()
}

// Rollback ends the transaction without a trace. After Commit it does nothing.
func (t *Txn) Rollback() {
	if t.done {
		return
	}
	for _, l := range t.loads {
		l.discard()
	}
	if t.spill != nil {
		t.spill.Abort()
	}
	t.store.forgetRows(t.ref.Value())
	t.end()
}

// keepBodyBytes is the largest record buffer that is kept for the next transaction.
const keepBodyBytes = 2 << 20

// end gives the lock and the base back.
func (t *Txn) end() {
	t.done = true
	if t.store.body = nil; cap(t.body) <= keepBodyBytes {
		t.store.body = t.body
	}
	t.body = nil
	t.ref.Release()
	t.store.release()
}

// Commit makes the changes durable and visible, in that order, with one log record and
// one sync. It returns the number of the commit, which is the base's if nothing was
// changed. An error leaves no change, but for ErrCommitUnknown.
//
// ctx is looked at before the record is written; from then on the result of the
// commit is what counts.
func (t *Txn) Commit(ctx context.Context) (visibility.CommitSeq, error) {
	if t.done {
		return 0, ErrTxnDone
	}
	if len(t.body) == 0 {
		t.Rollback()
		return t.draft.seq, nil
	}
	if err := ctx.Err(); err != nil {
		t.Rollback()
		return 0, err
	}
	if err := t.seal(ctx); err != nil {
		t.Rollback()
		return 0, err
	}
	s := t.store
	s.finish.Lock()
	defer s.finish.Unlock()
	if err := s.usable(); err != nil {
		t.Rollback()
		return 0, err
	}
	seq, err := s.append(ctx, t.body)
	if err != nil {
		if errors.Is(err, ErrCommitUnknown) {
			t.keepFiles()
		}
		t.Rollback()
		return 0, err
	}
	s.publish(&t.draft, visibility.CommitSeq(seq), t.loads)
	t.end()
	s.checkpointSoon(t.crowded)
	return visibility.CommitSeq(seq), nil
}

// keepFiles gives the transaction's files up without removing them: the record that
// names them may be in the log after all.
func (t *Txn) keepFiles() {
	for _, l := range t.loads {
		if l.df != nil {
			l.df.m.Release()
		}
	}
	t.loads = nil
}

// append writes one record, in a new log if the current one is full. The caller holds
// the write lock.
func (s *Store) append(ctx context.Context, body []byte) (uint64, error) {
	seq, err := s.log.Append(s.opt.Durability == Full, body)
	if errors.Is(err, journal.ErrLogFull) {
		if err = s.rotate(ctx, nil, int64(len(body))); err == nil {
			seq, err = s.log.Append(s.opt.Durability == Full, body)
		}
	}
	return seq, err
}

// publish makes a draft the current version. The caller holds the write lock.
func (s *Store) publish(d *draft, seq visibility.CommitSeq, loads []*Load) {
	v := d.version
	v.seq = seq
	ref := s.head.Acquire()
	last := ref.Value().gen
	v.gen = last + 1
	for _, l := range loads {
		if l.df != nil {
			s.life.adopt(l.df)
			if s.opt.Durability == None {
				s.dirty = append(s.dirty, l.df.name)
			}
		}
	}
	s.life.born(v.gen)
	s.head.Publish(&v)
	for df, change := range d.refs {
		if df.frags += change; df.frags == 0 {
			s.drop(df, last)
		}
	}
	ref.Release()
}

// drop unlinks a file that the current version does not have. Under durability none
// the record that dropped it may still be lost, so the file stays until the log was
// synced. The caller holds the write lock.
func (s *Store) drop(df *dataFile, last uint64) {
	s.unlinks = append(s.unlinks, df.name)
	if s.opt.Durability == Full {
		s.unlink()
	}
	s.life.retire(df, last)
}

// unlink removes the files that only records before the last sync of the log name.
// The caller holds the write lock.
func (s *Store) unlink() {
	for _, name := range s.unlinks {
		if err := s.fs.Remove(name); err != nil {
			s.logger().Warn("could not remove a data file; the next open will", "file", name, "err", err)
		}
	}
	s.unlinks = nil
}
