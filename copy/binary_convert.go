package copy

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
)

// Columns of tuples. Their values need no parsing, so a column of a batch is a loop that
// swaps bytes. In an even batch all tuples are equally long and nothing is NULL: the
// lengths were checked for the block, and kernels swap at a constant stride. Otherwise the
// length before each value says whether it is there.

// The binary format counts days and microseconds from 2000-01-01.
const (
	epochDays   = 10957
	epochMicros = epochDays * 86400 * 1000000
	dayMicros   = 86400 * 1000000
)

// lengthNull is the length of a NULL.
const lengthNull = math.MaxUint32

// first returns where the value of field col of the batch's first tuple starts.
func (t *tupleBatch) first(col int) uint32 {
	s := t.seps[col] + 1 + 4
	if col == 0 {
		s += 2
	}
	return s
}

// tuple returns the value of field col of tuple r, and whether it is NULL.
func (t *tupleBatch) tuple(r, col int) (v []byte, null bool) {
	i := r*t.stride + col
	s, e := t.seps[i]+1+4, t.seps[i+1]+1
	if col == 0 {
		s += 2
	}
	return t.b[s:e], binary.BigEndian.Uint32(t.b[s-4:]) == lengthNull
}

// column converts field col of n tuples and returns the first that fails, or n.
func (c *tupleDecoder) column(t *tupleBatch, col, n int) int {
	buf := t.rows.Column(col)
	clear(c.null[:(n+63)/64])
	typ := buf.Type
	kind := typ.Kind
	switch {
	case typ.Variable() && !typ.Array && (kind == columnar.Text || kind == columnar.Bytea):
		n = c.tupleTexts(t, buf, col, n)
	case typ.Variable(), kind == columnar.Decimal:
		n = c.tupleValues(t, buf, col, n)
	case t.even:
		n = c.evenColumn(t, buf, col, n)
	default:
		n = c.tupleFixed(t, buf, col, n)
	}
	return t.rows.Nulls(col, n, c.null)
}

// evenColumn stores a column of an even batch.
func (c *tupleDecoder) evenColumn(t *tupleBatch, buf *columnar.ColumnBuf, col, n int) int {
	stride := c.t.stride
	at := int(t.seps[0]+1) + 2
	for _, w := range c.t.widths[:col] {
		at += 4 + int(w)
	}
	src := t.b[at+4:]
	from, end := t.at, t.at+n
	switch c.t.widths[col] {
	case 2:
		kernels.SwapInt16(buf.Int16s()[from:end], src, stride)
	case 4:
		kernels.SwapInt32(buf.Int32s()[from:end], src, stride)
	case 8:
		kernels.SwapInt64(buf.Int64s()[from:end], src, stride)
	case 1:
		for r := range n {
			if src[r*stride] != 0 {
				buf.Bits[(from+r)>>6] |= 1 << ((from + r) & 63)
			}
		}
	default:
		for r := range n {
			*(*[16]byte)(buf.Fixed[(from+r)*16:]) = *(*[16]byte)(src[r*stride:])
		}
	}
	return c.rebase(buf, from, n)
}

