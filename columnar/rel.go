package columnar

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Rel makes a table a rel table: its rows are edges from rows of one node table to rows of
// one node table, which may be the same. Its first two columns, "from" and "to", hold
// their row ids; properties follow. A node table is any table with a primary key of one
// column.
//
// Edges are rows like others: ids, deletes, snapshots and folding are those of every
// table. Beside the columns a rel table has an adjacency; see AdjacencyRun.
type Rel struct {
	From, To uint32 // IDs of the node tables
	Group    string // name of the rel group that the table is one pair of; "" if none
}

// IDs and positions of the columns that hold the ends of an edge.
const (
	fromColumn = 1
	toColumn   = 2

	fromAt = 0
	toAt   = 1
)

// maxNodes is how many row ids a node table of edges may have given: an adjacency has 32
// bits for each.
const maxNodes = 1 << 32

// end is one of the two ends of the edges of a rel table.
type end uint8

const (
	fromEnd end = fromAt
	toEnd   end = toAt
)

// String returns the name of the end's column.
func (e end) String() string {
	if e == fromEnd {
		return "from"
	}
	return "to"
}

// node returns the ID of the node table at an end.
func (r *Rel) node(e end) uint32 {
	if e == fromEnd {
		return r.From
	}
	return r.To
}

// constraint returns the name under which errors name the reference of an end, which is
// the one that PostgreSQL would give it.
func (e end) constraint(rel string) string { return rel + "_" + e.String() + "_fkey" }

// endColumns returns the first two columns of a rel table with ends of the given types.
func endColumns(from, to Type) []Column {
	return []Column{
		{ID: fromColumn, Name: fromEnd.String(), Type: from, NotNull: true, Missing: Value{Type: from, Null: true}},
		{ID: toColumn, Name: toEnd.String(), Type: to, NotNull: true, Missing: Value{Type: to, Null: true}},
	}
}

// primaryKey returns the table's primary key; nil if it has none.
func (s *Schema) primaryKey() *Constraint {
	i := slices.IndexFunc(s.Constraints, func(k Constraint) bool { return k.Kind == PrimaryKey })
	if i < 0 {
		return nil
	}
	return &s.Constraints[i]
}

// nodeKey returns the column by which edges name the rows of a node table.
func (s *Schema) nodeKey() (*Column, error) {
	k := s.primaryKey()
	if k == nil {
		return nil, pgerr.New(pgerr.InvalidForeignKey, "there is no primary key for referenced table \"%s\"", s.Name).
			WithHint("Edges name their ends by primary key: create the node table with one.")
	}
	key, err := s.keyColumns(k)
	if err != nil {
		return nil, err
	}
	if len(key) != 1 {
		return nil, pgerr.New(pgerr.FeatureNotSupported, "referenced table \"%s\" has a primary key of %d columns", s.Name, len(key)).
			WithHint("A node table's primary key has one column.")
	}
	return key[0], nil
}

// prepareRel makes s, which has the properties of a rel table to be created, the schema of
// that table.
func (d *draft) prepareRel(s *Schema) error {
	for _, e := range []end{fromEnd, toEnd} {
		n := d.tableOf(s.Rel.node(e))
		switch {
		case n == nil:
			return pgerr.New(pgerr.UndefinedTable, "rel table \"%s\" is %s table %d, which does not exist", s.Name, e, s.Rel.node(e))
		case n.schema.Rel != nil:
			return pgerr.New(pgerr.WrongObjectType, "\"%s\" is a rel table: edges have rows of node tables at their ends", n.schema.Name)
		}
		if _, err := n.schema.nodeKey(); err != nil {
			return err
		}
	}
	for _, k := range s.Constraints {
		if k.Kind != Check {
			return pgerr.New(pgerr.FeatureNotSupported, "constraint \"%s\" of rel table \"%s\": unique edges are not supported", k.Name, s.Name)
		}
	}
	for i := range s.Columns {
		if c := &s.Columns[i]; c.ID != 0 {
			return fmt.Errorf("columnar: property %s of new rel table %s has an ID", c.Name, s.Name)
		}
	}
	id := Type{Kind: Int8}
	s.Columns = slices.Concat(endColumns(id, id), s.Columns)
	s.nextColumn = toColumn
	return nil
}

