package parquet

import (
	"encoding/binary"
	"math"

	"github.com/ingotdb/ingot/columnar"
)

// bounds are what is certain about the values of a column in a row group that are not null.
type bounds struct {
	allNull  bool
	min, max columnar.Value
	hasMin   bool
	hasMax   bool
}

// bounds returns what the statistics of a chunk say, as far as they can be trusted. ordered
// says that the file declares the bounds to be in the order of the column's type.
//
// The older pair of bounds was compared as signed numbers whatever the type was, so it counts
// for those alone. The order of INT96 was never defined. Byte arrays that are decimals
// were compared as bytes by some writers: of fixed length that shows, as a minimum above the
// maximum, and otherwise it does not. A bound that was cut is a bound still. Floats leave NaN
// out, which is above every number here, so there is no maximum.
func (d *field) bounds(c *chunk, ordered bool) (b bounds) {
	s := &c.stats
	if d.list || d.refused != "" {
		return b
	}
	b.allNull = s.nullCount == c.values && c.values > 0
	low, high := s.min, s.max
	if !ordered || low == nil || high == nil {
		if d.phys != physInt32 && d.phys != physInt64 || d.meaning == meansInt && !d.signed {
			return b
		}
		low, high = s.oldMin, s.oldMax
	}
	if low == nil || high == nil {
		return b
	}
	lo, ok1 := d.bound(low)
	hi, ok2 := d.bound(high)
	if !ok1 || !ok2 || columnar.CompareValues(lo, hi) > 0 {
		return b
	}
	b.min, b.max, b.hasMin, b.hasMax = lo, hi, true, d.meaning != meansFloat
	return b
}

// bound returns the value of a bound; ok is false if it cannot be trusted.
func (d *field) bound(raw []byte) (v columnar.Value, ok bool) {
	switch d.meaning {
	case meansInt, meansDate, meansTime, meansTimestamp, meansFloat, meansUUID:
	case meansDecimal:
		if d.phys == physByteArray || d.typ.Kind != columnar.Decimal {
			return v, false
		}
	case meansText, meansBytes:
		if d.phys != physByteArray {
			return v, false
		}
		return columnar.Value{Type: d.typ, S: string(raw)}, true
	default:
		return v, false
	}
	if len(raw) != d.physWidth() || len(raw) == 0 {
		return v, false
	}
	switch d.phys {
	case physFloat:
		v = columnar.Value{Type: d.typ, F: float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))}
		return v, !math.IsNaN(v.F)
	case physDouble:
		v = columnar.Value{Type: d.typ, F: math.Float64frombits(binary.LittleEndian.Uint64(raw))}
		return v, !math.IsNaN(v.F)
	}
	w := d.typ.Width()
	one := alignedBytes(w)
	if widen := d.widener(); widen != nil {
		var bad []int32
		if widen(one, raw, 1, &bad); len(bad) > 0 {
			return v, false
		}
	} else {
		copy(one, raw)
	}
	vec := columnar.MakeVec(d.typ, 1, nil, one, nil, nil, nil, nil)
	return vec.Value(0), true
}

// comparable reports whether values of the field's type and of a table's column are in the
// same order after the one has become the other, and returns v as a value of the field's type.
func (d *field) comparable(v columnar.Value) (columnar.Value, bool) {
	from, to := d.typ, v.Type
	switch {
	case from == to, isInt(from) && isInt(to):
	case from.Kind == columnar.Text && to.Kind == columnar.Varchar && to.Length == 0 && !to.Array:
	default:
		return v, false
	}
	v.Type = from
	return v, true
}

func isInt(t columnar.Type) bool {
	return !t.Array && (t.Kind == columnar.Int2 || t.Kind == columnar.Int4 || t.Kind == columnar.Int8)
}
