package acceptance

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/ingotdb/ingot/bench/gen/inputs"
)

// TestWorkers loads ten columns of integers with every number of workers and size of
// block: the table is the same to the byte, rows are counted and space is reserved once
// and exactly. The smallest blocks take the smaller input.
func TestWorkers(t *testing.T) {
	small, large := 25_000, 60_000
	if soak() {
		small, large = 100_000, inputs.DefaultRows("ints10")
	}
	for _, c := range []struct {
		rows   int
		blocks []int
	}{
		{small, []int{64, 1000}},
		{large, []int{4096, 64 << 10, 1 << 20}},
	} {
		file, sum := generated(t, "ints10", c.rows)
		for _, block := range c.blocks {
			for _, workers := range []int{1, 2, 8} {
				t.Run(fmt.Sprintf("rows=%d,block=%d,workers=%d", c.rows, block, workers), func(t *testing.T) {
					load(t, file, sum, c.rows, block, workers)
				})
			}
		}
	}
}

func load(t *testing.T, file, sum string, rows, block, workers int) {
	dir := t.TempDir()
	store := filepath.Join(dir, "st")
	must(t, "sql", store, "-c", inputs.Schema("ints10"))
	e := run(t, "copy", store, "ints10", "from", file, "--header=match", "--stats", "json",
		"--block-size", strconv.Itoa(block), "--max-workers", strconv.Itoa(workers))
	e.want(0)
	var s statistics
	e.object("reservations", &s)
	if s.Rows != int64(rows) || s.Cardinality != "exact" || s.Reservations != 1 || s.ReservedBytes != s.UsedBytes || s.Workers > workers {
		t.Errorf("statistics %+v; want %d rows, exact, one reservation, all of it used", s, rows)
	}
	if info, err := os.Stat(file); err != nil || info.Size() != s.Bytes {
		t.Errorf("%d bytes of %d, %v", s.Bytes, info.Size(), err)
	}
	out := filepath.Join(dir, "out.csv")
	must(t, "copy", store, "ints10", "to", out, "--header")
	if hash(t, out) != sum {
		t.Error("COPY TO gives another file than was loaded")
	}
	must(t, "check", store)
}

// generated writes a generated input and returns its hash.
func generated(t *testing.T, name string, rows int) (path, sum string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name+".csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := inputs.Write(f, name, rows); err != nil {
		t.Fatal(err)
	}
	return path, hash(t, path)
}

func hash(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}
