package columnar

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/ingotdb/ingot/internal/pgtext"
)

// Value is one value outside a column: a constant, a default, a bound of a zone map.
//
// What holds it depends on Type: I for Bool, the integers, Date, Time and the
// timestamps; F for floats; the 128-bit two's complement (Hi, uint64(I)), unscaled,
// for Decimal, where F is NaN if the value is; S for the rest (UUID: 16 bytes,
// Numeric: canonical text).
type Value struct {
	Type Type
	Null bool
	I    int64
	Hi   int64
	F    float64
	S    string
}

// CompareValues orders two values of one type as PostgreSQL does under C collation:
// NaN equals itself and is greater than every other number, -0 equals 0. NULL is
// greater than everything.
func CompareValues(a, b Value) int {
	switch {
	case a.Null || b.Null:
		return cmp.Compare(b2i(a.Null), b2i(b.Null))
	case a.Type.Kind == Numeric && !a.Type.Array:
		return pgtext.CompareNumericText([]byte(a.S), []byte(b.S))
	case a.Type.Variable() || a.Type.Kind == UUID:
		return strings.Compare(a.S, b.S)
	case a.Type.Kind == Float4 || a.Type.Kind == Float8:
		return compareFloat(a.F, b.F)
	case a.Type.Kind == Decimal:
		return compareDecimal(a, b)
	}
	return cmp.Compare(a.I, b.I)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareFloat orders NaN above everything; cmp.Compare has it below.
func compareFloat(a, b float64) int {
	an, bn := math.IsNaN(a), math.IsNaN(b)
	if an || bn {
		return cmp.Compare(b2i(an), b2i(bn))
	}
	return cmp.Compare(a, b)
}

func compareDecimal(a, b Value) int {
	an, bn := math.IsNaN(a.F), math.IsNaN(b.F)
	if an || bn {
		return cmp.Compare(b2i(an), b2i(bn))
	}
	if c := cmp.Compare(a.Hi, b.Hi); c != 0 {
		return c
	}
	return cmp.Compare(uint64(a.I), uint64(b.I))
}

// AppendText appends PostgreSQL's text form of a value that is not NULL; timestamptz
// is shown in loc.
func (v Value) AppendText(dst []byte, loc *time.Location) []byte {
	if v.Type.Array {
		return append(dst, v.S...)
	}
	switch v.Type.Kind {
	case Bool:
		return pgtext.AppendBool(dst, v.I != 0)
	case Int2, Int4, Int8:
		return pgtext.AppendInt(dst, v.I)
	case Float4:
		return pgtext.AppendFloat4(dst, float32(v.F))
	case Float8:
		return pgtext.AppendFloat8(dst, v.F)
	case Decimal:
		if math.IsNaN(v.F) {
			return append(dst, "NaN"...)
		}
		return pgtext.AppendDecimal(dst, pgtext.Decimal128{Hi: v.Hi, Lo: uint64(v.I)}, int(v.Type.Scale))
	case Date:
		return pgtext.AppendDate(dst, int32(v.I))
	case Time:
		return pgtext.AppendTime(dst, v.I)
	case Timestamp:
		return pgtext.AppendTimestamp(dst, v.I)
	case TimestampTZ:
		return pgtext.AppendTimestampTZ(dst, v.I, loc)
	case UUID:
		return pgtext.AppendUUID(dst, [16]byte([]byte(v.S)))
	case Bytea:
		return pgtext.AppendBytea(dst, []byte(v.S))
	}
	return append(dst, v.S...)
}
