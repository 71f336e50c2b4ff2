package ndjson

import (
	"math/bits"
	"slices"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/kernels"
)

// The columns of a batch are converted from where their values are in the block. Of a
// value that is NULL the field is nowhere: empty, at the start of the block. That of an
// empty string is empty too, but elsewhere.

// entries returns those of the n records to decode next as a kernel takes them: with one
// more behind.
func (d *Decoder) entries(n int) []uint32 {
	from := (d.done - d.first) * d.stride
	return d.rows[from : from+n*d.stride+1]
}

// fields returns the entries of column i for the n records to decode next, stride apart.
func (d *Decoder) fields(i, n int) []uint32 { return d.entries(n)[2*i:] }

// column converts column i of n records and returns the first that fails, or n.
func (d *Decoder) column(r Rows, i, n int) int {
	buf := r.Column(i)
	typ := buf.Type
	at := r.At()
	if typ.Variable() {
		return d.variable(r, i, n, buf)
	}
	b, seps, col, stride, null, slow := d.b, d.entries(n), 2*i, d.stride, d.null, d.slow
	precision, scale := int(typ.Precision), int(typ.Scale)
	end := at + n
	switch typ.Kind {
	case columnar.Int2:
		kernels.ParseInt16Column(buf.Int16s()[at:end], null, slow, b, seps, stride, col, 0)
	case columnar.Int4:
		kernels.ParseInt32Column(buf.Int32s()[at:end], null, slow, b, seps, stride, col, 0)
	case columnar.Int8:
		kernels.ParseInt64Column(buf.Int64s()[at:end], null, slow, b, seps, stride, col, 0)
	case columnar.Float4:
		kernels.ParseFloat32Column(buf.Float32s()[at:end], null, slow, b, seps, stride, col, 0)
	case columnar.Float8:
		kernels.ParseFloat64Column(buf.Float64s()[at:end], null, slow, b, seps, stride, col, 0)
	case columnar.Decimal:
		switch width := typ.Width(); width {
		case 4:
			kernels.ParseDecimal32Column(buf.Int32s()[at:end], null, slow, b, seps, stride, col, 0, precision, scale)
		case 8:
			kernels.ParseDecimal64Column(buf.Int64s()[at:end], null, slow, b, seps, stride, col, 0, precision, scale)
		default:
			kernels.ParseDecimal128Column(buf.Fixed[at*width:end*width], null, slow, b, seps, stride, col, 0, precision, scale)
		}
	case columnar.Bool:
		kernels.ParseBoolColumn(d.bits, n, null, slow, b, seps, stride, col, 0)
		bitmap.Or(buf.Bits, at, d.bits, 0, n)
	case columnar.Date:
		kernels.ParseDateColumn(buf.Int32s()[at:end], null, slow, b, seps, stride, col, 0)
	case columnar.Timestamp:
		kernels.ParseTimestampColumn(buf.Int64s()[at:end], null, slow, b, seps, stride, col, 0)
	case columnar.TimestampTZ:
		kernels.ParseTimestampTZColumn(buf.Int64s()[at:end], null, slow, b, seps, stride, col, 0, d.utc)
	case columnar.UUID:
		kernels.ParseUUIDColumn(buf.Fixed[at*16:end*16], null, slow, b, seps, stride, col, 0)
	default: // a type without a kernel
		d.allSlow(i, n)
	}
	return d.settle(r, i, n)
}

// allSlow sets for column i of n records which are NULL, and that the others are slow.
func (d *Decoder) allSlow(i, n int) {
	clear(d.null[:(n+63)/64])
	clear(d.slow[:(n+63)/64])
	fields := d.fields(i, n)
	for k := range n {
		word, bit := k>>6, uint64(1)<<(k&63)
		if fields[k*d.stride+1] == 0 {
			d.null[word] |= bit
		} else {
			d.slow[word] |= bit
		}
	}
}

