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

	// Predicates are conditions that every row has which Where keeps, columns by their
	// schema position. A format may use them to leave out rows that it need not read.
	Predicates []Predicate
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
	binding  *Binding
	fields   []Column // the binding's
	consts   []constant
	variable bool // some field has values of no fixed width
	explicit bool // the statement lists the columns
	defaults []columnar.Value
	location *time.Location
	check    func(w *columnar.FragmentWriter, from, to int) (int, error)
	onError  OnError
	filter   FilterFunc
	format   *Format
	name     string  // of the format
	records  Records // nil if the source is no records
}

// newShape resolves columns and options against the table.
func newShape(t *Target, o *FromOptions) (*shape, error) {
	positions, err := columnPositions(t.Schema, t.Columns)
	if err != nil {
		return nil, err
	}
	b := newBinding(t.Schema, positions, t.Defaults, t.Location)
	b.OnError = o.OnError
	for _, p := range t.Predicates {
		if i := slices.Index(positions, p.Column); i >= 0 {
			p.Column = i
			b.Where = append(b.Where, p)
		}
	}
	sh := &shape{
		schema: t.Schema, binding: b, fields: b.Columns, location: b.Location, check: t.Check, onError: o.OnError,
		filter: t.Where, format: o.format, name: o.Format, explicit: t.Columns != nil, defaults: t.Defaults,
	}
	listed := make([]bool, len(t.Schema.Columns))
	for i, pos := range positions {
		listed[pos] = true
		sh.variable = sh.variable || sh.fields[i].Type.Variable()
	}
	for pos, is := range listed {
		if !is {
			sh.consts = append(sh.consts, newConstant(t.Schema, t.Defaults, pos))
		}
	}
	if o.records != nil {
		err = guarded(o.Format, func() (err error) {
			sh.records, err = o.records.Bind(b)
			return err
		})
	}
	return sh, err
}

// newBinding returns what a format is told of the columns at the given positions.
func newBinding(s *columnar.Schema, positions []int, defaults []columnar.Value, location *time.Location) *Binding {
	b := &Binding{Schema: s, Columns: make([]Column, len(positions)), Location: location}
	if b.Location == nil {
		b.Location = time.UTC
	}
	for i, pos := range positions {
		c := &s.Columns[pos]
		b.Columns[i] = Column{Name: c.Name, Type: c.Type, NotNull: c.NotNull, HasDefault: c.HasDefault, Pos: pos}
		if c.HasDefault {
			b.Columns[i].Default = defaultOf(s, defaults, pos)
		}
	}
	return b
}

// newConstant returns the column at pos as one that the input does not fill.
func newConstant(s *columnar.Schema, defaults []columnar.Value, pos int) constant {
	c := &s.Columns[pos]
	k := constant{pos: pos, name: c.Name, value: defaultOf(s, defaults, pos)}
	k.notNull = c.NotNull && k.value.Null
	return k
}

// accepts reports whether text is a value of type t.
func accepts(t columnar.Type, text string, location *time.Location) bool {
	return valueError(t, []byte(text), location) == nil
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

// resolve returns the indexes of the columns that the set names.
func (c columnSet) resolve(b *Binding, option string) ([]int, error) {
	var out []int
	if c.all {
		for i := range b.Columns {
			out = append(out, i)
		}
	}
	for _, name := range c.names {
		pos := b.Schema.Lookup(name)
		if pos < 0 {
			return nil, errNoColumn(b.Schema, name)
		}
		i := slices.IndexFunc(b.Columns, func(c Column) bool { return c.Pos == pos })
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
