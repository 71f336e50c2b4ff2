package arrowipc

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// span is the rows that are read of one array. They start at a multiple of 64, from which
// all buffers are read, so that bitmaps start with a word.
type span struct {
	lo   int64 // first row of the buffers
	skip int   // rows of the buffers before the first
	n    int   // rows
}

func spanOf(from, n int64) span {
	lo := from &^ 63
	return span{lo: lo, skip: int(from - lo), n: int(n)}
}

// all returns the rows of the buffers.
func (s span) all() int { return s.skip + s.n }

// load returns rows from to from+n of f, whose arrays are at c, and moves c behind them.
func (b *Batch) load(f *field, c *cursor, from, n int64) (arrow.ArrayData, error) {
	here := *c
	b.src.lay.skip(f, c)
	if f.typ == nil {
		return nil, pgerr.New(pgerr.FeatureNotSupported, "column \"%s\" has the Arrow type %s, which is not supported", f.name, f.words)
	}
	if rows := b.src.lay.nodes[here.node].rows; n > rows || from > rows-n {
		return nil, damaged(b.src.at, "an array of %d rows is read up to row %d", rows, from+n)
	}
	if n == 0 {
		return empty(f), nil
	}
	s := spanOf(from, n)
	if f.kind == typeNull && f.values == nil {
		return array.NewData(f.typ, s.n, []*memory.Buffer{nil}, nil, s.n, 0), nil
	}
	valid, err := b.validity(here, s)
	if err != nil {
		return nil, err
	}
	switch {
	case f.values != nil:
		return b.loadDictionary(f, here, s, valid)
	case f.kind == typeBinary, f.kind == typeUtf8:
		return loadBytes[int32](b, f, here, s, valid)
	case f.kind == typeLargeBinary, f.kind == typeLargeUtf8:
		return loadBytes[int64](b, f, here, s, valid)
	case f.kind == typeBinaryView, f.kind == typeUtf8View:
		return b.loadViews(f, here, s, valid)
	case f.kind == typeList:
		return loadList[int32](b, f, here, s, valid)
	case f.kind == typeLargeList:
		return loadList[int64](b, f, here, s, valid)
	case f.kind == typeListView:
		return loadListView[int32](b, f, here, s, valid)
	case f.kind == typeLargeListView:
		return loadListView[int64](b, f, here, s, valid)
	case f.kind == typeFixedSizeList:
		return b.loadFixedSizeList(f, here, s, valid)
	case f.kind == typeBool:
		values, err := b.src.read(here.buffer+1, s.lo/8, int64(s.all()+7)/8)
		if err != nil {
			return nil, err
		}
		return makeData(f.typ, s, valid, nil, values), nil
	}
	values, err := b.fixed(f, here.buffer+1, s.lo, int64(s.all()))
	if err != nil {
		return nil, err
	}
	return makeData(f.typ, s, valid, nil, values), nil
}

// empty returns the array of f without rows.
func empty(f *field) arrow.ArrayData {
	if f.values != nil {
		return array.NewDataWithDictionary(f.typ, 0, []*memory.Buffer{nil, nil}, 0, 0, empty(f.values).(*array.Data))
	}
	var children []arrow.ArrayData
	for _, child := range f.children {
		children = append(children, empty(child))
	}
	none := make([]byte, 8) // one offset, where there are offsets
	switch f.kind {
	case typeBinary, typeUtf8, typeListView:
		return makeData(f.typ, span{}, nil, children, none[:4], nil)
	case typeLargeBinary, typeLargeUtf8, typeLargeListView:
		return makeData(f.typ, span{}, nil, children, none, nil)
	case typeList:
		return makeData(f.typ, span{}, nil, children, none[:4])
	case typeLargeList:
		return makeData(f.typ, span{}, nil, children, none)
	case typeNull, typeFixedSizeList:
		return makeData(f.typ, span{}, nil, children)
	}
	return makeData(f.typ, span{}, nil, children, nil)
}

