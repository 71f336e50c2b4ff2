package columnar

import (
	"encoding/binary"
	"errors"
	"math"
)

// errWire says that a decoder ran past its input or met an impossible number.
var errWire = errors.New("columnar: malformed record")

// decoder reads what the append functions wrote. The first failure sticks; every
// later read returns zero, so a caller checks err once.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = errWire
	}
	d.b = nil
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.fail()
		return nil
	}
	out := d.b[:n:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) byte() byte {
	if b := d.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) u32() uint32 {
	if b := d.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) u64() uint64 {
	if b := d.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

// count reads a number of items that each take at least size bytes, so that a
// hostile count cannot make the caller allocate more than the input backs.
func (d *decoder) count(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.b)/size) {
		d.fail()
		return 0
	}
	return int(n)
}

// int reads a number that must fit in limit.
func (d *decoder) int(limit uint64) int {
	n := d.uvarint()
	if n > limit || n > math.MaxInt {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) string() string { return string(d.bytes(d.uvarint())) }

// extra passes over what a later version of the format may add to an entry without
// changing what it says to this one: a counted string, empty so far.
func (d *decoder) extra() { d.bytes(d.uvarint()) }

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// appendType writes a type in 8 bytes: kind, precision, scale, array flag, length.
func appendType(b []byte, t Type) []byte {
	b = append(b, byte(t.Kind), t.Precision, t.Scale)
	b = appendBool(b, t.Array)
	return binary.LittleEndian.AppendUint32(b, uint32(t.Length))
}

func (d *decoder) typ() Type {
	b := d.bytes(8)
	if b == nil {
		return Type{}
	}
	t := Type{Kind: Kind(b[0]), Precision: b[1], Scale: b[2], Array: b[3] == 1, Length: int32(binary.LittleEndian.Uint32(b[4:]))}
	if !t.Valid() || b[3] > 1 {
		d.fail()
	}
	return t
}

// appendValue writes a value without its type: a null flag, then 8 bytes, 16 bytes
// or a counted string by kind.
func appendValue(b []byte, v Value) []byte {
	b = appendBool(b, v.Null)
	if v.Null {
		return b
	}
	switch {
	case v.Type.Variable() || v.Type.Kind == UUID:
		return appendString(b, v.S)
	case v.Type.Kind == Float4 || v.Type.Kind == Float8:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.F))
	case v.Type.Kind == Decimal:
		b = appendBool(b, math.IsNaN(v.F))
		b = binary.LittleEndian.AppendUint64(b, uint64(v.I))
		return binary.LittleEndian.AppendUint64(b, uint64(v.Hi))
	}
	return binary.LittleEndian.AppendUint64(b, uint64(v.I))
}

func (d *decoder) value(t Type) Value {
	v := Value{Type: t}
	if v.Null = d.byte() == 1; v.Null {
		return v
	}
	switch {
	case t.Variable() || t.Kind == UUID:
		v.S = d.string()
		if t.Kind == UUID && len(v.S) != 16 {
			d.fail()
		}
	case t.Kind == Float4 || t.Kind == Float8:
		v.F = math.Float64frombits(d.u64())
	case t.Kind == Decimal:
		if d.byte() == 1 {
			v.F = math.NaN()
		}
		v.I = int64(d.u64())
		v.Hi = int64(d.u64())
	default:
		v.I = int64(d.u64())
	}
	return v
}
