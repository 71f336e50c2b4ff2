package sql

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/visibility"
)

// scattered is a row of the table of TestScattered, by its id, which is its row id.
type scattered struct {
	id   int64
	k    int64 // null if id is a multiple of 11
	f    float64
	s    string // null if id is a multiple of 13
	d    int64  // hundredths
	even bool
}

// scatteredRow returns row id.
func scatteredRow(id int64) scattered {
	return scattered{id, id * 7919 % 1000, math.Sqrt(float64(id)), "key" + strconv.FormatInt(id%77, 10), id * 3, id%2 == 0}
}

const makeScattered = `CREATE TABLE t (id int8, k int4, f float8, s text, d numeric(12,2), even bool)`

// fillScattered returns the statement that inserts rows from to to.
func fillScattered(from, to int64) string {
	return fmt.Sprintf(`INSERT INTO t SELECT g, CASE WHEN g %% 11 <> 0 THEN g::int8 * 7919 %% 1000 END, sqrt(g),
		CASE WHEN g %% 13 <> 0 THEN 'key' || g %% 77 END, g::int8 * 3 / 100.0, g %% 2 = 0 FROM generate_series(%d, %d) AS g`, from, to)
}

func (r scattered) kNull() bool { return r.id%11 == 0 }
func (r scattered) sNull() bool { return r.id%13 == 0 }

// text returns the row as ask does, null being what stands for NULL.
func (r scattered) text(null, sep string) string {
	k, s, even := strconv.FormatInt(r.k, 10), r.s, "f"
	if r.kNull() {
		k = null
	}
	if r.sNull() {
		s = null
	}
	if r.even {
		even = "t"
	}
	return strings.Join([]string{strconv.FormatInt(r.id, 10), k, string(pgtext.AppendFloat8(nil, r.f)), s,
		fmt.Sprintf("%d.%02d", r.d/100, r.d%100), even}, sep)
}

