package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// optionFlags are the flags of copy that stand for one option of COPY each.
var optionFlags = []struct{ flag, usage string }{
	{"header", "the file's first lines are names: --header, --header=match, --header=false, --header=N"},
	{"delimiter", "the byte between fields (default: comma)"},
	{"quote", "the quote (default: double quote)"},
	{"escape", "what stands before a quote inside quotes (default: the quote)"},
	{"null", "what stands for NULL (default: nothing, unquoted)"},
	{"encoding", "the file's encoding"},
	{"parallelism", "goroutines of this load at most"},
}

// copyFlags are the command line of copy.
type copyFlags struct {
	*flags
	create  bool
	columns []string
	options []string // name or name=value
	values  map[string]*string
}

func newCopyFlags() *copyFlags {
	f := &copyFlags{
		flags:  newFlags("copy", "copy STORE TABLE from PATH|- [--create] [flags]\n       ingot copy STORE TABLE to PATH|- [flags]"),
		values: map[string]*string{},
	}
	f.BoolVar(&f.create, "create", false, "make the table: infer its columns from the file")
	f.StringSliceVar(&f.columns, "columns", nil, "the file's columns, by their names in the table")
	for _, o := range optionFlags {
		f.values[o.flag] = f.String(o.flag, "", o.usage)
	}
	f.Lookup("header").NoOptDefVal = "true"
	f.StringArrayVarP(&f.options, "option", "o", nil, "any option of COPY, as NAME or NAME=VALUE")
	f.addStatementFlags()
	return f
}

// runCopy is the command copy.
func runCopy(args []string) int {
	f := newCopyFlags()
	rest, status := f.parse(args, 4, 4)
	if status >= 0 {
		return status
	}
	stmt, options, err := f.statement(rest[1], rest[2], rest[3])
	if err != nil {
		return f.wrong(err)
	}
	opt, err := f.flags.options()
	if err != nil {
		return f.wrong(err)
	}
	ctx, _ := untilInterrupted()
	db, status := f.open(ctx, rest[0], opt)
	if status >= 0 {
		return status
	}
	r := newRunner(db, f.flags, modes[0], interruptible(ctx, os.Stdin), interruptibleOut(ctx, os.Stdout))
	guess, err := r.guess(ctx, stmt, &options)
	switch {
	case err != nil:
	case f.create:
		err = r.create(ctx, db, stmt, options)
	default:
		err = r.statement(ctx, stmt, r.stdin)
	}
	if err != nil {
		r.fail(blame(guess, err), "", "")
		status = failed(ctx)
	}
	return closing(db, f.flags, r.close(max(status, statusDone)))
}

// statement returns the COPY that the command line stands for, and its options as
// package copy takes them.
func (f *copyFlags) statement(table, direction, path string) (*ast.Copy, []copy.Option, error) {
	if direction != "from" && direction != "to" {
		return nil, nil, fmt.Errorf("%q: want from or to", direction)
	}
	name, err := identifier(table)
	if err != nil {
		return nil, nil, err
	}
	c := &ast.Copy{Table: ast.TableName{Name: name}, To: direction == "to", Endpoint: ast.File, Paths: []string{path}}
	if c.To && f.create {
		return nil, nil, errors.New("--create is for copy from")
	}
	if path == "-" {
		c.Endpoint, c.Paths = ast.Std, nil
	}
	for _, col := range f.columns {
		c.Columns = append(c.Columns, ast.Ident{Name: col})
	}
	options := f.copyOptions()
	for _, o := range options {
		c.Options = append(c.Options, astOption(o))
	}
	return c, options, nil
}

// defaultFormat is the format of a file if neither an option nor the file says another.
const defaultFormat = "csv"

// guess completes the options of c with the format, unless they have one: the one that the
// file's first bytes or its name tell, which is said if it is not the default.
func (r *runner) guess(ctx context.Context, c *ast.Copy, options *[]copy.Option) (g copy.Guess, err error) {
	if slices.ContainsFunc(*options, func(o copy.Option) bool { return o.Name == "format" }) {
		return g, nil
	}
	switch {
	case c.Endpoint != ast.File:
	case c.To:
		g = copy.GuessTo(c.Paths[0])
	default:
		if g, err = copy.GuessFrom(ctx, copy.FromFiles(c.Paths...), copy.Env{Files: copy.AnyFile()}); err != nil {
			return g, err
		}
	}
	o := option("format", cmp.Or(g.Format, defaultFormat))
	if o.Values[0].Text != defaultFormat {
		r.notice(g.Says)
	}
	*options = append(*options, o)
	c.Options = append(c.Options, astOption(o))
	return g, nil
}

// blame returns the error of a COPY with the guess that it may be due to: not what no format
// could be blamed for, nor a wrong value in a file called .csv.
func blame(g copy.Guess, err error) error {
	code := pgerr.Code(err)
	structure := code == pgerr.BadCopyFileFormat || code == pgerr.CharacterNotInRepertoire
	data := strings.HasPrefix(code, "22") || code == pgerr.DataCorrupted || code == pgerr.UndefinedColumn
	if structure || data && g.Format != defaultFormat {
		return g.Blame(err)
	}
	return err
}

