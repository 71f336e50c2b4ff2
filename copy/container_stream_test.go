//go:build unix

package copy

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs/errfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
)

// TestContainerCutGzip cuts a compressed file behind what its format reads: Arrow says where
// it ends, and the checksum comes later.
func TestContainerCutGzip(t *testing.T) {
	const columns = "a int4, b text"
	store := newStore(t)
	if _, err := fromText(t, store, columns, "FORMAT csv", FromReader(strings.NewReader("1,x\n2,y\n"), ""), Env{}); err != nil {
		t.Fatal(err)
	}
	plain, err := arrowBytes(t, store, "", Env{})
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(plain)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	load := func(b []byte) (Result, error) {
		store := newStore(t)
		target := createTable(t, store, textSchema(t, columns))
		return loadArrow(t, store, target, FromFiles(writeFile(t, "in.arrow.gz", string(b))), "", Env{Files: AnyFile()})
	}
	whole := packed.Bytes()
	if res, err := load(whole); err != nil || res.Rows != 2 {
		t.Errorf("whole: %d rows, %v", res.Rows, err)
	}
	for cut := 1; cut <= 8; cut++ { // the checksum and the length
		_, err := load(whole[:len(whole)-cut])
		if e := wantState(t, err, pgerr.BadCopyFileFormat); !strings.Contains(e.Message, "gzip") {
			t.Errorf("%d bytes are missing: %v", cut, e)
		}
	}
	whole[len(whole)-5] ^= 1 // of the checksum
	_, err = load(whole)
	wantState(t, err, pgerr.BadCopyFileFormat)
}

// TestContainerPipe reads a named pipe, whose time changes whenever something is written to
// it: that is no sign of a change behind the reader's back.
func TestContainerPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "in.box")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	wrote := make(chan error)
	go func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err == nil {
			// More than a pipe holds, so the reader has looked at its time before the end.
			_, err = w.WriteString(boxFile("E", append(make([]int, 300_000), 7)...))
			err = errors.Join(err, os.Chtimes(pipe, time.Unix(1, 0), time.Unix(1, 0)), w.Close())
		}
		wrote <- err
	}()
	name := register(t, (&boxes{streams: true}).format())
	res, err := fromText(t, newStore(t), "a int4, b text", "FORMAT "+name, FromFiles(pipe), Env{Files: AnyFile()})
	if err := errors.Join(err, <-wrote); err != nil || res.Rows != 7 {
		t.Errorf("%d rows, %v", res.Rows, err)
	}
}

// TestContainerDiskFull fills the disk under a stream of parts that several goroutines store.
// The error is that of the disk, not that the others were stopped for it.
func TestContainerDiskFull(t *testing.T) {
	name := register(t, (&boxes{streams: true}).format())
	for _, workers := range []int{1, 2, 8} {
		full := errfs.New(memfs.New())
		store, err := columnar.Open(context.Background(), "", columnar.Options{FS: full, InlineBytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		parts := append([]int{131_072}, make([]int, 1_000_000)...) // one fragment, and much that the leader asks for meanwhile
		full.Add(errfs.Rule{Kind: errfs.Allocate, Sticky: true, Err: syscall.ENOSPC})
		src := FromReader(strings.NewReader(boxFile("P", parts...)), "stdin")
		_, err = fromText(t, store, "a int4, b text", "FORMAT "+name, src, Env{MaxWorkers: workers, smallBytes: 1})
		wantState(t, err, pgerr.DiskFull)
		full.Clear()
		if n := len(readTable(t, store)); n != 0 {
			t.Errorf("%d rows", n)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}
