package columnar

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

// longValues returns a text of n bytes that differs from place to place and from seed to seed.
func longValues(n, seed int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte((i*7+i/4096+i/pieceBytes*3+seed)%26)
	}
	return string(b)
}

// TestLongValues holds that values shorter and longer than a piece are what was loaded, with
// and without a plan, whether pages are shared with values that were stored or not.
func TestLongValues(t *testing.T) {
	ctx := context.Background()
	lengths := []int{1, pieceBytes - 1, 3, pieceBytes, pieceBytes + 1, 4097, 3*pieceBytes + 13}
	for _, fsys := range []string{"disk", "memory"} {
		for _, planned := range []bool{true, false} {
			opt := Options{InlineBytes: 1}
			if fsys == "memory" {
				opt.FS = memfs.New()
			}
			s := mustOpen(t, opt)
			if err := write(s, func(tx *Txn) error { return tx.CreateTable(bigRows("t")) }); err != nil {
				t.Fatal(err)
			}
			snap, err := s.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			tab, err := snap.Table("t")
			if err != nil {
				t.Fatal(err)
			}
			p := LoadPlan{Schema: tab.Schema()}
			snap.Release()
			for _, n := range lengths {
				if p.VarBytes += int64(n); planned {
					p.Fragments = append(p.Fragments, 1)
				}
			}
			l, err := s.NewLoad(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range lengths {
				w, err := l.Fragment(i, 1)
				if err != nil {
					t.Fatal(err)
				}
				w.Cols[0].SetValue(0, Value{Type: Type{Kind: Int8}, I: int64(i)})
				w.Cols[1].SetValue(0, Value{Type: Type{Kind: Text}, S: longValues(n, i)})
				if err := w.Finish(1); err != nil {
					t.Fatal(err)
				}
			}
			if err := write(s, func(tx *Txn) error { _, err := tx.Append(ctx, "t", l); return err }); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Check(ctx, nil); err != nil {
				t.Errorf("%s, planned %v: %v", fsys, planned, err)
			}
			if snap, err = s.Snapshot(); err != nil {
				t.Fatal(err)
			}
			if tab, err = snap.Table("t"); err != nil {
				t.Fatal(err)
			}
			i := 0
			for b, err := range tab.Scan(ctx, ScanOptions{}) {
				if err != nil {
					t.Fatal(err)
				}
				v := &b.Cols[1]
				for r := range v.Len() {
					if got := v.Bytes(r); !bytes.Equal(got, []byte(longValues(lengths[i], i))) {
						t.Errorf("%s, planned %v: value %d of %d bytes is not what was loaded", fsys, planned, i, lengths[i])
					}
					i++
				}
			}
			if i != len(lengths) {
				t.Errorf("%s, planned %v: %d rows, want %d", fsys, planned, i, len(lengths))
			}
			snap.Release()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestTruncUnderPlace cuts the data file of a load before a long value is put into it: that
// is an error, and the file does not grow again over what is lost.
func TestTruncUnderPlace(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(context.Background(), dir, Options{InlineBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(bigRows("t")) }); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	tab, err := snap.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.NewLoad(context.Background(), LoadPlan{Schema: tab.Schema(), Fragments: []int{1}, VarBytes: 2 * pieceBytes})
	snap.Release()
	if err != nil {
		t.Fatal(err)
	}
	w, err := l.Fragment(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Cols[1].SetValue(0, Value{Type: Type{Kind: Text}, S: strings.Repeat("x", 2*pieceBytes)})
	path := filepath.Join(dir, "data-1")
	if err := os.Truncate(path, pieceBytes); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(1); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a long value in a file that was cut: %v", err)
	}
	if st, err := os.Stat(path); err != nil || st.Size() != pieceBytes {
		t.Errorf("the file that was cut: %v, %v", st, err)
	}
	l.Abort()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
