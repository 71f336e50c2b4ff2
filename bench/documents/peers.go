package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/bench/internal/results"
	"github.com/ingotdb/ingot/bench/internal/staged"
)

// loader is what is compared by the form peers. Its command loads everything that file says
// passes times, in databases in dir, and prints a staged.Sample for each document.
type loader struct {
	name    string
	command func(file string, threads, passes int, dir string) []string
}

// comparePeers is the form peers: the documents beside the peers, in one run.
func comparePeers(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	wanted := flags.String("peers", "duckdb,ladybug", "comma-separated `list` of peers")
	list := flags.String("workers", "1,16", "comma-separated `list` of limits of workers, or threads")
	short := flags.Bool("short", false, "three documents, once")
	count := flags.Int("documents", len(documents), "`number` of documents, the smallest first")
	passes := flags.Int("passes", 2, "`number` of loads of all documents in a process; the first is not in the medians unless it is the only one")
	rounds := flags.Int("rounds", 3, "`number` of processes of each kind")
	resultsDir := flags.String("results", "bench/results", "`directory` for the raw numbers")
	var workers []int
	shorten := func() error {
		if *short {
			*count, *passes, *rounds = 3, 1, 1
		}
		return nil
	}
	if err := measure.Parse(flags, args, stderr, shorten, measure.Numbers("workers", list, 1, &workers), measure.Positive("passes", passes), measure.Positive("rounds", rounds), func() error { return check(*count - 1) }); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "ingot-documents-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	file := filepath.Join(work, "workload.json")
	if err := stage(work, file, *count); err != nil {
		return err
	}
	loaders, notes, err := findLoaders(work, strings.Split(*wanted, ","), *count)
	if err != nil {
		return err
	}
	raw, err := measure.CreateRaw(*resultsDir, "documents-peers", work, append([]string{fmt.Sprintf("rounds: %d", *rounds), fmt.Sprintf("documents: %d", *count)}, notes...)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	c := &comparison{file: file, work: work, passes: *passes, count: *count, log: stderr, raw: json.NewEncoder(raw), failed: map[string]bool{}}
	for round := range *rounds {
		for _, n := range workers {
			for i := range loaders {
				if err := c.process(ctx, loaders[(i+round)%len(loaders)], n, round); err != nil {
					return err
				}
			}
		}
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	if _, err := raw.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r, err := results.Read(raw)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "Sums of the medians of %d documents; raw samples in %s.\n\n%s\n%s", *count, filepath.Base(raw.Name()), results.Documents(r.Records), r.Skipped())
	return err
}

// comparison is one run of the form peers.
type comparison struct {
	file, work    string
	passes, count int
	log           io.Writer
	raw           *json.Encoder
	failed        map[string]bool // peers that are not tried again
}

// process runs one process of a loader and keeps its samples. A peer that fails is noted.
func (c *comparison) process(ctx context.Context, l loader, threads, round int) (err error) {
	if c.failed[l.name] {
		return nil
	}
	fmt.Fprintf(c.log, "documents: round %d, %d threads: %s\n", round+1, threads, l.name)
	dir, err := os.MkdirTemp(c.work, "db-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cmd := measure.Command(ctx, l.command(c.file, threads, c.passes, dir)...)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	record := results.Record{Threads: threads, Round: round + 1, Loader: l.name, Durable: true}
	if _, err := measure.Run(cmd); err != nil {
		if strings.HasPrefix(l.name, results.Ingot) || ctx.Err() != nil {
			return err
		}
		c.failed[l.name] = true
		record.Input, record.Failed = "documents", err.Error()
		return c.raw.Encode(record)
	}
	for in := json.NewDecoder(&stdout); in.More(); {
		var s staged.Sample
		if err := in.Decode(&s); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		if s.Document >= c.count {
			return fmt.Errorf("%s has loaded document %d of %d", l.name, s.Document, c.count)
		}
		if want := documents[s.Document].rows(); s.Rows != int64(want) {
			return fmt.Errorf("%s: document %d: %d rows loaded of %d", l.name, s.Document, s.Rows, want)
		}
		record.Input, record.First, record.Sample = fmt.Sprintf("document %d", s.Document), s.Pass == 0 && c.passes > 1, s.Sample
		if err := c.raw.Encode(record); err != nil {
			return err
		}
	}
	return nil
}

// findLoaders returns ingot's loaders and those of the peers that are wanted and can be had,
// and a note on each that cannot.
func findLoaders(work string, wanted []string, count int) (found []loader, notes []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	here := func(threads, passes int, dir string) []string {
		return []string{self, "run", "-workers", strconv.Itoa(threads), "-durability", "full", "-documents", strconv.Itoa(count), "-passes", strconv.Itoa(passes - 1), "-dir", dir}
	}
	found = []loader{
		{results.Ingot, func(_ string, threads, passes int, dir string) []string { return here(threads, passes, dir) }},
		{"ingot-csv", func(file string, threads, passes int, dir string) []string {
			return append(here(threads, passes, dir), "-files", file)
		}},
	}
	program, err := measure.BuildPeers(work)
	if err != nil {
		return found, []string{"skipped: all peers: " + err.Error()}, nil
	}
	for _, name := range wanted {
		if out, err := exec.Command(program, "documents", "-peer", name).CombinedOutput(); err != nil {
			notes = append(notes, "skipped: "+name+": "+strings.TrimSpace(string(out)))
			continue
		}
		found = append(found, loader{name, func(file string, threads, passes int, dir string) []string {
			return []string{program, "documents", "-peer", name, "-workload", file, "-threads", strconv.Itoa(threads), "-passes", strconv.Itoa(passes), "-dir", dir}
		}})
	}
	return found, notes, nil
}

// stage writes the data of the first count documents into dir, a CSV file for each statement,
// and what there is to file.
func stage(dir, file string, count int) error {
	w := newWorkload(first(count)...)
	out := new(staged.Workload)
	for i := range w.nodes {
		out.Tables = append(out.Tables, w.nodes[i].staged())
	}
	for i := range w.edges {
		e := &w.edges[i]
		t := e.staged()
		t.From, t.To = w.nodes[e.from].name, w.nodes[e.to].name
		out.Tables = append(out.Tables, t)
	}
	for number := range count {
		var doc []staged.Statement
		for i, st := range w.statements[number] {
			path := filepath.Join(dir, fmt.Sprintf("%02d-%02d-%s.csv", number, i, st.table.name))
			if err := writeCSV(path, st.data); err != nil {
				return err
			}
			doc = append(doc, staged.Statement{Table: st.table.name, File: path, Rows: st.data.NumRows()})
		}
		out.Documents = append(out.Documents, doc)
	}
	return out.Write(file)
}

// first returns the numbers of the first n documents.
func first(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// staged returns t as the peers are told of it.
func (t *table) staged() staged.Table {
	out := staged.Table{Name: t.name}
	for _, c := range t.columns {
		out.Columns = append(out.Columns, staged.Column{Name: c.name, Type: c.typ})
	}
	return out
}

// writeCSV writes Arrow data as CSV with a header. Nulls are empty; no text of the workload is.
func writeCSV(path string, data arrow.Table) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := csv.NewWriter(f)
	fields := make([]string, data.NumCols())
	for i := range fields {
		fields[i] = data.Schema().Field(i).Name
	}
	r := array.NewTableReader(data, data.NumRows())
	defer r.Release()
	if err := w.Write(fields); err != nil {
		return err
	}
	for r.Next() {
		batch := r.RecordBatch()
		for row := range int(batch.NumRows()) {
			for i, c := range batch.Columns() {
				fields[i] = ""
				if c.IsValid(row) {
					fields[i] = c.ValueStr(row)
				}
			}
			if err := w.Write(fields); err != nil {
				return err
			}
		}
	}
	w.Flush()
	return errors.Join(w.Error(), r.Err())
}

// stageFiles makes w load the files of a workload that stage has written, and no Arrow data.
func (w *workload) stageFiles(file string) error {
	s, err := staged.Read(file)
	if err != nil {
		return err
	}
	for number, doc := range s.Documents {
		if len(doc) != len(w.statements[number]) {
			return fmt.Errorf("%s has %d files for the %d statements of document %d", file, len(doc), len(w.statements[number]), number)
		}
		for i, st := range doc {
			w.statements[number][i].data = nil
			w.statements[number][i].text = "COPY " + st.Table + " FROM '" + strings.ReplaceAll(st.File, "'", "''") + "' (FORMAT csv, HEADER)"
		}
	}
	return nil
}
