package copy

import (
	"encoding/binary"
	"io"
	"os"

	"github.com/ingotdb/ingot/columnar"
)

// spill is a file of blocks of rows, which only this process reads. A block is words of 64
// bits in the order of the machine:
//
//	rows | words of the block << 32
//	for each column: 1 if it has validity, + 2 if NaN, + bytes of data << 8
//	for each column: validity, NaN, then bits, or values, or offsets and data; each to a word's end
type spill struct {
	file *os.File
	name string // for errors
	at   int64
	buf  []byte // waits to be written
}

// spillBytes is about what is written at a time.
const spillBytes = 1 << 20

// extent is blocks of one partition that follow one another.
type extent struct{ at, size int64 }

// write appends a block.
func (s *spill) write(b *rowBuffer) error {
	from := len(s.buf)
	s.buf = appendBlock(s.buf, b)
	s.at += int64(len(s.buf) - from)
	if len(s.buf) < spillBytes {
		return nil
	}
	return s.flush()
}

// flush writes what waits.
func (s *spill) flush() error {
	_, err := s.file.Write(s.buf)
	s.buf = s.buf[:0]
	return fileError(err, "could not write to file", s.name)
}

const (
	blockValid = 1
	blockNaN   = 2
)

// appendBlock appends the rows of b.
func appendBlock(dst []byte, b *rowBuffer) []byte {
	start := len(dst)
	dst = binary.NativeEndian.AppendUint64(dst, 0)
	for i := range b.cols {
		c := &b.cols[i]
		head := uint64(len(c.Data)) << 8
		if b.nulls[i] {
			head |= blockValid
		}
		if c.NaN != nil {
			head |= blockNaN
		}
		dst = binary.NativeEndian.AppendUint64(dst, head)
	}
	words := (b.rows + 63) / 64
	for i := range b.cols {
		c := &b.cols[i]
		if b.nulls[i] {
			dst = append(dst, wordBytes(c.Valid[:words])...)
		}
		if c.NaN != nil {
			dst = append(dst, wordBytes(c.NaN[:words])...)
		}
		switch w := c.Type.Width(); {
		case c.Offsets != nil:
			dst = append(dst, offsetBytes(c.Offsets, b.rows)...)
			dst = padded(append(padded(dst, start), c.Data...), start)
		case w == 0:
			dst = append(dst, wordBytes(c.Bits[:words])...)
		default:
			dst = padded(append(dst, c.Fixed[:b.rows*w]...), start)
		}
	}
	binary.NativeEndian.PutUint64(dst[start:], uint64(b.rows)|uint64(len(dst)-start)/8<<32)
	return dst
}

// padded appends zeros up to a whole word from start.
func padded(dst []byte, start int) []byte {
	for (len(dst)-start)&7 != 0 {
		dst = append(dst, 0)
	}
	return dst
}

// spillReader reads blocks. One goroutine owns it.
type spillReader struct {
	*spill
	types []columnar.Type
	words []uint64
	cols  []columnar.Vec
}

// next reads the first block of x and takes it from x. The rows are valid until the next call.
func (r *spillReader) next(x *extent) (Batch, error) {
	var head [8]byte
	if err := r.read(head[:], x.at, x.size); err != nil {
		return Batch{}, err
	}
	h := binary.NativeEndian.Uint64(head[:])
	rows, words := int(uint32(h)), int(h>>32)
	size := int64(words) * 8
	if rows > blockRows || words <= len(r.types) || size > x.size {
		return Batch{}, errChanged(r.name)
	}
	if len(r.words) < words {
		r.words = make([]uint64, words)
	}
	if err := r.read(wordBytes(r.words[:words]), x.at, x.size); err != nil {
		return Batch{}, err
	}
	x.at, x.size = x.at+size, x.size-size
	heads, rest := r.words[1:1+len(r.types)], r.words[1+len(r.types):words]
	short := false
	take := func(bytes int) []uint64 {
		n := (bytes + 7) / 8
		if n > len(rest) {
			short = true
			return make([]uint64, n)
		}
		part := rest[:n:n]
		rest = rest[n:]
		return part
	}
	bitmap := (rows + 63) / 64 * 8
	r.cols = r.cols[:0]
	for i, t := range r.types {
		var valid, nan, bits []uint64
		var fixed, data []byte
		var offsets []int32
		if heads[i]&blockValid != 0 {
			valid = take(bitmap)
		}
		if heads[i]&blockNaN != 0 {
			nan = take(bitmap)
		}
		switch w := t.Width(); {
		case t.Variable():
			offsets = view[int32](wordBytes(take(4*(rows+1))), rows+1)
			n := int(heads[i] >> 8 & (1<<40 - 1))
			if n > len(rest)*8 {
				return Batch{}, errChanged(r.name)
			}
			data = wordBytes(take(n))[:n]
		case w == 0:
			bits = take(bitmap)
		default:
			fixed = wordBytes(take(rows * w))[:rows*w]
		}
		if short {
			return Batch{}, errChanged(r.name)
		}
		r.cols = append(r.cols, columnar.MakeVec(t, rows, valid, fixed, bits, offsets, data, nan))
	}
	return Batch{Rows: rows, Cols: r.cols}, nil
}

// read fills b from the file at at, of which no more than most bytes are left.
func (r *spillReader) read(b []byte, at, most int64) error {
	if int64(len(b)) > most {
		return errChanged(r.name)
	}
	if _, err := r.file.ReadAt(b, at); err == io.EOF {
		return errChanged(r.name)
	} else if err != nil {
		return fileError(err, "could not read from file", r.name)
	}
	return nil
}
