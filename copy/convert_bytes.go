package copy

import (
	"slices"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
)

// variable converts field col of n records into a variable-length column and returns
// the first record that fails, or n.
func (c *lineDecoder) variable(t *batch, f *lineField, buf *columnar.ColumnBuf, col, n int) int {
	total := 0
	seps, _ := t.column(col)
	whole := n
	for r := range n {
		i := r * t.stride
		size := int(seps[i+1] - seps[i])
		if size > columnar.MaxValueBytes+int(t.trim)+1 {
			whole = r // it fails, and no room is made for it
			break
		}
		total += size
	}
	n = whole
	buf.Data = slices.Grow(buf.Data, total+kernels.CopySlack)
	clear(c.null[:(n+63)/64])
	switch {
	case f.Type.Kind != columnar.Text || f.Type.Array:
		n = c.parsed(t, f, buf, col, n)
	case !t.quoted && c.bareNull() && !c.ln.hasMark && len(t.b) <= columnar.MaxValueBytes:
		n = c.bareTexts(t, f, buf, col, n)
	default:
		n = c.texts(t, f, buf, col, n)
	}
	return c.rows.Nulls(col, n, c.null)
}

// wideCopy is the bytes that a short value is copied by: a fixed number is one load and
// one store, and what is copied too much is overwritten by the next value.
const wideCopy = 16

// bareNull reports whether a field without quotes is NULL only if it is empty.
func (c *lineDecoder) bareNull() bool {
	return c.ln.null == "" || c.d.text && strings.IndexByte(c.ln.null, '\\') >= 0
}

// bareTexts is texts for a batch without quotes, if bareNull.
func (c *lineDecoder) bareTexts(t *batch, f *lineField, buf *columnar.ColumnBuf, col, n int) int {
	trim := uint32(0)
	if col == t.stride-1 {
		trim = t.trim
	}
	data := buf.Data[:cap(buf.Data)]
	n = kernels.CopyFields(data, buf.Offsets[t.at:t.at+n+1], c.null, t.b, t.seps, t.stride, col, trim)
	buf.Data = data[:buf.Offsets[t.at+n]]
	if !f.emptyNull {
		clear(c.null[:(n+63)/64])
	}
	return n
}

// texts is variable for text. buf.Data has room for all fields and wideCopy more.
func (c *lineDecoder) texts(t *batch, f *lineField, buf *columnar.ColumnBuf, col, n int) int {
	data := buf.Data[:cap(buf.Data)]
	o := len(buf.Data)
	offsets := buf.Offsets[t.at+1 : t.at+1+n]
	null, b := c.ln.null, t.b
	seps, trim := t.column(col)
	i := 0
	for r := range offsets {
		s, e := seps[i]+1, seps[i+1]-trim
		i += t.stride
		switch {
		case int(e-s) == len(null) && string(b[s:e]) == null && !f.keepNull:
			c.null[r>>6] |= 1 << (r & 63)
		case c.ln.hasMark && string(b[s:e]) == c.ln.marker:
			if !f.HasDefault && !c.rows.sieve.passes(r, false) {
				buf.Data = data[:o]
				return r
			}
			if !f.HasDefault || f.Default.Null {
				c.null[r>>6] |= 1 << (r & 63)
				break
			}
			grown := slices.Grow(append(data[:o], f.Default.S...), len(b)+kernels.CopySlack)
			o, data = len(grown), grown[:cap(grown)]
		case t.quoted && t.hasQuote(s, e):
			if c.d.text {
				text, valid := unescape(data[o:o], b[s:e])
				if !valid {
					buf.Data = data[:o]
					return r
				}
				o += len(text)
				break
			}
			if c.d.doubled() && !f.forceNull {
				k, closed := t.unquote(data[o:], s, e)
				if !closed {
					buf.Data = data[:o]
					return r
				}
				o += k
				break
			}
			kind, text := c.text(t, f, r, col)
			if kind == fieldNull {
				c.null[r>>6] |= 1 << (r & 63)
				break
			}
			if kind != fieldText {
				buf.Data = data[:o]
				return r
			}
			o += copy(data[o:], text)
		case e-s <= wideCopy && int(s)+wideCopy <= len(b):
			*(*[wideCopy]byte)(data[o:]) = *(*[wideCopy]byte)(b[s:])
			o += int(e - s)
		default:
			o += copy(data[o:], b[s:e])
		}
		if o > maxDataBytes || int(e-s) > columnar.MaxValueBytes {
			buf.Data = data[:o]
			return r
		}
		offsets[r] = int32(o)
	}
	buf.Data = data[:o]
	return n
}

