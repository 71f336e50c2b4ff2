package columnar

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// openFiles returns how many descriptors of regular files in dir the process has; 0 where
// the system does not tell.
func openFiles(dir string) (n int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && strings.HasPrefix(target, dir) {
			n++
		}
	}
	return n
}

// goroutines waits for goroutines that are about to end and returns how many more than
// before there are.
func goroutines(before int) int {
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return 0
		}
		runtime.Gosched()
	}
	// The last word of a worker is behind whatever it woke; a collection is as well.
	runtime.GC()
	return runtime.NumGoroutine() - before
}

// expected says whether an error is one that a store that is being closed may give.
func expected(err error) bool {
	return err == nil || errors.Is(err, ErrClosed) || errors.Is(err, ErrTxnDone)
}

// TestConcurrent loads into different tables, deletes, checkpoints, vacuums and scans old
// and new snapshots at the same time, and closes in the middle of it. Each table's writer
// knows what the table must hold; a reader knows that what a snapshot shows does not
// change and belongs to one commit. Afterwards no goroutine, file or mapping is left, and
// the store holds what was acknowledged.
func TestConcurrent(t *testing.T) {
	rounds := 6
	if soak() {
		rounds = 200
	}
	for round := range rounds {
		o := Options{InlineBytes: []int64{1, 8 << 10, 256 << 10}[round%3], LogBytes: []int64{1, 128 << 10}[round%2],
			Durability: Durability(round / 3 % 2), BusyTimeout: time.Minute}
		concurrentRound(t, o, round%2 == 1)
	}
}

// busy is a store under work.
type busy struct {
	t      *testing.T
	s      *Store
	ctx    context.Context
	acked  [3]atomic.Uint64 // per table: commits acknowledged
	begun  [3]atomic.Uint64 // per table: commits begun
	reads  atomic.Int64
	writes atomic.Int64
	ticks  chan struct{} // one for each commit
	enough chan struct{} // closed when a round has seen enough
	once   sync.Once
}

// Every round lasts until this much has happened.
const (
	busyCommits = 12
	busyReads   = 40
)

// count notes that something was done.
func (b *busy) count(what *atomic.Int64) {
	what.Add(1)
	if b.writes.Load() >= busyCommits && b.reads.Load() >= busyReads {
		b.once.Do(func() { close(b.enough) })
	}
}

const busyRows = 40 // that each commit of a writer brings

func tableName(i int) string { return fmt.Sprintf("t%d", i) }

func concurrentRound(t *testing.T, opt Options, early bool) {
	before := runtime.NumGoroutine()
	dir := t.TempDir()
	s, err := Open(context.Background(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	b := &busy{t: t, s: s, ctx: context.Background(), ticks: make(chan struct{}, 1000), enough: make(chan struct{})}
	for i := range b.acked {
		if err := write(s, func(tx *Txn) error { return tx.CreateTable(narrow(tableName(i))) }); err != nil {
			t.Fatal(err)
		}
	}
	var workers sync.WaitGroup
	stop := make(chan struct{})
	start := func(fn func() error) {
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := fn(); err != nil {
					if !expected(err) {
						t.Errorf("%v", err)
						b.once.Do(func() { close(b.enough) })
					}
					return
				}
			}
		})
	}
	for i := range b.acked {
		start(func() error { return b.commit(i) })
	}
	// after lets a number of commits pass before fn, so that the writers get their turn.
	after := func(n int, fn func() error) func() error {
		return func() error {
			for range n {
				select {
				case <-stop:
					return ErrClosed
				case <-b.ticks:
				}
			}
			return fn()
		}
	}
	start(after(1, func() error { return b.rollback(0) }))
	start(after(2, func() error { return s.Checkpoint(b.ctx) }))
	start(after(3, func() error { return s.Vacuum(b.ctx) }))
	for range 2 {
		start(b.read)
	}
	start(after(2, func() error { _, err := s.Check(b.ctx, nil); return err }))
	<-b.enough
	if early {
		b.close()
	}
	close(stop)
	workers.Wait()
	if !early {
		b.close()
	}
	if n := openFiles(dir); n > 0 {
		t.Errorf("%d files of the store are open after Close", n)
	}
	noLeaks(t, "after the last release")
	if n := goroutines(before); n > 0 {
		t.Errorf("%d goroutines are left", n)
	}
	t.Logf("%d commits, %d reads", b.writes.Load(), b.reads.Load())
	b.reopened(dir, opt)
}

func (b *busy) close() {
	var leased *Leased
	if err := b.s.Close(); err != nil && !errors.As(err, &leased) {
		b.t.Errorf("close: %v", err)
	}
	if err := b.s.Close(); !errors.Is(err, ErrClosed) {
		b.t.Errorf("second close: %v", err)
	}
}

