package ndjson

import (
	"bytes"
	"io"
	"strings"
)

// Where the elements of a top-level array end only a walk from its start tells. Elements
// are found by their brackets, strings passed over; whether they are JSON is not looked
// at. An element is a record with what leads to it: the bracket that opens the array or the
// comma, and blanks. It ends with its last brace. So a walk can start at any record without
// knowing what came before, and the last byte of a record says that it is whole.

// Step is what stands where Elements has stopped.
type Step uint8

// What may stand there.
const (
	Enough Step = iota // an element that was not to be passed
	Short              // the beginning of an element, or of the end
	End                // the end of the array, and of the input
	Bad                // something else
)

// ArrayStart returns where the top-level array begins that head, the beginning of an input,
// starts with, or -1 if head does not start with one; whole says that head is all of the
// input. enough is false if a longer head may give another answer.
func ArrayStart(head []byte, whole bool) (start int, enough bool) {
	switch p := skipSpace(head, 0); {
	case p == len(head):
		return -1, whole
	case head[p] == '[':
		return p, true
	}
	return -1, true
}

// skipSpace returns the position of the first byte of b from p on that is no blank and
// no line feed, len(b) if there is none.
func skipSpace(b []byte, p int) int {
	for p < len(b) && (b[p] == ' ' || b[p] == '\n' || b[p] == '\t' || b[p] == '\r') {
		p++
	}
	return p
}

// outside tells the bytes outside strings that matter to the end of an element.
var outside = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, ',': true}

// element returns where the element ends that starts at p, and Enough; or p and what
// stands there instead.
func element(b []byte, p int) (int, Step) {
	q := skipSpace(b, p)
	switch {
	case q == len(b):
		return p, Short
	case b[q] == ']':
		return p, End
	case b[q] == '[':
		if e := skipSpace(b, q+1); e < len(b) && b[e] == ']' {
			return e, End // of an empty array
		}
	case b[q] != ',':
		return p, Bad
	}
	if q = skipSpace(b, q+1); q == len(b) {
		return p, Short
	}
	object := b[q] == '{'
	for depth := 0; q < len(b); q++ {
		c := b[q]
		if !outside[c] {
			continue
		}
		switch c {
		case '"':
			for q++; q < len(b) && b[q] != '"'; q++ {
				if b[q] == '\\' {
					q++
				}
			}
		case '{', '[':
			depth++
		case ',', ']':
			if depth == 0 {
				return q, Enough
			}
			if c == ']' {
				depth--
			}
		case '}':
			depth = max(depth-1, 0)
		}
		if object && depth == 0 {
			return q + 1, Enough
		}
	}
	return p, Short
}

// Elements passes elements of b, which begins with one, as long as they end at until or
// before it and are not more than most; last says that the input ends with b. It returns
// where it stopped, how many it passed, and what stands there. At the end of the array it
// has stopped behind everything. An element that nothing follows, no bracket either, is Bad.
func Elements(b []byte, last bool, until int, most int64) (n int, passed int64, next Step) {
	for {
		end, step := element(b, n)
		switch {
		case step == End:
			if step = arrayEnd(b, end, last); step == End {
				n = len(b)
			}
			return n, passed, step
		case step != Enough || passed == most || end > until:
			return n, passed, step
		}
		q := skipSpace(b, end)
		switch {
		case q == len(b) && last:
			return n, passed, Bad
		case q == len(b):
			return n, passed, Short
		case b[q] == '[': // which looks like the one before the first element
			return q + 1, passed + 1, Bad
		}
		n = end
		passed++
	}
}

// arrayEnd says what stands at p, where b has the bracket that ends the array.
func arrayEnd(b []byte, p int, last bool) Step {
	switch q := skipSpace(b, p); {
	case skipSpace(b, q+1) < len(b):
		return Bad
	case last:
		return End
	}
	return Short
}

// atEnd reports whether b is the end of the array and nothing else.
func atEnd(b []byte) bool {
	end, step := element(b, 0)
	return step == End && arrayEnd(b, end, true) == End
}

// stops reports whether b, where an element should begin, has none because the array ends,
// or because it goes on behind b, which it does not if b is the last.
func stops(b []byte, last bool) bool {
	end, step := element(b, 0)
	return step == Short && !last || step == End && arrayEnd(b, end, last) != Bad
}

// SkipElement is Elements for the one element that starts at off of src, whose input ends
// at end, if Elements does not see it whole.
func SkipElement(src io.ReaderAt, off, end int64) (int64, Step, error) {
	for size := int64(1 << 20); ; size *= 2 {
		b := make([]byte, min(size, end-off))
		if _, err := io.ReadFull(io.NewSectionReader(src, off, int64(len(b))), b); err != nil {
			return 0, Short, err
		}
		last := off+int64(len(b)) == end
		n, passed, step := Elements(b, last, len(b), 1)
		if passed == 1 {
			n, step = element(b, 0)
		}
		if step != Short || last {
			return off + int64(n), step, nil
		}
	}
}

// Ends reports whether src is nothing but blanks and line ends, and if array is set the
// bracket that ends an array among them; before it the one that begins it may stand.
func Ends(src io.Reader, array bool) (bool, error) {
	b := make([]byte, 4<<10)
	want := ""
	if array {
		want = "[]"
	}
	for {
		n, err := src.Read(b)
		for p := skipSpace(b[:n], 0); p < n; p = skipSpace(b[:n], p+1) {
			at := strings.IndexByte(want, b[p])
			if at < 0 {
				return false, nil
			}
			want = want[at+1:]
		}
		if err == io.EOF {
			return !array || want == "", nil
		}
		if err != nil {
			return false, err
		}
	}
}

// ReadElement returns the element that src begins with; if it does not end, all of src, and
// if something else is there, the line with that. alone is true if nothing follows the
// element.
func ReadElement(src *io.SectionReader) (text []byte, alone bool, err error) {
	for size := int64(64 << 10); ; size *= 4 {
		b := make([]byte, min(size, src.Size()))
		if n, err := src.ReadAt(b, 0); n < len(b) {
			return nil, false, err
		}
		whole := int64(len(b)) == src.Size()
		switch end, step := element(b, 0); {
		case step == Enough && (whole || skipSpace(b, end) < len(b)):
			return b[:end], skipSpace(b, end) == len(b), nil
		case step == Bad, step == End && skipSpace(b, end+1) < len(b):
			at := skipSpace(b, end)
			if n := bytes.IndexByte(b[at:], '\n'); n >= 0 && step == Bad {
				b = b[:at+n]
			}
			return b, false, nil
		case whole:
			return b, false, nil
		}
	}
}
