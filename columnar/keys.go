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

// keyReader reads the key of a unique constraint from rows of one fragment, or from rows
// that are looked up. It is not changed by reading.
//
// Two keys are equal if their canonical bytes are: 1.0 is 1.00, -0 is 0, NaN is NaN. A
// key with a null in it is no key and equals nothing.
type keyReader struct {
	cols []*Vec
	form keyForm
}

// keyForm says how much of a key has to be looked at.
type keyForm uint8

const (
	keyAny   keyForm = iota // its canonical bytes
	keyInt                  // one column, whose value Vec.int gives whole
	keyBytes                // one column, whose bytes as they are stored are the key
)

// keyScratch is where canonical bytes are made; each goroutine has its own.
type keyScratch struct{ a, b []byte }

// integerKey reports whether Vec.int gives the whole of a value of type t.
func integerKey(t Type) bool {
	switch t.Kind {
	case Int2, Int4, Int8, Date, Time, Timestamp, TimestampTZ:
		return !t.Array
	}
	return false
}

func keyFormOf(key []*Column) keyForm {
	switch t := key[0].Type; {
	case len(key) > 1:
		return keyAny
	case integerKey(t):
		return keyInt
	case t.Array || t.Kind == UUID || (t.Variable() && t.Kind != Numeric):
		return keyBytes
	}
	return keyAny
}

// newKeyReader returns a reader of f's rows.
func newKeyReader(f *fragment, key []*Column) (*keyReader, error) {
	r := new(keyReader)
	return r, r.open(f, key, make([]*Vec, 0, len(key)))
}

// open makes r read f's rows; cols is where it keeps the columns.
func (r *keyReader) open(f *fragment, key []*Column, cols []*Vec) error {
	r.cols, r.form = cols, keyFormOf(key)
	for _, c := range key {
		v, err := f.column(c)
		if err != nil {
			return err
		}
		r.cols = append(r.cols, v)
	}
	return nil
}

// keySeed makes the hashes of a process differ from those of others, so that nobody can
// write an input whose keys all meet.
var (
	keySeed    = maphash.MakeSeed()
	keyIntSeed = maphash.Bytes(keySeed, nil)
)

// noKey is the hash of a row without a key.
const noKey = 0

// hashes stores the hashes of the keys of rows from on in dst, noKey where there is none.
func (r *keyReader) hashes(dst []uint64, from int, s *keyScratch) {
	v := r.cols[0]
	switch r.form {
	case keyInt:
		switch v.typ.Width() {
		case 2:
			mixAll(dst, v.Int16s()[from:])
		case 4:
			mixAll(dst, v.Int32s()[from:])
		default:
			mixAll(dst, v.Int64s()[from:])
		}
	case keyBytes:
		for i := range dst {
			dst[i] = max(maphash.Bytes(keySeed, v.Bytes(from+i)), 1)
		}
	default:
		for i := range dst {
			var ok bool
			if s.a, ok = r.append(s.a[:0], from+i); ok {
				dst[i] = max(maphash.Bytes(keySeed, s.a), 1)
			} else {
				dst[i] = noKey
			}
		}
		return
	}
	if v.valid != nil {
		for i := range dst {
			if v.IsNull(from + i) {
				dst[i] = noKey
			}
		}
	}
}

// mixAll stores the hashes of integer keys. v has at least the rows of dst.
func mixAll[T int16 | int32 | int64](dst []uint64, v []T) {
	v = v[:len(dst)]
	for i, x := range v {
		dst[i] = max(mix(uint64(x)^keyIntSeed), 1)
	}
}

// mix spreads the bits of an integer key (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// equal reports whether row i and row j of other have the same key; row i has one.
func (r *keyReader) equal(i int, other *keyReader, j int, s *keyScratch) bool {
	a, b := r.cols[0], other.cols[0]
	switch r.form {
	case keyInt:
		return a.int(i) == b.int(j) && !b.IsNull(j)
	case keyBytes:
		return bytes.Equal(a.Bytes(i), b.Bytes(j)) && !b.IsNull(j)
	}
	var ok bool
	s.a, _ = r.append(s.a[:0], i)
	s.b, ok = other.append(s.b[:0], j)
	return ok && bytes.Equal(s.a, s.b)
}

// append appends the canonical bytes of row i's key; ok is false if it has none.
func (r *keyReader) append(b []byte, i int) (_ []byte, ok bool) {
	for _, v := range r.cols {
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
	for _, v := range r.cols {
		parts = append(parts, string(v.AppendText(nil, i, time.UTC)))
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