// makeData returns the array of s whose buffers are valid and the given ones.
func makeData(t arrow.DataType, s span, valid []byte, children []arrow.ArrayData, buffers ...[]byte) arrow.ArrayData {
	all := make([]*memory.Buffer, 1+len(buffers))
	nulls := 0
	if valid != nil {
		all[0], nulls = memory.NewBufferBytes(valid), array.UnknownNullCount
	}
	for i, b := range buffers {
		all[1+i] = memory.NewBufferBytes(b)
	}
	return array.NewData(t, s.n, all, children, nulls, s.skip)
}

// validity returns the bitmap of s, nil if no row is null.
func (b *Batch) validity(c cursor, s span) ([]byte, error) {
	if b.src.lay.nodes[c.node].nulls == 0 {
		return nil, nil
	}
	return b.src.read(c.buffer, s.lo/8, int64(s.all()+7)/8)
}

// fixed returns n values of buffer i from lo on, in the processor's byte order.
func (b *Batch) fixed(f *field, i int, lo, n int64) ([]byte, error) {
	w := int64(f.width)
	if w == 0 {
		return nil, nil
	}
	if size, err := b.src.size(i); err != nil {
		return nil, err
	} else if lo+n > size/w {
		return nil, damaged(b.src.at, "a buffer has %d bytes and not %d values of %d", size, lo+n, w)
	}
	values, err := b.src.read(i, lo*w, n*w)
	if err != nil {
		return nil, err
	}
	if b.big && f.kind != typeFixedSizeBinary {
		values = b.swapped(values, f.width)
	}
	return values, nil
}

// swapped returns the values of w bytes with their bytes reversed.
func (b *Batch) swapped(values []byte, w int) []byte {
	if w == 1 {
		return values
	}
	out := values
	if !b.src.private() {
		out = b.src.arena.take(len(values))
	}
	for i := 0; i+w <= len(values); i += w {
		switch w {
		case 2:
			binary.LittleEndian.PutUint16(out[i:], binary.BigEndian.Uint16(values[i:]))
		case 4:
			binary.LittleEndian.PutUint32(out[i:], binary.BigEndian.Uint32(values[i:]))
		case 8:
			binary.LittleEndian.PutUint64(out[i:], binary.BigEndian.Uint64(values[i:]))
		default:
			for a, z := i, i+w-1; a < z; a, z = a+1, z-1 {
				out[a], out[z] = values[z], values[a]
			}
		}
	}
	return out
}

type offset interface{ int32 | int64 }

// view returns b, which starts on a multiple of eight, as values.
func view[T offset](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// bytesOf returns the memory of v.
func bytesOf[T offset](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(v[0])))
}

// offsets returns the offsets of s and one more, which never fall.
func offsets[T offset](b *Batch, f *field, i int, s span) ([]T, error) {
	raw, err := b.fixed(f, i, s.lo, int64(s.all())+1)
	if err != nil {
		return nil, err
	}
	o := view[T](raw)
	bad := o[0]
	for k := 1; k < len(o); k++ {
		bad |= o[k] | (o[k] - o[k-1])
	}
	if bad < 0 {
		return nil, damaged(b.src.at, "offsets fall")
	}
	return o, nil
}

// rebased returns o less its first.
func rebased[T offset](b *Batch, o []T) []T {
	first := o[0]
	if first == 0 {
		return o
	}
	out := o
	if !b.src.private() {
		out = view[T](b.src.arena.take(len(bytesOf(o))))
	}
	for i := range o {
		out[i] = o[i] - first
	}
	return out
}

// loadBytes reads binary and utf8 arrays.
func loadBytes[T offset](b *Batch, f *field, c cursor, s span, valid []byte) (arrow.ArrayData, error) {
	o, err := offsets[T](b, f, c.buffer+1, s)
	if err != nil {
		return nil, err
	}
	first, last := int64(o[0]), int64(o[len(o)-1])
	data, err := b.src.part(c.buffer+2, first, last-first)
	if err != nil {
		return nil, err
	}
	return makeData(f.typ, s, valid, nil, bytesOf(rebased(b, o)), data), nil
}

