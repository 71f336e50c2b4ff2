package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ingotdb/ingot/bench/gen/inputs"
	"github.com/ingotdb/ingot/bench/internal/measure"
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

// TestLoads loads a short file of two inputs into every peer that is installed.
func TestLoads(t *testing.T) {
	parent := t.TempDir()
	for p := parent; p != os.TempDir() && p != filepath.Dir(p); p = filepath.Dir(p) {
		if err := os.Chmod(p, 0o755); err != nil { // a PostgreSQL server runs as another user
			t.Fatal(err)
		}
	}
	for _, input := range []string{"mixed", "wide"} {
		const rows = 20
		var text bytes.Buffer
		if err := inputs.Write(&text, input, rows); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(parent, input+".csv")
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, p := range peers {
			t.Run(input+"/"+p.name, func(t *testing.T) {
				if why := p.missing(); why != "" {
					t.Skip("needs " + p.name + ": " + why)
				}
				dir, err := os.MkdirTemp(parent, "db")
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				err = load([]string{"-peer", p.name, "-input", input, "-file", file, "-threads", "2", "-dir", dir}, &out)
				if err != nil {
					t.Fatal(err)
				}
				var s measure.Sample
				if err := json.Unmarshal(out.Bytes(), &s); err != nil {
					t.Fatal(err)
				}
				if s.Rows != rows || s.WallNS <= 0 || s.Version == "" {
					t.Errorf("got %s", out.Bytes())
				}
			})
		}
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
