package parquet

import (
	"encoding/binary"
	"slices"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
)

// values reads n values of the page into c.out, one after another from row at on.
func (c *column) values(at, n int) error {
	if n == 0 {
		return nil
	}
	switch {
	case c.field.meaning == meansNull:
		return c.damaged("it has values although its type is null")
	case c.coding == codedDictionary:
		return c.gather(at, n)
	case c.field.phys == physBoolean:
		return c.booleans(at, n)
	case c.field.phys == physByteArray && c.w == 0:
		return c.texts(at, n)
	case c.field.meaning == meansUUID && c.field.phys == physByteArray:
		return c.uuids(at, n)
	case c.field.phys == physByteArray:
		return c.decimals(at, n)
	case c.w == 0:
		return c.fixedTexts(at, n)
	}
	src, err := c.fixed(n)
	if err != nil {
		return err
	}
	dst := c.out.fixed[at*c.w : (at+n)*c.w]
	if c.widen == nil {
		copy(dst, src)
		return nil
	}
	c.convert(dst, src, at, n)
	return nil
}

// convert widens n values and moves the numbers of the bad ones, which are rows from at on.
func (c *column) convert(dst, src []byte, at, n int) {
	bad := len(c.out.bad)
	c.widen(dst, src, n, &c.out.bad)
	for i := range c.out.bad[bad:] {
		c.out.bad[bad+i] += int32(at)
	}
}

// fixed returns the next n values of fixed width as they are in the file.
func (c *column) fixed(n int) ([]byte, error) {
	size := n * c.phys
	switch c.coding {
	case codedPlain:
		if size > len(c.body)-c.pos {
			return nil, c.damaged("a page has fewer values than it says")
		}
		c.pos += size
		return c.body[c.pos-size : c.pos], nil
	case codedSplit:
		if n > len(c.body)/c.phys-c.ordinal {
			return nil, c.damaged("a page has fewer values than it says")
		}
		c.scratch = slices.Grow(c.scratch[:0], size)[:size]
		unsplit(c.scratch, c.body, c.phys, c.ordinal, n)
		c.ordinal += n
	case codedDelta:
		c.ints = slices.Grow(c.ints[:0], n)[:n]
		if !c.delta.values(c.ints) {
			return nil, c.damaged("a page has fewer values than it says")
		}
		c.scratch = slices.Grow(c.scratch[:0], size)[:size]
		for i, v := range c.ints {
			if c.phys == 4 {
				binary.LittleEndian.PutUint32(c.scratch[4*i:], uint32(v))
			} else {
				binary.LittleEndian.PutUint64(c.scratch[8*i:], uint64(v))
			}
		}
	case codedDeltaBytes:
		c.offsets = slices.Grow(c.offsets[:0], n)[:n]
		var ok bool
		if c.scratch, ok = c.deltas.values(c.scratch[:0], c.offsets, size); !ok || len(c.scratch) != size {
			return nil, c.damaged("a page has fewer values than it says")
		}
		for i, end := range c.offsets {
			if int(end) != (i+1)*c.phys {
				return nil, c.damaged("a value is not of the length of its type")
			}
		}
	}
	return c.scratch, nil
}

// booleans reads n values of a boolean page.
func (c *column) booleans(at, n int) error {
	if c.coding == codedRuns {
		if _, ok := c.index.bits(c.out.bits, at, n); !ok {
			return c.damaged("a page has fewer values than it says")
		}
		return nil
	}
	if n > len(c.body)*8-c.ordinal {
		return c.damaged("a page has fewer values than it says")
	}
	loadBits(c.out.bits, at, c.body, c.ordinal, n)
	c.ordinal += n
	return nil
}

// room makes room for n more bytes of values and slack.
func (c *column) room(n int) error {
	if n > maxBatchBytes-slack-len(c.out.data) {
		return pgerr.New(pgerr.ProgramLimitExceeded, "values of column \"%s\" exceed 2 GiB", c.field.name)
	}
	c.out.data = slices.Grow(c.out.data, n+slack)
	return nil
}

