package arrowipc

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// The types of Schema.fbs.
const (
	typeNull            = 1
	typeInt             = 2
	typeFloatingPoint   = 3
	typeBinary          = 4
	typeUtf8            = 5
	typeBool            = 6
	typeDecimal         = 7
	typeDate            = 8
	typeTime            = 9
	typeTimestamp       = 10
	typeInterval        = 11
	typeList            = 12
	typeStruct          = 13
	typeUnion           = 14
	typeFixedSizeBinary = 15
	typeFixedSizeList   = 16
	typeMap             = 17
	typeDuration        = 18
	typeLargeBinary     = 19
	typeLargeUtf8       = 20
	typeLargeList       = 21
	typeRunEndEncoded   = 22
	typeBinaryView      = 23
	typeUtf8View        = 24
	typeListView        = 25
	typeLargeListView   = 26
)

// Limits of a schema.
const (
	maxDepth      = 64
	maxFixedWidth = 1 << 28
)

// Column is a column of the input.
type Column struct {
	Name string
	Type arrow.DataType // nil if columns of its type cannot be read
	Kind string         // the type in words
}

// field is a column or a part of one.
type field struct {
	name     string
	kind     int
	typ      arrow.DataType // nil if it cannot be read
	words    string
	width    int // bytes of one value; for a dictionary, of one index
	size     int // of the lists of a fixed_size_list
	dense    bool
	children []*field

	values   *field // of a dictionary; nil if this is none
	dict     int64  // its id
	unsigned bool   // indexes
}

// schema is what the schema message says.
type schema struct {
	fields []*field
	dicts  map[int64]*field // the values of each dictionary
	big    bool             // values are big-endian
}

// columns returns the top-level fields as a caller sees them.
func (s *schema) columns() []Column {
	out := make([]Column, len(s.fields))
	for i, f := range s.fields {
		out[i] = Column{Name: f.name, Type: f.typ, Kind: f.words}
	}
	return out
}

// damaged is the error for input that is not what the format says. Where it is nobody
// knows better than the byte at which the message starts.
func damaged(offset int64, format string, args ...any) *pgerr.Error {
	e := pgerr.New(pgerr.BadCopyFileFormat, "the Arrow data is damaged: %s", fmt.Sprintf(format, args...))
	e.ByteOffset, e.HasOffset = offset, true
	return e
}

// readSchema reads a Schema table.
func readSchema(t table) (*schema, error) {
	s := &schema{dicts: map[int64]*field{}, big: t.i16(0) == 1}
	if !t.present {
		return nil, damaged(0, "there is no schema")
	}
	pos, n := t.vector(1, 4)
	for i := range n {
		f := s.field(t.f.table(t.f.deref(pos+4*i)), 0)
		if t.f.bad || f == nil {
			break
		}
		s.fields = append(s.fields, f)
	}
	if t.f.bad {
		return nil, damaged(0, "its schema cannot be read")
	}
	return s, nil
}

// field reads a Field table; nil if it is damaged.
func (s *schema) field(t table, depth int) *field {
	if !t.present || depth > maxDepth {
		t.f.fail()
		return nil
	}
	f := &field{name: t.str(0), kind: t.u8(2)}
	pos, n := t.vector(5, 4)
	for i := range n {
		child := s.field(t.f.table(t.f.deref(pos+4*i)), depth+1)
		if t.f.bad || child == nil {
			return nil
		}
		f.children = append(f.children, child)
	}
	f.describe(t.table(3))
	if t.f.bad {
		return nil
	}
	if d := t.table(4); d.present {
		return s.dictionary(f, d)
	}
	return f
}

