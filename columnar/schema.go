package columnar

import (
	"encoding/binary"
	"slices"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Column is one column of a table.
type Column struct {
	ID         uint32 // given at creation, never used again for another column of the table
	Name       string
	Type       Type
	NotNull    bool
	HasDefault bool
	Default    string // SQL text of the default, for whoever evaluates it
	Missing    Value  // what rows older than the column hold; a zero Value is NULL
}

// ConstraintKind says what a Constraint demands.
type ConstraintKind uint8

// The constraints.
const (
	PrimaryKey ConstraintKind = 1
	Unique     ConstraintKind = 2
	Check      ConstraintKind = 3
)

// Constraint is a condition on the rows of a table.
type Constraint struct {
	Name    string
	Kind    ConstraintKind
	Columns []uint32 // IDs of the key columns, or of those a Check reads
	Expr    string   // SQL text of a Check
}

// Schema is the shape of a table. A Schema that a Table returned is immutable.
type Schema struct {
	ID          uint32
	Name        string
	Columns     []Column // ascending by ID: new columns come last
	Constraints []Constraint
	Rel         *Rel // what the rows are edges of; nil if they are no edges

	nextColumn uint32
	keyed      bool // of a load of edges, which has keys in place of row ids
}

// Lookup returns the position of the column called name, byte by byte, or -1.
func (s *Schema) Lookup(name string) int {
	return slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == name })
}

// position returns the position of the column with the given ID, or -1.
func (s *Schema) position(id uint32) int {
	return slices.IndexFunc(s.Columns, func(c Column) bool { return c.ID == id })
}

// Clone returns a copy that may be changed and handed to AlterTable.
func (s *Schema) Clone() *Schema {
	c := *s
	c.Columns = slices.Clone(s.Columns)
	c.Constraints = slices.Clone(s.Constraints)
	for i := range c.Constraints {
		c.Constraints[i].Columns = slices.Clone(c.Constraints[i].Columns)
	}
	return &c
}

// follows reports whether s can come after old as the schema of one table: columns
// that both have are of one type, and no column ID is used again.
func (s *Schema) follows(old *Schema) bool {
	if s.nextColumn < old.nextColumn {
		return false
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		at := old.position(c.ID)
		if (at >= 0 && old.Columns[at].Type != c.Type) || (at < 0 && c.ID <= old.nextColumn) {
			return false
		}
	}
	return true
}

// prepare checks names and types and gives every new column an ID.
func (s *Schema) prepare() error {
	s.keyed = false
	if len(s.Columns) > MaxColumns {
		return pgerr.New(pgerr.TooManyColumns, "tables can have at most %d columns", MaxColumns).
			WithDetail("Table \"%s\" would have %d.", s.Name, len(s.Columns))
	}
	seen := make(map[string]bool, len(s.Columns))
	for i := range s.Columns {
		c := &s.Columns[i]
		if seen[c.Name] {
			return pgerr.New(pgerr.DuplicateColumn, "column \"%s\" specified more than once", c.Name)
		}
		seen[c.Name] = true
		if !c.Type.Valid() {
			return pgerr.New(pgerr.UndefinedObject, "column \"%s\" has no storable type", c.Name)
		}
		if c.ID == 0 {
			s.nextColumn++
			c.ID = s.nextColumn
		}
		if i > 0 && c.ID <= s.Columns[i-1].ID {
			return pgerr.New(pgerr.InvalidTableDefinition, "column \"%s\" must come behind the columns older than it", c.Name)
		}
		s.nextColumn = max(s.nextColumn, c.ID)
		if err := c.prepareMissing(); err != nil {
			return err
		}
	}
	for _, k := range s.Constraints {
		if k.Kind < PrimaryKey || k.Kind > Check {
			return pgerr.New(pgerr.InvalidTableDefinition, "constraint \"%s\" has no kind", k.Name)
		}
	}
	return nil
}

// prepareMissing checks that Missing can be stored as a value of the column's type.
func (c *Column) prepareMissing() error {
	m := &c.Missing
	if m.Null || m.Type == (Type{}) {
		*m = Value{Type: c.Type, Null: true}
		return nil
	}
	if m.Type.stored() != c.Type.stored() || (c.Type.Kind == UUID && !c.Type.Array && len(m.S) != 16) {
		return pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" is of type %s but the value of its older rows is of type %s", c.Name, c.Type.Name(), m.Type.Name())
	}
	m.Type = c.Type
	return nil
}

// prepareAlter checks that s can take the place of old: a column with an ID is one of
// old's, and its values are stored as they were.
func (s *Schema) prepareAlter(old *Schema) error {
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.ID == 0 {
			continue
		}
		at := old.position(c.ID)
		if at < 0 {
			return pgerr.New(pgerr.InvalidTableDefinition, "column \"%s\" has an ID that table \"%s\" does not have", c.Name, old.Name)
		}
		if was := old.Columns[at].Type; was.stored() != c.Type.stored() {
			return pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" cannot become %s: its rows hold %s", c.Name, c.Type.Name(), was.Name())
		}
	}
	return nil
}

func appendSchema(b []byte, s *Schema) []byte {
	b = binary.AppendUvarint(b, uint64(s.ID))
	b = appendString(b, s.Name)
	b = binary.AppendUvarint(b, uint64(s.nextColumn))
	b = binary.AppendUvarint(b, uint64(len(s.Columns)))
	for i := range s.Columns {
		c := &s.Columns[i]
		b = binary.AppendUvarint(b, uint64(c.ID))
		b = appendString(b, c.Name)
		b = appendType(b, c.Type)
		b = appendBool(b, c.NotNull)
		b = appendBool(b, c.HasDefault)
		b = appendString(b, c.Default)
		b = appendValue(b, c.Missing)
	}
	b = binary.AppendUvarint(b, uint64(len(s.Constraints)))
	for _, k := range s.Constraints {
		b = append(b, byte(k.Kind))
		b = appendString(b, k.Name)
		b = appendString(b, k.Expr)
		b = binary.AppendUvarint(b, uint64(len(k.Columns)))
		for _, id := range k.Columns {
			b = binary.AppendUvarint(b, uint64(id))
		}
	}
	return b
}

func (d *decoder) schema() *Schema {
	s := &Schema{ID: uint32(d.int(1<<32 - 1)), Name: d.string(), nextColumn: uint32(d.int(1<<32 - 1))}
	last := uint32(0)
	for range d.count(14) {
		c := Column{ID: uint32(d.int(1<<32 - 1)), Name: d.string(), Type: d.typ()}
		c.NotNull = d.byte() == 1
		c.HasDefault = d.byte() == 1
		c.Default = d.string()
		c.Missing = d.value(c.Type)
		if c.ID > s.nextColumn || c.ID <= last {
			d.fail()
		}
		last = c.ID
		s.Columns = append(s.Columns, c)
	}
	for range d.count(4) {
		k := Constraint{Kind: ConstraintKind(d.byte()), Name: d.string(), Expr: d.string()}
		for range d.count(1) {
			k.Columns = append(k.Columns, uint32(d.int(1<<32-1)))
		}
		if k.Kind < PrimaryKey || k.Kind > Check {
			d.fail()
		}
		s.Constraints = append(s.Constraints, k)
	}
	if len(s.Columns) > MaxColumns || s.ID == 0 {
		d.fail()
	}
	return s
}