// loadList reads list arrays, whose elements are the array behind.
func loadList[T offset](b *Batch, f *field, c cursor, s span, valid []byte) (arrow.ArrayData, error) {
	o, err := offsets[T](b, f, c.buffer+1, s)
	if err != nil {
		return nil, err
	}
	first, last := int64(o[0]), int64(o[len(o)-1])
	c.node, c.buffer = c.node+1, c.buffer+2
	child, err := b.load(f.children[0], &c, first, last-first)
	if err != nil {
		return nil, err
	}
	return makeData(f.typ, s, valid, []arrow.ArrayData{child}, bytesOf(rebased(b, o))), nil
}

// loadListView reads arrays of lists that may lie anywhere in the array behind.
func loadListView[T offset](b *Batch, f *field, c cursor, s span, valid []byte) (arrow.ArrayData, error) {
	raw, err := b.fixed(f, c.buffer+1, s.lo, int64(s.all()))
	if err != nil {
		return nil, err
	}
	sizes, err := b.fixed(f, c.buffer+2, s.lo, int64(s.all()))
	if err != nil {
		return nil, err
	}
	c.node, c.buffer = c.node+1, c.buffer+3
	rows := b.src.lay.nodes[c.node].rows
	at, n := view[T](raw), view[T](sizes)
	first, last := rows, int64(0)
	for i := range at {
		if valid != nil && valid[i>>3]>>(i&7)&1 == 0 || n[i] == 0 {
			continue
		}
		if at[i] < 0 || n[i] < 0 || int64(n[i]) > rows || int64(at[i]) > rows-int64(n[i]) {
			return nil, damaged(b.src.at, "a list of %d elements at %d leaves the array of %d", n[i], at[i], rows)
		}
		first, last = min(first, int64(at[i])), max(last, int64(at[i])+int64(n[i]))
	}
	first = min(first, last)
	moved, counts := make([]T, len(at)), make([]T, len(at))
	for i := range at {
		if (valid == nil || valid[i>>3]>>(i&7)&1 != 0) && n[i] > 0 {
			moved[i], counts[i] = at[i]-T(first), n[i]
		}
	}
	child, err := b.load(f.children[0], &c, first, last-first)
	if err != nil {
		return nil, err
	}
	return makeData(f.typ, s, valid, []arrow.ArrayData{child}, bytesOf(moved), bytesOf(counts)), nil
}

// loadFixedSizeList reads arrays of lists of one length.
func (b *Batch) loadFixedSizeList(f *field, c cursor, s span, valid []byte) (arrow.ArrayData, error) {
	c.node, c.buffer = c.node+1, c.buffer+1
	size := int64(f.size)
	if rows := b.src.lay.nodes[c.node].rows; s.lo+int64(s.all()) > rows/size {
		return nil, damaged(b.src.at, "%d lists of %d elements are in an array of %d", s.lo+int64(s.all()), size, rows)
	}
	child, err := b.load(f.children[0], &c, s.lo*size, int64(s.all())*size)
	if err != nil {
		return nil, err
	}
	return makeData(f.typ, s, valid, []arrow.ArrayData{child}), nil
}

// loadViews reads the arrays of views, in which a value of up to twelve bytes is in the
// view, and a longer one in one of several buffers.
func (b *Batch) loadViews(f *field, c cursor, s span, valid []byte) (arrow.ArrayData, error) {
	views, err := b.src.read(c.buffer+1, s.lo*16, int64(s.all())*16)
	if err != nil {
		return nil, err
	}
	if b.big {
		views = b.swappedViews(views)
	}
	count := int(b.src.lay.variadic[c.variadic])
	used := make([]extent, count) // what of each buffer: from, and to
	for k := range used {
		used[k].at = -1
	}
	for i := range s.all() {
		v := views[16*i : 16*i+16]
		if valid != nil && valid[i>>3]>>(i&7)&1 == 0 {
			continue
		}
		n := int32(binary.LittleEndian.Uint32(v))
		if n >= 0 && n <= 12 {
			continue
		}
		k, at := int32(binary.LittleEndian.Uint32(v[8:])), int32(binary.LittleEndian.Uint32(v[12:]))
		if n < 0 || k < 0 || int(k) >= count || at < 0 {
			return nil, damaged(b.src.at, "a view is of %d bytes at %d of buffer %d", n, at, k)
		}
		u := &used[k]
		if u.at < 0 || int64(at) < u.at {
			u.at = int64(at)
		}
		u.n = max(u.n, int64(at)+int64(n))
	}
	buffers := make([][]byte, 1+count)
	buffers[0] = views
	for k, u := range used {
		if u.at < 0 {
			continue
		}
		from := u.at
		if !b.src.private() {
			from = 0
		}
		data, err := b.src.part(c.buffer+2+k, from, u.n-from)
		if err != nil {
			return nil, err
		}
		buffers[1+k] = data
	}
	b.moveViews(views, valid, s, used)
	return makeData(f.typ, s, valid, nil, buffers...), nil
}

