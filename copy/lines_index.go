package copy

import (
	"bytes"
	"sort"
	"sync"
	"unicode/utf8"

	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
)

// lineDecoder turns lines of csv or text into rows: an index of a block, then column by
// column. One goroutine owns it. Its scratch outlives it; nothing refers to a block after
// the next.
//
// The invariant between calls: seps[0:1+done*stride] are before and at the end of what was
// decoded.
type lineDecoder struct {
	parser
	ln      *lines
	d       *dialect
	stride  int  // separators per record
	fields  int  // fields per record; stride is 1 if there are none
	checked bool // the encoding is looked at

	b      []byte
	seps   []uint32
	quotes []uint64
	quoted bool
	done   int // records that were decoded

	rows       *Rows // of the batch at hand
	t          batch
	null, slow []uint64
	bits       []uint64
	scratch    []byte
}

// idleLines keeps the scratch of decoders for the next COPY: a small one would spend more
// time on allocating it than on its rows.
var idleLines = sync.Pool{New: func() any { return new(lineDecoder) }}

// Decoder returns a decoder.
func (ln *lines) Decoder() Decoder {
	c := idleLines.Get().(*lineDecoder)
	c.ln, c.location, c.checked = ln, ln.location, ln.checked
	c.fields, c.stride = len(ln.fields), max(1, len(ln.fields))
	return c
}

// Close gives the decoder's scratch back, if it is of moderate size.
func (r *lineDecoder) Close() {
	kept := lineDecoder{seps: r.seps, quotes: r.quotes, null: r.null, slow: r.slow, bits: r.bits, scratch: r.scratch}
	if len(r.seps) > 4*blockBytes || cap(r.scratch) > blockBytes {
		kept = lineDecoder{}
	}
	*r = kept
	idleLines.Put(r)
}

// Begin prepares for blocks of an input.
func (r *lineDecoder) Begin(l *Layout) { r.d = &l.Scan.(*lineScan).d }

// take returns the records that are left of the block as a batch whose first is row at, and
// passes n of them.
func (r *lineDecoder) take(n, at int) *batch {
	r.t = batch{b: r.b, seps: r.seps[r.done*r.stride:], quotes: r.quotes, quoted: r.quoted, stride: r.stride, trim: r.d.trim(), at: at}
	r.done += n
	return &r.t
}

// Decode converts the next n records: it only detects that a record fails.
func (r *lineDecoder) Decode(out *Rows, n int) (done int, ok bool) {
	r.rows = out
	t := r.take(0, out.at)
	if words := (n + 63) / 64; len(r.null) < words {
		all := make([]uint64, 3*words)
		r.null, r.slow, r.bits = all[:words], all[words:2*words], all[2*words:]
	}
	want := n
	for i := range r.ln.fields {
		if n = r.column(t, i, n); n == 0 {
			return 0, false
		}
	}
	r.done += n
	return n, n == want
}

// Index looks at a block: one structural index of delimiters, quotes and record ends, and
// one check that all records have the right number of fields.
func (r *lineDecoder) Index(b []byte, last bool) (ready int, bad bool) {
	r.b, r.done = b, 0
	r.room(min(len(b), maxKernelBytes))
	if need := (len(b) + 63) / 64; len(r.quotes) < need {
		r.quotes = make([]uint64, max(need, blockBytes/64))
	}
	r.seps[0] = ^uint32(0)
	n, ends, others, quotes := 0, 0, 0, 0
	state, stray := outside, false
	for at := 0; at < len(b); at += maxKernelBytes {
		part := b[at:min(at+maxKernelBytes, len(b))]
		r.room(n + len(part))
		positions := r.seps[1:]
		st, next, bad := r.d.index(positions[n:], r.quotes[at/64:], part, state)
		stray = stray || bad
		if at > 0 {
			for i := range positions[n : n+st.Seps] {
				positions[n+i] += uint32(at)
			}
		}
		n, ends, others, quotes, state = n+st.Seps, ends+st.Ends, others+st.Others, quotes+st.Quotes, next
		if ends == 0 && n >= r.stride || r.checked && len(b) > maxKernelBytes && ends == 0 && bytes.IndexByte(part, 0) >= 0 {
			return 0, true // whatever follows
		}
	}
	positions := r.seps[1:]
	if last && (state == outside || r.d.text) && len(b) > r.behindEnd(positions[:n]) {
		if state != outside {
			r.b = bytes.Clone(b[:len(b)-1]) // a lone backslash at the end means nothing
		}
		others += r.terminate(n)
		n, ends = n+1, ends+1
	}
	r.quoted = quotes > 0
	return r.check(positions[:n], ends, others, stray)
}