// emptyStrings takes out of d.null the records whose field is empty but somewhere: empty
// strings. They are set in d.slow if slow is.
func (d *Decoder) emptyStrings(i, n int, slow bool) {
	fields := d.fields(i, n)
	for w := range d.null[:(n+63)/64] {
		for left := d.null[w]; left != 0; left &= left - 1 {
			if k := w<<6 + bits.TrailingZeros64(left); fields[k*d.stride+1] != 0 {
				d.null[w] &^= left & -left
				if slow {
					d.slow[w] |= left & -left
				}
			}
		}
	}
}

// text returns the value of column i of record k of those to decode next, and whether it
// is the inside of a string.
func (d *Decoder) text(i, k int) (text []byte, str bool) {
	f := d.fields(i, k+1)[k*d.stride:]
	return d.b[f[0]+1 : f[1]], d.b[f[0]] == '"' && !d.cols[i].raw
}

// settle does the values that a kernel left over, whose bits are set in d.slow, then says
// which are NULL, those in d.null. It returns the first record that fails, or n.
func (d *Decoder) settle(r Rows, i, n int) int {
	d.emptyStrings(i, n, true)
	for w := range d.slow[:(n+63)/64] {
		for left := d.slow[w]; left != 0; left &= left - 1 {
			k := w<<6 + bits.TrailingZeros64(left)
			if k >= n {
				break
			}
			if text, _ := d.text(i, k); r.Parse(i, k, text) {
				continue
			}
			if !r.Forgive(k, true) {
				n = k
				break
			}
			d.null[w] |= left & -left
		}
	}
	return r.Nulls(i, n, d.null)
}

// variable is column for a column of variable length.
func (d *Decoder) variable(r Rows, i, n int, buf *columnar.ColumnBuf) int {
	fields, longest, total := d.fields(i, n), uint32(0), 0
	for k := range n {
		size := fields[k*d.stride+1] - fields[k*d.stride] - 1
		longest = max(longest, size)
		total += int(size)
	}
	var plain bool
	switch typ := buf.Type; {
	case typ.Array:
	case typ.Kind == columnar.Text, typ.Kind == columnar.JSON:
		plain = longest <= columnar.MaxValueBytes
	case typ.Kind == columnar.Varchar:
		plain = typ.Length == 0 && longest <= columnar.MaxValueBytes || int64(longest) <= int64(typ.Length)
	}
	if !plain {
		return d.parsed(r, i, n, buf)
	}
	at := r.At()
	buf.Data = slices.Grow(buf.Data, total+kernels.CopySlack)
	data := buf.Data[:cap(buf.Data)]
	n = kernels.CopyFields(data, buf.Offsets[at:at+n+1], d.null, d.b, d.entries(n), d.stride, 2*i, 0)
	buf.Data = data[:buf.Offsets[at+n]]
	if n&63 != 0 {
		d.null[n>>6] &= 1<<(n&63) - 1 // what it left behind the last one is arbitrary
	}
	d.emptyStrings(i, n, false)
	return r.Nulls(i, n, d.null)
}

// parsed is variable for values that a type checks or changes.
func (d *Decoder) parsed(r Rows, i, n int, buf *columnar.ColumnBuf) int {
	d.allSlow(i, n)
	at := r.At()
	for k := range n {
		before := len(buf.Data)
		if d.slow[k>>6]>>(k&63)&1 != 0 {
			text, str := d.text(i, k)
			if buf.Type.Array && !str && text[0] == '[' {
				d.literal = appendArray(d.literal[:0], text, buf.Type.Kind == columnar.JSON)
				text = d.literal
			}
			if r.Parse(i, k, text) {
				continue
			}
			if !r.Forgive(k, len(text) <= columnar.MaxValueBytes) {
				n = k
				break
			}
			d.null[k>>6] |= 1 << (k & 63)
		}
		buf.Data = buf.Data[:before]
		buf.Offsets[at+k+1] = int32(before)
	}
	return r.Nulls(i, n, d.null)
}
