package copy_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ingotdb/ingot"
)

// wideColumns are columns of every width and layout beside the two that rows are divided by.
const wideColumns = "g int, i int8 NOT NULL, h text, s text, b bool, n numeric(9,2), m numeric(30,3), f float4, k int2, u uuid, a int[], z timestamptz, y bytea"

func wideLine(i int) string {
	if i%13 == 5 {
		return fmt.Sprintf(",%d,x%d,,,,,,,,,,", i, i%3)
	}
	n := fmt.Sprint(i%1000, ".25")
	if i%17 == 3 {
		n = "NaN"
	}
	return fmt.Sprintf(`%d,%d,x%d,%s,%t,%s,%d.125,%d.5,%d,00000000-0000-0000-0000-%012d,"{%d,NULL}",2024-01-02 03:04:%02d+00,\x%04x`,
		i/7%5, i, i%3, strings.Repeat("text", i%9), i%2 == 0, strings.ReplaceAll(n, " ", ""), i, i%100, i%500, i, i%70, i%60, i%4096)
}

// TestPartition divides rows by two columns, in every format, from a table and from a query,
// with rows in memory and in the spill: each file has the rows of its partition in their
// order, and no bytes depend on workers or memory.
func TestPartition(t *testing.T) {
	const rows = 9_000
	type setting struct {
		workers int
		memory  int64
	}
	settings := []setting{{1, 0}, {2, 0}, {8, 1 << 20}, {3, 1 << 16}}
	var dbs []*ingot.DB
	for _, s := range settings {
		db := openDB(t, ingot.Options{MaxWorkers: s.workers, MemoryLimit: s.memory})
		load(t, db, wideColumns, rows, wideLine)
		dbs = append(dbs, db)
	}
	kept := "i, s, b, n, m, f, k, u, a, z, y"
	exec(t, dbs[0], "CREATE TABLE again (i int8 NOT NULL, s text, b bool, n numeric(9,2), m numeric(30,3), f float4, k int2, u uuid, a int[], z timestamptz, y bytea)")
	for _, f := range everyFormat {
		t.Run(f.name, func(t *testing.T) {
			options := ""
			if f.name == "arrow" || f.name == "parquet" {
				options = ", NON_FINITE null"
			}
			first := map[string]map[string]string{} // what a query gives may be NULL, which Arrow notes
			for i, db := range dbs {
				source := "t"
				if i%2 == 1 {
					source = "(SELECT * FROM t)"
				}
				dir := t.TempDir()
				out := filepath.Join(dir, "out")
				res, err := db.Exec(context.Background(), fmt.Sprintf("COPY %s TO '%s' (FORMAT %s, PARTITION_BY (h, g)%s)", source, out, f.name, options))
				if err != nil || res.Rows != rows {
					t.Fatalf("%d rows, %v", res.Rows, err)
				}
				if want := min(2, settings[i].workers); res.Copy.Workers < want {
					t.Errorf("%d workers, want %d or more", res.Copy.Workers, want)
				}
				alone(t, dir, "out")
				got := tree(t, out)
				if first[source] == nil {
					first[source] = got
				}
				if !maps.Equal(got, first[source]) {
					t.Errorf("%+v: other files: %d, want %d", settings[i], len(got), len(first[source]))
				}
				if i > 0 {
					continue
				}
				if len(got) != 18 {
					t.Errorf("files %q", slices.Sorted(maps.Keys(got)))
				}
				for name := range got {
					var h, g string
					path := strings.TrimSuffix(name, "/part-0"+f.suffix)
					if _, err := fmt.Sscanf(path, "h=%2s/g=%s", &h, &g); err != nil {
						t.Fatalf("a file %s: %v", name, err)
					}
					where := "h = '" + h + "' AND g = " + g
					if g == "__HIVE_DEFAULT_PARTITION__" {
						where = "h = '" + h + "' AND g IS NULL"
					}
					exec(t, db, "TRUNCATE again")
					exec(t, db, "COPY again FROM '%s' (FORMAT %s)", filepath.Join(out, name), f.name)
					column := kept
					if options != "" {
						column = strings.Replace(kept, " n,", " CASE WHEN n = 'NaN' THEN NULL ELSE n END AS n,", 1)
					}
					if rowsOf(t, db, "SELECT * FROM again") != rowsOf(t, db, "SELECT "+column+" FROM t WHERE "+where) {
						t.Errorf("%s has other rows", name)
					}
				}
			}
		})
	}
}

