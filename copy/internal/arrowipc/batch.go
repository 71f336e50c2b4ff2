package arrowipc

import (
	"fmt"
	"runtime/debug"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Batch is a record batch whose metadata was read and checked, and whose columns are read
// as they are asked for. It belongs to one goroutine.
type Batch struct {
	src    source
	fields []*field // wanted
	starts []cursor // of their arrays
	dicts  map[int64]arrow.ArrayData
	big    bool
	arrays []arrow.Array
}

// batch checks the batch that lay describes, whose message is at at, against fields, of
// which want are wanted. Its buffers are in in.
func (s *schema) batch(fields []*field, want []int, lay *layout, at int64, in body) (*Batch, error) {
	starts, err := lay.check(fields, at)
	if err != nil {
		return nil, err
	}
	b := &Batch{src: source{body: in, lay: lay, at: at}, big: s.big}
	if lay.codec != codecNone {
		b.src.plain = newUnpacked(len(lay.buffers))
	}
	for _, i := range want {
		b.fields = append(b.fields, fields[i])
		b.starts = append(b.starts, starts[i])
	}
	return b, nil
}

// Rows returns the number of rows of the batch.
func (b *Batch) Rows() int64 { return b.src.lay.rows }

// Fork returns the same batch for another goroutine. What is decompressed is so once for
// all forks.
func (b *Batch) Fork() *Batch {
	c := &Batch{src: b.src, fields: b.fields, starts: b.starts, dicts: b.dicts, big: b.big}
	c.src.arena = nil
	return c
}

// Close gives the memory of the arrays back, which are not valid any more.
func (b *Batch) Close() {
	if b.src.arena != nil {
		arenas.Put(b.src.arena)
		b.src.arena = nil
	}
}

// Taken returns the bytes of the buffers, decompressed, that were read.
func (b *Batch) Taken() int64 { return b.src.taken }

// Read returns rows from to from+n of the wanted columns, which the batch must have. Ranges
// that start on a multiple of 64 are the cheapest. The arrays are sound: whatever they
// refer to exists. They are valid until the next Read.
func (b *Batch) Read(from, n int64) (_ []arrow.Array, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = pgerr.New(pgerr.BadCopyFileFormat, "the Arrow data is damaged: %v", p).WithDetail("%s", debug.Stack())
		}
	}()
	if from < 0 || n < 0 || from > b.Rows() || n > b.Rows()-from {
		return nil, fmt.Errorf("arrowipc: rows %d to %d of a batch of %d", from, from+n, b.Rows())
	}
	if b.src.arena == nil {
		b.src.arena = arenas.Get().(*arena)
	}
	b.src.arena.reset()
	b.arrays = b.arrays[:0]
	for i, f := range b.fields {
		c := b.starts[i]
		data, err := b.load(f, &c, from, n)
		if err != nil {
			if e := pgerr.From(err); e.Column == "" && e.SQLState == pgerr.BadCopyFileFormat {
				e.Column = f.name
				err = e
			}
			return nil, err
		}
		b.arrays = append(b.arrays, array.MakeFromData(data))
	}
	return b.arrays, nil
}