// holdsEdges reports whether the columns of s begin as those of a rel table do.
func (s *Schema) holdsEdges() bool {
	if len(s.Columns) < 2 {
		return false
	}
	for i, c := range s.Columns[:2] {
		if c.ID != uint32(fromColumn+i) || c.Type != (Type{Kind: Int8}) || !c.NotNull {
			return false
		}
	}
	return true
}

// tableOf returns the table with the given ID; nil if there is none.
func (v *version) tableOf(id uint32) *Table {
	i := slices.IndexFunc(v.tables, func(t *Table) bool { return t != nil && t.schema.ID == id })
	if i < 0 {
		return nil
	}
	return v.tables[i]
}

// rels returns the rel tables that have the table with the given ID at an end.
func (v *version) rels(id uint32) []*Table {
	var out []*Table
	for _, t := range v.tables {
		if t != nil && t.schema.Rel != nil && (t.schema.Rel.From == id || t.schema.Rel.To == id) {
			out = append(out, t)
		}
	}
	return out
}

// dependents returns the rel tables that keep the table with the given ID from being dropped:
// all that have it at an end; or from being truncated: those that have given row ids, as
// the others name no row.
func (v *version) dependents(id uint32, truncate bool) []*Table {
	rels := v.rels(id)
	if truncate {
		rels = slices.DeleteFunc(rels, func(t *Table) bool { return t.NextRow() == 0 })
	}
	return rels
}

// unreferenced returns an error if a rel table needs the table in a slot for what is to be
// done with it.
func (d *draft) unreferenced(slot int, what string, truncate bool) error {
	s := d.tables[slot].schema
	rels := d.dependents(s.ID, truncate)
	if len(rels) == 0 {
		return nil
	}
	return pgerr.New(pgerr.DependentObjects, "cannot %s table %s because other objects depend on it", what, s.Name).
		WithDetail("rel table %s depends on table %s", rels[0].schema.Name, s.Name).
		WithHint("Drop the rel table first.")
}

// alterRel checks that c may take the place of the schema of the table in a slot, as far as
// edges go: a rel table keeps its ends, a node table its key.
func (d *draft) alterRel(slot int, c *Schema) error {
	old := d.tables[slot].schema
	if old.Rel != nil {
		c.Rel = old.Rel
		if !c.holdsEdges() || c.Columns[fromAt].Name != fromEnd.String() || c.Columns[toAt].Name != toEnd.String() {
			return pgerr.New(pgerr.InvalidTableDefinition, "columns \"from\" and \"to\" of rel table \"%s\" cannot change", old.Name)
		}
		for _, k := range c.Constraints {
			if k.Kind != Check {
				return pgerr.New(pgerr.FeatureNotSupported, "constraint \"%s\" of rel table \"%s\": unique edges are not supported", k.Name, old.Name)
			}
		}
		return nil
	}
	if c.Rel != nil {
		return pgerr.New(pgerr.WrongObjectType, "table \"%s\" cannot become a rel table", old.Name)
	}
	was, is := old.primaryKey(), c.primaryKey()
	if was == nil || (is != nil && slices.Equal(was.Columns, is.Columns) && c.position(was.Columns[0]) >= 0) {
		return nil
	}
	return d.unreferenced(slot, "change the primary key of", false)
}

// loadSchema returns the schema that rows for the table are loaded with; see
// Snapshot.LoadSchema.
func (v *version) loadSchema(name string) (*Schema, error) {
	t, err := v.table(name)
	if err != nil {
		return nil, err
	}
	if t.schema.Rel == nil {
		return t.schema, nil
	}
	var types [2]Type
	for _, e := range []end{fromEnd, toEnd} {
		key, err := v.endKey(t.schema.Rel, e)
		if err != nil {
			return nil, err
		}
		types[e] = key.Type
	}
	s := t.schema.Clone()
	copy(s.Columns, endColumns(types[fromEnd], types[toEnd]))
	s.keyed = true
	return s, nil
}