// commit adds rows k*busyRows to (k+1)*busyRows-1 to a table as its commit k, and deletes
// the first of the commit before. The load is made before the lock is taken.
func (b *busy) commit(i int) error {
	snap, err := b.s.Snapshot()
	if err != nil {
		return err
	}
	tab, err := snap.Table(tableName(i))
	if err != nil {
		snap.Release()
		return err
	}
	k := b.begun[i].Add(1) - 1
	l, err := loadRows(b.s, tab.Schema(), k*busyRows, busyRows, 64, k%3 > 0)
	snap.Release()
	if err != nil {
		return err
	}
	defer l.Abort()
	err = write(b.s, func(tx *Txn) error {
		if _, err := tx.Append(b.ctx, tableName(i), l); err != nil {
			return err
		}
		if k == 0 {
			return nil
		}
		_, err := tx.Delete(tableName(i), []visibility.RowID{visibility.RowID((k - 1) * busyRows)})
		return err
	})
	if err == nil {
		b.acked[i].Store(k + 1)
		b.count(&b.writes)
		select {
		case b.ticks <- struct{}{}:
		default: // nobody keeps up
		}
	}
	return err
}

// rollback does much in a transaction and takes it back.
func (b *busy) rollback(i int) error {
	tx, err := b.s.BeginWrite(b.ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	tab, err := tx.Table(tableName(i))
	if err != nil {
		return err
	}
	l, err := loadRows(b.s, tab.Schema(), 1<<40, 200, 64, true)
	if err != nil {
		return err
	}
	defer l.Abort()
	if _, err := tx.Append(b.ctx, tableName(i), l); err != nil {
		return err
	}
	return tx.TruncateTable(tableName(i))
}

// read takes a snapshot and reads it twice, with a moment for others in between.
func (b *busy) read() error {
	snap, err := b.s.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Release()
	first, err := digestOf(snap)
	if err != nil {
		return err
	}
	for i := range b.acked {
		tab, err := snap.Table(tableName(i))
		if err != nil {
			return err
		}
		if err := wholeCommits(tab); err != nil {
			return err
		}
	}
	runtime.Gosched()
	again, err := digestOf(snap)
	if err != nil {
		return err
	}
	if first != again {
		return fmt.Errorf("a snapshot showed\n%s\nand then\n%s", first, again)
	}
	b.count(&b.reads)
	return nil
}

// wholeCommits holds that a table is at the end of one of its writer's commits.
func wholeCommits(tab *Table) error {
	next := uint64(tab.NextRow())
	k := next / busyRows
	want := next
	if k > 0 {
		want -= k - 1
	}
	if next%busyRows != 0 || tab.Rows() != want {
		return fmt.Errorf("table %s has %d of %d rows: part of a commit", tab.Schema().Name, tab.Rows(), next)
	}
	return nil
}

// reopened opens the store again and holds that it has all that was acknowledged.
func (b *busy) reopened(dir string, opt Options) {
	s, err := Open(context.Background(), dir, opt)
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Check(b.ctx, nil); err != nil {
		b.t.Error(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		b.t.Fatal(err)
	}
	defer snap.Release()
	for i := range b.acked {
		tab, err := snap.Table(tableName(i))
		if err != nil {
			b.t.Fatal(err)
		}
		if err := wholeCommits(tab); err != nil {
			b.t.Error(err)
		}
		got, acked, begun := uint64(tab.NextRow())/busyRows, b.acked[i].Load(), b.begun[i].Load()
		if got < acked || got > begun {
			b.t.Errorf("table %d has %d commits; %d were acknowledged, %d begun", i, got, acked, begun)
		}
		m := newModel()
		m.tables[tableName(i)] = modelOfCommits(got)
		if line, err := digestTable(tab, ScanOptions{}); err != nil || line != m.digest() {
			b.t.Errorf("%s\nwant\n%s, %v", line, m.digest(), err)
		}
	}
}

func modelOfCommits(k uint64) *modelTable {
	t := &modelTable{nextRow: visibility.RowID(k * busyRows)}
	for _, c := range narrow("").Columns {
		t.cols = append(t.cols, modelColumn{Column: c})
	}
	for id := range k * busyRows {
		if id%busyRows != 0 || id == (k-1)*busyRows {
			t.rows = append(t.rows, modelRow{at: visibility.RowID(id), id: id})
		}
	}
	return t
}

// TestConcurrentLoadWriters fills the fragments of one planned load, and of one stream
// that spills, from many goroutines.
func TestConcurrentLoadWriters(t *testing.T) {
	for _, planned := range []bool{true, false} {
		s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: 1 << 10})
		schema := narrow("t")
		if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
			t.Fatal(err)
		}
		const fragments, rows = 16, 64
		p := LoadPlan{Schema: schema}
		if planned {
			for range fragments {
				p.Fragments = append(p.Fragments, rows)
			}
			p.VarBytes = fragments * rows * 40
		}
		l, err := s.NewLoad(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		var workers sync.WaitGroup
		for _, i := range rand.Perm(fragments) {
			workers.Go(func() {
				w, err := l.Fragment(i, rows)
				if err != nil {
					t.Error(err)
					return
				}
				for r := range rows {
					for c := range w.Cols {
						w.Cols[c].SetValue(r, cell(&schema.Columns[c], uint64(i*rows+r)))
					}
				}
				if err := w.Finish(rows); err != nil {
					t.Error(err)
				}
			})
		}
		workers.Wait()
		if err := write(s, func(tx *Txn) error { _, err := tx.Append(context.Background(), "t", l); return err }); err != nil {
			t.Fatal(err)
		}
		m := newModel()
		m.tables["t"] = &modelTable{nextRow: fragments * rows}
		for _, c := range schema.Columns {
			m.tables["t"].cols = append(m.tables["t"].cols, modelColumn{Column: c})
		}
		for id := range uint64(fragments * rows) {
			m.tables["t"].rows = append(m.tables["t"].rows, modelRow{at: visibility.RowID(id), id: id})
		}
		if err := matches(s, m); err != nil {
			t.Errorf("planned %v: %v", planned, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	noLeaks(t, "load writers")
}

// TestConcurrentBusy holds that a second writer waits, gives up in time with the name of
// the holder, and gets the lock once it is free; and that Close does not wait for one.
func TestConcurrentBusy(t *testing.T) {
	s := mustOpen(t, Options{FS: memfs.New(), BusyTimeout: -1})
	tx, err := s.BeginWrite(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.BeginWrite(context.Background()); !errors.Is(err, ErrBusy) {
		t.Errorf("second writer: %v", err)
	}
	if err := s.Checkpoint(context.Background()); !errors.Is(err, ErrBusy) {
		t.Errorf("checkpoint beside a writer: %v", err)
	}
	tx.Rollback()
	tx.Rollback() // harmless
	tx, err = s.BeginWrite(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.CreateTable(narrow("t")); err != nil {
		t.Fatal(err)
	}
	var leased *Leased
	if err := s.Close(); !errors.As(err, &leased) {
		t.Errorf("close under a transaction: %v", err)
	}
	if _, err := tx.Commit(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("commit after close: %v", err)
	}
	if _, err := tx.Commit(context.Background()); !errors.Is(err, ErrTxnDone) {
		t.Errorf("second commit: %v", err)
	}
	if _, err := s.Snapshot(); !errors.Is(err, ErrClosed) {
		t.Errorf("snapshot after close: %v", err)
	}
	if n, _ := mmap.Live(); n != 0 {
		t.Errorf("%d mappings", n)
	}
}

// TestConcurrentCloseLoad closes a store while a load is under way and between its Append
// and the Commit.
func TestConcurrentCloseLoad(t *testing.T) {
	for _, appended := range []bool{false, true} {
		for _, inline := range []int64{1, 1 << 20} {
			fsys := memfs.New()
			s := mustOpen(t, Options{FS: fsys, InlineBytes: inline})
			if err := write(s, func(tx *Txn) error { return tx.CreateTable(narrow("t")) }); err != nil {
				t.Fatal(err)
			}
			tx, err := s.BeginWrite(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			tab, err := tx.Table("t")
			if err != nil {
				t.Fatal(err)
			}
			l, err := loadRows(s, tab.Schema(), 0, 100, 64, true)
			if err != nil {
				t.Fatal(err)
			}
			if appended {
				if _, err := tx.Append(context.Background(), "t", l); err != nil {
					t.Fatal(err)
				}
			}
			s.Close()
			if !appended {
				if _, err := tx.Append(context.Background(), "t", l); err != nil && !errors.Is(err, ErrClosed) {
					t.Errorf("append after close: %v", err)
				}
			}
			if _, err := tx.Commit(context.Background()); !errors.Is(err, ErrClosed) {
				t.Errorf("commit after close: %v", err)
			}
			l.Abort()
			if _, err := s.NewLoad(context.Background(), LoadPlan{Schema: tab.Schema()}); !errors.Is(err, ErrClosed) {
				t.Errorf("load after close: %v", err)
			}
			noLeaks(t, "closed under a load")
			s = mustOpen(t, Options{FS: fsys})
			if left, err := strangers(s, fsys); err != nil || len(left) > 0 {
				t.Errorf("files without an owner: %v, %v", left, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
