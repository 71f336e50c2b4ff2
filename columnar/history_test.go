package columnar

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// TestConcurrentHistory runs writers and readers at the same time, beside checkpoints and
// vacuums, and compares every snapshot with a serial model: the state that the commit of
// its number left, all tables of it. A reader also holds that commits that were
// acknowledged before it took its snapshot are in it, that its snapshots never go
// back, and that an old one shows the same again. In the end the store is opened
// again and must be at the last commit.
func TestConcurrentHistory(t *testing.T) {
	rounds := 4
	switch {
	case soak():
		rounds = 400
	case testing.Short():
		rounds = 2
	}
	if v := os.Getenv("INGOT_SEED"); v != "" {
		var seed uint64
		if _, err := fmt.Sscan(v, &seed); err != nil {
			t.Fatal(err)
		}
		runHistory(t, seed)
		return
	}
	for range rounds {
		runHistory(t, rand.Uint64())
	}
}

const (
	historyTables  = 2
	historyWriters = 4
	historyReaders = 4
	historyCommits = 60 // of a round
	historyLooks   = 60 // snapshots that the readers of a round compare at least
)

// history is a store and all states that it has been in.
type history struct {
	*testing.T
	seed uint64
	s    *Store

	mu     sync.Mutex
	states map[visibility.CommitSeq]*historyState

	acked  atomic.Uint64 // number of the latest commit that was acknowledged
	looks  atomic.Int64
	begun  atomic.Int64 // commits
	failed atomic.Bool
}

// historyState is what a commit left. Immutable.
type historyState struct {
	tables [historyTables]historyTable
}

// historyTable is a table in a state. Row ids are given in order, so a table is a value for
// each id, and dead ones are marked.
type historyTable struct {
	values []int64 // by row id; shared with the states before, only appended to
	dead   map[visibility.RowID]bool
}

func (h *history) fail(format string, args ...any) {
	h.failed.Store(true)
	h.Errorf("seed %d: "+format, append([]any{h.seed}, args...)...)
}

