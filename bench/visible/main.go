package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// config is the command line.
type config struct {
	groups     []int
	goroutines []int
	checks     int
	rounds     int
	results    string
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	return measure.Main("visible", args, stdout, stderr, map[string]measure.Form{"": measure.Parsed(parse, (*config).measure)})
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*config, error) {
	c := new(config)
	flags := flag.NewFlagSet("visible", flag.ContinueOnError)
	groups := flags.String("groups", "1,16", "comma-separated `list` of numbers of row groups")
	goroutines := flags.String("goroutines", "1,2,4,8,16", "comma-separated `list` of numbers of goroutines")
	flags.IntVar(&c.checks, "checks", 1<<24, "`number` of checks of one measurement, by all goroutines")
	flags.IntVar(&c.rounds, "rounds", 9, "`number` of rounds")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw numbers")
	return c, measure.Parse(flags, args, stderr, measure.Positive("rounds", &c.rounds), measure.Positive("checks", &c.checks),
		measure.Numbers("groups", groups, 1, &c.groups), measure.Numbers("goroutines", goroutines, 1, &c.goroutines), func() error {
			if n := max(slices.Max(c.groups), slices.Max(c.goroutines)); n > most {
				return fmt.Errorf("%d row groups or goroutines are more than %d", n, most)
			}
			return nil
		})
}

// most is how many row groups and goroutines there may be.
const most = 1 << 14

// measure makes all rounds, writes the raw file and prints the table.
func (c *config) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	raw, err := measure.CreateRaw(c.results, "visible", c.results, fmt.Sprintf("checks: %d in each measurement", c.checks), "groups deleted goroutines round wall_ns cpu_ns")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	cases := c.cases()
	for round := range c.rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "visible: round %d of %d\n", round+1, c.rounds)
		for i := range cases {
			k := &cases[i]
			ns, cpu, err := k.checks(c.checks)
			if err != nil {
				return err
			}
			k.ns, k.cpu = append(k.ns, ns), append(k.cpu, cpu)
			if _, err := fmt.Fprintf(raw, "%d %s %d %d %d %d\n", k.groups, k.deleted, k.goroutines, round, ns, cpu); err != nil {
				return err
			}
		}
	}
	if err := measure.WriteEnd(raw); err != nil {
		return err
	}
	return c.print(stdout, cases, raw.Name())
}

// print writes the table of medians.
func (c *config) print(w io.Writer, cases []sample, raw string) error {
	var b strings.Builder
	b.WriteString("| row groups | deleted | CPU ns |")
	for _, g := range c.goroutines {
		fmt.Fprintf(&b, " M/s by %d |", g)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(c.goroutines)) + "\n")
	for len(cases) > 0 {
		row := cases[:len(c.goroutines)]
		cases = cases[len(row):]
		fmt.Fprintf(&b, "| %d | %s | %.2f |", row[0].groups, row[0].deleted, float64(measure.Median(row[0].cpu))/float64(c.checks))
		for _, k := range row {
			fmt.Fprintf(&b, " %.0f |", 1e3*float64(c.checks)/float64(measure.Median(k.ns)))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nMedians of %d rounds, from %s.\n", c.rounds, raw)
	_, err := io.WriteString(w, b.String())
	return err
}
