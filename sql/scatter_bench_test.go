package sql

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/visibility"
)

// scatter deletes rows of a table at random, each with probability share; a share of 0 is
// the first row of every row group.
func scatter(t testing.TB, store *columnar.Store, table string, share float64, seed uint64) {
	t.Helper()
	tx, err := store.BeginWrite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	tab, err := tx.Table(table)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	var ids []visibility.RowID
	for id := range tab.NextRow() {
		if share == 0 && id.Row() == 0 || r.Float64() < share {
			ids = append(ids, id)
		}
	}
	if _, err := tx.Delete(table, ids); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkScattered runs statements over two million rows of which some are deleted at
// random. The figure per row is CPU time over the rows that were there before.
func BenchmarkScattered(b *testing.B) {
	const n = 2_000_000
	store := testStore(b)
	s := NewSession(store, SessionOptions{MaxWorkers: 1, Files: copy.AnyFile()})
	defer s.Close()
	for _, d := range []struct {
		name  string
		share float64
	}{{"none", -1}, {"1-per-group", 0}, {"1%", 0.01}, {"10%", 0.1}, {"50%", 0.5}, {"99%", 0.99}} {
		made := false
		for _, q := range []struct{ name, text string }{
			{"sums", "SELECT count(*), sum(id), sum(k) FROM t"},
			{"filter", "SELECT count(*) FROM t WHERE k < 500 AND f > 100"},
			{"floats", "SELECT sum(f), min(f) FROM t"},
			{"group", "SELECT k, count(*), sum(id) FROM t GROUP BY k"},
			{"project", "SELECT id + 1, f FROM t"},
			{"csv", "COPY t TO '/dev/null' (FORMAT csv)"},
		} {
			b.Run(fmt.Sprintf("%s/deleted=%s", q.name, d.name), func(b *testing.B) {
				if !made {
					must(b, s, "DROP TABLE IF EXISTS t", "CREATE TABLE t (id int8, k int4, f float8, s text)",
						fmt.Sprintf("INSERT INTO t SELECT g, g::int8 * 7919 %% 1000, sqrt(g), 'key' || g %% 77 FROM generate_series(1, %d) AS g", n))
					if d.share >= 0 {
						scatter(b, store, "t", d.share, 1)
					}
					made = true
				}
				b.ResetTimer()
				begin := cpuTime(b)
				for b.Loop() {
					res, err := s.Exec(b.Context(), q.text)
					if err != nil {
						b.Fatal(err)
					}
					for _, err := range res.Batches {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(cpuTime(b)-begin)/float64(b.N)/n, "cpu-ns/row")
			})
		}
	}
}

// cpuTime returns the CPU time that the process has used.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
