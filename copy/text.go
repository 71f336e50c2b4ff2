package copy

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
)

// The text format has no quotes: a backslash makes the byte behind it data, so a line
// break ends a record unless an odd run of backslashes stands before it. Where a block has
// no backslash the kernels say it all; where it has some, they say where line breaks and
// delimiters are, and every backslash is looked at once to take out those it escapes.
//
// A backslash and a point are never data: alone on a line they end the input, wherever
// else they stand the record fails.

// nextSlash returns the position of the first backslash in b[i:], or len(b). Backslashes
// are often near each other, as in lines with several NULLs.
func nextSlash(b []byte, i int) int {
	if i+8 <= len(b) {
		if m := zeroByte(binary.LittleEndian.Uint64(b[i:]) ^ lowBits*'\\'); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	if k := bytes.IndexByte(b[i:], '\\'); k >= 0 {
		return i + k
	}
	return len(b)
}

// countText is count for at most maxKernelBytes, at least one byte, of the text format.
//
// Both start states agree behind the first byte that is no backslash: whether that one is
// escaped depends on the state and on the number of backslashes before it.
func (d *dialect) countText(b []byte) Tally {
	even, odd, slashes := kernels.CountRecordEnds(b, '\\', d.eol)
	t := EmptyTally()
	t.Lines = int64(even + odd)
	run := 0
	for run < len(b) && b[run] == '\\' {
		run++
	}
	if run == len(b) {
		t.Open[outside], t.Open[escaped] = true, true
		if run&1 == 1 {
			t.Next[outside], t.Next[escaped] = escaped, outside
		}
		return t
	}
	c, rest := b[run], b[run+1:]
	state, ends, marker, data := outside, t.Lines, false, false
	if slashes > run {
		var hidden int64
		state, hidden, marker, data = d.escapesIn(rest)
		ends -= hidden
	}
	for _, s := range [...]State{outside, escaped} {
		is := (run&1 == 1) == (s == outside) // c has a backslash before it that means it
		t.Next[s], t.Ends[s], t.Mark[s], t.Open[s] = state, ends, marker || is && c == '.', data || state != outside || b[len(b)-1] != d.eol
		if is && c == d.eol {
			t.Ends[s]--
		}
		if len(rest) == 0 {
			t.Open[s] = is || c != d.eol
		}
	}
	return t
}

// escapesIn follows the backslashes of b, which starts outside. hidden is the number of
// line breaks that are data.
func (d *dialect) escapesIn(b []byte) (state State, hidden int64, marker, data bool) {
	i := 0
	for i < len(b) {
		at := nextSlash(b, i)
		if at == len(b) {
			return outside, hidden, marker, false
		}
		if i = at + 2; i > len(b) {
			return escaped, hidden, marker, false
		}
		switch b[at+1] {
		case d.eol:
			hidden++
		case '.':
			marker = true
		}
	}
	return outside, hidden, marker, i > 0
}

// indexText is index for the text format; the bitmap is of backslashes. stray says that
// b holds an end-of-copy marker, or in a CRLF file an LF whose CR is escaped: both are
// wrong wherever they stand in a record.
func (d *dialect) indexText(positions []uint32, slashes []uint64, b []byte, s State) (_ kernels.Structure, _ State, stray bool) {
	r := kernels.IndexStructure(positions, slashes, b, d.delim, d.eol, d.eol, d.other, false)
	found, first := r.Seps, 0
	if s == escaped && len(b) > 0 {
		stray = d.hide(&r, b, 0)
		first = 1
	}
	s = outside
	i := first
	for i < len(b) {
		at := nextSlash(b, i)
		if at == len(b) {
			break
		}
		slashes[at>>6] |= 1 << (at & 63)
		r.Quotes++
		if at+1 == len(b) {
			s = escaped
			break
		}
		if c := b[at+1]; c == '\\' {
			slashes[(at+1)>>6] |= 1 << ((at + 1) & 63)
		} else {
			stray = d.hide(&r, b, at+1) || stray
		}
		i = at + 2
	}
	if r.Seps < found {
		closeUp(positions[:found], slashes, b, first)
	}
	return r, s, stray
}

// hide takes b[i], which is escaped, out of what was counted.
func (d *dialect) hide(r *kernels.Structure, b []byte, i int) (stray bool) {
	switch b[i] {
	case d.eol:
		r.Ends--
		r.Seps--
	case d.delim:
		r.Seps--
	case d.other:
		r.Others--
		return d.crlf && i+1 < len(b) && b[i+1] == d.eol
	case '.':
		return true
	}
	return false
}

// closeUp drops the escaped ones from positions. The first bytes of b, one or none, are
// escaped by what stands before b.
func closeUp(positions []uint32, slashes []uint64, b []byte, first int) {
	n := 0
	for _, p := range positions {
		at := int(p)
		if at < first || at > first && slashes[(p-1)>>6]>>((p-1)&63)&1 == 1 && oddRun(b[first:at]) {
			continue
		}
		positions[n] = p
		n++
	}
}

// oddRun reports whether b ends with an odd number of backslashes.
func oddRun(b []byte) bool {
	n := len(b)
	for n > 0 && b[n-1] == '\\' {
		n--
	}
	return (len(b)-n)&1 == 1
}

// straysText is strays for the text format.
func (d *dialect) straysText(record []byte) bool {
	s := outside
	for i, c := range record {
		switch {
		case s == escaped:
			if c == '.' {
				return true
			}
		case c == d.other && !(d.crlf && i == len(record)-1):
			return true
		}
		s = d.next(s, c)
	}
	return d.crlf && (len(record) == 0 || record[len(record)-1] != '\r' || oddRun(record[:len(record)-1]))
}

// firstMarker returns the position of the first backslash in b that means the point
// behind it, or -1; b starts outside.
func firstMarker(b []byte) int {
	for at := 0; ; {
		k := bytes.Index(b[at:], []byte(`\.`))
		if k < 0 {
			return -1
		}
		at += k
		if !oddRun(b[:at]) {
			return at
		}
		at += 2
	}
}

// isEnd reports whether b, which stands at the start of a line, begins with an
// end-of-copy marker: `\.` and the line end of the file.
func (d *dialect) isEnd(b []byte) bool {
	after, ok := bytes.CutPrefix(b, []byte(`\.`))
	if d.crlf {
		return ok && bytes.HasPrefix(after, []byte("\r\n"))
	}
	return ok && len(after) > 0 && after[0] == d.eol
}

// markerError returns what is wrong with the marker at record[i], which is not one that
// ends the input.
func (d *dialect) markerError(record []byte, i int) *Error {
	const alone, style = "end-of-copy marker is not alone on its line", "end-of-copy marker does not match previous newline style"
	after := record[i+2:]
	message := alone
	switch {
	case len(after) == 0:
	case d.crlf && after[0] == '\r':
		if len(after) > 1 && after[1] == '\r' {
			message = style
		}
	case after[0] == d.other || d.crlf && after[0] == '\n':
		message = style
	}
	return pgerr.New(pgerr.BadCopyFileFormat, "%s", message).
		WithHint("A backslash and a point end the data; for a point as data leave the backslash out.")
}

// beginsLine reports whether a record starts at off; the first starts at start.
func (d *dialect) beginsLine(src io.ReaderAt, start, off int64) (bool, error) {
	for n := int64(64); ; n *= 2 {
		n = min(n, off-start)
		if n == 0 {
			return true, nil
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(io.NewSectionReader(src, off-n, n), b); err != nil {
			return false, err
		}
		if b[n-1] != d.eol {
			return false, nil
		}
		run := bytes.TrimRight(b[:n-1], `\`)
		if len(run) > 0 || n == off-start {
			return (len(b)-1-len(run))&1 == 0, nil
		}
	}
}

// hexDigits has the value of each hexadecimal digit and 0xff for every other byte.
var hexDigits = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i, c := range []byte("0123456789abcdef") {
		t[c] = byte(i)
	}
	for i, c := range []byte("ABCDEF") {
		t[c] = byte(10 + i)
	}
	return t
}()

// unescape appends to dst the value of a field of the text format and says whether it is
// valid text, if the bytes of raw are. The value is not longer than raw.
func unescape(dst, raw []byte) (text []byte, valid bool) {
	start, doubtful := len(dst), false
	for {
		i := nextSlash(raw, 0)
		dst = append(dst, raw[:i]...)
		if i+1 >= len(raw) {
			break
		}
		c := raw[i+1]
		raw = raw[i+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'v':
			c = '\v'
		case 'x':
			if len(raw) == 0 || hexDigits[raw[0]] > 0xf {
				break
			}
			c, raw = hexDigits[raw[0]], raw[1:]
			if len(raw) > 0 && hexDigits[raw[0]] <= 0xf {
				c, raw = c<<4|hexDigits[raw[0]], raw[1:]
			}
			doubtful = doubtful || c == 0 || c >= 0x80
		case '0', '1', '2', '3', '4', '5', '6', '7':
			c -= '0'
			for k := 0; k < 2 && len(raw) > 0 && raw[0]&^7 == '0'; k++ {
				c, raw = c<<3|(raw[0]-'0'), raw[1:]
			}
			doubtful = doubtful || c == 0 || c >= 0x80
		}
		dst = append(dst, c)
	}
	return dst, !doubtful || invalidText(dst[start:]) < 0
}