// TestPartitionNames gives each value a directory of its own that any file system takes.
func TestPartitionNames(t *testing.T) {
	db := openDB(t, ingot.Options{})
	tests := []struct{ typ, value, want string }{
		{"text", "'plain-Text_1.5~'", "plain-Text_1.5~"},
		{"text", "''", ""},
		{"text", "'..'", ".."},
		{"text", "'a/b\\c'", "a%2Fb%5Cc"},
		{"text", "'50% = x: é'", "50%25%20%3D%20x%3A%20%C3%A9"},
		{"text", "NULL", "__HIVE_DEFAULT_PARTITION__"},
		{"text", "'__HIVE_DEFAULT_PARTITION__'", "%5F_HIVE_DEFAULT_PARTITION__"},
		{"bool", "true", "true"},
		{"bool", "false", "false"},
		{"int4", "-7", "-7"},
		{"float8", "1e300", "1e%2B300"},
		{"numeric(6,2)", "1.5", "1.50"},
		{"numeric(6,2)", "'NaN'", "NaN"},
		{"date", "'2024-02-29'", "2024-02-29"},
		{"timestamp", "'2024-02-29 01:02:03'", "2024-02-29%2001%3A02%3A03"},
	}
	for i, tc := range tests {
		dir := filepath.Join(t.TempDir(), "out")
		exec(t, db, "CREATE TABLE n%d (i int, v %s)", i, tc.typ)
		exec(t, db, "INSERT INTO n%d VALUES (1, %s), (2, %s)", i, tc.value, tc.value)
		exec(t, db, "COPY n%d TO '%s' (FORMAT csv, PARTITION_BY (v))", i, dir)
		want := map[string]string{"v=" + tc.want + "/part-0.csv": "1\n2\n"}
		if got := tree(t, dir); !maps.Equal(got, want) {
			t.Errorf("%s %s: %q, want %q", tc.typ, tc.value, got, want)
		}
	}
	dir := filepath.Join(t.TempDir(), "out")
	exec(t, db, `COPY (SELECT 1 AS i, 'y' AS "a b/c") TO '%s' (FORMAT csv, HEADER, PARTITION_BY ("a b/c"))`, dir)
	if got := tree(t, dir); got["a%20b%2Fc=y/part-0.csv"] != "i\n1\n" {
		t.Errorf("%q", got)
	}
	refuse(t, db, "54000", "COPY (SELECT 1 AS i, repeat('x', 254) AS v) TO '%s' (FORMAT csv, PARTITION_BY (v), OVERWRITE)", dir)
	exec(t, db, "COPY (SELECT 1 AS i, repeat('x', 253) AS v) TO '%s' (FORMAT csv, PARTITION_BY (v), OVERWRITE)", dir)
}

