package sql

import (
	"slices"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/graph"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
	"github.com/ingotdb/ingot/visibility"
)

// graphFunctions are the table functions on graphs and the number of keys that they take. The
// first argument of each is the name of a rel table or a rel group.
//
//	neighbors('knows', key)              node, hops    nodes one hop away, or min to max
//	reachable('knows', key)              node, hops    nodes any number of hops away
//	shortest_path('knows', from, to)     length, nodes one path, or no row
//	all_shortest_paths('knows', from, to)
//
// Nodes are told by their primary keys. Options, by name: min and max bound the hops,
// direction is 'forward', 'backward' or 'both', table says which node table the keys are of,
// or from_table and to_table for each of two, and weight names a property, which makes the
// path one of least weight and adds the column weight.
var graphFunctions = map[string]int{"neighbors": 1, "reachable": 1, "shortest_path": 2, "all_shortest_paths": 2}

// graphCall is one of those functions, bound.
type graphCall struct {
	run    *run
	name   string
	graph  *graph.Graph
	ends   []graph.Node
	absent bool // a key that no node has: no rows
	hops   graph.Hops
	opt    graph.Options
	key    columnar.Type // of nodes in the result: text where the tables' keys differ
}

// graphFunction resolves a table function on a graph.
func (q *query) graphFunction(v view, from *ast.From) error {
	c := from.Call
	keys := graphFunctions[c.Name]
	if len(c.Args) != 1+keys {
		return q.run.at(c.Pos(), pgerr.New(pgerr.UndefinedFunction, "%s takes the name of a rel table and %d keys", c.Name, keys))
	}
	rel, err := q.run.argument(c.Args[0], columnar.Type{Kind: columnar.Text}, c.Name)
	if err != nil {
		return err
	}
	g := &graphCall{run: q.run, name: c.Name, hops: graph.Hops{Min: 0, Max: graph.NoLimit}}
	switch c.Name {
	case "neighbors":
		g.hops = graph.Hops{Min: 1, Max: 1}
	case "reachable":
		g.hops.Min = 1
	}
	g.opt.MaxWorkers = q.run.opt.MaxWorkers
	if g.graph, err = graph.Open(v, rel.S); err != nil {
		return q.run.at(c.Args[0].Pos(), pgerr.From(err))
	}
	tables, err := g.options(c)
	if err != nil {
		return err
	}
	for i, e := range c.Args[1:] {
		if err := g.end(e, tables[i]); err != nil {
			return err
		}
	}
	g.key = keyOf(g.graph.Nodes()[0])
	for _, t := range g.graph.Nodes() {
		if keyOf(t) != g.key {
			g.key = columnar.Type{Kind: columnar.Text}
		}
	}
	q.series = &series{produce: g.rows}
	q.scope = q.run.scope(nil, "", "")
	if q.scope.Table = from.Alias; from.Alias == "" {
		q.scope.Table = c.Name
	}
	q.scope.Columns = g.columns()
	return nil
}

// columns are the columns of the result.
func (g *graphCall) columns() []expr.Column {
	count := columnar.Type{Kind: columnar.Int8}
	if graphFunctions[g.name] == 1 {
		return []expr.Column{{Name: "node", Type: g.key}, {Name: "hops", Type: count}}
	}
	nodes := g.key
	nodes.Array, nodes.Length = true, 0
	out := []expr.Column{{Name: "length", Type: count}, {Name: "nodes", Type: nodes}}
	if g.opt.Weight != "" {
		out = append(out, expr.Column{Name: "weight", Type: columnar.Type{Kind: columnar.Float8}})
	}
	return out
}

// argument evaluates an argument of a table function.
func (r *run) argument(e ast.Expr, t columnar.Type, function string) (columnar.Value, error) {
	n, err := r.scope(nil, "", "functions in FROM").BindTo(e, t, function)
	if err != nil {
		return columnar.Value{}, err
	}
	return single(n)
}

// keyValue evaluates an argument that is compared with keys of type t. equal is false if no
// value of that type is equal to it.
func (r *run) keyValue(e ast.Expr, t columnar.Type, function string) (v columnar.Value, equal bool, err error) {
	if v, err = r.argument(&ast.Cast{At: ast.At(e.Pos()), X: e, Type: t}, t, function); err != nil {
		switch pgerr.Code(err) {
		case pgerr.NumericValueOutOfRange, pgerr.DatetimeFieldOverflow:
			return v, false, nil
		}
		return v, false, err
	}
	same, err := r.argument(&ast.Binary{At: ast.At(e.Pos()), Op: "=", L: &ast.Cast{At: ast.At(e.Pos()), X: e, Type: t}, R: e}, columnar.Type{Kind: columnar.Bool}, function)
	return v, err == nil && !same.Null && same.I != 0, err
}

