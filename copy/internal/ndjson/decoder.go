package ndjson

import (
	"bytes"
	"slices"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
)

// Column is a column that records have values for.
type Column struct {
	Name string
	Type columnar.Type

	raw bool // the value as it is written
}

// Rows is where a Decoder stores the records of a batch: record i becomes row At()+i.
// copy.Rows is one, and says what the methods promise.
type Rows interface {
	At() int
	Column(i int) *columnar.ColumnBuf
	Nulls(i, n int, null []uint64) int
	Forgive(i int, value bool) bool
	Parse(col, i int, text []byte) bool
}

// Decoder converts blocks of records. One goroutine owns it; its scratch lives as long as
// it does, and it refers to a block until the next Index.
type Decoder struct {
	walker
	stride int      // entries of a row
	utc    bool     // a timestamp without a zone is in UTC
	absent []uint32 // a row without values

	ends  []int    // in the block, behind each of its records
	done  int      // records that were decoded
	first int      // the record that rows begins with
	rows  []uint32 // where the values of the records from first on are

	block            []byte // of an array, with a control byte behind it
	null, slow, bits []uint64
	literal          []byte
}

// windowEntries bounds what is kept about the values of a block, unless there is no end of
// columns: then it is leastWindow records.
const (
	windowEntries = 64 << 10
	leastWindow   = 64
)

// NewDecoder returns a decoder of records into cols, whose names differ; location is that
// of timestamps without a zone.
func NewDecoder(cols []Column, location *time.Location) *Decoder {
	cols = slices.Clone(cols)
	d := &Decoder{stride: 2 * len(cols), absent: make([]uint32, 2*len(cols)), utc: location == time.UTC}
	for i := range cols {
		cols[i].raw = cols[i].Type.Kind == columnar.JSON && !cols[i].Type.Array
		d.absent[2*i] = nowhere
	}
	d.walker = newWalker(cols)
	return d
}

// Begin says what the records of the next blocks are, which follow one another: lines, or
// elements of an array.
func (d *Decoder) Begin(array bool) { d.array, d.begun = array, false }

// Index walks over the records of b, which begins with one or with blank lines. last says
// that the input ends with b; then a byte behind b, within its capacity, is overwritten. It
// returns how many records in front are complete and right, and whether the one behind
// them fails.
//
// Elements of an array begin with the comma before them, the first with the bracket, and
// end with their last brace. What follows them is for the walk to judge, but one that the
// input ends with fails.
func (d *Decoder) Index(b []byte, last bool) (ready int, bad bool) {
	d.ends, d.done, d.first, d.rows = d.ends[:0], 0, 0, d.rows[:0]
	begun, whole := d.begun, len(b)
	switch {
	case d.array:
		// What lies behind the block is not this decoder's to overwrite.
		d.block = append(append(d.block[:0], b...), 0)
		b = d.block
	case !last:
		if whole = bytes.LastIndexByte(b, '\n') + 1; whole == 0 {
			return 0, false
		}
		b = b[:whole]
	case whole == 0:
		return 0, false
	case b[whole-1] != '\n':
		b = append(b[:whole:cap(b)], '\n')
	}
	ascii := d.set(b)
	window := max(leastWindow, windowEntries/max(d.stride, 1))
	p := d.start(0)
	for p >= 0 && p < whole {
		var row []uint32
		if len(d.ends) < window {
			row = d.addRow()
		}
		end := d.record(row, p)
		if end < 0 {
			bad = !d.array || !stops(b[p:whole], last)
			break
		}
		d.ends = append(d.ends, min(end, whole))
		p = d.start(end)
	}
	if p < 0 && d.array && last {
		// Not even a bracket follows the last one.
		bad = true
		d.ends = d.ends[:max(0, len(d.ends)-1)]
	}
	ready = len(d.ends)
	d.begun = begun || ready > 0
	d.review(ready)
	if ascii || ready == 0 {
		return ready, bad
	}
	if at := invalid(b[:d.ends[ready-1]]); at >= 0 {
		// The first record that ends behind it.
		ready, _ = slices.BinarySearch(d.ends, at+1)
		d.ends, bad = d.ends[:ready], true
	}
	return ready, bad
}

// addRow appends a row without values to d.rows and returns it.
func (d *Decoder) addRow() []uint32 {
	n := len(d.rows)
	d.rows = append(d.rows, d.absent...)
	return d.rows[n:]
}

// End returns the position in the block behind its k-th record.
func (d *Decoder) End(k int) int {
	if k == 0 {
		return 0
	}
	return d.ends[k-1]
}

// invalid returns the position of the first byte of b that is not UTF-8, or -1.
func invalid(b []byte) int {
	if kernels.ValidUTF8(b) {
		return -1
	}
	pos, _ := pgtext.InvalidSequence(b)
	return pos
}

// Decode converts the next n records, which are among the ready ones, and returns how many
// it did. ok is false if the record behind those fails.
func (d *Decoder) Decode(r Rows, n int) (done int, ok bool) {
	if d.stride == 0 {
		d.done += n
		return n, true
	}
	if have := len(d.rows) / d.stride; d.done >= d.first+have {
		d.refill(n)
	}
	n = min(n, d.first+len(d.rows)/d.stride-d.done)
	d.room(n)
	done = n
	for i := range d.cols {
		if done = d.column(r, i, done); done == 0 {
			break
		}
	}
	d.done += done
	return done, done == n
}

// refill walks again over records that did not fit into the window.
func (d *Decoder) refill(n int) {
	d.first, d.rows = d.done, d.rows[:0]
	d.b = d.src
	window := max(leastWindow, windowEntries/d.stride)
	begun := d.begun
	for p := d.End(d.done); n > 0 && len(d.rows) < window*d.stride; n-- {
		d.begun = false // it was right once
		p = d.record(d.addRow(), d.start(p))
	}
	d.begun = begun
}

// room makes the bitmaps hold n bits, and the rows end with what a kernel takes for the
// start of another record.
func (d *Decoder) room(n int) {
	d.rows = append(d.rows, 0)
	d.rows = d.rows[:len(d.rows)-1]
	if words := (n + 63) / 64; len(d.null) < words {
		all := make([]uint64, 3*words)
		d.null, d.slow, d.bits = all[:words], all[words:2*words], all[2*words:]
	}
}
