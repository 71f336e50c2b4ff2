package columnar

import (
	"encoding/binary"

	"github.com/ingotdb/ingot/kernels"
)

// appendInline writes a fragment in memory as it travels in a log record: packed
// tight, without alignment, checksums (the record has one) or zone maps.
//
// Format: docs/FORMAT.md#inline-fragment.
func appendInline(b []byte, f *fragment) []byte {
	b = binary.AppendUvarint(b, uint64(f.rows))
	b = binary.AppendUvarint(b, uint64(len(f.chunks)))
	for i := range f.chunks {
		k := &f.chunks[i]
		v := &k.vec
		b = binary.AppendUvarint(b, uint64(k.col))
		b = appendType(b, k.typ)
		flags := byte(b2i(v.valid != nil)*flagValidity | b2i(v.nan != nil)*flagNaN)
		b = append(b, flags)
		b = appendPackedBits(b, v.valid, v.n)
		b = appendPackedBits(b, v.nan, v.n)
		switch {
		case v.offs != nil:
			for r := range v.n {
				b = binary.AppendUvarint(b, uint64(v.offs[r+1]-v.offs[r]))
			}
			b = append(b, v.data[v.offs[0]:v.offs[v.n]]...)
		case v.bits != nil:
			b = appendPackedBits(b, v.bits, v.n)
		default:
			b = append(b, v.fixed...)
		}
	}
	return b
}

// appendPackedBits appends the first n bits of words, none if words is nil, in
// (n+7)/8 bytes whose spare bits are zero.
func appendPackedBits(b []byte, words []uint64, n int) []byte {
	if words == nil {
		return b
	}
	at := len(b)
	b = append(b, wordsAsBytes(words)[:(n+7)/8]...)
	if spare := n & 7; spare != 0 {
		b[len(b)-1] &= 1<<spare - 1
	}
	return b[:at+(n+7)/8]
}

func (d *decoder) packedBits(n int) []uint64 {
	src := d.bytes(uint64(n+7) / 8)
	if src == nil {
		return nil
	}
	words := make([]uint64, (n+63)/64)
	copy(wordsAsBytes(words), src)
	return words
}

// inline reads what appendInline wrote and expands it in memory.
func (d *decoder) inline() *fragment {
	f := &fragment{rows: d.int(MaxFragmentRows)}
	n := d.count(10)
	if f.rows == 0 || d.err != nil {
		d.fail()
		return f
	}
	f.chunks = make([]chunk, n)
	last := uint32(0)
	for i := range f.chunks {
		k := &f.chunks[i]
		k.col = uint32(d.int(1<<32 - 1))
		k.typ = d.typ()
		if k.col <= last || d.err != nil {
			d.fail()
			return f
		}
		last = k.col
		d.inlineChunk(k, f.rows)
		if d.err != nil {
			return f
		}
	}
	return f
}

func (d *decoder) inlineChunk(k *chunk, rows int) {
	v := Vec{typ: k.typ, n: rows}
	flags := d.byte()
	nulls := 0
	if flags&^(flagValidity|flagNaN) != 0 {
		d.fail()
	}
	if flags&flagValidity != 0 {
		if v.valid = d.packedBits(rows); v.valid != nil {
			nulls = rows - kernels.PopCount(v.valid, rows)
		}
	}
	if flags&flagNaN != 0 {
		if k.typ.Kind != Decimal {
			d.fail()
			return
		}
		v.nan = d.packedBits(rows)
	}
	switch {
	case k.typ.Variable() && rows > len(d.b): // every length takes a byte
		d.fail()
	case k.typ.Variable():
		v.offs = make([]int32, rows+1)
		sum := uint64(0)
		for r := range rows {
			sum += d.uvarint()
			if sum > uint64(len(d.b)) {
				d.fail()
				return
			}
			v.offs[r+1] = int32(sum)
		}
		v.data = append([]byte(nil), d.bytes(sum)...)
	case k.typ.Kind == Bool:
		v.bits = d.packedBits(rows)
	default:
		src := d.bytes(uint64(rows) * uint64(k.typ.Width()))
		v.fixed = append(alignedBytes(len(src))[:0], src...)
	}
	if d.err != nil {
		return
	}
	k.vec, k.zone = v, zoneOf(&v, nulls)
	k.loc.size = layoutOf(k.typ, nulls == 0, rows).size
	k.loc.outLen = int64(len(v.data))
}

// appendFragment writes the directory of a fragment that lies in a data file.
//
// Format: docs/FORMAT.md#fragment-directory.
func appendFragment(b []byte, f *fragment) []byte {
	b = binary.AppendUvarint(b, uint64(f.rows))
	b = binary.AppendUvarint(b, uint64(len(f.chunks)))
	for i := range f.chunks {
		k := &f.chunks[i]
		b = binary.AppendUvarint(b, uint64(k.col))
		b = appendType(b, k.typ)
		b = binary.AppendUvarint(b, uint64(k.loc.off))
		b = binary.AppendUvarint(b, uint64(k.loc.size))
		b = binary.LittleEndian.AppendUint32(b, k.loc.crc)
		b = binary.AppendUvarint(b, uint64(k.loc.outOff))
		b = binary.AppendUvarint(b, uint64(k.loc.outLen))
		b = binary.LittleEndian.AppendUint32(b, k.loc.outCRC)
		b = binary.AppendUvarint(b, uint64(k.zone.Nulls))
		b = appendZone(b, &k.zone)
		b = append(b, 0) // no extra
	}
	return b
}

// fragment reads a directory; df is the file that its chunks lie in.
func (d *decoder) fragment(df *dataFile) *fragment {
	f := &fragment{rows: d.int(MaxFragmentRows), file: df}
	f.chunks = make([]chunk, d.count(24))
	if f.rows == 0 {
		d.fail()
	}
	last := uint32(0)
	for i := range f.chunks {
		k := &f.chunks[i]
		k.col = uint32(d.int(1<<32 - 1))
		k.typ = d.typ()
		k.loc.off = int64(d.int(1 << 62))
		k.loc.size = int64(d.int(1 << 40))
		k.loc.crc = d.u32()
		k.loc.outOff = int64(d.int(1 << 62))
		k.loc.outLen = int64(d.int(maxChunkBytes))
		k.loc.outCRC = d.u32()
		nulls := d.int(uint64(f.rows))
		k.zone = d.zone(k.typ)
		k.zone.Nulls = nulls
		d.extra()
		if k.col <= last {
			d.fail()
		}
		if last = k.col; d.err != nil {
			break
		}
	}
	return f
}
