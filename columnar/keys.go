package columnar

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"strings"
	"time"

	"github.com/ingotdb/ingot/internal/pgtext"
)

// keyReader reads the key of a unique constraint from rows of one fragment.
//
// Two keys are equal if their canonical bytes are: 1.0 is 1.00, -0 is 0, NaN is NaN. A
// key with a null in it is no key and equals nothing.
type keyReader struct {
	cols []Vec
	ints bool // one integer-like column: its value is the key
	buf  []byte
	buf2 []byte
}

// integerKey reports whether Vec.int gives the whole of a value of type t.
func integerKey(t Type) bool {
	switch t.Kind {
	case Int2, Int4, Int8, Date, Time, Timestamp, TimestampTZ:
		return !t.Array
	}
	return false
}

// reset makes r read f's rows.
func (r *keyReader) reset(f *fragment, key []*Column) error {
	r.cols = r.cols[:0]
	for _, c := range key {
		k := f.find(c.ID)
		if k == nil {
			r.cols = append(r.cols, constVec(c.Type, c.Missing, f.rows))
			continue
		}
		v, err := f.open(k)
		if err != nil {
			return err
		}
		r.cols = append(r.cols, *v)
	}
	r.ints = len(key) == 1 && integerKey(key[0].Type)
	return nil
}

var keySeed = maphash.MakeSeed()

// hash returns the hash of row i's key; ok is false if it has none.
func (r *keyReader) hash(i int) (h uint64, ok bool) {
	if r.ints {
		if r.cols[0].IsNull(i) {
			return 0, false
		}
		return mix(uint64(r.cols[0].int(i))), true
	}
	if r.buf, ok = r.append(r.buf[:0], i); !ok {
		return 0, false
	}
	return maphash.Bytes(keySeed, r.buf), true
}

// mix spreads the bits of an integer key (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// equal reports whether row i and row j of other have the same key; both have one.
func (r *keyReader) equal(i int, other *keyReader, j int) bool {
	if r.ints {
		return !other.cols[0].IsNull(j) && r.cols[0].int(i) == other.cols[0].int(j)
	}
	var ok bool
	r.buf, _ = r.append(r.buf[:0], i)
	r.buf2, ok = other.append(r.buf2[:0], j)
	return ok && bytes.Equal(r.buf, r.buf2)
}

// append appends the canonical bytes of row i's key; ok is false if it has none.
func (r *keyReader) append(b []byte, i int) (_ []byte, ok bool) {
	for c := range r.cols {
		v := &r.cols[c]
		if v.IsNull(i) {
			return b, false
		}
		switch {
		case v.typ.Kind == Numeric && !v.typ.Array:
			at := len(b)
			b = append(b, 0, 0, 0, 0)
			b = pgtext.NumericKey(b, v.Bytes(i))
			binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
		case v.typ.Variable():
			x := v.Bytes(i)
			b = binary.LittleEndian.AppendUint32(b, uint32(len(x)))
			b = append(b, x...)
		case v.typ.Kind == Float4:
			b = binary.LittleEndian.AppendUint64(b, canonicalFloat(float64(v.Float32s()[i])))
		case v.typ.Kind == Float8:
			b = binary.LittleEndian.AppendUint64(b, canonicalFloat(v.Float64s()[i]))
		case v.typ.Kind == Decimal:
			hi, lo, nan := v.Decimal(i)
			b = appendBool(b, nan)
			b = binary.LittleEndian.AppendUint64(b, lo)
			b = binary.LittleEndian.AppendUint64(b, uint64(hi))
		case v.typ.Kind == Bool:
			b = appendBool(b, v.Bool(i))
		case v.typ.Kind == UUID:
			b = append(b, v.Bytes(i)...)
		default:
			b = binary.LittleEndian.AppendUint64(b, uint64(v.int(i)))
		}
	}
	return b, true
}

func canonicalFloat(f float64) uint64 {
	switch {
	case f == 0:
		return 0
	case f != f:
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(f)
}

// text returns row i's key as PostgreSQL shows it in the detail of an error.
func (r *keyReader) text(i int) string {
	var parts []string
	for c := range r.cols {
		parts = append(parts, string(r.cols[c].AppendText(nil, i, time.UTC)))
	}
	return strings.Join(parts, ", ")
}

// keyColumns returns the columns of a unique constraint.
func (s *Schema) keyColumns(c *Constraint) ([]*Column, error) {
	var out []*Column
	for _, id := range c.Columns {
		i := s.position(id)
		if i < 0 {
			return nil, fmt.Errorf("columnar: constraint %s names column %d, which table %s does not have", c.Name, id, s.Name)
		}
		out = append(out, &s.Columns[i])
	}
	return out, nil
}

// overlap reports whether values of a chunk with zone z can lie in [lo, hi].
func (z *Zone) overlap(lo, hi Value) bool {
	return z.HasBounds && CompareValues(z.Min, hi) <= 0 && CompareValues(lo, z.Max) <= 0
}

// search returns the row of an ascending column that holds x, or -1.
func (v *Vec) search(x int64) int {
	lo, hi := 0, v.n
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if v.int(mid) < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < v.n && v.int(lo) == x {
		return lo
	}
	return -1
}
