package sql

import (
	"fmt"
	"iter"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// copy runs COPY.
func (r *run) copy(stmt *ast.Copy) (*Result, error) {
	if stmt.Endpoint == ast.Program {
		return nil, r.at(int(stmt.PathAt), pgerr.New(pgerr.FeatureNotSupported, "COPY with PROGRAM is not supported").
			WithHint("Run the program yourself and use STDIN or STDOUT."))
	}
	if stmt.To {
		return r.copyTo(stmt)
	}
	if stmt.Endpoint == ast.Query {
		return r.copyQuery(stmt)
	}
	return r.copyFrom(stmt)
}

// options returns the options of a statement as package copy takes them.
func options(list []ast.Option) []copy.Option {
	kinds := map[ast.ValueKind]copy.ValueKind{
		ast.WordValue: copy.Word, ast.StringValue: copy.String, ast.NumberValue: copy.Number, ast.StarValue: copy.Star,
	}
	out := make([]copy.Option, len(list))
	for i, o := range list {
		out[i] = copy.Option{Name: o.Name, Pos: o.Pos(), List: o.Value.Kind == ast.ListValue}
		values := []ast.Value{o.Value}
		switch o.Value.Kind {
		case ast.NoValue:
			values = nil
		case ast.ListValue:
			values = o.Value.List
		}
		for _, v := range values {
			out[i].Values = append(out[i].Values, copy.OptionValue{Kind: kinds[v.Kind], Text: v.Text})
		}
	}
	return out
}

// env returns what package copy needs to know of the session.
func (r *run) env() copy.Env {
	e := copy.Env{Files: r.opt.Files, MaxWorkers: r.opt.MaxWorkers, BlockSize: r.opt.BlockSize}
	if r.opt.OnProgress != nil {
		e.Progress = new(copy.Progress)
		r.opt.OnProgress(e.Progress)
	}
	return e
}

// positions returns the positions of a column list, nil for none.
func positions(s *columnar.Schema, list []ast.Ident) ([]int, error) {
	if list == nil {
		return nil, nil
	}
	names := make([]string, len(list))
	for i, id := range list {
		names[i] = id.Name
	}
	return copy.ColumnPositions(s, names)
}

// source returns what a COPY FROM reads.
func (r *run) copySource(stmt *ast.Copy) (copy.Source, error) {
	if stmt.Endpoint == ast.File {
		return copy.FromFiles(stmt.Path), nil
	}
	if r.opt.Stdin == nil {
		return copy.Source{}, r.at(int(stmt.PathAt), pgerr.New(pgerr.ObjectNotInState, "there is no standard input to COPY from").
			WithHint("Give the session a reader, or name a file."))
	}
	return copy.FromReader(r.opt.Stdin, ""), nil
}

// target returns what package copy needs to know of the table of a COPY FROM.
func (r *run) target(t *columnar.Table, stmt *ast.Copy) (*copy.Target, error) {
	s := t.Schema()
	target := &copy.Target{Schema: s, Location: r.loc}
	var err error
	if target.Columns, err = positions(s, stmt.Columns); err != nil {
		return nil, err
	}
	for i := range s.Columns {
		if s.Columns[i].HasDefault {
			if target.Defaults, err = r.defaults(s); err != nil {
				return nil, err
			}
			break
		}
	}
	target.Check, err = r.copyCheck(s)
	return target, err
}

// copyFrom runs COPY FROM a file or STDIN.
func (r *run) copyFrom(stmt *ast.Copy) (*Result, error) {
	opt, err := copy.ParseFromOptions(options(stmt.Options))
	if err != nil {
		return nil, err
	}
	if stmt.Where != nil {
		return nil, r.at(stmt.Where.Pos(), pgerr.New(pgerr.FeatureNotSupported, "COPY FROM with WHERE is not supported yet").
			WithHint("COPY into a table of its own, then COPY ... FROM (SELECT ... WHERE ...)."))
	}
	src, err := r.copySource(stmt)
	if err != nil {
		return nil, err
	}
	var res copy.Result
	if r.tx != nil {
		err = r.write(func(txn *columnar.Txn) error {
			t, err := r.table(txn, stmt.Table)
			if err != nil {
				return err
			}
			target, err := r.target(t, stmt)
			if err != nil {
				return err
			}
			res, err = copy.FromTxn(r.ctx, r.store, txn, target, src, opt, r.env())
			return err
		})
		return copied(&res), err
	}
	v, err := r.view()
	if err != nil {
		return nil, err
	}
	defer v.release()
	t, err := r.table(v, stmt.Table)
	if err != nil {
		return nil, err
	}
	target, err := r.target(t, stmt)
	if err != nil {
		return nil, err
	}
	res, err = copy.From(r.ctx, r.store, target, src, opt, r.env())
	return copied(&res), err
}

func copied(res *copy.Result) *Result {
	return &Result{Tag: fmt.Sprintf("COPY %d", res.Rows), Statement: "COPY", Rows: res.Rows, Copy: res, Batches: none}
}

// copyQuery runs COPY t FROM (query), which is INSERT INTO t query.
func (r *run) copyQuery(stmt *ast.Copy) (*Result, error) {
	if len(stmt.Options) > 0 {
		return nil, r.at(stmt.Options[0].Pos(), pgerr.New(pgerr.FeatureNotSupported,
			"option \"%s\" is not supported with COPY FROM a query", stmt.Options[0].Name))
	}
	if stmt.Where != nil {
		return nil, r.at(stmt.Where.Pos(), pgerr.New(pgerr.FeatureNotSupported, "WHERE is not supported with COPY FROM a query").
			WithHint("Put the condition into the query."))
	}
	ins := &ast.Insert{Base: stmt.Base, Table: stmt.Table, Columns: stmt.Columns, Query: stmt.Query}
	res, err := r.insert(ins)
	if err != nil {
		return nil, err
	}
	return copied(&copy.Result{Rows: res.Rows, Cardinality: copy.AtMost, Workers: 1}), nil
}

// copyTo runs COPY TO.
func (r *run) copyTo(stmt *ast.Copy) (*Result, error) {
	opt, err := copy.ParseToOptions(options(stmt.Options))
	if err != nil {
		return nil, err
	}
	dst := copy.ToFile(stmt.Path)
	if stmt.Endpoint == ast.Std {
		if r.opt.Stdout == nil {
			return nil, r.at(int(stmt.PathAt), pgerr.New(pgerr.ObjectNotInState, "there is no standard output to COPY to").
				WithHint("Give the session a writer, or name a file."))
		}
		dst = copy.ToWriter(r.opt.Stdout)
	}
	v, err := r.view()
	if err != nil {
		return nil, err
	}
	defer v.release()
	content, err := r.content(v, stmt)
	if err != nil {
		return nil, err
	}
	res, err := copy.To(r.ctx, content, dst, opt, r.loc, r.env())
	return copied(&res), err
}

// content returns what a COPY TO writes.
func (r *run) content(v view, stmt *ast.Copy) (copy.Content, error) {
	if stmt.Query == nil {
		t, err := r.table(v, stmt.Table)
		if err != nil {
			return copy.Content{}, err
		}
		columns, err := positions(t.Schema(), stmt.Columns)
		if err != nil {
			return copy.Content{}, err
		}
		return copy.TableContent(t, columns)
	}
	q, err := r.plan(v, stmt.Query)
	if err != nil {
		return copy.Content{}, err
	}
	var names []string
	var types []columnar.Type
	for _, c := range q.columns() {
		names = append(names, c.Name)
		types = append(types, c.Type)
	}
	return copy.QueryContent(names, types, batches(q.rows())), nil
}

// batches gives rows in the form that package copy takes.
func batches(seq rowSeq) iter.Seq2[copy.Batch, error] {
	return func(yield func(copy.Batch, error) bool) {
		for b, err := range seq {
			if err != nil {
				yield(copy.Batch{}, err)
				return
			}
			if !yield(copy.Batch{Rows: b.Rows, Cols: b.Cols}, nil) {
				return
			}
		}
	}
}
