package sql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// A rel table with one pair of node tables has the name of the statement. One with several
// is a rel group: a table for each pair, called group_from_to. The group's name stands for
// all of them where a statement can be about several tables, which are DROP, TRUNCATE and
// the table functions on graphs, and COPY FROM takes it with the options FROM and TO.

// createRelTable runs CREATE REL TABLE.
func (r *run) createRelTable(stmt *ast.CreateRelTable) (*Result, error) {
	if err := r.schemaOf(stmt.Table); err != nil {
		return nil, err
	}
	name := stmt.Table.Name
	base := &columnar.Schema{Name: name}
	b := tableBuilder{run: r, schema: base, stmt: &ast.CreateTable{Base: stmt.Base, Table: stmt.Table, Columns: stmt.Columns}, seen: map[string]bool{}}
	for i := range stmt.Columns {
		d := &stmt.Columns[i]
		if d.PrimaryKey || d.Unique {
			return nil, r.at(d.Pos(), pgerr.New(pgerr.FeatureNotSupported, "properties of edges cannot be keys").
				WithHint("Two nodes may have any number of edges between them."))
		}
		if err := b.column(d); err != nil {
			return nil, err
		}
	}
	if err := b.constraints(); err != nil {
		return nil, err
	}
	err := r.write(func(txn *columnar.Txn) error {
		_, err := txn.Table(name)
		if exists := err == nil || len(groupTables(txn, name)) > 0; exists && stmt.IfNotExists {
			r.notice("relation \"%s\" already exists, skipping", name)
			return nil
		} else if exists {
			return r.at(stmt.Table.Pos(), pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists", name))
		}
		for _, pair := range stmt.Pairs {
			from, err := r.stored(txn, pair.From)
			if err != nil {
				return err
			}
			to, err := r.stored(txn, pair.To)
			if err != nil {
				return err
			}
			s := base.Clone()
			s.Rel = &columnar.Rel{From: from.Schema().ID, To: to.Schema().ID}
			if len(stmt.Pairs) > 1 {
				s.Rel.Group = name
				s.Name = fmt.Sprintf("%s_%s_%s", name, from.Schema().Name, to.Schema().Name)
			}
			if err := txn.CreateTable(s); err != nil {
				return r.at(pair.From.Pos(), pgerr.From(err))
			}
			checks := slices.Clone(b.checks)
			for i, c := range checks { // two columns came in front
				checks[i].columns = slices.Clone(c.columns)
				for k := range c.columns {
					checks[i].columns[k] += len(s.Columns) - len(base.Columns)
				}
			}
			if err := r.addKeys(txn, s, nil, checks); err != nil {
				return err
			}
		}
		return nil
	})
	return command("CREATE REL TABLE"), err
}

// groupTables returns the rel tables of a group.
func groupTables(v view, group string) (tables []*columnar.Table) {
	for _, t := range v.Tables() {
		if rel := t.Schema().Rel; rel != nil && rel.Group == group {
			tables = append(tables, t)
		}
	}
	return tables
}

// errGroup is the error for a rel group where one table is wanted.
func errGroup(name string, pairs []*columnar.Table) *pgerr.Error {
	names := make([]string, len(pairs))
	for i, t := range pairs {
		names[i] = t.Schema().Name
	}
	return pgerr.New(pgerr.WrongObjectType, "\"%s\" is a rel group of %d tables", name, len(pairs)).
		WithHint("Name one of them: %s. COPY takes the options FROM and TO.", strings.Join(names, ", "))
}

// named returns the tables that a name stands for: one, or those of a rel group.
func (r *run) named(txn *columnar.Txn, name ast.TableName) ([]*columnar.Table, error) {
	if name.Schema == "" || name.Schema == "public" {
		if _, err := txn.Table(name.Name); pgerr.Code(err) == pgerr.UndefinedTable {
			if pairs := groupTables(txn, name.Name); len(pairs) > 0 {
				return pairs, nil
			}
		}
	}
	t, err := r.stored(txn, name)
	return []*columnar.Table{t}, err
}

// namedAll returns the tables that names stand for: rel tables first, since they go before
// the nodes at their ends. With ifExists, names of nothing are passed over.
func (r *run) namedAll(txn *columnar.Txn, names []ast.TableName, ifExists bool) (tables []*columnar.Table, err error) {
	for _, name := range names {
		list, err := r.named(txn, name)
		if ifExists && pgerr.Code(err) == pgerr.UndefinedTable {
			r.notice("table \"%s\" does not exist, skipping", name.Name)
			continue
		}
		if err != nil {
			return nil, err
		}
		tables = append(tables, list...)
	}
	slices.SortStableFunc(tables, func(a, b *columnar.Table) int {
		switch isRel := a.Schema().Rel != nil; {
		case isRel == (b.Schema().Rel != nil):
			return 0
		case isRel:
			return -1
		}
		return 1
	})
	return tables, nil
}

// cascading calls do with the name of a table; cascade says with those of the rel tables that
// have it at an end before, after a notice, which is a format of the name.
func (r *run) cascading(txn *columnar.Txn, t *columnar.Table, cascade bool, notice string, do func(name string) error) error {
	name := t.Schema().Name
	if cascade && t.Schema().Rel == nil {
		rels, err := txn.Rels(name)
		if err != nil {
			return err
		}
		for _, rel := range rels {
			r.notice(notice, rel.Schema().Name)
			if err := do(rel.Schema().Name); err != nil {
				return err
			}
		}
	}
	return do(name)
}

// relEnds are the node tables that the options FROM and TO of a COPY name; empty where they
// do not.
type relEnds [2]string

// relEnds takes the options that choose a table of a rel group out of those of a COPY FROM.
func (r *run) relEnds(list []ast.Option) (ends relEnds, rest []ast.Option, err error) {
	for _, o := range list {
		i := 0
		switch strings.ToLower(o.Name) {
		case "to":
			i = 1
			fallthrough
		case "from":
			if ends[i] != "" {
				return ends, nil, r.at(o.Pos(), pgerr.New(pgerr.SyntaxError, "conflicting or redundant options"))
			}
			if o.Value.Kind != ast.WordValue && o.Value.Kind != ast.StringValue {
				return ends, nil, r.at(o.Pos(), pgerr.New(pgerr.SyntaxError, "option \"%s\" requires the name of a node table", o.Name))
			}
			ends[i] = o.Value.Text
		default:
			rest = append(rest, o)
		}
	}
	return ends, rest, nil
}

// copyTable returns the table of a COPY FROM.
func (r *run) copyTable(v view, stmt *ast.Copy, ends relEnds) (*columnar.Table, error) {
	if ends == (relEnds{}) {
		return r.table(v, stmt.Table)
	}
	pairs := groupTables(v, stmt.Table.Name)
	if len(pairs) == 0 { // a table of one pair may be copied into by its ends, too
		t, err := r.stored(v, stmt.Table)
		if err != nil {
			return nil, err
		}
		pairs = []*columnar.Table{t}
	}
	var fit []*columnar.Table
	for _, t := range pairs {
		if hasEnds(v, t, ends) {
			fit = append(fit, t)
		}
	}
	if len(fit) != 1 {
		return nil, r.at(stmt.Table.Pos(), pgerr.New(pgerr.InvalidParameterValue,
			"%d tables of \"%s\" go from \"%s\" to \"%s\"", len(fit), stmt.Table.Name, ends[0], ends[1]).
			WithHint("%s", errGroup(stmt.Table.Name, pairs).Hint))
	}
	return v.Keyed(fit[0].Schema().Name)
}

// hasEnds reports whether a rel table has the named node tables at its ends; an empty name
// is any.
func hasEnds(v view, t *columnar.Table, ends relEnds) bool {
	rel := t.Schema().Rel
	if rel == nil {
		return false
	}
	for i, id := range []uint32{rel.From, rel.To} {
		if ends[i] == "" {
			continue
		}
		if n, err := v.Table(ends[i]); err != nil || n.Schema().ID != id {
			return false
		}
	}
	return true
}
