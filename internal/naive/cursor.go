package naive

import (
	"encoding/binary"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func crc(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

func u16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// cursor reads the fields of a byte sequence one after another. The first failure stays in err,
// and everything read from then on is zero.
type cursor struct {
	where string // for errors
	b     []byte
	at    int
	err   error

	extras []int // where the length of each extra is that was passed over
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = corrupt(c.where, "at byte %d: "+format, append([]any{c.at}, args...)...)
	}
}

func (c *cursor) left() int { return len(c.b) - c.at }

// bytes returns the next n bytes, or nil if there are fewer.
func (c *cursor) bytes(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > c.left() {
		c.fail("%d bytes wanted, %d left", n, c.left())
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at]
}

func (c *cursor) u8() byte {
	if b := c.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return u32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.bytes(8); b != nil {
		return u64(b)
	}
	return 0
}

func (c *cursor) bool() bool {
	v := c.u8()
	if v > 1 {
		c.fail("bool is %d", v)
	}
	return v == 1
}

func (c *cursor) uvarint() uint64 {
	if c.err != nil {
		return 0
	}
	v, n := binary.Uvarint(c.b[c.at:])
	if n <= 0 {
		c.fail("uvarint without end or above 64 bits")
		return 0
	}
	c.at += n
	return v
}

// limited is a uvarint that may be at most limit.
func (c *cursor) limited(limit uint64, what string) int {
	v := c.uvarint()
	if v > limit {
		c.fail("%s is %d, at most %d", what, v, limit)
		return 0
	}
	return int(v)
}

// count is the uvarint number of things to follow, each of at least one byte.
func (c *cursor) count(what string) int {
	v := c.uvarint()
	if v > uint64(c.left()) {
		c.fail("%d %s in %d bytes", v, what, c.left())
		return 0
	}
	return int(v)
}

func (c *cursor) string() string { return string(c.bytes(c.count("bytes of a string"))) }

// extra passes over an extra.
func (c *cursor) extra() {
	c.extras = append(c.extras, c.at)
	c.bytes(c.count("bytes of an extra"))
}

// id is a number from 1 to below 2^32, of a table or a column.
func (c *cursor) id(what string) uint32 {
	v := c.limited(1<<32-1, what)
	if v == 0 {
		c.fail("%s is 0", what)
	}
	return uint32(v)
}

// bit returns bit i of a bitmap.
func bit(b []byte, i int) bool { return b[i/8]>>(i%8)&1 != 0 }

// allZero tells whether every byte of b is 0.
func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
