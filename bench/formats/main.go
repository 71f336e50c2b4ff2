// Command formats measures what it costs that COPY's formats can come from outside: the
// format text as it is built in against the same format registered by this program, behind
// types of its own.
//
//	go run ./bench/formats                      5 to 30 columns, 1 to 10 million rows
//	go run ./bench/formats -rows 1 -rounds 3    a short one
//
// COPY TO writes a table of integers to a writer that discards it; COPY FROM reads as many
// rows from memory and leaves every one out by its WHERE, after it was converted, so that
// nothing is stored. Both run with one worker, in turns: in each round one goes first and
// then the other. A ratio is the median over the rounds of outside's processor time by the
// built-in format's. The raw times go to bench/results, and a heat map of the ratios beside
// them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/copy"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	return measure.Main("formats", args, stdout, stderr, map[string]measure.Form{"": measure.Parsed(parse, (*config).measure)})
}

// config is the command line.
type config struct {
	columns, millions []int
	rounds            int
	results           string
}

// million is the rows of what the command line calls a million.
const million = 1_000_000

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*config, error) {
	c := new(config)
	flags := flag.NewFlagSet("formats", flag.ContinueOnError)
	columns := flags.String("columns", "5,10,15,20,25,30", "numbers of columns")
	millions := flags.String("rows", "1,2,3,4,5,6,7,8,9,10", "millions of rows")
	flags.IntVar(&c.rounds, "rounds", 5, "rounds, of which the median counts")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw numbers")
	return c, measure.Parse(flags, args, stderr, measure.Numbers("columns", columns, 1, &c.columns), measure.Numbers("rows", millions, 1, &c.millions),
		measure.Positive("rounds", &c.rounds))
}

// measure runs every cell and writes what came out.
func (c *config) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if err := copy.Register(outsideName, outside()); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ingot-formats-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	raw, err := measure.CreateRaw(c.results, "formats", dir, "processor time in ns of the built-in format and of the one from outside, by round; one worker")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	maps := []heatMap{{title: "COPY TO"}, {title: "COPY FROM"}}
	for _, columns := range c.columns {
		fmt.Fprintf(stderr, "formats: %d columns\n", columns)
		w, err := newWork(ctx, dir, columns)
		if err != nil {
			return err
		}
		for _, millions := range c.millions {
			for i, direction := range []func(context.Context, string, int) (int64, error){w.to, w.from} {
				ratio, times, err := c.cell(ctx, direction, millions*million)
				if err != nil {
					return errors.Join(err, w.close())
				}
				maps[i].set(columns, millions, ratio)
				if _, err := fmt.Fprintf(raw, "direction=%s columns=%d rows=%d ratio=%.4f %s\n", strings.ToLower(strings.TrimPrefix(maps[i].title, "COPY ")), columns, millions*million, ratio, times); err != nil {
					return err
				}
			}
		}
		if err := w.close(); err != nil {
			return err
		}
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	for i := range maps {
		fmt.Fprintln(stdout, maps[i].summary())
	}
	picture := strings.TrimSuffix(raw.Name(), ".txt") + ".svg"
	fmt.Fprintln(stdout, "heat map:", filepath.ToSlash(picture))
	return os.WriteFile(picture, drawing(maps, c.columns, c.millions), 0o644)
}

// cell measures one number of columns and rows in one direction: the median ratio, and the
// times it is from.
func (c *config) cell(ctx context.Context, direction func(context.Context, string, int) (int64, error), rows int) (ratio float64, times string, err error) {
	names := []string{builtInName, outsideName}
	var ratios []float64
	var text strings.Builder
	for round := range c.rounds {
		var ns [2]int64
		for k := range names {
			i := (round + k) % 2
			if ns[i], err = direction(ctx, names[i], rows); err != nil {
				return 0, "", err
			}
		}
		ratios = append(ratios, float64(ns[1])/float64(ns[0]))
		fmt.Fprintf(&text, " %d/%d", ns[0], ns[1])
	}
	return measure.Median(ratios), "times=" + strings.ReplaceAll(strings.TrimSpace(text.String()), " ", ","), nil
}
