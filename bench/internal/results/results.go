// Package results is the form in which bench/load and bench/documents keep raw samples, and
// the tables of medians that are made from them: once for the terminal, and again for
// docs/BENCHMARKS.md, by the same functions.
//
// A raw file is a header, lines that begin with #, and then one Record of JSON on each line.
// Two kinds of header line count here:
//
//	# skipped: NAME: REASON            a loader that is not measured
//	# load average at the end: A B C   stands behind the records
//
// Records of one kind, input, format or task, and number of threads are compared with each
// other. Loaders are named in the order in which they come first.
package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// Record is one sample of a raw file.
type Record struct {
	Input   string `json:"input"`
	Format  string `json:"format,omitempty"` // of the file that is loaded
	Task    string `json:"task,omitempty"`   // what is done with a loaded input; see package tasks
	Answer  string `json:"answer,omitempty"` // of a query
	Threads int    `json:"threads"`
	Round   int    `json:"round"`
	First   bool   `json:"first,omitempty"` // of several in a process; not in medians
	Loader  string `json:"loader"`
	Durable bool   `json:"durable,omitempty"`
	Bytes   int64  `json:"bytes,omitempty"` // of the file
	measure.Sample
	Failed string `json:"failed,omitempty"`
}

// Names of loaders that mean something here.
const (
	Ingot       = "ingot"
	IngotNosync = "ingot-nosync"
	Probe       = "disk-probe" // one sync of as many bytes as ingot has stored
)

// TaskSample is what a program prints that does the tasks of an input: one line of JSON for
// each time.
type TaskSample struct {
	Task   string `json:"task"`
	Answer string `json:"answer,omitempty"`
	Failed string `json:"failed,omitempty"`
	measure.Sample
}

// Raw is what a raw file holds.
type Raw struct {
	Header  []string // without "# "
	Records []Record
}

// Read reads a raw file.
func Read(r io.Reader) (*Raw, error) {
	raw := new(Raw)
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		if text, ok := bytes.CutPrefix(in.Bytes(), []byte("#")); ok {
			raw.Header = append(raw.Header, strings.TrimSpace(string(text)))
			continue
		}
		var rec Record
		if err := json.Unmarshal(in.Bytes(), &rec); err != nil {
			return nil, fmt.Errorf("results: line %d: %w", n, err)
		}
		raw.Records = append(raw.Records, rec)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return raw, nil
}

// Value returns the rest of the header line that begins with key and a colon, or "".
func (r *Raw) Value(key string) string {
	for _, line := range r.Header {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// Skipped returns a line for each loader that was not measured, or not all the time, and why.
func (r *Raw) Skipped() string {
	var b strings.Builder
	for _, line := range r.Header {
		if rest, ok := strings.CutPrefix(line, "skipped: "); ok {
			fmt.Fprintf(&b, "- not measured: %s\n", rest)
		}
	}
	for _, rec := range r.Records {
		if rec.Failed != "" {
			fmt.Fprintf(&b, "- failed: %s: %s%s at %d threads: %s\n", rec.Loader, rec.What(), rec.task(), rec.Threads, firstLine(rec.Failed))
		}
	}
	return b.String()
}

// firstLine returns the first line of s, and of a long one its first 200 bytes.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "..."
	}
	return s
}

// What names the input, with the format of the file if that is not CSV.
func (r *Record) What() string {
	if r.Format == "" || r.Format == "csv" {
		return r.Input
	}
	return r.Input + "." + r.Format
}

// task returns the name of the task behind a blank.
func (r *Record) task() string {
	if r.Task == "" {
		return ""
	}
	return " " + r.Task
}

// group is the records that are compared with each other.
type group struct {
	what    string // of the first
	task    string
	threads int
	bytes   int64
	loaders []string // in the order in which they come
	samples map[string][]measure.Sample
	durable map[string]bool
}

// groups puts records in groups, in the order in which these come. Failed ones, and
// the first of several, are left out.
func groups(records []Record) []*group {
	var list []*group
	type key struct {
		what, task string
		threads    int
	}
	found := map[key]*group{}
	for i := range records {
		rec := &records[i]
		k := key{rec.What(), rec.Task, rec.Threads}
		g := found[k]
		if g == nil {
			g = &group{what: k.what, task: k.task, threads: k.threads, samples: map[string][]measure.Sample{}, durable: map[string]bool{}}
			found[k] = g
			list = append(list, g)
		}
		if rec.Failed != "" || rec.First {
			continue
		}
		if _, ok := g.samples[rec.Loader]; !ok {
			g.loaders = append(g.loaders, rec.Loader)
			g.durable[rec.Loader] = rec.Durable
		}
		g.samples[rec.Loader] = append(g.samples[rec.Loader], rec.Sample)
		g.bytes = max(g.bytes, rec.Bytes)
	}
	return list
}

// medians returns the medians of a loader's samples; no rows if it has none.
func (g *group) medians(loader string) measure.Sample { return measure.Medians(g.samples[loader]) }

// base returns what a loader is compared with: ingot with the same promise.
func (g *group) base(loader string) measure.Sample {
	if !g.durable[loader] && len(g.samples[IngotNosync]) > 0 {
		return g.medians(IngotNosync)
	}
	return g.medians(Ingot)
}

// ratio formats a/b.
func ratio(a, b int64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

// times formats how many times b is a, for a reader who wants no more than two digits.
func times(a, b int64) string {
	if b == 0 {
		return "-"
	}
	switch r := float64(a) / float64(b); {
	case r >= 10:
		return fmt.Sprintf("%.0fx", r)
	default:
		return fmt.Sprintf("%.1fx", r)
	}
}

func megabytes(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", float64(n)/1e6)
}

// milliseconds formats nanoseconds with three digits that count.
func milliseconds(ns int64) string {
	switch m := float64(ns) / 1e6; {
	case m >= 100:
		return fmt.Sprintf("%.0f", m)
	case m >= 10:
		return fmt.Sprintf("%.1f", m)
	case m >= 1:
		return fmt.Sprintf("%.2f", m)
	default:
		return fmt.Sprintf("%.3f", m)
	}
}
