package columnar

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/mmap"
)

// heldFS is a file system on which data files are removed, and synced, when it is told to.
type heldFS struct {
	vfs.FS
	remove chan struct{} // closed: files may go
	sync   chan struct{} // closed: files may be synced; nil: at any time
	full   atomic.Int32  // allocations that find the disk full until a file is gone
	asked  chan struct{} // closed by the first allocation that does, or sync that waits
}

type heldFile struct {
	vfs.File
	fs *heldFS
}

func (h *heldFS) Create(name string) (vfs.File, error) {
	f, err := h.FS.Create(name)
	if err == nil && strings.HasPrefix(name, "data-") {
		f = &heldFile{f, h}
	}
	return f, err
}

func (h *heldFS) Remove(name string) error {
	if strings.HasPrefix(name, "data-") {
		<-h.remove
		h.full.Store(0)
	}
	return h.FS.Remove(name)
}

func (f *heldFile) Allocate(off, n int64) error {
	if f.fs.full.Load() > 0 {
		close(f.fs.asked)
		return syscall.ENOSPC
	}
	return f.File.Allocate(off, n)
}

func (f *heldFile) Sync() error {
	if f.fs.sync != nil {
		close(f.fs.asked)
		<-f.fs.sync
	}
	return f.File.Sync()
}

// bigLoad returns a load whose file is given back behind.
func bigLoad(s *Store) (*Load, error) {
	schema := &Schema{Name: "t", Columns: []Column{{ID: 1, Name: "v", Type: Type{Kind: Text}}}}
	return s.NewLoad(context.Background(), LoadPlan{Schema: schema, Fragments: []int{10}, VarBytes: behindBytes})
}

func openHeld(t *testing.T, h *heldFS) *Store {
	t.Helper()
	dir, err := vfs.OpenDir(t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	h.FS, h.remove = dir, make(chan struct{})
	return mustOpen(t, Options{FS: h})
}

// dataFiles returns the names of the data files there are.
func dataFiles(t *testing.T, s *Store) (names []string) {
	t.Helper()
	all, err := s.fs.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if strings.HasPrefix(name, "data-") {
			names = append(names, name)
		}
	}
	return names
}

// TestAbortLarge holds that Abort of a large load does not wait for its file to go, that a
// load which finds the disk full does, and Close too.
func TestAbortLarge(t *testing.T) {
	before, _ := mmap.Live()
	h := &heldFS{asked: make(chan struct{})}
	s := openHeld(t, h)
	l, err := bigLoad(s)
	if err != nil {
		t.Fatal(err)
	}
	l.Abort()
	l.Abort()
	if names := dataFiles(t, s); len(names) != 1 {
		t.Fatalf("there are %v: the file was removed before Abort returned", names)
	}
	h.full.Store(1)
	second := make(chan *Load)
	go func() {
		l, err := bigLoad(s)
		if err != nil {
			t.Error(err)
		}
		second <- l
	}()
	<-h.asked
	close(h.remove)
	if l = <-second; l == nil {
		t.Fatal("a load did not wait for the space of another")
	}
	l.Abort()
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after, _ := mmap.Live(); after != before {
		t.Errorf("%d mappings are left", after-before)
	}
	if s, err = Open(context.Background(), path, Options{FS: reopened(t, h)}); err != nil {
		t.Fatal(err)
	}
	if names := dataFiles(t, s); len(names) != 0 {
		t.Errorf("%v are left", names)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// reopened returns the directory of h again.
func reopened(t *testing.T, h *heldFS) vfs.FS {
	t.Helper()
	dir, err := vfs.OpenDir(h.Path(), false)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDiskStaysFull holds that a full disk with nothing on its way back is an error.
func TestDiskStaysFull(t *testing.T) {
	h := &heldFS{asked: make(chan struct{})}
	s := openHeld(t, h)
	close(h.remove)
	h.full.Store(1)
	if _, err := bigLoad(s); pgerr.Code(err) != pgerr.DiskFull {
		t.Fatalf("got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSyncCancelled holds that a load whose context ends during a long sync returns, and
// that its file is gone once the sync has ended.
func TestSyncCancelled(t *testing.T) {
	h := &heldFS{sync: make(chan struct{}), asked: make(chan struct{})}
	s := openHeld(t, h)
	close(h.remove)
	l, err := bigLoad(s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := l.Fragment(0, 10)
	if err != nil {
		t.Fatal(err)
	}
	w.Cols[0].FillConst(0, 10, Value{Type: Type{Kind: Text}, S: "v"})
	if err := w.Finish(10); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error)
	go func() { result <- l.Sync(ctx) }()
	<-h.asked
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	l.Abort()
	close(h.sync)
	fsys := reopened(t, h)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := fsys.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "data-") {
			t.Errorf("%s is left", name)
		}
	}
	if err := fsys.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestAppendedWithoutRows holds that a load of which no row is left gives the file back that
// was reserved for it, and makes no commit.
func TestAppendedWithoutRows(t *testing.T) {
	for _, planned := range []bool{true, false} {
		s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: 1})
		schema := narrow("t")
		if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
			t.Fatal(err)
		}
		p := LoadPlan{Schema: schema}
		if planned {
			p.Fragments, p.VarBytes = []int{1000, 1000}, 1000
		}
		l, err := s.NewLoad(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			w, err := l.Fragment(i, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Finish(0); err != nil {
				t.Fatal(err)
			}
		}
		syncs := s.LogSyncs()
		if err := write(s, func(tx *Txn) error { _, err := tx.Append(context.Background(), "t", l); return err }); err != nil {
			t.Fatal(err)
		}
		if names := dataFiles(t, s); len(names) != 0 || s.LogSyncs() != syncs {
			t.Errorf("planned %v: %v are left, %d syncs", planned, names, s.LogSyncs()-syncs)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		noLeaks(t, "a load without rows")
	}
}

// TestRefusedLoadIsDropped holds that a load which Append refuses, for whatever reason, is
// dropped with its file.
func TestRefusedLoadIsDropped(t *testing.T) {
	ctx := context.Background()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, refuse := range map[string]func(*Txn, *Load) error{
		"no such table": func(tx *Txn, l *Load) error { _, err := tx.Append(ctx, "u", l); return err },
		"altered": func(tx *Txn, l *Load) error {
			tab, err := tx.Table("t")
			if err != nil {
				return err
			}
			c := tab.Schema().Clone()
			c.Columns = c.Columns[:2]
			if err := tx.AlterTable(c); err != nil {
				return err
			}
			_, err = tx.Append(ctx, "t", l)
			return err
		},
		"cancelled": func(tx *Txn, l *Load) error { _, err := tx.Append(ended, "t", l); return err },
		"ended":     func(tx *Txn, l *Load) error { tx.Rollback(); _, err := tx.Append(ctx, "t", l); return err },
	} {
		s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: 1})
		schema := narrow("t")
		if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
			t.Fatal(err)
		}
		l, err := loadRows(s, schema, 0, 100, 64, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(s, func(tx *Txn) error { return refuse(tx, l) }); err == nil {
			t.Errorf("%s: not refused", name)
		}
		if names := dataFiles(t, s); len(names) != 0 {
			t.Errorf("%s: %v are left", name, names)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		noLeaks(t, name)
	}
}
