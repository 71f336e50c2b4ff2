package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
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
	c, err := parse(args, stderr)
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(stderr, "visible: %v\n", err)
		}
		return 2
	}
	if err := c.measure(stdout); err != nil {
		fmt.Fprintf(stderr, "visible: %v\n", err)
		return 1
	}
	return 0
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*config, error) {
	c := new(config)
	flags := flag.NewFlagSet("visible", flag.ContinueOnError)
	flags.SetOutput(stderr)
	groups := flags.String("groups", "1,16", "comma-separated `list` of numbers of row groups")
	goroutines := flags.String("goroutines", "1,2,4,8,16", "comma-separated `list` of numbers of goroutines")
	flags.IntVar(&c.checks, "checks", 1<<24, "`number` of checks of one measurement, by all goroutines")
	flags.IntVar(&c.rounds, "rounds", 9, "`number` of rounds")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw numbers")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case c.rounds < 1 || c.checks < 1:
		return nil, errors.New("rounds and checks are 1 or more")
	}
	var err error
	if c.groups, err = numbers(*groups); err != nil {
		return nil, err
	}
	c.goroutines, err = numbers(*goroutines)
	return c, err
}

func numbers(list string) (out []int, err error) {
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1<<14 {
			return nil, fmt.Errorf("%q is no number from 1 to %d", text, 1<<14)
		}
		out = append(out, n)
	}
	return out, nil
}

// measure makes all rounds, writes the raw file and prints the table.
func (c *config) measure(stdout io.Writer) (err error) {
	raw, err := measure.CreateRaw(c.results, "visible")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, raw.Close()) }()
	if err := measure.WriteHeader(raw, c.results, fmt.Sprintf("checks: %d in each measurement", c.checks), "groups deleted goroutines round wall_ns cpu_ns"); err != nil {
		return err
	}
	cases := c.cases()
	for round := range c.rounds {
		for i := range cases {
			k := &cases[i]
			ns, cpu := k.checks(c.checks)
			k.ns, k.cpu = append(k.ns, ns), append(k.cpu, cpu)
			if _, err := fmt.Fprintf(raw, "%d %s %d %d %d %d\n", k.groups, k.deleted, k.goroutines, round, ns, cpu); err != nil {
				return err
			}
		}
	}
	if _, err := fmt.Fprintf(raw, "# load average at the end: %s\n", measure.LoadAverage()); err != nil {
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