// tupleFixed stores a column of fixed width, NULLs among its values.
func (c *tupleDecoder) tupleFixed(t *tupleBatch, buf *columnar.ColumnBuf, col, n int) int {
	s, b, seps := t.first(col), t.b, t.seps[col:]
	skip := s - (seps[0] + 1) // from the end of the field before to the value
	i, good := 0, n
	switch width := uint32(fixedWidth(buf.Type)); width {
	case 2:
		dst := buf.Int16s()[t.at : t.at+n]
		for r := range dst {
			v := b[seps[i]+1+skip-4:]
			i += t.stride
			if length := binary.BigEndian.Uint32(v); length == 2 {
				dst[r] = int16(binary.BigEndian.Uint16(v[4:]))
			} else if good = c.nullAt(r, length, good); good < n {
				return c.rebase(buf, t.at, good)
			}
		}
	case 4:
		dst := buf.Int32s()[t.at : t.at+n]
		for r := range dst {
			v := b[seps[i]+1+skip-4:]
			i += t.stride
			if length := binary.BigEndian.Uint32(v); length == 4 {
				dst[r] = int32(binary.BigEndian.Uint32(v[4:]))
			} else if good = c.nullAt(r, length, good); good < n {
				return c.rebase(buf, t.at, good)
			}
		}
	case 8:
		dst := buf.Int64s()[t.at : t.at+n]
		for r := range dst {
			v := b[seps[i]+1+skip-4:]
			i += t.stride
			if length := binary.BigEndian.Uint32(v); length == 8 {
				dst[r] = int64(binary.BigEndian.Uint64(v[4:]))
			} else if good = c.nullAt(r, length, good); good < n {
				return c.rebase(buf, t.at, good)
			}
		}
	default: // bool, uuid
		for r := range n {
			v := b[seps[i]+1+skip-4:]
			i += t.stride
			length := binary.BigEndian.Uint32(v)
			switch {
			case length != width:
				if good = c.nullAt(r, length, good); good < n {
					return good
				}
			case width == 16:
				*(*[16]byte)(buf.Fixed[(t.at+r)*16:]) = *(*[16]byte)(v[4:])
			case v[4] != 0:
				buf.Bits[(t.at+r)>>6] |= 1 << ((t.at + r) & 63)
			}
		}
	}
	return c.rebase(buf, t.at, n)
}

// nullAt marks row r NULL if length says so, and otherwise returns r, the row that fails.
func (c *tupleDecoder) nullAt(r int, length uint32, n int) int {
	if length != lengthNull {
		return r
	}
	c.null[r>>6] |= 1 << (r & 63)
	return n
}

// rebase makes the store's dates and times of the format's in rows from to from+n, and
// returns the first that is out of range, or n.
func (c *tupleDecoder) rebase(buf *columnar.ColumnBuf, from, n int) int {
	isNull := func(r int) bool { return c.null[r>>6]>>(r&63)&1 != 0 }
	switch buf.Type.Kind {
	case columnar.Date:
		days := buf.Int32s()[from : from+n]
		for r, d := range days {
			if d == math.MinInt32 || d == math.MaxInt32 || d == 0 && isNull(r) {
				continue
			}
			if d > pgtext.MaxDate-epochDays || d < pgtext.MinDate-epochDays {
				return r
			}
			days[r] = d + epochDays
		}
	case columnar.Timestamp, columnar.TimestampTZ:
		micros := buf.Int64s()[from : from+n]
		for r, us := range micros {
			if us == math.MinInt64 || us == math.MaxInt64 || us == 0 && isNull(r) {
				continue
			}
			if us > pgtext.MaxTimestamp-epochMicros || us < pgtext.MinTimestamp-epochMicros {
				return r
			}
			micros[r] = us + epochMicros
		}
	case columnar.Time:
		for r, us := range buf.Int64s()[from : from+n] {
			if us < 0 || us > dayMicros {
				return r
			}
		}
	}
	return n
}

// tupleTexts stores a column of text or bytea.
func (c *tupleDecoder) tupleTexts(t *tupleBatch, buf *columnar.ColumnBuf, col, n int) int {
	b, seps := t.b, t.seps[col:]
	skip := t.first(col) - (seps[0] + 1)
	total, i := 0, 0
	for range n {
		total += int(seps[i+1] - seps[i] - skip)
		i += t.stride
	}
	begin := len(buf.Data)
	buf.Data = slices.Grow(buf.Data, total+wideCopy)
	data := buf.Data[:cap(buf.Data)]
	offsets := buf.Offsets[t.at+1 : t.at+1+n]
	o, lead, good := begin, byte(0), n
	i = 0
	for r := range offsets {
		s, e := seps[i]+1+skip, seps[i+1]+1
		i += t.stride
		switch size := e - s; {
		case size == 0:
			if binary.BigEndian.Uint32(b[s-4:]) == lengthNull {
				c.null[r>>6] |= 1 << (r & 63)
			}
		case size <= wideCopy && int(s)+wideCopy <= len(b):
			lead |= continues[b[s]>>6]
			*(*[wideCopy]byte)(data[o:]) = *(*[wideCopy]byte)(b[s:])
			o += int(size)
		default:
			lead |= continues[b[s]>>6]
			o += copy(data[o:], b[s:e])
		}
		if o > maxDataBytes || int(e-s) > columnar.MaxValueBytes {
			good = r
			break
		}
		offsets[r] = int32(o)
	}
	buf.Data = data[:o]
	// Values one after the other are valid text if each is, and the other way round if
	// none begins within a character.
	if buf.Type.Kind == columnar.Text && (lead != 0 || invalidText(data[begin:o]) >= 0) {
		for r := range good {
			if v, _ := t.tuple(r, col); invalidText(v) >= 0 {
				return r
			}
		}
	}
	return good
}

