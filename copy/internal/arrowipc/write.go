package arrowipc

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/klauspost/compress/zstd"
)

// Codec is how the buffers of batches are compressed.
type Codec int

// The codecs.
const (
	Uncompressed Codec = codecNone
	LZ4          Codec = codecLZ4
	Zstd         Codec = codecZstd
)

// Array is a column of a batch, or what is in one: buffers in the layout of its type, the
// bitmap of validity first, all of which start with row 0.
type Array struct {
	Rows    int
	Nulls   int // 0: the bitmap is not written
	Buffers [][]byte
	Child   *Array // elements of lists
}

// Pack is a batch that is ready to be written.
type Pack struct {
	meta []byte
	body [][]byte // with what pads them
	size int64    // of body
}

// padding is what buffers end with, so that the next starts on a multiple of 64.
var padding [64]byte

// Encode makes a pack of columns of rows rows. If it is not compressed the pack has the
// memory of the columns, which must stay as it is until the pack is written.
func Encode(columns []Array, rows int, codec Codec) (*Pack, error) {
	p := &Pack{}
	var nodes, extents []int64
	for i := range columns {
		for a := &columns[i]; a != nil; a = a.Child {
			nodes = append(nodes, int64(a.Rows), int64(a.Nulls))
			for k, b := range a.Buffers {
				if k == 0 && a.Nulls == 0 {
					b = nil
				}
				b, err := pack(b, codec)
				if err != nil {
					return nil, err
				}
				extents = append(extents, p.size, int64(len(b)))
				p.add(b)
			}
		}
	}
	w := newBuilder()
	w.message(messageBatch, p.size, func(from int) { w.batch(from, int64(rows), nodes, extents, codec) })
	p.meta = w.framed(0)
	return p, nil
}

// add appends a buffer to the body.
func (p *Pack) add(b []byte) {
	if len(b) == 0 {
		return
	}
	p.body = append(p.body, b)
	p.size += int64(len(b))
	if n := int(-p.size & 63); n > 0 {
		p.body = append(p.body, padding[:n])
		p.size += int64(n)
	}
}

// zstdEncoder encodes whole buffers, for any number of goroutines.
var zstdEncoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
})

// pack compresses a buffer: its length and what it became, or -1 and what it was if that is
// not longer.
func pack(b []byte, codec Codec) ([]byte, error) {
	if codec == Uncompressed || len(b) == 0 {
		return b, nil
	}
	out := make([]byte, 8, 8+len(b)/2)
	binary.LittleEndian.PutUint64(out, uint64(len(b)))
	if codec == LZ4 {
		out = packLZ4(out, b)
	} else {
		e, err := zstdEncoder()
		if err != nil {
			return nil, fmt.Errorf("arrowipc: %w", err)
		}
		out = e.EncodeAll(b, out)
	}
	if len(out)-8 >= len(b) {
		out = append(out[:0], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
		out = append(out, b...)
	}
	return out, nil
}

// Writer writes a stream or a file. It belongs to one goroutine.
type Writer struct {
	w      io.Writer
	file   bool
	fields []arrow.Field
	at     int64
	blocks []int64 // of the footer: three words for each batch
}

// NewWriter writes the beginning of a stream, or of a file, with the given columns to w.
func NewWriter(w io.Writer, fields []arrow.Field, file bool) (*Writer, error) {
	out := &Writer{w: w, file: file, fields: fields}
	b := newBuilder()
	var err error
	b.message(messageSchema, 0, func(from int) { err = b.schema(from, fields) })
	if err != nil {
		return nil, err
	}
	if file {
		return out, out.write(append([]byte(Magic+"\x00\x00"), b.framed(8)...))
	}
	return out, out.write(b.framed(0))
}

func (w *Writer) write(b []byte) error {
	n, err := w.w.Write(b)
	w.at += int64(n)
	return err
}

// Put writes the next batch.
func (w *Writer) Put(p *Pack) error {
	w.blocks = append(w.blocks, w.at, int64(len(p.meta)), p.size)
	if err := w.write(p.meta); err != nil {
		return err
	}
	for _, b := range p.body {
		if err := w.write(b); err != nil {
			return err
		}
	}
	return nil
}

// Close writes what ends the stream or the file.
func (w *Writer) Close() error {
	out := []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}
	if !w.file {
		return w.write(out)
	}
	b := newBuilder()
	at := b.table(0, i16(version5), ref, ref, ref)
	if err := b.schema(at[1], w.fields); err != nil {
		return err
	}
	b.words(at[2], 0, nil)
	b.words(at[3], len(w.blocks)/3, w.blocks)
	out = append(out, b.b...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(b.b)))
	return w.write(append(out, Magic...))
}
