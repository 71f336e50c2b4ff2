package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/vfs"
)

func newTarget(t testing.TB, rows, workers int, d columnar.Durability) *target {
	t.Helper()
	dir := t.TempDir()
	file, err := writeInput(dir, rows)
	if err != nil {
		t.Fatal(err)
	}
	tg, err := openTarget(context.Background(), filepath.Join(dir, "store"), file, workers, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tg.close(); err != nil {
			t.Error(err)
		}
	})
	return tg
}

// TestOneSync: a small COPY is one record in the log and one sync of it, or none.
func TestOneSync(t *testing.T) {
	for _, d := range []columnar.Durability{columnar.Full, columnar.None} {
		for _, rows := range []int{100, 0} {
			tg := newTarget(t, rows, 16, d)
			before := tg.fs.logSyncs.Load()
			const n = 5
			for range n {
				if got, err := tg.copyOnce(context.Background()); err != nil || got != int64(rows) {
					t.Fatal(got, err)
				}
			}
			want := int64(n)
			if d == columnar.None || rows == 0 {
				want = 0
			}
			if got := tg.fs.logSyncs.Load() - before; got != want {
				t.Errorf("durability %v, %d COPYs of %d rows: %d syncs of the log, want %d", d, n, rows, got, want)
			}
		}
	}
}

// TestLogBytes: the record of a small COPY takes little more of the log than its values.
// They all fit into the first log, so that nothing but records is written.
func TestLogBytes(t *testing.T) {
	const values = 100 * 89 * 8
	r, err := newTarget(t, 100, 1, columnar.None).repeat(context.Background(), 6)
	if err != nil {
		t.Fatal(err)
	}
	if r.LogBytes < values/8 || r.LogBytes > values*12/10+blockBytes {
		t.Errorf("a COPY of %d bytes of values takes %d bytes of the log", values, r.LogBytes)
	}
}

// BenchmarkCopy is the fixed cost: it must follow the input, not the limit of workers.
func BenchmarkCopy(b *testing.B) {
	ctx := context.Background()
	for _, d := range []struct {
		name       string
		durability columnar.Durability
	}{{"full", columnar.Full}, {"none", columnar.None}} {
		for _, rows := range []int{100, 0} {
			for _, workers := range []int{1, 4, 16, 64} {
				b.Run(fmt.Sprintf("durability=%s/rows=%d/workers=%d", d.name, rows, workers), func(b *testing.B) {
					tg := newTarget(b, rows, workers, d.durability)
					b.ReportAllocs()
					syncs, bytes := tg.fs.logSyncs.Load(), tg.fs.logBytes.Load()
					took, err := measure.Timed(func() error {
						for b.Loop() {
							if _, err := tg.copyOnce(ctx); err != nil {
								return err
							}
						}
						return nil
					})
					if err != nil {
						b.Fatal(err)
					}
					n := float64(b.N)
					b.ReportMetric(float64(took.CPUNS)/n, "cpu-ns/op")
					b.ReportMetric(float64(took.MinorFaults)/n, "faults/op")
					b.ReportMetric(float64(tg.fs.logSyncs.Load()-syncs)/n, "syncs/op")
					b.ReportMetric(float64(tg.fs.logBytes.Load()-bytes)/n, "log-B/op")
				})
			}
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{"-rows x", "-workers 0", "-n 0", "-rounds 0", "nothing", "run", "run -file f -dir d -durability some", "-n 1 more"} {
		if got := run(strings.Fields(args), io.Discard, io.Discard); got != 2 {
			t.Errorf("%q ends with %d, want 2", args, got)
		}
	}
}

// TestTable has runs of one process and another in a table.
func TestTable(t *testing.T) {
	var b strings.Builder
	cells := []*cell{
		{100, 4, "ingot", []measure.Repeat{{WallNS: 1e6, CPUNS: 5e5, LogSyncs: 1, LogBytes: 77824}, {WallNS: 3e6, CPUNS: 5e5, LogSyncs: 1, LogBytes: 77824}}},
		{100, 4, "ladybug", []measure.Repeat{{WallNS: 7e7, Version: "0.19.1", PeakAnonBytes: 1e8}}},
	}
	if err := writeTable(&b, "small-x.txt", cells, []string{"skipped: duckdb: why"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| 100 | 4 | ingot | 2.000 | 0.500 | 0 |", "| 1.00 | 77824 | 0 |", "| 100 | 4 | ladybug 0.19.1 | 70.000 |", "| 100.0 | | | |", "skipped: duckdb: why",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestEmpty: with -empty the rows of one COPY are gone before the next.
func TestEmpty(t *testing.T) {
	tg := newTarget(t, 100, 1, columnar.None)
	for _, empty := range []bool{false, true} {
		tg.empty = empty
		if got, err := tg.copyOnce(t.Context()); err != nil || got != 100 {
			t.Fatal(got, err)
		}
		snap, err := tg.store.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		tab, err := snap.Table(table)
		if err != nil {
			t.Fatal(err)
		}
		if got := tab.Rows(); (got == 0) != empty {
			t.Errorf("empty %v: %d rows", empty, got)
		}
		snap.Release()
	}
}

// TestCounting: zeros that prepare a log are not counted, nor is their sync; the rest is,
// in whole blocks, and of logs only.
func TestCounting(t *testing.T) {
	dir, err := vfs.OpenDir(t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	fs := &countingFS{FS: dir}
	defer func() {
		if err := fs.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, name := range []string{"log.tmp", "data-1"} {
		f, err := fs.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		step := func(b []byte, off int64) {
			if _, err := f.WriteAt(b, off); err != nil {
				t.Fatal(err)
			}
			if err := f.Sync(); err != nil {
				t.Fatal(err)
			}
		}
		step(make([]byte, 3*blockBytes), 0)
		if name == "log.tmp" && (fs.logSyncs.Load() != 0 || fs.logBytes.Load() != 0) {
			t.Errorf("%s: %d syncs, %d bytes after zeros", name, fs.logSyncs.Load(), fs.logBytes.Load())
		}
		step([]byte("record"), blockBytes-3)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if syncs, bytes := fs.logSyncs.Load(), fs.logBytes.Load(); syncs != 1 || bytes != 2*blockBytes {
			t.Errorf("%s: %d syncs, %d bytes, want 1 and two blocks", name, syncs, bytes)
		}
	}
}