// texts reads n byte arrays.
func (c *column) texts(at, n int) error {
	first := len(c.out.data)
	ends := c.out.offsets[at+1 : at+n+1]
	if c.coding == codedDeltaBytes {
		var ok bool
		if c.out.data, ok = c.deltas.values(c.out.data, ends, maxBatchBytes); !ok {
			return c.damaged("a page has fewer values than it says")
		}
		return c.sound(first, at, n)
	}
	b, pos, total := c.body, c.pos, 0
	for i := range ends {
		if len(b)-pos < 4 {
			return c.damaged("a page has fewer values than it says")
		}
		size := int(binary.LittleEndian.Uint32(b[pos:]))
		if pos += 4; size > len(b)-pos || total > maxBatchBytes {
			return c.damaged("a value is longer than its page")
		}
		total += size
		pos += size
		ends[i] = int32(size)
	}
	if err := c.room(total); err != nil {
		return err
	}
	data, to := c.out.data[:cap(c.out.data)], first
	b, pos = b[:cap(b)], c.pos
	for i := range ends {
		size := int(ends[i])
		pos += 4
		if size <= slack {
			*(*[slack]byte)(data[to:]) = *(*[slack]byte)(b[pos:])
		} else {
			copy(data[to:to+size], b[pos:])
		}
		pos += size
		to += size
		ends[i] = int32(to)
	}
	c.pos, c.out.data = pos, data[:to]
	return c.sound(first, at, n)
}

// decimals reads n byte arrays that are decimals of up to 38 digits.
func (c *column) decimals(at, n int) error {
	return c.eachBytes(n, func(i int, v []byte) {
		d, ok := bigEndian(v)
		if !ok || !within(d, int(c.field.precision)) {
			c.out.bad = append(c.out.bad, int32(at+i))
		}
		putDecimal(c.out.fixed[at*c.w:], i, c.w, d)
	})
}

// uuids reads n byte arrays that are 16 bytes or the text of a uuid.
func (c *column) uuids(at, n int) error {
	return c.eachBytes(n, func(i int, v []byte) {
		to := c.out.fixed[(at+i)*16:][:16]
		if len(v) == 16 {
			copy(to, v)
			return
		}
		u, st := pgtext.UUID(v)
		if st != pgtext.OK {
			c.out.bad = append(c.out.bad, int32(at+i))
		}
		copy(to, u[:])
	})
}

// eachBytes reads n byte arrays one by one.
func (c *column) eachBytes(n int, value func(i int, v []byte)) error {
	if c.coding == codedDeltaBytes {
		c.offsets = slices.Grow(c.offsets[:0], n)[:n]
		var ok bool
		if c.scratch, ok = c.deltas.values(c.scratch[:0], c.offsets, maxBatchBytes); !ok {
			return c.damaged("a page has fewer values than it says")
		}
		from := int32(0)
		for i, end := range c.offsets {
			value(i, c.scratch[from:end])
			from = end
		}
		return nil
	}
	for i := range n {
		if len(c.body)-c.pos < 4 {
			return c.damaged("a page has fewer values than it says")
		}
		size := int(binary.LittleEndian.Uint32(c.body[c.pos:]))
		if c.pos += 4; size > len(c.body)-c.pos {
			return c.damaged("a value is longer than its page")
		}
		value(i, c.body[c.pos:c.pos+size])
		c.pos += size
	}
	return nil
}

// fixedTexts reads n values of a fixed length that are bytes here.
func (c *column) fixedTexts(at, n int) error {
	src, err := c.fixed(n)
	if err != nil {
		return err
	}
	if c.field.meaning == meansDecimal {
		for i := range n {
			c.out.data = appendNumeric(c.out.data, src[i*c.phys:(i+1)*c.phys], int(c.field.scale))
			c.out.offsets[at+1+i] = int32(len(c.out.data))
		}
		return nil
	}
	if err := c.room(len(src)); err != nil {
		return err
	}
	for i := range n {
		c.out.offsets[at+1+i] = int32(len(c.out.data) + (i+1)*c.phys)
	}
	first := len(c.out.data)
	c.out.data = append(c.out.data, src...)
	return c.sound(first, at, n)
}

