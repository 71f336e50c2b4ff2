package copy

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// form is how a COPY TO csv or text writes its columns. Immutable.
type form struct {
	delim, quote, escape byte
	text                 bool
	null                 string
	location             *time.Location
	cols                 []formColumn
}

// formColumn is one column of a form.
type formColumn struct {
	typ   columnar.Type
	force bool // FORCE_QUOTE
	plain bool // no value needs quotes or escapes
}

// lineWriter is the writing side of text or csv, with its options.
type lineWriter struct {
	structure
	text       bool
	header     bool
	forceQuote columnSet
}

// Bind resolves options against the columns.
func (o *lineWriter) Bind(b *Binding) (*Encoding, error) {
	f := &form{delim: o.delimiter, quote: o.quote, escape: o.escape, text: o.text, null: o.null, location: b.Location, cols: make([]formColumn, len(b.Columns))}
	force, err := o.forceQuote.resolve(b, "FORCE_QUOTE")
	if err != nil {
		return nil, err
	}
	for _, i := range force {
		f.cols[i].force = true
	}
	safe := inert(o.quote) && strings.IndexByte(",;|~^\t!", o.delimiter) >= 0
	for i := range b.Columns {
		col, t := &f.cols[i], b.Columns[i].Type
		col.typ = t
		col.plain = safe && !col.force && (!t.Variable() || t.Kind == columnar.Numeric) && !t.Array &&
			(f.text || o.null == "" || !accepts(t, o.null, b.Location))
	}
	e := &Encoding{Encoder: f.encoder}
	if o.header {
		e.Head = f.names(b.Columns)
	}
	return e, nil
}

// names returns the line of column names.
func (f *form) names(columns []Column) (dst []byte) {
	for i := range columns {
		if i > 0 {
			dst = append(dst, f.delim)
		}
		dst = f.appendField(dst, []byte(columns[i].Name), false)
	}
	return append(dst, '\n')
}

// appendField appends a value that is not NULL, in quotes if it needs them; of text, with
// its escapes.
func (f *form) appendField(dst, v []byte, force bool) []byte {
	if f.text {
		return f.appendEscaped(dst, v)
	}
	if !force && !f.special(v) && string(v) != f.null && (len(f.cols) > 1 || string(v) != `\.`) {
		return append(dst, v...)
	}
	dst = append(dst, f.quote)
	for _, c := range v {
		if c == f.quote || c == f.escape {
			dst = append(dst, f.escape)
		}
		dst = append(dst, c)
	}
	return append(dst, f.quote)
}

const lowBits, highBits = 0x0101010101010101, 0x8080808080808080

// zeroByte returns a word that is zero iff no byte of x is.
func zeroByte(x uint64) uint64 { return (x - lowBits) &^ x & highBits }

// special reports whether v holds a delimiter, a quote or a line break.
func (f *form) special(v []byte) bool {
	delim, quote := lowBits*uint64(f.delim), lowBits*uint64(f.quote)
	for len(v) >= 8 {
		x := binary.LittleEndian.Uint64(v)
		if zeroByte(x^delim)|zeroByte(x^quote)|zeroByte(x^lowBits*'\n')|zeroByte(x^lowBits*'\r') != 0 {
			return true
		}
		v = v[8:]
	}
	for _, c := range v {
		if c == f.delim || c == f.quote || c == '\n' || c == '\r' {
			return true
		}
	}
	return false
}

// formatter writes batches as lines. One goroutine owns it.
type formatter struct {
	*form
	scratch []byte
	valid   [][]uint64 // scratch for validity words, by column
	cols    []vecReader
}

// valueKind is how a column's values are written.
type valueKind uint8

const (
	valueGeneric valueKind = iota // as text, quoted if need be
	valuePlain                    // as text that needs no quotes
	valueBytes                    // the bytes of the value, quoted if need be
	valueInt16
	valueInt32
	valueInt64
	valueFloat64
	valueBool
	valueDate
	valueTimestamp
)

// vecReader is one column of the batch at hand.
type vecReader struct {
	kind  valueKind
	vec   *columnar.Vec
	valid []uint64 // nil if nothing is null
	i64   []int64
	i32   []int32
	i16   []int16
	f64   []float64
}

func (f *form) encoder() Encoder {
	return &formatter{form: f, valid: make([][]uint64, len(f.cols)), cols: make([]vecReader, len(f.cols))}
}

