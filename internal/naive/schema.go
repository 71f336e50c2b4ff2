package naive

import "unicode/utf8"

// Kind is the kind of a type, by its number in the format.
type Kind byte

// The kinds of the format.
const (
	Bool Kind = 1 + iota
	Int2
	Int4
	Int8
	Float4
	Float8
	NumericPS
	Numeric
	Text
	Varchar
	Bytea
	Date
	Time
	Timestamp
	TimestampTZ
	UUID
	JSON
)

// Type is the type of a column.
type Type struct {
	Kind      Kind
	Precision int
	Scale     int
	Length    int // of a varchar, in characters; 0 is no limit
}

// Column is a column of a table.
type Column struct {
	ID         uint32
	Name       string
	Type       Type
	NotNull    bool
	HasDefault bool
	Default    string
	Missing    any // what rows hold whose fragment has no chunk of the column
}

// Constraint is a primary key (1), a unique constraint (2) or a check (3).
type Constraint struct {
	Kind       byte
	Name       string
	Expression string
	Columns    []uint32
}

// Schema is what a table is.
type Schema struct {
	ID          uint32
	Name        string
	HighestID   uint32 // of a column, ever
	Columns     []Column
	Constraints []Constraint
}

// column returns the column with the given id, or nil.
func (s *Schema) column(id uint32) *Column {
	for i := range s.Columns {
		if s.Columns[i].ID == id {
			return &s.Columns[i]
		}
	}
	return nil
}

// width returns the bytes of a fixed-width value; 0 for bool and variable-length types.
func (t Type) width() int {
	switch t.Kind {
	case Int2:
		return 2
	case Int4, Float4, Date:
		return 4
	case Int8, Float8, Time, Timestamp, TimestampTZ:
		return 8
	case UUID:
		return 16
	case NumericPS:
		switch {
		case t.Precision <= 9:
			return 4
		case t.Precision <= 18:
			return 8
		}
		return 16
	}
	return 0
}

func (c *cursor) parseType() Type {
	b := c.bytes(8)
	if b == nil {
		return Type{}
	}
	t := Type{Kind: Kind(b[0]), Precision: int(b[1]), Scale: int(b[2]), Length: int(u32(b[4:]))}
	numeric := t.Kind == NumericPS
	switch {
	case t.Kind < Bool || t.Kind > JSON, b[3] != 0,
		numeric && (t.Precision < 1 || t.Precision > 38 || t.Scale > t.Precision),
		!numeric && (t.Precision != 0 || t.Scale != 0),
		t.Kind != Varchar && t.Length != 0, t.Length >= 1<<31:
		c.fail("type % x", b)
	}
	return t
}

func (c *cursor) name(what string) string {
	s := c.string()
	if !utf8.ValidString(s) {
		c.fail("%s is not UTF-8: %q", what, s)
	}
	return s
}

func (c *cursor) schema() Schema {
	s := Schema{ID: c.id("table id"), Name: c.name("name of a table")}
	s.HighestID = uint32(c.limited(1<<32-1, "highest column id"))
	n := c.limited(65535, "columns")
	names := map[string]bool{}
	before := uint32(0)
	for range n {
		if c.err != nil {
			return s
		}
		col := Column{ID: c.id("column id"), Name: c.name("name of a column"), Type: c.parseType()}
		col.NotNull, col.HasDefault = c.bool(), c.bool()
		col.Default = c.string()
		col.Missing = c.value(col.Type)
		if col.ID <= before || col.ID > s.HighestID {
			c.fail("column id %d after %d, highest %d", col.ID, before, s.HighestID)
		}
		if names[col.Name] {
			c.fail("two columns %q", col.Name)
		}
		before = col.ID
		names[col.Name] = true
		s.Columns = append(s.Columns, col)
	}
	for range c.count("constraints") {
		k := Constraint{Kind: c.u8(), Name: c.name("name of a constraint"), Expression: c.string()}
		if k.Kind < 1 || k.Kind > 3 {
			c.fail("constraint of kind %d", k.Kind)
		}
		for range c.count("columns of a constraint") {
			id := c.id("column id")
			if s.column(id) == nil {
				c.fail("constraint %q on column %d", k.Name, id)
			}
			k.Columns = append(k.Columns, id)
		}
		if c.err != nil {
			return s
		}
		s.Constraints = append(s.Constraints, k)
	}
	return s
}
