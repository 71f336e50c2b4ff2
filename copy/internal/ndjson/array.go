package ndjson

import "io"

// Where the elements of a top-level array end only a walk from its start tells. Elements
// are found by their brackets, strings passed over; whether they are JSON is not looked
// at. An element begins behind the one before it, so with a comma unless it is the first,
// and ends where the comma or bracket behind it stands. So a walk can start at any element
// without knowing what came before.

// Step is what stands where Elements has stopped.
type Step uint8

// What may stand there.
const (
	Enough Step = iota // an element that was not to be passed
	Short              // the beginning of an element, or of the end
	End                // the end of the array, and of the input
	Bad                // the end of the array, and then something else
)

// ArrayStart returns where the first element of a top-level array begins that head, the
// beginning of an input, starts with, or -1 if head does not start with one; whole says
// that head is all of the input. enough is false if a longer head may give another answer.
func ArrayStart(head []byte, whole bool) (start int, enough bool) {
	p := skipSpace(head, 0)
	switch {
	case p == len(head):
		return -1, whole
	case head[p] != '[':
		return -1, true
	}
	// A comma would be taken for the one before an element. A brace that is missing fails.
	if q := skipSpace(head, p+1); q == len(head) && !whole {
		return -1, false
	} else if q < len(head) && head[q] == ',' {
		return p, true
	}
	return p + 1, true
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

// element returns where the element ends that starts at p, -1 if that is not in b, or
// p itself if there is no element but the bracket that ends the array.
func element(b []byte, p int) int {
	q := skipSpace(b, p)
	switch {
	case q == len(b):
		return -1
	case b[q] == ']':
		return p
	case b[q] == ',':
		q++
	}
	depth := 0
	for ; q < len(b); q++ {
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
				return q
			}
			if c == ']' {
				depth--
			}
		case '}':
			depth = max(depth-1, 0)
		}
	}
	return -1
}

// completeElements returns where the last element ends whose end is in b.
func completeElements(b []byte) (end int) {
	for {
		next := element(b, end)
		if next <= end {
			return end
		}
		end = next
	}
}

// atEnd reports whether b is the end of the array and nothing else.
func atEnd(b []byte) bool {
	p := skipSpace(b, 0)
	return p < len(b) && b[p] == ']' && skipSpace(b, p+1) == len(b)
}

// Elements passes elements of b, which begins with one, as long as they end at until or
// before it and are not more than most; last says that the input ends with b. It returns
// where it stopped, how many it passed, and what stands there.
func Elements(b []byte, last bool, until int, most int64) (n int, passed int64, next Step) {
	for ; passed < most; passed++ {
		end := element(b, n)
		if end < 0 {
			return n, passed, Short
		}
		if end == n {
			return n, passed, arrayEnd(b, n, last)
		}
		if end > until {
			break
		}
		n = end
	}
	// The end of the array is no record.
	if p := skipSpace(b, n); p < len(b) && b[p] == ']' {
		return n, passed, arrayEnd(b, n, last)
	}
	return n, passed, Enough
}

// arrayEnd says what stands at p, where b has the bracket that ends the array.
func arrayEnd(b []byte, p int, last bool) Step {
	q := skipSpace(b, p)
	switch {
	case skipSpace(b, q+1) < len(b):
		return Bad
	case last:
		return End
	}
	return Short
}

// SkipElement returns where the element ends that starts at off of src, whose input ends at
// end, and what stands there: Enough, if the element is whole.
func SkipElement(src io.ReaderAt, off, end int64) (int64, Step, error) {
	for size := int64(1 << 20); ; size *= 2 {
		n := min(size, end-off)
		b := make([]byte, n)
		if _, err := io.ReadFull(io.NewSectionReader(src, off, n), b); err != nil {
			return 0, Short, err
		}
		e := element(b, 0)
		last := off+n == end
		switch {
		case e > 0:
			return off + int64(e), Enough, nil
		case e == 0:
			if step := arrayEnd(b, 0, last); step != Short {
				return off, step, nil
			}
		}
		if last {
			return off, Short, nil
		}
	}
}

// ReadElement returns the element that src begins with, and the byte behind it; or all of
// src, if it does not end.
func ReadElement(src *io.SectionReader) ([]byte, error) {
	for size := int64(64 << 10); ; size *= 4 {
		b := make([]byte, min(size, src.Size()))
		if n, err := src.ReadAt(b, 0); n < len(b) {
			return nil, err
		}
		if end := element(b, 0); end > 0 {
			return b[:end+1], nil
		}
		if int64(len(b)) == src.Size() {
			return b, nil
		}
	}
}
