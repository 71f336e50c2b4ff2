package parquet

import (
	"encoding/binary"
	"math/bits"
)

// deltaReader reads DELTA_BINARY_PACKED integers, a miniblock at a time, so that what a
// head claims is never allocated. Its input must have slack.
type deltaReader struct {
	b       []byte
	pos     int   // of the next block's head or miniblock
	left    int   // values not read
	last    int64 // value
	first   bool  // last has not been given
	minimum int64 // delta of the block
	widths  []byte
	minis   int // per block
	perMini int // values of a miniblock
	in      int // values left in the miniblock
	bit     int // of the next value of the miniblock
	width   uint
}

// maxDeltaBlock bounds the values of a block. Writers use 128 to 256.
const maxDeltaBlock = 1 << 20

// reset makes d read b and reports whether its head is one.
func (d *deltaReader) reset(b []byte) bool {
	*d = deltaReader{b: b, first: true}
	block, ok1 := d.uvarint()
	minis, ok2 := d.uvarint()
	total, ok3 := d.uvarint()
	first, ok4 := d.uvarint()
	if !ok1 || !ok2 || !ok3 || !ok4 || block == 0 || block > maxDeltaBlock || minis == 0 || minis > block || block%minis != 0 || total > 1<<31 {
		return false
	}
	d.minis, d.perMini, d.left = int(minis), int(block/minis), int(total)
	d.last = int64(first>>1) ^ -int64(first&1)
	return d.perMini%8 == 0
}

func (d *deltaReader) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(d.b[d.pos:])
	if n <= 0 {
		return 0, false
	}
	d.pos += n
	return v, true
}

// mini goes to the next miniblock.
func (d *deltaReader) mini() bool {
	if len(d.widths) == 0 {
		v, ok := d.uvarint()
		if !ok || d.minis > len(d.b)-d.pos {
			return false
		}
		d.minimum = int64(v>>1) ^ -int64(v&1)
		d.widths = d.b[d.pos : d.pos+d.minis]
		d.pos += d.minis
	}
	d.width, d.widths = uint(d.widths[0]), d.widths[1:]
	d.in, d.bit = d.perMini, d.pos*8
	size := d.perMini / 8 * int(d.width)
	if d.width > 64 {
		return false
	}
	if left := len(d.b) - d.pos; size > left { // the last one may be cut behind its values
		if left*8 < min(d.left, d.perMini)*int(d.width) {
			return false
		}
		size = left
	}
	d.pos += size
	return true
}

// values reads len(dst) values and reports whether there were as many.
func (d *deltaReader) values(dst []int64) bool {
	if len(dst) > d.left {
		return false
	}
	if d.first && len(dst) > 0 {
		d.first = false
		dst[0] = d.last
		d.left--
		dst = dst[1:]
	}
	for len(dst) > 0 {
		if d.in == 0 && !d.mini() {
			return false
		}
		n := min(d.in, len(dst))
		d.unpack(dst[:n])
		d.in -= n
		d.left -= n
		dst = dst[n:]
	}
	return true
}

// unpack reads values of the miniblock.
func (d *deltaReader) unpack(dst []int64) {
	v, bit, w := d.last, d.bit, int(d.width)
	b := d.b[:cap(d.b)]
	mask := uint64(1)<<w - 1
	for i := range dst {
		s := bit & 7
		x := binary.LittleEndian.Uint64(b[bit>>3:]) >> s
		if s+w > 64 {
			x |= uint64(b[bit>>3+8]) << (64 - s)
		}
		v += d.minimum + int64(x&mask)
		dst[i] = v
		bit += w
	}
	d.last, d.bit = v, bit
}

// end returns where the values end in b, of which none has been read yet.
func (d *deltaReader) end() (int, bool) {
	e := *d
	for left := e.left - 1; left > 0; left -= e.perMini {
		e.left = left
		if !e.mini() {
			return 0, false
		}
	}
	return e.pos, true
}

// deltaBytes reads byte arrays of DELTA_LENGTH_BYTE_ARRAY, and of DELTA_BYTE_ARRAY, in
// which a value begins with a part of the one before.
type deltaBytes struct {
	prefixes deltaReader
	lengths  deltaReader
	incr     bool // there are prefixes
	b        []byte
	pos      int
	last     []byte
	n        [2][deltaStep]int64
}

// deltaStep is how many lengths are read at a time.
const deltaStep = 64

// reset makes d read b.
func (d *deltaBytes) reset(b []byte, incremental bool) bool {
	d.incr, d.last = incremental, d.last[:0]
	if incremental {
		if !d.prefixes.reset(b) {
			return false
		}
		end, ok := d.prefixes.end()
		if !ok {
			return false
		}
		b = b[end:]
	}
	if !d.lengths.reset(b) {
		return false
	}
	end, ok := d.lengths.end()
	d.b, d.pos = b, end
	return ok
}

// values appends n values to data and reports whether there were as many; ends has where each
// ends in data. No value is longer than most.
func (d *deltaBytes) values(data []byte, ends []int32, most int) ([]byte, bool) {
	for len(ends) > 0 {
		k := min(len(ends), deltaStep)
		prefix, length := d.n[0][:k], d.n[1][:k]
		if !d.lengths.values(length) || d.incr && !d.prefixes.values(prefix) {
			return data, false
		}
		for i, n := range length {
			if n < 0 || n > int64(len(d.b)-d.pos) {
				return data, false
			}
			v := d.b[d.pos : d.pos+int(n)]
			d.pos += int(n)
			if d.incr {
				p := prefix[i]
				if p < 0 || p > int64(len(d.last)) {
					return data, false
				}
				d.last = append(d.last[:p], v...)
				v = d.last
			}
			if len(v) > most-len(data) {
				return data, false
			}
			data = append(data, v...)
			ends[i] = int32(len(data))
		}
		ends = ends[k:]
	}
	return data, true
}

// unsplit puts n values of width bytes together, from the at-th on, whose k-th bytes lie
// together in b for each k.
func unsplit(dst, b []byte, width, at, n int) {
	stream := len(b) / width
	switch width {
	case 4:
		b0, b1, b2, b3 := b[at:at+n], b[stream+at:][:n], b[2*stream+at:][:n], b[3*stream+at:][:n]
		for i := range b0 {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(b0[i])|uint32(b1[i])<<8|uint32(b2[i])<<16|uint32(b3[i])<<24)
		}
	default:
		for k := range width {
			for i, v := range b[k*stream+at:][:n] {
				dst[i*width+k] = v
			}
		}
	}
}

// levelBits returns the bits of a level up to most.
func levelBits(most int) uint { return uint(bits.Len(uint(most))) }