// open points column i's reader at the values of a batch.
func (f *formatter) open(i int, v *columnar.Vec, rows int) {
	c := &f.cols[i]
	*c = vecReader{vec: v}
	if v.HasNulls() {
		if need := (rows + 63) / 64; len(f.valid[i]) < need {
			f.valid[i] = make([]uint64, need)
		}
		c.valid = v.ValidWords(f.valid[i])
	}
	switch kind := f.form.cols[i].typ.Kind; {
	case f.form.cols[i].typ.Array:
	case kind == columnar.Text, kind == columnar.Varchar, kind == columnar.JSON:
		c.kind = valueBytes
	case !f.form.cols[i].plain:
	case kind == columnar.Int8:
		c.kind, c.i64 = valueInt64, v.Int64s()
	case kind == columnar.Int4:
		c.kind, c.i32 = valueInt32, v.Int32s()
	case kind == columnar.Int2:
		c.kind, c.i16 = valueInt16, v.Int16s()
	case kind == columnar.Float8:
		c.kind, c.f64 = valueFloat64, v.Float64s()
	case kind == columnar.Bool:
		c.kind = valueBool
	case kind == columnar.Date:
		c.kind, c.i32 = valueDate, v.Int32s()
	case kind == columnar.Timestamp:
		c.kind, c.i64 = valueTimestamp, v.Int64s()
	default:
		c.kind = valuePlain
	}
}

// Append appends the lines of a batch.
func (f *formatter) Append(dst []byte, b Batch) ([]byte, error) {
	for i := range f.cols {
		f.open(i, &b.Cols[i], b.Rows)
	}
	for r := range b.Rows {
		for i := range f.cols {
			if i > 0 {
				dst = append(dst, f.delim)
			}
			c := &f.cols[i]
			switch {
			case c.valid != nil && c.valid[r>>6]>>(r&63)&1 == 0:
				dst = append(dst, f.null...)
			case c.kind == valueInt64:
				dst = appendInt(dst, c.i64[r])
			case c.kind == valueInt32:
				dst = appendInt(dst, int64(c.i32[r]))
			default:
				dst = f.appendValue(dst, c, i, r)
			}
		}
		dst = append(dst, '\n')
	}
	return dst, nil
}

// appendValue appends row r of column i, which is not NULL.
func (f *formatter) appendValue(dst []byte, c *vecReader, i, r int) []byte {
	switch c.kind {
	case valueBytes:
		return f.appendField(dst, c.vec.Bytes(r), f.form.cols[i].force)
	case valueInt16:
		return appendInt(dst, int64(c.i16[r]))
	case valueFloat64:
		return pgtext.AppendFloat8(dst, c.f64[r])
	case valueBool:
		return pgtext.AppendBool(dst, c.vec.Bool(r))
	case valueDate:
		return pgtext.AppendDate(dst, c.i32[r])
	case valueTimestamp:
		return pgtext.AppendTimestamp(dst, c.i64[r])
	case valuePlain:
		return c.vec.AppendText(dst, r, f.location)
	}
	f.scratch = c.vec.AppendText(f.scratch[:0], r, f.location)
	return f.appendField(dst, f.scratch, f.form.cols[i].force)
}

const asciiZeros = 0x3030303030303030

// digits8 returns the eight decimal digits of u, which is below 1e8, one a byte, the first
// in the lowest. The divisions are multiplications in the lanes of one word: 10486/2**20
// is 1/100 for all up to 9999, 103/2**10 is 1/10 for all up to 99.
func digits8(u uint64) uint64 {
	fours := u / 10000
	fours |= (u - fours*10000) << 32
	hundreds := fours * 10486 >> 20 & 0x0000007f0000007f
	pairs := (fours-hundreds*100)<<16 | hundreds
	tens := pairs * 103 >> 10 & 0x000f000f000f000f
	return (pairs-tens*10)<<8 | tens
}

// maxIntText is the most bytes that appendInt stores, those it takes back included.
const maxIntText = 1 + 3*8

// appendInt appends v in decimal.
func appendInt(dst []byte, v int64) []byte {
	if cap(dst)-len(dst) < maxIntText {
		dst = slices.Grow(dst, maxIntText)
	}
	n := len(dst)
	p := dst[:n+maxIntText]
	u := uint64(v)
	if v < 0 {
		p[n] = '-'
		n++
		u = -u
	}
	if u < 1e8 {
		return p[:storeDigits(p, n, u)]
	}
	head := u / 1e8
	low := digits8(u-head*1e8) | asciiZeros
	if head < 1e8 {
		n = storeDigits(p, n, head)
	} else {
		top := head / 1e8
		n = storeDigits(p, n, top)
		binary.LittleEndian.PutUint64(p[n:], digits8(head-top*1e8)|asciiZeros)
		n += 8
	}
	binary.LittleEndian.PutUint64(p[n:], low)
	return p[:n+8]
}

// storeDigits stores u, which is below 1e8, at p[n:] without leading zeros and returns the
// position behind it. It writes eight bytes whatever u has.
func storeDigits(p []byte, n int, u uint64) int {
	d := digits8(u)
	zeros := bits.TrailingZeros64(d|1<<56) &^ 7
	binary.LittleEndian.PutUint64(p[n:], (d|asciiZeros)>>zeros)
	return n + 8 - zeros/8
}
