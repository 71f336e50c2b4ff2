package parquet

import (
	"encoding/binary"
	"math"
	"math/bits"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
)

// builder collects the values of one column for one row group: those that are there, one
// after the other, as the file has them.
type builder struct {
	*layout
	nullInfinite bool // infinities and NaN in decimals become NULL

	rows    int
	valid   []uint64 // of rows
	nulls   int
	values  int    // that are there
	fixed   []byte // of a width
	data    []byte // of bytes
	ends    []int  // of bytes
	bools   []uint64
	scratch []uint64

	// Of a list: a level of each kind for every element, null and empty list.
	reps, defs []uint8
}

// reset forgets the values and keeps the memory.
func (c *builder) reset() {
	c.rows, c.nulls, c.values = 0, 0, 0
	c.valid, c.bools, c.fixed, c.data, c.ends = c.valid[:0], c.bools[:0], c.fixed[:0], c.data[:0], c.ends[:0]
	c.reps, c.defs = c.reps[:0], c.defs[:0]
}

// size returns about the bytes that c holds.
func (c *builder) size() int {
	return len(c.fixed) + len(c.data) + 8*len(c.ends) + len(c.reps) + len(c.defs)
}

// add adds the rows of v.
func (c *builder) add(v *columnar.Vec) error {
	n := v.Len()
	if c.list {
		return c.addLists(v)
	}
	words := (n + 63) / 64
	if len(c.scratch) < 2*words {
		c.scratch = make([]uint64, 2*words)
	}
	valid := v.ValidWords(c.scratch[:words])
	if c.nullInfinite && c.mayBeInfinite(v) {
		valid = c.without(v, valid)
	}
	present := n
	if valid != nil {
		present = kernels.PopCount(valid, n)
	}
	if present < n && !c.optional {
		return c.nullHere()
	}
	if err := c.finite(v, valid); err != nil {
		return err
	}
	c.valid = appendBits(c.valid, c.rows, valid, n)
	c.values = c.addValues(v, valid, n, present)
	c.rows += n
	c.nulls += n - present
	return nil
}

func (c *builder) nullHere() error {
	return pgerr.New(pgerr.InternalError, "column \"%s\" has a null value and was said to have none", c.name)
}

// appendBits appends n bits of src, all set if it is nil, behind the first have of dst.
func appendBits(dst []uint64, have int, src []uint64, n int) []uint64 {
	for len(dst) < (have+n+63)/64 {
		dst = append(dst, 0)
	}
	bitmap.Or(dst, have, src, 0, n)
	return dst
}

// mayBeInfinite reports whether v holds something that Parquet does not have.
func (c *builder) mayBeInfinite(v *columnar.Vec) bool {
	switch c.element.Kind {
	case columnar.Decimal:
		return v.HasNaN()
	case columnar.Date:
		for _, d := range v.Int32s() {
			if d == pgtext.DateInfinity || d == pgtext.DateNegInfinity {
				return true
			}
		}
	case columnar.Timestamp, columnar.TimestampTZ:
		for _, t := range v.Int64s() {
			if t == pgtext.TimestampInfinity || t == pgtext.TimestampNegInfinity {
				return true
			}
		}
	}
	return false
}

// infinite reports whether row i of v, which is not null, has no value in Parquet.
func (c *builder) infinite(v *columnar.Vec, i int) bool {
	switch c.element.Kind {
	case columnar.Decimal:
		_, _, nan := v.Decimal(i)
		return nan
	case columnar.Date:
		d := v.Int32s()[i]
		return d == pgtext.DateInfinity || d == pgtext.DateNegInfinity
	case columnar.Timestamp, columnar.TimestampTZ:
		t := v.Int64s()[i]
		return t == pgtext.TimestampInfinity || t == pgtext.TimestampNegInfinity
	}
	return false
}

// without returns valid, in which nil is all, without the rows that are infinite.
func (c *builder) without(v *columnar.Vec, valid []uint64) []uint64 {
	n := v.Len()
	out := c.scratch[len(c.scratch)/2:][:(n+63)/64]
	clear(out)
	eachSet(valid, n, func(i int) {
		if !c.infinite(v, i) {
			bitmap.Set(out, i, 1)
		}
	})
	return out
}

// finite is an error if a row that is valid has no value in Parquet.
func (c *builder) finite(v *columnar.Vec, valid []uint64) error {
	if !c.mayBeInfinite(v) {
		return nil
	}
	for i := range v.Len() {
		if (valid == nil || bitAt(valid, i)) && c.infinite(v, i) {
			return c.infiniteHere(string(v.AppendText(nil, i, time.UTC)))
		}
	}
	return nil
}

