package copy

import (
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

// Where a byte of a line stands.
const (
	outside State = iota // not in quotes
	inside               // in quotes
	escaped              // in quotes, behind an ESCAPE that is not the QUOTE; in text behind a backslash
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
func (d *dialect) next(s State, c byte) State {
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

// count returns the tally of b.
func (d *dialect) count(b []byte) Tally {
	t := EmptyTally()
	for len(b) > 0 {
		n := min(len(b), maxKernelBytes)
		if d.text {
			t = t.Then(d.countText(b[:n]))
		} else if d.doubled() {
			out, in, quotes := kernels.CountRecordEnds(b[:n], d.quote, d.eol)
			u := Tally{Ends: [States]int64{int64(out), int64(in)}, Lines: int64(out + in)}
			u.Next = [States]State{State(quotes & 1), State(1 ^ quotes&1), escaped, 3}
			more := b[n-1] != d.eol
			u.Open = [States]bool{more || u.Next[outside] != outside, more || u.Next[inside] != outside}
			t = t.Then(u)
		} else {
			t = t.Then(d.countScalar(b[:n]))
		}
		b = b[n:]
	}
	return t
}

// countScalar is count for any dialect of CSV. It follows the three start states side by side.
func (d *dialect) countScalar(b []byte) Tally {
	t := EmptyTally()
	starts := [...]State{outside, inside, escaped}
	for _, c := range b {
		if c != d.eol && c != d.quote && c != d.escape && t.Next[outside] != escaped && t.Next[inside] != escaped && t.Next[escaped] != escaped {
			continue
		}
		if c == d.eol {
			t.Lines++
		}
		for _, s := range starts {
			if c == d.eol && t.Next[s] == outside {
				t.Ends[s]++
			}
			t.Next[s] = d.next(t.Next[s], c)
		}
	}
	for _, s := range starts {
		t.Open[s] = t.Next[s] != outside || b[len(b)-1] != d.eol
	}
	return t
}

// index fills positions and quotes as kernels.IndexStructure does; b starts in
// state s. It returns the state behind b too, which only differs from InQuote behind an
// ESCAPE, and whether b has what text must not hold: see indexText.
func (d *dialect) index(positions []uint32, quotes []uint64, b []byte, s State) (_ kernels.Structure, _ State, stray bool) {
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

// A few record ends are looked for byte by byte in the first nearBytes, before it pays to
// count.
const fewEnds, nearBytes = 4, 4 << 10

// afterEnd returns the position in b behind its k-th record end, k at least 1, or -1 if
// b has fewer; b starts in state s.
func (d *dialect) afterEnd(b []byte, s State, k int64) int {
	at := 0
	if k <= fewEnds {
		for ; at < min(len(b), nearBytes); at++ {
			if b[at] == d.eol && s == outside {
				if k--; k == 0 {
					return at + 1
				}
			}
			s = d.next(s, b[at])
		}
	}
	for {
		n := min(len(b)-at, maxKernelBytes)
		if n == 0 {
			return -1
		}
		t := d.count(b[at : at+n])
		if t.Ends[s] >= k {
			break
		}
		k -= t.Ends[s]
		s = t.Next[s]
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
