package sql

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/sql/ast"
)

// planNode is one line of a plan with what is known of it, and the step that it takes
// its rows from.
type planNode struct {
	Step  string
	Facts planFacts
	Input *planNode
}

// planFact is a property of a step. The value may be a planFacts.
type planFact struct {
	name  string
	value any
}

// planFacts are the parts of a property.
type planFacts []planFact

// lines returns the facts as text.
func (fs planFacts) lines(indent string) []string {
	var out []string
	for _, f := range fs {
		if parts, ok := f.value.(planFacts); ok {
			out = append(out, indent+f.name+":")
			out = append(out, parts.lines(indent+"  ")...)
			continue
		}
		out = append(out, fmt.Sprintf("%s%s: %v", indent, f.name, f.value))
	}
	return out
}

// MarshalJSON returns the facts as an object, in order. Their names are kept: they are
// those of columns and stages.
func (fs planFacts) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for i, f := range fs {
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

func (n *planNode) fact(name string, value any) { n.Facts = append(n.Facts, planFact{name, value}) }

// explain runs EXPLAIN.
func (r *run) explain(stmt *ast.Explain) (*Result, error) {
	node, err := r.planOf(stmt)
	if err != nil {
		return nil, err
	}
	lines := node.lines(0)
	if stmt.JSON {
		text, err := json.MarshalIndent(node, "", "  ")
		if err != nil {
			return nil, err
		}
		lines = []string{string(text)}
	}
	return textRows("EXPLAIN", "QUERY PLAN", lines), nil
}

// lines returns the plan as text, each input deeper than what takes its rows.
func (n *planNode) lines(depth int) []string {
	indent := strings.Repeat("  ", depth)
	out := append([]string{indent + n.Step}, n.Facts.lines(indent+"  ")...)
	if n.Input != nil {
		out = append(out, n.Input.lines(depth+1)...)
	}
	return out
}

// MarshalJSON returns the plan as an object: the step, its facts in order, its input.
func (n *planNode) MarshalJSON() ([]byte, error) {
	parts := planFacts{{"step", n.Step}}
	for _, f := range n.Facts {
		parts = append(parts, planFact{strings.ReplaceAll(f.name, " ", "_"), f.value})
	}
	if n.Input != nil {
		parts = append(parts, planFact{"input", n.Input})
	}
	return parts.MarshalJSON()
}

// planOf returns the plan of a statement; with ANALYZE it is carried out.
func (r *run) planOf(stmt *ast.Explain) (*planNode, error) {
	begin := time.Now()
	node, err := r.planStatement(stmt.Stmt)
	if err != nil || !stmt.Analyze {
		return node, err
	}
	res, err := r.statement(stmt.Stmt)
	if err != nil {
		return nil, err
	}
	for _, err := range res.Batches {
		if err != nil {
			return nil, err
		}
	}
	res.Close()
	node.fact("actual rows", res.Rows)
	node.fact("wall ns", int64(time.Since(begin)))
	if c := res.Copy; c != nil {
		columns := len(res.Columns)
		if stmt, ok := stmt.Stmt.(*ast.Copy); ok && columns == 0 {
			columns = r.copyColumns(stmt)
		}
		copyFacts(node, c, columns)
	}
	return node, nil
}

// copyColumns returns how many columns a COPY of a table reads or writes; 0 if that is
// not known.
func (r *run) copyColumns(stmt *ast.Copy) int {
	v, err := r.view()
	if err != nil {
		return 0
	}
	defer v.release()
	t, err := r.table(v, stmt.Table)
	switch {
	case err != nil:
		return 0
	case stmt.Columns != nil:
		return len(stmt.Columns)
	}
	return len(t.Schema().Columns)
}

// copyFacts adds what a COPY of the given number of columns took. A stage's share is that
// of the time of all stages together; they add up over workers.
func copyFacts(n *planNode, c *copy.Result, columns int) {
	n.fact("bytes", c.Bytes)
	n.fact("actual workers", c.Workers)
	n.fact("reservations", c.Reservations)
	n.fact("reserved bytes", c.ReservedBytes)
	n.fact("used bytes", c.UsedBytes)
	n.fact("cpu ns", c.CPUNS)
	n.fact("minor faults", c.MinorFaults)
	if columns > 0 && c.WallNS > 0 {
		n.fact("million datums per second", math.Round(1e5*float64(c.Rows)*float64(columns)/float64(c.WallNS))/100)
	}
	total := int64(0)
	for _, s := range c.Stages {
		total += s.NS
	}
	var stages planFacts
	for s := range copy.Stages {
		cost := c.Stages[s]
		share := 0.0
		if total > 0 {
			share = math.Round(1000*float64(cost.NS)/float64(total)) / 10
		}
		stages = append(stages, planFact{s.String(), planFacts{{"ns", cost.NS}, {"bytes", cost.Bytes}, {"share", share}}})
	}
	n.fact("stages", stages)
}

// planStatement returns the plan of a statement without carrying it out.
func (r *run) planStatement(stmt ast.Stmt) (*planNode, error) {
	v, err := r.view()
	if err != nil {
		return nil, err
	}
	defer v.release()
	switch stmt := stmt.(type) {
	case *ast.Select:
		return r.planQuery(v, stmt)
	case *ast.Copy:
		return r.planCopy(v, stmt)
	case *ast.Insert:
		n := &planNode{Step: "Insert into " + stmt.Table.String()}
		if stmt.Query != nil && stmt.Query.Values == nil {
			n.Input, err = r.planQuery(v, stmt.Query)
		}
		return n, err
	case *ast.Update:
		return r.planChange(v, "Update "+stmt.Table.String(), stmt.Table, stmt.Where)
	case *ast.Delete:
		return r.planChange(v, "Delete from "+stmt.Table.String(), stmt.Table, stmt.Where)
	}
	return &planNode{Step: stmt.String()}, nil
}

// planChange returns the plan of a statement that changes the rows that WHERE gives.
func (r *run) planChange(v view, step string, name ast.TableName, where ast.Expr) (*planNode, error) {
	sel := &ast.Select{From: &ast.From{Table: name}, Where: where}
	input, err := r.planQuery(v, sel)
	return &planNode{Step: step, Input: input}, err
}

// planQuery returns the steps of a query, the last one first.
func (r *run) planQuery(v view, stmt *ast.Select) (*planNode, error) {
	q, err := r.plan(v, stmt)
	if err != nil {
		return nil, err
	}
	n := &planNode{Step: "Rows"}
	switch {
	case q.table != nil && q.groups != nil && q.groups.onlyCounts():
		n.Step = "Row count of " + stmt.From.Table.String()
	case q.table != nil:
		if n, err = q.planScan(); err != nil {
			return nil, err
		}
	case q.series != nil && stmt.From != nil:
		n.Step = "Rows of " + stmt.From.Call.String()
	}
	over := func(step string) { n = &planNode{Step: step, Input: n} }
	if q.groups != nil {
		over("Aggregate")
		if len(stmt.GroupBy) > 0 {
			n.Step = "Group by " + exprList(stmt.GroupBy)
		}
		if stmt.Having != nil {
			n.fact("having", stmt.Having.String())
		}
	}
	if stmt.Distinct {
		over("Distinct")
	}
	if len(q.order) > 0 {
		over("Sort")
		if q.limit >= 0 {
			n.fact("keeps", q.limit+q.offset)
		}
	}
	if q.limit >= 0 || q.offset > 0 {
		over("Limit")
		if q.limit >= 0 {
			n.fact("limit", q.limit)
		}
		if q.offset > 0 {
			n.fact("offset", q.offset)
		}
	}
	return n, nil
}

func exprList(list []ast.Expr) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = e.String()
	}
	return strings.Join(parts, ", ")
}