// options reads the arguments by name; tables are the node tables that they name for each
// key, or "".
func (g *graphCall) options(c *ast.Call) (tables [2]string, err error) {
	seen := map[string]bool{}
	for _, a := range c.Named {
		wrong := func(format string, args ...any) error {
			return g.run.at(a.Value.Pos(), pgerr.New(pgerr.InvalidParameterValue, format, args...))
		}
		if seen[a.Name] {
			return tables, g.run.at(a.Pos(), pgerr.New(pgerr.SyntaxError, "argument name \"%s\" used more than once", a.Name))
		}
		seen[a.Name] = true
		kind := columnar.Text
		if a.Name == "min" || a.Name == "max" {
			kind = columnar.Int4
		}
		v, err := g.run.argument(a.Value, columnar.Type{Kind: kind}, a.Name)
		if err != nil {
			return tables, err
		}
		if v.Null {
			return tables, wrong("%s must not be null", a.Name)
		}
		switch a.Name {
		case "min", "max":
			if v.I < 0 {
				return tables, wrong("%s must not be negative", a.Name)
			}
			if a.Name == "min" {
				g.hops.Min = int(v.I)
			} else {
				g.hops.Max = int(v.I)
			}
		case "direction":
			i := slices.Index([]string{"forward", "backward", "both"}, strings.ToLower(v.S))
			if i < 0 {
				return tables, wrong("direction is \"%s\": want forward, backward or both", v.S)
			}
			g.opt.Direction = graph.Direction(i)
		case "table", "from_table", "to_table":
			if g.graph.Find(v.S) < 0 {
				return tables, wrong("\"%s\" is no node table of the graph", v.S)
			}
			if a.Name != "to_table" {
				tables[0] = v.S
			}
			if a.Name != "from_table" {
				tables[1] = v.S
			}
		case "weight":
			if g.name != "shortest_path" {
				return tables, wrong("only shortest_path takes a weight")
			}
			g.opt.Weight = v.S
		default:
			return tables, g.run.at(a.Pos(), pgerr.New(pgerr.UndefinedFunction, "%s has no argument named \"%s\"", c.Name, a.Name).
				WithHint("There are min, max, direction, table, from_table, to_table and weight."))
		}
	}
	if g.opt.Weight != "" && (seen["min"] || seen["max"]) {
		return tables, g.run.at(c.Pos(), pgerr.New(pgerr.FeatureNotSupported, "a path of least weight cannot be bounded by its hops"))
	}
	if g.name == "neighbors" && g.hops.Max < g.hops.Min && !seen["max"] {
		g.hops.Max = g.hops.Min
	}
	return tables, nil
}

// keyOf returns the type of a node table's key.
func keyOf(t *columnar.Table) columnar.Type { return t.Schema().Columns[keyColumn(t)].Type }

// keyColumn returns the position of a node table's key, which has one column.
func keyColumn(t *columnar.Table) int {
	s := t.Schema()
	for _, k := range s.Constraints {
		if k.Kind == columnar.PrimaryKey {
			return slices.IndexFunc(s.Columns, func(c columnar.Column) bool { return c.ID == k.Columns[0] })
		}
	}
	return 0
}

// end adds the node that has a key: in the table that is named, or in the only one that has
// it.
func (g *graphCall) end(e ast.Expr, table string) error {
	found := -1
	var node graph.Node
	var refused error
	fits := 0
	for i, t := range g.graph.Nodes() {
		if table != "" && t.Schema().Name != table {
			continue
		}
		v, equal, err := g.run.keyValue(e, keyOf(t), g.name)
		if err != nil {
			refused = err
			continue // the key of another table may take it
		}
		if fits++; v.Null || !equal {
			continue
		}
		keys, err := t.Keys(g.run.ctx)
		if err != nil {
			return err
		}
		var rows [1]visibility.RowID
		if _, err := keys.Find(g.run.ctx, []columnar.Vec{expr.FromValues(keyOf(t), []columnar.Value{v})}, rows[:]); err != nil {
			return err
		}
		if rows[0] == columnar.NoRow {
			continue
		}
		if found >= 0 {
			return g.run.at(e.Pos(), pgerr.New(pgerr.InvalidParameterValue, "tables \"%s\" and \"%s\" both have the key",
				g.graph.Nodes()[found].Schema().Name, t.Schema().Name).WithHint("Say which is meant: table => '...'."))
		}
		found, node = i, graph.Node{Table: i, Row: rows[0]}
	}
	if fits == 0 && refused != nil {
		return refused
	}
	g.absent = g.absent || found < 0
	g.ends = append(g.ends, node)
	return nil
}

