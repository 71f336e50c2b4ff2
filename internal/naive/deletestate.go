package naive

const (
	rowGroup = 131072
	vector   = 2048
)

// deleteState reads the delete state of row group g and sets the rows of t that it has deleted.
func (c *cursor) deleteState(t *Table, g int) {
	first := g * rowGroup
	rows, deleted := int(c.u32()), int(c.u32())
	if c.err != nil {
		return
	}
	if want := min(rowGroup, t.Rows-first); rows != want || rows == 0 || deleted > rows {
		c.fail("row group %d: %d of %d rows deleted, the group has %d", g, deleted, rows, want)
		return
	}
	group := t.Deleted[first:][:rows]
	if deleted == rows {
		for i := range group {
			group[i] = true
		}
	}
	if deleted == 0 || deleted == rows {
		return
	}
	vectors := (rows + vector - 1) / vector
	codes := c.bytes((vectors + 3) / 4)
	sum := 0
	for v := range vectors {
		if c.err != nil {
			return
		}
		here := group[v*vector : min(rows, (v+1)*vector)]
		sum += c.vectorState(codes[v/4]>>(v%4*2)&3, here)
	}
	if c.err == nil && (sum != deleted || vectors%4 != 0 && codes[len(codes)-1]>>(vectors%4*2) != 0) {
		c.fail("row group %d: %d rows deleted, not %d, or spare codes", g, sum, deleted)
	}
}

// vectorState reads what follows for a vector of the given code, sets its deleted rows, and
// returns their number.
func (c *cursor) vectorState(code byte, rows []bool) int {
	n := 0
	switch code {
	case 1:
		for i := range rows {
			rows[i] = true
		}
		return len(rows)
	case 2:
		b := c.bytes(vector / 8)
		for i := range len(b) * 8 {
			if !bit(b, i) {
				continue
			}
			if i >= len(rows) {
				c.fail("row %d of a vector of %d is deleted", i, len(rows))
				return 0
			}
			rows[i] = true
			n++
		}
		if n < 128 {
			c.fail("bitmap of %d deleted rows", n)
		}
	case 3:
		n = int(c.u8())
		before := -1
		for range n {
			b := c.bytes(2)
			if b == nil {
				return 0
			}
			i := int(u16(b))
			if i <= before || i >= len(rows) {
				c.fail("row %d after %d in a vector of %d", i, before, len(rows))
				return 0
			}
			rows[i] = true
			before = i
		}
		if n < 1 || n > 127 {
			c.fail("list of %d deleted rows", n)
		}
	}
	if n == len(rows) {
		c.fail("all %d rows of a vector deleted in code %d", n, code)
	}
	return n
}
