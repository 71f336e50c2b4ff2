package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ingotdb/ingot/bench/gen/inputs"
	"github.com/ingotdb/ingot/bench/internal/measure"
)

// job is one load.
type job struct {
	Table   string   `json:"table"`
	Columns []column `json:"columns"`
	File    string   `json:"file"`
	Threads int      `json:"threads"`
	Dir     string   `json:"dir"`
	Durable bool     `json:"durable"`
}

// peer is a system in one configuration.
type peer struct {
	name    string
	durable bool // a load that is done survives a crash of the machine

	// missing says why the peer cannot run here; the empty string if it can.
	missing func() string
	load    func(j *job) (measure.Sample, error)
}

var peers = []peer{
	{"duckdb", true, present, loadDuckDB(duckCompressed)},
	{"duckdb-plain", true, present, loadDuckDB(duckPlain)},
	{"duckdb-memory", false, present, loadDuckDB(duckMemory)},
	{"chdb", true, nodeMissing("chdb"), loadNode("chdb", true)},
	{"chdb-nosync", false, nodeMissing("chdb"), loadNode("chdb", false)},
	{"postgres", true, postgresMissing, loadPostgres("")},
	{"postgres-unlogged", false, postgresMissing, loadPostgres("UNLOGGED ")},
	{"polars", false, nodeMissing("nodejs-polars"), loadNode("polars", false)},
	{"sqlite", true, sqliteMissing, loadSQLite},
	{"arrow-csv", false, present, loadArrow},
}

// present is what is missing of a peer that is linked into this program.
func present() string { return "" }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var err error
	switch {
	case len(args) == 1 && args[0] == "list":
		err = list(stdout)
	case len(args) > 1 && args[0] == "load":
		err = load(args[1:], stdout)
	case len(args) > 1 && args[0] == "small":
		err = small(args[1:], stdout)
	default:
		fmt.Fprintln(stderr, "usage: peers list | peers small ... | peers load| peers load -peer NAME -input NAME -file FILE -threads N -dir DIR")
		return 2
	}
	if err != nil {
		fmt.Fprintf(stderr, "peers: %v\n", err)
		return 1
	}
	return 0
}

// list prints every peer.
func list(w io.Writer) error {
	enc := json.NewEncoder(w)
	for i := range peers {
		p := &peers[i]
		err := enc.Encode(struct {
			Name    string `json:"name"`
			Durable bool   `json:"durable"`
			Skip    string `json:"skip,omitempty"`
		}{p.name, p.durable, p.missing()})
		if err != nil {
			return err
		}
	}
	return nil
}

// load runs the load that args describe.
func load(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	name := flags.String("peer", "", "`name` of the peer")
	input := flags.String("input", "", "`name` of the input")
	file := flags.String("file", "", "its CSV `file`")
	threads := flags.Int("threads", 1, "`number` of threads to use at most")
	dir := flags.String("dir", "", "empty `directory` for the database")
	if err := flags.Parse(args); err != nil {
		return err
	}
	at := slices.IndexFunc(peers, func(p peer) bool { return p.name == *name })
	if at < 0 {
		return fmt.Errorf("no peer is called %q", *name)
	}
	columns, err := parseColumns(inputs.Schema(*input))
	if err != nil {
		return err
	}
	if *threads < 1 || *file == "" || *dir == "" {
		return errors.New("-threads, -file and -dir are needed")
	}
	if why := peers[at].missing(); why != "" {
		return fmt.Errorf("%s: %s", *name, why)
	}
	s, err := peers[at].load(&job{*input, columns, *file, *threads, *dir, peers[at].durable})
	if err != nil {
		return fmt.Errorf("%s: %w", *name, err)
	}
	return json.NewEncoder(w).Encode(s)
}