// copyOptions returns the options that the flags stand for.
func (f *copyFlags) copyOptions() []copy.Option {
	var list []copy.Option
	f.Visit(func(fl *pflag.Flag) {
		if v, ok := f.values[fl.Name]; ok {
			list = append(list, option(fl.Name, *v))
		}
	})
	for _, o := range f.options {
		name, value, given := strings.Cut(o, "=")
		if !given {
			list = append(list, copy.Option{Name: strings.ToLower(name)})
			continue
		}
		list = append(list, option(name, value))
	}
	return list
}

// option returns an option of COPY whose value was written as text: a number if it reads
// as one, a list of columns where the option is about columns, else a string.
func option(name, value string) copy.Option {
	o := copy.Option{Name: strings.ToLower(name)}
	words := []string{value}
	if (strings.HasPrefix(o.Name, "force_") || o.Name == "partition_by") && value != "*" {
		o.List = true
		words = strings.Split(value, ",")
	}
	for _, w := range words {
		kind := copy.String
		_, err := strconv.ParseInt(w, 10, 64)
		switch {
		case o.List:
		case err == nil:
			kind = copy.Number
		case w == "*" && strings.HasPrefix(o.Name, "force_"):
			kind = copy.Star
		}
		o.Values = append(o.Values, copy.OptionValue{Kind: kind, Text: w})
	}
	return o
}

// astOption returns o as a statement has it.
func astOption(o copy.Option) ast.Option {
	kinds := map[copy.ValueKind]ast.ValueKind{
		copy.Word: ast.WordValue, copy.String: ast.StringValue, copy.Number: ast.NumberValue, copy.Star: ast.StarValue,
	}
	out := ast.Option{Ident: ast.Ident{Name: o.Name}}
	var values []ast.Value
	for _, v := range o.Values {
		values = append(values, ast.Value{Kind: kinds[v.Kind], Text: v.Text})
	}
	switch {
	case o.List:
		out.Value = ast.Value{Kind: ast.ListValue, List: values}
	case len(values) == 1:
		out.Value = values[0]
	}
	return out
}

// create makes the table of c from what its file looks like and loads the file, in one
// transaction: either both are done or neither.
func (r *runner) create(ctx context.Context, db *ingot.DB, c *ast.Copy, options []copy.Option) error {
	if err := mustBeNew(db, c.Table.Name); err != nil {
		return err
	}
	if len(c.Columns) > 0 {
		return pgerr.New(pgerr.FeatureNotSupported, "--columns names columns of a table that exists").
			WithHint("Create the table first, or leave --columns out: the file's header names the columns.")
	}
	m := startMeter()
	def, data, err := r.infer(ctx, c, options)
	if err != nil {
		return err
	}
	var results []*ingot.Result
	for _, stmt := range []ast.Stmt{&ast.Begin{}, def, c, &ast.Commit{}} {
		res, err := r.run(ctx, stmt, data)
		if err != nil {
			if r.session.InTransaction() { // the user began none, so the end of one is no news
				_, undo := r.run(context.WithoutCancel(ctx), &ast.Rollback{}, nil)
				err = errors.Join(err, undo)
			}
			return err
		}
		results = append(results, res)
	}
	fmt.Fprintln(os.Stderr, results[1].Tag)
	r.done(m, results[2])
	return nil
}

// mustBeNew returns an error if there is a table called name.
func mustBeNew(db *ingot.DB, name string) error {
	snap, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Release()
	if _, err := snap.Table(name); err != nil {
		return nil
	}
	return pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists", name).
		WithHint("Leave --create out to add the file's rows to it, or drop it first.")
}

// infer says what columns the input of c has and returns the table for it and the data
// to load, if it is standard input. The header that was found becomes an option of c.
func (r *runner) infer(ctx context.Context, c *ast.Copy, options []copy.Option) (def *ast.CreateTable, data io.Reader, err error) {
	opt, err := copy.ParseFromOptions(options)
	if err != nil {
		return nil, nil, err
	}
	src := copy.FromFiles(c.Paths...)
	if c.Endpoint == ast.Std {
		var seen bytes.Buffer
		src = copy.FromReader(io.TeeReader(r.stdin, &seen), "stdin")
		data = io.MultiReader(&seen, r.stdin)
	}
	inf, err := copy.Infer(ctx, src, opt, copy.Env{Files: copy.AnyFile()})
	if err != nil {
		e := ingot.AsError(err)
		e.Table = c.Table.Name // the sampler knows of no table
		return nil, nil, e
	}
	r.notice(inf.Says)
	for _, o := range inf.Extra {
		c.Options = append(c.Options, astOption(o))
	}
	def = &ast.CreateTable{Table: c.Table}
	for _, col := range inf.Columns {
		def.Columns = append(def.Columns, ast.ColumnDef{Ident: ast.Ident{Name: col.Name}, Type: col.Type})
	}
	return def, data, nil
}

// identifier reads a name as SQL does: in double quotes it is taken as it is, else upper
// case letters are lowered.
func identifier(s string) (string, error) {
	if inner, quoted := strings.CutPrefix(s, `"`); quoted {
		name, closed := strings.CutSuffix(inner, `"`)
		if !closed || name == "" || strings.Contains(strings.ReplaceAll(name, `""`, ""), `"`) {
			return "", fmt.Errorf("table %s: a quote is missing", s)
		}
		return strings.ReplaceAll(name, `""`, `"`), nil
	}
	if s == "" {
		return "", errors.New("the table has no name")
	}
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, s), nil
}