// planScan returns the scan of a query's table.
func (q *query) planScan() (*planNode, error) {
	s := q.table.Schema()
	n := &planNode{Step: "Scan " + q.stmt.From.Table.String()}
	f := filter{run: q.run, table: q.table}
	if err := f.bind(q.scope, q.stmt.Where); err != nil {
		return nil, err
	}
	names := make([]string, len(f.opt.Columns))
	for i, pos := range f.opt.Columns {
		names[i] = s.Columns[pos].Name
	}
	n.fact("columns", strings.Join(names, ", "))
	if q.stmt.Where != nil {
		n.fact("filter", q.stmt.Where.String())
	}
	n.fact("rows", q.table.Rows())
	n.fact("row groups", q.table.Groups())
	n.fact("workers", q.run.workers(q.table))
	if len(f.opt.Prune) > 0 {
		left := 0
		opt := columnar.ScanOptions{Columns: []int{}, Prune: f.opt.Prune}
		for b, err := range q.table.ScanMasked(q.run.ctx, opt) {
			if err != nil {
				return nil, err
			}
			left += b.Live()
		}
		n.fact("rows left by zone maps", left)
	}
	return n, nil
}

// planCopy returns the plan of a COPY.
func (r *run) planCopy(v view, stmt *ast.Copy) (*planNode, error) {
	if err := r.programAllowed(stmt); err != nil {
		return nil, err
	}
	n := &planNode{Step: "Copy to " + copyEnd(stmt, "STDOUT")}
	var err error
	switch {
	case stmt.Change != nil:
		n.Input, err = r.planStatement(stmt.Change)
		return n, err
	case stmt.To && stmt.Query != nil:
		n.Input, err = r.planQuery(v, stmt.Query)
		return n, err
	case stmt.To:
		n.Input, err = r.planQuery(v, &ast.Select{Items: []ast.SelectItem{{Star: true}}, From: &ast.From{Table: stmt.Table}})
		return n, err
	}
	return r.planCopyFrom(v, stmt)
}

