package results

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// loads are two loads of each loader, and a failed one.
func loads() []Record {
	at := func(loader string, durable bool, wall, cpu int64) Record {
		return Record{Input: "ints10", Format: "csv", Threads: 2, Loader: loader, Durable: durable, Bytes: 4e8,
			Sample: measure.Sample{WallNS: wall, CPUNS: cpu, StoredBytes: 3e8, Stages: map[string]measure.Stage{"sync": {NS: wall / 2}}}}
	}
	first := at("duckdb", true, 9e12, 9e12)
	first.First = true
	failed := at("chdb", true, 1, 1)
	failed.Failed = "no disk\nand more"
	other := at("polars", false, 3e9, 1)
	other.Threads = 1
	binary := at(Ingot, true, 5e8, 1)
	binary.Format = "binary"
	return []Record{
		at("duckdb", true, 4e9, 5e9), at(Ingot, true, 1e9, 8e8), at(IngotNosync, false, 4e8, 7e8), first, failed,
		at("polars", false, 2e9, 3e9), at(Ingot, true, 1e9, 8e8), at(Probe, false, 6e8, 0), other, binary,
	}
}

func want(t *testing.T, got string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains(got, l) {
			t.Errorf("no %q in\n%s", l, got)
		}
	}
}

func TestLoads(t *testing.T) {
	got := Loads(loads())
	want(t, got,
		"| ints10 | 2 | duckdb | yes | 4.00 | 4.00 | 100 | 5.00 | 6.25 |", // by ingot
		"| ints10 | 2 | polars | no | 2.00 | 5.00 |",                      // by ingot-nosync
		"| ints10.binary | 2 | ingot | yes | 0.500 | 1.00 |")
	if strings.Contains(got, "chdb") || strings.Contains(got, Probe) {
		t.Errorf("a loader without samples, or the probe, has a line:\n%s", got)
	}
	want(t, LoadsWide(loads()),
		"At 2 / 1 threads:",
		"| input, MB | ingot | ingot-nosync | duckdb | polars |",
		"| ints10, 400 | 1.00 / - | 0.400 / - | 4.00 / - | 2.00 / 3.00 (-) |",
		"| ints10.binary, 400 | 0.500 / - |  |  |  |")
	want(t, LoadsCPU(loads()), "| ints10, 400 | 0.800 / - | 0.700 / - | 5.00 / - |")
	want(t, Bounds(loads()[:8]), "| ints10 | 2 | 1.00 | 0.950 | 0.95 | 0.600 | 0.50 | 0.400 |") // 0.7/2 + 0.6
	want(t, Stages(loads()[:8]), "| ints10 | 2 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 | 500.0 | 0.0 | 0 |")
}

func TestOut(t *testing.T) {
	at := func(loader, answer string, wall int64) Record {
		return Record{Input: "mixed", Task: "like", Answer: answer, Threads: 1, Loader: loader, Durable: true, Sample: measure.Sample{WallNS: wall, CPUNS: 1e6}}
	}
	records := []Record{at(Ingot, "5", 2e6), at("duckdb", "5", 5e6), at("polars", "6", 123e6), at("polars", "6", 123e6)}
	want(t, Out(records), "| mixed like | 2.00 | 5.00 (2.5x) | 123 (62x) |")
	want(t, OutCPU(records), "| mixed like | 1.00 | 1.00 (1.0x) | 1.00 (1.0x) |")
	want(t, OutFull(records), "| mixed | like | 1 | duckdb | 5.00 | 2.50 | 1.00 | 1.00 | - |")
	if got := Disagreements(records); strings.Count(got, "\n") != 1 || !strings.Contains(got, `mixed like: ingot has "5", polars has "6"`) {
		t.Errorf("got %q", got)
	}
	if got := Disagreements(records[:2]); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestDocuments(t *testing.T) {
	at := func(loader, document string, wall int64) Record {
		return Record{Input: document, Threads: 1, Loader: loader, Sample: measure.Sample{WallNS: wall, CPUNS: wall, MinorFaults: 2}}
	}
	got := Documents([]Record{at(Ingot, "document 0", 1e6), at(Ingot, "document 1", 3e6), at("duckdb", "document 0", 4e6), at("duckdb", "document 1", 4e6), at("ladybug", "document 0", 9e6)})
	want(t, got, "| ingot | 1 | 4.00 | 1.00 | 4.00 | 1.00 | 4 |", "| duckdb | 1 | 8.00 | 2.00 | 8.00 | 2.00 | 4 |", "| ladybug, 1 of 2 | 1 | 9.00 | - |")
}

func TestRead(t *testing.T) {
	var text strings.Builder
	text.WriteString("# rounds: 3\n# skipped: sqlite: no program sqlite3\n")
	for _, r := range loads() {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	text.WriteString("# load average at the end: 1 2 3\n")
	raw, err := Read(strings.NewReader(text.String()))
	if err != nil || len(raw.Records) != len(loads()) || raw.Value("rounds") != "3" || raw.Value("cpu") != "" {
		t.Fatalf("got %+v, %v", raw, err)
	}
	want(t, raw.Skipped(), "- not measured: sqlite: no program sqlite3\n", "- failed: chdb: ints10 at 2 threads: no disk\n")
	if Loads(raw.Records) != Loads(loads()) {
		t.Error("records are not read as they are written")
	}
	for _, bad := range []string{"x\n", "{\n", "# a\n\n"} {
		if raw, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, raw)
		}
	}
}
