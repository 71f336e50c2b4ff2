package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/columnar"
)

func newTarget(t testing.TB, w *workload, workers int, d columnar.Durability) *target {
	t.Helper()
	tg, err := openTarget(t.Context(), filepath.Join(t.TempDir(), "store"), w, workers, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tg.close(); err != nil {
			t.Error(err)
		}
	})
	return tg
}

// TestSizes: the workload is the one that doc.go describes.
func TestSizes(t *testing.T) {
	var sizes, counts []int
	for i := range documents {
		d := &documents[i]
		counts = append(counts, d.nodeCount())
		sizes = append(append(sizes, d.nodes...), d.edges...)
		if sum(d.edges) != d.nodeCount()-1 {
			t.Errorf("document %d has %d nodes and %d edges", i, d.nodeCount(), sum(d.edges))
		}
		if n := d.statements(); n < 14 || n > 32 {
			t.Errorf("document %d has %d statements", i, n)
		}
		if d.nodes[0] != 1 {
			t.Errorf("document %d has %d rows for the first table", i, d.nodes[0])
		}
	}
	if n := len(counts); n != 15 || counts[0] != 22 || counts[n-2] != 2146 || counts[n-1] != 21935 || !slices.IsSorted(counts) {
		t.Errorf("documents have %d nodes", counts)
	}
	slices.Sort(sizes)
	if n := len(sizes); n != 366 || sizes[0] < 1 || sizes[n-1] != 11297 || (sizes[n/2-1]+sizes[n/2])/2 != 30 {
		t.Errorf("%d statements, median %d, the largest %d", n, sizes[n/2], sizes[n-1])
	}
	for _, c := range []struct{ below, want int }{{10, 127}, {100, 248}, {1000, 334}, {10000, 364}} {
		if got, _ := slices.BinarySearch(sizes, c.below); got != c.want {
			t.Errorf("%d statements below %d rows, want %d", got, c.below, c.want)
		}
	}
	if slices.Min(widths) != 9 || slices.Max(widths) != 89 || sum(widths) != 660 || len(widths) != 12 {
		t.Errorf("%d tables, %d columns: %v", len(widths), sum(widths), widths)
	}
}

// TestTables: the tables have the columns that they should, and every one of them is
// filled by a document, none twice by the same.
func TestTables(t *testing.T) {
	w := newWorkload()
	filled := map[string]bool{}
	for number, list := range w.statements {
		once := map[string]bool{}
		for _, st := range list {
			if once[st.table.name] {
				t.Errorf("document %d fills %s twice", number, st.table.name)
			}
			once[st.table.name], filled[st.table.name] = true, true
			if got := int(st.data.NumCols()); got != len(st.table.columns) {
				t.Errorf("document %d: %d columns for %s", number, got, st.table.name)
			}
		}
	}
	for i := range w.nodes {
		if got := len(w.nodes[i].columns); got != widths[i] || !filled[w.nodes[i].name] {
			t.Errorf("%s has %d columns, want %d; filled: %v", w.nodes[i].name, got, widths[i], filled[w.nodes[i].name])
		}
	}
	if len(w.edges) != 47 || len(filled) != 59 {
		t.Errorf("%d tables of edges, want 47; %d of all tables are filled", len(w.edges), len(filled))
	}
}

// TestOneSync: a document is one sync of the log, whatever its statements are, and none
// without durability. Each is loaded into a store of its own with an empty log.
func TestOneSync(t *testing.T) {
	w := newWorkload()
	for number := range documents {
		for _, c := range []struct {
			durability columnar.Durability
			want       int64
		}{{columnar.Full, 1}, {columnar.None, 0}} {
			s, err := newTarget(t, w, 4, c.durability).measure(t.Context(), number)
			if err != nil {
				t.Fatal(err)
			}
			if s.LogSyncs != c.want {
				t.Errorf("document %d, durability %v: %d syncs of the log, want %d", number, c.durability, s.LogSyncs, c.want)
			}
		}
	}
}

// TestRows: what is in the tables is what was in the Arrow data, in its order, whatever the
// number of workers.
func TestRows(t *testing.T) {
	w := newWorkload()
	for _, workers := range []int{1, 16} {
		tg := newTarget(t, w, workers, columnar.None)
		want := map[string][]arrow.Table{}
		for number := range documents {
			if _, err := tg.load(t.Context(), number); err != nil {
				t.Fatal(err)
			}
			for _, st := range w.statements[number] {
				want[st.table.name] = append(want[st.table.name], st.data)
			}
		}
		snap, err := tg.store.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
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
		snap.Release()
	}
}