// TestPartitionOptions says what goes together and what does not.
func TestPartitionOptions(t *testing.T) {
	db := openDB(t, ingot.Options{})
	load(t, db, "a int, b int, c text", 10, func(i int) string { return fmt.Sprintf("%d,%d,x", i%2, i) })
	dir := t.TempDir()
	tests := []struct{ state, options string }{
		{"42703", "PARTITION_BY (d)"},
		{"42701", "PARTITION_BY (a, a)"},
		{"22023", "PARTITION_BY (a, b, c)"},
		{"22023", "PARTITION_BY *"},
		{"22023", "PARTITION_BY 3"},
		{"22023", "PARTITION_BY"},
		{"22023", "OVERWRITE"},
		{"42601", "PARTITION_BY (a), OVERWRITE sometimes"},
		{"42P10", "PARTITION_BY (a), FORCE_QUOTE (a)"},
		{"42601", "PARTITION_BY (a), PARTITION_BY (b)"},
		{"22023", "COMPRESSION rar"},
		{"42601", "COMPRESSION"},
	}
	for _, tc := range tests {
		refuse(t, db, tc.state, "COPY t TO '%s' (FORMAT csv, %s)", filepath.Join(dir, "out"), tc.options)
	}
	refuse(t, db, "42P10", "COPY t (a, b) TO '%s' (FORMAT csv, PARTITION_BY (c))", filepath.Join(dir, "out"))
	refuse(t, db, "0A000", "COPY t FROM '%s' (FORMAT csv, PARTITION_BY (a))", filepath.Join(dir, "out"))
	refuse(t, db, "0A000", "COPY t FROM '%s' (FORMAT csv, OVERWRITE)", filepath.Join(dir, "out"))
	var b strings.Builder
	if _, err := db.CopyTo(context.Background(), "t", &b, "FORMAT csv, PARTITION_BY (a)"); ingot.SQLState(err) != "0A000" || b.Len() > 0 {
		t.Errorf("to a writer: %v, %q", err, b.String())
	}
	alone(t, dir)

	exec(t, db, "COPY t (c, a, b) TO '%s' (FORMAT csv, PARTITION_BY a, HEADER, FORCE_QUOTE *, COMPRESSION gzip)", filepath.Join(dir, "out"))
	exec(t, db, "CREATE TABLE again (c text, b int)")
	exec(t, db, "COPY again FROM '%s' (FORMAT csv, HEADER match)", filepath.Join(dir, "out", "a=1", "part-0.csv.gz"))
	if got := rowsOf(t, db, "SELECT * FROM again"); got != "x,1\nx,3\nx,5\nx,7\nx,9\n" {
		t.Errorf("%q", got)
	}
	exec(t, db, "COPY t TO '%s' (FORMAT ndjson, FORCE_ARRAY, PARTITION_BY (a, b))", filepath.Join(dir, "json"))
	if got := tree(t, filepath.Join(dir, "json"))["a=1/b=3/part-0.ndjson"]; strings.Join(strings.Fields(got), "") != `[{"c":"x"}]` {
		t.Errorf("%q", got)
	}
}

