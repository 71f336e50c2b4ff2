package pgtext

// MaxArrayDims is the most dimensions an array has, as in PostgreSQL.
const MaxArrayDims = 6

// Array reads the text form of an array and appends its canonical form: no blanks
// around elements, quotes only where they are needed, NULL in capitals, dimensions only
// where an index does not start at 1.
//
// elem appends the canonical text of one element, given without its quotes and escapes.
// A status of elem other than OK ends the reading. bad is the element that it was about;
// nil if the array itself is malformed (Syntax; ArrayDetail says why) or has too many
// dimensions (Range). dst is returned as it came after a failure.
func Array(dst, text []byte, elem func(dst, text []byte) ([]byte, Status)) (_, bad []byte, st Status) {
	r := arrayReader{b: text, elem: elem}
	out, st := r.read(dst)
	if st != OK {
		return dst, r.bad, st
	}
	return out, nil, OK
}

// ArrayDetail returns PostgreSQL's detail for a malformed array.
func ArrayDetail(text []byte) string {
	r := arrayReader{b: text, elem: func(dst, _ []byte) ([]byte, Status) { return dst, OK }}
	r.read(nil)
	return r.detail
}

// arrayReader reads one array.
type arrayReader struct {
	b      []byte
	at     int
	elem   func(dst, text []byte) ([]byte, Status)
	buf    []byte // an element without quotes
	value  []byte // its canonical text
	bad    []byte
	detail string

	dims  int               // that the braces open
	size  [MaxArrayDims]int // elements of each dimension; -1 while not known
	given int               // dimensions in front of the braces
	upper [MaxArrayDims]int
	lower [MaxArrayDims]int
}

func (r *arrayReader) fail(detail string) Status {
	r.detail = detail
	return Syntax
}

func (r *arrayReader) blanks() {
	for r.at < len(r.b) && isSpace(r.b[r.at]) {
		r.at++
	}
}

// peek returns the next byte, 0 at the end. No text holds a zero byte.
func (r *arrayReader) peek() byte {
	if r.at < len(r.b) {
		return r.b[r.at]
	}
	return 0
}

func (r *arrayReader) read(dst []byte) ([]byte, Status) {
	for i := range r.size {
		r.size[i] = -1
	}
	r.blanks()
	if st := r.dimensions(); st != OK {
		return dst, st
	}
	if r.peek() != '{' {
		if r.given > 0 {
			return dst, r.fail(`Array contents must start with "{".`)
		}
		return dst, r.fail(`Array value must start with "{" or dimension information.`)
	}
	for i := range r.given {
		if r.lower[i] != 1 {
			dst = r.appendDimensions(dst)
			break
		}
	}
	start := len(dst)
	dst, st := r.level(dst, 0)
	if st != OK {
		return dst, st
	}
	r.blanks()
	if r.at < len(r.b) {
		return dst, r.fail("Junk after closing right brace.")
	}
	if r.dims == 0 {
		dst = append(dst[:start], "{}"...) // {{},{}} has no elements either
	}
	if r.given > 0 {
		if r.given != r.dims {
			return dst, r.fail("Specified array dimensions do not match array contents.")
		}
		for i := range r.given {
			if r.upper[i]-r.lower[i]+1 != r.size[i] {
				return dst, r.fail("Specified array dimensions do not match array contents.")
			}
		}
	}
	return dst, OK
}

// dimensions reads what may stand in front of the braces: [1:2][0:3]=.
func (r *arrayReader) dimensions() Status {
	for r.peek() == '[' {
		if r.given == MaxArrayDims {
			return Range
		}
		r.at++
		low, okLow := r.bound()
		high, okHigh := low, okLow
		if r.peek() == ':' {
			r.at++
			high, okHigh = r.bound()
		} else {
			low = 1
		}
		if !okLow || !okHigh || r.peek() != ']' {
			return r.fail(`"[" must introduce explicitly-specified array dimensions.`)
		}
		if high < low {
			return r.fail("upper bound cannot be less than lower bound")
		}
		r.at++
		r.lower[r.given], r.upper[r.given] = low, high
		r.given++
		r.blanks()
	}
	if r.given == 0 {
		return OK
	}
	if r.peek() != '=' {
		return r.fail(`Missing "=" after array dimensions.`)
	}
	r.at++
	r.blanks()
	return OK
}

// bound reads one integer of a dimension.
func (r *arrayReader) bound() (n int, ok bool) {
	start := r.at
	for c := r.peek(); c == '-' || c == '+' || c >= '0' && c <= '9'; c = r.peek() {
		r.at++
	}
	v, st := Int(r.b[start:r.at], 32)
	return int(v), st == OK && r.at > start
}

