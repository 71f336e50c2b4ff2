package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/bench/gen/inputs"
	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/bench/internal/results"
	"github.com/ingotdb/ingot/bench/internal/staged"
	"github.com/ingotdb/ingot/bench/internal/tasks"
)

func TestParseColumns(t *testing.T) {
	got, err := parseColumns("CREATE TABLE mixed (id bigint, price numeric(12,2), score double precision)")
	want := []column{{"id", "bigint", true}, {"price", "numeric(12,2)", true}, {"score", "double precision", true}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"", "CREATE TABLE t", "CREATE TABLE t (a)"} {
		if got, err := parseColumns(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

// TestPsqlRows reads what psql prints unaligned.
func TestPsqlRows(t *testing.T) {
	got := psqlRows("home, garden|3|5\npets|1|\n")
	if len(got) != 2 || !slices.Equal(got[0], []string{"home, garden", "3", "5"}) || got[1][2] != "" {
		t.Errorf("got %q", got)
	}
}

func TestReadPostgres(t *testing.T) {
	var s measure.Sample
	out := "Timing is on.\n100|8192\nTime: 1.2 ms\n15.18 (Debian 15.18-0)\nTime: 0.1 ms\n"
	if err := readPostgres(out, &s); err != nil || s.Rows != 100 || s.StoredBytes != 8192 || s.Version != "15.18" {
		t.Errorf("got %+v, %v", s, err)
	}
	if err := readPostgres("Timing is on.\n", &s); err == nil {
		t.Error("no rows are no error")
	}
}

// openDirs lets a PostgreSQL server, which runs as another user, enter dir.
func openDirs(t *testing.T, dir string) {
	for p := dir; p != os.TempDir() && p != filepath.Dir(p); p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// emptyDir makes a directory for a database.
func emptyDir(t *testing.T, parent string) string {
	dir, err := os.MkdirTemp(parent, "db")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// writeInput writes a short file of an input.
func writeInput(t *testing.T, parent, input string, rows int) string {
	var text bytes.Buffer
	if err := inputs.Write(&text, input, rows); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(parent, input+".csv")
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestLoads loads a short CSV file of two inputs into every peer that is installed, and does
// all its tasks.
func TestLoads(t *testing.T) {
	const rows = 20
	parent := t.TempDir()
	openDirs(t, parent)
	for _, input := range []string{"mixed", "ints10", "wide"} {
		file := writeInput(t, parent, input, rows)
		answers := map[string]string{}
		for _, p := range peers {
			if !slices.Contains(p.formats, "csv") {
				continue
			}
			t.Run(input+"/"+p.name, func(t *testing.T) {
				if why := p.missing(); why != "" {
					t.Skip("needs " + p.name + ": " + why)
				}
				args := []string{"-peer", p.name, "-input", input, "-file", file, "-threads", "2", "-dir", emptyDir(t, parent)}
				var out bytes.Buffer
				if err := load(append(args, "-keep"), &out); err != nil {
					t.Fatal(err)
				}
				var s measure.Sample
				if err := json.Unmarshal(out.Bytes(), &s); err != nil {
					t.Fatal(err)
				}
				if s.Rows != rows || s.WallNS <= 0 || s.Version == "" {
					t.Errorf("got %s", out.Bytes())
				}
				checkTasks(t, p, input, args, answers)
			})
		}
	}
}

// checkTasks does the tasks of an input with a peer. Answers to queries are those that the
// peers before have given.
func checkTasks(t *testing.T, p peer, input string, args []string, answers map[string]string) {
	var names []string
	want := 0
	for _, k := range tasks.All {
		if k.Input == input && slices.Contains(p.tasks, k.Name) {
			names = append(names, k.Name)
			if want++; k.Query != "" {
				want++
			}
		}
	}
	if want == 0 {
		return
	}
	var out bytes.Buffer
	if err := do(append(args, "-tasks", strings.Join(names, ","), "-runs", "2"), &out); err != nil {
		t.Fatal(err)
	}
	for in := json.NewDecoder(&out); in.More(); want-- {
		var s results.TaskSample
		if err := in.Decode(&s); err != nil {
			t.Fatal(err)
		}
		if s.Failed != "" || s.WallNS <= 0 || s.Version == "" || s.Answer == "" && s.StoredBytes <= 0 {
			t.Errorf("got %+v", s)
		}
		if s.Answer == "" {
			continue
		}
		if first, ok := answers[s.Task]; ok && first != s.Answer {
			t.Errorf("%s is %q, and was %q", s.Task, s.Answer, first)
		}
		answers[s.Task] = s.Answer
	}
	if want != 0 {
		t.Errorf("%d samples too few", want)
	}
}

// TestFormats loads what DuckDB, Polars and PostgreSQL have written with peers of the same
// format. Formats that nobody here writes are loaded by bench/load.
func TestFormats(t *testing.T) {
	const rows = 30
	parent := t.TempDir()
	openDirs(t, parent)
	csv := writeInput(t, parent, "ints10", rows)
	db, err := openDuckDB("", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, format := range []string{"ndjson", "parquet"} {
		file := filepath.Join(parent, "ints10."+format)
		if _, err := db.Exec("COPY (FROM read_csv(" + quoted(csv) + ")) TO " + quoted(file) + " (" + duckOptions[format] + ")"); err != nil {
			t.Fatal(err)
		}
		for _, p := range peers {
			if !slices.Contains(p.formats, format) {
				continue
			}
			t.Run(format+"/"+p.name, func(t *testing.T) {
				if why := p.missing(); why != "" {
					t.Skip("needs " + p.name + ": " + why)
				}
				var out bytes.Buffer
				if err := load([]string{"-peer", p.name, "-input", "ints10", "-format", format, "-file", file, "-dir", emptyDir(t, parent)}, &out); err != nil {
					t.Fatal(err)
				}
				var s measure.Sample
				if err := json.Unmarshal(out.Bytes(), &s); err != nil || s.Rows != rows {
					t.Errorf("got %s, %v", out.Bytes(), err)
				}
			})
		}
	}
}

// TestDocuments loads two documents of two tables of nodes and one of edges.
func TestDocuments(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	w := &staged.Workload{
		Tables: []staged.Table{
			{Name: "a", Columns: []staged.Column{{Name: "id", Type: "bigint PRIMARY KEY"}, {Name: "s", Type: "text"}, {Name: "seen", Type: "timestamptz"}}},
			{Name: "b", Columns: []staged.Column{{Name: "id", Type: "bigint PRIMARY KEY"}, {Name: "d", Type: "date"}}},
			{Name: "e", From: "a", To: "b", Columns: []staged.Column{{Name: "from_id", Type: "bigint NOT NULL"}, {Name: "to_id", Type: "bigint NOT NULL"}, {Name: "w", Type: "double precision"}}},
		},
		Documents: [][]staged.Statement{{
			{Table: "a", Rows: 2, File: write("a0.csv", "id,s,seen\n1,x y,2024-02-03 04:05:06.000007Z\n2,,\n")},
			{Table: "b", Rows: 1, File: write("b0.csv", "id,d\n1,2024-02-03\n")},
			{Table: "e", Rows: 2, File: write("e0.csv", "from_id,to_id,w\n1,1,0.5\n2,1,\n")},
		}, {
			{Table: "a", Rows: 1, File: write("a1.csv", "id,s,seen\n3,z,\n")},
		}},
	}
	file := filepath.Join(dir, "workload.json")
	if err := w.Write(file); err != nil {
		t.Fatal(err)
	}
	for name, p := range documentPeers {
		t.Run(name, func(t *testing.T) {
			if why := p.missing(); why != "" {
				t.Skip("needs " + name + ": " + why)
			}
			var out bytes.Buffer
			if err := documents([]string{"-peer", name, "-workload", file, "-passes", "2", "-dir", t.TempDir()}, &out); err != nil {
				t.Fatal(err)
			}
			var rows []int64
			for in := json.NewDecoder(&out); in.More(); {
				var s staged.Sample
				if err := in.Decode(&s); err != nil {
					t.Fatal(err)
				}
				if s.WallNS <= 0 || s.Version == "" || s.Pass != len(rows)/2 || s.Document != len(rows)%2 {
					t.Errorf("got %+v", s)
				}
				rows = append(rows, s.Rows)
			}
			if !slices.Equal(rows, []int64{5, 1, 5, 1}) {
				t.Errorf("loaded %v", rows)
			}
		})
	}
}

// TestSmallLoads loads a few rows a few times.
func TestSmallLoads(t *testing.T) {
	const rows, loads = 3, 2
	var text bytes.Buffer
	if err := inputs.Write(&text, "small89", rows); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "small89.csv")
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, p := range smallPeers {
		t.Run(name, func(t *testing.T) {
			if why := p.missing(); why != "" {
				t.Skip("needs " + name + ": " + why)
			}
			var out bytes.Buffer
			if err := small([]string{"-peer", name, "-file", file, "-dir", t.TempDir(), "-n", "2", "-threads", "2"}, &out); err != nil {
				t.Fatal(err)
			}
			var r measure.Repeat
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if r.Rows != rows || r.Loads != loads || r.FirstWallNS <= 0 || r.WallNS <= 0 || r.Version == "" {
				t.Errorf("got %s", out.Bytes())
			}
		})
	}
}
