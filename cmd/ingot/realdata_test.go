package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestRealFiles loads real files with --create and compares counts, sums, minima, maxima
// and lengths with what encoding/csv and math/big make of them; then it writes each table
// out and loads it again. The files are the example and those in $INGOT_DATA.
func TestRealFiles(t *testing.T) {
	files := []string{filepath.Join("..", "..", "examples", "flights.csv")}
	if dir := os.Getenv("INGOT_DATA"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*.csv"))
		if err != nil || len(more) == 0 {
			t.Fatalf("INGOT_DATA is %s: no .csv files there (%v)", dir, err)
		}
		files = append(files, more...)
	}
	for i, file := range files {
		t.Run(fmt.Sprintf("%d-%s", i, filepath.Base(file)), func(t *testing.T) { realFile(t, file) })
	}
}

func realFile(t *testing.T, file string) {
	store := filepath.Join(t.TempDir(), "st")
	mustRun(t, "copy", store, "t", "from", file, "--create")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := infoOf(t, store, "t")
	if int(table.Rows) != len(records)-1 {
		t.Errorf("%d rows, the file has %d", table.Rows, len(records)-1)
	}
	if len(table.Columns) != len(records[0]) {
		t.Fatalf("%d columns, the file has %d", len(table.Columns), len(records[0]))
	}
	for i, c := range table.Columns {
		if c.Name != records[0][i] {
			t.Errorf("column %d is called %q, the file says %q", i, c.Name, records[0][i])
		}
		values := make([]string, 0, len(records))
		for _, r := range records[1:] {
			values = append(values, r[i])
		}
		query, want := expected(c, values)
		if got := mustRun(t, "sql", store, "--mode", "csv", "-c", "SELECT "+query+" FROM t"); got != "a,b,c,d\n"+want+"\n" {
			t.Errorf("column %s %s: SELECT %s gives\n%s, the file says\n%s", c.Name, c.Type, query, got, want)
		}
	}
	again(t, store, table)
}

// again writes the table out, loads it into another one of the same columns, writes that
// out, and compares.
func again(t *testing.T, store string, table tableJSON) {
	t.Helper()
	var cols []string
	for _, c := range table.Columns {
		cols = append(cols, quoted(c.Name)+" "+c.Type)
	}
	dir := t.TempDir()
	first, second := filepath.Join(dir, "1.csv"), filepath.Join(dir, "2.csv")
	mustRun(t, "copy", store, "t", "to", first, "--header")
	mustRun(t, "sql", store, "-c", "CREATE TABLE u ("+strings.Join(cols, ", ")+")")
	mustRun(t, "copy", store, "u", "from", first, "--header=match", "--block-size", "4096", "--max-workers", "3")
	mustRun(t, "copy", store, "u", "to", second, "--header")
	a, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("COPY TO, COPY FROM, COPY TO gives another file")
	}
	mustRun(t, "check", store)
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// expected returns four aggregates of a column, and their row as CSV, from the text of
// its values. No value is "" but NULL, as none of the files quotes an empty string.
func expected(c columnJSON, values []string) (query, row string) {
	name := quoted(c.Name)
	present := values[:0]
	for _, v := range values {
		if v != "" {
			present = append(present, v)
		}
	}
	n := strconv.Itoa(len(present))
	switch c.Type {
	case "int8":
		sum, lo, hi := new(big.Int), int64(math.MaxInt64), int64(math.MinInt64)
		for _, v := range present {
			i, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return "count(*) AS a", err.Error()
			}
			sum.Add(sum, big.NewInt(i))
			lo, hi = min(lo, i), max(hi, i)
		}
		return fmt.Sprintf("count(%[1]s) AS a, sum(%[1]s) AS b, min(%[1]s) AS c, max(%[1]s) AS d", name),
			fmt.Sprintf("%s,%s,%d,%d", n, sum, lo, hi)
	case "float8":
		lo, hi := math.Inf(1), math.Inf(-1)
		distinct := map[float64]bool{}
		for _, v := range present {
			f, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return "count(*) AS a", err.Error()
			}
			lo, hi = min(lo, f), max(hi, f)
			distinct[f] = true
		}
		return fmt.Sprintf("count(%[1]s) AS a, count(DISTINCT %[1]s) AS b, min(%[1]s) AS c, max(%[1]s) AS d", name),
			fmt.Sprintf("%s,%d,%s,%s", n, len(distinct), strconv.FormatFloat(lo, 'g', -1, 64), strconv.FormatFloat(hi, 'g', -1, 64))
	}
	distinct := map[string]bool{}
	chars := 0
	lo, hi := present[0], present[0]
	for _, v := range present {
		distinct[v] = true
		chars += utf8.RuneCountInString(v)
		lo, hi = min(lo, v), max(hi, v)
	}
	query = fmt.Sprintf("count(%[1]s) AS a, count(DISTINCT %[1]s) AS b, min(%[1]s) AS c, max(%[1]s) AS d", name)
	if c.Type == "text" {
		query = fmt.Sprintf("count(%[1]s) AS a, count(DISTINCT %[1]s) AS b, sum(length(%[1]s)) AS c, max(%[1]s) AS d", name)
		lo = strconv.Itoa(chars)
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{n, strconv.Itoa(len(distinct)), lo, hi})
	w.Flush()
	return query, strings.TrimSuffix(b.String(), "\n")
}

// mustRun runs the command, which must succeed, and returns its stdout.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, status := command(t, args...)
	if status != 0 {
		t.Fatalf("ingot %s: status %d\n%s", strings.Join(args, " "), status, stderr)
	}
	return stdout
}

// infoOf returns what info says of a table.
func infoOf(t *testing.T, store, table string) tableJSON {
	t.Helper()
	var s storeJSON
	if err := json.Unmarshal([]byte(mustRun(t, "info", store, "--json")), &s); err != nil {
		t.Fatal(err)
	}
	for _, tj := range s.Tables {
		if tj.Name == table {
			return tj
		}
	}
	t.Fatalf("info lists no table %s", table)
	return tableJSON{}
}
