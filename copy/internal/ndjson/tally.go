package ndjson

import "bytes"

// Tally counts the record ends of a range of lines without knowing how the line began
// that the range starts in. Tallies of neighbouring ranges compose, wherever they meet.
//
// The state between two bytes is whether the line so far holds anything but blanks: only
// such a line is a record. The zero Tally is that of no bytes.
type Tally struct {
	Ends  int64 // records that end, if the line so far is blank
	First int64 // 1 if one more ends where the line so far is not blank
	Lines int64 // line ends

	broken bool // the range has a line end
	open   bool // its last line, as far as it is in the range, holds something
}

// Count returns the tally of b.
func Count(b []byte) (t Tally) {
	at := bytes.IndexByte(b, '\n')
	if at < 0 {
		t.open = !blank(b)
		return t
	}
	t.broken, t.Lines = true, 1
	if blank(b[:at]) {
		t.First = 1
	} else {
		t.Ends = 1
	}
	for b = b[at+1:]; ; b = b[at+1:] {
		if at = bytes.IndexByte(b, '\n'); at < 0 {
			t.open = !blank(b)
			return t
		}
		t.Lines++
		// A record's first byte says that its line is not blank.
		if at > 0 && (b[0] == '{' || !blank(b[:at])) {
			t.Ends++
		}
	}
}

// Then returns the tally of t's range and u's behind it.
func (t Tally) Then(u Tally) Tally {
	if !u.broken {
		t.open = t.open || u.open
		return t
	}
	out := Tally{Ends: t.Ends + u.Ends, First: t.First, Lines: t.Lines + u.Lines, broken: true, open: u.open}
	switch {
	case t.open: // so the first line of u is no blank one
		out.Ends += u.First
	case !t.broken: // it is the line that t is in
		out.First = u.First
	}
	return out
}

// Records returns the number of record ends in the range, and whether its last line
// holds something; open is that of the line that the range starts in.
func (t Tally) Records(open bool) (ends int64, after bool) {
	ends = t.Ends
	if open {
		ends += t.First
	}
	return ends, t.open || open && !t.broken
}

// After returns the position in b behind its k-th record end, k at least 1, or -1 if it has
// fewer; open is as for Records.
func After(b []byte, open bool, k int64) int {
	for p := 0; ; open = false {
		n := bytes.IndexByte(b[p:], '\n')
		if n < 0 {
			return -1
		}
		if open || !blank(b[p:p+n]) {
			k--
		}
		if p += n + 1; k == 0 {
			return p
		}
	}
}

// blank reports whether b, which holds no line feed, holds nothing but blanks.
func blank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
