package parquet

import (
	"encoding/binary"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
)

const (
	// batchRows is how many rows a column is read by: what ten columns of them take stays in
	// the second-level cache.
	batchRows = 8192

	// batchBytes is about how many bytes of long values a batch has.
	batchBytes = 4 << 20

	// maxPooledBytes is the most memory that a reader keeps for the next.
	maxPooledBytes = 32 << 20

	// maxBatchBytes bounds the bytes of a batch, whose offsets have 31 bits.
	maxBatchBytes = 1<<31 - 1
)

// coding is how the values of a page are written.
type coding uint8

const (
	codedPlain coding = iota
	codedDictionary
	codedDelta      // integers
	codedDeltaBytes // byte arrays, of fixed length too
	codedSplit
	codedRuns // booleans
)

// column reads the rows of one field in one row group. One goroutine owns it.
type column struct {
	field *field
	pages pageReader
	typ   columnar.Type // of out; that of an element if the field is a list
	widen widener
	w     int // bytes of a value in out, 0 if they vary
	phys  int // bytes of a value in the file, 0 if they vary

	location *time.Location // that the text of a timestamptz in an array is of

	left   int64 // values of the chunk that are in later pages
	toSkip int64 // values that are passed over before the first, of a flat column
	inPage int   // values of the page that were not read
	defs   hybrid
	reps   hybrid

	// The values of the page.
	coding    coding
	body      []byte
	pos       int
	ordinal   int // of the next value of a split page
	index     hybrid
	delta     deltaReader
	deltas    deltaBytes
	valueSize int // about the bytes of a value

	dict    dictionary
	scratch []byte
	ints    []int64
	indices []uint32
	offsets []int32

	out  batch
	list *listState
}

// dictionary is the values of a dictionary page, in the natural type.
type dictionary struct {
	loaded  bool
	n       int
	fixed   []byte
	offsets []int32
	data    []byte // with slack behind
	longest int
	bad     []int32 // those that the type does not have, ascending
}

// batch is rows of a column. Its memory is used again for the next.
type batch struct {
	rows    int
	valid   []uint64
	nulls   bool
	fixed   []byte
	bits    []uint64
	offsets []int32
	data    []byte
	bad     []int32 // rows whose value the type does not have, ascending
}

// columns are readers that were used, for their memory.
var columns = sync.Pool{New: func() any { return new(column) }}

// newColumn returns the reader of a field's chunk.
func newColumn(f *field, c *chunk, pages *pageReader, location *time.Location) *column {
	k := columns.Get().(*column)
	old := *k
	*k = column{
		field: f, pages: *pages, location: location, typ: f.typ, left: c.values, phys: f.physWidth(), w: f.typ.Width(),
		dict:    dictionary{fixed: old.dict.fixed, offsets: old.dict.offsets, data: old.dict.data},
		scratch: old.scratch, ints: old.ints, indices: old.indices, offsets: old.offsets, out: old.out,
	}
	k.pages.step, k.pages.buf, k.pages.inflater = readBytes, old.pages.buf[:0], old.pages.inflater
	k.deltas.last = old.deltas.last
	k.out.rows, k.out.bad = 0, k.out.bad[:0]
	if f.phys != physBoolean && f.phys != physByteArray && k.w > 0 {
		k.widen = f.widener()
	}
	if f.list {
		k.list = &listState{}
		if old.list != nil {
			*k.list = listState{reps: old.list.reps, defs: old.list.defs, lists: old.list.lists}
			k.list.lists.rows, k.list.lists.bad = 0, k.list.lists.bad[:0]
		}
	}
	return k
}

// release gives the memory of c to the next reader, unless it is much.
func (c *column) release() {
	c.pages.r, c.field = nil, nil
	if cap(c.out.data)+cap(c.pages.buf)+cap(c.pages.inflater.buf)+cap(c.dict.data) <= maxPooledBytes {
		columns.Put(c)
	}
}