func (c *builder) infiniteHere(text string) error {
	e := pgerr.New(pgerr.NumericValueOutOfRange, "Parquet has no %s for type %s", text, c.element.Name()).
		WithHint("With the option NON_FINITE null such values become NULL.")
	if c.element.Kind != columnar.Decimal {
		e.SQLState = pgerr.DatetimeFieldOverflow
	}
	e.Column = c.name
	return e
}

// addValues appends the present values among n rows of v and returns how many there are now.
func (c *builder) addValues(v *columnar.Vec, valid []uint64, n, present int) int {
	values := c.values + present
	switch {
	case c.phys == physBoolean:
		words := v.BoolWords(c.scratch[len(c.scratch)/2:])
		if present == n {
			c.bools = appendBits(c.bools, c.values, words, n)
			return values
		}
		for len(c.bools) < (values+63)/64 {
			c.bools = append(c.bools, 0)
		}
		at := c.values
		eachSet(valid, n, func(i int) {
			if bitAt(words, i) {
				bitmap.Set(c.bools, at, 1)
			}
			at++
		})
	case c.width == 0:
		c.addBytes(v, valid, n)
	case c.element.Kind == columnar.Int2:
		src := v.Int16s()
		eachSet(valid, n, func(i int) { c.fixed = binary.LittleEndian.AppendUint32(c.fixed, uint32(int32(src[i]))) })
	case c.phys == physFixed && c.element.Kind == columnar.Decimal:
		src := v.Fixed()
		eachSet(valid, n, func(i int) {
			c.fixed = binary.BigEndian.AppendUint64(c.fixed, binary.LittleEndian.Uint64(src[16*i+8:]))
			c.fixed = binary.BigEndian.AppendUint64(c.fixed, binary.LittleEndian.Uint64(src[16*i:]))
		})
	case present == n:
		c.fixed = append(c.fixed, v.Fixed()[:n*c.width]...)
	default:
		c.addSome(v.Fixed(), valid, n)
	}
	return values
}

// eachSet calls f for each of n rows that is valid; nil is all.
func eachSet(valid []uint64, n int, f func(i int)) {
	if valid == nil {
		for i := range n {
			f(i)
		}
		return
	}
	for i := 0; i < n; i += 64 {
		b := valid[i>>6]
		if n-i < 64 {
			b &= 1<<(n-i) - 1
		}
		for ; b != 0; b &= b - 1 {
			f(i + bits.TrailingZeros64(b))
		}
	}
}

// addSome appends the valid values of a width.
func (c *builder) addSome(src []byte, valid []uint64, n int) {
	w := c.width
	for i := 0; i < n; i += 64 {
		b, k := valid[i>>6], min(64, n-i)
		if k < 64 {
			b &= 1<<k - 1
		}
		if bits.OnesCount64(b) == k {
			c.fixed = append(c.fixed, src[i*w:(i+k)*w]...)
			continue
		}
		for ; b != 0; b &= b - 1 {
			at := (i + bits.TrailingZeros64(b)) * w
			c.fixed = append(c.fixed, src[at:at+w]...)
		}
	}
}

// addBytes appends the valid values of bytes.
func (c *builder) addBytes(v *columnar.Vec, valid []uint64, n int) {
	offsets, data := v.Offsets(), v.Data()
	base := len(c.data) - int(offsets[0])
	if valid == nil {
		c.data = append(c.data, data[offsets[0]:offsets[n]]...)
		for _, e := range offsets[1 : n+1] {
			c.ends = append(c.ends, base+int(e))
		}
		return
	}
	eachSet(valid, n, func(i int) {
		c.data = append(c.data, data[offsets[i]:offsets[i+1]]...)
		c.ends = append(c.ends, len(c.data))
	})
}

