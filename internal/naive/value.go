package naive

import (
	"bytes"
	"cmp"
	"math"
)

// value parses a constant of type t, nil if it is null.
func (c *cursor) value(t Type) any {
	if c.bool() {
		return nil
	}
	switch t.Kind {
	case Numeric, Text, Varchar, JSON:
		return c.string()
	case Bytea:
		return []byte(c.string())
	case UUID:
		s := c.string()
		if len(s) != 16 {
			c.fail("uuid of %d bytes", len(s))
			return [16]byte{}
		}
		return [16]byte([]byte(s))
	case Float4:
		return float32(math.Float64frombits(c.u64()))
	case Float8:
		return math.Float64frombits(c.u64())
	case NumericPS:
		d := Decimal{NaN: c.bool()}
		d.Lo, d.Hi = c.u64(), int64(c.u64())
		if d.NaN {
			return Decimal{NaN: true}
		}
		return d
	}
	v := int64(c.u64())
	switch t.Kind {
	case Bool:
		if v != 0 && v != 1 {
			c.fail("bool is %d", v)
		}
		return v == 1
	case Int2:
		if v != int64(int16(v)) {
			c.fail("int2 is %d", v)
		}
		return int16(v)
	case Int4, Date:
		if v != int64(int32(v)) {
			c.fail("value of 4 bytes is %d", v)
		}
		return int32(v)
	}
	return v
}

// fixed returns the value of a fixed-width type whose bytes are b.
func fixed(t Type, b []byte) any {
	switch t.Kind {
	case Int2:
		return int16(u16(b))
	case Int4, Date:
		return int32(u32(b))
	case Int8, Time, Timestamp, TimestampTZ:
		return int64(u64(b))
	case Float4:
		return math.Float32frombits(u32(b))
	case Float8:
		return math.Float64frombits(u64(b))
	case UUID:
		return [16]byte(b)
	}
	switch len(b) {
	case 4:
		v := int64(int32(u32(b)))
		return Decimal{Hi: v >> 63, Lo: uint64(v)}
	case 8:
		v := int64(u64(b))
		return Decimal{Hi: v >> 63, Lo: uint64(v)}
	}
	return Decimal{Hi: int64(u64(b[8:])), Lo: u64(b)}
}

// bytesValue returns the value of a variable-length type whose bytes are b, which are copied.
func bytesValue(t Type, b []byte) any {
	if t.Kind == Bytea {
		return append([]byte{}, b...)
	}
	return string(b)
}

// isNaN tells whether v is a NaN that zone maps leave out.
func isNaN(v any) bool {
	switch v := v.(type) {
	case float32:
		return v != v
	case float64:
		return v != v
	case Decimal:
		return v.NaN
	}
	return false
}

// compare orders two values of the same type, neither null nor NaN.
func compare(a, b any) int {
	switch a := a.(type) {
	case bool:
		return cmp.Compare(number(a), number(b.(bool)))
	case int16:
		return cmp.Compare(a, b.(int16))
	case int32:
		return cmp.Compare(a, b.(int32))
	case int64:
		return cmp.Compare(a, b.(int64))
	case float32:
		return cmp.Compare(a, b.(float32))
	case float64:
		return cmp.Compare(a, b.(float64))
	case string:
		return cmp.Compare(a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case [16]byte:
		y := b.([16]byte)
		return bytes.Compare(a[:], y[:])
	}
	x, y := a.(Decimal), b.(Decimal)
	return cmp.Or(cmp.Compare(x.Hi, y.Hi), cmp.Compare(x.Lo, y.Lo))
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
