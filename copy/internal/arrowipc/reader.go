package arrowipc

import (
	"bytes"
	"encoding/binary"
	"io"
	"sort"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Magic is what a file of the IPC format starts and ends with.
const Magic = "ARROW1"

// HeadBytes is what IsFile and IsStream want to see of an input.
const HeadBytes = 12

// IsFile reports whether an input that starts with head is a file of the IPC format.
func IsFile(head []byte) bool { return bytes.HasPrefix(head, []byte(Magic)) }

// IsStream reports whether an input that starts with head is a stream of the IPC format of
// 0.15 or later. Older streams have nothing at their start that tells them.
func IsStream(head []byte) bool {
	size, length := prefix(head)
	return size == 8 && length > 0 && length < 1<<28
}

// Block is one record batch of an input.
type Block struct {
	Rows      int64
	Divisible bool // reading a part of the rows reads a part of the bytes

	at   int64 // of the message
	meta int64 // bytes of the metadata, with what stands before it
	body int64
	seq  int // dictionary messages before it
}

// Reader is an input of known size: a file, or a stream in a file. Any number of goroutines
// may use it.
type Reader struct {
	r      io.ReaderAt
	size   int64
	schema *schema
	dicts  *dictionaries
	blocks []Block
}

// Open reads what an input of size bytes says about itself: the schema, and where its
// batches are. No values are read.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	x := &Reader{r: r, size: size}
	head := make([]byte, min(size, HeadBytes))
	if _, err := r.ReadAt(head, 0); err != nil && (err != io.EOF || len(head) > 0) {
		return nil, readError(err)
	}
	switch {
	case IsFile(head):
		return x, x.openFile()
	case bytes.HasPrefix(head, []byte("FEA1")):
		return nil, pgerr.New(pgerr.FeatureNotSupported, "the input is a Feather file of version 1, which is not supported").
			WithHint("Version 2 is the Arrow IPC file format.")
	}
	return x, x.openStream()
}

// Columns returns the columns of the input.
func (x *Reader) Columns() []Column { return x.schema.columns() }

// Blocks returns the record batches in their order. The slice is the Reader's.
func (x *Reader) Blocks() []Block { return x.blocks }

// Rows returns the rows of all batches.
func (x *Reader) Rows() (n int64) {
	for i := range x.blocks {
		n += x.blocks[i].Rows
	}
	return n
}

// Bytes returns the bytes of block i in the input.
func (x *Reader) Bytes(i int) int64 { return x.blocks[i].meta + x.blocks[i].body }

// openFile finds the batches of a file by its footer.
func (x *Reader) openFile() error {
	const tail = 4 + len(Magic)
	if x.size < int64(len(Magic)+2+tail) {
		return damaged(0, "a file of %d bytes is too short", x.size)
	}
	end := make([]byte, tail)
	if _, err := x.r.ReadAt(end, x.size-int64(tail)); err != nil {
		return readError(err)
	}
	if string(end[4:]) != Magic {
		return damaged(x.size, "the file does not end with %s: it was not written to its end", Magic)
	}
	length := int64(int32(binary.LittleEndian.Uint32(end)))
	start := x.size - int64(tail) - length
	if length <= 0 || start < 8 {
		return damaged(x.size, "the footer has %d bytes", length)
	}
	b := make([]byte, length)
	if _, err := x.r.ReadAt(b, start); err != nil {
		return readError(err)
	}
	footer := newFlat(b).root()
	var err error
	if x.schema, err = readSchema(footer.table(1)); err != nil {
		return err
	}
	dicts := footerBlocks(footer, 2)
	x.blocks = footerBlocks(footer, 3)
	if footer.f.bad {
		return damaged(start, "the footer cannot be read")
	}
	if err := disjoint(dicts, x.blocks, start); err != nil {
		return err
	}
	x.dicts = newDictionaries(x.schema)
	for i := range dicts {
		if err := x.note(&dicts[i], messageDictionary); err != nil {
			return err
		}
	}
	if x.dicts.replaced() {
		return damaged(start, "a file gives a dictionary twice")
	}
	for i := range x.blocks {
		if err := x.note(&x.blocks[i], messageBatch); err != nil {
			return err
		}
	}
	return nil
}

