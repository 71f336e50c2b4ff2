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
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/copy"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "formats:", err)
		os.Exit(1)
	}
}

// config is the command line.
type config struct {
	columns, millions []int
	rounds            int
	unit              int // rows of what the command line calls a million
	results           string
}

// run is main with its arguments and outputs.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c := config{unit: 1_000_000}
	flags := flag.NewFlagSet("formats", flag.ContinueOnError)
	flags.SetOutput(stderr)
	columns := flags.String("columns", "5,10,15,20,25,30", "numbers of columns")
	millions := flags.String("rows", "1,2,3,4,5,6,7,8,9,10", "millions of rows")
	flags.IntVar(&c.rounds, "rounds", 5, "rounds, of which the median counts")
	flags.StringVar(&c.results, "results", "bench/results", "directory for the raw numbers; empty for none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if c.columns, err = numbers(*columns); err != nil {
		return fmt.Errorf("-columns: %w", err)
	}
	if c.millions, err = numbers(*millions); err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	if err := copy.Register(outsideName, outside()); err != nil {
		return err
	}
	return c.measure(ctx, stdout, stderr)
}

func numbers(list string) ([]int, error) {
	var out []int
	for f := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no number above 0", f)
		}
		out = append(out, n)
	}
	return out, nil
}

// measure runs every cell and writes what came out.
func (c *config) measure(ctx context.Context, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "formats-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	raw, picture := stderr, ""
	if c.results != "" {
		f, err := measure.CreateRaw(c.results, "formats")
		if err != nil {
			return err
		}
		defer f.Close()
		raw, picture = f, strings.TrimSuffix(f.Name(), ".txt")+".svg"
	}
	if err := measure.WriteHeader(raw, dir, "processor time in ns of the built-in format and of the one from outside, by round; one worker"); err != nil {
		return err
	}
	maps := []heatMap{{title: "COPY TO"}, {title: "COPY FROM"}}
	for _, columns := range c.columns {
		w, err := newWork(ctx, dir, columns)
		if err != nil {
			return err
		}
		for _, millions := range c.millions {
			for i, direction := range []func(context.Context, string, int) (int64, error){w.to, w.from} {
				ratio, times, err := c.cell(ctx, direction, millions*c.unit)
				if err != nil {
					return errors.Join(err, w.close())
				}
				maps[i].set(columns, millions, ratio)
				if _, err := fmt.Fprintf(raw, "%s columns=%d rows=%d ratio=%.4f %s\n", maps[i].title, columns, millions*c.unit, ratio, times); err != nil {
					return err
				}
			}
		}
		if err := w.close(); err != nil {
			return err
		}
	}
	for i := range maps {
		fmt.Fprintln(stdout, maps[i].summary())
	}
	if picture == "" {
		return nil
	}
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
	return median(ratios), "times=" + strings.ReplaceAll(strings.TrimSpace(text.String()), " ", ","), nil
}

// median returns the middle of values, which it sorts; of an even number the mean of both.
func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[n/2] + v[(n-1)/2]) / 2
}
