package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/copy"
)

// config is the command line.
type config struct {
	kinds   []kind
	workers []int
	rounds  int
	dir     string
	results string
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	return measure.Main("parallel", args, stdout, stderr, map[string]measure.Form{"": measure.Parsed(parse, (*config).measure)})
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*config, error) {
	c := new(config)
	flags := flag.NewFlagSet("parallel", flag.ContinueOnError)
	names := flags.String("kinds", "narrow,wide,quotes,long", "comma-separated `list` of kinds of input")
	workers := flags.String("workers", "1,2,4,8", "comma-separated `list` of numbers of workers")
	flags.IntVar(&c.rounds, "rounds", 3, "`number` of loads of each kind")
	scale := flags.Float64("scale", 1, "`part` of the rows of each kind")
	long := flags.Bool("long", false, "10,000 rows of 1 MB in place of 300")
	flags.StringVar(&c.dir, "dir", "", "`directory` for inputs and stores (default: the system's temporary one)")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw numbers")
	return c, measure.Parse(flags, args, stderr, measure.Numbers("workers", workers, 1, &c.workers), measure.Positive("rounds", &c.rounds), func() error {
		if *scale <= 0 {
			return errors.New("-scale must be positive")
		}
		for name := range strings.SplitSeq(*names, ",") {
			at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
			if at < 0 {
				return fmt.Errorf("no kind of input is called %q", name)
			}
			k := kinds[at]
			if *long && name == "long" {
				k.rows = longRows
			}
			k.rows = max(1, int(float64(k.rows)**scale))
			c.kinds = append(c.kinds, k)
		}
		return nil
	})
}

// row is a line of the table: what the ways took for one kind and number of workers.
type row struct {
	kind      string
	workers   int
	bytes     int64
	wallNS    [ways][]int64
	cpuNS     [ways][]int64
	splitNS   [ways][]int64
	firstByte [ways][]int64
}

// measure does all loads and prints the table.
func (c *config) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	work, err := os.MkdirTemp(c.dir, "ingot-parallel-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	raw, err := measure.CreateRaw(c.results, "parallel", work, fmt.Sprintf("rounds: %d; without sync", c.rounds))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	var table []*row
	for i := range c.kinds {
		k := &c.kinds[i]
		path := filepath.Join(work, k.name+".csv")
		size, err := k.writeFile(path, k.rows)
		if err != nil {
			return err
		}
		if _, err := once(ctx, work, k, path, workersFind, 1); err != nil { // the first is not counted
			return err
		}
		for _, workers := range c.workers {
			fmt.Fprintf(stderr, "parallel: %s, %d workers\n", k.name, workers)
			r := &row{kind: k.name, workers: workers, bytes: size}
			table = append(table, r)
			for round := range c.rounds {
				if err := r.round(ctx, raw, work, k, path, round); err != nil {
					return err
				}
			}
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	return writeTable(stdout, filepath.Base(raw.Name()), table)
}

// once is one load into a store that is gone afterwards.
func once(ctx context.Context, work string, k *kind, path string, w way, workers int) (r result, err error) {
	dir, err := os.MkdirTemp(work, "store-")
	if err != nil {
		return r, err
	}
	r, err = load(ctx, dir, k, path, w, workers)
	if err == nil && r.Rows != int64(k.rows) {
		err = fmt.Errorf("%s, %v: %d rows of %d", k.name, w, r.Rows, k.rows)
	}
	return r, errors.Join(err, os.RemoveAll(dir))
}

// round lets every way load once.
func (r *row) round(ctx context.Context, raw io.Writer, work string, k *kind, path string, round int) error {
	for w := range ways {
		res, err := once(ctx, work, k, path, w, r.workers)
		if err != nil {
			return err
		}
		split := res.Stages[copy.StageSplit].NS
		r.wallNS[w] = append(r.wallNS[w], res.WallNS)
		r.cpuNS[w] = append(r.cpuNS[w], res.CPUNS)
		r.splitNS[w] = append(r.splitNS[w], split)
		r.firstByte[w] = append(r.firstByte[w], res.firstRowBytes)
		_, err = fmt.Fprintf(raw, "kind=%s workers=%d round=%d way=%v bytes=%d rows=%d wall_ns=%d cpu_ns=%d faults=%d read_ns=%d split_ns=%d convert_ns=%d store_ns=%d first_row_bytes=%d\n",
			r.kind, r.workers, round+1, w, r.bytes, res.Rows, res.WallNS, res.CPUNS, res.MinorFaults, res.Stages[copy.StageRead].NS, split,
			res.Stages[copy.StageConvert].NS, res.Stages[copy.StageStore].NS, res.firstRowBytes)
		if err != nil {
			return err
		}
	}
	return nil
}

// writeTable prints the medians.
func writeTable(w io.Writer, raw string, table []*row) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians; raw numbers in %s. \"find\" is the time in which record ends are found, summed over the goroutines.\n\n", raw)
	b.WriteString("| input | MB | workers | workers find s | leader finds s | pipe s | leader / workers | workers: find ms | leader: find ms | workers: CPU s | leader: CPU s | first row of the pipe after MB |\n|---|" + strings.Repeat("--:|", 11) + "\n")
	for _, r := range table {
		of := func(v [ways][]int64, w way) int64 { return measure.Median(v[w]) }
		fmt.Fprintf(&b, "| %s | %.0f | %d | %s | %s | %s | %.2f | %.1f | %.1f | %s | %s | %.1f |\n", r.kind, float64(r.bytes)/1e6, r.workers,
			measure.Seconds(of(r.wallNS, workersFind)), measure.Seconds(of(r.wallNS, leaderFinds)), measure.Seconds(of(r.wallNS, pipe)),
			float64(of(r.wallNS, leaderFinds))/float64(max(1, of(r.wallNS, workersFind))),
			float64(of(r.splitNS, workersFind))/1e6, float64(of(r.splitNS, leaderFinds))/1e6,
			measure.Seconds(of(r.cpuNS, workersFind)), measure.Seconds(of(r.cpuNS, leaderFinds)),
			float64(of(r.firstByte, pipe))/1e6)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
