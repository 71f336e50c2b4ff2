package parquet

import (
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/internal/pgerr"
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
		bitmap.Set(c.out.valid, at, n)
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