// copyEnd says what the other side of a COPY is.
func copyEnd(stmt *ast.Copy, std string) string {
	switch stmt.Endpoint {
	case ast.Std:
		return std
	case ast.Program:
		return "program " + stmt.Paths[0]
	case ast.Query:
		return "query"
	}
	return strings.Join(stmt.Paths, ", ")
}

// planCopyFrom returns the plan of a COPY FROM.
func (r *run) planCopyFrom(v view, stmt *ast.Copy) (*planNode, error) {
	ends, list, err := r.relEnds(stmt.Options)
	if err != nil {
		return nil, err
	}
	parse := copy.ParseFromOptions
	if stmt.Endpoint == ast.Query {
		parse = copy.ParseRowsOptions
	}
	opt, err := parse(options(list))
	if err != nil {
		return nil, err
	}
	t, err := r.copyTable(v, stmt, ends)
	if err != nil {
		return nil, err
	}
	target, err := r.target(t, stmt)
	if err != nil {
		return nil, err
	}
	var src copy.Source
	if stmt.Endpoint == ast.Query {
		src, err = r.querySource(v, target, stmt)
	} else {
		src, err = r.copySource(stmt, nil)
	}
	if err != nil {
		return nil, err
	}
	p, err := copy.PlanFrom(r.ctx, target, src, opt, r.env())
	if err != nil {
		return nil, err
	}
	n := &planNode{Step: "Copy into " + stmt.Table.String()}
	n.fact("source", copyEnd(stmt, "standard input"))
	n.fact("cardinality", p.Cardinality.String())
	if p.Rows >= 0 {
		n.fact("rows", p.Rows)
	}
	if p.Bytes > 0 {
		n.fact("input bytes", p.Bytes)
	}
	if p.Files > 0 {
		n.fact("files", p.Files)
	}
	n.fact("workers", p.Workers)
	if p.Windows > 0 {
		n.fact("windows", p.Windows)
	}
	n.fact("reason", p.Reason)
	r.reserveFacts(n, t.Schema(), &p)
	if stmt.Endpoint == ast.Query {
		n.Input, err = r.planQuery(v, stmt.Query)
	}
	return n, err
}

// reserveFacts adds what a COPY FROM reserves for its rows and how they become durable.
func (r *run) reserveFacts(n *planNode, s *columnar.Schema, p *copy.Plan) {
	if p.Rows < 0 {
		n.fact("reserved", "as rows come: from one vector on, doubling; each full fragment at its size")
		n.fact("durability", "inline in the log up to "+strconv.FormatInt(r.store.InlineBytes(), 10)+" bytes, else a data file")
		return
	}
	var columns planFacts
	total, variable := int64(0), false
	for i, bytes := range s.ColumnBytes(p.Rows) {
		columns = append(columns, planFact{s.Columns[i].Name, bytes})
		total += bytes
		variable = variable || s.Columns[i].Type.Variable()
	}
	n.fact("reserved bytes by column", columns)
	if variable && p.Bytes > 0 {
		n.fact("reserved bytes for variable data", p.Bytes)
		total += p.Bytes
	}
	if variable && p.Bytes == 0 {
		n.fact("reserved bytes for variable data", "as they come")
	}
	if total <= r.store.InlineBytes() {
		n.fact("durability", "inline: the values travel in the commit's log record, one sync")
	} else {
		n.fact("durability", "data file: one sync of it before the commit's log record and its sync")
	}
}
