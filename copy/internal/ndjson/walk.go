package ndjson

import (
	"encoding/binary"
	"math/bits"

	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
)

// fault is what is wrong with a record's bytes, as far as the walk can tell.
type fault uint8

const (
	faultNone      fault = iota
	faultSyntax          // not JSON
	faultObject          // JSON, but no object
	faultDepth           // nested deeper than MaxDepth
	faultSurrogate       // half a surrogate pair
	faultZero            // a column would have to hold a zero byte
	faultLead            // an element of an array without a comma before it
)

// MaxDepth is the deepest that a record may be nested, the record included: one more than
// the type json, so that what is stored can be read back.
const MaxDepth = pgtext.MaxJSONDepth + 1

// walker goes over the records of a block.
type walker struct {
	src   []byte // the block with a control byte at its end that is no part of a record's value
	b     []byte // src, or own where strings were resolved in place
	own   []byte
	marks []uint64 // of src, by kernels.MarkStringStops
	array bool     // records are elements of an array: a line feed is a blank
	begun bool     // a record was seen: the next one begins with a comma, not the bracket

	cols   []Column
	keys   map[string]int32 // index in places
	places []place          // of keys: first those of cols, then others with a gap
	gaps   []gap
	misses int // keys that no gap foresaw, since review

	key     []byte                       // of a key with escapes
	objects [(MaxDepth + 63) / 64]uint64 // bit: what encloses a value is an object
	fault   fault
	faultAt int
}

// newWalker returns a walker that looks for the keys that cols are called.
func newWalker(cols []Column) walker {
	w := walker{cols: cols, keys: make(map[string]int32, len(cols)), places: make([]place, len(cols))}
	for i := range cols {
		w.keys[cols[i].Name] = int32(i)
		w.places[i] = place{col: int32(i), gap: none}
	}
	return w
}

// set points the walker at a block, whose last byte is a control byte, and reports
// whether it is ASCII.
func (w *walker) set(src []byte) (ascii bool) {
	w.src, w.b = src, src
	if need := (len(src) + 63) / 64; len(w.marks) < need {
		w.marks = make([]uint64, need+need/4)
	}
	ascii = true
	for at := 0; at < len(src); at += kernelBytes {
		part := src[at:min(at+kernelBytes, len(src))]
		ascii = kernels.MarkStringStops(w.marks[at/64:], part) && ascii
	}
	return ascii
}

// kernelBytes is the most that one kernel call gets.
const kernelBytes = 64 << 10

// copied returns the block in memory of the walker's own.
func (w *walker) copied() []byte {
	if &w.b[0] == &w.src[0] {
		w.own = append(w.own[:0], w.src...)
		w.b = w.own
	}
	return w.b
}

// gap is the bytes between two values of a record, learned from one: from behind the
// brace of the record or the comma before a key to the first byte of the value.
type gap struct {
	text        string
	first, mask uint64 // the first eight bytes of text, and which of the eight are part of it
	last        uint64 // its last eight bytes, if it has more than eight
	col         int32  // that the value is for; none if it is for no column
	key         string
}

// place is what is known about a key: its column, and its gap.
type place struct{ col, gap int32 }

// none stands for no column and no gap.
const none = -1

// Bounds of what is learned, for records that are no two alike.
const (
	maxGaps     = 4096
	maxGapBytes = 256
)

// ahead is how many gaps behind the one that is expected are tried: keys may be missing.
const ahead = 3

func newGap(key, text string, col int32) gap {
	g := gap{text: text, col: col, key: key, mask: ^uint64(0)}
	var first [8]byte
	copy(first[:], text)
	g.first = binary.LittleEndian.Uint64(first[:])
	switch n := len(text); {
	case n < 8:
		g.mask = 1<<(8*n) - 1
	case n > 8:
		g.last = binary.LittleEndian.Uint64([]byte(text[n-8:]))
	}
	return g
}

