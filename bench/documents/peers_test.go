package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/bench/internal/results"
	"github.com/ingotdb/ingot/bench/internal/staged"
	"github.com/ingotdb/ingot/columnar"
)

// TestStage: what the files hold is what the Arrow data holds: same rows, same values.
func TestStage(t *testing.T) {
	const count = 3
	dir := t.TempDir()
	file := filepath.Join(dir, "workload.json")
	if err := stage(dir, file, count); err != nil {
		t.Fatal(err)
	}
	made, files := newWorkload(first(count)...), newWorkload(first(count)...)
	if err := files.stageFiles(file); err != nil {
		t.Fatal(err)
	}
	tg := newTarget(t, files, 2, columnar.None)
	want := map[string][]arrow.Table{}
	for number := range count {
		s, err := tg.measure(t.Context(), number)
		if err != nil || s.Rows != int64(documents[number].rows()) {
			t.Fatalf("document %d: %d rows, %v", number, s.Rows, err)
		}
		for _, st := range made.statements[number] {
			want[st.table.name] = append(want[st.table.name], st.data)
		}
	}
	snap, err := tg.store.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	for name, parts := range want {
		tab, err := snap.Table(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []arrow.RecordBatch
		for rec, err := range tab.Records(t.Context(), columnar.ScanOptions{Copy: true}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rec)
		}
		compare(t, name, got, parts)
	}
	w, err := staged.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	edges := 0
	for _, tb := range w.Tables {
		if (tb.From == "") != (tb.To == "") || tb.From != "" && tb.Columns[0].Name != "from_id" {
			t.Errorf("table %+v", tb)
		}
		if tb.From != "" {
			edges++
		}
	}
	if len(w.Tables) != 59 || edges != 47 {
		t.Errorf("%d tables, %d of edges", len(w.Tables), edges)
	}
	if err := newWorkload(0).stageFiles(file); err == nil {
		t.Error("files of more documents than there are statements of are taken")
	}
}

// TestProcess keeps the samples of a loader, and gives a peer that fails no second try.
func TestProcess(t *testing.T) {
	var raw strings.Builder
	c := &comparison{work: t.TempDir(), passes: 2, count: 1, log: io.Discard, raw: json.NewEncoder(&raw), failed: map[string]bool{}}
	prints := func(name, text string) loader {
		return loader{name, func(_ string, _, _ int, _ string) []string { return []string{"echo", text} }}
	}
	sample := func(pass, document, rows int) string {
		text, err := json.Marshal(map[string]int{"pass": pass, "document": document, "rows": rows, "wall_ns": 5})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	good := documents[0].rows()
	if err := c.process(t.Context(), prints("x", sample(0, 0, good)+" "+sample(1, 0, good)), 1, 0); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{sample(0, 0, good-1), sample(0, 1, good), "{"} {
		if err := c.process(t.Context(), prints("y", text), 1, 0); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
	tried := 0
	bad := loader{"bad", func(string, int, int, string) []string { tried++; return []string{"false"} }}
	for round := range 2 {
		if err := c.process(t.Context(), bad, 1, round); err != nil {
			t.Error(err)
		}
	}
	if bad.name = results.Ingot; c.process(t.Context(), bad, 1, 0) == nil || tried != 2 {
		t.Errorf("tried %d times", tried)
	}
	r, err := results.Read(strings.NewReader(raw.String()))
	if err != nil || len(r.Records) != 3 || !r.Records[0].First || r.Records[1].First || r.Records[2].Failed == "" {
		t.Errorf("got %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if bad.name = "other"; !errors.Is(c.process(ctx, bad, 1, 0), context.Canceled) {
		t.Error("a peer that was ended counts as one that fails")
	}
}
