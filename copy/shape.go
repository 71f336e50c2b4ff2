package copy

import (
	"slices"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// Target is the table that a COPY FROM fills.
type Target struct {
	Schema  *columnar.Schema
	Columns []int // schema positions in the order of the input's fields; nil for all

	// Defaults are the evaluated defaults by schema position, NULL where there is
	// none; nil if no column has one.
	Defaults []columnar.Value

	// Location is the session's time zone: what a timestamptz without one is in. nil
	// is UTC.
	Location *time.Location

	// Check tests the CHECK constraints of rows from to to-1 of w, which are complete,
	// and returns the first row that fails one and its error, or to and nil. It is called
	// by several goroutines at once, on the rows of one batch. nil if there are none.
	Check func(w *columnar.FragmentWriter, from, to int) (row int, err error)

	// Where is the WHERE of the statement, nil if there is none. It is called by several
	// goroutines at once.
	Where FilterFunc
}

// field is one field of the input's records.
type field struct {
	pos        int // in the schema
	name       string
	typ        columnar.Type
	notNull    bool
	emptyNull  bool // an empty field without quotes is NULL
	keepNull   bool // FORCE_NOT_NULL
	forceNull  bool // FORCE_NULL
	careful    bool // a marker looks like a value: every field goes the slow way
	hasDefault bool
	dflt       columnar.Value
}

// constant is a column that the input does not fill.
type constant struct {
	pos     int
	name    string
	value   columnar.Value
	notNull bool // and the value is NULL: no row can be stored
}

// shape is what the workers of one COPY FROM know about table and options. Immutable.
type shape struct {
	schema   *columnar.Schema
	fields   []field
	consts   []constant
	null     string
	marker   string // of DEFAULT
	hasMark  bool
	text     bool // some field takes any bytes, so encoding is checked
	location *time.Location
	check    func(w *columnar.FragmentWriter, from, to int) (int, error)
	onError  OnError
	filter   FilterFunc
	binary   bool
	widths   []int32 // of the fields, if the input is binary and all are fixed
}

// newShape resolves columns and options against the table.
func newShape(t *Target, o *FromOptions) (*shape, error) {
	positions, err := columnPositions(t.Schema, t.Columns)
	if err != nil {
		return nil, err
	}
	sh := &shape{
		schema: t.Schema, fields: make([]field, len(positions)), null: o.Null, marker: o.dflt,
		hasMark: o.hasDefault, location: t.Location, check: t.Check, onError: o.OnError, filter: t.Where,
	}
	if sh.location == nil {
		sh.location = time.UTC
	}
	// Bytes that are no text are no value that a type does not take: they end the COPY.
	sh.text = o.OnError != ErrorStop
	listed := make([]bool, len(t.Schema.Columns))
	for i, pos := range positions {
		listed[pos] = true
		sh.fields[i] = sh.newField(pos, t.Defaults, o)
		switch k := sh.fields[i].typ.Kind; {
		case sh.fields[i].typ.Array, k == columnar.Text, k == columnar.Varchar, k == columnar.Bytea, k == columnar.JSON:
			sh.text = true
		}
	}
	for pos, is := range listed {
		if !is {
			c := &t.Schema.Columns[pos]
			k := constant{pos: pos, name: c.Name, value: defaultOf(t.Schema, t.Defaults, pos)}
			k.notNull = c.NotNull && k.value.Null
			sh.consts = append(sh.consts, k)
		}
	}
	for _, force := range []struct {
		set   columnSet
		name  string
		apply func(f *field)
	}{
		{o.forceNotNull, "FORCE_NOT_NULL", func(f *field) { f.keepNull, f.emptyNull = true, false }},
		{o.forceNull, "FORCE_NULL", func(f *field) { f.forceNull = true }},
	} {
		chosen, err := force.set.resolve(t.Schema, positions, force.name)
		if err != nil {
			return nil, err
		}
		for _, i := range chosen {
			force.apply(&sh.fields[i])
		}
	}
	if sh.binary = o.Format == "binary"; sh.binary {
		if len(sh.fields) > maxTupleFields {
			return nil, errTooWide(len(sh.fields))
		}
		sh.widths = sh.tupleWidths()
	}
	return sh, nil
}

func (sh *shape) newField(pos int, defaults []columnar.Value, o *FromOptions) field {
	c := &sh.schema.Columns[pos]
	f := field{pos: pos, name: c.Name, typ: c.Type, notNull: c.NotNull, emptyNull: o.Null == ""}
	if f.hasDefault = c.HasDefault; f.hasDefault {
		f.dflt = defaultOf(sh.schema, defaults, pos)
	}
	f.careful = !c.Type.Variable() && (!inert(o.Quote) ||
		o.Null != "" && sh.accepts(c.Type, o.Null) || o.hasDefault && sh.accepts(c.Type, o.dflt))
	return f
}

// inert reports whether no value of a fixed-width type can hold c, so that a field which
// a parser takes as it stands has no quote in it.
func inert(c byte) bool { return strings.IndexByte("\"'|~`\\^$", c) >= 0 }

// accepts reports whether text is a value of type t.
func (sh *shape) accepts(t columnar.Type, text string) bool {
	c := columnar.ColumnBuf{Type: t, Fixed: make([]byte, t.Width()), Bits: make([]uint64, 1), Offsets: make([]int32, 2)}
	p := parser{location: sh.location}
	return p.store(&c, 0, []byte(text)) == ok
}

func defaultOf(s *columnar.Schema, defaults []columnar.Value, pos int) columnar.Value {
	if defaults == nil {
		return columnar.Value{Type: s.Columns[pos].Type, Null: true}
	}
	return defaults[pos]
}

// columnPositions checks a column list of schema positions; nil stands for all.
func columnPositions(s *columnar.Schema, list []int) ([]int, error) {
	if list == nil {
		list = make([]int, len(s.Columns))
		for i := range list {
			list[i] = i
		}
		return list, nil
	}
	seen := make([]bool, len(s.Columns))
	for _, pos := range list {
		if pos < 0 || pos >= len(s.Columns) {
			return nil, errInternal("column %d of table \"%s\", which has %d", pos, s.Name, len(s.Columns))
		}
		if seen[pos] {
			return nil, pgerr.New(pgerr.DuplicateColumn, "column \"%s\" specified more than once", s.Columns[pos].Name)
		}
		seen[pos] = true
	}
	return list, nil
}

// ColumnPositions returns the schema positions of the named columns: the column list of
// a statement. An unknown name is 42703, one given twice 42701.
func ColumnPositions(s *columnar.Schema, names []string) ([]int, error) {
	list := make([]int, len(names))
	for i, name := range names {
		if list[i] = s.Lookup(name); list[i] < 0 {
			return nil, errNoColumn(s, name)
		}
	}
	return columnPositions(s, list)
}

func errNoColumn(s *columnar.Schema, name string) error {
	e := pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, s.Name)
	names := make([]string, 0, len(s.Columns))
	for i := range s.Columns {
		if strings.EqualFold(s.Columns[i].Name, name) {
			return e.WithHint("Perhaps you meant \"%s\".", s.Columns[i].Name)
		}
		if len(names) < 10 {
			names = append(names, s.Columns[i].Name)
		}
	}
	return e.WithHint("Its columns begin with: %s.", strings.Join(names, ", "))
}

// resolve returns the indexes in positions that the set names.
func (c columnSet) resolve(s *columnar.Schema, positions []int, option string) ([]int, error) {
	var out []int
	if c.all {
		for i := range positions {
			out = append(out, i)
		}
	}
	for _, name := range c.names {
		pos := s.Lookup(name)
		if pos < 0 {
			return nil, errNoColumn(s, name)
		}
		i := slices.Index(positions, pos)
		if i < 0 {
			return nil, pgerr.New(pgerr.InvalidColumnReference, "%s column \"%s\" not referenced by COPY", option, name)
		}
		if slices.Contains(out, i) {
			return nil, pgerr.New(pgerr.DuplicateColumn, "column \"%s\" specified more than once", name)
		}
		out = append(out, i)
	}
	return out, nil
}
