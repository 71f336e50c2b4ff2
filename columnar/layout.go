package columnar

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/ingotdb/ingot/visibility"
)

// Sizes of the format; see docs/FORMAT.md.
const (
	// MaxFragmentRows is where a fragment closes at the latest.
	MaxFragmentRows = visibility.GroupRows
	// FragmentBytes is about how many bytes of values a fragment holds.
	FragmentBytes = 16 << 20
	// MaxValueBytes is the longest value of a variable-length type, as in PostgreSQL.
	MaxValueBytes = 1 << 30

	chunkAlign       = 64
	chunkHeaderBytes = 64
	maxChunkBytes    = 1<<31 - 1 // offsets are int32
)

const chunkMagic = 0x48434749 // "IGCH"

// Encodings of a chunk.
const (
	encodingPlain = 0
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func align(n int64) int64 { return (n + chunkAlign - 1) &^ (chunkAlign - 1) }

func bitmapBytes(rows int) int64 { return align(int64(rows+7) / 8) }

// columnLayout is where the parts of one plain chunk of a known row count lie,
// relative to the chunk's start. The header is at 0; valid is 0 if there is no bitmap.
type columnLayout struct {
	valid  int64
	values int64 // fixed values, Bool bits, or rows+1 offsets
	size   int64 // whole chunk without variable-length bytes, a multiple of chunkAlign
}

func layoutOf(t Type, notNull bool, rows int) columnLayout {
	l := columnLayout{values: chunkHeaderBytes}
	if !notNull {
		l.valid = chunkHeaderBytes
		l.values += bitmapBytes(rows)
	}
	l.size = l.values + valuesBytes(t, rows)
	return l
}

// valuesBytes returns the aligned size of what columnLayout.values points at.
func valuesBytes(t Type, rows int) int64 {
	switch {
	case t.Variable():
		return align(4 * int64(rows+1))
	case t.Kind == Bool:
		return bitmapBytes(rows)
	}
	return align(int64(rows) * int64(t.Width()))
}

// fragmentSize returns the bytes that the fixed parts of a fragment take.
func fragmentSize(cols []Column, rows int) int64 {
	n := int64(0)
	for i := range cols {
		n += layoutOf(cols[i].Type, cols[i].NotNull, rows).size
	}
	return n
}

// RowBytes returns the bytes that one row takes in the fixed parts of a fragment,
// rounded up: what a plan divides FragmentBytes by.
func (s *Schema) RowBytes() int {
	bits := 0
	for i := range s.Columns {
		c := &s.Columns[i]
		switch {
		case c.Type.Variable():
			bits += 32
		case c.Type.Kind == Bool:
			bits++
		default:
			bits += 8 * c.Type.Width()
		}
		if !c.NotNull {
			bits++
		}
	}
	return (bits + 7) / 8
}

// ColumnBytes returns what each column's fixed parts take for the given rows: header,
// validity and values or offsets, in full fragments and one for the rest.
// Variable-length bytes come on top.
func (s *Schema) ColumnBytes(rows int64) []int64 {
	out := make([]int64, len(s.Columns))
	full, rest := rows/MaxFragmentRows, int(rows%MaxFragmentRows)
	for i := range s.Columns {
		c := &s.Columns[i]
		out[i] = full * layoutOf(c.Type, c.NotNull, MaxFragmentRows).size
		if rest > 0 {
			out[i] += layoutOf(c.Type, c.NotNull, rest).size
		}
	}
	return out
}

// Flags of a chunk header.
const (
	flagValidity = 1 << 0
	flagNaN      = 1 << 1
)

// chunkHeader is the first 64 bytes of a chunk in a data file.
//
// Format: docs/FORMAT.md#chunk. The offsets are relative to the chunk's start but
// for outOff, which is relative to the file's: where the chunk's out-of-line bytes
// lie, the data of variable-length values or the NaN bitmap of a Decimal. vectors is
// the offset of a table of per-vector blocks; 0 for the plain encoding, which has none.
type chunkHeader struct {
	typ      Type
	encoding uint8
	flags    uint8
	rows     uint32
	nulls    uint32
	valid    uint32
	values   uint32
	vectors  uint32
	outOff   uint64
	outLen   uint64
}

func (h *chunkHeader) put(b []byte) {
	le := binary.LittleEndian
	le.PutUint32(b[0:], chunkMagic)
	b[4], b[5], b[6], b[7] = h.encoding, h.flags, byte(h.typ.Kind), h.typ.Precision
	b[8], b[9], b[10], b[11] = h.typ.Scale, byte(b2i(h.typ.Array)), 0, 0
	le.PutUint32(b[12:], h.rows)
	le.PutUint32(b[16:], h.nulls)
	le.PutUint32(b[20:], h.valid)
	le.PutUint32(b[24:], h.values)
	le.PutUint32(b[28:], h.vectors)
	le.PutUint64(b[32:], h.outOff)
	le.PutUint64(b[40:], h.outLen)
	clear(b[48:60])
	le.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
}

// readChunkHeader decodes b, which holds at least 64 bytes; ok is false if magic or
// checksum do not hold.
func readChunkHeader(b []byte) (h chunkHeader, ok bool) {
	le := binary.LittleEndian
	if le.Uint32(b) != chunkMagic || le.Uint32(b[60:]) != crc32.Checksum(b[:60], castagnoli) {
		return h, false
	}
	h.encoding, h.flags = b[4], b[5]
	h.typ = Type{Kind: Kind(b[6]), Precision: b[7], Scale: b[8], Array: b[9] == 1}
	h.rows = le.Uint32(b[12:])
	h.nulls = le.Uint32(b[16:])
	h.valid = le.Uint32(b[20:])
	h.values = le.Uint32(b[24:])
	h.vectors = le.Uint32(b[28:])
	h.outOff = le.Uint64(b[32:])
	h.outLen = le.Uint64(b[40:])
	return h, true
}