// gather reads n values of a page that has their numbers in the dictionary.
func (c *column) gather(at, n int) error {
	c.indices = slices.Grow(c.indices[:0], n)[:n]
	if !readHybrid(&c.index, c.indices) {
		return c.damaged("a page has fewer values than it says")
	}
	most := uint32(0)
	for _, k := range c.indices {
		most = max(most, k)
	}
	d := &c.dict
	if int64(most) >= int64(d.n) {
		return c.damaged("a value is not in the dictionary")
	}
	if len(d.bad) > 0 {
		for i, k := range c.indices {
			if _, is := slices.BinarySearch(d.bad, int32(k)); is {
				c.out.bad = append(c.out.bad, int32(at+i))
			}
		}
	}
	switch c.w {
	case 4:
		dst, src := view[uint32](c.out.fixed)[at:at+n], view[uint32](d.fixed)
		for i, k := range c.indices {
			dst[i] = src[k]
		}
	case 8:
		dst, src := view[uint64](c.out.fixed)[at:at+n], view[uint64](d.fixed)
		for i, k := range c.indices {
			dst[i] = src[k]
		}
	case 0:
		return c.gatherBytes(at)
	default:
		for i, k := range c.indices {
			copy(c.out.fixed[(at+i)*c.w:][:c.w], d.fixed[int(k)*c.w:])
		}
	}
	return nil
}

// gatherBytes is gather for bytes.
func (c *column) gatherBytes(at int) error {
	d := &c.dict
	if err := c.room(len(c.indices) * d.longest); err != nil {
		return err
	}
	data, to := c.out.data[:cap(c.out.data)], len(c.out.data)
	from := d.data[:cap(d.data)]
	ends := c.out.offsets[at+1 : at+1+len(c.indices)]
	for i, k := range c.indices {
		s, e := d.offsets[k], d.offsets[k+1]
		if size := int(e - s); size <= slack {
			*(*[slack]byte)(data[to:]) = *(*[slack]byte)(from[s:])
			to += size
		} else {
			to += copy(data[to:to+size], from[s:e])
		}
		ends[i] = int32(to)
	}
	c.out.data = data[:to]
	return nil
}

// sound checks that the bytes from first on, n values from row at on, are what their type
// has, and notes those that are not.
func (c *column) sound(first, at, n int) error {
	if c.field.meaning == meansDecimal {
		return c.numerics(first, at, n)
	}
	ends := c.out.offsets[at : at+n+1]
	noteInvalid(c.typ.Kind, c.out.data[first:], first, ends, func(i int) { c.out.bad = append(c.out.bad, int32(at+i)) })
	return nil
}

// numerics replaces decimals of more than 38 digits by their text.
func (c *column) numerics(first, at, n int) error {
	src := slices.Clone(c.out.data[first:])
	c.out.data = c.out.data[:first]
	from := 0
	for i := range n {
		end := int(c.out.offsets[at+1+i]) - first
		if end-from > maxNumericDigits/2 {
			return c.damaged("a decimal is longer than any number")
		}
		c.out.data = appendNumeric(c.out.data, src[from:end], int(c.field.scale))
		c.out.offsets[at+1+i] = int32(len(c.out.data))
		from = end
	}
	return nil
}

// noteInvalid calls bad for each value of kind that is not text, or not JSON. Bytes from
// first on are in data, ends has one number more than there are values.
func noteInvalid(kind columnar.Kind, data []byte, first int, ends []int32, bad func(i int)) {
	if kind != columnar.Text && kind != columnar.JSON {
		return
	}
	if kind == columnar.Text && validTexts(data, first, ends) {
		return
	}
	for i := range len(ends) - 1 {
		if !validValue(kind, data[int(ends[i])-first:int(ends[i+1])-first]) {
			bad(i)
		}
	}
}

// validValue reports whether b is a value of a kind of text.
func validValue(kind columnar.Kind, b []byte) bool {
	if pos, _ := pgtext.InvalidSequence(b); pos >= 0 {
		return false
	}
	if kind == columnar.JSON {
		_, ok := pgtext.ValidJSON(b)
		return ok
	}
	return true
}

// validTexts reports whether all values are text, by their bytes together.
func validTexts(data []byte, first int, ends []int32) bool {
	if pgtext.HasZero(data) || !kernels.ValidUTF8(data) {
		return false
	}
	for _, e := range ends[:len(ends)-1] {
		if k := int(e) - first; k < len(data) && data[k]&0xc0 == 0x80 {
			return false
		}
	}
	return true
}