// dictionary returns the field of the indexes whose values f describes.
func (s *schema) dictionary(f *field, d table) *field {
	index := &field{kind: typeInt}
	if t := d.table(1); t.present {
		index.describe(t)
	} else {
		index.typ, index.width = arrow.PrimitiveTypes.Int32, 4
	}
	if d.f.bad || index.typ == nil {
		d.f.fail()
		return nil
	}
	id := d.i64(0)
	if other, ok := s.dicts[id]; ok && other.words != f.words {
		d.f.fail()
		return nil
	}
	s.dicts[id] = f
	out := &field{name: f.name, kind: typeInt, width: index.width, values: f, dict: id,
		unsigned: arrow.IsUnsignedInteger(index.typ.ID()), words: "dictionary of " + f.words}
	if f.typ != nil {
		out.typ = &arrow.DictionaryType{IndexType: index.typ, ValueType: f.typ, Ordered: d.u8(2) != 0}
	}
	return out
}

// describe fills in the type that t, a table of the type of f.kind, describes. A type that
// does not exist fails; one that cannot be read has no typ.
func (f *field) describe(t table) {
	one := func(words string, typ arrow.DataType, width int) { f.words, f.typ, f.width = words, typ, width }
	children := 0
	switch f.kind {
	case typeNull:
		one("null", arrow.Null, 0)
	case typeInt:
		f.integer(t)
	case typeFloatingPoint:
		switch t.i16(0) {
		case 0:
			one("float16", arrow.FixedWidthTypes.Float16, 2)
		case 1:
			one("float32", arrow.PrimitiveTypes.Float32, 4)
		case 2:
			one("float64", arrow.PrimitiveTypes.Float64, 8)
		default:
			t.f.fail()
		}
	case typeBinary:
		one("binary", arrow.BinaryTypes.Binary, 4)
	case typeUtf8:
		one("utf8", arrow.BinaryTypes.String, 4)
	case typeLargeBinary:
		one("large_binary", arrow.BinaryTypes.LargeBinary, 8)
	case typeLargeUtf8:
		one("large_utf8", arrow.BinaryTypes.LargeString, 8)
	case typeBinaryView:
		one("binary_view", arrow.BinaryTypes.BinaryView, 16)
	case typeUtf8View:
		one("utf8_view", arrow.BinaryTypes.StringView, 16)
	case typeBool:
		one("bool", arrow.FixedWidthTypes.Boolean, 0)
	case typeDecimal:
		f.decimal(t)
	case typeDate, typeTime, typeTimestamp, typeInterval, typeDuration:
		f.time(t)
	case typeFixedSizeBinary:
		w := t.i32(0, 0)
		if w < 0 || w > maxFixedWidth {
			t.f.fail()
			return
		}
		one(fmt.Sprintf("fixed_size_binary(%d)", w), &arrow.FixedSizeBinaryType{ByteWidth: w}, w)
	case typeList, typeLargeList, typeListView, typeLargeListView, typeFixedSizeList:
		children = 1
	case typeMap:
		children = 1
		one("map", nil, 4)
	case typeRunEndEncoded:
		children = 2
		one("run_end_encoded", nil, 0)
	case typeStruct:
		children = len(f.children)
		one("struct", nil, 0)
	case typeUnion:
		children = len(f.children)
		one("union", nil, 0)
		f.dense = t.i16(0) == 1
	default:
		t.f.fail()
	}
	if t.f.bad || len(f.children) != children {
		t.f.fail()
		return
	}
	f.list(t)
}

// integer is describe for integers.
func (f *field) integer(t table) {
	bits, signed := t.i32(0, 0), t.u8(1) != 0
	f.width = bits / 8
	types := map[int][2]arrow.DataType{
		8:  {arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int8},
		16: {arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int16},
		32: {arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int32},
		64: {arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int64},
	}
	pair, ok := types[bits]
	if !ok {
		t.f.fail()
		return
	}
	if f.typ, f.words = pair[0], fmt.Sprintf("uint%d", bits); signed {
		f.typ, f.words = pair[1], fmt.Sprintf("int%d", bits)
	}
}