// compare reports columns of got that are not those of the tables want one behind the other.
func compare(t *testing.T, name string, got []arrow.RecordBatch, want []arrow.Table) {
	t.Helper()
	join := func(parts []arrow.Array) arrow.Array {
		a, err := array.Concatenate(parts, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for i := range int(want[0].NumCols()) {
		var g, w []arrow.Array
		for _, rec := range got {
			g = append(g, rec.Column(i))
		}
		for _, tab := range want {
			w = append(w, tab.Column(i).Data().Chunks()...)
		}
		if len(g) == 0 || !array.Equal(join(g), join(w)) {
			t.Errorf("%s: column %d is not what was loaded", name, i)
		}
	}
}

// TestCompare: compare notices one value.
func TestCompare(t *testing.T) {
	w := newWorkload(0)
	st := &w.statements[0][1]
	rec := array.NewTableReader(st.data, -1)
	defer rec.Release()
	if !rec.Next() {
		t.Fatal(rec.Err())
	}
	same := new(testing.T)
	compare(same, "", []arrow.RecordBatch{rec.RecordBatch()}, []arrow.Table{st.data})
	if same.Failed() {
		t.Error("a table is not equal to itself")
	}
	cut := new(testing.T)
	compare(cut, "", []arrow.RecordBatch{rec.RecordBatch().NewSlice(1, st.data.NumRows())}, []arrow.Table{st.data})
	if !cut.Failed() {
		t.Error("a table is equal to itself without its first row")
	}
}

// TestAllocations: a limit of 16 workers allocates what a limit of 1 does.
func TestAllocations(t *testing.T) {
	const number = 7
	w := newWorkload(number)
	var n [2]int64
	for i, workers := range []int{1, 16} {
		tg := newTarget(t, w, workers, columnar.None)
		var all []int64
		for range 5 {
			s, err := tg.measure(t.Context(), number)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s.Allocations)
			if err := tg.empty(t.Context(), number); err != nil {
				t.Fatal(err)
			}
		}
		n[i] = measure.Median(all)
	}
	if n[0] == 0 || n[1]*100 > n[0]*102 {
		t.Errorf("%d allocations with 1 worker, %d with 16", n[0], n[1])
	}
}

// BenchmarkDocument loads a document into emptied tables; emptying is not timed.
func BenchmarkDocument(b *testing.B) {
	for _, d := range []struct {
		name       string
		durability columnar.Durability
	}{{"full", columnar.Full}, {"none", columnar.None}} {
		for _, number := range []int{0, 7, 13} {
			w := newWorkload(number)
			for _, workers := range []int{1, 16} {
				b.Run(fmt.Sprintf("durability=%s/nodes=%d/workers=%d", d.name, documents[number].nodeCount(), workers), func(b *testing.B) {
					tg := newTarget(b, w, workers, d.durability)
					b.ReportAllocs()
					for b.Loop() {
						if _, err := tg.load(b.Context(), number); err != nil {
							b.Fatal(err)
						}
						b.StopTimer()
						if err := tg.empty(b.Context(), number); err != nil {
							b.Fatal(err)
						}
						b.StartTimer()
					}
				})
			}
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{"-workers 0", "-workers x", "-passes 0", "-rounds 0", "nothing", "run", "run -dir d -workers 0", "run -dir d -durability some", "repeat", "repeat -dir d -document 15",
		"instructions -document -1", "instructions -n 0", "-passes 1 more",
		"run -dir d -passes -1", "run -dir d -documents 16", "peers -passes 0", "peers -documents 0", "peers -workers 0"} {
		if got := run(strings.Fields(args), io.Discard, io.Discard); got != 2 {
			t.Errorf("%q ends with %d, want 2", args, got)
		}
	}
}

// TestPrinted has the samples of two processes in tables.
func TestPrinted(t *testing.T) {
	var cells []*cell
	for i, d := range []string{"full", "none"} {
		c := &cell{durability: d, workers: 4 * (i + 1), samples: make([][]sample, len(documents))}
		for number := range documents {
			for k := range int64(3) {
				c.samples[number] = append(c.samples[number], sample{LogSyncs: 1, Allocations: 70, Sample: measure.Sample{WallNS: k * 1e6, CPUNS: 2e6, MinorFaults: 5}})
			}
		}
		cells = append(cells, c)
	}
	text := tables("documents-x.txt", append([]*cell{cells[0]}, cells...))
	for _, want := range []string{
		"| 4 | 15.00 | 1.000 | 30.00 | 1.000 | 75 | 1050 | 0.0 | 15 |", "| 22 | 18 | 1.00 / 1.00 | 2.00 / 2.00 | 5 / 5 | 70 / 70 |",
		"Durability none, each document at 8 workers", "documents-x.txt",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
