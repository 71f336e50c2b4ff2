package acceptance

import (
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// TestFullDisk lives on a disk of 8 MiB: what does not fit fails with 53100 and gives its
// space back, small loads go on until it is full, and deleting makes room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("needs the right to mount a tmpfs: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	store := filepath.Join(dir, "st")
	must(t, "sql", store, "-c", "CREATE TABLE t (a int, b text)")
	before := free(t, dir)
	large := writeLines(t, 900_000)
	for range 3 {
		f := run(t, "copy", store, "t", "from", large, "--errors", "json").failed(1)
		if f.SQLState != "53100" || f.Hint == "" {
			t.Fatalf("error %+v", f)
		}
		if now := free(t, dir); now != before {
			t.Fatalf("%d bytes were free, now %d", before, now)
		}
	}
	small, loads := writeLines(t, 40_000), 0
	for ; loads < 100; loads++ {
		e := run(t, "copy", store, "t", "from", small, "--errors", "json")
		if e.status == 0 {
			continue
		}
		if f := e.failed(1); f.SQLState != "53100" {
			t.Fatalf("error %+v", f)
		}
		break
	}
	if loads < 6 || loads == 100 {
		t.Errorf("%d loads of 470 kB fit on 8 MiB", loads)
	}
	if n := count(t, store, "t"); n != strconv.Itoa(loads*40_000) {
		t.Errorf("%s rows after %d loads", n, loads)
	}
	must(t, "check", store)
	must(t, "sql", store, "-c", "TRUNCATE t", "-c", "CHECKPOINT")
	for range 3 {
		must(t, "copy", store, "t", "from", small)
	}
	must(t, "check", store)
}

// free returns how many bytes of the file system at dir are free.
func free(t *testing.T, dir string) int64 {
	t.Helper()
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	return int64(st.Bfree) * int64(st.Bsize)
}
