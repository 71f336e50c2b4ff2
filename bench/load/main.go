package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/bench/gen/inputs"
	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/bench/internal/tasks"
)

// config is the command line.
type config struct {
	out     bool // files and queries, not loads
	inputs  []input
	tasks   []string
	threads []int
	rounds  int
	runs    int
	peers   string
	scale   float64
	dir     string
	results string
	ingot   string
}

// input is an input of bench/gen in a format.
type input struct{ name, format string }

// formats are those that ingot loads.
var formats = []string{"csv", "text", "binary", "ndjson", "arrow", "parquet"}

func (in input) String() string {
	if in.format == "csv" {
		return in.name
	}
	return in.name + "." + in.format
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	return measure.Main("load", args, stdout, stderr, map[string]measure.Form{
		"": measure.Parsed(parseLoad, (*config).measure), "out": measure.Parsed(parseOut, (*config).measure),
	})
}

// The inputs that are measured unless others are given.
const (
	defaultInputs = "ints10,ints30,mixed,wide,flights,ints10.text,ints10.binary,mixed.text,mixed.binary,mixed.ndjson,mixed.arrow,mixed.parquet"
	outInputs     = "ints10,mixed"
)

// parseLoad reads the command line of loads.
func parseLoad(args []string, stderr io.Writer) (*config, error) {
	return parse(new(config), defaultInputs, args, stderr)
}

// parseOut reads the command line of files and queries.
func parseOut(args []string, stderr io.Writer) (*config, error) {
	return parse(&config{out: true}, outInputs, args, stderr)
}

// parse reads a command line into c. Inputs are standard unless others are given.
func parse(c *config, standard string, args []string, stderr io.Writer) (*config, error) {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	names := flags.String("inputs", standard, "comma-separated `list` of inputs, each with its format behind a point unless that is csv")
	threads := flags.String("threads", "1,2", "comma-separated `list` of numbers of threads")
	flags.IntVar(&c.rounds, "rounds", 3, "`number` of loads of each kind")
	flags.StringVar(&c.peers, "peers", "all", "comma-separated `list` of peers, or all, or none")
	flags.Float64Var(&c.scale, "scale", 1, "`part` of the rows of each input")
	short := flags.Bool("short", false, "a hundredth of the rows in one round")
	long := flags.Bool("long", false, "2.2 times the rows in five rounds")
	flags.StringVar(&c.dir, "dir", "", "`directory` for inputs and databases (default: a temporary one)")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw samples")
	flags.StringVar(&c.ingot, "ingot", "", "the ingot `command` to measure (default: the one of this tree)")
	list := new(string)
	if c.out {
		list = flags.String("tasks", "", "comma-separated `list` of tasks (default: all)")
		flags.IntVar(&c.runs, "runs", 6, "`number` of times that a query is answered in a round")
	}
	return c, measure.Parse(flags, args, stderr, measure.Numbers("threads", threads, 1, &c.threads), func() error {
		if *short && *long {
			return errors.New("-short and -long exclude each other")
		}
		given := map[string]bool{}
		flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
		c.size(*short, *long, given)
		if c.rounds < 1 || c.scale <= 0 || c.out && c.runs < 1 {
			return errors.New("-rounds, -runs and -scale must be positive")
		}
		if err := c.setInputs(*names); err != nil {
			return err
		}
		return c.setTasks(*list)
	})
}

// size sets what -short and -long mean, where it was not given.
func (c *config) size(short, long bool, given map[string]bool) {
	scale, rounds := c.scale, c.rounds
	switch {
	case short:
		scale, rounds = 0.01, 1
	case long:
		scale, rounds = 2.2, 5
	}
	if !given["scale"] {
		c.scale = scale
	}
	if !given["rounds"] {
		c.rounds = rounds
	}
}

// setInputs reads the list of inputs.
func (c *config) setInputs(list string) error {
	for _, text := range strings.Split(list, ",") {
		name, format, ok := strings.Cut(text, ".")
		if !ok {
			format = "csv"
		}
		if !slices.Contains(inputs.Names(), name) {
			return fmt.Errorf("no input is called %q", name)
		}
		if !slices.Contains(formats, format) || c.out && format != "csv" {
			return fmt.Errorf("-inputs has the format %q", format)
		}
		c.inputs = append(c.inputs, input{name, format})
	}
	return nil
}

// setTasks reads the list of tasks; without one all that the inputs have are done.
func (c *config) setTasks(list string) error {
	if !c.out {
		return nil
	}
	wanted := strings.Split(list, ",")
	for _, in := range c.inputs {
		found := false
		for _, t := range tasks.All {
			if t.Input == in.name && (list == "" || slices.Contains(wanted, t.Name)) {
				found = true
				if !slices.Contains(c.tasks, t.Name) {
					c.tasks = append(c.tasks, t.Name)
				}
			}
		}
		if !found {
			return fmt.Errorf("no such task with %s", in)
		}
	}
	for _, name := range wanted {
		if list != "" && !slices.Contains(c.tasks, name) {
			return fmt.Errorf("no task is called %q", name)
		}
	}
	return nil
}

// rows returns how many rows of the input are loaded.
func (c *config) rows(in input) int {
	n := float64(inputs.DefaultRows(in.name)) * c.scale
	if in.format == "ndjson" {
		n /= 3
	}
	return max(1, int(n))
}
