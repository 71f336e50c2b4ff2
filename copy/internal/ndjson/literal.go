package ndjson

import (
	"bytes"

	"github.com/ingotdb/ingot/internal/pgtext"
)

// appendArray appends the array literal of a JSON array, which was checked: elements in
// order, null as NULL, an array as another dimension, a string resolved, anything else as
// it is written. If whole is set the elements are of type json: a string keeps its quotes.
// Of an array with more dimensions than there can be only as much is looked at as shows it.
func appendArray(dst, text []byte, whole bool) []byte { return appendDimension(dst, text, whole, 1) }

func appendDimension(dst, text []byte, whole bool, dimension int) []byte {
	dst = append(dst, '{')
	if dimension > pgtext.MaxArrayDims {
		return dst
	}
	first := true
	for p := skipSpace(text, 1); text[p] != ']'; p = skipSpace(text, p) {
		if text[p] == ',' {
			p++
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		end := valueEnd(text, p)
		switch c := text[p]; {
		case c == '[':
			dst = appendDimension(dst, text[p:end], whole, dimension+1)
		case c == 'n':
			dst = append(dst, "NULL"...)
		case c == '"' && !whole:
			v := make([]byte, end-p-2)
			dst = pgtext.AppendArrayElement(dst, v[:unescape(v, text[p+1:end-1])])
		default:
			dst = pgtext.AppendArrayElement(dst, text[p:end])
		}
		p = end
	}
	return append(dst, '}')
}

// valueEnd returns the position behind the value that starts at p in JSON that was
// checked. A number or name ends where something else begins.
func valueEnd(b []byte, p int) int {
	depth := 0
	for ; p < len(b); p++ {
		switch b[p] {
		case '"':
			for p++; b[p] != '"'; p++ {
				if b[p] == '\\' {
					p++
				}
			}
			if depth == 0 {
				return p + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return p
			}
			if depth--; depth == 0 {
				return p + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return p
			}
		}
	}
	return p
}

// appendElements appends an array, given by its canonical literal, as a JSON array; f is
// the form of its elements. Bounds in front of the braces are left out.
func appendElements(dst, text []byte, f form) []byte {
	if at := bytes.IndexByte(text, '='); text[0] == '[' && at >= 0 {
		text = text[at+1:]
	}
	for p := 0; p < len(text); {
		switch c := text[p]; c {
		case '{':
			dst = append(dst, '[')
			p++
		case '}':
			dst = append(dst, ']')
			p++
		case ',':
			dst = append(dst, ',')
			p++
		case '"':
			v := make([]byte, 0, 64)
			for p++; text[p] != '"'; p++ {
				if text[p] == '\\' {
					p++
				}
				v = append(v, text[p])
			}
			p++
			dst = appendForm(dst, v, f)
		default:
			end := p
			for text[end] != ',' && text[end] != '}' {
				end++
			}
			if v := text[p:end]; string(v) == "NULL" {
				dst = append(dst, "null"...)
			} else {
				dst = appendForm(dst, v, f)
			}
			p = end
		}
	}
	return dst
}
