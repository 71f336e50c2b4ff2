package parquet

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// nextPage goes to the next page with values and reports whether there is one.
func (c *column) nextPage() (bool, error) {
	for c.left > 0 {
		if c.pages.left() <= 0 {
			return false, c.damaged("it has fewer values than its row group says")
		}
		h, err := c.pages.header()
		if err != nil {
			return false, c.in(err)
		}
		switch h.typ {
		case pageDictionary:
			_, body, err := c.pages.body(&h)
			if err != nil {
				return false, c.in(err)
			}
			if err := c.loadDictionary(&h, body); err != nil {
				return false, err
			}
		case pageData, pageDataV2:
			if int64(h.values) > c.left {
				return false, c.damaged("its pages have more values than it says")
			}
			if c.left -= int64(h.values); int64(h.values) <= c.toSkip {
				c.toSkip -= int64(h.values)
				c.pages.skip(&h)
				continue
			}
			levels, body, err := c.pages.body(&h)
			if err != nil {
				return false, c.in(err)
			}
			if c.inPage = int(h.values); c.inPage == 0 {
				continue
			}
			if err := c.open(&h, levels, body); err != nil {
				return false, err
			}
			return true, nil
		default:
			c.pages.skip(&h)
		}
	}
	return false, nil
}

// in puts the column's name into an error about one of its pages.
func (c *column) in(err error) error { return inColumn(err, c.field.name) }

// open begins the page of header h.
func (c *column) open(h *pageHeader, levels, body []byte) error {
	var err error
	if h.typ == pageDataV2 {
		c.reps.reset(levels[:h.repBytes], levelBits(c.maxRep()))
		c.defs.reset(levels[h.repBytes:], levelBits(c.field.maxDef))
	} else {
		if body, err = c.levels(&c.reps, body, h, h.repEncoding, c.maxRep()); err != nil {
			return err
		}
		if body, err = c.levels(&c.defs, body, h, h.defEncoding, c.field.maxDef); err != nil {
			return err
		}
	}
	c.body, c.pos, c.ordinal = body, 0, 0
	c.valueSize = len(body) / int(h.values)
	return c.decode(h, body)
}

func (c *column) maxRep() int {
	if c.field.list {
		return 1
	}
	return 0
}

// levels takes the levels of a v1 page off its body.
func (c *column) levels(to *hybrid, body []byte, h *pageHeader, encoding int32, most int) ([]byte, error) {
	if most == 0 {
		return body, nil
	}
	width := levelBits(most)
	switch encoding {
	case encRLE:
		if len(body) < 4 {
			return nil, c.damaged("a page ends in its levels")
		}
		n := binary.LittleEndian.Uint32(body)
		if int64(n) > int64(len(body)-4) {
			return nil, c.damaged("the levels of a page are longer than the page")
		}
		to.reset(body[4:4+n], width)
		return body[4+n:], nil
	case encBitPacked:
		n := (int64(h.values)*int64(width) + 7) / 8
		if n > int64(len(body)) {
			return nil, c.damaged("a page ends in its levels")
		}
		to.reset(packedLevels(body[:n], width, int(h.values)), width)
		return body[n:], nil
	}
	return nil, unsupported("column \"%s\" has levels in encoding %d, which is not supported", c.field.name, encoding)
}

// packedLevels makes of levels that begin at the highest bit of each byte, as writers have
// not put them down for ten years, one packed group.
func packedLevels(b []byte, width uint, n int) []byte {
	groups := (n + 7) / 8
	out := binary.AppendUvarint(make([]byte, 0, groups*int(width)+binary.MaxVarintLen64+slack), uint64(groups)<<1|1)
	head := len(out)
	out = append(out, make([]byte, groups*int(width))...)
	for i := range n * int(width) {
		// Bit i of the stream is bit width-1-i%width of its level.
		if b[i>>3]>>(7-i&7)&1 != 0 {
			to := i/int(width)*int(width) + int(width) - 1 - i%int(width)
			out[head+to>>3] |= 1 << (to & 7)
		}
	}
	return out
}

// decode makes the values of the page ready to be read.
func (c *column) decode(h *pageHeader, body []byte) error {
	phys := c.field.phys
	wrong := func() error { return c.damaged("the values of a page cannot be read") }
	switch e := h.encoding; {
	case e == encPlain:
		c.coding = codedPlain
	case e == encDictionary || e == encPlainDictionary:
		c.coding = codedDictionary
		if !c.dict.loaded {
			return c.damaged("a page needs a dictionary and there is none")
		}
		if len(body) == 0 {
			c.index.reset(body, 0) // all of the page is null
			return nil
		}
		if body[0] > 32 {
			return wrong()
		}
		c.index.reset(body[1:], uint(body[0]))
	case e == encRLE && phys == physBoolean:
		c.coding = codedRuns
		if len(body) == 0 {
			c.index.reset(body, 1)
			return nil
		}
		if len(body) < 4 || int64(binary.LittleEndian.Uint32(body)) > int64(len(body)-4) {
			return wrong()
		}
		c.index.reset(body[4:4+binary.LittleEndian.Uint32(body)], 1)
	case e == encDelta && (phys == physInt32 || phys == physInt64):
		c.coding = codedDelta
		if len(body) > 0 && !c.delta.reset(body) {
			return wrong()
		}
	case e == encDeltaLength && phys == physByteArray, e == encDeltaBytes && (phys == physByteArray || phys == physFixed):
		c.coding = codedDeltaBytes
		if len(body) > 0 && !c.deltas.reset(body, e == encDeltaBytes) {
			return wrong()
		}
		c.valueSize = len(body) // a value may repeat all that is before it
	case e == encSplit && c.phys > 0:
		c.coding = codedSplit
	default:
		return unsupported("column \"%s\" has values in encoding %d, which is not supported", c.field.name, e)
	}
	return nil
}

// loadDictionary makes the values of a dictionary page c.dict.
func (c *column) loadDictionary(h *pageHeader, body []byte) error {
	if c.dict.loaded {
		return c.damaged("it has more than one dictionary")
	}
	if h.encoding != encPlain && h.encoding != encPlainDictionary || c.field.phys == physBoolean {
		return unsupported("column \"%s\" has a dictionary in encoding %d, which is not supported", c.field.name, h.encoding)
	}
	size := c.phys
	if size == 0 {
		size = 4 // its length
	}
	if int64(h.values)*int64(size) > int64(len(body)) {
		return c.damaged("its dictionary has fewer values than it says")
	}
	// The values are read as if they were a page's, into a batch of their own.
	n := int(h.values)
	saved := c.out
	d := &c.dict
	c.out = batch{fixed: d.fixed, offsets: d.offsets, data: d.data}
	c.out.reset(c.typ, n)
	c.coding, c.body, c.pos = codedPlain, body, 0
	err := c.values(0, n)
	d.loaded, d.n, d.fixed, d.offsets, d.bad = true, n, c.out.fixed, c.out.offsets, c.out.bad
	d.data = slices.Grow(c.out.data, slack)
	c.out = saved
	if c.w == 0 && err == nil {
		for i := range n {
			d.longest = max(d.longest, int(d.offsets[i+1]-d.offsets[i]))
		}
	}
	return err
}

// bitWidth returns the bits of the numbers below n.
func bitWidth(n int) uint {
	if n <= 1 {
		return 0
	}
	return uint(bits.Len(uint(n - 1)))
}
