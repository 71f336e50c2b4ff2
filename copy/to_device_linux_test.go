package copy_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ingotdb/ingot"
)

// TestFormatsToDevice writes each format straight to a pipe, and to a disk that is full.
func TestFormatsToDevice(t *testing.T) {
	db := openDB(t, ingot.Options{MaxWorkers: 2})
	load(t, db, "i int, s text", 40_000, func(i int) string { return fmt.Sprintf("%d,text %d", i, i*i) })
	for _, f := range everyFormat {
		t.Run(f.name, func(t *testing.T) {
			refuse(t, db, "53100", "COPY t TO '/dev/full' (FORMAT %s)", f.name)
			pipe := filepath.Join(t.TempDir(), "pipe"+f.suffix)
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			read := make(chan []byte)
			go func() {
				var b bytes.Buffer
				if in, err := os.Open(pipe); err == nil {
					_, err = io.Copy(&b, in)
					in.Close()
					if err != nil {
						b.WriteString(err.Error())
					}
				}
				read <- b.Bytes()
			}()
			exec(t, db, "COPY t TO '%s' (FORMAT %s)", pipe, f.name)
			path := filepath.Join(t.TempDir(), "file"+f.suffix)
			exec(t, db, "COPY t TO '%s' (FORMAT %s)", path, f.name)
			if want, err := os.ReadFile(path); err != nil || !bytes.Equal(<-read, want) {
				t.Errorf("the pipe got other bytes than the file, %v", err)
			}
		})
	}
}

// TestPartitionFullDisk gives back what it wrote to a disk that is full, whether the spill
// fills it or the files do.
func TestPartitionFullDisk(t *testing.T) {
	for _, memory := range []int64{0, 1 << 18} {
		db := openDB(t, ingot.Options{MaxWorkers: 2, MemoryLimit: memory})
		load(t, db, "a int, b text", 40_000, func(i int) string { return fmt.Sprintf("%d,some text %d that is long", i%7, i) })
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
			t.Skipf("needs the right to mount a tmpfs: %v", err)
		}
		defer func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		}()
		refuse(t, db, "53100", "COPY t TO '%s' (FORMAT csv, PARTITION_BY (a))", filepath.Join(dir, "out"))
		alone(t, dir)
		if n := exec(t, db, "COPY (SELECT * FROM t WHERE b < 'some text 11') TO '%s' (FORMAT csv, PARTITION_BY (a))", filepath.Join(dir, "out")); n == 0 {
			t.Error("no rows")
		}
		alone(t, dir, "out")
	}
}
