package ndjson

// escapes goes on with a string at its first mark i, which is no quote, and returns the
// position of the quote that ends it, or -1, and whether \u0000 is in it.
func (w *walker) escapes(b []byte, i int) (end int, zero bool) {
	for {
		switch b[i] {
		case '"':
			return i, zero
		case '\\':
			r, n, f := escape(b, i)
			if f != faultNone {
				return w.fail(f, i), false
			}
			zero = zero || r == 0
			i = w.stop(i + n)
		default:
			return w.fail(faultSyntax, i), false
		}
	}
}

// str returns the position behind the string that starts at p, or -1.
func (w *walker) str(b []byte, p int) int {
	e := w.stop(p + 1)
	if b[e] != '"' {
		if e, _ = w.escapes(b, e); e < 0 {
			return -1
		}
	}
	return e + 1
}

// value returns the position behind the value that starts at p, at the given depth, or -1.
func (w *walker) value(b []byte, p, depth int) int {
	switch c := b[p]; {
	case c == '"':
		return w.str(b, p)
	case c-'0' <= 9 || c == '-':
		if e := number(b, p); e >= 0 {
			return e
		}
	case c == '{' || c == '[':
		return w.nested(b, p, depth)
	default:
		if n := name(b, p); n > 0 {
			return p + n
		}
	}
	return w.fail(faultSyntax, p)
}

// nested returns the position behind the array or object that starts at p, in depth
// others, or -1. It keeps what encloses a value as one bit for each level.
func (w *walker) nested(b []byte, p, depth int) int {
	bottom := depth
	for {
		// At p an array or object starts.
		if depth == MaxDepth {
			return w.fail(faultDepth, p)
		}
		object := b[p] == '{'
		w.objects[depth>>6] &^= 1 << (depth & 63)
		if object {
			w.objects[depth>>6] |= 1 << (depth & 63)
		}
		depth++
		p = w.blanks(b, p+1)
		ends := b[p] == '}' && object || b[p] == ']' && !object
		for {
			if ends {
				// At p it ends.
				ends = false
				p++
				if depth--; depth == bottom {
					return p
				}
				object = w.objects[(depth-1)>>6]>>((depth-1)&63)&1 != 0
			} else {
				// At p a value is due, or a key and a value.
				if object {
					if p = w.member(b, p); p < 0 {
						return -1
					}
				}
				if b[p] == '{' || b[p] == '[' {
					break
				}
				if p = w.value(b, p, depth); p < 0 {
					return -1
				}
			}
			// At p a value has ended.
			p = w.blanks(b, p)
			switch c := b[p]; {
			case c == ',':
				p = w.blanks(b, p+1)
			case c == '}' && object, c == ']' && !object:
				ends = true
			default:
				return w.fail(faultSyntax, p)
			}
		}
	}
}

// member returns the position of the value whose key is at p, or -1.
func (w *walker) member(b []byte, p int) int {
	if b[p] != '"' {
		return w.fail(faultSyntax, p)
	}
	if p = w.str(b, p); p < 0 {
		return -1
	}
	if p = w.blanks(b, p); b[p] != ':' {
		return w.fail(faultSyntax, p)
	}
	return w.blanks(b, p+1)
}