// reset makes b empty, with room for n rows of type t.
func (b *batch) reset(t columnar.Type, n int) {
	b.rows, b.nulls, b.bad, b.data = 0, false, b.bad[:0], b.data[:0]
	words := (n + 63) / 64
	b.valid = zeros(b.valid, words)
	switch w := t.Width(); {
	case t.Variable():
		b.offsets = slices.Grow(b.offsets[:0], n+1)[:n+1]
		b.offsets[0] = 0
	case w == 0:
		b.bits = zeros(b.bits, words)
	case cap(b.fixed) < n*w:
		b.fixed = alignedBytes(n * w)
	default:
		b.fixed = b.fixed[:n*w]
	}
}

// zeros returns n zero words, in the memory of w if it is enough.
func zeros(w []uint64, n int) []uint64 {
	if cap(w) < n {
		return make([]uint64, n)
	}
	w = w[:n]
	clear(w)
	return w
}

// alignedBytes returns n bytes that lie where any value may.
func alignedBytes(n int) []byte {
	w := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 8*len(w))[:n]
}

// vec returns the batch as a Vec of type t.
func (b *batch) vec(t columnar.Type) columnar.Vec {
	valid := b.valid
	if !b.nulls {
		valid = nil
	}
	switch w := t.Width(); {
	case t.Variable():
		return columnar.MakeVec(t, b.rows, valid, nil, nil, b.offsets[:b.rows+1], b.data, nil)
	case w == 0:
		return columnar.MakeVec(t, b.rows, valid, nil, b.bits, nil, nil, nil)
	default:
		return columnar.MakeVec(t, b.rows, valid, b.fixed[:b.rows*w], nil, nil, nil, nil)
	}
}

// fill reads up to n rows, fewer if they are long or the chunk ends. Values that their type
// does not have become null.
func (c *column) fill(n int) error {
	fill := c.fillFlat
	if c.field.list {
		fill = c.fillList
	}
	err := fill(n)
	b := c.given()
	for _, row := range b.bad {
		b.nulls = true
		putBit(b.valid, int(row), false)
	}
	return err
}

// pass passes over the values that nobody wants: pages of such values alone are not read.
func (c *column) pass() error {
	for c.toSkip > 0 {
		if c.inPage == 0 {
			if ok, err := c.nextPage(); err != nil || !ok {
				return err
			}
			continue
		}
		k := min(c.inPage, c.step(), int(min(c.toSkip, batchRows)))
		c.out.reset(c.typ, k)
		if err := c.flat(k); err != nil {
			return err
		}
		c.inPage -= k
		c.toSkip -= int64(k)
	}
	return nil
}

// fillFlat is fill for a column of values, into c.out.
func (c *column) fillFlat(n int) error {
	if err := c.pass(); err != nil {
		return err
	}
	c.out.reset(c.typ, n)
	for c.out.rows < n && (c.out.rows == 0 || len(c.out.data) < batchBytes) {
		if c.inPage == 0 {
			if ok, err := c.nextPage(); err != nil || !ok {
				return err
			}
			continue
		}
		k := min(n-c.out.rows, c.inPage, c.step())
		if err := c.flat(k); err != nil {
			return err
		}
		c.inPage -= k
	}
	return nil
}

// step returns how many rows may be read at once, so that their bytes are bounded.
func (c *column) step() int {
	if c.w > 0 || c.typ.Kind == columnar.Bool {
		return batchRows
	}
	size := c.valueSize
	if c.coding == codedDictionary {
		size = c.dict.longest
	}
	least := 1
	if c.coding == codedDeltaBytes {
		least = deltaStep
	}
	return max(least, min(batchRows, batchBytes/max(1, size)))
}

