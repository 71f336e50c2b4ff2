package parquet

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

const (
	// dictionaryBytes is the most that a dictionary takes: readers keep it in memory.
	dictionaryBytes = 1 << 20

	// sampleValues is after how many values it is looked at whether they repeat.
	sampleValues = 4096
)

// dictionaryBuilder finds the distinct values of a column, in the order in which they appear,
// and the number of each value.
type dictionaryBuilder struct {
	seed    maphash.Seed
	table   []uint32 // numbers plus one, by hash; 0 is free
	indices []uint32 // of the values
	first   []int    // of each distinct value, the number of the value that it was first
}

// worthwhile reports whether n values, of which d are distinct, may end smaller.
func worthwhile(n, d int) bool { return n < sampleValues || d <= n/2 }

// build finds the distinct values of c and reports whether the column gets smaller by a
// dictionary of them.
func (t *dictionaryBuilder) build(c *builder) bool {
	if c.phys == physBoolean || c.values < 2 {
		return false
	}
	if t.table == nil {
		t.seed = maphash.MakeSeed()
		t.table = make([]uint32, 4096)
	} else {
		t.table = t.table[:min(len(t.table), 4096)]
		clear(t.table)
	}
	t.indices, t.first = t.indices[:0], t.first[:0]
	var ok bool
	switch {
	case c.width == 4:
		ok = t.numbers(c, func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(c.fixed[4*i:])) })
	case c.width == 8:
		ok = t.numbers(c, func(i int) uint64 { return binary.LittleEndian.Uint64(c.fixed[8*i:]) })
	default:
		ok = t.bytes(c)
	}
	if !ok {
		return false
	}
	plain, size := c.plainBytes(0, c.values), 0
	for _, i := range t.first {
		size += c.plainBytes(i, i+1)
	}
	return size <= dictionaryBytes && size+c.values*int(bitWidth(len(t.first)))/8 < plain/10*9
}

// numbers is build for values of up to 64 bits.
func (t *dictionaryBuilder) numbers(c *builder, value func(i int) uint64) bool {
	most := dictionaryBytes / c.width
	for i := range c.values {
		v := value(i)
		shift := 64 - bits.Len(uint(len(t.table)-1))
		h := int(v * 0x9e3779b97f4a7c15 >> shift)
		for t.table[h] != 0 && value(t.first[t.table[h]-1]) != v {
			h = (h + 1) & (len(t.table) - 1)
		}
		if t.table[h] != 0 {
			t.indices = append(t.indices, t.table[h]-1)
			continue
		}
		if !t.add(i, h, most) {
			return false
		}
		if 2*len(t.first) > len(t.table) {
			t.grow()
			shift := 64 - bits.Len(uint(len(t.table)-1))
			for k, f := range t.first {
				t.place(k, int(value(f)*0x9e3779b97f4a7c15>>shift))
			}
		}
	}
	return true
}

// bytes is build for values that are bytes.
func (t *dictionaryBuilder) bytes(c *builder) bool {
	size := 0
	for i := range c.values {
		v := c.value(i)
		h := int(maphash.Bytes(t.seed, v)) & (len(t.table) - 1)
		for t.table[h] != 0 && !bytes.Equal(c.value(t.first[t.table[h]-1]), v) {
			h = (h + 1) & (len(t.table) - 1)
		}
		if t.table[h] != 0 {
			t.indices = append(t.indices, t.table[h]-1)
			continue
		}
		if size += 4 + len(v); size > dictionaryBytes || !t.add(i, h, dictionaryBytes) {
			return false
		}
		if 2*len(t.first) > len(t.table) {
			t.grow()
			for k, f := range t.first {
				t.place(k, int(maphash.Bytes(t.seed, c.value(f)))&(len(t.table)-1))
			}
		}
	}
	return true
}

// add makes value i a distinct one, at h of the table.
func (t *dictionaryBuilder) add(i, h, most int) bool {
	t.first = append(t.first, i)
	t.indices = append(t.indices, uint32(len(t.first)-1))
	t.table[h] = uint32(len(t.first))
	return len(t.first) <= most && worthwhile(i+1, len(t.first))
}

func (t *dictionaryBuilder) grow() {
	if n := 4 * len(t.table); cap(t.table) >= n {
		t.table = t.table[:n]
		clear(t.table)
	} else {
		t.table = make([]uint32, n)
	}
}

// place puts distinct value k, which is not there, into the table from h on.
func (t *dictionaryBuilder) place(k, h int) {
	for t.table[h] != 0 {
		h = (h + 1) & (len(t.table) - 1)
	}
	t.table[h] = uint32(k + 1)
}

// value returns value i of a column of bytes, of a fixed number too.
func (c *builder) value(i int) []byte {
	if c.width > 0 {
		return c.fixed[i*c.width : (i+1)*c.width]
	}
	from := 0
	if i > 0 {
		from = c.ends[i-1]
	}
	return c.data[from:c.ends[i]]
}

// plainBytes returns the bytes that values from to to-1 take in a plain page.
func (c *builder) plainBytes(from, to int) int {
	switch {
	case from == to:
		return 0
	case c.phys == physBoolean:
		return (to - from + 7) / 8
	case c.width > 0:
		return (to - from) * c.width
	}
	start := 0
	if from > 0 {
		start = c.ends[from-1]
	}
	return c.ends[to-1] - start + 4*(to-from)
}

// plain appends values from to to-1 as a plain page has them.
func (c *builder) plain(dst []byte, from, to int) []byte {
	switch {
	case c.phys == physBoolean:
		at := len(dst)
		dst = append(dst, make([]byte, (to-from+7)/8)...)
		for i := from; i < to; i++ {
			if bitAt(c.bools, i) {
				dst[at+(i-from)>>3] |= 1 << ((i - from) & 7)
			}
		}
		return dst
	case c.width > 0:
		return append(dst, c.fixed[from*c.width:to*c.width]...)
	}
	start := 0
	if from > 0 && from < to {
		start = c.ends[from-1]
	}
	for _, end := range c.ends[from:to] {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(end-start))
		dst = append(dst, c.data[start:end]...)
		start = end
	}
	return dst
}

// appendHybrid appends values of width bits as runs and packed groups.
func appendHybrid[T uint8 | uint32](dst []byte, v []T, width uint) []byte {
	const worth = 16 // equal values that make a run
	packed := 0      // where the packed values begin that were not appended
	for i := 0; i < len(v); {
		j := i + 1
		for j < len(v) && v[j] == v[i] {
			j++
		}
		fill := (8 - (i-packed)%8) % 8 // of the run, to end the groups before it
		if j-i-fill < worth {
			i = j
			continue
		}
		dst = appendPacked(dst, v[packed:i+fill], width)
		dst = binary.AppendUvarint(dst, uint64(j-i-fill)<<1)
		for k := uint(0); k < width; k += 8 {
			dst = append(dst, byte(uint32(v[i])>>k))
		}
		i, packed = j, j
	}
	return appendPacked(dst, v[packed:], width)
}

// appendPacked appends packed groups of 8 values; the last is filled up with zeros.
func appendPacked[T uint8 | uint32](dst []byte, v []T, width uint) []byte {
	if len(v) == 0 {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(len(v)+7)/8<<1|1)
	word, have := uint64(0), uint(0)
	for _, x := range v {
		word |= uint64(x) << have
		for have += width; have >= 32; have -= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(word))
			word >>= 32
		}
	}
	have += uint(-len(v)&7) * width
	for ; have >= 8; have -= 8 {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst
}
