package sql

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// modelRow is a row of the model; nil is NULL.
type modelRow struct {
	id int
	k  *int
	s  *string
}

func (r modelRow) String() string {
	k, s := "<null>", "<null>"
	if r.k != nil {
		k = fmt.Sprint(*r.k)
	}
	if r.s != nil {
		s = *r.s
	}
	return fmt.Sprintf("%d|%s|%s\n", r.id, k, s)
}

// TestModel runs random statements against a table and a map, in and out of transactions
// that commit or roll back, and compares the whole table and a grouping of it.
func TestModel(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			s := testSession(t, SessionOptions{MaxWorkers: 1 + int(seed%4)})
			must(t, s, "CREATE TABLE t (id int4, k int8, s text)")
			rows := map[int]modelRow{}
			saved := map[int]modelRow{}
			next := 1
			for step := range 150 {
				statement := ""
				switch op := rng.IntN(12); {
				case op < 4:
					var values []string
					for range 1 + rng.IntN(30) {
						r := modelRow{id: next}
						next++
						if rng.IntN(5) > 0 {
							k := rng.IntN(7)
							r.k = &k
						}
						if rng.IntN(5) > 0 {
							text := strings.Repeat("x", rng.IntN(4))
							r.s = &text
						}
						rows[r.id] = r
						k, str := "NULL", "NULL"
						if r.k != nil {
							k = fmt.Sprint(*r.k)
						}
						if r.s != nil {
							str = "'" + *r.s + "'"
						}
						values = append(values, fmt.Sprintf("(%d, %s, %s)", r.id, k, str))
					}
					statement = "INSERT INTO t VALUES " + strings.Join(values, ", ")
				case op < 6:
					k := rng.IntN(7)
					statement = fmt.Sprintf("DELETE FROM t WHERE k = %d AND id %% 3 = 0", k)
					for id, r := range rows {
						if r.k != nil && *r.k == k && id%3 == 0 {
							delete(rows, id)
						}
					}
				case op < 9:
					k := rng.IntN(7)
					statement = fmt.Sprintf("UPDATE t SET k = k + 1, s = s || 'y' WHERE k > %d AND id %% 2 = 0", k)
					for id, r := range rows {
						if r.k != nil && *r.k > k && id%2 == 0 {
							n := *r.k + 1
							r.k = &n
							if r.s != nil {
								text := *r.s + "y"
								r.s = &text
							}
							rows[id] = r
						}
					}
				case op == 9 && !s.InTransaction():
					statement = "BEGIN"
					saved = map[int]modelRow{}
					for id, r := range rows {
						saved[id] = r
					}
				case op == 9 && rng.IntN(2) == 0:
					statement = "COMMIT"
				case op == 9:
					statement = "ROLLBACK"
					rows = saved
				case op == 10 && !s.InTransaction():
					statement = []string{"CHECKPOINT", "VACUUM"}[rng.IntN(2)]
				default:
					continue
				}
				if _, _, err := ask(s, statement); err != nil {
					t.Fatalf("seed %d, step %d: %s: %v", seed, step, statement, err)
				}
				compareModel(t, s, rows, fmt.Sprintf("seed %d, step %d: %s", seed, step, statement))
			}
		})
	}
}

func compareModel(t *testing.T, s *Session, rows map[int]modelRow, what string) {
	t.Helper()
	var ids []int
	counts, sums := map[string]int{}, map[string]int{}
	for id, r := range rows {
		ids = append(ids, id)
		key := "<null>"
		if r.k != nil {
			key = fmt.Sprint(*r.k)
		}
		counts[key]++
		sums[key] += id
	}
	sort.Ints(ids)
	var want strings.Builder
	for _, id := range ids {
		want.WriteString(rows[id].String())
	}
	got, _, err := ask(s, "SELECT id, k, s FROM t ORDER BY id")
	if err != nil || got != want.String() {
		t.Fatalf("%s\n got %s (%v)\nwant %s", what, got, err, want.String())
	}
	var keys []string
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		if a == "<null>" || b == "<null>" {
			return b == "<null>" && a != b
		}
		return len(a) < len(b) || len(a) == len(b) && a < b
	})
	want.Reset()
	for _, k := range keys {
		fmt.Fprintf(&want, "%s|%d|%d\n", k, counts[k], sums[k])
	}
	got, _, err = ask(s, "SELECT k, count(*), sum(id) FROM t GROUP BY k ORDER BY k")
	if err != nil || got != want.String() {
		t.Fatalf("%s: groups\n got %s (%v)\nwant %s", what, got, err, want.String())
	}
}

