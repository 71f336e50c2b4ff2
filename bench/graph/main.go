package main

import (
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
	return measure.Main("graph", args, stdout, stderr, map[string]measure.Form{
		"":      measure.Parsed(parse, (*config).measure),
		"load":  measure.Parsed(parseLoad, (*loadConfig).measure),
		"edges": measure.Parsed(parseLoad, (*loadConfig).edgesHere),
	})
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*config, error) {
	c := new(config)
	flags := flag.NewFlagSet("graph", flag.ContinueOnError)
	graphs := flags.String("graphs", "components,grid,social", "comma-separated `list` of graphs")
	threads := flags.String("threads", "1,2,4", "comma-separated `list` of numbers of threads")
	flags.IntVar(&c.rounds, "rounds", 9, "`number` of times that each workload is run")
	flags.IntVar(&c.peerRounds, "peer-rounds", 3, "the same for peers")
	flags.IntVar(&c.scale, "scale", 1, "`divisor` of the sizes of graphs")
	flags.BoolVar(&c.peers, "peers", true, "measure the peer too, if it is installed")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw numbers")
	return c, measure.Parse(flags, args, stderr, measure.Positive("rounds", &c.rounds), measure.Positive("peer-rounds", &c.peerRounds),
		measure.Positive("scale", &c.scale), measure.Numbers("threads", threads, 1, &c.threads), func() error {
			c.graphs = strings.Split(*graphs, ",")
			for _, name := range c.graphs {
				if !slices.Contains([]string{"components", "grid", "social"}, name) {
					return fmt.Errorf("no graph is called %q", name)
				}
			}
			return nil
		})
}