// moveViews makes views of buffers that were read from some byte on refer to what was read.
func (b *Batch) moveViews(views, valid []byte, s span, used []extent) {
	if !b.src.private() {
		return
	}
	for i := range s.all() {
		v := views[16*i : 16*i+16]
		if valid != nil && valid[i>>3]>>(i&7)&1 == 0 {
			clear(v)
			continue
		}
		if binary.LittleEndian.Uint32(v) <= 12 {
			continue
		}
		u := &used[binary.LittleEndian.Uint32(v[8:])]
		binary.LittleEndian.PutUint32(v[12:], binary.LittleEndian.Uint32(v[12:])-uint32(u.at))
	}
}

// swappedViews returns big-endian views in the processor's byte order.
func (b *Batch) swappedViews(views []byte) []byte {
	out := append(b.src.arena.take(len(views))[:0], views...)
	swap := func(v []byte) { binary.LittleEndian.PutUint32(v, bits.ReverseBytes32(binary.LittleEndian.Uint32(v))) }
	for i := 0; i+16 <= len(out); i += 16 {
		v := out[i : i+16]
		if swap(v); int32(binary.LittleEndian.Uint32(v)) > 12 {
			swap(v[8:])
			swap(v[12:])
		}
	}
	return out
}

// loadDictionary reads the indexes of s and looks whether their dictionary has them.
func (b *Batch) loadDictionary(f *field, c cursor, s span, valid []byte) (arrow.ArrayData, error) {
	raw, err := b.fixed(f, c.buffer+1, s.lo, int64(s.all()))
	if err != nil {
		return nil, err
	}
	values := b.dicts[f.dict]
	if values == nil {
		values = empty(f.values)
	}
	most := uint64(values.Len())
	if !f.unsigned {
		most = min(most, 1<<(8*f.width-1)) // above are the negative ones
	}
	if !within(raw, f.width, most) {
		for i := range s.all() {
			if valid != nil && valid[i>>3]>>(i&7)&1 == 0 {
				continue
			}
			if k := indexAt(raw, f.width, i); k >= most {
				return nil, damaged(b.src.at, "index %d is not in its dictionary of %d values", signed(k, f.width, f.unsigned), values.Len())
			}
		}
	}
	dict := values.(*array.Data)
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(raw)}
	nulls := 0
	if valid != nil {
		buffers[0], nulls = memory.NewBufferBytes(valid), array.UnknownNullCount
	}
	return array.NewDataWithDictionary(f.typ, s.n, buffers, nulls, s.skip, dict), nil
}

// within reports whether all indexes of w bytes are below most.
func within(raw []byte, w int, most uint64) bool {
	all := uint64(0)
	for i := range len(raw) / w {
		all = max(all, indexAt(raw, w, i))
	}
	return all < most
}

// indexAt returns index i of w bytes, without its sign.
func indexAt(raw []byte, w, i int) uint64 {
	switch w {
	case 1:
		return uint64(raw[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(raw[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return binary.LittleEndian.Uint64(raw[8*i:])
}

// signed returns an index as it is meant.
func signed(k uint64, w int, unsigned bool) int64 {
	if unsigned {
		return int64(k)
	}
	return int64(k<<(64-8*w)) >> (64 - 8*w)
}
