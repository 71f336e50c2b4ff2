package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // --timezone works where the system has no zone files

	"github.com/ingotdb/ingot"
	"github.com/spf13/pflag"
)

// flags are those that every command on a store has, and its set for the command's own.
type flags struct {
	*pflag.FlagSet
	synopsis string

	errors     string
	stats      string
	workers    int
	durability string
	blockSize  int
	memory     int64
	zone       string
}

// newFlags returns the flags of the command called name. Its usage line is synopsis.
func newFlags(name, synopsis string) *flags {
	f := &flags{FlagSet: pflag.NewFlagSet(name, pflag.ContinueOnError), synopsis: synopsis}
	f.SortFlags = false
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.StringVar(&f.errors, "errors", "text", "print errors as text or json")
	return f
}

// addStatementFlags adds the flags of commands that run statements.
func (f *flags) addStatementFlags() {
	f.StringVar(&f.stats, "stats", "", "print what each statement took: json")
	f.IntVar(&f.workers, "max-workers", 0, "goroutines of one statement at most (default: every processor)")
	f.StringVar(&f.durability, "durability", "full", "full syncs every commit, none does not")
	f.IntVar(&f.blockSize, "block-size", 0, "bytes of input a worker takes at a time")
	f.Int64Var(&f.memory, "memory-limit", 0, "bytes that sorts and groupings of a statement, and key indexes, may take")
	f.StringVar(&f.zone, "timezone", "UTC", "session time zone")
}

// parse reads a command line of at least least and at most most arguments beside the
// flags. The returned status is not negative if the command ends here: help was asked
// for, or the usage is wrong.
func (f *flags) parse(args []string, least, most int) (rest []string, status int) {
	err := f.FlagSet.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(os.Stdout, "Usage: ingot %s\n\n%s", f.synopsis, f.FlagUsages())
		return nil, statusDone
	}
	rest = f.Args()
	switch {
	case err != nil:
	case len(rest) < least:
		err = errors.New("an argument is missing")
	case len(rest) > most:
		err = fmt.Errorf("unexpected argument %q", rest[most])
	default:
		err = f.check()
	}
	if err != nil {
		return nil, f.wrong(err)
	}
	return rest, -1
}

// wrong reports wrong usage and returns the exit status for it.
func (f *flags) wrong(err error) int {
	fmt.Fprintf(os.Stderr, "ingot %s: %v\nUsage: ingot %s\n", f.Name(), err, f.synopsis)
	return statusUsage
}

func (f *flags) check() error {
	if err := oneOf("errors", f.errors, "text", "json"); err != nil {
		return err
	}
	if f.Lookup("stats") == nil {
		return nil
	}
	switch {
	case f.workers < 0 || f.Changed("max-workers") && f.workers == 0:
		return fmt.Errorf("--max-workers is %d: want 1 or more", f.workers)
	case f.blockSize < 0 || f.Changed("block-size") && f.blockSize == 0:
		return fmt.Errorf("--block-size is %d: want 1 or more", f.blockSize)
	case f.memory < 0 || f.Changed("memory-limit") && f.memory == 0:
		return fmt.Errorf("--memory-limit is %d: want 1 or more", f.memory)
	}
	if f.Changed("stats") {
		if err := oneOf("stats", f.stats, "json"); err != nil {
			return err
		}
	}
	return oneOf("durability", f.durability, "full", "none")
}

// oneOf returns an error unless value is one of the choices of the flag called name.
func oneOf(name, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("--%s is %q: want %s", name, value, strings.Join(choices, ", "))
}

// options returns the options of the store that the flags say.
func (f *flags) options() (ingot.Options, error) {
	loc, err := time.LoadLocation(f.zone)
	if err != nil || f.zone == "" || strings.EqualFold(f.zone, "local") {
		return ingot.Options{}, fmt.Errorf("--timezone is %q: want a name such as UTC or Europe/Berlin", f.zone)
	}
	opt := ingot.Options{
		MaxWorkers: f.workers, BlockSize: f.blockSize, MemoryLimit: f.memory,
		Files: ingot.AnyFile(), Location: loc,
	}
	if f.durability == "none" {
		opt.Durability = ingot.None
	}
	return opt, nil
}

// open opens the store at path. If that fails it says so; the status is the exit status
// then and negative otherwise.
func (f *flags) open(ctx context.Context, path string, opt ingot.Options) (db *ingot.DB, status int) {
	db, err := ingot.Open(ctx, path, opt)
	if err != nil {
		writeError(os.Stderr, err, f.errors == "json", "")
		return nil, notOpen(ctx, err)
	}
	return db, -1
}

// notOpen returns the exit status for a store that could not be opened: was it an
// interruption?
func notOpen(ctx context.Context, err error) int {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return statusInterrupted
	}
	return statusNotOpen
}
