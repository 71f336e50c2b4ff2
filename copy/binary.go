package copy

import (
	"encoding/binary"
	"io"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
)

// A binary file is PostgreSQL's: a signature, flags, an extension of the header, tuples, a
// trailer. A tuple is the number of its fields and then for each its length and its bytes.
//
// Where a tuple ends only its lengths say, so tuples are walked, touching the lengths alone;
// if all columns have a fixed width they may be equally long. A length is only ever
// compared with the bytes that are there: nothing is allocated for it.

// Binary returns PostgreSQL's binary format. It is registered as "binary".
func Binary() Format {
	return Format{
		Magic: []string{binarySignature},
		ReadRecords: func(o *Options) (RecordReader, error) {
			_, _, err := readLineOptions(binaryKind, o)
			return binaryReader{}, err
		},
		WriteRecords: func(o *Options) (RecordWriter, error) {
			_, _, err := readLineOptions(binaryKind, o)
			return binaryWriter{}, err
		},
	}
}

// binaryReader is the reading side, which has no options.
type binaryReader struct{}

// tuples are the records of one COPY FROM, and find where they end. Immutable.
type tuples struct {
	binding *Binding
	fields  int
	widths  []int32 // of the fields, if all are fixed
	stride  int     // of a tuple of such fields, none of them NULL; else 0
}

// Bind resolves the widths of the columns.
func (binaryReader) Bind(b *Binding) (Records, error) {
	t := &tuples{binding: b, fields: len(b.Columns)}
	if t.fields > maxTupleFields {
		return nil, errTooWide(t.fields)
	}
	if t.widths = tupleWidths(b.Columns); t.widths != nil {
		_, t.stride = kernels.CheckBinaryStride(nil, t.widths)
	}
	return t, nil
}

// Expansion guesses that numbers are not longer than their tuples by more than those.
func (t *tuples) Expansion(_, bytes int64) int64 {
	if growing(t.binding) {
		return bytes
	}
	return 0
}

// binarySignature begins every file. Its last bytes show what a transfer as text does.
const binarySignature = "PGCOPY\n\xff\r\n\x00"

// binaryHeadBytes is the signature, the flags and the length of the extension.
const binaryHeadBytes = len(binarySignature) + 8

// maxTupleFields is the most fields that the count of a tuple can say.
const maxTupleFields = 1<<15 - 1

// fixedWidth returns the bytes of a value of type t in the binary format, or -1 if they
// differ from value to value.
func fixedWidth(t columnar.Type) int32 {
	switch {
	case t.Array, t.Variable(), t.Kind == columnar.Decimal:
		return -1
	case t.Kind == columnar.Bool:
		return 1
	}
	return int32(t.Width())
}

// tupleWidths returns the widths of the fields, nil if one is not fixed.
func tupleWidths(columns []Column) []int32 {
	if len(columns) == 0 {
		return nil
	}
	widths := make([]int32, len(columns))
	for i := range columns {
		if widths[i] = fixedWidth(columns[i].Type); widths[i] < 0 {
			return nil
		}
	}
	return widths
}

// Head finds where the tuples begin.
func (t *tuples) Head(h *Head) (Layout, error) {
	b := h.Bytes
	fail := func(message string) (Layout, error) {
		return Layout{}, pgerr.New(pgerr.BadCopyFileFormat, "%s", message)
	}
	if !h.Whole && len(b) < binaryHeadBytes {
		return Layout{}, ErrShort
	}
	if len(b) < len(binarySignature) || string(b[:len(binarySignature)]) != binarySignature {
		return fail("COPY file signature not recognized")
	}
	b = b[len(binarySignature):]
	if len(b) < 4 {
		return fail("invalid COPY file header (missing flags)")
	}
	switch flags := binary.BigEndian.Uint32(b); {
	case flags&(1<<16) != 0:
		return fail("invalid COPY file header (WITH OIDS)")
	case flags>>16 != 0:
		return fail("unrecognized critical flags in COPY file header")
	}
	if len(b) < 8 || int32(binary.BigEndian.Uint32(b[4:])) < 0 {
		return fail("invalid COPY file header (missing length)")
	}
	extension := int64(binary.BigEndian.Uint32(b[4:]))
	start := int64(binaryHeadBytes) + extension
	switch {
	case h.Size >= 0 && start > h.Size:
		return fail("invalid COPY file header (wrong length)")
	case h.Size < 0 && start > int64(len(h.Bytes)):
		return Layout{}, ErrShort // a stream cannot pass over it
	}
	return Layout{Start: start, Walk: t}, nil
}

// tupleAt looks at what b starts with. n is the length of a whole tuple; a trailer is
// StepEnd.
func tupleAt(b []byte, fields int) (n int, step Step) {
	if len(b) < 2 {
		return 0, StepShort
	}
	switch count := int16(binary.BigEndian.Uint16(b)); {
	case count == -1:
		return 0, StepEnd
	case int(count) != fields:
		return 0, StepBad
	}
	n = 2
	for range fields {
		if len(b)-n < 4 {
			return 0, StepShort
		}
		length := int32(binary.BigEndian.Uint32(b[n:]))
		n += 4
		if length >= 0 {
			n += int(length)
		} else if length != -1 {
			return 0, StepBad
		}
	}
	if n > len(b) {
		return 0, StepShort
	}
	return n, StepEnough
}

// Walk passes tuples.
func (t *tuples) Walk(b []byte, last bool, until int, most int64) (n int, rows int64, next Step) {
	for rows < most {
		size, step := tupleAt(b[n:], t.fields)
		switch {
		case step == StepEnd && len(b)-n > 2:
			return n, rows, StepBad // the trailer is not the last
		case step == StepEnd && !last:
			return n, rows, StepShort
		case step != StepEnough, n+size > until:
			return n, rows, step
		}
		n += size
		rows++
	}
	return n, rows, StepEnough
}

// Skip reads the lengths of a tuple, and no more.
func (t *tuples) Skip(src io.ReaderAt, off, end int64) (int64, Step, error) {
	off += 2
	for range t.fields {
		if end-off < 4 {
			return off, StepShort, nil
		}
		var b [4]byte
		if _, err := src.ReadAt(b[:], off); err != nil {
			return off, StepBad, err
		}
		length := int32(binary.BigEndian.Uint32(b[:]))
		if length < -1 {
			return off, StepBad, nil
		}
		if off += 4 + int64(max(length, 0)); off > end {
			return off, StepShort, nil
		}
	}
	return off, StepEnough, nil
}

// Stride returns the length of a tuple of fixed width.
func (t *tuples) Stride() int { return t.stride }

// Even returns how many tuples of that length b begins with.
func (t *tuples) Even(b []byte) int {
	n, _ := kernels.CheckBinaryStride(b, t.widths)
	return n
}
