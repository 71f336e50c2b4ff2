package copy

import (
	"encoding/binary"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/visibility"
)

// A staged batch has room for stagedRows rows, or for less if they are wide, and is closed at
// about stagedData bytes of values of variable length.
const (
	stagedRows  = 8192
	stagedData  = 4 << 20
	stagedFixed = 1 << 20
)

// A block, which is what an encoder is given at a time, has blockRows rows at most, and no
// more than one if its values of variable length exceed blockData bytes.
const (
	blockRows = visibility.VectorRows
	blockData = 1 << 20
)

// rowBuffer is rows by column, with room for a number of them.
type rowBuffer struct {
	cols  []columnar.ColumnBuf
	nulls []bool // the column may have NULLs
	rows  int
	room  int
}

// newRowBuffer returns a buffer with room for n rows.
func newRowBuffer(types []columnar.Type, n int) *rowBuffer {
	b := &rowBuffer{cols: make([]columnar.ColumnBuf, len(types)), nulls: make([]bool, len(types)), room: n}
	for i, t := range types {
		b.cols[i] = newColumnBuf(t, n)
	}
	return b
}

// rowBytes returns about the bytes that a row of fixed parts takes in a buffer.
func rowBytes(types []columnar.Type) (n int) {
	for _, t := range types {
		n += 1 + t.Width()
		if t.Variable() {
			n += 4
		}
	}
	return n
}

// reset forgets the rows and keeps the memory.
func (b *rowBuffer) reset() {
	for i := range b.cols {
		c := &b.cols[i]
		clear(c.Valid)
		clear(c.Bits)
		c.Data, c.NaN = c.Data[:0], nil
	}
	clear(b.nulls)
	b.rows = 0
}

// add appends rows of cols, from row from on, n of them or fewer, and returns how many fit.
func (b *rowBuffer) add(cols []columnar.Vec, from, n int) int {
	n = min(n, b.room-b.rows)
	for i := range cols {
		c := &b.cols[i]
		if c.Offsets == nil {
			continue
		}
		o := cols[i].Offsets()
		for n > 1 && len(c.Data)+int(o[from+n]-o[from]) > stagedData {
			n /= 2
		}
		if len(c.Data) > 0 && len(c.Data)+int(o[from+n]-o[from]) > stagedData {
			return 0
		}
	}
	for i := range cols {
		v := cols[i].Slice(from, n)
		b.nulls[i] = b.nulls[i] || v.HasNulls()
		appendVec(&b.cols[i], b.rows, &v)
	}
	b.rows += n
	return n
}

// dataBytes returns the bytes of values of variable length.
func (b *rowBuffer) dataBytes() (n int64) {
	for i := range b.cols {
		n += int64(cap(b.cols[i].Data))
	}
	return n
}

// vecs sets dst to the rows of b, which are valid as long as b does not change.
func (b *rowBuffer) vecs(dst []columnar.Vec) []columnar.Vec {
	dst = dst[:0]
	for i := range b.cols {
		c := &b.cols[i]
		v := columnar.ColumnBuf{Type: c.Type, Bits: c.Bits, NaN: c.NaN, Data: c.Data, Fixed: c.Fixed[:b.rows*c.Type.Width()]}
		if b.nulls[i] {
			v.Valid = c.Valid
		}
		if c.Offsets != nil {
			v.Offsets = c.Offsets[:b.rows+1]
		}
		dst = append(dst, columnar.MakeVec(v.Type, b.rows, v.Valid, v.Fixed, v.Bits, v.Offsets, v.Data, v.NaN))
	}
	return dst
}

// rowRef is a row of a staged batch.
type rowRef struct{ batch, row uint32 }

// gather replaces the rows of b by those of refs, of which it takes as many as there is room
// for, and returns how many that is.
func (b *rowBuffer) gather(from []*rowBuffer, refs []rowRef) int {
	b.reset()
	refs = refs[:b.fit(from, refs[:min(len(refs), b.room)])]
	b.rows = len(refs)
	for i := range b.cols {
		b.gatherColumn(i, from, refs)
	}
	return len(refs)
}

// fit returns how many of refs have no more than blockData bytes together, one at least.
func (b *rowBuffer) fit(from []*rowBuffer, refs []rowRef) int {
	for i := range b.cols {
		if b.cols[i].Offsets == nil {
			continue
		}
		size := 0
		for k, r := range refs {
			o := from[r.batch].cols[i].Offsets
			if size += int(o[r.row+1] - o[r.row]); size > blockData && k > 0 {
				refs = refs[:k]
				break
			}
		}
	}
	return len(refs)
}

// gatherColumn copies column i of refs.
func (b *rowBuffer) gatherColumn(i int, from []*rowBuffer, refs []rowRef) {
	c := &b.cols[i]
	for k, r := range refs {
		src := from[r.batch]
		valid := true
		if src.nulls[i] {
			valid = src.cols[i].Valid[r.row>>6]>>(r.row&63)&1 != 0
			b.nulls[i] = b.nulls[i] || !valid
		}
		if valid {
			c.Valid[k>>6] |= 1 << (k & 63)
		}
	}
	switch w := c.Type.Width(); {
	case c.Offsets != nil:
		for k, r := range refs {
			s := &from[r.batch].cols[i]
			c.Data = append(c.Data, s.Data[s.Offsets[r.row]:s.Offsets[r.row+1]]...)
			c.Offsets[k+1] = int32(len(c.Data))
		}
	case w == 0:
		for k, r := range refs {
			c.Bits[k>>6] |= from[r.batch].cols[i].Bits[r.row>>6] >> (r.row & 63) & 1 << (k & 63)
		}
	case w == 4:
		for k, r := range refs {
			binary.NativeEndian.PutUint32(c.Fixed[4*k:], binary.NativeEndian.Uint32(from[r.batch].cols[i].Fixed[4*r.row:]))
		}
	case w == 8:
		for k, r := range refs {
			binary.NativeEndian.PutUint64(c.Fixed[8*k:], binary.NativeEndian.Uint64(from[r.batch].cols[i].Fixed[8*r.row:]))
		}
	default:
		for k, r := range refs {
			at := int(r.row) * w
			copy(c.Fixed[w*k:w*(k+1)], from[r.batch].cols[i].Fixed[at:])
		}
	}
	if c.Type.Kind == columnar.Decimal && !c.Type.Array {
		b.gatherNaN(i, from, refs)
	}
}

// gatherNaN copies which values of column i are NaN.
func (b *rowBuffer) gatherNaN(i int, from []*rowBuffer, refs []rowRef) {
	c := &b.cols[i]
	for k, r := range refs {
		if nan := from[r.batch].cols[i].NaN; nan != nil && nan[r.row>>6]>>(r.row&63)&1 != 0 {
			c.EnsureNaN(b.room)
			c.NaN[k>>6] |= 1 << (k & 63)
		}
	}
}
