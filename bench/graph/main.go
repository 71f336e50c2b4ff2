package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// config is the command line.
type config struct {
	graphs     []string
	threads    []int
	rounds     int
	peerRounds int
	scale      int
	peers      bool
	results    string
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status: 0 done, 1
// something failed, 2 usage.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	command := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	var err error
	switch command {
	case "":
		var c *config
		if c, err = parse(args, stderr); err == nil {
			err = c.measure(ctx, stdout, stderr)
		}
	case "load":
		var c *loadConfig
		if c, err = parseLoad(args, stderr); err == nil {
			err = c.measure(ctx, stdout, stderr)
		}
	case "edges":
		var c *loadConfig
		if c, err = parseLoad(args, stderr); err == nil {
			err = c.edgesHere(ctx, stdout)
		}
	default:
		err = usage{fmt.Errorf("no command is called %q", command)}
	}
	if err == nil {
		return 0
	}
	if !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stderr, "graph: %v\n", err)
	}
	if errors.As(err, new(usage)) {
		return 2
	}
	return 1
}

// usage is an error of the command line.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*config, error) {
	c := new(config)
	flags := flag.NewFlagSet("graph", flag.ContinueOnError)
	flags.SetOutput(stderr)
	graphs := flags.String("graphs", "components,grid,social", "comma-separated `list` of graphs")
	threads := flags.String("threads", "1,2,4", "comma-separated `list` of numbers of threads")
	flags.IntVar(&c.rounds, "rounds", 9, "`number` of times that each workload is run")
	flags.IntVar(&c.peerRounds, "peer-rounds", 3, "the same for peers")
	flags.IntVar(&c.scale, "scale", 1, "`divisor` of the sizes of graphs")
	flags.BoolVar(&c.peers, "peers", true, "measure the peer too, if it is installed")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw numbers")
	if err := flags.Parse(args); err != nil {
		return nil, usage{err}
	}
	if flags.NArg() > 0 || c.rounds < 1 || c.peerRounds < 1 || c.scale < 1 {
		return nil, usage{errors.New("unexpected argument, or a number below 1")}
	}
	for _, s := range strings.Split(*threads, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, usage{fmt.Errorf("-threads has %q", s)}
		}
		c.threads = append(c.threads, n)
	}
	c.graphs = strings.Split(*graphs, ",")
	for _, name := range c.graphs {
		if !slices.Contains([]string{"components", "grid", "social"}, name) {
			return nil, usage{fmt.Errorf("no graph is called %q", name)}
		}
	}
	return c, nil
}