// lines returns a line for each row that where takes.
func lines(rows []scattered, where func(scattered) bool, text func(scattered) string) string {
	var b strings.Builder
	for _, r := range rows {
		if where(r) {
			b.WriteString(text(r))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// sumOfFloats returns the sum of f as it is defined: eight lanes for each vector.
func sumOfFloats(rows []scattered) float64 {
	sum, lanes, vector := 0.0, [8]float64{}, int64(0)
	for _, r := range rows {
		if v := r.id / visibility.VectorRows; v != vector {
			sum += kernels.CombineLanes(&lanes)
			lanes, vector = [8]float64{}, v
		}
		lanes[r.id%8] += r.f
	}
	return sum + kernels.CombineLanes(&lanes)
}

// TestScattered runs every kind of statement that reads a table over rows between which
// others are deleted at random, and compares with a model in a slice.
func TestScattered(t *testing.T) {
	for _, c := range []struct {
		rows    int64
		share   float64 // 0 is the first row of every row group
		workers int
		then    string // CHECKPOINT or VACUUM, before the statements
	}{
		{5000, 0, 1, ""},
		{5000, 0.001, 1, "CHECKPOINT"},
		{5000, 0.01, 1, ""},
		{5000, 0.1, 1, "VACUUM"},
		{5000, 0.5, 1, "CHECKPOINT"},
		{5000, 0.9, 1, ""},
		{5000, 0.99, 1, "VACUUM"},
		{150000, 0.1, 3, "CHECKPOINT"}, // as many as two workers are for
	} {
		t.Run(fmt.Sprintf("rows=%d/deleted=%g/workers=%d", c.rows, c.share, c.workers), func(t *testing.T) {
			store := testStore(t)
			var out strings.Builder
			s := NewSession(store, SessionOptions{MaxWorkers: c.workers, Files: copy.AnyFile(), Stdout: &out})
			defer s.Close()
			must(t, s, makeScattered, fillScattered(0, 999), fillScattered(1000, 2500), fillScattered(2501, c.rows-1))
			scatter(t, store, "t", c.share, uint64(c.rows))
			if c.then != "" {
				must(t, s, c.then)
			}
			rows := scatteredLeft(c.rows, c.share, uint64(c.rows))
			if len(rows) == int(c.rows) || len(rows) == 0 {
				t.Fatalf("%d of %d rows are left", len(rows), c.rows)
			}
			readScattered(t, s, rows, c.rows)
			copyScattered(t, s, &out, rows)
			changeScattered(t, s, rows)
		})
	}
}

// scatteredLeft returns the rows that scatter leaves of n.
func scatteredLeft(n int64, share float64, seed uint64) (rows []scattered) {
	r := rand.New(rand.NewPCG(seed, 1))
	for id := range n {
		if share == 0 && visibility.RowID(id).Row() == 0 || r.Float64() < share {
			continue
		}
		rows = append(rows, scatteredRow(id))
	}
	return rows
}

// readScattered runs queries over t, which has the given ones of n rows.
func readScattered(t *testing.T, s *Session, rows []scattered, n int64) {
	t.Helper()
	var total, filtered struct{ n, k, id, d, even, lo, hi int64 }
	total.lo, filtered.lo = n, n
	keys := map[string]bool{}
	groups := map[int64]*[2]int64{}
	least := math.Inf(1)
	wanted := func(r scattered) bool { return !r.kNull() && r.k < 500 && r.f > 3 }
	for _, r := range rows {
		for i, x := range []*struct{ n, k, id, d, even, lo, hi int64 }{&total, &filtered} {
			if i == 1 && !wanted(r) {
				continue
			}
			x.n++
			x.id += r.id
			x.d += r.d
			if !r.kNull() {
				x.k++
			}
			if r.even {
				x.even++
			}
			x.lo, x.hi = min(x.lo, r.id), max(x.hi, r.id)
		}
		if !r.sNull() {
			keys[r.s] = true
		}
		g := groups[r.id%17]
		if g == nil {
			g = new([2]int64)
			groups[r.id%17] = g
		}
		g[0]++
		g[1] += r.id
		least = min(least, r.f)
	}
	gone := int64(0) // a row that is deleted
	for gone < int64(len(rows)) && rows[gone].id == gone {
		gone++
	}
	var grouped strings.Builder
	for k := range int64(17) {
		if g := groups[k]; g != nil {
			fmt.Fprintf(&grouped, "%d|%d|%d\n", k, g[0], g[1])
		}
	}
	byKey := slices.Clone(rows)
	slices.SortFunc(byKey, func(a, b scattered) int {
		switch {
		case a.sNull() != b.sNull() && a.sNull():
			return 1
		case a.sNull() != b.sNull():
			return -1
		case a.sNull() || a.s == b.s:
			return int(a.id - b.id)
		}
		return strings.Compare(b.s, a.s)
	})
	all := func(scattered) bool { return true }
	row := func(r scattered) string { return r.text("<null>", "|") }
	id := func(r scattered) string { return strconv.FormatInt(r.id, 10) }
	money := func(x int64) string { return fmt.Sprintf("%d.%02d", x/100, x%100) }
	for _, q := range [][2]string{
		{"SELECT count(*), count(k), sum(id), sum(d), min(id), max(id), count(*) FILTER (WHERE even) FROM t",
			fmt.Sprintf("%d|%d|%d|%s|%d|%d|%d\n", total.n, total.k, total.id, money(total.d), total.lo, total.hi, total.even)},
		{"SELECT count(*), count(k), sum(id), sum(d), min(id), max(id), count(*) FILTER (WHERE even) FROM t WHERE k < 500 AND f > 3",
			fmt.Sprintf("%d|%d|%d|%s|%d|%d|%d\n", filtered.n, filtered.k, filtered.id, optional(filtered.n > 0, money(filtered.d)),
				filtered.lo, filtered.hi, filtered.even)},
		{"SELECT sum(f), min(f) FROM t", fmt.Sprintf("%s|%s\n", pgtext.AppendFloat8(nil, sumOfFloats(rows)), pgtext.AppendFloat8(nil, least))},
		{"SELECT count(DISTINCT s) FROM t", fmt.Sprintf("%d\n", len(keys))},
		{"SELECT id % 17, count(*), sum(id) FROM t GROUP BY 1 ORDER BY 1", grouped.String()},
		{"SELECT id, count(*) FROM t WHERE id % 50 = 3 GROUP BY id", lines(rows, func(r scattered) bool { return r.id%50 == 3 }, func(r scattered) string { return id(r) + "|1" })},
		{"SELECT * FROM t", lines(rows, all, row)},
		{"SELECT * FROM t WHERE k < 500 AND f > 3", lines(rows, wanted, row)},
		{"SELECT id FROM t WHERE s IS NULL", lines(rows, scattered.sNull, id)},
		{"SELECT DISTINCT id / 3 FROM t WHERE even", lines(rows, func(r scattered) bool { return r.even && firstOfThree(rows, r) }, func(r scattered) string { return fmt.Sprint(r.id / 3) })},
		{"SELECT id FROM t ORDER BY s DESC NULLS LAST, id LIMIT 50 OFFSET 3", lines(byKey[min(3, len(byKey)):min(53, len(byKey))], all, id)},
		{"SELECT id FROM t LIMIT 10 OFFSET 7", lines(rows[min(7, len(rows)):min(17, len(rows))], all, id)},
		// A deleted row raises no error.
		{fmt.Sprintf("SELECT count(1000000 / (id - %d)) FROM t", gone), fmt.Sprintf("%d\n", total.n)},
		{fmt.Sprintf("SELECT count(*) FROM t WHERE 1000000 / (id - %d) IS NOT NULL", gone), fmt.Sprintf("%d\n", total.n)},
	} {
		got, _, err := ask(s, q[0])
		if err != nil || got != q[1] {
			t.Errorf("%s: %s, %v", q[0], difference(got, q[1]), err)
		}
	}
}

// optional returns text, or what stands for NULL.
func optional(ok bool, text string) string {
	if ok {
		return text
	}
	return "<null>"
}

// firstOfThree reports whether r is the first even one of the rows with its id / 3.
func firstOfThree(rows []scattered, r scattered) bool {
	i, _ := slices.BinarySearchFunc(rows, r.id, func(x scattered, id int64) int { return int(x.id - id) })
	for i--; i >= 0 && rows[i].id/3 == r.id/3; i-- {
		if rows[i].even {
			return false
		}
	}
	return true
}

// difference says where two texts of lines differ first.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is %q, want %q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// copyScattered copies t, which has the given rows, to wherever rows can go.
func copyScattered(t *testing.T, s *Session, out *strings.Builder, rows []scattered) {
	t.Helper()
	every := lines(rows, func(scattered) bool { return true }, func(r scattered) string { return r.text("", ",") })
	out.Reset()
	must(t, s, "COPY t TO STDOUT (FORMAT csv)")
	if got := out.String(); got != every {
		t.Errorf("COPY TO csv: %s", difference(got, every))
	}
	want := lines(rows, func(scattered) bool { return true }, func(r scattered) string { return r.text("<null>", "|") })
	dir := t.TempDir()
	for _, format := range []string{"text", "binary", "arrow", "ndjson"} {
		path := filepath.Join(dir, format)
		must(t, s, makeScatteredAs("u"), fmt.Sprintf("COPY t TO '%s' (FORMAT %s)", path, format), fmt.Sprintf("COPY u FROM '%s' (FORMAT %s)", path, format))
		if got, _, err := ask(s, "SELECT * FROM u"); err != nil || got != want {
			t.Errorf("COPY TO %s and back: %s, %v", format, difference(got, want), err)
		}
		must(t, s, "DROP TABLE u")
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
	must(t, s, makeScatteredAs("u"), "INSERT INTO u SELECT * FROM t")
	if got, _, err := ask(s, "SELECT * FROM u"); err != nil || got != want {
		t.Errorf("INSERT ... SELECT: %s, %v", difference(got, want), err)
	}
	must(t, s, "DROP TABLE u")
}

// makeScatteredAs returns makeScattered for another name.
func makeScatteredAs(name string) string {
	return strings.Replace(makeScattered, "TABLE t", "TABLE "+name, 1)
}

// changeScattered updates and deletes rows of t, which has the given ones.
func changeScattered(t *testing.T, s *Session, rows []scattered) {
	t.Helper()
	updated := func(r scattered) bool { return r.id%5 == 2 }
	deleted := func(r scattered) bool { return r.id%7 == 3 }
	all := func(scattered) bool { return true }
	var moved, kept []scattered
	n := 0
	for _, r := range rows {
		if updated(r) {
			n++
			r.d += 100
			if !deleted(r) {
				moved = append(moved, r)
			}
		} else if !deleted(r) {
			kept = append(kept, r)
		}
	}
	row := func(r scattered) string { return r.text("<null>", "|") }
	for _, where := range []string{" WHERE id % 5 = 2", " WHERE id % 5 = 2 AND d >= 0"} {
		must(t, s, "BEGIN")
		if _, tag, err := ask(s, "UPDATE t SET d = d + 1"+where); err != nil || tag != fmt.Sprint("UPDATE ", n) {
			t.Errorf("%s, %v; want UPDATE %d", tag, err, n)
		}
		if _, tag, err := ask(s, "DELETE FROM t WHERE id % 7 = 3"); err != nil || tag != fmt.Sprint("DELETE ", len(rows)-len(kept)-len(moved)) {
			t.Errorf("%s, %v; want DELETE %d", tag, err, len(rows)-len(kept)-len(moved))
		}
		want := lines(kept, all, row) + lines(moved, all, row)
		if got, _, err := ask(s, "SELECT * FROM t"); err != nil || got != want {
			t.Errorf("after UPDATE and DELETE: %s, %v", difference(got, want), err)
		}
		must(t, s, "ROLLBACK")
	}
	must(t, s, "BEGIN")
	if _, tag, err := ask(s, "DELETE FROM t"); err != nil || tag != fmt.Sprint("DELETE ", len(rows)) {
		t.Errorf("%s, %v; want DELETE %d", tag, err, len(rows))
	}
	must(t, s, "ROLLBACK")
	must(t, s, "DELETE FROM t WHERE k IS NULL", "ALTER TABLE t ALTER COLUMN k SET NOT NULL")
}

// TestScatteredEdges deletes edges of a rel table, some with their nodes: neither the
// edges nor the keys of nodes that are gone may be seen.
func TestScatteredEdges(t *testing.T) {
	var out strings.Builder
	s := testSession(t, SessionOptions{Stdout: &out})
	must(t, s, "CREATE TABLE n (name text PRIMARY KEY)", "CREATE REL TABLE r (FROM n TO n, w int4)",
		"INSERT INTO n SELECT 'node ' || g FROM generate_series(0, 999) AS g",
		"COPY r FROM (SELECT 'node ' || g, 'node ' || (g + 1) % 1000, g FROM generate_series(0, 999) AS g)")
	left := func() (rows string) {
		for i := range 1000 {
			if i%3 != 0 && i%10 != 7 && (i+1)%10 != 7 {
				rows += fmt.Sprintf("node %d|node %d|%d\n", i, (i+1)%1000, i)
			}
		}
		return rows
	}()
	must(t, s, "DELETE FROM r WHERE w % 3 = 0")
	for i := 7; i < 1000; i += 10 {
		must(t, s, fmt.Sprintf("DELETE FROM n WHERE name = 'node %d' CASCADE", i))
	}
	for _, between := range []string{"CHECKPOINT", "VACUUM"} {
		if got, _, err := ask(s, `SELECT "from", "to", w FROM r ORDER BY w`); err != nil || got != left {
			t.Errorf("%s, %v", difference(got, left), err)
		}
		if got, _, err := ask(s, `SELECT "from", "to", w FROM r WHERE w >= 0 AND "to" <> '' ORDER BY w`); err != nil || got != left {
			t.Errorf("WHERE: %s, %v", difference(got, left), err)
		}
		out.Reset()
		must(t, s, "COPY r TO STDOUT (DELIMITER '|')")
		if got := strings.Count(out.String(), "\n"); got != strings.Count(left, "\n") {
			t.Errorf("COPY TO: %d edges, want %d", got, strings.Count(left, "\n"))
		}
		must(t, s, between)
	}
}

// TestScatteredPlan holds that EXPLAIN counts rows and not what batches cover.
func TestScatteredPlan(t *testing.T) {
	store := testStore(t)
	s := NewSession(store, SessionOptions{})
	defer s.Close()
	must(t, s, makeScattered, fillScattered(0, 4999))
	scatter(t, store, "t", 0.5, 9)
	want := fmt.Sprintf("rows left by zone maps: %d", len(scatteredLeft(5000, 0.5, 9)))
	if got, _, err := ask(s, "EXPLAIN SELECT * FROM t WHERE id >= 0"); err != nil || !strings.Contains(got, want) {
		t.Errorf("%s, %v; want %q in it", got, err, want)
	}
}
