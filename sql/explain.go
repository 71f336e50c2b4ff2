package sql

import (
	"encoding/json"
	"fmt"
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
	Facts []planFact
	Input *planNode
}

// planFact is a property of a step.
type planFact struct {
	name  string
	value any
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
	out := []string{indent + n.Step}
	for _, f := range n.Facts {
		out = append(out, fmt.Sprintf("%s  %s: %v", indent, f.name, f.value))
	}
	if n.Input != nil {
		out = append(out, n.Input.lines(depth+1)...)
	}
	return out
}

// MarshalJSON returns the plan as an object: the step, its facts in order, its input.
func (n *planNode) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	field := func(name string, value any) error {
		text, err := json.Marshal(value)
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(fmt.Appendf(out, "%q:", strings.ReplaceAll(name, " ", "_")), text...)
		return err
	}
	if err := field("step", n.Step); err != nil {
		return nil, err
	}
	for _, f := range n.Facts {
		if err := field(f.name, f.value); err != nil {
			return nil, err
		}
	}
	if n.Input != nil {
		if err := field("input", n.Input); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
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
		copyFacts(node, c)
	}
	return node, nil
}

// copyFacts adds what a COPY took.
func copyFacts(n *planNode, c *copy.Result) {
	n.fact("bytes", c.Bytes)
	n.fact("actual workers", c.Workers)
	n.fact("reservations", c.Reservations)
	n.fact("reserved bytes", c.ReservedBytes)
	n.fact("used bytes", c.UsedBytes)
	n.fact("cpu ns", c.CPUNS)
	n.fact("minor faults", c.MinorFaults)
	for s := range copy.Stages {
		n.fact("stage "+s.String()+" ns", c.Stages[s].NS)
	}
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
		n.Step = "Series " + stmt.From.Call.String()
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
		for b, err := range q.table.Scan(q.run.ctx, opt) {
			if err != nil {
				return nil, err
			}
			left += b.Rows
		}
		n.fact("rows left by zone maps", left)
	}
	return n, nil
}

// planCopy returns the plan of a COPY.
func (r *run) planCopy(v view, stmt *ast.Copy) (*planNode, error) {
	n := &planNode{Step: "Copy to " + stmt.Path}
	if stmt.Endpoint == ast.Std {
		n.Step = "Copy to STDOUT"
	}
	var err error
	switch {
	case stmt.To && stmt.Query != nil:
		n.Input, err = r.planQuery(v, stmt.Query)
		return n, err
	case stmt.To:
		n.Input, err = r.planQuery(v, &ast.Select{Items: []ast.SelectItem{{Star: true}}, From: &ast.From{Table: stmt.Table}})
		return n, err
	case stmt.Endpoint == ast.Query:
		n.Step = "Copy into " + stmt.Table.String()
		n.Input, err = r.planQuery(v, stmt.Query)
		return n, err
	}
	return r.planCopyFrom(v, stmt)
}

// planCopyFrom returns the plan of a COPY FROM a file or STDIN.
func (r *run) planCopyFrom(v view, stmt *ast.Copy) (*planNode, error) {
	opt, err := copy.ParseFromOptions(options(stmt.Options))
	if err != nil {
		return nil, err
	}
	t, err := r.table(v, stmt.Table)
	if err != nil {
		return nil, err
	}
	target, err := r.target(t, stmt)
	if err != nil {
		return nil, err
	}
	src, err := r.copySource(stmt, nil)
	if err != nil {
		return nil, err
	}
	p, err := copy.PlanFrom(r.ctx, target, src, opt, r.env())
	if err != nil {
		return nil, err
	}
	n := &planNode{Step: "Copy into " + stmt.Table.String()}
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
	return n, nil
}
