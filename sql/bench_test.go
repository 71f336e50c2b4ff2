package sql

import (
	"fmt"
	"testing"
)

// BenchmarkQuery runs queries over a million rows of a table in memory-mapped files.
func BenchmarkQuery(b *testing.B) {
	const n = 1_000_000
	store := testStore(b)
	s := NewSession(store, SessionOptions{})
	defer s.Close()
	must(b, s, "CREATE TABLE t (id int8, k int4, f float8, s text, d numeric(12,2))",
		fmt.Sprintf(`INSERT INTO t SELECT g, g %% 1000, CASE WHEN g %% 7 = 0 THEN NULL ELSE sqrt(g) END,
			'key' || g %% 77, g / 100.0 FROM generate_series(1, %d) AS g`, n), "CHECKPOINT")
	for _, q := range []struct{ name, text string }{
		{"count", "SELECT count(*) FROM t"},
		{"sum-int8", "SELECT sum(id) FROM t"},
		{"sum-float8", "SELECT sum(f) FROM t"},
		{"sum-numeric", "SELECT sum(d) FROM t"},
		{"minmax", "SELECT min(k), max(k), min(f), max(f) FROM t"},
		{"filter-sum", "SELECT sum(id) FROM t WHERE k < 100"},
		{"filter-and", "SELECT count(*) FROM t WHERE k < 500 AND f > 100 AND d <= 5000"},
		{"filter-text", "SELECT count(*) FROM t WHERE s = 'key7'"},
		{"pruned", "SELECT count(*) FROM t WHERE id BETWEEN 500000 AND 500100"},
		{"expression", "SELECT sum(k * 2 + id) FROM t"},
		{"group-int", "SELECT k, count(*), sum(id) FROM t GROUP BY k"},
		{"group-text", "SELECT s, count(*), avg(f) FROM t GROUP BY s"},
		{"group-many", "SELECT id, count(*) FROM t GROUP BY id LIMIT 1"},
		{"top", "SELECT id FROM t ORDER BY f DESC LIMIT 10"},
		{"project", "SELECT id, k, s FROM t WHERE k = 77"},
	} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", q.name, workers), func(b *testing.B) {
				s := NewSession(store, SessionOptions{MaxWorkers: workers})
				defer s.Close()
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
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}