// rows runs the search and calls each with its rows.
func (g *graphCall) rows(each func(n int, cols []columnar.Vec) error) error {
	switch {
	case g.absent:
		return nil
	case graphFunctions[g.name] == 1:
		return g.reached(each)
	case g.name == "all_shortest_paths":
		for p, err := range g.graph.AllShortestPaths(g.run.ctx, g.ends[0], g.ends[1], g.hops, &g.opt) {
			if err == nil {
				err = g.path(p, each)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	var p graph.Path
	var found bool
	var err error
	if g.opt.Weight != "" {
		p, found, err = g.graph.WeightedShortestPath(g.run.ctx, g.ends[0], g.ends[1], &g.opt)
	} else {
		p, found, err = g.graph.ShortestPath(g.run.ctx, g.ends[0], g.ends[1], g.hops, &g.opt)
	}
	if err != nil || !found {
		return err
	}
	return g.path(p, each)
}

// reached gives nodes and their distances.
func (g *graphCall) reached(each func(n int, cols []columnar.Vec) error) error {
	nodes := make([]graph.Node, 0, expr.MaxRows)
	hops := make([]columnar.Value, 0, expr.MaxRows)
	flush := func() error {
		if len(nodes) == 0 {
			return nil
		}
		keys, err := g.keys(nodes)
		if err != nil {
			return err
		}
		err = each(len(nodes), []columnar.Vec{keys, expr.FromValues(columnar.Type{Kind: columnar.Int8}, hops)})
		nodes, hops = nodes[:0], hops[:0]
		return err
	}
	for r, err := range g.graph.Reachable(g.run.ctx, g.ends[0], g.hops, &g.opt) {
		if err != nil {
			return err
		}
		nodes = append(nodes, r.Node)
		hops = append(hops, columnar.Value{Type: columnar.Type{Kind: columnar.Int8}, I: int64(r.Hops)})
		if len(nodes) == expr.MaxRows {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// path gives one path.
func (g *graphCall) path(p graph.Path, each func(n int, cols []columnar.Vec) error) error {
	keys, err := g.keys(p.Nodes)
	if err != nil {
		return err
	}
	cols := g.columns()
	var text []byte
	for i := range p.Nodes {
		text = pgtext.AppendArrayElement(append(text, ','), keys.AppendText(nil, i, g.run.loc))
	}
	text[0] = '{'
	text = append(text, '}')
	list, status := columnar.AppendCanonical(nil, cols[1].Type, text, g.run.loc)
	if status != pgtext.OK {
		return columnar.TextError(status, cols[1].Type, text, g.run.loc)
	}
	row := []columnar.Vec{
		expr.FromValues(cols[0].Type, []columnar.Value{{Type: cols[0].Type, I: int64(p.Len())}}),
		expr.FromValues(cols[1].Type, []columnar.Value{{Type: cols[1].Type, S: string(list)}}),
	}
	if g.opt.Weight != "" {
		row = append(row, expr.FromValues(cols[2].Type, []columnar.Value{{Type: cols[2].Type, F: p.Weight}}))
	}
	return each(1, row)
}

// keys returns the keys of nodes, in the type of the result.
func (g *graphCall) keys(nodes []graph.Node) (columnar.Vec, error) {
	tables := g.graph.Nodes()
	if len(tables) == 1 {
		ids := make([]visibility.RowID, len(nodes))
		for i, n := range nodes {
			ids[i] = n.Row
		}
		return tables[0].Gather(ids, keyColumn(tables[0]))
	}
	values := make([]columnar.Value, len(nodes))
	for at, t := range tables {
		var ids []visibility.RowID
		var places []int
		for i, n := range nodes {
			if n.Table == at {
				ids, places = append(ids, n.Row), append(places, i)
			}
		}
		v, err := t.Gather(ids, keyColumn(t))
		if err != nil {
			return v, err
		}
		for k, i := range places {
			if keyOf(t) == g.key {
				values[i] = v.Value(k)
			} else {
				values[i] = columnar.Value{Type: g.key, S: string(v.AppendText(nil, k, g.run.loc))}
			}
		}
	}
	return expr.FromValues(g.key, values), nil
}
