package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// Loads returns a table of all loads, a line for each loader, input and number of threads.
// The column "ratio" is the loader's wall time by that of ingot with the same promise, "CPU
// ratio" is the same of processor time.
func Loads(records []Record) string {
	var b strings.Builder
	b.WriteString("| input | threads | loader | durable | wall s | ratio | MB/s | CPU s | CPU ratio | peak anon MB | stored MB |\n|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, g := range groups(records) {
		for _, name := range g.loaders {
			if name == Probe {
				continue
			}
			m, base := g.medians(name), g.base(name)
			durable := "no"
			if g.durable[name] {
				durable = "yes"
			}
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %.0f | %s | %s | %s | %s |\n", g.what, g.threads,
				strings.TrimSpace(name+" "+m.Version), durable, measure.Seconds(m.WallNS),
				ratio(m.WallNS, base.WallNS), float64(g.bytes)/1e6/(float64(max(m.WallNS, 1))/1e9),
				measure.Seconds(m.CPUNS), ratio(m.CPUNS, base.CPUNS), megabytes(m.PeakAnonBytes), megabytes(m.StoredBytes))
		}
	}
	return b.String()
}

// LoadsWide returns a short table: a line for each input, a column for each loader with its
// wall seconds at every number of threads and, at the last of them, how many times those of
// ingot with the same promise they are.
func LoadsWide(records []Record) string {
	return wide("input, MB", records, func(g *group) string { return g.what + ", " + megabytes(g.bytes) }, wallNS, measure.Seconds)
}

// LoadsCPU returns the same table of seconds of processor time.
func LoadsCPU(records []Record) string {
	return wide("input, MB", records, func(g *group) string { return g.what + ", " + megabytes(g.bytes) }, cpuNS, measure.Seconds)
}

func wallNS(s measure.Sample) int64 { return s.WallNS }
func cpuNS(s measure.Sample) int64  { return s.CPUNS }

// wide returns a table of a field of the medians with a line for each group but for its
// threads, and a column for each loader.
func wide(head string, records []Record, name func(*group) string, field func(measure.Sample) int64, format func(int64) string) string {
	gs := groups(records)
	var loaders, lines []string
	var threads []int
	at := map[string][]*group{}
	for _, g := range gs {
		for _, l := range g.loaders {
			if l != Probe && !slices.Contains(loaders, l) {
				loaders = append(loaders, l)
			}
		}
		if !slices.Contains(threads, g.threads) {
			threads = append(threads, g.threads)
		}
		line := name(g)
		if at[line] == nil {
			lines = append(lines, line)
		}
		at[line] = append(at[line], g)
	}
	slices.SortStableFunc(loaders, func(a, b string) int { return rank(a) - rank(b) })
	var b strings.Builder
	list := make([]string, len(threads))
	for i, n := range threads {
		list[i] = strconv.Itoa(n)
	}
	fmt.Fprintf(&b, "At %s threads:\n\n| %s | %s |\n|---|%s\n", strings.Join(list, " / "), head, strings.Join(loaders, " | "), strings.Repeat("--:|", len(loaders)))
	for _, line := range lines {
		fmt.Fprintf(&b, "| %s |", line)
		for _, l := range loaders {
			b.WriteString(" " + cell(at[line], threads, l, field, format) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// rank puts ingot's loaders before all others.
func rank(loader string) int {
	if loader == Ingot || loader == IngotNosync {
		return 0
	}
	return 1
}

// cell returns what one loader took at all numbers of threads.
func cell(gs []*group, threads []int, loader string, field func(measure.Sample) int64, format func(int64) string) string {
	var parts []string
	last := ""
	any := false
	for _, n := range threads {
		i := slices.IndexFunc(gs, func(g *group) bool { return g.threads == n })
		if i < 0 || len(gs[i].samples[loader]) == 0 {
			parts, last = append(parts, "-"), ""
			continue
		}
		any = true
		v := field(gs[i].medians(loader))
		parts = append(parts, format(v))
		last = ""
		if loader != Ingot && loader != IngotNosync {
			last = " (" + times(v, field(gs[i].base(loader))) + ")"
		}
	}
	if !any {
		return ""
	}
	return strings.Join(parts, " / ") + last
}

// Bounds returns a table of ingot's durable loads and what they could take at best:
// processor time without sync by threads, and one sync of the bytes stored.
func Bounds(records []Record) string {
	var b strings.Builder
	b.WriteString("| input | threads | wall s | bound s | bound / wall | sync of the probe s | disk GB/s | without sync s |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, g := range groups(records) {
		durable, nosync, probe := g.medians(Ingot), g.medians(IngotNosync), g.medians(Probe)
		bound := nosync.CPUNS/int64(g.threads) + probe.WallNS
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %.2f | %s |\n", g.what, g.threads, measure.Seconds(durable.WallNS),
			measure.Seconds(bound), ratio(bound, durable.WallNS), measure.Seconds(probe.WallNS),
			float64(probe.StoredBytes)/float64(max(probe.WallNS, 1)), measure.Seconds(nosync.WallNS))
	}
	return b.String()
}

// stages are ingot's, in the order that the data passes them.
var stages = []string{"read", "split", "convert", "store", "index", "sync", "commit"}

// Stages returns a table of where ingot's time goes in loads without sync, in ms summed over
// the workers; the sync is that of the durable load.
func Stages(records []Record) string {
	var b strings.Builder
	b.WriteString("| input | threads | " + strings.Join(stages, " | ") + " | faults |\n|---|--:|" + strings.Repeat("--:|", len(stages)+1) + "\n")
	for _, g := range groups(records) {
		durable, nosync := g.medians(Ingot), g.medians(IngotNosync)
		fmt.Fprintf(&b, "| %s | %d |", g.what, g.threads)
		for _, name := range stages {
			st := nosync.Stages[name]
			if name == "sync" {
				st = durable.Stages[name]
			}
			fmt.Fprintf(&b, " %.1f |", float64(st.NS)/1e6)
		}
		fmt.Fprintf(&b, " %d |\n", nosync.MinorFaults)
	}
	return b.String()
}
