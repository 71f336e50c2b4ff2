package parquet

import (
	"fmt"

	"github.com/ingotdb/ingot/columnar"
)

// meaning is what the values of a leaf are, beside their physical type.
type meaning uint8

const (
	meansBool meaning = iota
	meansInt
	meansFloat
	meansFloat16
	meansDecimal
	meansDate
	meansTime
	meansTimestamp
	meansInt96
	meansText
	meansJSON
	meansBytes
	meansUUID
	meansNull
)

// leaf is what one column chunk per row group holds.
type leaf struct {
	phys      int32
	width     int // bytes of a physFixed
	meaning   meaning
	bits      int8 // of meansInt
	signed    bool // of meansInt
	unit      int16
	utc       bool
	precision int32
	scale     int32
	typ       columnar.Type // that holds every value
}

// field is one column of the file: a child of the schema's root.
type field struct {
	leaf
	name    string
	at      int    // of its first leaf among all leaves
	refused string // what it is, if that cannot be read

	// The levels of its one leaf. A flat column has definition levels up to 1 if values
	// may be null. In a list, a definition level below listDef is a null list and
	// listDef itself an empty one; below maxDef is a null element.
	list    bool
	listDef int
	maxDef  int
}

// columnType returns the type that holds every value of the field.
func (f *field) columnType() columnar.Type {
	t := f.typ
	t.Array = f.list
	return t
}

// maxSchemaDepth bounds the recursion into a schema.
const maxSchemaDepth = 64

// schema is the columns of a file and the number of its leaves.
type schema struct {
	fields []field
	leaves int
}

// newSchema makes the columns of the elements of a footer.
func newSchema(elements []element) (*schema, error) {
	root := &elements[0]
	if root.children < 0 || int(root.children) > len(elements)-1 {
		return nil, corrupt("its schema has no columns")
	}
	s := &schema{}
	pos := 1
	for range root.children {
		if pos >= len(elements) {
			return nil, corrupt("its schema ends too early")
		}
		f := field{name: elements[pos].name, at: s.leaves}
		end, leaves, err := extent(elements, pos, 0)
		if err != nil {
			return nil, err
		}
		f.shape(elements[pos:end])
		s.fields = append(s.fields, f)
		s.leaves += leaves
		pos = end
	}
	if pos != len(elements) {
		return nil, corrupt("its schema has elements that belong to no column")
	}
	return s, nil
}

// extent returns where the element at pos ends with all below it, and its leaves.
func extent(elements []element, pos, depth int) (end, leaves int, err error) {
	e := &elements[pos]
	if depth > maxSchemaDepth {
		return 0, 0, corrupt("its schema is nested more than %d deep", maxSchemaDepth)
	}
	if e.children <= 0 {
		if e.typ < 0 {
			return pos + 1, 0, nil // a group of nothing
		}
		return pos + 1, 1, nil
	}
	end = pos + 1
	for range e.children {
		if end >= len(elements) {
			return 0, 0, corrupt("its schema ends too early")
		}
		var n int
		if end, n, err = extent(elements, end, depth+1); err != nil {
			return 0, 0, err
		}
		leaves += n
	}
	return end, leaves, nil
}

// shape works out what the field of the elements is: the first is its own, the others are
// below it.
func (f *field) shape(elements []element) {
	e := &elements[0]
	switch {
	case e.repetition < required || e.repetition > repeated:
		f.refused = fmt.Sprintf("repetition %d", e.repetition)
	case e.children <= 0 && e.typ < 0:
		f.refused = "structure"
	case e.children <= 0:
		f.maxDef = int(e.repetition)
		if e.repetition == repeated { // a list that nobody called one
			f.list, f.maxDef = true, 1
		}
		f.refused = f.leaf.set(e)
	case e.logical.kind == logicalVariant:
		f.refused = "variant"
	case e.logical.kind == logicalMap || e.converted == convertedMap || e.converted == convertedMapKeyValue:
		f.refused = "map"
	case e.logical.kind == logicalList || e.converted == convertedList:
		f.shapeList(elements)
	default:
		f.refused = "structure"
	}
}

// shapeList is shape for a group that says it is a list, in any of the forms in which
// writers have put lists down.
func (f *field) shapeList(elements []element) {
	outer := &elements[0]
	if outer.children != 1 || len(elements) < 2 || elements[1].repetition != repeated || outer.repetition == repeated {
		f.refused = "list without elements"
		return
	}
	f.list = true
	if outer.repetition == optional {
		f.listDef = 1
	}
	f.maxDef = f.listDef + 1
	middle := &elements[1]
	if middle.children <= 0 && middle.typ >= 0 { // the repeated element is the value
		f.refused = f.leaf.set(middle)
		return
	}
	if middle.children != 1 || len(elements) != 3 || middle.name == "array" || middle.name == outer.name+"_tuple" ||
		elements[2].repetition == repeated || elements[2].typ < 0 {
		f.refused = "list of lists or structures"
		return
	}
	if elements[2].repetition == optional {
		f.maxDef++
	}
	f.refused = f.leaf.set(&elements[2])
}

// set makes l the leaf of an element, and says what it is if that cannot be read.
func (l *leaf) set(e *element) (refused string) {
	l.phys, l.width = e.typ, int(e.length)
	switch e.typ {
	case physBoolean, physInt32, physInt64, physInt96, physFloat, physDouble, physByteArray:
	case physFixed:
		if l.width <= 0 || l.width > columnar.MaxValueBytes {
			return fmt.Sprintf("values of %d bytes", e.length)
		}
	default:
		return fmt.Sprintf("physical type %d", e.typ)
	}
	if refused := l.annotation(e); refused != "" {
		return refused
	}
	l.typ = l.natural()
	return ""
}

