package copy

import (
	"bytes"

	"github.com/ingotdb/ingot/kernels"
)

// lineStyle is how the records of one file end. The first record decides.
type lineStyle uint8

const (
	styleNone lineStyle = iota // no record end seen: at most one record
	styleLF
	styleCRLF
	styleCR
)

// quoteState is where a byte of a file stands.
type quoteState uint8

const (
	outside quoteState = iota // not in quotes
	inside                    // in quotes
	escaped                   // in quotes, behind an ESCAPE that is not the QUOTE; in text behind a backslash
	states
)

// dialect is the bytes that structure one file of lines, CSV or text.
//
// eol is the byte that ends a record where it stands outside quotes: LF, but CR in a
// file of CR lines. It is also the byte that counts physical lines, in quotes or not.
// other is the line break that must not stand outside quotes, except as the CR right
// before each LF of a CRLF file.
//
// In the text format quote and escape are the backslash: what is said of fields with
// quotes holds for fields with backslashes, and a byte is outside or escaped.
type dialect struct {
	delim, quote, escape byte
	eol, other           byte
	crlf                 bool
	text                 bool
}

func (d *dialect) setStyle(s lineStyle) {
	d.eol, d.other, d.crlf = '\n', '\r', s == styleCRLF
	if s == styleCR {
		d.eol, d.other = '\r', '\n'
	}
}

// trim is the number of bytes between the last field and the record end.
func (d *dialect) trim() uint32 {
	if d.crlf {
		return 1
	}
	return 0
}

// doubled reports whether a quote in quotes is written twice, the usual case: then
// a byte is in quotes if the number of quotes before it is odd, whatever their place.
func (d *dialect) doubled() bool { return d.quote == d.escape && !d.text }

// next returns the state behind a byte c that stands in state s.
func (d *dialect) next(s quoteState, c byte) quoteState {
	switch {
	case d.text:
		if s == outside && c == '\\' {
			return escaped
		}
		return outside
	case s == outside:
		if c == d.quote {
			return inside
		}
		return outside
	case s == escaped:
		return inside
	case c == d.escape && !d.doubled():
		return escaped
	case c == d.quote:
		return outside
	}
	return inside
}

// maxKernelBytes bounds one kernel call: assembly cannot be preempted.
const maxKernelBytes = 64 << 10

// tally is what was counted in a range of bytes, for each state that it may start in.
type tally struct {
	ends  [states]int64      // record ends
	next  [states]quoteState // the state behind the range
	lines int64              // line breaks, in quotes or not

	// Of text: whether a backslash and a point are in it, the end-of-copy marker or what
	// looks like it, and whether the last byte has a backslash before it.
	marker, data [states]bool
}

// emptyTally is the tally of no bytes.
func emptyTally() tally { return tally{next: [states]quoteState{outside, inside, escaped}} }

// then returns the tally of a range followed by another, which is not empty.
func (t tally) then(u tally) tally {
	r := tally{lines: t.lines + u.lines}
	for s := range states {
		r.ends[s] = t.ends[s] + u.ends[t.next[s]]
		r.next[s] = u.next[t.next[s]]
		r.marker[s] = t.marker[s] || u.marker[t.next[s]]
		r.data[s] = u.data[t.next[s]]
	}
	return r
}

// count returns the tally of b.
func (d *dialect) count(b []byte) tally {
	t := emptyTally()
	for len(b) > 0 {
		n := min(len(b), maxKernelBytes)
		if d.text {
			t = t.then(d.countText(b[:n]))
		} else if d.doubled() {
			out, in, quotes := kernels.CountRecordEnds(b[:n], d.quote, d.eol)
			u := tally{ends: [states]int64{int64(out), int64(in), 0}, lines: int64(out + in)}
			u.next = [states]quoteState{quoteState(quotes & 1), quoteState(1 ^ quotes&1), inside}
			t = t.then(u)
		} else {
			t = t.then(d.countScalar(b[:n]))
		}
		b = b[n:]
	}
	return t
}