func runHistory(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 9))
	fsys := memfs.New()
	opt := Options{FS: fsys, InlineBytes: []int64{1, 1 << 10, 1 << 20}[rng.IntN(3)], LogBytes: []int64{1, 64 << 10}[rng.IntN(2)],
		Durability: Durability(rng.IntN(2)), BusyTimeout: time.Hour}
	h := &history{T: t, seed: seed, s: mustOpen(t, opt), states: map[visibility.CommitSeq]*historyState{}}
	if err := write(h.s, func(tx *Txn) error {
		h.states[tx.BaseSeq()+1] = &historyState{}
		for i := range historyTables {
			if err := tx.CreateTable(historySchema(i)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var writers, others sync.WaitGroup
	done := make(chan struct{})
	for i := range historyWriters {
		writers.Go(func() { h.writes(rand.New(rand.NewPCG(seed, 100+uint64(i)))) })
	}
	for i := range historyReaders {
		others.Go(func() { h.reads(rand.New(rand.NewPCG(seed, 200+uint64(i))), done) })
	}
	for _, fold := range []func(*Store, context.Context) error{(*Store).Checkpoint, (*Store).Vacuum} {
		others.Go(func() {
			for at := int64(0); !closed(done); runtime.Gosched() {
				if n := h.begun.Load(); n < at+7 {
					continue // a few commits in between
				} else {
					at = n
				}
				if err := fold(h.s, context.Background()); err != nil {
					h.fail("%v", err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	others.Wait()
	h.reopened(opt)
	noLeaks(t, fmt.Sprintf("seed %d", seed))
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func historySchema(i int) *Schema {
	return &Schema{Name: tableName(i), Columns: []Column{
		{Name: "v", Type: Type{Kind: Int8}, NotNull: true},
		{Name: "t", Type: Type{Kind: Text}},
	}}
}

// writes makes transactions until there are enough, and goes on while the readers have not
// seen enough: at most ten times as many.
func (h *history) writes(rng *rand.Rand) {
	for {
		n := h.begun.Add(1)
		if h.failed.Load() || n > 10*historyCommits || (n > historyCommits && h.looks.Load() >= historyLooks) {
			return
		}
		if err := h.transaction(rng); err != nil {
			h.fail("%v", err)
			return
		}
	}
}

// transaction changes some tables in some steps, and commits or rolls back. What it leaves is
// in the history before anybody can see it.
func (h *history) transaction(rng *rand.Rand) error {
	tx, err := h.s.BeginWrite(context.Background())
	if err != nil {
		return err
	}
	defer tx.Rollback()
	h.mu.Lock()
	state := *h.states[tx.BaseSeq()]
	h.mu.Unlock()
	if acked := h.acked.Load(); uint64(tx.BaseSeq()) < acked {
		return fmt.Errorf("a transaction began at commit %d behind commit %d", tx.BaseSeq(), acked)
	}
	saved, before := Savepoint{}, state
	took := false
	for range 1 + rng.IntN(5) {
		if err := h.step(rng, tx, &state); err != nil {
			return err
		}
		switch {
		case rng.IntN(6) == 0:
			saved, before, took = tx.Savepoint(), state, true
		case took && rng.IntN(4) == 0:
			tx.RollbackTo(saved)
			state = before
		}
	}
	if err := h.compare(tx, &state); err != nil {
		return fmt.Errorf("inside a transaction: %w", err)
	}
	if rng.IntN(5) == 0 || len(tx.body) == 0 {
		return nil // rolled back
	}
	h.mu.Lock()
	h.states[tx.BaseSeq()+1] = &state
	h.mu.Unlock()
	base := tx.BaseSeq()
	seq, err := tx.Commit(context.Background())
	if err != nil {
		return err
	}
	if seq != base+1 {
		return fmt.Errorf("commit %d behind commit %d", seq, base)
	}
	for {
		acked := h.acked.Load()
		if acked >= uint64(seq) || h.acked.CompareAndSwap(acked, uint64(seq)) {
			return nil
		}
	}
}

// step makes one change in a transaction and in its state.
func (h *history) step(rng *rand.Rand, tx *Txn, state *historyState) error {
	i := rng.IntN(historyTables)
	t := &state.tables[i]
	switch kind := rng.IntN(12); {
	case kind < 6:
		return h.append(rng, tx, i, t)
	case kind == 11 && rng.IntN(4) == 0:
		*t = historyTable{}
		return tx.TruncateTable(tableName(i))
	}
	var ids []visibility.RowID
	n, from := len(t.values), 0
	if n > 0 {
		from = rng.IntN(n)
	}
	every := 1 + rng.IntN(4)
	for id := from; id < min(n, from+1<<rng.IntN(9)); id += every {
		ids = append(ids, visibility.RowID(id))
	}
	dead, want := make(map[visibility.RowID]bool, len(t.dead)+len(ids)), 0
	for id := range t.dead {
		dead[id] = true
	}
	for _, id := range ids {
		want += b2i(!dead[id])
		dead[id] = true
	}
	got, err := tx.Delete(tableName(i), ids)
	if err == nil && got != want {
		err = fmt.Errorf("deleted %d rows, want %d", got, want)
	}
	t.dead = dead
	return err
}

// append adds rows with values that no other row has.
func (h *history) append(rng *rand.Rand, tx *Txn, i int, t *historyTable) error {
	tab, err := tx.Table(tableName(i))
	if err != nil {
		return err
	}
	n := 1 + rng.IntN(1<<rng.IntN(9))
	l, err := h.s.NewLoad(context.Background(), LoadPlan{Schema: tab.Schema()})
	if err != nil {
		return err
	}
	defer l.Abort()
	w, err := l.Fragment(0, n)
	if err != nil {
		return err
	}
	values := slices.Clone(t.values)
	for r := range n {
		v := rng.Int64()
		values = append(values, v)
		w.Cols[0].SetValue(r, Value{Type: w.Cols[0].Type, I: v})
		w.Cols[1].SetValue(r, Value{Type: w.Cols[1].Type, S: textOf(v), Null: v%5 == 0})
	}
	if err := w.Finish(n); err != nil {
		return err
	}
	t.values = values
	_, err = tx.Append(context.Background(), tableName(i), l)
	return err
}

// textOf is the text of the row that has value v.
func textOf(v int64) string { return fmt.Sprintf("row %x", uint64(v)>>(uint64(v)%40)) }

// compare holds that tables are those of a state.
func (h *history) compare(v tables, state *historyState) error {
	for i := range state.tables {
		tab, err := v.Table(tableName(i))
		if err != nil {
			return err
		}
		if err := state.tables[i].compare(tab); err != nil {
			return fmt.Errorf("table %d: %w", i, err)
		}
	}
	return nil
}

func (t *historyTable) compare(tab *Table) error {
	n := len(t.values)
	if int(tab.NextRow()) != n || int(tab.Rows()) != n-len(t.dead) {
		return fmt.Errorf("%d of %d rows, want %d of %d", tab.Rows(), tab.NextRow(), n-len(t.dead), n)
	}
	for id := range visibility.RowID(n + 2) {
		if got, want := tab.Visible(id), int(id) < n && !t.dead[id]; got != want {
			return fmt.Errorf("Visible(%d) is %v", id, got)
		}
	}
	inRuns := 0
	for g := range tab.Groups() {
		for r := range tab.Runs(g) {
			inRuns += int(r.Length)
		}
	}
	if inRuns != n-len(t.dead) {
		return fmt.Errorf("%d rows in runs", inRuns)
	}
	rows := 0
	return mmap.Guard(func() error {
		for b, err := range tab.Scan(context.Background(), ScanOptions{}) {
			if err != nil {
				return err
			}
			for i := range b.Rows {
				id := b.First + visibility.RowID(i)
				v, text := b.Cols[0].Int64s()[i], b.Cols[1].Value(i)
				if t.dead[id] || t.values[id] != v || text.Null != (v%5 == 0) || (!text.Null && text.S != textOf(v)) {
					return fmt.Errorf("row %d has %d and %+v, want %d; deleted: %v", id, v, text, t.values[id], t.dead[id])
				}
			}
			rows += b.Rows
		}
		if rows != n-len(t.dead) {
			return fmt.Errorf("a scan gave %d rows, want %d", rows, n-len(t.dead))
		}
		return nil
	})
}

// reads compares snapshots, new ones and such that it keeps for a while.
func (h *history) reads(rng *rand.Rand, done chan struct{}) {
	var kept []*Snapshot
	defer func() {
		for _, snap := range kept {
			h.look(snap)
			snap.Release()
		}
	}()
	last := visibility.CommitSeq(0)
	for !closed(done) && !h.failed.Load() {
		acked := h.acked.Load()
		snap, err := h.s.Snapshot()
		if err != nil {
			h.fail("%v", err)
			return
		}
		if seq := snap.Seq(); uint64(seq) < acked || seq < last {
			h.fail("a snapshot is at commit %d behind commits %d and %d", seq, acked, last)
		}
		last = snap.Seq()
		h.look(snap)
		if kept = append(kept, snap); len(kept) > 4 {
			i := rng.IntN(len(kept))
			h.look(kept[i])
			kept[i].Release()
			kept = slices.Delete(kept, i, i+1)
		}
	}
}

// look compares a snapshot with the state of its commit.
func (h *history) look(snap *Snapshot) {
	h.mu.Lock()
	state := h.states[snap.Seq()]
	h.mu.Unlock()
	if state == nil {
		h.fail("a snapshot is at commit %d, which nobody made", snap.Seq())
		return
	}
	if err := h.compare(snap, state); err != nil {
		h.fail("at commit %d: %v", snap.Seq(), err)
	}
	h.looks.Add(1)
}

// reopened closes the store and holds that the next one is at the last commit.
func (h *history) reopened(opt Options) {
	var leased *Leased
	if err := h.s.Close(); err != nil && !errors.As(err, &leased) {
		h.fail("close: %v", err)
	}
	h.s = mustOpen(h.T, opt)
	snap, err := h.s.Snapshot()
	if err != nil {
		h.Fatal(err)
	}
	if got, want := uint64(snap.Seq()), h.acked.Load(); got != want {
		h.fail("opened at commit %d, the last was %d", got, want)
	}
	h.look(snap)
	snap.Release()
	if _, err := h.s.Check(context.Background(), nil); err != nil {
		h.fail("%v", err)
	}
	if err := h.s.Close(); err != nil {
		h.fail("close: %v", err)
	}
	h.Logf("seed %d: %d commits, %d snapshots compared", h.seed, h.acked.Load(), h.looks.Load())
}
