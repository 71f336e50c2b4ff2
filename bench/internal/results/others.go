package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// Out returns a table of the tasks that write files and answer queries: a line for each
// task, a column for each loader with its wall milliseconds at every number of threads, and
// how many times those of ingot they are at the last.
func Out(records []Record) string {
	return wide("task", records, func(g *group) string { return g.what + " " + g.task }, wallNS, milliseconds)
}

// OutCPU returns the same table of milliseconds of processor time.
func OutCPU(records []Record) string {
	return wide("task", records, func(g *group) string { return g.what + " " + g.task }, cpuNS, milliseconds)
}

// OutFull returns a table of the same with a line for each task, loader and number of threads.
func OutFull(records []Record) string {
	var b strings.Builder
	b.WriteString("| input | task | threads | loader | wall ms | ratio | CPU ms | CPU ratio | file MB |\n|---|---|--:|---|--:|--:|--:|--:|--:|\n")
	for _, g := range groups(records) {
		for _, name := range g.loaders {
			m, base := g.medians(name), g.base(name)
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s | %s | %s | %s |\n", g.what, g.task, g.threads, strings.TrimSpace(name+" "+m.Version),
				milliseconds(m.WallNS), ratio(m.WallNS, base.WallNS), milliseconds(m.CPUNS), ratio(m.CPUNS, base.CPUNS), megabytes(m.StoredBytes))
		}
	}
	return b.String()
}

// Disagreements returns a line for each query to which loaders gave different answers.
func Disagreements(records []Record) string {
	type first struct{ loader, answer string }
	answers := map[string]first{}
	said := map[string]bool{}
	var b strings.Builder
	for i := range records {
		rec := &records[i]
		if rec.Answer == "" || rec.Failed != "" {
			continue
		}
		k := rec.What() + rec.task()
		f, ok := answers[k]
		if !ok {
			answers[k] = first{rec.Loader, rec.Answer}
			continue
		}
		if f.answer != rec.Answer && !said[k+rec.Loader] {
			said[k+rec.Loader] = true
			fmt.Fprintf(&b, "- answers differ: %s: %s has %q, %s has %q\n", k, f.loader, f.answer, rec.Loader, rec.Answer)
		}
	}
	return b.String()
}

// Documents returns a table of the loads of documents, which are the inputs: a line for each
// loader and number of threads, with the sums of the medians of all documents. A loader that
// has not loaded all of them says how many.
func Documents(records []Record) string {
	type line struct {
		loader    string
		threads   int
		documents int
		sum       measure.Sample
	}
	var lines []*line
	find := func(loader string, threads int) *line {
		i := slices.IndexFunc(lines, func(l *line) bool { return l.loader == loader && l.threads == threads })
		if i < 0 {
			return nil
		}
		return lines[i]
	}
	most := 0
	for _, g := range groups(records) {
		for _, name := range g.loaders {
			l := find(name, g.threads)
			if l == nil {
				l = &line{loader: name, threads: g.threads}
				lines = append(lines, l)
			}
			m := g.medians(name)
			l.documents++
			l.sum.WallNS += m.WallNS
			l.sum.CPUNS += m.CPUNS
			l.sum.MinorFaults += m.MinorFaults
			l.sum.Version = m.Version
			most = max(most, l.documents)
		}
	}
	var b strings.Builder
	b.WriteString("| loader | threads | wall ms | ratio | CPU ms | CPU ratio | faults |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, l := range lines {
		name := strings.TrimSpace(l.loader + " " + l.sum.Version)
		if l.documents < most {
			name += fmt.Sprintf(", %d of %d", l.documents, most)
		}
		var base measure.Sample
		if have := find(Ingot, l.threads); have != nil && have.documents == l.documents {
			base = have.sum
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %d |\n", name, l.threads, milliseconds(l.sum.WallNS), ratio(l.sum.WallNS, base.WallNS),
			milliseconds(l.sum.CPUNS), ratio(l.sum.CPUNS, base.CPUNS), l.sum.MinorFaults)
	}
	return b.String()
}
