package expr

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

var anyType columnar.Type // an argument of any type, a result of the first argument's

// types is short for the argument types of a signature.
func types(t ...columnar.Type) []columnar.Type { return t }

// textFunctions are the functions on text and bytea.
var textFunctions = map[string][]signature{
	"length": {
		{args: types(textType), result: int4Type, fn: plain(runeCount)},
		{args: types(byteaType), result: int4Type, fn: plain(byteCount)},
	},
	"char_length":      {{args: types(textType), result: int4Type, fn: plain(runeCount)}},
	"character_length": {{args: types(textType), result: int4Type, fn: plain(runeCount)}},
	"octet_length": {
		{args: types(textType), result: int4Type, fn: plain(byteCount)},
		{args: types(byteaType), result: int4Type, fn: plain(byteCount)},
	},
	"lower":     {{args: types(textType), result: textType, fn: mapped(lower)}},
	"upper":     {{args: types(textType), result: textType, fn: mapped(bytes.ToUpper)}},
	"initcap":   {{args: types(textType), result: textType, fn: mapped(initcap)}},
	"reverse":   {{args: types(textType), result: textType, fn: mapped(reversed)}},
	"substr":    substrings,
	"substring": substrings,
	"left":      {{args: types(textType, int4Type), result: textType, fn: plain(left)}},
	"right":     {{args: types(textType, int4Type), result: textType, fn: plain(right)}},
	"btrim":     trims(true, true),
	"ltrim":     trims(true, false),
	"rtrim":     trims(false, true),
	"replace":   {{args: types(textType, textType, textType), result: textType, fn: plain(replace)}},
	"strpos":    {{args: types(textType, textType), result: int4Type, fn: plain(strpos)}},
	"starts_with": {{args: types(textType, textType), result: boolType, fn: plain(func(out result, a args) error {
		out.bool(bytes.HasPrefix(a.bytes(0), a.bytes(1)))
		return nil
	})}},
	"repeat": {{args: types(textType, int4Type), result: textType, fn: plain(repeat)}},
	"lpad": {
		{args: types(textType, int4Type), result: textType, fn: plain(pad(true))},
		{args: types(textType, int4Type, textType), result: textType, fn: plain(pad(true))},
	},
	"rpad": {
		{args: types(textType, int4Type), result: textType, fn: plain(pad(false))},
		{args: types(textType, int4Type, textType), result: textType, fn: plain(pad(false))},
	},
	"split_part": {{args: types(textType, textType, int4Type), result: textType, fn: plain(splitPart)}},
	"overlay": {
		{args: types(textType, textType, int4Type), result: textType, fn: plain(overlay)},
		{args: types(textType, textType, int4Type, int4Type), result: textType, fn: plain(overlay)},
	},
	"concat":    {{args: types(anyType), rest: true, result: textType, lax: true, fn: concatAll(0)}},
	"concat_ws": {{args: types(textType, anyType), rest: true, result: textType, lax: true, fn: concatAll(1)}},
	"ascii": {{args: types(textType), result: int4Type, fn: plain(func(out result, a args) error {
		r, n := utf8.DecodeRune(a.bytes(0))
		if out.setInt(int64(r)); n == 0 {
			out.setInt(0)
		}
		return nil
	})}},
	"bit_length": {
		{args: types(textType), result: int4Type, fn: plain(bitCount)},
		{args: types(byteaType), result: int4Type, fn: plain(bitCount)},
	},
	"md5":           {{args: types(textType), result: textType, fn: mapped(md5Hex)}, {args: types(byteaType), result: textType, fn: mapped(md5Hex)}},
	"translate":     {{args: types(textType, textType, textType), result: textType, fn: plain(translate)}},
	"to_hex":        {{args: types(int4Type), result: textType, fn: plain(toHex)}, {args: types(int8Type), result: textType, fn: plain(toHex)}},
	"quote_literal": {{args: types(textType), result: textType, fn: mapped(quoteLiteral)}},
	"quote_ident":   {{args: types(textType), result: textType, fn: mapped(func(b []byte) []byte { return []byte(ast.Quote(string(b))) })}},
	"position":      {{args: types(textType, textType), result: int4Type, fn: plain(strpos)}},
	"chr":           {{args: types(int4Type), result: textType, fn: plain(chr)}},
}

func runeCount(out result, a args) error {
	out.setInt(int64(utf8.RuneCount(a.bytes(0))))
	return nil
}

func byteCount(out result, a args) error {
	out.setInt(int64(len(a.bytes(0))))
	return nil
}