// TestWorkersAgree runs queries over several row groups, some rows deleted, with 1 to 4
// workers: the results are the same to the last bit, and those that are simple are right.
func TestWorkersAgree(t *testing.T) {
	const n = 300_000
	store := testStore(t)
	s := NewSession(store, SessionOptions{})
	defer s.Close()
	must(t, s, "CREATE TABLE t (id int8, k int4, f float8, s text, d numeric(12,2))",
		fmt.Sprintf(`INSERT INTO t SELECT g, g %% 1000, CASE WHEN g %% 7 = 0 THEN NULL ELSE sqrt(g) - 300 END,
			CASE WHEN g %% 11 <> 0 THEN 'key' || g %% 77 END, g / 100.0 FROM generate_series(1, %d) AS g`, n),
		"DELETE FROM t WHERE id % 13 = 5", "DELETE FROM t WHERE id BETWEEN 150000 AND 170000")
	queries := []string{
		"SELECT count(*), sum(id), sum(k), min(f), max(f), sum(f), avg(f), sum(d), avg(d), min(s), max(s) FROM t",
		"SELECT sum(f), sum(f) FILTER (WHERE k > 500), sum(f * 2), count(DISTINCT s) FROM t WHERE id > 1000",
		"SELECT s, count(*), sum(f), avg(f), sum(d), min(id), max(k) FROM t GROUP BY s",
		"SELECT k, s, sum(f) FROM t WHERE k < 5 GROUP BY k, s",
		"SELECT s, count(*), sum(id) FROM t GROUP BY s",
		"SELECT nullif(k, 7), count(*), max(s) FROM t GROUP BY 1",
		"SELECT s, f FROM t GROUP BY s, f HAVING f < -200",
		"SELECT id, f, s FROM t WHERE k = 77",
		"SELECT id, s FROM t ORDER BY f DESC NULLS LAST, id LIMIT 100",
		"SELECT DISTINCT k % 10, s FROM t WHERE id > 250000 ORDER BY 1, 2",
		"SELECT count(*) FROM t WHERE id BETWEEN 200000 AND 200100",
	}
	for _, q := range queries {
		want := ""
		for workers := 1; workers <= 4; workers++ {
			w := NewSession(store, SessionOptions{MaxWorkers: workers})
			got, _, err := ask(w, q)
			if err != nil {
				t.Fatalf("%s: %d workers: %v", q, workers, err)
			}
			if workers == 1 {
				want = got
			}
			if got != want {
				t.Errorf("%s: %d workers\n got %.300s\nwant %.300s", q, workers, got, want)
			}
			w.Close()
		}
	}
	compareLimits(t, s)
	compareLanes(t, s)
	count, sum := 0, 0
	for id := 1; id <= n; id++ {
		if id%13 != 5 && (id < 150000 || id > 170000) {
			count++
			sum += id
		}
	}
	if got, _, err := ask(s, "SELECT count(*), sum(id) FROM t WHERE id > 0"); err != nil || got != fmt.Sprintf("%d|%d\n", count, sum) {
		t.Errorf("got %q, %v, want %d and %d", got, err, count, sum)
	}
}

// compareLimits compares queries with LIMIT and OFFSET with the rows of the query without.
func compareLimits(t *testing.T, s *Session) {
	t.Helper()
	for _, q := range []string{"SELECT id FROM t", "SELECT id FROM t WHERE k > 500", "SELECT id, f FROM t ORDER BY k, id",
		"SELECT id FROM t ORDER BY f DESC NULLS LAST, id", "SELECT DISTINCT k FROM t", "SELECT k, count(*) FROM t GROUP BY k"} {
		whole, _, err := ask(s, q)
		if err != nil {
			t.Fatal(err)
		}
		rows := strings.SplitAfter(whole, "\n")
		for _, part := range [][2]int{{10, 0}, {3000, 0}, {5000, 4000}, {100, 990}, {0, 5}} {
			got, _, err := ask(s, fmt.Sprintf("%s LIMIT %d OFFSET %d", q, part[0], part[1]))
			to := min(part[0]+part[1], len(rows))
			want := strings.Join(rows[min(part[1], to):to], "")
			if err != nil || got != want {
				t.Errorf("%s LIMIT %d OFFSET %d: %v\n got %.200s\nwant %.200s", q, part[0], part[1], err, got, want)
			}
		}
	}
}

// compareLanes computes a float8 sum by its definition: eight lanes for each 2,048 row
// ids, which are id-1 in this table, the vectors added in order.
func compareLanes(t *testing.T, s *Session) {
	t.Helper()
	res, err := s.Exec(t.Context(), "SELECT id, f FROM t WHERE f IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	sum, lanes, vector := 0.0, [8]float64{}, int64(0)
	leave := func() {
		sum += ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
		lanes = [8]float64{}
	}
	for b, err := range res.Batches {
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range b.Cols[0].Int64s() {
			if row := id - 1; row/2048 != vector {
				leave()
				vector = row / 2048
			}
			lanes[(id-1)%8] += b.Cols[1].Float64s()[i]
		}
	}
	leave()
	want := strconv.FormatFloat(sum, 'f', -1, 64) + "\n"
	for _, q := range []string{"SELECT sum(f) FROM t", "SELECT sum(f) FILTER (WHERE id > 0) FROM t", "SELECT sum(f) FROM t WHERE id > 0"} {
		if got, _, err := ask(s, q); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", q, got, err, want)
		}
	}
}
