// Command gen writes a benchmark input as CSV.
//
//	go run ./bench/gen NAME [-rows N] [-o FILE|-] [-schema]
//
// Package bench/gen/inputs says what the inputs are. Without -rows the input has the size that the
// benchmarks use; without -o it goes to standard output. -schema writes the CREATE TABLE
// statement instead of the rows.
//
// Exit status: 0 done, 1 writing failed, 2 usage.
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
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rows := flags.Int("rows", -1, "number of `rows` (default: what the benchmarks use)")
	output := flags.String("o", "-", "`file` to write, - for standard output")
	schema := flags.Bool("schema", false, "write the CREATE TABLE statement and no rows")
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: gen NAME [-rows N] [-o FILE|-] [-schema]\nNAME is one of %s\n", strings.Join(inputs.Names(), ", "))
		flags.PrintDefaults()
	}
	name, ok := parse(flags, args)
	if !ok {
		return 2
	}
	if !slices.Contains(inputs.Names(), name) {
		fmt.Fprintf(stderr, "gen: no input is called %q\n", name)
		flags.Usage()
		return 2
	}
	if *rows < 0 {
		if flagGiven(flags, "rows") {
			fmt.Fprintf(stderr, "gen: %d rows\n", *rows)
			return 2
		}
		*rows = inputs.DefaultRows(name)
	}
	write := func(w io.Writer) error {
		if *schema {
			_, err := fmt.Fprintln(w, inputs.Schema(name)+";")
			return err
		}
		return inputs.Write(w, name, *rows)
	}
	if err := writeTo(*output, stdout, write); err != nil {
		fmt.Fprintf(stderr, "gen: %v\n", err)
		return 1
	}
	return 0
}

// parse parses flags before and after the one argument that is not a flag, and returns that. It
// has reported what is wrong when ok is false.
func parse(flags *flag.FlagSet, args []string) (name string, ok bool) {
	var names []string
	for {
		if err := flags.Parse(args); err != nil {
			return "", false
		}
		if flags.NArg() == 0 {
			break
		}
		names = append(names, flags.Arg(0))
		args = flags.Args()[1:]
	}
	if len(names) != 1 {
		flags.Usage()
		return "", false
	}
	return names[0], true
}

func flagGiven(flags *flag.FlagSet, name string) bool {
	given := false
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// writeTo calls write with the named file, created anew, or with stdout for "-".
func writeTo(path string, stdout io.Writer, write func(io.Writer) error) (err error) {
	if path == "-" {
		return write(stdout)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}
