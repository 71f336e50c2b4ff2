package measure

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

// Form is one of the things that a benchmark program does, named by its first argument. args
// are those behind the name. ctx ends when the process is interrupted or told to end.
type Form func(ctx context.Context, args []string, stdout, stderr io.Writer) error

// Main is the program name with its arguments and outputs. It runs the form that the first
// argument names, or the form "" if there is none or it is a flag, and returns the exit
// status: 0 done, 1 something failed, 2 the error was made by Usage. Errors are told on
// stderr, but for flag.ErrHelp.
func Main(name string, args []string, stdout, stderr io.Writer, forms map[string]Form) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	command := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		command, args = args[0], args[1:]
	}
	err := Usage(fmt.Errorf("no command is called %q", command))
	if form, ok := forms[command]; ok {
		err = form(ctx, args, stdout, stderr)
	}
	if err == nil {
		return 0
	}
	if !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
	}
	if errors.As(err, new(usage)) {
		return 2
	}
	return 1
}

// Parsed returns the form that reads its arguments with parse and then does do.
func Parsed[C any](parse func(args []string, stderr io.Writer) (C, error), do func(c C, ctx context.Context, stdout, stderr io.Writer) error) Form {
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		c, err := parse(args, stderr)
		if err != nil {
			return err
		}
		return do(c, ctx, stdout, stderr)
	}
}

// usage is an error of the command line.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// Usage returns err as an error of the command line; nil if it is nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return usage{err}
}

// Parse reads a command line that has nothing behind its flags; checks are conditions that
// must hold then. Its errors, and what flags print, are about usage.
func Parse(flags *flag.FlagSet, args []string, stderr io.Writer, checks ...func() error) error {
	flags.SetOutput(stderr)
	if err := flags.Parse(args); err != nil {
		return Usage(err)
	}
	if flags.NArg() > 0 {
		return Usage(fmt.Errorf("unexpected argument %q", flags.Arg(0)))
	}
	for _, c := range checks {
		if err := c(); err != nil {
			return Usage(err)
		}
	}
	return nil
}

// Numbers returns the check that list, the value of a flag, is numbers between commas of
// which none is below least; they are put into out.
func Numbers(name string, list *string, least int, out *[]int) func() error {
	return func() error {
		for s := range strings.SplitSeq(*list, ",") {
			n, err := strconv.Atoi(s)
			if err != nil || n < least {
				return fmt.Errorf("-%s has %q", name, s)
			}
			*out = append(*out, n)
		}
		return nil
	}
}

// Positive returns the check that n, the value of a flag, is 1 or more.
func Positive(name string, n *int) func() error {
	return func() error {
		if *n < 1 {
			return fmt.Errorf("-%s is %d: want 1 or more", name, *n)
		}
		return nil
	}
}
