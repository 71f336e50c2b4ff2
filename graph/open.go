package graph

import (
	"slices"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// Source is what a graph is opened on: a *columnar.Snapshot, or a *columnar.Txn, whose own
// changes the graph then sees up to the moment of Open.
type Source interface {
	Tables() []*columnar.Table
	Adjacency(rel string) (*columnar.Adjacency, error)
}

// Open returns the graph of rel tables and of the node tables at their ends. A name is that of
// a rel table, or of a rel group for all tables of the group. The node tables are in the
// order in which the rel tables first name them.
//
// 42P01 if nothing has such a name, 42809 if it is no rel table, 54000 if the node tables have
// more than about 4 billion rows together.
func Open(src Source, rels ...string) (*Graph, error) {
	if len(rels) == 0 {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "graph: no rel table is named")
	}
	var names []string
	for _, name := range rels {
		for _, n := range resolve(src, name) {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	var nodes []nodeSpace
	place := func(t *columnar.Table) int {
		i := slices.IndexFunc(nodes, func(s nodeSpace) bool { return s.table.Schema().ID == t.Schema().ID })
		if i < 0 {
			i = len(nodes)
			nodes = append(nodes, nodeSpace{table: t, vis: t.Visibility()})
		}
		return i
	}
	spaces := make([]relSpace, len(names))
	for i, name := range names {
		a, err := src.Adjacency(name)
		if err != nil {
			return nil, err
		}
		from := place(a.From)
		spaces[i] = relSpace{table: a.Rel, vis: a.Rel.Visibility(), from: from, to: place(a.To), runs: a.Runs}
	}
	return build(nodes, spaces)
}

// resolve returns the tables that a name stands for. A name that is neither a table nor a
// group stands for itself, so that whoever looks for the table finds it missing.
func resolve(src Source, name string) (tables []string) {
	for _, t := range src.Tables() {
		switch s := t.Schema(); {
		case s.Name == name:
			return []string{name}
		case s.Rel != nil && s.Rel.Group == name && name != "":
			tables = append(tables, s.Name)
		}
	}
	if tables == nil {
		tables = []string{name}
	}
	return tables
}

// Find returns the position in Nodes of the node table called name, or -1.
func (g *Graph) Find(name string) int {
	return slices.IndexFunc(g.nodes, func(s nodeSpace) bool { return s.table.Schema().Name == name })
}
