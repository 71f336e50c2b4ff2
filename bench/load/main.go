package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/ingotdb/ingot/bench/gen/inputs"
)

// config is the command line.
type config struct {
	inputs  []string
	threads []int
	rounds  int
	peers   string
	scale   float64
	dir     string
	results string
	ingot   string
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(stderr, "load: %v\n", err)
		}
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.measure(ctx, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "load: %v\n", err)
		return 1
	}
	return 0
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*config, error) {
	c := new(config)
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(stderr)
	names := flags.String("inputs", "ints10,ints30,mixed,wide,flights", "comma-separated `list` of inputs")
	threads := flags.String("threads", "1,2", "comma-separated `list` of numbers of threads")
	flags.IntVar(&c.rounds, "rounds", 3, "`number` of loads of each kind")
	flags.StringVar(&c.peers, "peers", "all", "comma-separated `list` of peers, or all, or none")
	flags.Float64Var(&c.scale, "scale", 1, "`part` of the rows of each input")
	flags.StringVar(&c.dir, "dir", "", "`directory` for inputs and databases (default: a temporary one)")
	flags.StringVar(&c.results, "results", "bench/results", "`directory` for the raw samples")
	flags.StringVar(&c.ingot, "ingot", "", "the ingot `command` to measure (default: the one of this tree)")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	c.inputs = strings.Split(*names, ",")
	for _, name := range c.inputs {
		if !slices.Contains(inputs.Names(), name) {
			return nil, fmt.Errorf("no input is called %q", name)
		}
	}
	for _, text := range strings.Split(*threads, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-threads has %q", text)
		}
		c.threads = append(c.threads, n)
	}
	if c.rounds < 1 || c.scale <= 0 {
		return nil, errors.New("-rounds and -scale must be positive")
	}
	return c, nil
}

// rows returns how many rows of the named input are loaded.
func (c *config) rows(name string) int {
	return max(1, int(float64(inputs.DefaultRows(name))*c.scale))
}

// makeInput writes the named input below dir, unless it is there, and returns its path
// and size.
func (c *config) makeInput(dir, name string) (path string, size int64, err error) {
	path = filepath.Join(dir, fmt.Sprintf("%s-%d.csv", name, c.rows(name)))
	if st, err := os.Stat(path); err == nil {
		return path, st.Size(), nil
	}
	part := path + ".part"
	f, err := os.Create(part)
	if err != nil {
		return "", 0, err
	}
	if err := errors.Join(inputs.Write(f, name, c.rows(name)), f.Close(), os.Rename(part, path)); err != nil {
		return "", 0, err
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", 0, err
	}
	return path, st.Size(), nil
}

// warm reads the file, so that it is in the page cache.
func warm(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, make([]byte, 1<<20))
	return errors.Join(err, f.Close())
}

// build builds a program of this repository: package pkg of the module in directory
// module.
func build(module, pkg, output string) error {
	cmd := exec.Command("go", "build", "-o", output, pkg)
	cmd.Dir = module
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build %s in %s: %w: %s", pkg, module, err, bytes.TrimSpace(text.Bytes()))
	}
	return nil
}
