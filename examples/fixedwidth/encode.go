package fixedwidth

import (
	"bytes"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
)

// writer is the writing side.
type writer widths

// Bind returns how rows of the given columns are written.
func (w writer) Bind(b *copy.Binding) (*copy.Encoding, error) {
	return &copy.Encoding{Encoder: func() copy.Encoder { return &encoder{binding: b, widths: widths(w)} }}, widths(w).check(b)
}

// encoder writes rows as lines. One goroutine owns it.
type encoder struct {
	binding *copy.Binding
	widths  widths
	value   []byte
}

// Append appends the lines of a batch.
func (e *encoder) Append(dst []byte, b copy.Batch) ([]byte, error) {
	for row := range b.Rows {
		for i, width := range e.widths {
			v := &b.Cols[i]
			if e.value = e.value[:0]; !v.IsNull(row) {
				e.value = v.AppendText(e.value, row, e.binding.Location)
			}
			pad := width - len(e.value)
			switch {
			case pad < 0:
				return dst, failf("22001", "value too long for a field of %d bytes: \"%s\"", width, e.value)
			case bytes.IndexByte(e.value, '\n') >= 0:
				return dst, failf("0A000", "format %s has no line breaks in values", Name)
			case numeric(v.Type().Kind):
				dst = append(blanks(dst, pad), e.value...)
			default:
				dst = blanks(append(dst, e.value...), pad)
			}
		}
		dst = append(dst, '\n')
	}
	return dst, nil
}

func blanks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// numeric reports whether values of the kind stand on the right.
func numeric(k columnar.Kind) bool {
	switch k {
	case columnar.Int2, columnar.Int4, columnar.Int8, columnar.Float4, columnar.Float8, columnar.Decimal, columnar.Numeric:
		return true
	}
	return false
}
