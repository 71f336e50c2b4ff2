package columnar

import (
	"encoding/binary"
	"math"

	"github.com/ingotdb/ingot/kernels"
)

// maxZoneBytes is where the bounds of a text column are cut.
const maxZoneBytes = 32

// Zone is what is known of the values of one chunk without reading them.
//
// Min and Max are only meaningful if HasBounds is set; NaN is left out of them, and
// MinExact and MaxExact are false where a text bound was cut (the bound then still
// bounds). Deleted rows count.
type Zone struct {
	HasBounds bool
	MinExact  bool
	MaxExact  bool
	HasNaN    bool
	Ascending bool // an integer, date or time column without nulls, strictly increasing
	Min, Max  Value
	Nulls     int
}

func appendZone(b []byte, z *Zone) []byte {
	flags := byte(b2i(z.HasBounds) | b2i(z.MinExact)<<1 | b2i(z.MaxExact)<<2 | b2i(z.HasNaN)<<3 | b2i(z.Ascending)<<4)
	b = append(b, flags)
	if z.HasBounds {
		b = appendValue(b, z.Min)
		b = appendValue(b, z.Max)
	}
	return b
}

func (d *decoder) zone(t Type) Zone {
	f := d.byte()
	z := Zone{HasBounds: f&1 != 0, MinExact: f&2 != 0, MaxExact: f&4 != 0, HasNaN: f&8 != 0, Ascending: f&16 != 0}
	if f >= 32 {
		d.fail()
	}
	if z.HasBounds {
		z.Min = d.value(t)
		z.Max = d.value(t)
	}
	return z
}

// zoneOf computes the zone of v, whose rows start at bit 0 of its bitmaps.
func zoneOf(v *Vec, nulls int) Zone {
	z := Zone{Nulls: nulls}
	if v.n == 0 || nulls == v.n || v.typ.Array {
		return z
	}
	var valid []uint64
	if nulls > 0 {
		valid = v.valid
	}
	switch v.typ.Kind {
	case Int2:
		lo, hi, ok := minMaxBlocks(v.Int16s(), valid, kernels.MinMaxInt16)
		z.ints(v.typ, int64(lo), int64(hi), ok)
		z.Ascending = nulls == 0 && ascending(v.Int16s(), increasing[int16])
	case Int4, Date:
		lo, hi, ok := minMaxBlocks(v.Int32s(), valid, kernels.MinMaxInt32)
		z.ints(v.typ, int64(lo), int64(hi), ok)
		z.Ascending = nulls == 0 && ascending(v.Int32s(), kernels.StrictlyIncreasingInt32)
	case Int8, Time, Timestamp, TimestampTZ:
		lo, hi, ok := minMaxBlocks(v.Int64s(), valid, kernels.MinMaxInt64)
		z.ints(v.typ, lo, hi, ok)
		z.Ascending = nulls == 0 && ascending(v.Int64s(), kernels.StrictlyIncreasingInt64)
	case Float8:
		floatBounds(&z, v.typ, v.Float64s(), valid, kernels.MinMaxFloat64)
	case Float4:
		floatBounds(&z, v.typ, v.Float32s(), valid, kernels.MinMaxFloat32)
	case Bool:
		z.bools(v, nulls)
	case Decimal:
		z.decimals(v, valid)
	case Text, Varchar, Bytea, UUID:
		z.texts(v, valid)
	}
	return z
}

// zoneBlock is the rows handed to a kernel at a time: 64 KiB of 8-byte values, so
// that the goroutine stays preemptible.
const zoneBlock = 8192

func minMaxBlocks[T int16 | int32 | int64](v []T, valid []uint64, kernel func([]T, []uint64) (T, T, bool)) (lo, hi T, ok bool) {
	for from := 0; from < len(v); from += zoneBlock {
		part := v[from:min(from+zoneBlock, len(v))]
		var words []uint64
		if valid != nil {
			words = valid[from/64:]
		}
		l, h, some := kernel(part, words)
		if !some {
			continue
		}
		if !ok {
			lo, hi, ok = l, h, true
			continue
		}
		lo, hi = min(lo, l), max(hi, h)
	}
	return lo, hi, ok
}

// ascending reports whether v is strictly increasing; blocks overlap by one value.
func ascending[T int16 | int32 | int64](v []T, kernel func([]T) bool) bool {
	for from := 0; from < len(v); from += zoneBlock {
		if !kernel(v[from:min(from+zoneBlock+1, len(v))]) {
			return false
		}
	}
	return true
}

func increasing[T int16](v []T) bool {
	for i := 1; i < len(v); i++ {
		if v[i] <= v[i-1] {
			return false
		}
	}
	return true
}

func (z *Zone) ints(t Type, lo, hi int64, ok bool) {
	if ok {
		z.set(Value{Type: t, I: lo}, Value{Type: t, I: hi}, true, true)
	}
}

func (z *Zone) set(lo, hi Value, loExact, hiExact bool) {
	z.HasBounds, z.Min, z.Max, z.MinExact, z.MaxExact = true, lo, hi, loExact, hiExact
}

