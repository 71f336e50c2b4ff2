package fixedwidth

import (
	"bytes"

	"github.com/ingotdb/ingot/copy"
)

// decoder turns lines into rows. One goroutine owns it.
type decoder struct {
	*lines
	b    []byte // the block
	done int    // lines of it that were decoded
	null []uint64
}

// Decoder returns a decoder.
func (l *lines) Decoder() copy.Decoder { return &decoder{lines: l} }

// Begin does nothing: lines are the same in every input.
func (d *decoder) Begin(*copy.Layout) {}

// Close does nothing: there is no scratch worth keeping.
func (d *decoder) Close() {}

// End returns the position behind the k-th line of the block: all are equally long.
func (d *decoder) End(k int) int { return k * (d.length + 1) }

// Index counts the lines in front that have the right length and whose fields are text.
func (d *decoder) Index(b []byte, last bool) (ready int, bad bool) {
	if last && len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	d.b, d.done = b, 0
	for {
		line, _, ended := bytes.Cut(b[d.End(ready):], newline)
		switch {
		case !ended:
			return ready, len(line) > d.length
		case len(line) != d.length || !text(line) || d.cut(line) >= 0:
			return ready, true
		}
		ready++
	}
}

// Decode stores the next n lines, column by column: a column's values are near each other in
// the store, and its type is looked at once.
func (d *decoder) Decode(r *copy.Rows, n int) (done int, ok bool) {
	if words := (n + 63) / 64; len(d.null) < words {
		d.null = make([]uint64, words)
	}
	want, at := n, d.End(d.done)
	for col, width := range d.widths {
		if n = d.column(r, col, at, width, n); n == 0 {
			return 0, false
		}
		at += width
	}
	d.done += n
	return n, n == want
}

// column stores the column whose first field is at d.b[at], and returns the first of n
// records that fails, or n.
func (d *decoder) column(r *copy.Rows, col, at, width, n int) int {
	clear(d.null)
	for i := range n {
		value := bytes.Trim(d.b[at:at+width], " ")
		at += d.length + 1
		switch {
		case len(value) == 0:
			r.Null(col, i)
		case r.Parse(col, i, value):
			continue
		case !r.Forgive(i, true):
			n = i
			return r.Nulls(col, n, d.null)
		}
		d.null[i>>6] |= 1 << (i & 63)
	}
	return r.Nulls(col, n, d.null)
}
