package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// bound returns the least that a durable load can take: see the package comment.
func (g *group) bound() int64 {
	return g.base(false).CPUNS/int64(g.threads) + measure.Median(g.probeNS)
}

// base returns the medians of ingot with the promise of a loader.
func (g *group) base(durable bool) measure.Sample {
	i := 1
	if durable {
		i = 0
	}
	return measure.Medians(g.series[i].samples)
}

// ratio formats a/b.
func ratio(a, b int64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

func megabytes(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", float64(n)/1e6)
}

// writeReport prints the tables of medians.
func writeReport(w io.Writer, raw string, groups []*group, skip []skipped) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians; raw samples in %s.\n\n", raw)
	b.WriteString("| input | threads | loader | durable | wall s | ratio | MB/s | CPU s | CPU ratio | peak anon MB | stored MB |\n|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, g := range groups {
		for _, sr := range g.series {
			if len(sr.samples) == 0 {
				continue
			}
			m := measure.Medians(sr.samples)
			durable := "no"
			if sr.loader.durable {
				durable = "yes"
			}
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %.0f | %s | %s | %s | %s |\n", g.input, g.threads,
				strings.TrimSpace(sr.loader.name+" "+version(sr.loader.name, m.Version)), durable, measure.Seconds(m.WallNS),
				ratio(m.WallNS, g.base(sr.loader.durable).WallNS), float64(g.fileBytes)/1e6/(float64(max(m.WallNS, 1))/1e9),
				measure.Seconds(m.CPUNS), ratio(m.CPUNS, g.base(sr.loader.durable).CPUNS), megabytes(m.PeakAnonBytes), megabytes(m.StoredBytes))
		}
	}
	b.WriteString("\nDurable loads and their bound: CPU time without sync / threads + one sync of the bytes stored.\n\n")
	b.WriteString("| input | threads | wall s | bound s | bound / wall | sync of the probe s | disk GB/s | without sync s |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, g := range groups {
		probe := measure.Median(g.probeNS)
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %.2f | %s |\n", g.input, g.threads, measure.Seconds(g.base(true).WallNS),
			measure.Seconds(g.bound()), ratio(g.bound(), g.base(true).WallNS), measure.Seconds(probe),
			float64(g.stored)/float64(max(probe, 1)), measure.Seconds(g.base(false).WallNS))
	}
	writeStages(&b, groups)
	for _, k := range skip {
		fmt.Fprintf(&b, "\nNot measured: %s: %s\n", k.name, k.why)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// stages are ingot's, in the order that the data passes them.
var stages = []string{"read", "split", "convert", "store", "index", "sync", "commit"}

// writeStages prints where ingot's time goes.
func writeStages(b *strings.Builder, groups []*group) {
	b.WriteString("\nWhere the time of ingot without sync goes, in ms summed over the workers; sync is that of the durable load.\n\n")
	b.WriteString("| input | threads | " + strings.Join(stages, " | ") + " | faults |\n|---|--:|" + strings.Repeat("--:|", len(stages)+1) + "\n")
	for _, g := range groups {
		durable, nosync := g.base(true), g.base(false)
		fmt.Fprintf(b, "| %s | %d |", g.input, g.threads)
		for _, name := range stages {
			st := nosync.Stages[name]
			if name == "sync" {
				st = durable.Stages[name]
			}
			fmt.Fprintf(b, " %.1f |", float64(st.NS)/1e6)
		}
		fmt.Fprintf(b, " %d |\n", nosync.MinorFaults)
	}
}

// version returns what to print of a loader's version: once per peer is enough.
func version(name, v string) string {
	if strings.Contains(name, "-") && name != "arrow-csv" {
		return ""
	}
	return v
}
