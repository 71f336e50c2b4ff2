package naive

import "unicode/utf8"

const maxFragmentRows = 131072

// chunk is one column of a fragment: where it lies, what the directory says of it, its values.
type chunk struct {
	column uint32
	typ    Type

	offset, size   uint64
	sum            uint32
	outAt, outSize uint64
	outSum         uint32
	nulls          int
	zone           zone

	values []any // nil until loaded from a data file
}

// zone is a zone map.
type zone struct {
	flags        byte
	lower, upper any
}

const (
	zoneBounds = 1 << iota
	zoneLowerExact
	zoneUpperExact
	zoneHasNaN
	zoneAscending
)

// fragment is consecutive rows of a table that one commit wrote.
type fragment struct {
	rows   int
	file   uint64 // 0 for one in a log
	chunks []*chunk
}

// chunk returns the chunk of a column, or nil.
func (f *fragment) chunk(column uint32) *chunk {
	for _, ch := range f.chunks {
		if ch.column == column {
			return ch
		}
	}
	return nil
}

// head reads what starts both forms of a fragment: rows and the number of chunks.
func (c *cursor) head() (f *fragment, chunks int) {
	f = &fragment{rows: c.limited(maxFragmentRows, "rows of a fragment")}
	if f.rows == 0 {
		c.fail("fragment without rows")
	}
	return f, c.count("chunks")
}

// chunkHead reads what starts a chunk in both forms: column id and type.
func (c *cursor) chunkHead(f *fragment) *chunk {
	ch := &chunk{column: c.id("column id"), typ: c.parseType()}
	if n := len(f.chunks); n > 0 && ch.column <= f.chunks[n-1].column {
		c.fail("chunk of column %d after %d", ch.column, f.chunks[n-1].column)
	}
	return ch
}

// directory reads a fragment directory for rows in the given data file.
func (c *cursor) directory(file uint64) *fragment {
	f, n := c.head()
	f.file = file
	for range n {
		ch := c.chunkHead(f)
		ch.offset, ch.size, ch.sum = c.uvarint(), c.uvarint(), c.u32()
		ch.outAt, ch.outSize, ch.outSum = c.uvarint(), c.uvarint(), c.u32()
		ch.nulls = c.limited(uint64(f.rows), "nulls")
		ch.zone = c.zone(ch.typ)
		c.extra()
		if c.err != nil {
			break
		}
		f.chunks = append(f.chunks, ch)
	}
	return f
}

func (c *cursor) zone(t Type) zone {
	z := zone{flags: c.u8()}
	if z.flags > 31 {
		c.fail("zone map with flags %#x", z.flags)
	}
	if z.flags&zoneBounds != 0 {
		z.lower, z.upper = c.value(t), c.value(t)
		if z.lower == nil || z.upper == nil || isNaN(z.lower) || isNaN(z.upper) {
			c.fail("bound is null or NaN")
		}
	}
	return z
}

// inline reads an inline fragment.
func (c *cursor) inline() *fragment {
	f, n := c.head()
	for range n {
		ch := c.chunkHead(f)
		flags := c.u8()
		if flags > 3 || flags&2 != 0 && ch.typ.Kind != NumericPS {
			c.fail("flags %#x of a chunk of kind %d", flags, ch.typ.Kind)
		}
		var valid, nan []byte
		if flags&1 != 0 {
			valid = c.bitmap(f.rows)
		}
		if flags&2 != 0 {
			nan = c.bitmap(f.rows)
		}
		ch.values = c.inlineValues(ch.typ, f.rows, valid, nan)
		if c.err != nil {
			break
		}
		f.chunks = append(f.chunks, ch)
	}
	return f
}

// bitmap reads a bitmap of n bits whose spare bits are 0.
func (c *cursor) bitmap(n int) []byte {
	b := c.bytes((n + 7) / 8)
	if b != nil && n%8 != 0 && b[len(b)-1]>>(n%8) != 0 {
		c.fail("spare bits of a bitmap")
	}
	return b
}

func (c *cursor) inlineValues(t Type, rows int, valid, nan []byte) []any {
	var item func(i int) any
	switch w := t.width(); {
	case t.Kind == Bool:
		bits := c.bitmap(rows)
		item = func(i int) any { return bit(bits, i) }
	case w > 0:
		b := c.bytes(rows * w)
		item = func(i int) any { return fixed(t, b[i*w:][:w]) }
	default:
		ends := make([]int, 1, min(rows, c.left())+1)
		for range rows {
			n := c.limited(uint64(c.left()), "length of a value")
			if c.err != nil {
				return nil
			}
			ends = append(ends, ends[len(ends)-1]+n)
		}
		b := c.bytes(ends[rows])
		item = func(i int) any { return bytesValue(t, b[ends[i]:ends[i+1]]) }
	}
	if c.err != nil {
		return nil
	}
	return collect(rows, valid, nan, item)
}

// collect returns the values of rows: nil where valid has a clear bit, NaN where nan has a set
// one, and item's otherwise. A nil bitmap means no nulls, no NaN.
func collect(rows int, valid, nan []byte, item func(i int) any) []any {
	values := make([]any, rows)
	for i := range values {
		switch {
		case valid != nil && !bit(valid, i):
		case nan != nil && bit(nan, i):
			values[i] = Decimal{NaN: true}
		default:
			values[i] = item(i)
		}
	}
	return values
}

// verify checks what only the values show, for rows that are not deleted where that matters:
// UTF-8, and not null.
func (t *Table) verify(f *fragment, first int) error {
	for c := range t.Columns {
		col := &t.Columns[c]
		ch := f.chunk(col.ID)
		if ch != nil && col.Type != ch.typ {
			return corrupt(t.Name, "column %q: chunk of type %v", col.Name, ch.typ)
		}
		for i := range f.rows {
			if t.Deleted[first+i] {
				continue
			}
			v := col.Missing
			if ch != nil {
				v = ch.values[i]
			}
			if v == nil && col.NotNull {
				return corrupt(t.Name, "column %q: null in row %d", col.Name, first+i)
			}
			if s, ok := v.(string); ok && !utf8.ValidString(s) {
				return corrupt(t.Name, "column %q: row %d is not UTF-8: %q", col.Name, first+i, s)
			}
		}
	}
	return nil
}

// verify checks a zone map against the values of its chunk.
func (z zone) verify(ch *chunk) error {
	lower, upper, nan, ascending := false, false, false, true
	var before any
	for i, v := range ch.values {
		if v == nil {
			ascending = false
			continue
		}
		if isNaN(v) {
			nan = true
			continue
		}
		if before != nil && ascending {
			ascending = compare(before, v) < 0
		}
		before = v
		if z.flags&zoneBounds == 0 {
			continue
		}
		l, u := compare(z.lower, v), compare(v, z.upper)
		if l > 0 || u > 0 {
			return corrupt("zone map", "column %d: row %d of the fragment is out of bounds", ch.column, i)
		}
		lower, upper = lower || l == 0, upper || u == 0
	}
	switch {
	case z.flags&zoneLowerExact != 0 && !lower, z.flags&zoneUpperExact != 0 && !upper:
		return corrupt("zone map", "column %d: an exact bound is not there", ch.column)
	case nan != (z.flags&zoneHasNaN != 0):
		return corrupt("zone map", "column %d: NaN is %v", ch.column, nan)
	case z.flags&zoneAscending != 0 && !ascending:
		return corrupt("zone map", "column %d: values do not ascend", ch.column)
	}
	return nil
}