// floatBounds sets the bounds of v's rows that are neither null nor NaN.
func floatBounds[T float32 | float64](z *Zone, t Type, v []T, valid []uint64, kernel func([]T, []uint64) (T, T, bool, bool)) {
	var lo, hi T
	some := false
	for from := 0; from < len(v); from += zoneBlock {
		part := v[from:min(from+zoneBlock, len(v))]
		var words []uint64
		if valid != nil {
			words = valid[from/64:]
		}
		l, h, ok, nan := kernel(part, words)
		z.HasNaN = z.HasNaN || nan
		switch {
		case !ok:
		case !some:
			lo, hi, some = l, h, true
		default:
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	if some {
		z.set(Value{Type: t, F: float64(lo)}, Value{Type: t, F: float64(hi)}, true, true)
	}
}

func (z *Zone) bools(v *Vec, nulls int) {
	some := [2]bool{}
	for i := range v.n {
		if nulls == 0 || !v.IsNull(i) {
			some[b2i(v.Bool(i))] = true
		}
	}
	z.set(Value{Type: v.typ, I: int64(b2i(!some[0]))}, Value{Type: v.typ, I: int64(b2i(some[1]))}, true, true)
}

func (z *Zone) decimals(v *Vec, valid []uint64) {
	if v.nan == nil && v.typ.Width() < 16 {
		z.narrowDecimals(v, valid)
		return
	}
	var lo, hi Value
	some := false
	for i := range v.n {
		if valid != nil && !bit(valid, i) {
			continue
		}
		h, l, nan := v.Decimal(i)
		if nan {
			z.HasNaN = true
			continue
		}
		x := Value{Type: v.typ, I: int64(l), Hi: h}
		if !some {
			lo, hi, some = x, x, true
			continue
		}
		if compareDecimal(x, lo) < 0 {
			lo = x
		}
		if compareDecimal(x, hi) > 0 {
			hi = x
		}
	}
	if some {
		z.set(lo, hi, true, true)
	}
}

// narrowDecimals are decimals in 32 or 64 bits, none of them NaN.
func (z *Zone) narrowDecimals(v *Vec, valid []uint64) {
	var lo, hi int64
	var ok bool
	if v.typ.Width() == 4 {
		var l, h int32
		l, h, ok = minMaxBlocks(v.Int32s(), valid, kernels.MinMaxInt32)
		lo, hi = int64(l), int64(h)
	} else {
		lo, hi, ok = minMaxBlocks(v.Int64s(), valid, kernels.MinMaxInt64)
	}
	if ok {
		z.set(Value{Type: v.typ, I: lo, Hi: lo >> 63}, Value{Type: v.typ, I: hi, Hi: hi >> 63}, true, true)
	}
}

// texts compares eight bytes at a time first: most values differ from both bounds there.
func (z *Zone) texts(v *Vec, valid []uint64) {
	var lo, hi []byte
	var loHead, hiHead uint64
	some := false
	for i := range v.n {
		if valid != nil && !bit(valid, i) {
			continue
		}
		x := v.Bytes(i)
		head := headOf(x)
		if !some {
			lo, hi, loHead, hiHead, some = x, x, head, head, true
			continue
		}
		if head < loHead || (head == loHead && string(x) < string(lo)) {
			lo, loHead = x, head
		} else if head > hiHead || (head == hiHead && string(x) > string(hi)) {
			hi, hiHead = x, head
		}
	}
	if !some {
		return
	}
	low, lowExact := string(lo[:min(len(lo), maxZoneBytes)]), len(lo) <= maxZoneBytes
	high, highExact := string(hi[:min(len(hi), maxZoneBytes)]), true
	if len(hi) > maxZoneBytes {
		if high, highExact = above(high), false; high == "" {
			return // every byte is 0xff: no 32-byte string is above it
		}
	}
	z.set(Value{Type: v.typ, S: low}, Value{Type: v.typ, S: high}, lowExact, highExact)
}

// headOf returns the first eight bytes of x, zeros behind a shorter one, as a number that
// orders like them.
func headOf(x []byte) uint64 {
	if len(x) >= 8 {
		return binary.BigEndian.Uint64(x)
	}
	h := uint64(0)
	switch n := len(x); {
	case n >= 4: // two words that overlap
		h = uint64(binary.BigEndian.Uint32(x))<<32 | uint64(binary.BigEndian.Uint32(x[n-4:]))<<(8*(8-n))
	case n > 0:
		h = uint64(x[0])<<56 | uint64(x[n>>1])<<(56-8*(n>>1)) | uint64(x[n-1])<<(56-8*(n-1))
	}
	return h
}

// above returns a string that is greater than every string that starts with s, and
// no longer; "" if there is none.
func above(s string) string {
	b := []byte(s)
	for len(b) > 0 {
		if b[len(b)-1] != math.MaxUint8 {
			b[len(b)-1]++
			return string(b)
		}
		b = b[:len(b)-1]
	}
	return ""
}

// Bound is a condition that every row of interest meets: column Op value. A null
// meets none.
type Bound struct {
	Column int // position in the schema
	Op     kernels.Op
	Value  Value
}

// excludes reports whether no value of a chunk with zone z and the given rows meets b.
func (z *Zone) excludes(b Bound, rows int) bool {
	if z.Nulls == rows {
		return true
	}
	if !z.HasBounds || b.Value.Null {
		return false
	}
	lo, hi := CompareValues(b.Value, z.Min), CompareValues(b.Value, z.Max)
	nan := z.HasNaN // NaN is above every bound
	switch b.Op {
	case kernels.Eq:
		return lo < 0 || (hi > 0 && !nan)
	case kernels.Ne:
		return z.MinExact && z.MaxExact && lo == 0 && hi == 0 && !nan
	case kernels.Lt:
		return lo <= 0
	case kernels.Le:
		return lo < 0
	case kernels.Gt:
		return hi >= 0 && !nan
	case kernels.Ge:
		return hi > 0 && !nan
	}
	return false
}
