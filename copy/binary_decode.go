package copy

import (
	"encoding/binary"
	"sync"

	"github.com/ingotdb/ingot/kernels"
)

// tupleDecoder turns tuples into rows. One goroutine owns it.
//
// seps has a separator at the end of every field: the last byte of its value, or of its
// length if it has none, so that a tuple starts behind the last separator of the one
// before it, like a line.
type tupleDecoder struct {
	parser
	t      *tuples
	stride int // separators per tuple
	b      []byte
	seps   []uint32
	done   int // tuples that were decoded
	even   int // of those that are left, those in front that are t.stride bytes long each

	batch tupleBatch
	null  []uint64
}

// tupleBatch is consecutive tuples of a block.
type tupleBatch struct {
	rows   *Rows
	b      []byte
	seps   []uint32
	stride int
	even   bool // all are alike and nothing is NULL; then only the last separator of each is there
	at     int  // the first tuple's row
}

// idleTuples keeps the scratch of decoders for the next COPY.
var idleTuples = sync.Pool{New: func() any { return new(tupleDecoder) }}

// Decoder returns a decoder.
func (t *tuples) Decoder() Decoder {
	c := idleTuples.Get().(*tupleDecoder)
	c.t, c.location, c.stride = t, t.binding.Location, max(1, t.fields)
	return c
}

// Close gives the decoder's scratch back, if it is of moderate size.
func (c *tupleDecoder) Close() {
	kept := tupleDecoder{seps: c.seps, null: c.null}
	if len(c.seps) > 4*blockBytes {
		kept = tupleDecoder{}
	}
	*c = kept
	idleTuples.Put(c)
}

// Begin does nothing: tuples are the same in every input.
func (c *tupleDecoder) Begin(*Layout) {}

// End returns the position behind the k-th tuple of the block.
func (c *tupleDecoder) End(k int) int { return int(c.seps[k*c.stride]) + 1 }

// Index finds the fields of the tuples of a block.
func (c *tupleDecoder) Index(b []byte, last bool) (ready int, bad bool) {
	c.b, c.done, c.even = b, 0, 0
	if need := len(b)/2 + 2; len(c.seps) < need {
		c.seps = make([]uint32, max(need, blockBytes/2+2))
	}
	c.seps[0] = ^uint32(0)
	at := 0
	if c.t.widths != nil {
		if rows, width := kernels.CheckBinaryStride(b, c.t.widths); rows >= leastEven || rows*width == len(b) {
			c.even, ready = rows, rows
			for i := c.stride; i <= rows*c.stride; i += c.stride {
				at += width
				c.seps[i] = uint32(at - 1)
			}
		}
	}
	for at < len(b) {
		end, step := c.index(at, ready)
		if step != StepEnough {
			return ready, step != StepShort || last
		}
		at = end
		ready++
	}
	return ready, false
}

// leastEven is how many equally long tuples in front of a block make it worth to convert
// them by themselves.
const leastEven = 64

// index stores the separators of tuple k of the block, which is at b[at].
func (c *tupleDecoder) index(at, k int) (end int, step Step) {
	b, fields := c.b, c.t.fields
	if len(b)-at < 2 {
		return 0, StepShort
	}
	if int(binary.BigEndian.Uint16(b[at:])) != fields {
		return 0, StepBad
	}
	at += 2
	i := k*c.stride + 1
	if fields == 0 {
		c.seps[i] = uint32(at - 1)
		return at, StepEnough
	}
	if len(c.seps) < i+fields {
		return 0, StepShort // each field takes four bytes, and there are not as many
	}
	seps := c.seps[i : i+fields]
	for k := range seps {
		if len(b)-at < 4 {
			return 0, StepShort
		}
		length := int32(binary.BigEndian.Uint32(b[at:]))
		at += 4
		if length >= 0 {
			at += int(length)
		} else if length != -1 {
			return 0, StepBad
		}
		seps[k] = uint32(at - 1)
	}
	if at > len(b) {
		return 0, StepShort
	}
	return at, StepEnough
}

// Decode converts the next n tuples. Those that are equally long are a batch of their own.
func (c *tupleDecoder) Decode(out *Rows, n int) (done int, ok bool) {
	if c.even > 0 {
		n = min(n, c.even)
	}
	if words := (n + 63) / 64; len(c.null) < words {
		c.null = make([]uint64, words)
	}
	c.batch = tupleBatch{rows: out, b: c.b, seps: c.seps[c.done*c.stride:], stride: c.stride, even: c.even > 0, at: out.at}
	c.even -= min(n, c.even)
	want := n
	for i := range c.t.fields {
		if n = c.column(&c.batch, i, n); n == 0 {
			return 0, false
		}
	}
	c.done += n
	return n, n == want
}
