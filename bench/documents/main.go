package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/columnar"
)

// durabilities are the durabilities by their names.
var durabilities = map[string]columnar.Durability{"full": columnar.Full, "none": columnar.None}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its arguments and outputs; it returns the exit status: 0 done, 1
// something failed, 2 usage.
func run(args []string, stdout, stderr io.Writer) int {
	return measure.Main("documents", args, stdout, stderr, map[string]measure.Form{
		"": measureAll, "peers": comparePeers, "instructions": instructions, "run": runHere, "repeat": repeatHere,
	})
}

// present is the check that there is a directory.
func present(dir *string) func() error {
	return func() error {
		if *dir == "" {
			return errors.New("-dir is missing")
		}
		return nil
	}
}

// runHere is the form run: all documents, several times, in this process. It prints a
// sample per line.
func runHere(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	list := flags.String("workers", "1", "comma-separated `list` of limits of workers")
	durability := flags.String("durability", "full", "full or none")
	passes := flags.Int("passes", 5, "`number` of loads of all documents after the first")
	count := flags.Int("documents", len(documents), "`number` of documents, the smallest first")
	files := flags.String("files", "", "load the files that this `file` says, and no Arrow data")
	dir := flags.String("dir", "", "empty `directory` for the stores")
	var workers []int
	err := measure.Parse(flags, args, stderr, measure.Numbers("workers", list, 1, &workers), present(dir), func() error { return check(*count - 1) }, func() error {
		if *passes < 0 {
			return fmt.Errorf("-passes is %d: want 0 or more", *passes)
		}
		if _, ok := durabilities[*durability]; !ok {
			return fmt.Errorf("-durability is %q: want full or none", *durability)
		}
		return nil
	})
	if err != nil {
		return err
	}
	w := newWorkload(first(*count)...)
	if *files != "" {
		if err := w.stageFiles(*files); err != nil {
			return err
		}
	}
	out := json.NewEncoder(stdout)
	for p := range *passes + 1 {
		stores := filepath.Join(*dir, "stores")
		if err := os.Mkdir(stores, 0o755); err != nil {
			return err
		}
		err := pass(ctx, stores, w, p, workers, durabilities[*durability], func(s sample) error { return out.Encode(s) })
		if err := errors.Join(err, os.RemoveAll(stores)); err != nil {
			return err
		}
	}
	return nil
}

// repeatHere is the form repeat: one document, again and again, in this process, without
// sync.
func repeatHere(ctx context.Context, args []string, _, stderr io.Writer) error {
	flags := flag.NewFlagSet("repeat", flag.ContinueOnError)
	number := flags.Int("document", 0, "`number` of the document")
	workers := flags.Int("workers", 1, "limit of workers")
	loads := flags.Int("n", 1, "`number` of loads after the first")
	dir := flags.String("dir", "", "empty `directory` for the store")
	err := measure.Parse(flags, args, stderr, measure.Positive("workers", workers), measure.Positive("n", loads), present(dir), func() error { return check(*number) })
	if err != nil {
		return err
	}
	t, err := openTarget(ctx, filepath.Join(*dir, "store"), newWorkload(*number), *workers, columnar.None)
	if err != nil {
		return err
	}
	for range *loads + 1 {
		if _, err = t.load(ctx, *number); err == nil {
			err = t.empty(ctx, *number)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, t.close())
}
