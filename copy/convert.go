package copy

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/kernels"
)

// batch is consecutive records of a block with their structural index. Every record has
// exactly stride fields.
//
// seps are positions in b, stride of them per record after one that stands right
// before the first field, in uint32 arithmetic (see kernels.ParseInt64Column).
type batch struct {
	b      []byte
	seps   []uint32
	quotes []uint64 // bit i: b[i] is the quote byte
	quoted bool     // some bit of quotes is set
	stride int
	trim   uint32
	at     int // the first record's row
}

// hasQuote reports whether b[s:e] holds a quote.
func (t *batch) hasQuote(s, e uint32) bool {
	if !t.quoted || s >= e {
		return false
	}
	first, last := s>>6, (e-1)>>6
	head := t.quotes[first] >> (s & 63)
	if first == last {
		return head<<(64-(e-s)) != 0
	}
	if head != 0 || t.quotes[last]<<(63-(e-1)&63) != 0 {
		return true
	}
	for _, w := range t.quotes[first+1 : last] {
		if w != 0 {
			return true
		}
	}
	return false
}

// nextQuote returns the position of the first quote in b[s:e], or e.
func (t *batch) nextQuote(s, e uint32) uint32 {
	for w := s >> 6; w<<6 < e; w++ {
		q := t.quotes[w]
		if w == s>>6 {
			q &= ^uint64(0) << (s & 63)
		}
		if q != 0 {
			return min(w<<6+uint32(bits.TrailingZeros64(q)), e)
		}
	}
	return e
}

// unquote copies the value of the field b[s:e] to dst, which has room for e-s bytes, and
// says whether its quotes are closed. Quotes in quotes are doubled.
func (t *batch) unquote(dst []byte, s, e uint32) (n int, closed bool) {
	for {
		q := t.nextQuote(s, e)
		n += copy(dst[n:], t.b[s:q])
		if q == e {
			return n, true
		}
		for s = q + 1; ; {
			if q = t.nextQuote(s, e); q == e {
				return n + copy(dst[n:], t.b[s:e]), false
			}
			if q+1 == e || t.b[q+1] != t.b[q] {
				break
			}
			n += copy(dst[n:], t.b[s:q+1])
			s = q + 2
		}
		n += copy(dst[n:], t.b[s:q])
		s = q + 1
	}
}

// bounds returns the position of field col of record r.
func (t *batch) bounds(r, col int) (s, e uint32) {
	i := r*t.stride + col
	s, e = t.seps[i]+1, t.seps[i+1]
	if col == t.stride-1 {
		e -= t.trim
	}
	return s, e
}

// fieldKind is what a field turned out to be.
type fieldKind uint8

const (
	fieldText    fieldKind = iota // a value to parse
	fieldNull                     // NULL
	fieldDefault                  // the DEFAULT marker
	fieldOpen                     // a quote that does not close, or escapes that make no valid text
)

// column converts field col of n records and returns the first that fails, or n.
func (c *lineDecoder) column(t *batch, col, n int) int {
	f := &c.ln.fields[col]
	buf := c.rows.Column(col)
	if f.Type.Variable() {
		return c.variable(t, f, buf, col, n)
	}
	words := (n + 63) / 64
	if f.careful {
		clear(c.null[:words])
		for i := range c.slow[:words] {
			c.slow[i] = ^uint64(0)
		}
		return c.settle(t, f, buf, col, n)
	}
	trim := uint32(0)
	if col == t.stride-1 {
		trim = t.trim
	}
	b, seps, stride := t.b, t.seps, t.stride
	precision, scale := int(f.Type.Precision), int(f.Type.Scale)
	end := t.at + n
	switch f.Type.Kind {
	case columnar.Int2:
		kernels.ParseInt16Column(buf.Int16s()[t.at:end], c.null, c.slow, b, seps, stride, col, trim)
	case columnar.Int4:
		kernels.ParseInt32Column(buf.Int32s()[t.at:end], c.null, c.slow, b, seps, stride, col, trim)
	case columnar.Int8:
		kernels.ParseInt64Column(buf.Int64s()[t.at:end], c.null, c.slow, b, seps, stride, col, trim)
	case columnar.Float4:
		kernels.ParseFloat32Column(buf.Float32s()[t.at:end], c.null, c.slow, b, seps, stride, col, trim)
	case columnar.Float8:
		kernels.ParseFloat64Column(buf.Float64s()[t.at:end], c.null, c.slow, b, seps, stride, col, trim)
	case columnar.Decimal:
		switch width := f.Type.Width(); width {
		case 4:
			kernels.ParseDecimal32Column(buf.Int32s()[t.at:end], c.null, c.slow, b, seps, stride, col, trim, precision, scale)
		case 8:
			kernels.ParseDecimal64Column(buf.Int64s()[t.at:end], c.null, c.slow, b, seps, stride, col, trim, precision, scale)
		default:
			kernels.ParseDecimal128Column(buf.Fixed[t.at*width:end*width], c.null, c.slow, b, seps, stride, col, trim, precision, scale)
		}
	case columnar.Bool:
		kernels.ParseBoolColumn(c.bits, n, c.null, c.slow, b, seps, stride, col, trim)
		bitmap.Or(buf.Bits, t.at, c.bits, 0, n)
	case columnar.Date:
		kernels.ParseDateColumn(buf.Int32s()[t.at:end], c.null, c.slow, b, seps, stride, col, trim)
	case columnar.Timestamp:
		kernels.ParseTimestampColumn(buf.Int64s()[t.at:end], c.null, c.slow, b, seps, stride, col, trim)
	case columnar.TimestampTZ:
		utc := c.location == time.UTC
		kernels.ParseTimestampTZColumn(buf.Int64s()[t.at:end], c.null, c.slow, b, seps, stride, col, trim, utc)
	case columnar.UUID:
		kernels.ParseUUIDColumn(buf.Fixed[t.at*16:end*16], c.null, c.slow, b, seps, stride, col, trim)
	default: // time
		c.times(t, buf, col, n)
	}
	return c.settle(t, f, buf, col, n)
}