func bitCount(out result, a args) error {
	out.setInt(8 * int64(len(a.bytes(0))))
	return nil
}

func md5Hex(b []byte) []byte {
	sum := md5.Sum(b)
	return []byte(hex.EncodeToString(sum[:]))
}

// translate replaces every character of the second argument by the one at the same
// place in the third, or by nothing if there is none.
func translate(out result, a args) error {
	from, to := []rune(string(a.bytes(1))), []rune(string(a.bytes(2)))
	out.bytes(bytes.Map(func(r rune) rune {
		switch i := slices.Index(from, r); {
		case i < 0:
			return r
		case i < len(to):
			return to[i]
		}
		return -1
	}, a.bytes(0)))
	return nil
}

func toHex(out result, a args) error {
	v := uint64(a.int(0))
	if a.vecs[0].Type.Kind == columnar.Int4 {
		v = uint64(uint32(v))
	}
	out.append(func(dst []byte) []byte { return strconv.AppendUint(dst, v, 16) })
	return nil
}

// quoteLiteral returns a string literal, an escape string if there is a backslash in it.
func quoteLiteral(b []byte) []byte {
	s := ast.QuoteString(string(b))
	if strings.ContainsRune(s, '\\') {
		s = "E" + strings.ReplaceAll(s, `\`, `\\`)
	}
	return []byte(s)
}

// mapped makes a function of one that maps text to text.
func mapped(fn func([]byte) []byte) func(*Scope) function {
	return plain(func(out result, a args) error { out.bytes(fn(a.bytes(0))); return nil })
}

func lower(b []byte) []byte { return bytes.ToLower(b) }

func initcap(b []byte) []byte {
	inWord := false
	return bytes.Map(func(r rune) rune {
		was := inWord
		inWord = unicode.IsLetter(r) || unicode.IsDigit(r)
		if was {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, b)
}

func reversed(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		_, n := utf8.DecodeLastRune(b)
		out = append(out, b[len(b)-n:]...)
		b = b[:len(b)-n]
	}
	return out
}

// skip returns the length in bytes of the first n characters of b, of all if there are
// fewer.
func skip(b []byte, n int64) int {
	at := 0
	for ; n > 0 && at < len(b); n-- {
		if b[at] < utf8.RuneSelf {
			at++
			continue
		}
		_, size := utf8.DecodeRune(b[at:])
		at += size
	}
	return at
}

var substrings = []signature{
	{args: types(textType, int4Type), result: textType, fn: plain(substring)},
	{args: types(textType, int4Type, int4Type), result: textType, fn: plain(substring)},
}

// substring counts characters from 1; what lies before the first one counts too.
func substring(out result, a args) error {
	b, from := a.bytes(0), a.int(1)
	to := int64(1) << 40
	if len(a.vecs) == 3 {
		if a.int(2) < 0 {
			return pgerr.New(pgerr.SubstringError, "negative substring length not allowed")
		}
		to = from + a.int(2)
	}
	start := skip(b, from-1)
	b = b[start:]
	out.bytes(b[:skip(b, to-max(from, 1))])
	return nil
}

// left keeps the first n characters, or all but the last -n.
func left(out result, a args) error {
	b, n := a.bytes(0), a.int(1)
	if n < 0 {
		n += int64(utf8.RuneCount(b))
	}
	out.bytes(b[:skip(b, n)])
	return nil
}

// right keeps the last n characters, or all but the first -n.
func right(out result, a args) error {
	b, n := a.bytes(0), a.int(1)
	if n >= 0 {
		n = max(int64(utf8.RuneCount(b))-n, 0)
	} else {
		n = -n
	}
	out.bytes(b[skip(b, n):])
	return nil
}

// trims returns the forms of a trim: of blanks, or of any of the given characters.
func trims(start, end bool) []signature {
	fn := plain(func(out result, a args) error {
		b, set := a.bytes(0), " "
		if len(a.vecs) == 2 {
			set = string(a.bytes(1))
		}
		if start {
			b = bytes.TrimLeft(b, set)
		}
		if end {
			b = bytes.TrimRight(b, set)
		}
		out.bytes(b)
		return nil
	})
	return []signature{
		{args: types(textType), result: textType, fn: fn},
		{args: types(textType, textType), result: textType, fn: fn},
	}
}

func replace(out result, a args) error {
	if len(a.bytes(1)) == 0 {
		out.bytes(a.bytes(0))
		return nil
	}
	b, old, with := a.bytes(0), a.bytes(1), a.bytes(2)
	if grows := len(with) - len(old); grows > 0 && bytes.Count(b, old)*grows > maxText {
		return tooLong()
	}
	out.append(func(dst []byte) []byte {
		for {
			i := bytes.Index(b, old)
			if i < 0 {
				return append(dst, b...)
			}
			dst = append(append(dst, b[:i]...), with...)
			b = b[i+len(old):]
		}
	})
	return nil
}

func strpos(out result, a args) error {
	i := bytes.Index(a.bytes(0), a.bytes(1))
	if i < 0 {
		out.setInt(0)
		return nil
	}
	out.setInt(int64(utf8.RuneCount(a.bytes(0)[:i])) + 1)
	return nil
}

// maxText is the longest text that a function makes.
const maxText = 128 << 20

func tooLong() error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "requested length too large")
}

func repeat(out result, a args) error {
	n := max(a.int(1), 0)
	if n*int64(len(a.bytes(0))) > maxText {
		return tooLong()
	}
	out.append(func(dst []byte) []byte {
		for range n {
			dst = append(dst, a.bytes(0)...)
		}
		return dst
	})
	return nil
}

// pad fills a text with blanks, or with the given characters, to a length.
func pad(before bool) function {
	return func(out result, a args) error {
		b, n, fill := a.bytes(0), max(a.int(1), 0), []byte{' '}
		if len(a.vecs) == 3 {
			fill = a.bytes(2)
		}
		if n > maxText/utf8.UTFMax {
			return tooLong()
		}
		lack := n - int64(utf8.RuneCount(b))
		if lack <= 0 || len(fill) == 0 {
			out.bytes(b[:skip(b, n)])
			return nil
		}
		each := int64(utf8.RuneCount(fill))
		padding := bytes.Repeat(fill, int(lack/each))
		padding = append(padding, fill[:skip(fill, lack%each)]...)
		out.append(func(dst []byte) []byte {
			if before {
				return append(append(dst, padding...), b...)
			}
			return append(append(dst, b...), padding...)
		})
		return nil
	}
}

func splitPart(out result, a args) error {
	n := a.int(2)
	if n == 0 {
		return pgerr.New(pgerr.InvalidParameterValue, "field position must not be zero")
	}
	parts := [][]byte{a.bytes(0)}
	if sep := a.bytes(1); len(sep) > 0 {
		parts = bytes.Split(a.bytes(0), sep)
	}
	if n < 0 {
		n += int64(len(parts)) + 1
	}
	out.bytes(nil)
	if n >= 1 && n <= int64(len(parts)) {
		out.bytes(parts[n-1])
	}
	return nil
}

// overlay replaces the characters from a position on, as many as the new text has or as
// are asked for.
func overlay(out result, a args) error {
	b, with, from := a.bytes(0), a.bytes(1), a.int(2)
	n := int64(utf8.RuneCount(with))
	if len(a.vecs) == 4 {
		n = a.int(3)
	}
	if from <= 0 {
		return pgerr.New(pgerr.SubstringError, "negative substring length not allowed")
	}
	out.append(func(dst []byte) []byte {
		dst = append(append(dst, b[:skip(b, from-1)]...), with...)
		return append(dst, b[skip(b, max(from+n-1, 0)):]...)
	})
	return nil
}

// concatAll joins the arguments from the given one on that are not null, with the first
// one between them if it is not among them.
func concatAll(from int) func(*Scope) function {
	return func(s *Scope) function {
		loc := s.Loc()
		return func(out result, a args) error {
			if from == 1 && a.vecs[0].IsNull(a.row) {
				out.null()
				return nil
			}
			out.append(func(dst []byte) []byte {
				first := true
				for _, v := range a.vecs[from:] {
					if v.IsNull(a.row) {
						continue
					}
					if !first && from == 1 {
						dst = append(dst, a.bytes(0)...)
					}
					first = false
					dst = appendOutput(dst, v, a.row, loc)
				}
				return dst
			})
			return nil
		}
	}
}

func chr(out result, a args) error {
	r := a.int(0)
	switch {
	case r == 0:
		return pgerr.New(pgerr.ProgramLimitExceeded, "null character not permitted")
	case r < 0:
		return pgerr.New(pgerr.InvalidParameterValue, "character number must be positive")
	case r > unicode.MaxRune:
		return pgerr.New(pgerr.ProgramLimitExceeded, "requested character too large for encoding: %d", r)
	case !utf8.ValidRune(rune(r)):
		return pgerr.New(pgerr.ProgramLimitExceeded, "requested character not valid for encoding: %d", r)
	}
	out.bytes([]byte(string(rune(r))))
	return nil
}
