package arrowipc

import (
	"encoding/binary"
	"math"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// The kinds of messages.
const (
	messageSchema     = 1
	messageDictionary = 2
	messageBatch      = 3
)

// The metadata versions that are read: since 0.8 of 2017.
const (
	version4 = 3
	version5 = 4
)

// Codecs of a body.
const (
	codecNone = -1
	codecLZ4  = 0
	codecZstd = 1
)

// message is the metadata of a message.
type message struct {
	at      int64 // where it starts in the input
	kind    int
	version int
	header  table
	body    int64 // bytes
}

// parseMessage reads the metadata of the message that starts at the byte at.
func parseMessage(b []byte, at int64) (message, error) {
	root := newFlat(b).root()
	m := message{at: at, version: root.i16(0), kind: root.u8(1), header: root.table(2), body: root.i64(3)}
	if root.f.bad || !m.header.present || m.body < 0 {
		return m, damaged(at, "the metadata of a message cannot be read")
	}
	if m.version != version4 && m.version != version5 {
		return m, pgerr.New(pgerr.FeatureNotSupported, "the Arrow data has metadata version %d, which is not supported", m.version+1)
	}
	return m, nil
}

// prefix reads what stands before the metadata of a message: b has the first eight bytes,
// or four if there are no more. It returns the bytes that it takes and those of the
// metadata; 0 for the end of the stream.
func prefix(b []byte) (size int, length int64) {
	if len(b) < 4 {
		return 0, 0
	}
	if n := binary.LittleEndian.Uint32(b); n != math.MaxUint32 {
		return 4, int64(int32(n)) // as it was before 0.15
	}
	if len(b) < 8 {
		return 4, 0
	}
	return 8, int64(int32(binary.LittleEndian.Uint32(b[4:])))
}

// node is the length of one array of a batch.
type node struct{ rows, nulls int64 }

// extent is where a buffer is in the body.
type extent struct{ at, n int64 }

// layout is what the metadata of a batch says about its arrays.
type layout struct {
	rows     int64
	nodes    []node
	buffers  []extent
	variadic []int64
	codec    int
	version  int
}

// readLayout reads a RecordBatch table, which belongs to m.
func readLayout(t table, m message) (*layout, error) {
	l := &layout{rows: t.i64(0), codec: codecNone, version: m.version}
	if !t.present || l.rows < 0 {
		return nil, damaged(m.at, "a batch has no length")
	}
	pos, n := t.vector(1, 16)
	l.nodes = make([]node, n)
	for i := range l.nodes {
		l.nodes[i] = node{rows: t.f.i64(pos + 16*i), nulls: t.f.i64(pos + 16*i + 8)}
		if nd := l.nodes[i]; nd.rows < 0 || nd.nulls < 0 || nd.nulls > nd.rows {
			return nil, damaged(m.at, "an array of %d rows has %d nulls", nd.rows, nd.nulls)
		}
	}
	pos, n = t.vector(2, 16)
	l.buffers = make([]extent, n)
	for i := range l.buffers {
		l.buffers[i] = extent{at: t.f.i64(pos + 16*i), n: t.f.i64(pos + 16*i + 8)}
		if e := l.buffers[i]; e.at < 0 || e.n < 0 || e.at > m.body || e.n > m.body-e.at {
			return nil, damaged(m.at, "a buffer of %d bytes at %d leaves its body of %d bytes", e.n, e.at, m.body)
		}
	}
	if c := t.table(3); c.present {
		l.codec = c.u8(0)
		if l.codec != codecLZ4 && l.codec != codecZstd || c.u8(1) != 0 {
			return nil, damaged(m.at, "codec %d does not exist", l.codec)
		}
	}
	pos, n = t.vector(4, 8)
	l.variadic = make([]int64, n)
	for i := range l.variadic {
		if l.variadic[i] = t.f.i64(pos + 8*i); l.variadic[i] < 0 || l.variadic[i] > int64(len(l.buffers)) {
			return nil, damaged(m.at, "a column has %d buffers of the batch's %d", l.variadic[i], len(l.buffers))
		}
	}
	if t.f.bad {
		return nil, damaged(m.at, "the metadata of a batch cannot be read")
	}
	return l, nil
}

// cursor is a position in the arrays of a batch, which are those of a tree in order.
type cursor struct{ node, buffer, variadic int }

// skip moves c behind the arrays of f and reports whether the batch has them.
func (l *layout) skip(f *field, c *cursor) bool {
	c.node++
	if f.values != nil {
		c.buffer += 2
		return l.holds(c)
	}
	switch f.kind {
	case typeNull, typeRunEndEncoded:
	case typeStruct, typeFixedSizeList:
		c.buffer++
	case typeUnion:
		c.buffer++
		if f.dense {
			c.buffer++
		}
		if l.version < version5 {
			c.buffer++
		}
	case typeBinary, typeUtf8, typeLargeBinary, typeLargeUtf8, typeListView, typeLargeListView:
		c.buffer += 3
	case typeBinaryView, typeUtf8View:
		if c.variadic >= len(l.variadic) {
			return false
		}
		c.buffer += 2 + int(l.variadic[c.variadic])
		c.variadic++
	default:
		c.buffer += 2
	}
	if !l.holds(c) {
		return false
	}
	for _, child := range f.children {
		if !l.skip(child, c) {
			return false
		}
	}
	return true
}

func (l *layout) holds(c *cursor) bool {
	return c.node <= len(l.nodes) && c.buffer <= len(l.buffers) && c.variadic <= len(l.variadic)
}

// Limits of a batch.
const (
	// freeRows is the most rows of a batch in which no column takes any byte per row.
	freeRows = 1 << 20

	maxRows = 1 << 48
)

// backed checks that the bytes of f, whose arrays are at c, can hold the rows that it
// claims. It reports whether that is a bound: arrays of nulls and run ends hold any number.
func (l *layout) backed(f *field, c cursor) (bound, ok bool) {
	nd := l.nodes[c.node]
	if nd.rows > maxRows {
		return false, false
	}
	bits := int64(8 * f.width)
	at := c.buffer + 1
	switch {
	case f.values != nil:
	case f.kind == typeNull, f.kind == typeRunEndEncoded:
		return false, true
	case f.kind == typeBool:
		bits = 1
	case f.kind == typeUnion:
		bits = 8
		if l.version >= version5 {
			at = c.buffer
		}
	case f.kind == typeStruct, f.kind == typeFixedSizeList:
		return l.backedChild(f, c)
	}
	if bits == 0 || nd.rows == 0 {
		return false, true
	}
	return true, nd.rows <= 8*l.most(at)/bits
}

// backedChild is backed for what has its bytes in its children.
func (l *layout) backedChild(f *field, c cursor) (bound, ok bool) {
	nd := l.nodes[c.node]
	c.node++
	c.buffer++
	for _, child := range f.children {
		rows := l.nodes[c.node].rows
		b, ok := l.backed(child, c)
		if !ok || f.kind == typeStruct && rows < nd.rows || f.size > 0 && nd.rows > rows/int64(f.size) {
			return false, false
		}
		bound = bound || b && (f.kind == typeStruct || f.size > 0)
		l.skip(child, &c)
	}
	return bound, true
}

// most returns the bytes that buffer i has at most when it is decompressed.
func (l *layout) most(i int) int64 {
	n := l.buffers[i].n
	switch l.codec {
	case codecLZ4:
		return min(n, math.MaxInt64/1024) * 255
	case codecZstd:
		return (min(n, math.MaxInt64>>24)/4 + 1) << 17
	}
	return n
}

// check compares the lengths of the batch's arrays with each other and with their bytes,
// and returns where the arrays of each field start.
func (l *layout) check(fields []*field, at int64) ([]cursor, error) {
	starts := make([]cursor, len(fields))
	var c cursor
	bound := false
	for i, f := range fields {
		starts[i] = c
		if !l.skip(f, &c) {
			return nil, damaged(at, "a batch has fewer arrays than the schema")
		}
		if nd := l.nodes[starts[i].node]; nd.rows != l.rows {
			return nil, damaged(at, "column \"%s\" has %d rows in a batch of %d", f.name, nd.rows, l.rows)
		}
		b, ok := l.backed(f, starts[i])
		if !ok {
			return nil, damaged(at, "column \"%s\" has too few bytes for %d rows", f.name, l.rows)
		}
		bound = bound || b
	}
	if !bound && l.rows > freeRows {
		return nil, damaged(at, "a batch has %d rows and no bytes", l.rows)
	}
	return starts, nil
}