func (r *arrayReader) appendDimensions(dst []byte) []byte {
	for i := range r.given {
		dst = AppendInt(append(dst, '['), int64(r.lower[i]))
		dst = AppendInt(append(dst, ':'), int64(r.upper[i]))
		dst = append(dst, ']')
	}
	return append(dst, '=')
}

// level reads braces and what is inside; r.at is at the opening one.
func (r *arrayReader) level(dst []byte, depth int) ([]byte, Status) {
	if depth == MaxArrayDims {
		return dst, Range
	}
	r.at++
	dst = append(dst, '{')
	n := 0
	for {
		r.blanks()
		if r.peek() == '}' && n == 0 {
			break
		}
		var st Status
		if dst, st = r.item(dst, depth); st != OK {
			return dst, st
		}
		n++
		r.blanks()
		if c := r.peek(); c == '}' {
			break
		} else if c == 0 {
			return dst, r.fail("Unexpected end of input.")
		} else if c != ',' {
			return dst, r.fail("Unexpected array element.")
		}
		r.at++
		dst = append(dst, ',')
	}
	r.at++
	if r.size[depth] >= 0 && r.size[depth] != n {
		return dst, r.fail("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	r.size[depth] = n
	return append(dst, '}'), OK
}

// item reads an element or a nested array at the given depth of braces.
func (r *arrayReader) item(dst []byte, depth int) ([]byte, Status) {
	switch c := r.peek(); c {
	case 0:
		return dst, r.fail("Unexpected end of input.")
	case '}', ',':
		return dst, r.fail(`Unexpected "` + string(c) + `" character.`)
	case '{':
		if r.dims > 0 && r.dims <= depth+1 {
			return dst, r.fail("Multidimensional arrays must have sub-arrays with matching dimensions.")
		}
		return r.level(dst, depth+1)
	}
	if r.dims > 0 && r.dims != depth+1 {
		return dst, r.fail("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	r.dims = depth + 1
	quoted, st := r.element()
	if st != OK {
		return dst, st
	}
	if !quoted && isNull(r.buf) {
		return append(dst, "NULL"...), OK
	}
	if r.value, st = r.elem(r.value[:0], r.buf); st != OK {
		r.bad = r.buf
		return dst, st
	}
	return AppendArrayElement(dst, r.value), OK
}

// element reads one element into r.buf, without quotes, escapes and the blanks around.
func (r *arrayReader) element() (quoted bool, st Status) {
	r.buf = r.buf[:0]
	if r.peek() == '"' {
		r.at++
		for {
			switch c := r.peek(); c {
			case 0:
				return true, r.fail("Unexpected end of input.")
			case '"':
				r.at++
				r.blanks()
				if c := r.peek(); c != ',' && c != '}' && c != 0 {
					return true, r.fail("Incorrectly quoted array element.")
				}
				return true, OK
			case '\\':
				r.at++
				if r.peek() == 0 {
					return true, r.fail("Unexpected end of input.")
				}
			}
			r.buf = append(r.buf, r.b[r.at])
			r.at++
		}
	}
	keep := 0 // bytes that are not trailing blanks
	for {
		switch c := r.peek(); c {
		case 0:
			return false, r.fail("Unexpected end of input.")
		case ',', '}':
			r.buf = r.buf[:keep]
			return quoted, OK
		case '{':
			return false, r.fail(`Unexpected "{" character.`)
		case '"':
			return false, r.fail("Incorrectly quoted array element.")
		case '\\':
			r.at++
			if r.peek() == 0 {
				return false, r.fail("Unexpected end of input.")
			}
			r.buf = append(r.buf, r.b[r.at])
			keep, quoted = len(r.buf), true
		default:
			if r.buf = append(r.buf, c); !isSpace(c) {
				keep = len(r.buf)
			}
		}
		r.at++
	}
}

func isNull(b []byte) bool {
	return len(b) == 4 && b[0]|0x20 == 'n' && b[1]|0x20 == 'u' && b[2]|0x20 == 'l' && b[3]|0x20 == 'l'
}

// AppendArrayElement appends the canonical text of an element that is not null, in
// quotes if it must be.
func AppendArrayElement(dst, v []byte) []byte {
	quote := len(v) == 0 || isNull(v)
	for _, c := range v {
		if c == '"' || c == '\\' || c == '{' || c == '}' || c == ',' || isSpace(c) {
			quote = true
			break
		}
	}
	if !quote {
		return append(dst, v...)
	}
	dst = append(dst, '"')
	for _, c := range v {
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