// decimal is describe for decimals.
func (f *field) decimal(t table) {
	precision, scale, bits := t.i32(0, 0), t.i32(1, 0), t.i32(2, 128)
	most := map[int]int{32: 9, 64: 18, 128: 38, 256: 76}[bits]
	if precision < 1 || precision > most || scale < -1000 || scale > 1000 {
		t.f.fail()
		return
	}
	f.width = bits / 8
	f.words = fmt.Sprintf("decimal%d(%d,%d)", bits, precision, scale)
	p, s := int32(precision), int32(scale)
	switch bits {
	case 32:
		f.typ = &arrow.Decimal32Type{Precision: p, Scale: s}
	case 64:
		f.typ = &arrow.Decimal64Type{Precision: p, Scale: s}
	case 128:
		f.typ = &arrow.Decimal128Type{Precision: p, Scale: s}
	default:
		f.typ = &arrow.Decimal256Type{Precision: p, Scale: s}
	}
}

// time is describe for dates, times and what is between two of them.
func (f *field) time(t table) {
	unit := t.i16(0)
	if f.kind != typeTimestamp && t.at(0, 2) < 0 {
		unit = 1 // milliseconds are the default of all others
		if f.kind == typeInterval {
			unit = 0
		}
	}
	if unit < 0 || unit > 3 || f.kind == typeDate && unit > 1 || f.kind == typeInterval && unit > 2 {
		t.f.fail()
		return
	}
	names := [4]string{"s", "ms", "us", "ns"}
	f.width = 8
	switch f.kind {
	case typeDate:
		if f.typ, f.words = arrow.FixedWidthTypes.Date64, "date64"; unit == 0 {
			f.typ, f.words, f.width = arrow.FixedWidthTypes.Date32, "date32", 4
		}
	case typeTime:
		bits := t.i32(1, 32)
		if bits != 32 && bits != 64 || (bits == 32) != (unit < 2) {
			t.f.fail()
			return
		}
		f.width, f.words = bits/8, fmt.Sprintf("time%d(%s)", bits, names[unit])
		if f.typ = (&arrow.Time64Type{Unit: arrow.TimeUnit(unit)}); bits == 32 {
			f.typ = &arrow.Time32Type{Unit: arrow.TimeUnit(unit)}
		}
	case typeTimestamp:
		zone := t.str(1)
		f.typ = &arrow.TimestampType{Unit: arrow.TimeUnit(unit), TimeZone: zone}
		if f.words = fmt.Sprintf("timestamp(%s)", names[unit]); zone != "" {
			f.words = fmt.Sprintf("timestamp(%s, %s)", names[unit], zone)
		}
	case typeDuration:
		f.words = fmt.Sprintf("duration(%s)", names[unit])
	case typeInterval:
		f.words = "interval"
		f.width = [3]int{4, 8, 16}[unit]
	}
}

// list is describe for lists, whose elements are known.
func (f *field) list(t table) {
	switch f.kind {
	case typeList, typeListView:
		f.width = 4
	case typeLargeList, typeLargeListView:
		f.width = 8
	case typeFixedSizeList:
		if f.size = t.i32(0, 0); f.size < 0 {
			t.f.fail()
			return
		}
	default:
		return
	}
	names := map[int]string{typeList: "list", typeListView: "list_view", typeLargeList: "large_list",
		typeLargeListView: "large_list_view", typeFixedSizeList: "fixed_size_list"}
	f.words = names[f.kind] + " of " + f.children[0].words
	elem := f.children[0].typ
	if elem == nil || f.kind == typeFixedSizeList && f.size == 0 {
		return
	}
	switch f.kind {
	case typeList:
		f.typ = arrow.ListOf(elem)
	case typeLargeList:
		f.typ = arrow.LargeListOf(elem)
	case typeListView:
		f.typ = arrow.ListViewOf(elem)
	case typeLargeListView:
		f.typ = arrow.LargeListViewOf(elem)
	case typeFixedSizeList:
		f.typ = arrow.FixedSizeListOfField(int32(f.size), arrow.Field{Name: "item", Type: elem, Nullable: true})
	}
}