// flat reads n rows of the page behind those of c.out.
func (c *column) flat(n int) error {
	at, present := c.out.rows, n
	if c.field.maxDef > 0 {
		var ok bool
		if present, ok = c.defs.bits(c.out.valid, at, n); !ok {
			return c.damaged("its definition levels end too early")
		}
	} else {
		setBits(c.out.valid, at, n)
	}
	bad := len(c.out.bad)
	if err := c.values(at, present); err != nil {
		return err
	}
	if present < n {
		c.out.nulls = true
		c.spread(at, n, present, c.out.bad[bad:])
	}
	c.out.rows += n
	return nil
}

// damaged is the error for a chunk that is not what it should be.
func (c *column) damaged(what string) error { return damagedColumn(c.field.name, what) }

func damagedColumn(name, what string) *pgerr.Error {
	e := corrupt("column \"%s\": %s", name, what)
	e.Column = name
	return e
}

// spread moves the present values that begin at row at to the rows that are valid among n,
// and their numbers in bad too. From the back, no value is overwritten before it is moved.
func (c *column) spread(at, n, present int, bad []int32) {
	o := &c.out
	from := present - 1
	lastBad := len(bad) - 1
	moveBad := func(row int) {
		if lastBad >= 0 && int(bad[lastBad]) == at+from {
			bad[lastBad] = int32(at + row)
			lastBad--
		}
	}
	switch c.w {
	case 4:
		v := view[uint32](o.fixed)[at : at+n]
		for i := n - 1; i >= 0; i-- {
			if bitAt(o.valid, at+i) {
				v[i] = v[from]
				moveBad(i)
				from--
			} else {
				v[i] = 0
			}
		}
	case 8:
		v := view[uint64](o.fixed)[at : at+n]
		for i := n - 1; i >= 0; i-- {
			if bitAt(o.valid, at+i) {
				v[i] = v[from]
				moveBad(i)
				from--
			} else {
				v[i] = 0
			}
		}
	case 0:
		if c.typ.Kind == columnar.Bool {
			for i := n - 1; i >= 0; i-- {
				v := false
				if bitAt(o.valid, at+i) {
					v = bitAt(o.bits, at+from)
					from--
				}
				putBit(o.bits, at+i, v)
			}
			return
		}
		ends := o.offsets[at+1 : at+n+1]
		for i := n - 1; i >= 0; i-- {
			if bitAt(o.valid, at+i) {
				ends[i] = ends[from]
				moveBad(i)
				from--
				continue
			}
			ends[i] = o.offsets[at+from+1]
		}
	default:
		for i := n - 1; i >= 0; i-- {
			to := o.fixed[(at+i)*c.w:][:c.w]
			if bitAt(o.valid, at+i) {
				copy(to, o.fixed[(at+from)*c.w:][:c.w])
				moveBad(i)
				from--
			} else {
				clear(to)
			}
		}
	}
}

func putBit(words []uint64, i int, v bool) {
	m := uint64(1) << (i & 63)
	if words[i>>6] &^= m; v {
		words[i>>6] |= m
	}
}

