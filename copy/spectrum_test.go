package copy

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
)

// TestSpectrum loads the files of the csv-spectrum suite and compares them with its JSON.
func TestSpectrum(t *testing.T) {
	suites := os.Getenv("INGOT_SUITES")
	if suites == "" {
		t.Skip("INGOT_SUITES must name the directory that holds csv-spectrum")
	}
	paths, err := filepath.Glob(filepath.Join(suites, "csv-spectrum", "csvs", "*.csv"))
	if err != nil || len(paths) < 12 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".csv")
		t.Run(name, func(t *testing.T) {
			want := spectrumRows(t, filepath.Join(suites, "csv-spectrum", "json", name+".json"))
			if name == "location_coordinates" {
				// A quote in the middle of a field toggles quoting here, as in PostgreSQL,
				// and the suite's JSON is of another row.
				want = []map[string]string{{
					"Contact Phone Number": "2095257564", "Location Coordinates": "37\ufffd36'37.8N 121\ufffd2'17.9W",
					"Cities": "Modesto", "Counties": "Stanislaus",
				}}
			}
			opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv, HEADER match)"))
			if err != nil {
				t.Fatal(err)
			}
			env := Env{Files: AnyFile()}
			inf, err := Infer(context.Background(), FromFiles(path), opt, env)
			if err != nil {
				t.Fatal(err)
			}
			for i := range inf.Columns {
				inf.Columns[i].Type = columnar.Type{Kind: columnar.Text}
			}
			store := newStore(t)
			target := createTable(t, store, schemaOf("t", inf))
			if _, err := From(context.Background(), store, target, FromFiles(path), opt, env); err != nil {
				t.Fatal(err)
			}
			rows := readTable(t, store)
			if len(rows) != len(want) {
				t.Fatalf("%d rows, want %d", len(rows), len(want))
			}
			for i, row := range rows {
				for k, c := range inf.Columns {
					if got := strings.ReplaceAll(row[k], null, ""); got != want[i][c.Name] {
						t.Errorf("row %d, %s: %q, want %q", i, c.Name, got, want[i][c.Name])
					}
				}
			}
		})
	}
}

// spectrumRows reads an object or an array of objects.
func spectrumRows(t *testing.T, path string) []map[string]string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	if json.Unmarshal(b, &rows) == nil {
		return rows
	}
	var row map[string]string
	if err := json.Unmarshal(b, &row); err != nil {
		t.Fatal(err)
	}
	return []map[string]string{row}
}