// follows reports whether g's bytes are those at p.
func (g *gap) follows(b []byte, p int) bool {
	n := len(g.text)
	if len(b)-p < n+8 {
		return false // the key is read instead
	}
	switch {
	case binary.LittleEndian.Uint64(b[p:])&g.mask != g.first:
		return false
	case n <= 8:
		return true
	}
	return binary.LittleEndian.Uint64(b[p+n-8:]) == g.last && (n <= 16 || string(b[p+8:p+n-8]) == g.text[8:n-8])
}

// fail notes the fault of the record and returns -1.
func (w *walker) fail(f fault, at int) int {
	w.fault, w.faultAt = f, at
	return -1
}

// blanks returns the position of the first byte from p on that is no blank.
func (w *walker) blanks(b []byte, p int) int {
	for b[p] == ' ' || b[p] == '\t' || b[p] == '\r' || b[p] == '\n' && w.array {
		p++
	}
	return p
}

// start returns where the record begins that is the next from p on, or -1 if there is
// none but the end of the block.
func (w *walker) start(p int) int {
	for b := w.b; p < len(b)-1; p++ {
		switch c := b[p]; {
		case c == ' ', c == '\t', c == '\r', c == '\n':
		default:
			return p
		}
	}
	return -1
}

// stop returns the position of the first mark from p on. The control byte at the end of
// the block is one.
func (w *walker) stop(p int) int {
	i := p >> 6
	m := w.marks[i] >> (p & 63)
	if m != 0 {
		return p + bits.TrailingZeros64(m)
	}
	for {
		i++
		if m = w.marks[i]; m != 0 {
			return i<<6 + bits.TrailingZeros64(m)
		}
	}
}

// record walks over the record at p and notes in row where its values are: two entries
// for each column, the position before the first byte and that behind the last. If row is
// nil it only checks. It returns the position behind the record, or -1 if it is none.
func (w *walker) record(row []uint32, p int) int {
	b := w.b
	if w.array {
		if b[p] != ',' && (b[p] != '[' || w.begun) {
			return w.fail(faultLead, p)
		}
		p, w.begun = w.blanks(b, p+1), true
	}
	if b[p] != '{' {
		return w.noObject(p)
	}
	k := 0
	for open := byte('{'); ; open = ',' {
		if b[p] == '}' {
			p++
			break
		}
		var col int32
		j := k
		if k >= len(w.gaps) || b[p] != open || !w.gaps[k].follows(b, p+1) {
			j = w.later(b, p, k, open)
		}
		if j >= 0 {
			k = j + 1
			p += 1 + len(w.gaps[j].text)
			col = w.gaps[j].col
		} else {
			var closed bool
			if p, col, k, closed = w.readKey(p, k, open); p < 0 {
				return -1
			} else if closed {
				break
			}
		}
		var s, e int
	value:
		switch c := b[p]; {
		case c == '"':
			s, e = p, w.stop(p+1)
			if b[e] != '"' {
				if e = w.escaped(row, col, p, e); e < 0 {
					return -1
				}
				p, b = e, w.b
				continue
			}
			p = e + 1
			if col >= 0 && w.cols[col].raw {
				s, e = s-1, p
			}
		case c-'0' <= 9 || c == '-':
			s = p - 1
			if e = number(b, p); e < 0 {
				return w.fail(faultSyntax, p)
			}
			p = e
		case c == '{' || c == '[':
			s = p - 1
			if e = w.nested(b, p, 1); e < 0 {
				return -1
			}
			p = e
		default:
			n := name(b, p)
			if n == 0 {
				if q := w.blanks(b, p); q > p {
					p = q // blanks that the gap had not
					goto value
				}
				return w.fail(faultSyntax, p)
			}
			s = p - 1
			p += n
			if e = p; c == 'n' {
				s, e = nowhere, 0
			}
		}
		if col >= 0 && row != nil {
			row[2*col], row[2*col+1] = uint32(s), uint32(e)
		}
	}
	return w.behind(b, p)
}

// nowhere and 0 are the entries of a value that is NULL: an empty range before all others.
const nowhere = 1<<32 - 1

