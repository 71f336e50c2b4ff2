package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/parse"
)

// runner runs statements on one session and prints what they give.
type runner struct {
	session    *ingot.Session
	mode       string
	jsonErrors bool
	jsonStats  bool
	stdout     *bufio.Writer
	stdin      io.Reader // what COPY FROM STDIN reads where no data is inline
	bar        *bar
}

// newRunner returns a runner on a session of db.
func newRunner(db *ingot.DB, f *flags, mode string, stdin io.Reader, stdout io.Writer) *runner {
	r := &runner{
		mode: mode, jsonErrors: f.errors == "json", jsonStats: f.stats == "json",
		stdout: bufio.NewWriterSize(stdout, 64<<10), stdin: stdin, bar: newBar(),
	}
	r.session = db.Session(ingot.SessionOptions{
		Stdin: stdin, Stdout: r.stdout, OnNotice: r.notice, OnProgress: r.bar.begin,
	})
	return r
}

// notice prints one notice.
func (r *runner) notice(text string) {
	r.bar.clear()
	fmt.Fprintf(os.Stderr, "NOTICE:  %s\n", visible([]byte(text)))
}

// fail prints err, which statement ended with; where is the place of the statement in
// its file, or empty.
func (r *runner) fail(err error, statement, where string) {
	r.bar.clear()
	if where != "" && !r.jsonErrors {
		fmt.Fprintf(os.Stderr, "%s: ", where)
	}
	writeError(os.Stderr, err, r.jsonErrors, statement)
}

// close ends the session: an open transaction is rolled back. It returns the exit status
// that status becomes by that.
func (r *runner) close(status int) int {
	if r.session.InTransaction() {
		r.notice("the transaction was rolled back: the input ended before COMMIT")
	}
	err := r.stdout.Flush()
	if errors.Is(err, context.Canceled) {
		err = nil // the statement that was interrupted has said so
	}
	if err := errors.Join(err, r.session.Close()); err != nil {
		r.fail(err, "", "")
		return max(status, statusFailed)
	}
	return status
}

// statement runs one statement and prints its result, its tag as soon as it is done, and
// its statistics. data is what COPY FROM STDIN reads.
func (r *runner) statement(ctx context.Context, stmt ast.Stmt, data io.Reader) error {
	m := startMeter()
	res, err := r.run(ctx, stmt, data)
	if err != nil {
		return err
	}
	r.done(m, res)
	return nil
}

// run runs one statement and prints its rows.
func (r *runner) run(ctx context.Context, stmt ast.Stmt, data io.Reader) (*ingot.Result, error) {
	r.session.SetStdin(data)
	res, err := r.session.Run(ctx, stmt, nil)
	if err == nil && res.Columns != nil {
		err = r.rows(ctx, res)
	}
	r.bar.clear()
	return res, errors.Join(err, r.stdout.Flush())
}

// done prints the tag of a statement that ended with res, and its statistics.
func (r *runner) done(m meter, res *ingot.Result) {
	fmt.Fprintln(os.Stderr, res.Tag)
	if r.jsonStats {
		writeJSON(os.Stderr, statsOf(m, res))
	}
}

// rows prints the rows of a result. They lie in mapped files, so a fault is an error.
func (r *runner) rows(ctx context.Context, res *ingot.Result) error {
	if r.mode == "csv" {
		return r.csv(ctx, res)
	}
	cols := make([]column, len(res.Columns))
	for i, c := range res.Columns {
		cols[i] = column{c.Name, c.Type}
	}
	out := newRenderer(r.mode, r.stdout, cols, r.session.Location())
	return mmap.Guard(func() error {
		for b, err := range res.Batches {
			if err != nil {
				return err
			}
			if err := out.rows(b.Rows, b.Cols); err != nil {
				return err
			}
		}
		return out.end()
	})
}

// csv prints the rows of a result as COPY TO does, with a header line.
func (r *runner) csv(ctx context.Context, res *ingot.Result) error {
	opt, err := copy.ParseToOptions([]copy.Option{
		{Name: "format", Values: []copy.OptionValue{{Kind: copy.Word, Text: "csv"}}},
		{Name: "header"},
	})
	if err != nil {
		return err
	}
	var names []string
	var types []columnar.Type
	for _, c := range res.Columns {
		names, types = append(names, c.Name), append(types, c.Type)
	}
	rows := func(yield func(copy.Batch, error) bool) {
		for b, err := range res.Batches {
			if err != nil {
				yield(copy.Batch{}, err)
				return
			}
			if !yield(copy.Batch{Rows: b.Rows, Cols: b.Cols}, nil) {
				return
			}
		}
	}
	_, err = copy.To(ctx, copy.QueryContent(names, types, rows), copy.ToWriter(r.stdout), opt, r.session.Location(), copy.Env{})
	return err
}

// script runs the statements of a script until one fails. name is the script's file for
// messages, or empty. Where inline is set, the data of COPY FROM STDIN follows its
// statement in the script. It returns an exit status.
func (r *runner) script(ctx context.Context, name string, in io.Reader, inline bool) int {
	scanner := parse.NewScanner(in)
	for {
		part, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			return statusDone
		}
		if err == nil {
			err = r.fragment(ctx, part.Text, scanner, inline)
		}
		if err != nil {
			r.fail(err, part.Text, place(name, part.Line, err))
			return failed(ctx)
		}
	}
}

// place returns where in the file called name the statement that starts on the given line
// failed with err; "" if it is in no file.
func place(name string, line int, err error) string {
	if name == "" {
		return ""
	}
	var at *ingot.StatementError
	if errors.As(err, &at) {
		line += at.Line - 1
	}
	return fmt.Sprintf("%s:%d", name, line)
}

// fragment parses and runs one statement of a script.
func (r *runner) fragment(ctx context.Context, text string, scanner *parse.Scanner, inline bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stmt, err := parse.Statement(text)
	if err != nil {
		return err
	}
	data := r.stdin
	if c, ok := stmt.(*ast.Copy); ok && inline && !c.To && c.Endpoint == ast.Std {
		data = scanner.Data()
	}
	return r.statement(ctx, stmt, data)
}

// failed returns the exit status of a failure: was it an interruption?
func failed(ctx context.Context) int {
	if ctx.Err() != nil {
		return statusInterrupted
	}
	return statusFailed
}

// statsOf returns the statistics of a statement that ended with res.
func statsOf(m meter, res *ingot.Result) jsonStats {
	s := m.stats(res.Statement, res.Rows)
	if c := res.Copy; c != nil {
		s.jsonCopy = &jsonCopy{
			Bytes: c.Bytes, Cardinality: c.Cardinality.String(), Workers: c.Workers,
			Reservations: int64(c.Reservations), ReservedBytes: c.ReservedBytes, UsedBytes: c.UsedBytes,
			Stages: make(map[string]jsonStage, len(c.Stages)),
		}
		for st, cost := range c.Stages {
			s.Stages[copy.Stage(st).String()] = jsonStage{NS: cost.NS, Bytes: cost.Bytes}
		}
	}
	return s
}
