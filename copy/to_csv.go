package copy

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
)

// form is how a COPY TO csv writes its columns. Immutable.
type form struct {
	delim, quote, escape byte
	null                 string
	location             *time.Location
	cols                 []formColumn
}

// formColumn is one column of a form.
type formColumn struct {
	typ   columnar.Type
	force bool // FORCE_QUOTE
	plain bool // no value needs quotes
}

// newForm resolves options against the columns.
func newForm(c *Content, o *ToOptions, location *time.Location) (*form, error) {
	f := &form{delim: o.Delimiter, quote: o.Quote, escape: o.Escape, null: o.Null, location: location, cols: make([]formColumn, len(c.types))}
	force, err := c.forced(o)
	if err != nil {
		return nil, err
	}
	safe := inert(o.Quote) && strings.IndexByte(",;|~^\t!", o.Delimiter) >= 0
	for i, t := range c.types {
		col := &f.cols[i]
		col.typ, col.force = t, force[i]
		sh := shape{location: location}
		col.plain = safe && !col.force && (!t.Variable() || t.Kind == columnar.Numeric) && !t.Array && (o.Null == "" || !sh.accepts(t, o.Null))
	}
	return f, nil
}

// forced says which columns FORCE_QUOTE names.
func (c *Content) forced(o *ToOptions) ([]bool, error) {
	s := &columnar.Schema{Name: "query"}
	positions := c.columns
	if c.table != nil {
		s = c.table.Schema()
	} else {
		for i := range c.names {
			s.Columns = append(s.Columns, columnar.Column{Name: c.names[i], Type: c.types[i]})
			positions = append(positions, i)
		}
	}
	chosen, err := o.forceQuote.resolve(s, positions, "FORCE_QUOTE")
	force := make([]bool, len(c.types))
	for _, i := range chosen {
		force[i] = true
	}
	return force, err
}

// appendHeader appends the line of column names.
func (f *form) appendHeader(dst []byte, names []string) []byte {
	for i, name := range names {
		if i > 0 {
			dst = append(dst, f.delim)
		}
		dst = f.appendField(dst, []byte(name), false)
	}
	return append(dst, '\n')
}

// appendField appends a value that is not NULL, in quotes if it needs them.
func (f *form) appendField(dst, v []byte, force bool) []byte {
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

// vecReader is one column of the batch at hand.
type vecReader struct {
	vec   *columnar.Vec
	valid []uint64 // nil if nothing is null
	i64   []int64
	i32   []int32
	i16   []int16
}

func (f *form) formatter() *formatter {
	return &formatter{form: f, valid: make([][]uint64, len(f.cols)), cols: make([]vecReader, len(f.cols))}
}

// append appends the lines of a batch.
func (f *formatter) append(dst []byte, b Batch) []byte {
	for i := range f.cols {
		c := &f.cols[i]
		*c = vecReader{vec: &b.Cols[i]}
		if c.vec.HasNulls() {
			if need := (b.Rows + 63) / 64; len(f.valid[i]) < need {
				f.valid[i] = make([]uint64, need)
			}
			c.valid = c.vec.ValidWords(f.valid[i])
		}
		if !f.form.cols[i].plain {
			continue
		}
		switch c.vec.Type().Kind {
		case columnar.Int8:
			c.i64 = c.vec.Int64s()
		case columnar.Int4:
			c.i32 = c.vec.Int32s()
		case columnar.Int2:
			c.i16 = c.vec.Int16s()
		}
	}
	for r := range b.Rows {
		for i := range f.cols {
			if i > 0 {
				dst = append(dst, f.delim)
			}
			dst = f.appendValue(dst, i, r)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendValue appends column i of row r.
func (f *formatter) appendValue(dst []byte, i, r int) []byte {
	c := &f.cols[i]
	if c.valid != nil && c.valid[r>>6]>>(r&63)&1 == 0 {
		return append(dst, f.null...)
	}
	switch {
	case c.i64 != nil:
		return appendInt(dst, c.i64[r])
	case c.i32 != nil:
		return appendInt(dst, int64(c.i32[r]))
	case c.i16 != nil:
		return appendInt(dst, int64(c.i16[r]))
	}
	col := &f.form.cols[i]
	switch {
	case col.plain:
		return c.vec.AppendText(dst, r, f.location)
	case col.typ.Kind == columnar.Text, col.typ.Kind == columnar.Varchar, col.typ.Kind == columnar.JSON:
		return f.appendField(dst, c.vec.Bytes(r), col.force)
	}
	f.scratch = c.vec.AppendText(f.scratch[:0], r, f.location)
	return f.appendField(dst, f.scratch, col.force)
}

const digitPairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839" +
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

var powersOf10 = [...]uint64{0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// appendInt appends v in decimal. It writes the digits in their place, from the back,
// two at a time.
func appendInt(dst []byte, v int64) []byte {
	u := uint64(v)
	if v < 0 {
		dst = append(dst, '-')
		u = -u
	}
	// 1233/4096 is a little more than log10(2).
	n := (bits.Len64(u|1) * 1233) >> 12
	if u >= powersOf10[n] {
		n++
	}
	dst = append(dst, "00000000000000000000"[:n]...)
	p := dst[len(dst)-n:]
	for ; n >= 2; n -= 2 {
		q := u / 100
		d := (u - q*100) * 2
		p[n-2], p[n-1] = digitPairs[d], digitPairs[d+1]
		u = q
	}
	if n == 1 {
		p[0] = byte('0' + u)
	}
	return dst
}