// escaped is record for a string with an escape: s is its quote, i its first mark. It
// returns the position behind it, or -1.
func (w *walker) escaped(row []uint32, col int32, s, i int) int {
	e, zero := w.escapes(w.b, i)
	switch {
	case e < 0:
	case col < 0:
	case w.cols[col].raw:
		if row != nil {
			row[2*col], row[2*col+1] = uint32(s-1), uint32(e+1)
		}
	case zero:
		return w.fail(faultZero, s)
	case row != nil:
		text := w.copied()[s+1 : e]
		row[2*col], row[2*col+1] = uint32(s), uint32(s+1+unescape(text, text))
	}
	if e < 0 {
		return -1
	}
	return e + 1
}

// behind returns where a record ends whose last brace is before p: there, if it is an
// element, or behind its line.
func (w *walker) behind(b []byte, p int) int {
	if w.array {
		return p
	}
	if b[p] != '\n' {
		p = w.blanks(b, p)
	}
	if b[p] != '\n' {
		return w.fail(faultSyntax, p)
	}
	return p + 1
}

// noObject finds out what a record that does not start with a brace is.
func (w *walker) noObject(p int) int {
	q := w.value(w.b, p, 0)
	if q < 0 || w.behind(w.b, q) < 0 {
		return -1
	}
	return w.fail(faultObject, p)
}

// later returns which of the next gaps behind k follows open at p, or -1.
func (w *walker) later(b []byte, p, k int, open byte) int {
	if b[p] != open {
		return -1
	}
	for j := k + 1; j < min(k+1+ahead, len(w.gaps)); j++ {
		if w.gaps[j].follows(b, p+1) {
			return j
		}
	}
	return -1
}

// readKey reads from p, behind a value or at the start of the record, to the start of the
// next value, or behind the end of the record: then closed is true. open is what should
// stand before the key. col is the column the value is for, and next the gap behind it;
// k is the gap that was expected. The position is -1 if something else is there.
func (w *walker) readKey(p, k int, open byte) (at int, col int32, next int, closed bool) {
	b, begin := w.b, p
	switch p = w.blanks(b, p); {
	case b[p] == '}':
		return p + 1, none, 0, true
	case b[p] != open:
		return w.fail(faultSyntax, p), none, 0, false
	}
	if p = w.blanks(b, p+1); open == '{' && b[p] == '}' {
		return p + 1, none, 0, true
	}
	if b[p] != '"' {
		return w.fail(faultSyntax, p), none, 0, false
	}
	e := w.stop(p + 1)
	key := b[p+1 : e]
	if b[e] != '"' {
		from := p + 1
		if e, _ = w.escapes(b, e); e < 0 {
			return -1, none, 0, false
		}
		w.key = append(w.key[:0], b[from:e]...)
		key = w.key[:unescape(w.key, w.key)]
	}
	p = w.blanks(b, e+1)
	if b[p] != ':' {
		return w.fail(faultSyntax, p), none, 0, false
	}
	p = w.blanks(b, p+1)
	w.misses++
	known := place{col: none, gap: none}
	i, ok := w.keys[string(key)]
	if ok {
		known = w.places[i]
	}
	switch {
	case known.gap != none:
		k = int(known.gap) + 1
	case k == len(w.gaps) && k < maxGaps && p-begin <= maxGapBytes && b[begin] == open:
		w.learn(string(key), string(b[begin+1:p]), i, ok)
		k++
	}
	return p, known.col, k, false
}

// learn adds a gap that ends with a key, whose place is i if it is known.
func (w *walker) learn(key, text string, i int32, known bool) {
	if !known {
		i = int32(len(w.places))
		w.places = append(w.places, place{col: none})
		w.keys[key] = i
	}
	w.places[i].gap = int32(len(w.gaps))
	w.gaps = append(w.gaps, newGap(key, text, w.places[i].col))
}

// review forgets the gaps if of the last rows records most keys were others.
func (w *walker) review(rows int) {
	if 2*w.misses > rows*len(w.gaps) {
		for i := range w.gaps {
			if w.gaps[i].col == none {
				delete(w.keys, w.gaps[i].key)
			}
		}
		w.gaps, w.places = w.gaps[:0], w.places[:len(w.cols)]
		for i := range w.places {
			w.places[i].gap = none
		}
	}
	w.misses = 0
}
