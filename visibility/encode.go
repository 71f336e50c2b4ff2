package visibility

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// ErrMalformed is wrapped by the error of DecodeGroup.
var ErrMalformed = errors.New("malformed row group")

// Codes of a vector's delete state in the encoding.
const (
	codeNone   = 0
	codeAll    = 1
	codeBitmap = 2
	codeList   = 3
)

const (
	groupHeaderBytes = 8
	bitmapBytes      = vectorWords * 8

	// maxListed is the largest number of rows for which a list is smaller than a bitmap.
	maxListed = (bitmapBytes - 1 - 1) / 2
)

// AppendBinary appends the encoding of g to dst and returns the extended slice.
//
// All integers are little-endian:
//
//	offset  bytes  field
//	0       4      rows, at most 131,072
//	4       4      deleted, at most rows
//
// If deleted is 0 or equals rows, that is all. Otherwise, with V = ceil(rows / 2048)
// vectors:
//
//	8       ceil(V/4)  one code of two bits for each vector, from the low bits of the first
//	                   byte upward; unused bits of the last byte are 0
//	...                for each vector in order, by its code:
//	                   0 none    nothing: no row is deleted
//	                   1 all     nothing: every row is deleted
//	                   2 bitmap  256 bytes: 32 words of 64 bits, bit i%64 of word i/64 set if
//	                             row i of the vector is deleted; bits past the last row are 0
//	                   3 list    1 byte n, then n deleted rows of the vector, 2 bytes each,
//	                             ascending
//
// A group has exactly one encoding: 1 is used if and only if all rows of the vector are
// deleted, and of the last two forms the list is used for 1 to 127 deleted rows, where it is the
// smaller one, and the bitmap above. deleted is the sum over all vectors.
func (g *Group) AppendBinary(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, g.rows)
	dst = binary.LittleEndian.AppendUint32(dst, g.deleted)
	if g.deleted == 0 || g.deleted == g.rows {
		return dst
	}
	vectors := g.Vectors()
	codes := len(dst)
	dst = append(dst, make([]byte, (vectors+3)/4)...)
	for v := range vectors {
		state, b := g.Vector(v)
		code := byte(codeNone)
		switch state {
		case All:
			code = codeAll
		case Some:
			if n := deletedIn(b, 0, VectorRows); n <= maxListed {
				code = codeList
				dst = append(dst, byte(n))
				dst = appendList(dst, b)
			} else {
				code = codeBitmap
				for _, w := range b {
					dst = binary.LittleEndian.AppendUint64(dst, w)
				}
			}
		}
		dst[codes+v/4] |= code << (v % 4 * 2)
	}
	return dst
}

// appendList appends the positions of the set bits of b, 2 bytes each, ascending.
func appendList(dst []byte, b *bitmap) []byte {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(i*64+bits.TrailingZeros64(w)))
		}
	}
	return dst
}

// DecodeGroup decodes the group that b begins with and returns it with what follows it.
//
// b may be any bytes: what [Group.AppendBinary] would not have written is an error that wraps
// ErrMalformed, and g and rest are then nil. b is only read and not kept.
func DecodeGroup(b []byte) (g *Group, rest []byte, err error) {
	if len(b) < groupHeaderBytes {
		return nil, nil, malformed("%d bytes are no header", len(b))
	}
	rows, deleted := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	b = b[groupHeaderBytes:]
	if rows > GroupRows || deleted > rows {
		return nil, nil, malformed("%d of %d rows deleted", deleted, rows)
	}
	g = NewGroup(rows)
	switch deleted {
	case 0:
		return g, b, nil
	case rows:
		g, _ = g.WithDeletedRange(0, rows)
		return g, b, nil
	}

	g.deleted = deleted
	vectors := uint32(g.Vectors())
	codeBytes := int(vectors+3) / 4
	if len(b) < codeBytes {
		return nil, nil, malformed("%d bytes for %d vectors", len(b), vectors)
	}
	codes, b := b[:codeBytes], b[codeBytes:]
	if used := vectors % 4 * 2; used != 0 && codes[codeBytes-1]>>used != 0 {
		return nil, nil, malformed("codes past vector %d", vectors)
	}
	sum := uint32(0)
	for v := range vectors {
		n, size := uint32(0), 0
		switch codes[v/4] >> (v % 4 * 2) & 3 {
		case codeAll:
			g.vectors[v] = &allDeleted
			n = g.vectorRows(v)
		case codeBitmap:
			g.vectors[v], n, size, err = decodeBitmap(b, g.vectorRows(v))
		case codeList:
			g.vectors[v], n, size, err = decodeList(b, g.vectorRows(v))
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%w (vector %d)", err, v)
		}
		sum += n
		b = b[size:]
	}
	if sum != deleted {
		return nil, nil, malformed("vectors have %d deleted rows, group has %d", sum, deleted)
	}
	g.setLongest(g.findLongest())
	return g, b, nil
}

// decodeBitmap decodes the bitmap of a vector of the given number of rows that b begins with. It
// returns the number of bits set and of bytes read.
func decodeBitmap(b []byte, rows uint32) (m *bitmap, n uint32, size int, err error) {
	if len(b) < bitmapBytes {
		return nil, 0, 0, malformed("%d bytes are no bitmap", len(b))
	}
	m = new(bitmap)
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(b[i*8:])
	}
	n = deletedIn(m, 0, VectorRows)
	if n <= maxListed || n == rows || afterLastSet(m) > rows {
		return nil, 0, 0, malformed("bitmap of %d bits up to %d for %d rows", n, afterLastSet(m), rows)
	}
	return m, n, bitmapBytes, nil
}

// decodeList decodes the list of deleted rows of a vector of the given number of rows that b
// begins with. It returns the number of rows listed and of bytes read.
func decodeList(b []byte, rows uint32) (m *bitmap, n uint32, size int, err error) {
	if len(b) == 0 {
		return nil, 0, 0, malformed("no list")
	}
	n = uint32(b[0])
	size = 1 + 2*int(n)
	if n == 0 || n > maxListed || n == rows || len(b) < size {
		return nil, 0, 0, malformed("list of %d for %d rows in %d bytes", n, rows, len(b))
	}
	m = new(bitmap)
	next := uint32(0)
	for at := 1; at < size; at += 2 {
		i := uint32(binary.LittleEndian.Uint16(b[at:]))
		if i < next || i >= rows {
			return nil, 0, 0, malformed("row %d listed where %d to %d may follow", i, next, rows)
		}
		m[i/64] |= 1 << (i % 64)
		next = i + 1
	}
	return m, n, size, nil
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("visibility: %w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}
