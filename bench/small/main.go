package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/columnar"
)

// config is the command line of the forms that measure.
type config struct {
	rows    []int
	workers []int
	loads   int
	rounds  int
	peers   bool
	results string
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status: 0 done, 1
// something failed, 2 usage.
func run(args []string, stdout, stderr io.Writer) int {
	return measure.Main("small", args, stdout, stderr, map[string]measure.Form{
		"":             measure.Parsed(parse(100), (*config).measure),
		"instructions": measure.Parsed(parse(300), (*config).instructions),
		"run":          repeatHere,
	})
}

// parse returns what reads the command line of the forms that measure. loads is what -n is if
// it is not given.
func parse(loads int) func(args []string, stderr io.Writer) (*config, error) {
	return func(args []string, stderr io.Writer) (*config, error) {
		c := new(config)
		flags := flag.NewFlagSet("small", flag.ContinueOnError)
		rows := flags.String("rows", "100,0", "comma-separated `list` of rows of a COPY")
		workers := flags.String("workers", "1,4,16,64", "comma-separated `list` of limits of workers")
		flags.IntVar(&c.loads, "n", loads, "`number` of COPYs after the first")
		flags.IntVar(&c.rounds, "rounds", 3, "`number` of processes of each kind")
		flags.BoolVar(&c.peers, "peers", true, "measure the peers that are installed too")
		flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw numbers")
		return c, measure.Parse(flags, args, stderr, measure.Positive("n", &c.loads), measure.Positive("rounds", &c.rounds),
			measure.Numbers("rows", rows, 0, &c.rows), measure.Numbers("workers", workers, 1, &c.workers))
	}
}

// repeatHere is the form run: COPYs in this process.
func repeatHere(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	file := flags.String("file", "", "CSV `file`")
	workers := flags.Int("workers", 1, "limit of workers")
	durability := flags.String("durability", "full", "full or none")
	loads := flags.Int("n", 100, "`number` of COPYs after the first")
	empty := flags.Bool("empty", false, "empty the table after each COPY of rows")
	dir := flags.String("dir", "", "empty `directory` for the store")
	d, ok := columnar.Full, false
	err := measure.Parse(flags, args, stderr, measure.Positive("workers", workers), func() error {
		d, ok = map[string]columnar.Durability{"full": columnar.Full, "none": columnar.None}[*durability]
		if !ok || *file == "" || *dir == "" || *loads < 0 {
			return errors.New("-file, -dir, -n and -durability full or none are needed")
		}
		return nil
	})
	if err != nil {
		return err
	}
	t, err := openTarget(ctx, filepath.Join(*dir, "store"), *file, *workers, d)
	if err != nil {
		return err
	}
	t.empty = *empty
	r, err := t.repeat(ctx, *loads)
	if err := errors.Join(err, t.close()); err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(r)
}