// TestPartitionDirectory replaces no directory but an empty one and one that may be, when
// everything is written, and otherwise leaves what was there.
func TestPartitionDirectory(t *testing.T) {
	db := openDB(t, ingot.Options{MaxWorkers: 2})
	load(t, db, "a int, b text", 2000, func(i int) string { return fmt.Sprintf("%d,x%d", i%3, i) })
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	write := func(source, options string) string {
		return fmt.Sprintf("COPY %s TO '%s' (FORMAT csv, PARTITION_BY (a)%s)", source, out, options)
	}
	if err := os.Mkdir(out, 0o750); err != nil {
		t.Fatal(err)
	}
	exec(t, db, "%s", write("t", ""))
	alone(t, out, "a=0", "a=1", "a=2")
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	before := tree(t, out)
	same := func(what string) {
		t.Helper()
		if !maps.Equal(tree(t, out), before) {
			t.Errorf("%s: other files", what)
		}
		alone(t, dir, "out")
	}
	refuse(t, db, "58P02", "%s", write("t", ""))
	same("not empty")
	refuse(t, db, "22012", "%s", write("(SELECT a, 1 / (a - 2) AS q FROM t)", ", OVERWRITE"))
	same("a failing query")
	refuse(t, db, "22P05", "%s", write("(SELECT a, CASE WHEN b = 'x1999' THEN 'Ω' ELSE b END AS b FROM t)", ", OVERWRITE, ENCODING 'LATIN1'"))
	same("a failing file")
	for _, after := range []int{1, 5} { // looks at the context
		ctx := &endingContext{Context: context.Background(), after: after}
		s := db.Session(ingot.SessionOptions{})
		if _, err := s.Exec(ctx, write("t", ", OVERWRITE"), nil); ingot.SQLState(err) != "57014" {
			t.Errorf("cancelled: %v", err)
		}
		s.Close()
		same("cancelled")
	}
	exec(t, db, "%s", write("(SELECT 7 AS a, 'y' AS b)", ", OVERWRITE"))
	if got := tree(t, out); len(got) != 1 || got["a=7/part-0.csv"] != "y\n" {
		t.Errorf("%q", got)
	}
	exec(t, db, "%s", write("(SELECT * FROM t WHERE false)", ", OVERWRITE true"))
	alone(t, out)
	alone(t, dir, "out")

	if err := os.WriteFile(filepath.Join(out, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before = tree(t, out)
	refuse(t, db, "58P02", "%s", write("t", ", OVERWRITE"))
	same("a file of somebody else")

	refuse(t, db, "42809", "COPY t TO '%s' (FORMAT csv, PARTITION_BY (a))", filepath.Join(out, "mine.txt"))
	refuse(t, db, "58P01", "COPY t TO '%s' (FORMAT csv, PARTITION_BY (a))", filepath.Join(dir, "no", "out"))
	refuse(t, db, "42602", "COPY t TO '/' (FORMAT csv, PARTITION_BY (a))")
	same("names that cannot be written")

	link := filepath.Join(t.TempDir(), "link")
	if err := os.Remove(filepath.Join(out, "mine.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, link); err != nil {
		t.Fatal(err)
	}
	exec(t, db, "COPY t TO '%s/' (FORMAT csv, PARTITION_BY (a))", link)
	alone(t, out, "a=0", "a=1", "a=2")
}

// endingContext ends when its Err is asked for the given number of times.
type endingContext struct {
	context.Context
	after int
}

func (c *endingContext) Err() error {
	if c.after--; c.after < 0 {
		return context.Canceled
	}
	return nil
}

// TestPartitionRoot stays in the directory that statements may use.
func TestPartitionRoot(t *testing.T) {
	dir := t.TempDir()
	files, err := ingot.FilesIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	db := openDB(t, ingot.Options{Files: files, MemoryLimit: 1 << 16})
	load(t, db, "a int, b text", 20_000, func(i int) string { return fmt.Sprintf("%d,x%d", i%3, i) })
	for range 2 {
		exec(t, db, "COPY t TO 'sub' (FORMAT csv, PARTITION_BY (a), OVERWRITE)")
		alone(t, dir, "sub")
		alone(t, filepath.Join(dir, "sub"), "a=0", "a=1", "a=2")
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	refuse(t, db, "42809", "COPY t TO 'link' (FORMAT csv, PARTITION_BY (a))")
	refuse(t, db, "42501", "COPY t TO '../x' (FORMAT csv, PARTITION_BY (a))")
	refuse(t, db, "42602", "COPY t TO '.' (FORMAT csv, PARTITION_BY (a))")
	alone(t, outside)
}

// TestPartitionMemory refuses more partitions than the memory limit has room for, and says
// the same whatever the number of workers.
func TestPartitionMemory(t *testing.T) {
	said := ""
	for _, workers := range []int{1, 4} {
		db := openDB(t, ingot.Options{MaxWorkers: workers, MemoryLimit: 1 << 18})
		load(t, db, "a int, b text", 2000, func(i int) string { return fmt.Sprintf("%d,x%d", i, i) })
		dir := t.TempDir()
		err := refuse(t, db, "53200", "COPY t TO '%s' (FORMAT csv, PARTITION_BY (a))", filepath.Join(dir, "out"))
		if said != "" && err.Error() != said {
			t.Errorf("%v, want %s", err, said)
		}
		said = err.Error()
		alone(t, dir)
	}
}

// TestPartitionFirstError is the error of the first partition that has one, though it be found
// before or after that of the other.
func TestPartitionFirstError(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for _, rows := range []int{5_000, 15_000} { // of the first partition
			db := openDB(t, ingot.Options{MaxWorkers: workers})
			load(t, db, "a int, b text", 20_000, func(i int) string {
				switch i {
				case rows - 1:
					return "0,α"
				case 20_000 - 1:
					return "1,β"
				}
				return fmt.Sprintf("%d,%0100d", min(i/rows, 1), i)
			})
			for range 3 {
				dir := t.TempDir()
				err := refuse(t, db, "22P05", "COPY t TO '%s' (FORMAT csv, PARTITION_BY (a), ENCODING 'LATIN1')", filepath.Join(dir, "out"))
				if !strings.Contains(err.Error(), "0xce 0xb1") {
					t.Errorf("%d workers: %v", workers, err)
				}
				alone(t, dir)
			}
		}
	}
}