// view returns b, which is aligned, as values.
func view[T uint32 | uint64 | int32 | int64 | float32 | float64](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// values reads n values of the page into c.out, one after another from row at on.
func (c *column) values(at, n int) error {
	if n == 0 {
		return nil
	}
	switch {
	case c.field.meaning == meansNull:
		return c.damaged("it has values although its type is null")
	case c.coding == codedDictionary:
		return c.gather(at, n)
	case c.field.phys == physBoolean:
		return c.booleans(at, n)
	case c.field.phys == physByteArray && c.w == 0:
		return c.texts(at, n)
	case c.field.meaning == meansUUID && c.field.phys == physByteArray:
		return c.uuids(at, n)
	case c.field.phys == physByteArray:
		return c.decimals(at, n)
	case c.w == 0:
		return c.fixedTexts(at, n)
	}
	src, err := c.fixed(n)
	if err != nil {
		return err
	}
	dst := c.out.fixed[at*c.w : (at+n)*c.w]
	if c.widen == nil {
		copy(dst, src)
		return nil
	}
	c.convert(dst, src, at, n)
	return nil
}

// convert widens n values and moves the numbers of the bad ones, which are rows from at on.
func (c *column) convert(dst, src []byte, at, n int) {
	bad := len(c.out.bad)
	c.widen(dst, src, n, &c.out.bad)
	for i := range c.out.bad[bad:] {
		c.out.bad[bad+i] += int32(at)
	}
}

// fixed returns the next n values of fixed width as they are in the file.
func (c *column) fixed(n int) ([]byte, error) {
	size := n * c.phys
	switch c.coding {
	case codedPlain:
		if size > len(c.body)-c.pos {
			return nil, c.damaged("a page has fewer values than it says")
		}
		c.pos += size
		return c.body[c.pos-size : c.pos], nil
	case codedSplit:
		if n > len(c.body)/c.phys-c.ordinal {
			return nil, c.damaged("a page has fewer values than it says")
		}
		c.scratch = slices.Grow(c.scratch[:0], size)[:size]
		unsplit(c.scratch, c.body, c.phys, c.ordinal, n)
		c.ordinal += n
	case codedDelta:
		c.ints = slices.Grow(c.ints[:0], n)[:n]
		if !c.delta.values(c.ints) {
			return nil, c.damaged("a page has fewer values than it says")
		}
		c.scratch = slices.Grow(c.scratch[:0], size)[:size]
		for i, v := range c.ints {
			if c.phys == 4 {
				binary.LittleEndian.PutUint32(c.scratch[4*i:], uint32(v))
			} else {
				binary.LittleEndian.PutUint64(c.scratch[8*i:], uint64(v))
			}
		}
	case codedDeltaBytes:
		c.offsets = slices.Grow(c.offsets[:0], n)[:n]
		var ok bool
		if c.scratch, ok = c.deltas.values(c.scratch[:0], c.offsets, size); !ok || len(c.scratch) != size {
			return nil, c.damaged("a page has fewer values than it says")
		}
		for i, end := range c.offsets {
			if int(end) != (i+1)*c.phys {
				return nil, c.damaged("a value is not of the length of its type")
			}
		}
	}
	return c.scratch, nil
}

// booleans reads n values of a boolean page.
func (c *column) booleans(at, n int) error {
	if c.coding == codedRuns {
		if _, ok := c.index.bits(c.out.bits, at, n); !ok {
			return c.damaged("a page has fewer values than it says")
		}
		return nil
	}
	if n > len(c.body)*8-c.ordinal {
		return c.damaged("a page has fewer values than it says")
	}
	loadBits(c.out.bits, at, c.body, c.ordinal, n)
	c.ordinal += n
	return nil
}

// room makes room for n more bytes of values and slack.
func (c *column) room(n int) error {
	if n > maxBatchBytes-slack-len(c.out.data) {
		return pgerr.New(pgerr.ProgramLimitExceeded, "values of column \"%s\" exceed 2 GiB", c.field.name)
	}
	c.out.data = slices.Grow(c.out.data, n+slack)
	return nil
}

// texts reads n byte arrays.
func (c *column) texts(at, n int) error {
	first := len(c.out.data)
	ends := c.out.offsets[at+1 : at+n+1]
	if c.coding == codedDeltaBytes {
		var ok bool
		if c.out.data, ok = c.deltas.values(c.out.data, ends, maxBatchBytes); !ok {
			return c.damaged("a page has fewer values than it says")
		}
		return c.sound(first, at, n)
	}
	b, pos, total := c.body, c.pos, 0
	for i := range ends {
		if len(b)-pos < 4 {
			return c.damaged("a page has fewer values than it says")
		}
		size := int(binary.LittleEndian.Uint32(b[pos:]))
		if pos += 4; size > len(b)-pos || total > maxBatchBytes {
			return c.damaged("a value is longer than its page")
		}
		total += size
		pos += size
		ends[i] = int32(size)
	}
	if err := c.room(total); err != nil {
		return err
	}
	data, to := c.out.data[:cap(c.out.data)], first
	b, pos = b[:cap(b)], c.pos
	for i := range ends {
		size := int(ends[i])
		pos += 4
		if size <= slack {
			*(*[slack]byte)(data[to:]) = *(*[slack]byte)(b[pos:])
		} else {
			copy(data[to:to+size], b[pos:])
		}
		pos += size
		to += size
		ends[i] = int32(to)
	}
	c.pos, c.out.data = pos, data[:to]
	return c.sound(first, at, n)
}

// decimals reads n byte arrays that are decimals of up to 38 digits.
func (c *column) decimals(at, n int) error {
	return c.eachBytes(n, func(i int, v []byte) {
		d, ok := bigEndian(v)
		if !ok || !within(d, int(c.field.precision)) {
			c.out.bad = append(c.out.bad, int32(at+i))
		}
		putDecimal(c.out.fixed[at*c.w:], i, c.w, d)
	})
}

// uuids reads n byte arrays that are 16 bytes or the text of a uuid.
func (c *column) uuids(at, n int) error {
	return c.eachBytes(n, func(i int, v []byte) {
		to := c.out.fixed[(at+i)*16:][:16]
		if len(v) == 16 {
			copy(to, v)
			return
		}
		u, st := pgtext.UUID(v)
		if st != pgtext.OK {
			c.out.bad = append(c.out.bad, int32(at+i))
		}
		copy(to, u[:])
	})
}

// eachBytes reads n byte arrays one by one.
func (c *column) eachBytes(n int, value func(i int, v []byte)) error {
	if c.coding == codedDeltaBytes {
		c.offsets = slices.Grow(c.offsets[:0], n)[:n]
		var ok bool
		if c.scratch, ok = c.deltas.values(c.scratch[:0], c.offsets, maxBatchBytes); !ok {
			return c.damaged("a page has fewer values than it says")
		}
		from := int32(0)
		for i, end := range c.offsets {
			value(i, c.scratch[from:end])
			from = end
		}
		return nil
	}
	for i := range n {
		if len(c.body)-c.pos < 4 {
			return c.damaged("a page has fewer values than it says")
		}
		size := int(binary.LittleEndian.Uint32(c.body[c.pos:]))
		if c.pos += 4; size > len(c.body)-c.pos {
			return c.damaged("a value is longer than its page")
		}
		value(i, c.body[c.pos:c.pos+size])
		c.pos += size
	}
	return nil
}

// fixedTexts reads n values of a fixed length that are bytes here.
func (c *column) fixedTexts(at, n int) error {
	src, err := c.fixed(n)
	if err != nil {
		return err
	}
	if c.field.meaning == meansDecimal {
		for i := range n {
			c.out.data = appendNumeric(c.out.data, src[i*c.phys:(i+1)*c.phys], int(c.field.scale))
			c.out.offsets[at+1+i] = int32(len(c.out.data))
		}
		return nil
	}
	if err := c.room(len(src)); err != nil {
		return err
	}
	for i := range n {
		c.out.offsets[at+1+i] = int32(len(c.out.data) + (i+1)*c.phys)
	}
	first := len(c.out.data)
	c.out.data = append(c.out.data, src...)
	return c.sound(first, at, n)
}

// gather reads n values of a page that has their numbers in the dictionary.
func (c *column) gather(at, n int) error {
	c.indices = slices.Grow(c.indices[:0], n)[:n]
	if !c.index.values(c.indices) {
		return c.damaged("a page has fewer values than it says")
	}
	most := uint32(0)
	for _, k := range c.indices {
		most = max(most, k)
	}
	d := &c.dict
	if int64(most) >= int64(d.n) {
		return c.damaged("a value is not in the dictionary")
	}
	if len(d.bad) > 0 {
		for i, k := range c.indices {
			if _, is := slices.BinarySearch(d.bad, int32(k)); is {
				c.out.bad = append(c.out.bad, int32(at+i))
			}
		}
	}
	switch c.w {
	case 4:
		dst, src := view[uint32](c.out.fixed)[at:at+n], view[uint32](d.fixed)
		for i, k := range c.indices {
			dst[i] = src[k]
		}
	case 8:
		dst, src := view[uint64](c.out.fixed)[at:at+n], view[uint64](d.fixed)
		for i, k := range c.indices {
			dst[i] = src[k]
		}
	case 0:
		return c.gatherBytes(at)
	default:
		for i, k := range c.indices {
			copy(c.out.fixed[(at+i)*c.w:][:c.w], d.fixed[int(k)*c.w:])
		}
	}
	return nil
}

// gatherBytes is gather for bytes.
func (c *column) gatherBytes(at int) error {
	d := &c.dict
	if err := c.room(len(c.indices) * d.longest); err != nil {
		return err
	}
	data, to := c.out.data[:cap(c.out.data)], len(c.out.data)
	from := d.data[:cap(d.data)]
	ends := c.out.offsets[at+1 : at+1+len(c.indices)]
	for i, k := range c.indices {
		s, e := d.offsets[k], d.offsets[k+1]
		if size := int(e - s); size <= slack {
			*(*[slack]byte)(data[to:]) = *(*[slack]byte)(from[s:])
			to += size
		} else {
			to += copy(data[to:to+size], from[s:e])
		}
		ends[i] = int32(to)
	}
	c.out.data = data[:to]
	return nil
}

// sound checks that the bytes from first on, n values from row at on, are what their type
// has, and notes those that are not.
func (c *column) sound(first, at, n int) error {
	if c.field.meaning == meansDecimal {
		return c.numerics(first, at, n)
	}
	ends := c.out.offsets[at : at+n+1]
	noteInvalid(c.typ.Kind, c.out.data[first:], first, ends, func(i int) { c.out.bad = append(c.out.bad, int32(at+i)) })
	return nil
}

// numerics replaces decimals of more than 38 digits by their text.
func (c *column) numerics(first, at, n int) error {
	src := slices.Clone(c.out.data[first:])
	c.out.data = c.out.data[:first]
	from := 0
	for i := range n {
		end := int(c.out.offsets[at+1+i]) - first
		if end-from > maxNumericDigits/2 {
			return c.damaged("a decimal is longer than any number")
		}
		c.out.data = appendNumeric(c.out.data, src[from:end], int(c.field.scale))
		c.out.offsets[at+1+i] = int32(len(c.out.data))
		from = end
	}
	return nil
}

// noteInvalid calls bad for each value of kind that is not text, or not JSON. Bytes from
// first on are in data, ends has one number more than there are values.
func noteInvalid(kind columnar.Kind, data []byte, first int, ends []int32, bad func(i int)) {
	if kind != columnar.Text && kind != columnar.JSON {
		return
	}
	if kind == columnar.Text && validTexts(data, first, ends) {
		return
	}
	for i := range len(ends) - 1 {
		if !validValue(kind, data[int(ends[i])-first:int(ends[i+1])-first]) {
			bad(i)
		}
	}
}

// validTexts reports whether all values are text, by their bytes together.
func validTexts(data []byte, first int, ends []int32) bool {
	if hasZero(data) {
		return false
	}
	for b := data; len(b) > 0; {
		n := min(len(b), 32<<10)
		for n < len(b) && n > 1 && b[n]&0xc0 == 0x80 {
			n--
		}
		if !kernels.ValidUTF8(b[:n]) {
			return false
		}
		b = b[n:]
	}
	for _, e := range ends[:len(ends)-1] {
		if k := int(e) - first; k < len(data) && data[k]&0xc0 == 0x80 {
			return false
		}
	}
	return true
}