// End returns the position behind the k-th record of the block.
func (r *lineDecoder) End(k int) int { return int(r.seps[k*r.stride]) + 1 }

// room makes seps hold n separators and what terminate adds. A long block has few, or is
// not looked at to its end, so seps follows what is found.
func (r *lineDecoder) room(n int) {
	if n += 1 + slackBytes; len(r.seps) >= n {
		return
	}
	grown := make([]uint32, max(n, min(2*n, blockBytes+1+slackBytes), len(r.seps)+len(r.seps)/2))
	copy(grown, r.seps)
	r.seps = grown
}

// behindEnd returns the position behind the last record end in the index, or 0.
func (r *lineDecoder) behindEnd(positions []uint32) int {
	for i := len(positions) - 1; i >= 0; i-- {
		if r.b[positions[i]] == r.d.eol {
			return int(positions[i]) + 1
		}
	}
	return 0
}

// terminate adds the record end that the file's last record lacks as separator n and
// returns the number of other line breaks added.
func (r *lineDecoder) terminate(n int) (others int) {
	if r.d.crlf {
		r.b = append(r.b, r.d.other)
		others = 1
	}
	r.seps[1+n] = uint32(len(r.b))
	r.b = append(r.b, r.d.eol)
	return others
}

// check returns how many complete records in front are right, and whether the one behind
// them is complete and wrong.
//
// If as many record ends as there are stand where the record ends belong, every
// stride separators, none stands elsewhere. stray says that something that must not be
// is there for another reason than others.
func (r *lineDecoder) check(positions []uint32, ends, others int, stray bool) (ready int, bad bool) {
	b := r.b
	if r.d.crlf {
		// The block may cut the last CR from its LF.
		stray = stray || others != ends && (others != ends+1 || b[len(b)-1] != '\r')
	} else {
		stray = stray || others > 0
	}
	good := 0
	if !stray && r.fields > 0 {
		for i := r.stride - 1; i < len(positions); i += r.stride {
			if e := positions[i]; b[e] != r.d.eol || r.d.crlf && (e == 0 || b[e-1] != '\r') {
				break
			}
			good++
		}
	}
	if good < ends {
		good = r.checkEach(positions, ends)
	}
	if !r.checked || good == 0 {
		return good, good < ends
	}
	if pos := invalidText(b[:positions[good*r.stride-1]+1]); pos >= 0 {
		return sort.Search(good, func(k int) bool { return int(positions[(k+1)*r.stride-1]) >= pos }), true
	}
	return good, good < ends
}

// checkEach is check one record at a time: it returns the first wrong one, or ends.
func (r *lineDecoder) checkEach(positions []uint32, ends int) int {
	start, i := 0, 0
	for k := range ends {
		first := i
		for r.b[positions[i]] != r.d.eol {
			i++
		}
		end := int(positions[i])
		i++
		if i-first != r.stride || r.strays(r.b[start:end]) || r.fields == 0 && end-start != int(r.d.trim()) {
			return k
		}
		start = end + 1
	}
	return ends
}

// strays reports whether a record, given without its last byte, has a line break
// outside quotes that is not in the file's style, or an end-of-copy marker.
func (r *lineDecoder) strays(record []byte) bool {
	if r.d.text {
		return r.d.straysText(record)
	}
	if r.d.crlf {
		n := len(record) - 1
		if n < 0 || record[n] != '\r' {
			return true
		}
		record = record[:n]
	}
	if bytes.IndexByte(record, r.d.other) < 0 {
		return false
	}
	s := outside
	for _, c := range record {
		if c == r.d.other && s == outside {
			return true
		}
		s = r.d.next(s, c)
	}
	return false
}

// invalidText returns the position of the first byte of b that no text can hold, a zero
// byte or one that is not UTF-8, or -1.
func invalidText(b []byte) int {
	valid := bytes.IndexByte(b, 0) < 0
	for at := 0; at < len(b) && valid; {
		end := min(at+maxKernelBytes, len(b))
		for end < len(b) && end > at+1 && !utf8.RuneStart(b[end]) {
			end-- // not inside a character
		}
		valid = kernels.ValidUTF8(b[at:end])
		at = end
	}
	if valid {
		return -1
	}
	pos, _ := pgtext.InvalidSequence(b)
	return pos
}
