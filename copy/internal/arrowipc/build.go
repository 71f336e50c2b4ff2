package arrowipc

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// builder writes a flatbuffer from front to back: what a table refers to comes behind it.
type builder struct{ b []byte }

// value is what a slot of a table holds. A reference is filled in when what it refers to
// is written.
type value struct {
	size int // 0: absent
	bits uint64
}

func u8(v int) value    { return value{1, uint64(v)} }
func i16(v int) value   { return value{2, uint64(v)} }
func i32(v int) value   { return value{4, uint64(v)} }
func i64(v int64) value { return value{8, uint64(v)} }

var (
	absent = value{}
	ref    = value{size: 4}
)

// boolean is a slot of a truth value.
func boolean(v bool) value {
	if v {
		return u8(1)
	}
	return u8(0)
}

// newBuilder returns a buffer whose root is written next.
func newBuilder() *builder { return &builder{b: make([]byte, 4, 512)} }

// align pads until the length is off more than a multiple of n.
func (w *builder) align(n, off int) {
	for (len(w.b)-off)%n != 0 {
		w.b = append(w.b, 0)
	}
}

// table writes a table and returns where its slots are, 0 for those that are absent.
func (w *builder) table(from int, slots ...value) []int {
	w.align(2, 0)
	vtable := len(w.b)
	w.b = append(w.b, make([]byte, 4+2*len(slots))...)
	w.align(8, 0)
	pos := len(w.b)
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(pos-vtable))
	at := make([]int, len(slots))
	for i, s := range slots {
		if s.size == 0 {
			continue
		}
		w.align(s.size, 0)
		at[i] = len(w.b)
		binary.LittleEndian.PutUint16(w.b[vtable+4+2*i:], uint16(at[i]-pos))
		w.b = append(w.b, make([]byte, s.size)...)
		for k := range s.size {
			w.b[at[i]+k] = byte(s.bits >> (8 * k))
		}
	}
	binary.LittleEndian.PutUint16(w.b[vtable:], uint16(4+2*len(slots)))
	binary.LittleEndian.PutUint16(w.b[vtable+2:], uint16(len(w.b)-pos))
	w.refer(from, pos)
	return at
}

// refer makes the reference at from lead to pos.
func (w *builder) refer(from, pos int) {
	binary.LittleEndian.PutUint32(w.b[from:], uint32(pos-from))
}

// text writes a string.
func (w *builder) text(from int, s string) {
	w.align(4, 0)
	w.refer(from, len(w.b))
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(len(s)))
	w.b = append(append(w.b, s...), 0)
}

// words writes a vector of n structs of 64-bit integers, which follow as values.
func (w *builder) words(from, n int, values []int64) {
	w.align(8, 4)
	w.refer(from, len(w.b))
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(n))
	for _, v := range values {
		w.b = binary.LittleEndian.AppendUint64(w.b, uint64(v))
	}
}

// refs writes a vector of n references and returns where they are.
func (w *builder) refs(from, n int) []int {
	w.align(4, 0)
	w.refer(from, len(w.b))
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(n))
	at := make([]int, n)
	for i := range at {
		at[i] = len(w.b)
		w.b = append(w.b, 0, 0, 0, 0)
	}
	return at
}

// message writes a message around what header writes.
func (w *builder) message(kind int, body int64, header func(from int)) {
	at := w.table(0, i16(version5), u8(kind), ref, i64(body))
	header(at[2])
}

// batch writes a RecordBatch table: two words for each array, its rows and its nulls, and
// for each buffer, where it starts and its bytes.
func (w *builder) batch(from int, rows int64, nodes, extents []int64, codec Codec) {
	slots := []value{i64(rows), ref, ref, absent}
	if codec != Uncompressed {
		slots[3] = ref
	}
	at := w.table(from, slots...)
	w.words(at[1], len(nodes)/2, nodes)
	w.words(at[2], len(extents)/2, extents)
	if codec != Uncompressed {
		w.table(at[3], u8(int(codec)), u8(0))
	}
}

// schema writes a Schema table.
func (w *builder) schema(from int, fields []arrow.Field) error {
	at := w.table(from, absent, ref)
	list := w.refs(at[1], len(fields))
	for i := range fields {
		if err := w.field(list[i], &fields[i]); err != nil {
			return err
		}
	}
	return nil
}

// field writes a Field table.
func (w *builder) field(from int, f *arrow.Field) error {
	var kind int
	var slots []value
	zone := ""
	var child *arrow.Field
	switch t := f.Type.(type) {
	case *arrow.BooleanType:
		kind = typeBool
	case *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type:
		kind, slots = typeInt, []value{i32(t.(arrow.FixedWidthDataType).BitWidth()), boolean(true)}
	case *arrow.Float32Type:
		kind, slots = typeFloatingPoint, []value{i16(1)}
	case *arrow.Float64Type:
		kind, slots = typeFloatingPoint, []value{i16(2)}
	case *arrow.StringType:
		kind = typeUtf8
	case *arrow.BinaryType:
		kind = typeBinary
	case *arrow.Decimal128Type:
		kind, slots = typeDecimal, []value{i32(int(t.Precision)), i32(int(t.Scale)), i32(128)}
	case *arrow.Date32Type:
		kind, slots = typeDate, []value{i16(0)}
	case *arrow.Time64Type:
		kind, slots = typeTime, []value{i16(int(t.Unit)), i32(64)}
	case *arrow.TimestampType:
		if kind, slots, zone = typeTimestamp, []value{i16(int(t.Unit)), absent}, t.TimeZone; zone != "" {
			slots[1] = ref
		}
	case *arrow.FixedSizeBinaryType:
		kind, slots = typeFixedSizeBinary, []value{i32(t.ByteWidth)}
	case *arrow.ListType:
		elem := t.ElemField()
		kind, child = typeList, &elem
	default:
		return fmt.Errorf("arrowipc: columns of type %s are not written", f.Type)
	}
	at := w.table(from, ref, boolean(f.Nullable), u8(kind), ref, absent, ref)
	w.text(at[0], f.Name)
	in := w.table(at[3], slots...)
	if zone != "" {
		w.text(in[1], zone)
	}
	if child == nil {
		w.refs(at[5], 0)
		return nil
	}
	return w.field(w.refs(at[5], 1)[0], child)
}

// framed returns the metadata with what stands before it, so that what follows starts on a
// multiple of 64 bytes if the message does, or off bytes before one.
func (w *builder) framed(off int) []byte {
	out := make([]byte, 8, len(w.b)+72)
	out = append(out, w.b...)
	for (len(out)+off)%64 != 0 {
		out = append(out, 0)
	}
	binary.LittleEndian.PutUint32(out, 0xffffffff)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}
