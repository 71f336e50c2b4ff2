package copy

import (
	"bytes"
	"io"
	"math"
	"sort"
	"unicode/utf8"

	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
)

// blockBytes is how much input is indexed at a time: little enough to stay in the L2
// cache with its index and the values made of it, much enough that a kernel call and a
// read cost nothing per record.
const blockBytes = maxKernelBytes

// slackBytes lie behind a block's bytes: room for a record end that the file lacks.
const slackBytes = 2

// maxRecordBytes bounds one record: positions in a block are 32 bits.
const maxRecordBytes = math.MaxUint32 - 2*blockBytes

// reader hands out the records of one range of a file, or of bytes in memory, in
// batches with their index. One goroutine owns it; its buffers outlive a range.
//
// The invariant between calls: b starts at a record start; seps[0:1+done] are before
// and at the end of what was handed out, and of the records behind it ready are
// complete, have the right number of fields and are valid text.
type reader struct {
	d      *dialect
	size   int     // bytes to index at a time: blockBytes, in tests less
	stride int     // separators per record
	fields int     // fields per record; stride is 1 if there are none
	text   bool    // check the encoding
	tuples bool    // of the binary format
	widths []int32 // of the fields, if all are fixed and the input is binary

	src   io.ReaderAt // nil if mem holds the input
	mem   []byte      // whole input, with slackBytes of capacity behind it
	buf   []byte      // storage of b, if src is set
	base  int64       // offset of b[0] in the file
	limit int64       // reading stops here
	last  bool        // limit is the end of the file

	b        []byte
	seps     []uint32
	quotes   []uint64
	quoted   bool
	done     int  // separators of seps[1:] that were handed out
	ready    int  // records that can be handed out
	bad      bool // the record behind them fails
	fresh    bool // nothing was handed out since b was indexed
	complete bool // b reaches limit
	even     int  // of the ready records, those in front that are width bytes long each
	width    int

	clock *clock
}

// reset points r at the records that start at off; it must be a record's start.
func (r *reader) reset(d *dialect, src io.ReaderAt, mem []byte, off, limit int64, last bool) {
	r.d, r.src, r.mem, r.base, r.limit, r.last = d, src, mem, off, limit, last
	r.b = r.b[:0]
	if src == nil {
		r.b = mem[off:off]
	}
	r.done, r.ready, r.bad, r.fresh, r.complete, r.even = 0, 0, false, false, false, 0
}

// offset returns where in the file the next record starts.
func (r *reader) offset() int64 {
	if r.done == 0 {
		return r.base
	}
	return r.base + int64(r.seps[r.done]) + 1
}

// next returns up to want records as t, whose first becomes row at of the fragment, and
// their number. None means that the next record is bad, unfinished, or not there.
func (r *reader) next(t *batch, want, at int) (n int, err error) {
	if r.ready == 0 || r.ready < min(want, 64) && !r.fresh {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	if n = min(r.ready, want); r.even > 0 {
		n = min(n, r.even)
	}
	if n < want {
		// End on a whole bitmap word where that costs little.
		if m := (at+n)&^63 - at; m > n/2 {
			n = m
		}
	}
	*t = batch{b: r.b, seps: r.seps[r.done:], quotes: r.quotes, quoted: r.quoted, stride: r.stride, trim: r.d.trim(), at: at}
	if r.even > 0 {
		t.even = r.width
		r.even -= n
	}
	r.done += n * r.stride
	r.ready -= n
	r.fresh = false
	return n, nil
}

// fill drops what was handed out, reads more, and indexes the block.
func (r *reader) fill() error {
	for {
		if r.bad || r.complete {
			return nil
		}
		if err := r.read(); err != nil {
			return err
		}
		r.clock.enter(StageConvert)
		r.index()
		if r.ready > 0 || r.bad || r.complete {
			r.fresh = true
			return nil
		}
		if len(r.b) > maxRecordBytes {
			r.bad = true
			return nil
		}
	}
}

// read makes b start at the next record and reach further than before.
func (r *reader) read() error {
	start := 0
	if r.done > 0 {
		start = int(r.seps[r.done]) + 1
	}
	tail := r.b[start:]
	r.base += int64(start)
	r.done = 0
	size := r.size
	for size < 2*len(tail) {
		size *= 2
	}
	n := int(min(int64(size), r.limit-r.base))
	r.complete = r.base+int64(n) == r.limit
	if r.src == nil {
		r.b = r.mem[r.base : r.base+int64(n)]
		return nil
	}
	r.clock.enter(StageRead)
	if cap(r.buf) < n+slackBytes {
		grown := make([]byte, size+slackBytes)
		copy(grown, tail)
		r.buf = grown
	} else {
		copy(r.buf[:len(tail)], tail)
	}
	r.b = r.buf[:n]
	got, err := io.ReadFull(io.NewSectionReader(r.src, r.base+int64(len(tail)), int64(n-len(tail))), r.b[len(tail):])
	r.clock.bytes[StageRead] += int64(got)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errShrunk
	}
	return err
}

