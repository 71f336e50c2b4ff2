package acceptance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMemoryLimit runs statements that need memory, with too little and with enough.
func TestMemoryLimit(t *testing.T) {
	dir := t.TempDir()
	file, store := filepath.Join(dir, "in.csv"), filepath.Join(dir, "st")
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for _, i := range rng.Perm(50_000) {
		fmt.Fprintf(&b, "%d,k%d\n", i, i)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "sql", store, "-c", "CREATE TABLE t (a int, b text)", "-c", "COPY t FROM '"+file+"' CSV",
		"-c", "CREATE TABLE k (a int, b text PRIMARY KEY)")
	for _, statement := range []string{
		"SELECT a, b FROM t ORDER BY b",
		"SELECT b, count(*) FROM t GROUP BY b",
		"SELECT count(DISTINCT b) FROM t",
		"COPY (SELECT b FROM t ORDER BY a) TO '" + filepath.Join(dir, "out.csv") + "' CSV",
		"COPY k FROM '" + file + "' CSV",
	} {
		f := run(t, "sql", store, "--errors", "json", "--memory-limit", "100000", "-c", statement).failed(1)
		if f.SQLState != "53200" || !strings.Contains(f.Hint, "memory limit") {
			t.Errorf("%s: %+v", statement, f)
		}
		if _, err := os.Stat(filepath.Join(dir, "out.csv")); err == nil {
			t.Errorf("%s left a file", statement)
		}
		must(t, "sql", store, "--memory-limit", "100000000", "--mode", "csv", "-c", statement)
		os.Remove(filepath.Join(dir, "out.csv"))
	}
	if n := count(t, store, "k"); n != "50000" {
		t.Errorf("%s rows", n)
	}
	must(t, "check", store)
}
