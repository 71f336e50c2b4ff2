package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/bench/gen/inputs"
	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/bench/internal/results"
	"github.com/ingotdb/ingot/bench/internal/tasks"
)

// job is one load, or tasks to be done with what a load has left.
type job struct {
	Table   string   `json:"table"`
	Columns []column `json:"columns"`
	Format  string   `json:"format"`
	File    string   `json:"file"`
	Threads int      `json:"threads"`
	Dir     string   `json:"dir"`
	Durable bool     `json:"durable"`
	Keep    bool     `json:"-"` // what is loaded is used again
}

// work is tasks, and how often a query is answered. A file is written once.
type work struct {
	job
	Tasks []tasks.Task `json:"tasks"`
	Runs  int          `json:"runs"`
}

// runs returns how often a task is done.
func (w *work) runs(t tasks.Task) int {
	if t.Query == "" {
		return 1
	}
	return w.Runs
}

// output returns the file that the task named format writes.
func (w *work) output(format string) string { return w.Dir + "/out." + format }

// peer is a system in one configuration.
type peer struct {
	name    string
	durable bool     // a load that is done survives a crash of the machine
	formats []string // that it loads

	// missing says why the peer cannot run here; the empty string if it can.
	missing func() string
	load    func(j *job) (measure.Sample, error)

	// tasks are the names of the tasks that the peer does after a load into the same
	// directory, and do does them, each time for each. A peer without them has nil.
	tasks []string
	do    func(w *work, each func(results.TaskSample) error) error
}

var (
	queries   = []string{"sums", "filter", "group", "like"}
	anyFormat = []string{"csv", "ndjson", "parquet", "arrow"}
)

// does returns the tasks of a peer: all queries, and files in some formats.
func does(formats ...string) []string { return append(slices.Clone(queries), formats...) }

var peers = []peer{
	{"duckdb", true, anyFormat[:3], present, loadDuckDB(duckCompressed), does("csv", "parquet", "ndjson"), doDuckDB},
	{"duckdb-plain", true, []string{"csv"}, present, loadDuckDB(duckPlain), nil, nil},
	{"duckdb-memory", false, anyFormat[:3], present, loadDuckDB(duckMemory), nil, nil},
	{"chdb", true, anyFormat, nodeMissing("chdb"), loadNode("chdb", true), does(anyFormat...), doNode("chdb")},
	{"chdb-nosync", false, anyFormat, nodeMissing("chdb"), loadNode("chdb", false), nil, nil},
	{"postgres", true, []string{"csv", "text", "binary"}, postgresMissing, loadPostgres(""), does("csv", "binary"), doPostgres},
	{"postgres-unlogged", false, []string{"csv", "text", "binary"}, postgresMissing, loadPostgres("UNLOGGED "), nil, nil},
	{"polars", false, anyFormat, nodeMissing("nodejs-polars"), loadNode("polars", false), does("csv", "parquet", "ndjson", "arrow"), doNode("polars")},
	{"sqlite", true, []string{"csv"}, sqliteMissing, loadSQLite, nil, nil},
	{"arrow-go", false, []string{"csv", "arrow", "parquet"}, present, loadArrow, nil, nil},
	{"simdjson-go", false, []string{"ndjson"}, simdjsonMissing, loadSimdjson, nil, nil},
}

// present is what is missing of a peer that is linked into this program.
func present() string { return "" }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	commands := map[string]func([]string, io.Writer) error{"list": list, "load": load, "do": do, "small": small, "documents": documents}
	if len(args) > 0 && commands[args[0]] != nil {
		if err := commands[args[0]](args[1:], stdout); err != nil {
			fmt.Fprintf(stderr, "peers: %v\n", err)
			return 1
		}
		return 0
	}
	fmt.Fprintln(stderr, "usage: peers list | peers load ... | peers do ... | peers small ... | peers documents ...")
	return 2
}

// list prints every peer.
func list(_ []string, w io.Writer) error {
	enc := json.NewEncoder(w)
	for i := range peers {
		p := &peers[i]
		err := enc.Encode(struct {
			Name    string   `json:"name"`
			Durable bool     `json:"durable"`
			Formats []string `json:"formats"`
			Tasks   []string `json:"tasks,omitempty"`
			Skip    string   `json:"skip,omitempty"`
		}{p.name, p.durable, p.formats, p.tasks, p.missing()})
		if err != nil {
			return err
		}
	}
	return nil
}

// parse reads the flags that load and do have in common, and those that more adds.
func parse(command string, args []string, more func(*flag.FlagSet)) (*peer, *job, error) {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	name := flags.String("peer", "", "`name` of the peer")
	input := flags.String("input", "", "`name` of the input")
	format := flags.String("format", "csv", "`name` of the file's format")
	file := flags.String("file", "", "its `file`")
	threads := flags.Int("threads", 1, "`number` of threads to use at most")
	dir := flags.String("dir", "", "`directory` for the database")
	more(flags)
	if err := flags.Parse(args); err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(peers, func(p peer) bool { return p.name == *name })
	if at < 0 {
		return nil, nil, fmt.Errorf("no peer is called %q", *name)
	}
	p := &peers[at]
	if !slices.Contains(p.formats, *format) {
		return nil, nil, fmt.Errorf("%s does not load %s", *name, *format)
	}
	columns, err := parseColumns(inputs.Schema(*input))
	if err != nil {
		return nil, nil, err
	}
	if *threads < 1 || *file == "" || *dir == "" {
		return nil, nil, errors.New("-threads, -file and -dir are needed")
	}
	if why := p.missing(); why != "" {
		return nil, nil, fmt.Errorf("%s: %s", *name, why)
	}
	return p, &job{*input, columns, *format, *file, *threads, *dir, p.durable, false}, nil
}

// load runs the load that args describe.
func load(args []string, w io.Writer) error {
	var keep *bool
	p, j, err := parse("load", args, func(flags *flag.FlagSet) { keep = flags.Bool("keep", false, "the database will be used again") })
	if err != nil {
		return err
	}
	j.Keep = *keep
	s, err := p.load(j)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return json.NewEncoder(w).Encode(s)
}

// do does the tasks that args describe.
func do(args []string, w io.Writer) error {
	var names *string
	var runs *int
	p, j, err := parse("do", args, func(flags *flag.FlagSet) {
		names = flags.String("tasks", "", "comma-separated `list` of tasks")
		runs = flags.Int("runs", 1, "`number` of times that a query is answered")
	})
	if err != nil {
		return err
	}
	wanted := strings.Split(*names, ",")
	for _, n := range wanted {
		if !slices.Contains(p.tasks, n) {
			return fmt.Errorf("%s does not do %q", p.name, n)
		}
	}
	list, err := tasks.Of(j.Table, wanted)
	if err != nil {
		return err
	}
	if *runs < 1 {
		return errors.New("-runs must be positive")
	}
	enc := json.NewEncoder(w)
	if err := p.do(&work{*j, list, *runs}, func(s results.TaskSample) error { return enc.Encode(s) }); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}