// index indexes b and counts the records that are ready.
func (r *reader) index() {
	if r.tuples {
		r.indexTuples()
		return
	}
	b := r.b
	r.room(min(len(b), maxKernelBytes))
	if need := (len(b) + 63) / 64; len(r.quotes) < need {
		r.quotes = make([]uint64, max(need, r.size/64))
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
		if ends == 0 && n >= r.stride || r.text && len(b) > maxKernelBytes && ends == 0 && bytes.IndexByte(part, 0) >= 0 {
			r.ready, r.bad = 0, true // whatever follows
			return
		}
	}
	positions := r.seps[1:]
	if r.complete && r.last && (state == outside || r.d.text) && len(b) > r.behindEnd(positions[:n]) {
		if state != outside {
			r.b = bytes.Clone(b[:len(b)-1]) // a lone backslash at the end means nothing
		}
		others += r.terminate(n)
		n, ends = n+1, ends+1
	}
	r.quoted = quotes > 0
	r.check(positions[:n], ends, others, stray)
}

// room makes seps hold n separators and what terminate adds. A long block has few, or is
// not looked at to its end, so seps follows what is found.
func (r *reader) room(n int) {
	if n += 1 + slackBytes; len(r.seps) >= n {
		return
	}
	grown := make([]uint32, max(n, min(2*n, r.size+1+slackBytes), len(r.seps)+len(r.seps)/2))
	copy(grown, r.seps)
	r.seps = grown
}

// behindEnd returns the position behind the last record end in the index, or 0.
func (r *reader) behindEnd(positions []uint32) int {
	for i := len(positions) - 1; i >= 0; i-- {
		if r.b[positions[i]] == r.d.eol {
			return int(positions[i]) + 1
		}
	}
	return 0
}

// terminate adds the record end that the file's last record lacks as separator n and
// returns the number of other line breaks added.
func (r *reader) terminate(n int) (others int) {
	if r.d.crlf {
		r.b = append(r.b, r.d.other)
		others = 1
	}
	r.seps[1+n] = uint32(len(r.b))
	r.b = append(r.b, r.d.eol)
	return others
}

// check sets ready and bad: how many complete records in front are right, and whether
// the one behind them is complete and wrong.
//
// If as many record ends as there are stand where the record ends belong, every
// stride separators, none stands elsewhere. stray says that something that must not be
// is there for another reason than others.
func (r *reader) check(positions []uint32, ends, others int, stray bool) {
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
	r.ready, r.bad = good, good < ends
	if !r.text || good == 0 {
		return
	}
	if pos := invalidText(b[:positions[good*r.stride-1]+1]); pos >= 0 {
		r.bad = true
		r.ready = sort.Search(good, func(k int) bool { return int(positions[(k+1)*r.stride-1]) >= pos })
	}
}

// checkEach is check one record at a time: it returns the first wrong one, or ends.
func (r *reader) checkEach(positions []uint32, ends int) int {
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
func (r *reader) strays(record []byte) bool {
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
