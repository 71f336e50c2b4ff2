package main

import (
	"context"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// input is one -c or -f, in the order given.
type input struct {
	file bool
	text string // the statements, or the name of the file
}

// inputs collects -c and -f in one list; each of the two is a flag value over it.
type inputs struct {
	list *[]input
	file bool
}

func (v inputs) Set(s string) error {
	*v.list = append(*v.list, input{v.file, s})
	return nil
}

func (inputs) String() string { return "" }

func (v inputs) Type() string {
	if v.file {
		return "FILE"
	}
	return "STATEMENT"
}

// runSQL is the command sql.
func runSQL(args []string) int {
	f := newFlags("sql", "sql STORE [-c STATEMENT]... [-f FILE]... [flags]")
	var list []input
	f.VarP(inputs{&list, false}, "command", "c", "run these statements")
	f.VarP(inputs{&list, true}, "file", "f", "run the statements in a file; - is standard input")
	mode := f.String("mode", modes[0], "print rows as "+strings.Join(modes, ", "))
	f.addStatementFlags()
	rest, status := f.parse(args, 1, 1)
	if status >= 0 {
		return status
	}
	if err := oneOf("mode", *mode, modes...); err != nil {
		return f.wrong(err)
	}
	opt, err := f.options()
	if err != nil {
		return f.wrong(err)
	}
	ctx, stop := untilInterrupted()
	db, status := f.open(ctx, rest[0], opt)
	if status >= 0 {
		return status
	}
	if len(list) == 0 && term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd())) {
		stop()
		return closing(db, f, runShell(db, f, *mode))
	}
	stdin := interruptible(ctx, os.Stdin)
	r := newRunner(db, f, *mode, stdin, interruptibleOut(ctx, os.Stdout))
	if len(list) == 0 {
		list = []input{{true, "-"}}
	}
	for _, in := range list {
		if status = r.input(ctx, in); status != statusDone {
			break
		}
	}
	return closing(db, f, r.close(status))
}

// input runs what one -c or -f gives.
func (r *runner) input(ctx context.Context, in input) int {
	switch {
	case !in.file:
		return r.script(ctx, "", strings.NewReader(in.text), false)
	case in.text == "-":
		return r.script(ctx, "", r.stdin, true)
	}
	file, err := os.Open(in.text)
	if err != nil {
		r.fail(err, "", "")
		return statusFailed
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		r.fail(pgerr.New(pgerr.WrongObjectType, "%s is a directory", in.text).WithHint("Name a file of statements."), "", "")
		return statusFailed
	}
	return r.script(ctx, in.text, file, true)
}

// closing closes db and returns the exit status that status becomes by that.
func closing(db *ingot.DB, f *flags, status int) int {
	if err := db.Close(); err != nil {
		writeError(os.Stderr, err, f.errors == "json", "")
		return max(status, statusFailed)
	}
	return status
}