// settle does the fields that a kernel left over, then the validity bits, and
// returns the first record that fails, or n.
//
// Before it each record's bit is set in null (an empty field), in slow (the kernel does not
// take it), or in neither (its value is stored).
func (c *lineDecoder) settle(t *batch, f *lineField, buf *columnar.ColumnBuf, col, n int) int {
	for w := range c.null[:(n+63)/64] {
		if !f.emptyNull {
			c.slow[w] |= c.null[w]
			c.null[w] = 0
		}
		for left := c.slow[w]; left != 0; left &= left - 1 {
			r := w<<6 + bits.TrailingZeros64(left)
			if r >= n {
				break
			}
			kind, text := c.text(t, f, r, col)
			if kind == fieldDefault && f.HasDefault && !f.Default.Null {
				buf.SetValue(t.at+r, f.Default)
				continue
			}
			st := ok
			if kind == fieldText {
				st = c.store(buf, t.at+r, text)
			}
			switch {
			case kind == fieldText && st == ok:
				continue
			case kind == fieldNull, kind == fieldDefault && f.HasDefault, c.rows.sieve.passes(r, kind == fieldText && st != badSize):
				c.null[w] |= 1 << (r & 63)
				continue
			}
			n = r
		}
	}
	return c.rows.Nulls(col, n, c.null)
}

// text returns what field col of record r is, and its text without quotes. The text
// aliases the batch or c.scratch.
func (c *lineDecoder) text(t *batch, f *lineField, r, col int) (fieldKind, []byte) {
	s, e := t.bounds(r, col)
	raw := t.b[s:e]
	if kind := c.ln.bare(f, raw); kind != fieldText || !t.hasQuote(s, e) {
		return kind, raw
	}
	if !c.d.doubled() {
		text, closed := c.d.unquote(c.scratch[:0], raw)
		c.scratch = text[:0]
		return c.ln.unquoted(f, text, closed), text
	}
	c.scratch = slices.Grow(c.scratch[:0], len(raw))
	text := c.scratch[:len(raw)]
	n, closed := t.unquote(text, s, e)
	return c.ln.unquoted(f, text[:n], closed), text[:n]
}

// bare returns what a field is, from its raw bytes: a field with quotes is fieldText here,
// since no marker of CSV has one.
func (ln *lines) bare(f *lineField, raw []byte) fieldKind {
	switch {
	case string(raw) == ln.null:
		if f.keepNull {
			return fieldText
		}
		return fieldNull
	case ln.hasMark && string(raw) == ln.marker:
		return fieldDefault
	}
	return fieldText
}

// unquoted returns what a field with quotes is, whose text is given without them.
func (ln *lines) unquoted(f *lineField, text []byte, closed bool) fieldKind {
	switch {
	case !closed:
		return fieldOpen
	case f.forceNull && string(text) == ln.null:
		return fieldNull
	}
	return fieldText
}

// column returns the separators of field col, stride apart, and what to take off the end
// of the field: field r is b[seps[r*stride]+1 : seps[r*stride+1]-trim].
func (t *batch) column(col int) (seps []uint32, trim uint32) {
	if col == t.stride-1 {
		trim = t.trim
	}
	return t.seps[col:], trim
}

// times is the kernel that the type time has not.
func (c *lineDecoder) times(t *batch, buf *columnar.ColumnBuf, col, n int) {
	clear(c.null[:(n+63)/64])
	clear(c.slow[:(n+63)/64])
	seps, trim := t.column(col)
	i := 0
	for r := range n {
		s, e := seps[i]+1, seps[i+1]-trim
		i += t.stride
		if s == e {
			c.null[r>>6] |= 1 << (r & 63)
		} else if c.store(buf, t.at+r, t.b[s:e]) != ok {
			c.slow[r>>6] |= 1 << (r & 63)
		}
	}
}

// maxDataBytes is the most bytes a variable-length column of a fragment can hold.
const maxDataBytes = math.MaxInt32
