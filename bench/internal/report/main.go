// Command report writes the tables of docs/BENCHMARKS.md again, from the raw files that they
// are of.
//
//	go run ./bench/internal/report [-latest] [-check] [-doc FILE] [-results DIR]
//
// It is run from the root of the repository. A table stands between two comments:
//
//	<!-- table KIND FILE [FIELD=VALUE,VALUE...]... -->
//	<!-- end of table -->
//
// FILE is a raw file below DIR, and KIND says what is made of it:
//
//	machine     what it was measured on, from the header
//	loads       a line for each input, a column for each loader: wall seconds
//	loads-cpu   the same of processor time
//	loads-full  a line for each load: wall and processor time, memory, bytes stored
//	bounds      durable loads of ingot and what they could take at best
//	stages      where the time of ingot's loads goes
//	out         files and queries: a line for each task, a column for each loader
//	out-cpu     the same of processor time
//	out-full    a line for each task and loader
//	documents   sums over documents, a line for each loader
//	skipped     who was not measured, and why
//	pivot       medians of any raw file: by=FIELDS across=FIELDS value=FIELD [unit=UNIT] [per=N]
//
// Fields choose records: input, with its format behind a point unless that is csv, task,
// loader, threads; of a pivot, any field of the raw file. What stands outside of such comments
// is left as it is.
//
// -latest first puts the newest raw file of its kind in the place of each FILE. With -check
// nothing is written, and the exit status is 1 if something would change.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/results"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// run is main with its arguments; it returns the exit status: 0 done, 1 failed or not
// current, 2 usage.
func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(stderr)
	latest := flags.Bool("latest", false, "take the newest raw files")
	check := flags.Bool("check", false, "write nothing, and fail if something would change")
	doc := flags.String("doc", "docs/BENCHMARKS.md", "the `file` with the tables")
	dir := flags.String("results", "bench/results", "the `directory` of the raw files")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return 2
	}
	err := func() error {
		text, err := os.ReadFile(*doc)
		if err != nil {
			return err
		}
		out, err := regenerate(string(text), *dir, *latest)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", *doc, err)
		case out == string(text):
			return nil
		case *check:
			return fmt.Errorf("%s is not what its raw files say", *doc)
		}
		return os.WriteFile(*doc, []byte(out), 0o644)
	}()
	if err != nil {
		fmt.Fprintf(stderr, "report: %v\n", err)
		return 1
	}
	return 0
}

const (
	begin  = "<!-- table "
	finish = " -->"
	end    = "<!-- end of table -->"
	pivot  = "pivot" // a kind of its own: it is not of records
)

// kinds are the tables that can be made.
var kinds = map[string]func(*results.Raw) string{
	"machine":    machine,
	"loads":      func(r *results.Raw) string { return results.LoadsWide(r.Records) },
	"loads-cpu":  func(r *results.Raw) string { return results.LoadsCPU(r.Records) },
	"loads-full": func(r *results.Raw) string { return results.Loads(r.Records) },
	"bounds":     func(r *results.Raw) string { return results.Bounds(r.Records) },
	"stages":     func(r *results.Raw) string { return results.Stages(r.Records) },
	"out":        func(r *results.Raw) string { return results.Out(r.Records) },
	"out-cpu":    func(r *results.Raw) string { return results.OutCPU(r.Records) },
	"out-full":   func(r *results.Raw) string { return results.OutFull(r.Records) },
	"documents":  func(r *results.Raw) string { return results.Documents(r.Records) },
	"skipped":    skipped,
}

// machine returns what a reader has to know of how a raw file came about.
func machine(r *results.Raw) string {
	var b strings.Builder
	for _, key := range []string{"cpu", "kernel", "go", "level", "file system", "load average", "load average at the end", "rounds", "scale", "documents"} {
		if v := r.Value(key); v != "" {
			fmt.Fprintf(&b, "%s: %s; ", key, v)
		}
	}
	return strings.TrimSuffix(b.String(), "; ") + "\n"
}

// skipped returns who was not measured.
func skipped(r *results.Raw) string {
	if text := r.Skipped(); text != "" {
		return text
	}
	return "No peer is missing, and none has failed.\n"
}