// footerBlocks returns the blocks of a slot of the footer.
func footerBlocks(footer table, slot int) []Block {
	pos, n := footer.vector(slot, 24)
	out := make([]Block, n)
	for i := range out {
		out[i].at = footer.f.i64(pos + 24*i)
		out[i].meta = int64(int32(footer.f.u32(pos + 24*i + 8)))
		out[i].body = footer.f.i64(pos + 24*i + 16)
	}
	return out
}

// disjoint checks that blocks lie before end and that no byte is in two of them.
func disjoint(dicts, batches []Block, end int64) error {
	all := append(append([]Block(nil), dicts...), batches...)
	sort.Slice(all, func(i, k int) bool { return all[i].at < all[k].at })
	before := int64(0)
	for i := range all {
		k := &all[i]
		if k.at < before || k.meta < 4 || k.body < 0 || k.at > end || k.meta > end-k.at || k.body > end-k.at-k.meta {
			return damaged(end, "the footer has a batch of %d bytes at %d, which is no place for one", k.meta+k.body, k.at)
		}
		before = k.at + k.meta + k.body
	}
	return nil
}

// metadata returns the metadata of the message at k.
func (x *Reader) metadata(k *Block) (message, error) {
	b := make([]byte, k.meta)
	if _, err := x.r.ReadAt(b, k.at); err != nil {
		return message{}, readError(err)
	}
	size, length := prefix(b)
	if size == 0 || length <= 0 || length > k.meta-int64(size) {
		return message{}, damaged(k.at, "a message has %d bytes of metadata in %d", length, k.meta)
	}
	return parseMessage(b[size:int64(size)+length], k.at)
}

// body returns where the buffers of the message at k are.
func (x *Reader) body(k *Block) body { return body{r: x.r, base: k.at + k.meta} }

// note reads the metadata of the message at k, which must be of the given kind.
func (x *Reader) note(k *Block, kind int) error {
	m, err := x.metadata(k)
	if err != nil {
		return err
	}
	if m.kind != kind || m.body != k.body {
		return damaged(k.at, "a message is not what the footer says")
	}
	return x.noteMessage(k, m)
}

// noteMessage takes over what m, at k, says about a batch or a dictionary.
func (x *Reader) noteMessage(k *Block, m message) error {
	if m.kind == messageDictionary {
		return x.dicts.add(m, x.body(k))
	}
	lay, err := readLayout(m.header, m)
	if err != nil {
		return err
	}
	if _, err := lay.check(x.schema.fields, k.at); err != nil {
		return err
	}
	k.Rows, k.Divisible, k.seq = lay.rows, lay.codec == codecNone, x.dicts.count()
	return nil
}

// openStream finds the batches of a stream in a file.
func (x *Reader) openStream() error {
	b := make([]byte, 8)
	for at := int64(0); at < x.size; {
		n := min(8, x.size-at)
		if _, err := x.r.ReadAt(b[:n], at); err != nil && (err != io.EOF || n < 8) {
			return readError(err)
		}
		size, length := prefix(b[:n])
		if size > 0 && length == 0 && x.schema != nil {
			break
		}
		if size == 0 || length <= 0 || length > x.size-at-int64(size) {
			return x.notStream(at)
		}
		k := Block{at: at, meta: int64(size) + length}
		m, err := x.metadata(&k)
		if err != nil {
			if x.schema == nil && pgerr.From(err).SQLState == pgerr.BadCopyFileFormat {
				return x.notStream(at)
			}
			return err
		}
		if m.body > x.size-at-k.meta {
			return damaged(at, "the input ends inside a message")
		}
		k.body = m.body
		if err := x.take(&k, m); err != nil {
			return err
		}
		at += k.meta + k.body
	}
	if x.schema == nil {
		return x.notStream(0)
	}
	return nil
}

// notStream is the error for an input whose message at at is none.
func (x *Reader) notStream(at int64) error {
	if x.schema == nil {
		return errNoArrow()
	}
	return damaged(at, "there is no message where one should be")
}

func errNoArrow() error {
	return pgerr.New(pgerr.BadCopyFileFormat, "the input is neither an Arrow IPC file nor an Arrow IPC stream")
}

