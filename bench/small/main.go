package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	command := "measure"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	var err error
	switch command {
	case "run":
		err = repeatHere(ctx, args, stdout, stderr)
	case "measure":
		var c *config
		if c, err = parse(args, 100, stderr); err == nil {
			err = c.measure(ctx, stdout, stderr)
		}
	case "instructions":
		var c *config
		if c, err = parse(args, 300, stderr); err == nil {
			err = c.instructions(ctx, stdout, stderr)
		}
	default:
		err = usage{fmt.Errorf("no command is called %q", command)}
	}
	if err == nil {
		return 0
	}
	if !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stderr, "small: %v\n", err)
	}
	if errors.As(err, new(usage)) {
		return 2
	}
	return 1
}

// usage is an error of the command line.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// parse reads the command line of the forms that measure.
// loads is what -n is if it is not given.
func parse(args []string, loads int, stderr io.Writer) (*config, error) {
	c := new(config)
	flags := flag.NewFlagSet("small", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rows := flags.String("rows", "100,0", "comma-separated `list` of rows of a COPY")
	workers := flags.String("workers", "1,4,16,64", "comma-separated `list` of limits of workers")
	flags.IntVar(&c.loads, "n", loads, "`number` of COPYs after the first")
	flags.IntVar(&c.rounds, "rounds", 3, "`number` of processes of each kind")
	flags.BoolVar(&c.peers, "peers", true, "measure the peers that are installed too")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw numbers")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err == nil && (c.loads < 1 || c.rounds < 1) {
		err = errors.New("-n and -rounds must be positive")
	}
	if err == nil {
		c.rows, err = numbers("rows", *rows, 0)
	}
	if err == nil {
		c.workers, err = numbers("workers", *workers, 1)
	}
	if err != nil {
		return nil, usage{err}
	}
	return c, nil
}

// numbers reads a list of numbers of which none is below least.
func numbers(name, text string, least int) ([]int, error) {
	var out []int
	for _, s := range strings.Split(text, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < least {
			return nil, fmt.Errorf("-%s has %q", name, s)
		}
		out = append(out, n)
	}
	return out, nil
}

// repeatHere is the form run: COPYs in this process.
func repeatHere(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("file", "", "CSV `file`")
	workers := flags.Int("workers", 1, "limit of workers")
	durability := flags.String("durability", "full", "full or none")
	loads := flags.Int("n", 100, "`number` of COPYs after the first")
	empty := flags.Bool("empty", false, "empty the table after each COPY of rows")
	dir := flags.String("dir", "", "empty `directory` for the store")
	if err := flags.Parse(args); err != nil {
		return usage{err}
	}
	d, ok := map[string]columnar.Durability{"full": columnar.Full, "none": columnar.None}[*durability]
	if !ok || *file == "" || *dir == "" || *workers < 1 || *loads < 0 {
		return usage{errors.New("-file, -dir, -workers and -durability full or none are needed")}
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