// annotation sets the meaning of l. An annotation that does not go with the physical type, or
// that is not known, means nothing.
func (l *leaf) annotation(e *element) (refused string) {
	l.meaning = [...]meaning{
		physBoolean: meansBool, physInt32: meansInt, physInt64: meansInt, physInt96: meansInt96, physFloat: meansFloat,
		physDouble: meansFloat, physByteArray: meansBytes, physFixed: meansBytes,
	}[l.phys]
	l.bits, l.signed = 32, true
	if l.phys == physInt64 {
		l.bits = 64
	}
	ints := l.phys == physInt32 || l.phys == physInt64
	switch t := e.logical; {
	case t.kind == logicalUnknown:
		l.meaning = meansNull
	case t.kind == logicalDecimal, e.converted == convertedDecimal:
		l.precision, l.scale = e.precision, e.scale
		if t.kind == logicalDecimal {
			l.precision, l.scale = t.precision, t.scale
		}
		if ints || l.phys == physByteArray || l.phys == physFixed {
			return l.decimal(ints)
		}
	case t.kind == logicalInteger && ints:
		if t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64 && l.phys == physInt64 {
			l.bits, l.signed = t.bits, t.signed
		}
	case e.converted >= convertedUint8 && e.converted <= convertedInt64 && ints:
		bits := int8(8) << ((e.converted - convertedUint8) & 3)
		if bits < 64 || l.phys == physInt64 {
			l.bits, l.signed = bits, e.converted >= convertedInt8
		}
	case (t.kind == logicalDate || e.converted == convertedDate) && l.phys == physInt32:
		l.meaning = meansDate
	case t.kind == logicalTime && ints:
		if (t.unit == unitMillis) == (l.phys == physInt32) && t.unit >= unitMillis && t.unit <= unitNanos {
			l.meaning, l.unit = meansTime, t.unit
		}
	case t.kind == logicalTimestamp && l.phys == physInt64:
		if t.unit >= unitMillis && t.unit <= unitNanos {
			l.meaning, l.unit, l.utc = meansTimestamp, t.unit, t.utc
		}
	case e.converted == convertedTimeMillis && l.phys == physInt32:
		l.meaning, l.unit = meansTime, unitMillis
	case e.converted == convertedTimeMicros && l.phys == physInt64:
		l.meaning, l.unit = meansTime, unitMicros
	case e.converted == convertedTimestampMillis && l.phys == physInt64:
		l.meaning, l.unit, l.utc = meansTimestamp, unitMillis, true
	case e.converted == convertedTimestampMicros && l.phys == physInt64:
		l.meaning, l.unit, l.utc = meansTimestamp, unitMicros, true
	case t.kind == logicalUUID && l.phys == physFixed && l.width == 16:
		l.meaning = meansUUID
	case t.kind == logicalFloat16 && l.phys == physFixed && l.width == 2:
		l.meaning = meansFloat16
	case e.converted == convertedInterval && l.phys == physFixed:
		return "interval"
	case l.phys != physByteArray:
	case t.kind == logicalString, t.kind == logicalEnum, e.converted == convertedUTF8, e.converted == convertedEnum:
		l.meaning = meansText
	case t.kind == logicalJSON, e.converted == convertedJSON:
		l.meaning = meansJSON
	}
	return ""
}

// maxNumericDigits is the most digits that a numeric has on either side of its point.
const maxNumericDigits = 16383

// decimal checks the precision and scale of a decimal.
func (l *leaf) decimal(ints bool) (refused string) {
	if l.precision < 1 || l.precision > maxNumericDigits || l.scale < 0 || l.scale > l.precision || ints && l.precision > columnar.MaxPrecision {
		return fmt.Sprintf("decimal(%d,%d)", l.precision, l.scale)
	}
	l.meaning = meansDecimal
	return ""
}

// natural returns the type that holds every value of the leaf.
func (l *leaf) natural() columnar.Type {
	kind := columnar.Bytea
	switch l.meaning {
	case meansBool:
		kind = columnar.Bool
	case meansInt:
		return l.naturalInt()
	case meansFloat:
		kind = columnar.Float4
		if l.phys == physDouble {
			kind = columnar.Float8
		}
	case meansFloat16:
		kind = columnar.Float4
	case meansDecimal:
		if l.precision <= columnar.MaxPrecision {
			return columnar.Type{Kind: columnar.Decimal, Precision: uint8(l.precision), Scale: uint8(l.scale)}
		}
		kind = columnar.Numeric
	case meansDate:
		kind = columnar.Date
	case meansTime:
		kind = columnar.Time
	case meansTimestamp, meansInt96:
		kind = columnar.Timestamp
		if l.utc {
			kind = columnar.TimestampTZ
		}
	case meansText, meansNull:
		kind = columnar.Text
	case meansJSON:
		kind = columnar.JSON
	case meansUUID:
		kind = columnar.UUID
	}
	return columnar.Type{Kind: kind}
}

// naturalInt is natural for integers: those without a sign take the next wider type.
func (l *leaf) naturalInt() columnar.Type {
	switch bits := l.bits; {
	case bits == 64 && !l.signed:
		return columnar.Type{Kind: columnar.Decimal, Precision: 20}
	case bits == 64, bits == 32 && !l.signed:
		return columnar.Type{Kind: columnar.Int8}
	case bits == 32, bits == 16 && !l.signed:
		return columnar.Type{Kind: columnar.Int4}
	}
	return columnar.Type{Kind: columnar.Int2}
}
