package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/ingotdb/ingot/internal/bitmap"
)

// slack is how many bytes behind every page may be read: eight-byte loads of packed values and
// copies of short ones need no special end.
const slack = 16

// hybrid reads the mix of runs and bit-packed groups that levels and dictionary indices are
// in. Its input must have slack bytes behind it that may be read.
type hybrid struct {
	b     []byte
	width uint // bits of a value, up to 32

	run    int    // values left of a run
	value  uint32 // of the run
	packed int    // values left of packed groups
	bit    int    // where the next packed value starts in b, in bits
	pos    int    // where the next head is
}

// reset makes h read b, which has cap for slack more.
func (h *hybrid) reset(b []byte, width uint) { *h = hybrid{b: b, width: width} }

// more goes to the next run or groups and reports whether there is one.
func (h *hybrid) more() bool {
	for h.run == 0 && h.packed == 0 {
		head, n := binary.Uvarint(h.b[h.pos:])
		if n <= 0 || head>>1 > 1<<31-1 {
			return false
		}
		h.pos += n
		count := int(head >> 1)
		if head&1 == 0 {
			size := int(h.width+7) / 8
			if size > len(h.b)-h.pos {
				return false
			}
			h.run, h.value = count, 0
			for i := range size {
				h.value |= uint32(h.b[h.pos+i]) << (8 * i)
			}
			h.pos += size
			continue
		}
		size := count * int(h.width)
		h.packed, h.bit = count*8, h.pos*8
		if left := len(h.b) - h.pos; size > left { // the last groups may be cut short
			size = left
			h.packed = left * 8 / int(h.width)
		}
		h.pos += size
	}
	return true
}

// readHybrid reads len(dst) values, which T must have room for, and reports whether there
// were as many.
func readHybrid[T uint8 | uint32](h *hybrid, dst []T) bool {
	for len(dst) > 0 {
		if !h.more() {
			return false
		}
		n := min(h.run, len(dst))
		if h.run > 0 {
			for i := range dst[:n] {
				dst[i] = T(h.value)
			}
			h.run -= n
		} else {
			n = min(h.packed, len(dst))
			h.bit = unpack(dst[:n], h.b, h.bit, h.width)
			h.packed -= n
		}
		dst = dst[n:]
	}
	return true
}

// unpack reads len(dst) values of width bits from bit on and returns where it ends.
func unpack[T uint8 | uint32](dst []T, b []byte, bit int, width uint) int {
	b = b[:cap(b)]
	mask := uint64(1)<<width - 1
	for i := range dst {
		dst[i] = T(binary.LittleEndian.Uint64(b[bit>>3:]) >> (bit & 7) & mask)
		bit += int(width)
	}
	return bit
}

// bits reads n values of one bit into dst from bit at on, of which nothing is set, and
// returns how many are 1; ok reports whether there were n.
func (h *hybrid) bits(dst []uint64, at, n int) (ones int, ok bool) {
	for n > 0 {
		if !h.more() {
			return ones, false
		}
		k := min(h.run, n)
		if h.run > 0 {
			if h.value&1 != 0 {
				bitmap.Set(dst, at, k)
				ones += k
			}
			h.run -= k
		} else {
			k = min(h.packed, n)
			ones += loadBits(dst, at, h.b, h.bit, k)
			h.bit += k
			h.packed -= k
		}
		at += k
		n -= k
	}
	return ones, true
}

// loadBits ors n bits of b, which start at bit from, into dst from bit at on, and returns how
// many are set. b has slack.
func loadBits(dst []uint64, at int, b []byte, from, n int) (ones int) {
	b = b[:cap(b)]
	for n > 0 {
		k := min(56, 64-at&63, n)
		w := binary.LittleEndian.Uint64(b[from>>3:]) >> (from & 7) & (1<<k - 1)
		dst[at>>6] |= w << (at & 63)
		ones += bits.OnesCount64(w)
		at += k
		from += k
		n -= k
	}
	return ones
}

// bitAt reports whether bit i is set.
func bitAt(words []uint64, i int) bool { return words[i>>6]>>(i&63)&1 != 0 }