// regenerate returns text with every table in it made anew from the raw files in dir.
func regenerate(text, dir string, latest bool) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, begin)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		spec, rest, ok := strings.Cut(rest, finish)
		if !ok || strings.Contains(spec, "\n") {
			return "", fmt.Errorf("%s%.40s: the comment does not end", begin, spec)
		}
		old, rest, ok := strings.Cut(rest, end)
		if !ok || strings.Contains(old, begin) {
			return "", fmt.Errorf("%s%s: there is no %s", begin, spec, end)
		}
		spec, table, err := makeTable(spec, dir, latest)
		if err != nil {
			return "", fmt.Errorf("%s%s: %w", begin, spec, err)
		}
		b.WriteString(begin + spec + finish + "\n\n" + table + "\n" + end)
		text = rest
	}
}

// makeTable returns the table that spec describes, and spec, which names another file then if
// the latest one is wanted.
func makeTable(spec, dir string, latest bool) (newSpec, table string, err error) {
	words := strings.Fields(spec)
	if len(words) < 2 || words[0] != pivot && kinds[words[0]] == nil {
		return spec, "", errors.New("no such kind of table")
	}
	if latest {
		if words[1], err = newest(dir, words[1]); err != nil {
			return spec, "", err
		}
		spec = strings.Join(words, " ")
	}
	f, err := os.Open(filepath.Join(dir, words[1]))
	if err != nil {
		return spec, "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if words[0] == pivot {
		table, err = makePivot(f, words[2:])
		return spec, table, err
	}
	raw, err := results.Read(f)
	if err != nil {
		return spec, "", err
	}
	for _, w := range words[2:] {
		if err := choose(raw, w); err != nil {
			return spec, "", err
		}
	}
	if len(raw.Records) == 0 {
		return spec, "", errors.New("no records")
	}
	return spec, kinds[words[0]](raw), nil
}

// makePivot returns the table that conditions describe of a raw file.
func makePivot(r io.Reader, conditions []string) (string, error) {
	lines, err := results.ReadFields(r)
	if err != nil {
		return "", err
	}
	set := map[string][]string{"by": nil, "across": nil, "value": {""}, "unit": {""}, "per": {"1"}}
	for _, c := range conditions {
		field, list, _ := strings.Cut(c, "=")
		values := strings.Split(list, ",")
		if _, ok := set[field]; ok {
			set[field] = values
			continue
		}
		lines = slices.DeleteFunc(lines, func(f results.Fields) bool { return !slices.Contains(values, f[field]) })
	}
	per, err := strconv.ParseFloat(set["per"][0], 64)
	if err != nil || !(per > 0) {
		return "", fmt.Errorf("per is %q, want a number above 0", set["per"][0])
	}
	return results.Pivot(lines, set["by"], set["across"], set["value"][0], set["unit"][0], per)
}

// choose leaves the records of which a field has one of the values of condition.
func choose(raw *results.Raw, condition string) error {
	field, list, _ := strings.Cut(condition, "=")
	values := strings.Split(list, ",")
	of, ok := map[string]func(*results.Record) string{
		"input":   (*results.Record).What,
		"task":    func(r *results.Record) string { return r.Task },
		"loader":  func(r *results.Record) string { return r.Loader },
		"threads": func(r *results.Record) string { return strconv.Itoa(r.Threads) },
	}[field]
	if !ok {
		return fmt.Errorf("records have no %s", field)
	}
	raw.Records = slices.DeleteFunc(raw.Records, func(r results.Record) bool { return !slices.Contains(values, of(&r)) })
	return nil
}

var dated = regexp.MustCompile(`^(.+)-\d{4}-\d{2}-\d{2}(T\d{6})?\.txt$`)

// newest returns the name of the newest raw file of the same benchmark as the named one.
func newest(dir, name string) (string, error) {
	m := dated.FindStringSubmatch(name)
	if m == nil {
		return "", fmt.Errorf("%s has no date", name)
	}
	files, err := os.ReadDir(dir) // in the order of names: the time of day comes behind the day
	if err != nil {
		return "", err
	}
	found := ""
	for _, f := range files {
		if k := dated.FindStringSubmatch(f.Name()); k != nil && k[1] == m[1] {
			found = f.Name()
		}
	}
	if found == "" {
		return "", fmt.Errorf("no raw file %s-DATE.txt", m[1])
	}
	return found, nil
}