// endKey returns the key column of the node table at an end.
func (v *version) endKey(r *Rel, e end) (*Column, error) {
	n := v.tableOf(r.node(e))
	if n == nil {
		return nil, corrupt("log", -1, "a rel table is %s table %d, which is not there", e, r.node(e))
	}
	return n.schema.nodeKey()
}

// LoadSchema returns the schema to load rows of the table called name with: the table's,
// but for a rel table, whose loads have in "from" and "to" the primary keys of the nodes
// in place of their row ids.
func (s *Snapshot) LoadSchema(name string) (*Schema, error) { return s.ref.Value().loadSchema(name) }

// LoadSchema is Snapshot.LoadSchema for the tables as the transaction sees them.
func (t *Txn) LoadSchema(name string) (*Schema, error) {
	if t.done {
		return nil, ErrTxnDone
	}
	return t.draft.loadSchema(name)
}

// Rels returns the rel tables that have the table called name at an end.
func (s *Snapshot) Rels(name string) ([]*Table, error) { return s.ref.Value().relsOf(name) }

// Rels is Snapshot.Rels for the tables as the transaction sees them.
func (t *Txn) Rels(name string) ([]*Table, error) {
	if t.done {
		return nil, ErrTxnDone
	}
	return t.draft.relsOf(name)
}

func (v *version) relsOf(name string) ([]*Table, error) {
	t, err := v.table(name)
	if err != nil {
		return nil, err
	}
	return v.rels(t.schema.ID), nil
}

// appendRel writes what a schema does not say of a rel table.
//
// Format: docs/FORMAT.md#rel-table.
func appendRel(b []byte, r *Rel) []byte {
	b = binary.AppendUvarint(b, uint64(r.From))
	b = binary.AppendUvarint(b, uint64(r.To))
	return appendString(b, r.Group)
}

func (d *decoder) rel() *Rel {
	return &Rel{From: uint32(d.int(1<<32 - 1)), To: uint32(d.int(1<<32 - 1)), Group: d.string()}
}

// relFits reports whether a rel table of schema s can be in the draft: its ends are node
// tables.
func (d *draft) relFits(s *Schema, r *Rel) bool {
	for _, e := range []end{fromEnd, toEnd} {
		n := d.tableOf(r.node(e))
		if n == nil || n.schema.Rel != nil {
			return false
		}
	}
	return s.holdsEdges()
}

// nodeRows returns how many row ids the node tables at both ends of a rel table have given.
func (v *version) nodeRows(r *Rel) (rows [2]uint64) {
	for _, e := range []end{fromEnd, toEnd} {
		if n := v.tableOf(r.node(e)); n != nil {
			rows[e] = uint64(n.NextRow())
		}
	}
	return rows
}

// MissingError says which row of a load of edges has an end that is not there. It wraps
// the 23503 error that a statement ends with.
type MissingError struct {
	Err *pgerr.Error
	MissingEnd
}

// MissingEnd is an end of an edge that names no row.
type MissingEnd struct {
	Row    int64  // position in the load
	Column string // "from" or "to"
	Key    string // as text
}

// Error returns the message of the wrapped error.
func (e *MissingError) Error() string { return e.Err.Error() }

// Unwrap returns the 23503 error.
func (e *MissingError) Unwrap() error { return e.Err }

// errMissing returns the error of an edge whose end is not in its node table.
func errMissing(rel *Schema, e end, node *Schema, m MissingEnd) error {
	err := pgerr.New(pgerr.ForeignKeyViolation, "insert or update on table \"%s\" violates foreign key constraint \"%s\"", rel.Name, e.constraint(rel.Name)).
		WithDetail("Key (%s)=(%s) is not present in table \"%s\".", m.Column, m.Key, node.Name)
	err.Table = rel.Name
	return &MissingError{Err: err, MissingEnd: m}
}

// errManyNodes says that a node table has outgrown what edges can name.
func errManyNodes(node *Schema) error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "table \"%s\" has given more than %d row ids, which edges cannot name", node.Name, uint64(maxNodes))
}
