package expr

import (
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// rank orders the numeric types by promotion; 0 is not numeric.
func rank(t columnar.Type) int {
	if t.Array {
		return 0
	}
	switch t.Kind {
	case columnar.Int2:
		return 1
	case columnar.Int4:
		return 2
	case columnar.Int8:
		return 3
	case columnar.Decimal, columnar.Numeric:
		return 4
	case columnar.Float4:
		return 5
	case columnar.Float8:
		return 6
	}
	return 0
}

func isInt(t columnar.Type) bool { r := rank(t); return r > 0 && r <= 3 }

// isText reports whether t is text or varchar.
func isText(t columnar.Type) bool {
	return !t.Array && (t.Kind == columnar.Text || t.Kind == columnar.Varchar)
}

// promoted returns the type in which an operator computes with two numeric types.
func promoted(a, b columnar.Type) columnar.Type {
	ra, rb := rank(a), rank(b)
	if ra > rb {
		a, b, ra, rb = b, a, rb, ra
	}
	switch {
	case rb == 5 && ra != 5:
		return float8Type
	case rb == 4:
		return numericType
	}
	return b
}

// timeRank orders the types of days by promotion; 0 is another type.
func timeRank(t columnar.Type) int {
	if t.Array {
		return 0
	}
	switch t.Kind {
	case columnar.Date:
		return 1
	case columnar.Timestamp:
		return 2
	case columnar.TimestampTZ:
		return 3
	}
	return 0
}

// common returns the type in which values of a and b can be compared or stand for each
// other; ok is false if there is none. An undecided type follows the other.
func common(a, b columnar.Type) (t columnar.Type, ok bool) {
	switch {
	case a.Kind == columnar.Invalid:
		return unmodified(b), true
	case b.Kind == columnar.Invalid:
		return unmodified(a), true
	case a == b:
		return a, true
	case rank(a) > 0 && rank(b) > 0:
		return promoted(a, b), true
	case isText(a) && isText(b):
		return textType, true
	case timeRank(a) > 0 && timeRank(b) > 0:
		if timeRank(a) > timeRank(b) {
			return a, true
		}
		return b, true
	}
	return t, false
}

// unmodified returns a type without a limit that a value of another one need not meet.
func unmodified(t columnar.Type) columnar.Type {
	if t.Array {
		return t
	}
	switch t.Kind {
	case columnar.Decimal:
		return numericType
	case columnar.Varchar:
		t.Length = 0
	}
	return t
}

// unified returns the type of an expression whose value is one of two: as common, but a
// float4 stays one beside integers and numerics.
func unified(a, b columnar.Type) (t columnar.Type, ok bool) {
	if ra, rb := rank(a), rank(b); ra > 0 && rb > 0 && max(ra, rb) == rank(float4Type) {
		return float4Type, true
	}
	return common(a, b)
}

// typeName returns the name of a type as messages have it.
func typeName(t columnar.Type) string {
	if t.Kind == columnar.Invalid {
		return "unknown"
	}
	return t.Name()
}

// modified returns the name of a type with its modifier, as messages about values have it.
func modified(t columnar.Type) string {
	switch t.Kind {
	case columnar.Decimal:
		return t.String()
	case columnar.Varchar:
		if t.Length > 0 {
			return "character varying" + t.String()[len("varchar"):]
		}
	case columnar.Time:
		return "time"
	case columnar.Timestamp:
		return "timestamp"
	}
	return t.Name()
}

// outOfRange returns the error of a number that its type cannot hold.
func outOfRange(t columnar.Type) error {
	switch t.Kind {
	case columnar.Float4, columnar.Float8:
		return pgerr.New(pgerr.NumericValueOutOfRange, "value out of range: overflow")
	case columnar.Date, columnar.Timestamp, columnar.TimestampTZ:
		name := "timestamp"
		if t.Kind == columnar.Date {
			name = "date"
		}
		return pgerr.New(pgerr.DatetimeFieldOverflow, "%s out of range", name)
	}
	return pgerr.New(pgerr.NumericValueOutOfRange, "%s out of range", t.Name())
}

func divisionByZero() error { return pgerr.New(pgerr.DivisionByZero, "division by zero") }

// intRange returns the bounds of an integer type.
func intRange(t columnar.Type) (lo, hi int64) {
	switch t.Kind {
	case columnar.Int2:
		return -1 << 15, 1<<15 - 1
	case columnar.Int4:
		return -1 << 31, 1<<31 - 1
	}
	return -1 << 63, 1<<63 - 1
}