// countScalar is count for any dialect of CSV. It follows the three start states side by side.
func (d *dialect) countScalar(b []byte) tally {
	t := emptyTally()
	for _, c := range b {
		if c != d.eol && c != d.quote && c != d.escape && t.next[outside] != escaped && t.next[inside] != escaped && t.next[escaped] != escaped {
			continue
		}
		if c == d.eol {
			t.lines++
		}
		for s := range states {
			if c == d.eol && t.next[s] == outside {
				t.ends[s]++
			}
			t.next[s] = d.next(t.next[s], c)
		}
	}
	return t
}

// index fills positions and quotes as kernels.IndexStructure does; b starts in
// state s. It returns the state behind b too, which only differs from InQuote behind an
// ESCAPE, and whether b has what text must not hold: see indexText.
func (d *dialect) index(positions []uint32, quotes []uint64, b []byte, s quoteState) (_ kernels.Structure, _ quoteState, stray bool) {
	if d.text {
		return d.indexText(positions, quotes, b, s)
	}
	if d.doubled() {
		r := kernels.IndexStructure(positions, quotes, b, d.delim, d.quote, d.eol, d.other, s == inside)
		if r.InQuote {
			return r, inside, false
		}
		return r, outside, false
	}
	clear(quotes[:(len(b)+63)/64])
	var r kernels.Structure
	for i, c := range b {
		if s == outside {
			switch c {
			case d.other:
				r.Others++
			case d.eol:
				r.Ends++
				positions[r.Seps] = uint32(i)
				r.Seps++
			case d.delim:
				positions[r.Seps] = uint32(i)
				r.Seps++
			}
		}
		if c == d.quote {
			quotes[i>>6] |= 1 << (i & 63)
			r.Quotes++
		}
		s = d.next(s, c)
	}
	r.InQuote = s != outside
	return r, s, false
}

// afterEnd returns the position in b behind its k-th record end, k at least 1, or -1 if
// b has fewer; b starts in state s.
func (d *dialect) afterEnd(b []byte, s quoteState, k int64) int {
	at := 0
	for {
		n := min(len(b)-at, maxKernelBytes)
		if n == 0 {
			return -1
		}
		t := d.count(b[at : at+n])
		if t.ends[s] >= k {
			break
		}
		k -= t.ends[s]
		s = t.next[s]
		at += n
	}
	for i, c := range b[at:] {
		if c == d.eol && s == outside {
			if k--; k == 0 {
				return at + i + 1
			}
		}
		s = d.next(s, c)
	}
	return -1
}

// lastEnd returns the position in b behind its last record end and the number of
// record ends; b starts outside quotes. Both are 0 if there is none.
func (d *dialect) lastEnd(b []byte) (pos int, ends, lines int64) {
	t := d.count(b)
	ends = t.ends[outside]
	if ends == 0 {
		return 0, 0, t.lines
	}
	if d.text {
		return d.lastTextEnd(b) + 1, ends, t.lines
	}
	if !d.doubled() {
		return d.afterEnd(b, outside, ends), ends, t.lines
	}
	// The candidates from the back: the first that an even number of quotes precedes.
	odd := t.next[outside] == inside
	for end := len(b); ; {
		i := bytes.LastIndexByte(b[:end], d.eol)
		if bytes.Count(b[i:end], []byte{d.quote})&1 == 1 {
			odd = !odd
		}
		if !odd {
			return i + 1, ends, t.lines
		}
		end = i
	}
}

// unquote appends to dst the value of a field that has quotes in it and says whether
// they are closed; of text, whether the value is valid text.
func (d *dialect) unquote(dst, raw []byte) (text []byte, closed bool) {
	if d.text {
		return unescape(dst, raw)
	}
	for i := 0; i < len(raw); {
		c := raw[i]
		i++
		if c != d.quote {
			dst = append(dst, c)
			continue
		}
		for closed = false; i < len(raw) && !closed; {
			c := raw[i]
			i++
			switch {
			case c == d.escape && i < len(raw) && (raw[i] == d.quote || raw[i] == d.escape):
				dst = append(dst, raw[i])
				i++
			case c == d.quote:
				closed = true
			default:
				dst = append(dst, c)
			}
		}
		if !closed {
			return dst, false
		}
	}
	return dst, true
}
