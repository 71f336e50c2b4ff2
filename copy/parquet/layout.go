package parquet

import (
	"github.com/ingotdb/ingot/columnar"
)

// layout is how a column is written.
type layout struct {
	name     string
	typ      columnar.Type // of the table's column
	element  columnar.Type // of a value: typ, or that of its elements
	phys     int32
	width    int // bytes of a value in the file, 0 if they vary or are bits
	optional bool
	list     bool

	converted int32
	logical   logicalType
}

// newLayout returns how columns of type t are written. Every type has a logical type that says
// what it is, and the older annotation where that says the same.
func newLayout(name string, t columnar.Type, notNull bool) layout {
	l := layout{name: name, typ: t, element: t, optional: !notNull, list: t.Array, converted: convertedNone}
	l.element.Array = false
	annotate := func(phys int32, converted int32, logical logicalType) {
		l.phys, l.converted, l.logical = phys, converted, logical
	}
	switch t.Kind {
	case columnar.Bool:
		annotate(physBoolean, convertedNone, logicalType{})
	case columnar.Int2:
		annotate(physInt32, convertedInt16, logicalType{kind: logicalInteger, bits: 16, signed: true})
	case columnar.Int4:
		annotate(physInt32, convertedNone, logicalType{})
	case columnar.Int8:
		annotate(physInt64, convertedNone, logicalType{})
	case columnar.Float4:
		annotate(physFloat, convertedNone, logicalType{})
	case columnar.Float8:
		annotate(physDouble, convertedNone, logicalType{})
	case columnar.Decimal:
		phys := map[int]int32{4: physInt32, 8: physInt64, 16: physFixed}[l.element.Width()]
		annotate(phys, convertedDecimal, logicalType{kind: logicalDecimal, precision: int32(t.Precision), scale: int32(t.Scale)})
	case columnar.Bytea:
		annotate(physByteArray, convertedNone, logicalType{})
	case columnar.Date:
		annotate(physInt32, convertedDate, logicalType{kind: logicalDate})
	case columnar.Time:
		annotate(physInt64, convertedNone, logicalType{kind: logicalTime, unit: unitMicros})
	case columnar.Timestamp:
		annotate(physInt64, convertedNone, logicalType{kind: logicalTimestamp, unit: unitMicros})
	case columnar.TimestampTZ:
		annotate(physInt64, convertedTimestampMicros, logicalType{kind: logicalTimestamp, unit: unitMicros, utc: true})
	case columnar.UUID:
		annotate(physFixed, convertedNone, logicalType{kind: logicalUUID})
	case columnar.JSON:
		annotate(physByteArray, convertedJSON, logicalType{kind: logicalJSON})
	default: // numeric without a precision is its text
		annotate(physByteArray, convertedUTF8, logicalType{kind: logicalString})
	}
	switch l.phys {
	case physInt32, physFloat:
		l.width = 4
	case physInt64, physDouble:
		l.width = 8
	case physFixed:
		l.width = 16
	}
	return l
}

// maxDef returns the largest definition level: of a value that is there.
func (l *layout) maxDef() int {
	n := 0
	if l.optional {
		n++
	}
	if l.list {
		n += 2
	}
	return n
}

// elements appends the schema elements of the column.
func (l *layout) elements(w *thriftWriter) {
	repetition := int32(required)
	if l.optional {
		repetition = optional
	}
	if !l.list {
		l.leafElement(w, l.name, repetition)
		return
	}
	w.open()
	w.i32(3, repetition)
	w.string(4, l.name)
	w.i32(5, 1)
	w.i32(6, convertedList)
	w.structure(10, func() { w.structure(logicalList, func() {}) })
	w.close()
	w.open()
	w.i32(3, repeated)
	w.string(4, "list")
	w.i32(5, 1)
	w.close()
	l.leafElement(w, "element", optional)
}

// elementCount returns how many schema elements the column has.
func (l *layout) elementCount() int {
	if l.list {
		return 3
	}
	return 1
}

func (l *layout) leafElement(w *thriftWriter, name string, repetition int32) {
	w.open()
	w.i32(1, l.phys)
	if l.phys == physFixed {
		w.i32(2, int32(l.width))
	}
	w.i32(3, repetition)
	w.string(4, name)
	if l.converted != convertedNone {
		w.i32(6, l.converted)
	}
	if l.converted == convertedDecimal {
		w.i32(7, l.logical.scale)
		w.i32(8, l.logical.precision)
	}
	if l.logical.kind != 0 {
		w.structure(10, func() { w.structure(l.logical.kind, func() { l.logical.write(w) }) })
	}
	w.close()
}

// write writes the fields of the logical type.
func (t *logicalType) write(w *thriftWriter) {
	switch t.kind {
	case logicalDecimal:
		w.i32(1, t.scale)
		w.i32(2, t.precision)
	case logicalTime, logicalTimestamp:
		w.bool(1, t.utc)
		w.structure(2, func() { w.structure(t.unit, func() {}) })
	case logicalInteger:
		w.i8(1, t.bits)
		w.bool(2, t.signed)
	}
}

// path writes the names from the root to the leaf as a field.
func (l *layout) path(w *thriftWriter, id int16) {
	names := []string{l.name}
	if l.list {
		names = append(names, "list", "element")
	}
	w.list(id, len(names), thriftBinary)
	for _, n := range names {
		w.item(n)
	}
}