// take adds the message m of a stream, which is at k.
func (x *Reader) take(k *Block, m message) error {
	if x.schema == nil {
		if m.kind != messageSchema {
			return errNoArrow()
		}
		var err error
		x.schema, err = readSchema(m.header)
		x.dicts = newDictionaries(x.schema)
		return err
	}
	switch m.kind {
	case messageDictionary:
		return x.noteMessage(k, m)
	case messageBatch:
		err := x.noteMessage(k, m)
		x.blocks = append(x.blocks, *k)
		return err
	}
	return damaged(k.at, "a message of kind %d does not belong into a stream", m.kind)
}

// Batch opens batch i for reading the given columns.
func (x *Reader) Batch(i int, columns []int) (*Batch, error) {
	b, err := x.open(i, columns)
	if err != nil {
		return nil, err
	}
	k := &x.blocks[i]
	if b.dicts, err = x.dicts.seen(b.fields, k.seq); err != nil {
		return nil, err
	}
	return b, b.fetch(k.body)
}

// open is Batch without the dictionaries, and no bytes of the body are read.
func (x *Reader) open(i int, columns []int) (*Batch, error) {
	k := &x.blocks[i]
	m, err := x.metadata(k)
	if err != nil {
		return nil, err
	}
	lay, err := readLayout(m.header, m)
	if err != nil {
		return nil, err
	}
	if m.kind != messageBatch || m.body != k.body || lay.rows != k.Rows {
		return nil, errChanged()
	}
	return x.schema.batch(x.schema.fields, columns, lay, k.at, x.body(k))
}

// wholeBody is the most bytes of a body that are read at once. Above, what is needed is read
// where it is needed.
const wholeBody = 256 << 10

// fetch reads the body into memory if that is less work than reading it in parts.
func (b *Batch) fetch(body int64) error {
	if body == 0 || body > wholeBody {
		return nil
	}
	mem := aligned(int(body))
	if _, err := b.src.r.ReadAt(mem, b.src.base); err != nil {
		return readError(err)
	}
	b.src.mem = mem
	return nil
}

// ValueBytes returns how many bytes the values of the given columns have in a range of
// rows of block i: exactly for the columns whose values lie between offsets, and at most
// for a whole block. It is -1 if a column is of another kind.
func (x *Reader) ValueBytes(i int, columns []int, from, n int64) (int64, error) {
	if len(columns) == 0 {
		return 0, nil
	}
	b, err := x.open(i, columns)
	if err != nil {
		return 0, err
	}
	b.src.arena = new(arena)
	total := int64(0)
	for c, f := range b.fields {
		switch f.kind {
		case typeUtf8, typeBinary, typeLargeUtf8, typeLargeBinary:
		default:
			return -1, nil
		}
		if f.values != nil {
			return -1, nil
		}
		bytes, err := b.between(f, b.starts[c], from, n)
		if err != nil || bytes < 0 {
			return bytes, err
		}
		total += bytes
	}
	return total, nil
}

// between returns the bytes between two offsets of f. Of a whole array it is what its buffer
// has at most, and of a part of a compressed one it is unknown.
func (b *Batch) between(f *field, c cursor, from, n int64) (int64, error) {
	whole := from == 0 && n == b.Rows()
	if whole && b.src.lay.codec == codecNone {
		return b.src.lay.buffers[c.buffer+2].n, nil
	}
	if b.src.lay.codec != codecNone {
		if !whole {
			return -1, nil
		}
		return b.src.claim(c.buffer + 2)
	}
	at := func(row int64) (int64, error) {
		raw, err := b.fixed(f, c.buffer+1, row, 1)
		if err != nil {
			return 0, err
		}
		if f.width == 4 {
			return int64(view[int32](raw)[0]), nil
		}
		return view[int64](raw)[0], nil
	}
	first, err := at(from)
	if err != nil {
		return 0, err
	}
	last, err := at(from + n)
	if err != nil {
		return 0, err
	}
	if first < 0 || last < first || last > b.src.lay.buffers[c.buffer+2].n {
		return 0, damaged(b.src.at, "offsets %d and %d of column \"%s\" cannot be", first, last, f.name)
	}
	return last - first, nil
}