// continues is not zero for the upper two bits of a byte that continues a character.
var continues = [4]byte{2: 1}

// tupleValues stores a column of any type, a value at a time.
func (c *tupleDecoder) tupleValues(t *tupleBatch, buf *columnar.ColumnBuf, col, n int) int {
	for r := range n {
		v, null := t.tuple(r, col)
		before := len(buf.Data)
		if null {
			c.null[r>>6] |= 1 << (r & 63)
			if buf.Offsets != nil {
				buf.Offsets[t.at+r+1] = int32(before)
			}
			continue
		}
		if c.storeTuple(buf, t.at+r, v) != nil {
			return r
		}
	}
	return n
}

// storeTuple stores one value of the binary format. It leaves Valid alone.
func (c *tupleDecoder) storeTuple(buf *columnar.ColumnBuf, i int, v []byte) *Error {
	typ := buf.Type
	switch {
	case typ.Kind == columnar.Decimal && !typ.Array:
		d, err := decodeDecimal(v, typ)
		if err != nil {
			return err
		}
		if d.nan {
			buf.EnsureNaN(len(buf.Fixed) / typ.Width())
			buf.NaN[i>>6] |= 1 << (i & 63)
		}
		buf.SetDecimal(i, d.hi, d.lo)
		return nil
	case len(v) > columnar.MaxValueBytes:
		return errTooLong(len(v))
	}
	var err *Error
	if buf.Data, err = appendStored(buf.Data, typ, v, c.location); err != nil {
		return err
	}
	if len(buf.Data) > maxDataBytes {
		return errTooLong(len(v))
	}
	buf.Offsets[i+1] = int32(len(buf.Data))
	return nil
}

// unscaled is a numeric(p,s) without its point.
type unscaled struct {
	hi  int64
	lo  uint64
	nan bool
}

// decodeDecimal reads a numeric into a type with a scale, as PostgreSQL's rounding has it.
func decodeDecimal(v []byte, typ columnar.Type) (unscaled, *Error) {
	num, err := readNumeric(v)
	if err != nil {
		return unscaled{}, err
	}
	if u, ok := num.small(int(typ.Precision), int(typ.Scale)); ok {
		if num.negative {
			u = -u
		}
		return unscaled{hi: u >> 63, lo: uint64(u)}, nil
	}
	text := num.append(nil)
	d, special, st := pgtext.ParseDecimal(text, int(typ.Precision), int(typ.Scale))
	if st != pgtext.OK {
		return unscaled{}, columnar.TextError(st, typ, text, nil)
	}
	return unscaled{hi: d.Hi, lo: d.Lo, nan: special == pgtext.NaN}, nil
}

// small returns the magnitude of the number with scale digits behind the point, if that
// takes no more than a few multiplications; ok is false if it may not fit precision.
func (n *numeric) small(precision, scale int) (u int64, ok bool) {
	if n.special || n.groups() > 4 || precision > 18 {
		return 0, false
	}
	var x uint64
	for i := range n.groups() {
		x = x*10000 + uint64(n.group(i))
	}
	behind := 4 * (n.groups() - 1 - n.weight) // digits of x behind the point
	if hidden := behind - n.scale; hidden > 0 {
		if hidden > 18 {
			return 0, false
		}
		x /= powersOfTen[hidden]
		behind = n.scale
	}
	if behind < -18 || behind-scale > 18 || scale-behind > 18 {
		return 0, false
	}
	if shift := scale - behind; shift >= 0 {
		high, low := bits.Mul64(x, powersOfTen[shift])
		if high != 0 {
			return 0, false
		}
		x = low
	} else {
		p := powersOfTen[-shift]
		x = (x + p/2) / p
	}
	return int64(x), x < powersOfTen[precision]
}

var powersOfTen = func() (p [19]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()
