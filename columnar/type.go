package columnar

import (
	"fmt"
	"strings"
)

// Kind is the family of a column's type.
//
// Format: the numbers are stored in the schema; they are never reused.
type Kind uint8

// The kinds, with what one value is in memory and in a plain chunk.
const (
	Invalid     Kind = 0
	Bool        Kind = 1  // one bit
	Int2        Kind = 2  // int16
	Int4        Kind = 3  // int32
	Int8        Kind = 4  // int64
	Float4      Kind = 5  // float32
	Float8      Kind = 6  // float64
	Decimal     Kind = 7  // numeric(p,s): int32, int64 or 128 bits by precision
	Numeric     Kind = 8  // bare numeric: its canonical text
	Text        Kind = 9  // UTF-8
	Varchar     Kind = 10 // UTF-8, at most Type.Length characters
	Bytea       Kind = 11 // bytes
	Date        Kind = 12 // int32 days since 1970-01-01; MinInt32, MaxInt32 are the infinities
	Time        Kind = 13 // int64 microseconds of the day
	Timestamp   Kind = 14 // int64 microseconds since 1970-01-01; MinInt64, MaxInt64 are the infinities
	TimestampTZ Kind = 15 // the same, of UTC
	UUID        Kind = 16 // 16 bytes
	JSON        Kind = 17 // JSON text as given
)

// Type is the type of a column. The zero Type is invalid. Types are compared with ==.
type Type struct {
	Kind      Kind
	Precision uint8 // Decimal: 1 to 38
	Scale     uint8 // Decimal: 0 to Precision
	Array     bool  // array of the rest, of any dimensions: its canonical text
	Length    int32 // Varchar: limit in characters; 0 is none
}

// Limits of numeric(p,s) by the width of its values.
const (
	MaxPrecision   = 38
	maxPrecision32 = 9
	maxPrecision64 = 18
)

// MaxColumns is the largest number of columns a table can have.
const MaxColumns = 65535

// Width returns the bytes of one value in a plain chunk: 0 for variable-length
// types and for Bool, whose values are bits.
func (t Type) Width() int {
	if t.Array {
		return 0
	}
	switch t.Kind {
	case Int2:
		return 2
	case Int4, Float4, Date:
		return 4
	case Int8, Float8, Time, Timestamp, TimestampTZ:
		return 8
	case UUID:
		return 16
	case Decimal:
		switch {
		case t.Precision <= maxPrecision32:
			return 4
		case t.Precision <= maxPrecision64:
			return 8
		}
		return 16
	}
	return 0
}

// stored returns the type without what does not change how values are stored.
func (t Type) stored() Type {
	t.Length = 0
	return t
}

// Variable reports whether values are bytes between two 32-bit offsets.
func (t Type) Variable() bool {
	if t.Array {
		return true
	}
	switch t.Kind {
	case Numeric, Text, Varchar, Bytea, JSON:
		return true
	}
	return false
}

// Valid reports whether t is a type this version can store.
func (t Type) Valid() bool {
	if t.Kind < Bool || t.Kind > JSON || t.Length < 0 || (t.Length != 0 && t.Kind != Varchar) {
		return false
	}
	if t.Kind == Decimal {
		return t.Precision >= 1 && t.Precision <= MaxPrecision && t.Scale <= t.Precision
	}
	return t.Precision == 0 && t.Scale == 0
}

var kindNames = [...]string{
	Bool: "boolean", Int2: "smallint", Int4: "integer", Int8: "bigint", Float4: "real",
	Float8: "double precision", Decimal: "numeric", Numeric: "numeric", Text: "text",
	Varchar: "character varying", Bytea: "bytea", Date: "date", Time: "time without time zone",
	Timestamp: "timestamp without time zone", TimestampTZ: "timestamp with time zone",
	UUID: "uuid", JSON: "json",
}

// Name returns PostgreSQL's name of the type without its modifiers, as its error
// messages spell it: integer, double precision, character varying.
func (t Type) Name() string {
	if int(t.Kind) >= len(kindNames) || kindNames[t.Kind] == "" {
		return fmt.Sprintf("kind(%d)", t.Kind)
	}
	if t.Array {
		return kindNames[t.Kind] + "[]"
	}
	return kindNames[t.Kind]
}

// String returns the type as a CREATE TABLE takes it: numeric(18,4), varchar(20), int8.
func (t Type) String() string {
	s := ""
	switch t.Kind {
	case Bool:
		s = "bool"
	case Int2:
		s = "int2"
	case Int4:
		s = "int4"
	case Int8:
		s = "int8"
	case Float4:
		s = "float4"
	case Float8:
		s = "float8"
	case Decimal:
		s = fmt.Sprintf("numeric(%d,%d)", t.Precision, t.Scale)
	case Varchar:
		s = "varchar"
		if t.Length > 0 {
			s = fmt.Sprintf("varchar(%d)", t.Length)
		}
	case Time:
		s = "time"
	case Timestamp:
		s = "timestamp"
	case TimestampTZ:
		s = "timestamptz"
	default:
		s = strings.TrimSuffix(t.Name(), "[]")
	}
	if t.Array {
		s += "[]"
	}
	return s
}