// addLists adds rows of arrays, which are PostgreSQL's text of them.
func (c *builder) addLists(v *columnar.Vec) error {
	below := uint8(0) // the definition level of an empty list
	if c.optional {
		below = 1
	}
	for i := range v.Len() {
		c.rows++
		if v.IsNull(i) {
			if !c.optional {
				return c.nullHere()
			}
			c.reps, c.defs = append(c.reps, 0), append(c.defs, 0)
			c.nulls++
			continue
		}
		text := v.Bytes(i)
		first := true
		err := eachElement(text, func(e []byte, null bool) error {
			rep := uint8(1)
			if first {
				rep, first = 0, false
			}
			if !null {
				var err error
				if null, err = c.addElement(e); err != nil {
					return err
				}
			}
			if null {
				c.reps, c.defs = append(c.reps, rep), append(c.defs, below+1)
				return nil
			}
			c.values++
			c.reps, c.defs = append(c.reps, rep), append(c.defs, below+2)
			return nil
		})
		if err == errDimensions {
			e := unsupported("Parquet has no arrays of more than one dimension or with other bounds than 1").WithValue(string(text)).
				WithHint("Write it as text: SELECT %s::text.", c.name)
			e.Column = c.name
			return e
		}
		if err != nil {
			return err
		}
		if first {
			c.reps, c.defs = append(c.reps, 0), append(c.defs, below)
		}
	}
	return nil
}

var errDimensions = pgerr.New(pgerr.FeatureNotSupported, "parquet: an array of several dimensions")

// eachElement calls f for each element of an array in its canonical text.
func eachElement(text []byte, f func(e []byte, null bool) error) error {
	if len(text) < 2 || text[0] != '{' {
		return errDimensions
	}
	b := text[1 : len(text)-1]
	var unquoted []byte
	for len(b) > 0 {
		var e []byte
		null := false
		switch b[0] {
		case '{':
			return errDimensions
		case '"':
			unquoted = unquoted[:0]
			i := 1
			for ; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' && i+1 < len(b) {
					i++
				}
				unquoted = append(unquoted, b[i])
			}
			e, b = unquoted, b[min(i+1, len(b)):]
		default:
			i := 0
			for i < len(b) && b[i] != ',' {
				i++
			}
			e, b = b[:i], b[i:]
			null = string(e) == "NULL"
		}
		if err := f(e, null); err != nil {
			return err
		}
		if len(b) > 0 {
			b = b[1:] // the comma
		}
	}
	return nil
}

// addElement adds an element that is given by its text. It becomes null if it is infinite
// and that is asked for.
func (c *builder) addElement(text []byte) (null bool, err error) {
	put := func(v int64, st pgtext.Status) {
		if st != pgtext.OK {
			err = columnar.TextError(st, c.element, text, time.UTC)
		}
		if c.width == 4 {
			c.fixed = binary.LittleEndian.AppendUint32(c.fixed, uint32(v))
		} else {
			c.fixed = binary.LittleEndian.AppendUint64(c.fixed, uint64(v))
		}
	}
	infinite := func(is bool) bool {
		if is && !c.nullInfinite {
			err = c.infiniteHere(string(text))
		}
		null = is
		return is
	}
	switch c.element.Kind {
	case columnar.Bool:
		v := []uint64{0}
		putBit(v, 0, len(text) > 0 && text[0] == 't')
		c.bools = appendBits(c.bools, c.values, v, 1)
	case columnar.Int2, columnar.Int4, columnar.Int8:
		put(pgtext.Int(text, 64))
	case columnar.Float4:
		f, st := pgtext.Float4(text)
		put(int64(math.Float32bits(f)), st)
	case columnar.Float8:
		f, st := pgtext.Float8(text)
		put(int64(math.Float64bits(f)), st)
	case columnar.Decimal:
		d, special, st := pgtext.ParseDecimal(text, int(c.element.Precision), int(c.element.Scale))
		switch {
		case infinite(special != pgtext.Finite):
		case c.phys != physFixed:
			put(int64(d.Lo), st)
		default:
			c.fixed = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(c.fixed, uint64(d.Hi)), d.Lo)
		}
	case columnar.Date:
		d, st := pgtext.Date(text)
		if !infinite(d == pgtext.DateInfinity || d == pgtext.DateNegInfinity) {
			put(int64(d), st)
		}
	case columnar.Time:
		put(pgtext.Time(text))
	case columnar.Timestamp, columnar.TimestampTZ:
		t, st := pgtext.TimestampTZ(text, time.UTC)
		if c.element.Kind == columnar.Timestamp {
			t, st = pgtext.Timestamp(text)
		}
		if !infinite(t == pgtext.TimestampInfinity || t == pgtext.TimestampNegInfinity) {
			put(t, st)
		}
	case columnar.UUID:
		u, _ := pgtext.UUID(text)
		c.fixed = append(c.fixed, u[:]...)
	case columnar.Bytea:
		c.data, _ = pgtext.Bytea(c.data, text)
		c.ends = append(c.ends, len(c.data))
	default:
		c.data = append(c.data, text...)
		c.ends = append(c.ends, len(c.data))
	}
	return null, err
}
