package sql

import (
	"strings"
	"sync"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/internal/expr"
	"github.com/ingotdb/ingot/sql/parse"
)

// checker tests the CHECK constraints of rows. It is for one goroutine at a time.
type checker struct {
	schema *columnar.Schema
	names  []string
	nodes  []expr.Node
	refs   []int // schema positions of the columns that the nodes read
	batch  expr.Batch
	cols   []columnar.Vec
}

// newChecker returns the checker of a table, nil if it has no CHECK constraint.
func (r *run) newChecker(s *columnar.Schema) (*checker, error) {
	c := &checker{schema: s}
	scope := &expr.Scope{Table: s.Name, Columns: columnsOf(s), Location: r.loc, Now: r.now, Clause: "check constraints"}
	for _, k := range s.Constraints {
		if k.Kind != columnar.Check {
			continue
		}
		e, err := parse.Expr(k.Expr)
		if err != nil {
			return nil, err
		}
		n, err := scope.Boolean(e)
		if err != nil {
			return nil, err
		}
		c.names = append(c.names, k.Name)
		c.nodes = append(c.nodes, n)
	}
	if len(c.nodes) == 0 {
		return nil, nil
	}
	c.refs = scope.Refs
	c.cols = make([]columnar.Vec, len(c.refs))
	return c, nil
}

// first returns the first of n rows, at most expr.MaxRows, that violates a constraint,
// with the error, or n and nil. col returns the n rows of a column by schema position.
func (c *checker) first(n int, col func(pos int) columnar.Vec) (int, error) {
	for i, pos := range c.refs {
		c.cols[i] = col(pos)
	}
	c.batch.SetColumns(n, c.cols)
	bad, name := n, ""
	for k, node := range c.nodes {
		v, err := node.Eval(&c.batch, nil)
		if err != nil && n > 1 {
			return c.firstEach(n, col)
		}
		if err != nil {
			return 0, err
		}
		for i := range bad {
			if !v.IsNull(i) && !v.Bool(i) {
				bad, name = i, c.names[k]
				break
			}
		}
	}
	if bad == n {
		return n, nil
	}
	return bad, pgerr.New(pgerr.CheckViolation, "new row for relation \"%s\" violates check constraint \"%s\"", c.schema.Name, name).
		WithDetail("Failing row contains (%s).", rowText(c.schema, bad, col))
}

// firstEach is first one row at a time: an error of an expression does not say whose it
// is.
func (c *checker) firstEach(n int, col func(pos int) columnar.Vec) (int, error) {
	for i := range n {
		row, err := c.first(1, func(pos int) columnar.Vec {
			v := col(pos)
			return v.Slice(i, 1)
		})
		if row < 1 || err != nil {
			return i, err
		}
	}
	return n, nil
}

// rowText returns a row as the detail of a constraint's error shows it.
func rowText(s *columnar.Schema, row int, col func(pos int) columnar.Vec) string {
	parts := make([]string, len(s.Columns))
	for i := range s.Columns {
		v := col(i)
		if v.IsNull(row) {
			parts[i] = "null"
		} else {
			parts[i] = cutValue(string(v.AppendText(nil, row, nil)))
		}
	}
	return strings.Join(parts, ", ")
}

// maxShown is where PostgreSQL cuts a value in the detail of an error.
const maxShown = 64

// cutValue shortens a value to maxShown bytes without splitting a character.
func cutValue(s string) string {
	if len(s) <= maxShown {
		return s
	}
	n := maxShown
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}

// copyCheck returns the test of CHECK constraints that COPY calls from its workers, nil
// if there are none.
func (r *run) copyCheck(s *columnar.Schema) (func(w *columnar.FragmentWriter, from, to int) (int, error), error) {
	c, err := r.newChecker(s)
	if err != nil || c == nil {
		return nil, err
	}
	free := sync.Pool{}
	free.Put(c)
	return func(w *columnar.FragmentWriter, from, to int) (int, error) {
		c, _ := free.Get().(*checker)
		if c == nil {
			var err error
			if c, err = r.newChecker(s); err != nil {
				return from, err
			}
		}
		defer free.Put(c)
		for from < to {
			n := min(to-from, expr.MaxRows)
			row, err := c.first(n, func(pos int) columnar.Vec {
				b := &w.Cols[pos]
				v := columnar.MakeVec(b.Type, to, b.Valid, b.Fixed, b.Bits, b.Offsets, b.Data, b.NaN)
				return v.Slice(from, n)
			})
			if err != nil {
				return from + row, err
			}
			from += n
		}
		return to, nil
	}, nil
}

// checkRows tests the CHECK constraints of all rows of a table.
func (r *run) checkRows(t *columnar.Table) error {
	c, err := r.newChecker(t.Schema())
	if err != nil || c == nil {
		return err
	}
	for b, err := range t.ScanGathered(r.ctx, columnar.ScanOptions{}) {
		if err != nil {
			return err
		}
		if _, err := c.first(b.Rows, func(pos int) columnar.Vec { return b.Cols[pos] }); err != nil {
			e := pgerr.From(err)
			e.Message = strings.Replace(e.Message, "new row for relation", "existing row of relation", 1)
			return e
		}
	}
	return nil
}