// parsed is variable for the types whose text is checked or changed.
func (c *lineDecoder) parsed(t *batch, f *lineField, buf *columnar.ColumnBuf, col, n int) int {
	for r := range n {
		kind, text := c.text(t, f, r, col)
		before := len(buf.Data)
		switch {
		case kind == fieldNull, kind == fieldDefault && f.HasDefault && f.Default.Null:
			c.null[r>>6] |= 1 << (r & 63)
			buf.Offsets[t.at+r+1] = int32(len(buf.Data))
		case kind == fieldDefault && f.HasDefault:
			buf.SetValue(t.at+r, f.Default)
		default:
			st := ok
			if kind == fieldText {
				st = c.store(buf, t.at+r, text)
			}
			if kind == fieldText && st == ok {
				break
			}
			if !c.rows.sieve.passes(r, kind == fieldText && st != badSize) {
				return r
			}
			c.null[r>>6] |= 1 << (r & 63)
			buf.Data = buf.Data[:before]
			buf.Offsets[t.at+r+1] = int32(before)
		}
	}
	return n
}

// status is what came of parsing a value: a pgtext.Status, or one of our own.
type status uint8

const (
	ok      = status(pgtext.OK)
	badSize = status(0xfe)
)

// parser stores single values: the slow way, one switch per field.
type parser struct {
	location *time.Location
}

// store parses text, a value without quotes that is not NULL, into row i of buf. It
// leaves Valid alone. Rows of variable-length types come in order.
func (p *parser) store(buf *columnar.ColumnBuf, i int, text []byte) status {
	if buf.Type.Variable() {
		return p.storeBytes(buf, i, text)
	}
	var st pgtext.Status
	switch buf.Type.Kind {
	case columnar.Bool:
		var v bool
		if v, st = pgtext.Bool(text); v {
			buf.Bits[i>>6] |= 1 << (i & 63)
		}
	case columnar.Int2:
		var v int64
		v, st = pgtext.Int(text, 16)
		buf.Int16s()[i] = int16(v)
	case columnar.Int4:
		var v int64
		v, st = pgtext.Int(text, 32)
		buf.Int32s()[i] = int32(v)
	case columnar.Int8:
		buf.Int64s()[i], st = pgtext.Int(text, 64)
	case columnar.Float4:
		buf.Float32s()[i], st = pgtext.Float4(text)
	case columnar.Float8:
		buf.Float64s()[i], st = pgtext.Float8(text)
	case columnar.Decimal:
		var v pgtext.Decimal128
		var special pgtext.Special
		v, special, st = pgtext.ParseDecimal(text, int(buf.Type.Precision), int(buf.Type.Scale))
		buf.SetDecimal(i, v.Hi, v.Lo)
		if st == pgtext.OK && special == pgtext.NaN {
			buf.EnsureNaN(len(buf.Fixed) / buf.Type.Width())
			buf.NaN[i>>6] |= 1 << (i & 63)
		}
	case columnar.Date:
		buf.Int32s()[i], st = pgtext.Date(text)
	case columnar.Time:
		buf.Int64s()[i], st = pgtext.Time(text)
	case columnar.Timestamp:
		buf.Int64s()[i], st = pgtext.Timestamp(text)
	case columnar.TimestampTZ:
		buf.Int64s()[i], st = pgtext.TimestampTZ(text, p.location)
	case columnar.UUID:
		var v [16]byte
		v, st = pgtext.UUID(text)
		*(*[16]byte)(buf.Fixed[i*16:]) = v
	}
	return status(st)
}

// storeBytes is store for variable-length types.
func (p *parser) storeBytes(buf *columnar.ColumnBuf, i int, text []byte) status {
	if len(text) > columnar.MaxValueBytes || len(buf.Data)+len(text) > maxDataBytes {
		return badSize
	}
	var st pgtext.Status
	switch kind := buf.Type.Kind; {
	case buf.Type.Array:
		buf.Data, st = columnar.AppendCanonical(buf.Data, buf.Type, text, p.location)
	case kind == columnar.Bytea:
		buf.Data, st = pgtext.Bytea(buf.Data, text)
	case kind == columnar.Numeric:
		buf.Data, st = pgtext.ParseNumericText(buf.Data, text)
	case kind == columnar.JSON:
		if _, valid := pgtext.ValidJSON(text); !valid {
			return status(pgtext.Syntax)
		}
		buf.Data = append(buf.Data, text...)
	case kind == columnar.Varchar:
		cut := len(text)
		if n := int(buf.Type.Length); n > 0 && len(text) > n {
			var fits bool
			if cut, fits = pgtext.Truncate(text, n); !fits {
				return status(pgtext.TooLong)
			}
		}
		buf.Data = append(buf.Data, text[:cut]...)
	default:
		buf.Data = append(buf.Data, text...)
	}
	if len(buf.Data) > maxDataBytes {
		return badSize
	}
	buf.Offsets[i+1] = int32(len(buf.Data))
	return status(st)
}
