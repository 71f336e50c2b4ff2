package copy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// decoder reads text of another encoding as UTF-8.
//
// What cannot be converted is an error of the record that it is in, and earlier records may
// have errors of their own. So decoder puts a byte that is never UTF-8 in its place, ends the
// stream, and keeps the reason: the record fails as every record does that is no valid
// text, and then the reason is asked for.
type decoder struct {
	r     io.Reader
	name  string
	raw   []byte // of the source, not yet converted
	out   []byte // converted, not yet read
	next  func(d *decoder, whole bool) *Error
	table *[256][]byte // of one-byte encodings
	big   bool         // UTF-16 with the high byte first
	begun bool         // UTF-16: behind a byte order mark

	read  int64  // bytes that were read from the decoder
	at    int64  // where bad stands
	bad   *Error // nil: nothing yet
	final error  // what Read ends with
}

// notText is a byte that no UTF-8 has.
const notText = 0xff

const decodeBytes = 32 << 10

// newDecoder returns a decoder of the named encoding, a name of encodingName.
func newDecoder(r io.Reader, name string) *decoder {
	d := &decoder{r: r, name: name, next: (*decoder).oneByte, raw: make([]byte, 0, decodeBytes)}
	if strings.HasPrefix(name, utf16Name) {
		d.next = (*decoder).utf16
		d.big = strings.HasSuffix(name, "BE")
		d.begun = name != utf16Name
		return d
	}
	d.table = decodeTable(name)
	return d
}

// decodeTable returns the UTF-8 of each byte; nil where there is no character.
func decodeTable(name string) *[256][]byte {
	m := charmaps[name]
	t := new([256][]byte)
	for i := range t {
		c := m.DecodeByte(byte(i))
		control := c >= 0x80 && c < 0xa0 && strings.HasPrefix(name, "WIN") // a byte without a meaning
		if c != utf8.RuneError && !control {
			t[i] = utf8.AppendRune(nil, c)
		}
	}
	return t
}

// Read reads UTF-8.
func (d *decoder) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.final != nil {
			return 0, d.final
		}
		if err := d.fill(); err != nil {
			d.final = err
		}
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	d.read += int64(n)
	return n, nil
}

// fill converts what the source gives next.
func (d *decoder) fill() error {
	n, err := d.r.Read(d.raw[len(d.raw):cap(d.raw)])
	d.raw = d.raw[:len(d.raw)+n]
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	d.out = d.out[:0]
	if e := d.next(d, err != nil); e != nil {
		d.bad, d.at = e, d.read+int64(len(d.out))
		d.out = append(d.out, notText)
		return io.EOF
	}
	return err
}

// keep makes raw what was not converted.
func (d *decoder) keep(rest []byte) { d.raw = d.raw[:copy(d.raw[:cap(d.raw)], rest)] }

// oneByte converts raw by the table.
func (d *decoder) oneByte(bool) *Error {
	for i, c := range d.raw {
		u := d.table[c]
		if u == nil {
			return errNoEquivalent(d.raw[i:i+1], d.name, "UTF8")
		}
		d.out = append(d.out, u...)
	}
	d.raw = d.raw[:0]
	return nil
}

// utf16 converts the whole characters of raw; whole says that there are no more.
func (d *decoder) utf16(whole bool) *Error {
	b := d.raw
	if !d.begun && (len(b) >= 2 || whole) {
		d.begun = true
		if d.big = bytes.HasPrefix(b, []byte{0xfe, 0xff}); d.big || bytes.HasPrefix(b, []byte{0xff, 0xfe}) {
			b = b[2:]
		}
	}
	unit := func(b []byte) rune {
		if d.big {
			return rune(b[0])<<8 | rune(b[1])
		}
		return rune(b[1])<<8 | rune(b[0])
	}
	for len(b) >= 2 {
		c, n := unit(b), 2
		if utf16.IsSurrogate(c) {
			if n = 4; len(b) < 4 && !whole {
				break
			}
			pair := rune(utf8.RuneError)
			if len(b) >= 4 {
				pair = utf16.DecodeRune(c, unit(b[2:]))
			}
			if c = pair; c == utf8.RuneError {
				return errNotIn(b[:2], d.name)
			}
		}
		d.out = utf8.AppendRune(d.out, c)
		b = b[n:]
	}
	if whole && len(b) > 0 {
		return errNotIn(b, d.name)
	}
	d.keep(b)
	return nil
}

// why returns err with the reason of the decoder if that is what it is about.
func (s *stream) why(err error) error {
	var e *Error
	d := s.decoder
	if d == nil || d.bad == nil || !errors.As(err, &e) || e.SQLState != pgerr.CharacterNotInRepertoire || !e.HasOffset || e.ByteOffset != d.at {
		return err
	}
	e.SQLState, e.Message = d.bad.SQLState, d.bad.Message
	return err
}

// errNotIn is the error for bytes that the encoding does not have.
func errNotIn(b []byte, name string) *Error {
	return pgerr.New(pgerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"%s\":%s", name, hexBytes(b))
}

// errNoEquivalent is the error for a character that another encoding does not have.
func errNoEquivalent(b []byte, from, to string) *Error {
	return pgerr.New(pgerr.UntranslatableCharacter, "character with byte sequence%s in encoding \"%s\" has no equivalent in encoding \"%s\"",
		hexBytes(b), from, to)
}

func hexBytes(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		fmt.Fprintf(&s, " 0x%02x", c)
	}
	return s.String()
}

// recoder turns UTF-8 into another encoding.
type recoder struct {
	name  string
	bytes map[rune]byte // of one-byte encodings
	big   bool
	out   []byte
}

// newRecoder returns a recoder to the named encoding and what comes before the first
// character.
func newRecoder(name string) (r *recoder, mark []byte) {
	r = &recoder{name: name}
	if strings.HasPrefix(name, utf16Name) {
		if r.big = strings.HasSuffix(name, "BE"); name == utf16Name {
			mark = []byte{0xff, 0xfe}
		}
		return r, mark
	}
	r.bytes = make(map[rune]byte, 256)
	for i, u := range decodeTable(name) {
		if c, n := utf8.DecodeRune(u); n > 0 {
			r.bytes[c] = byte(i)
		}
	}
	return r, nil
}

// recode returns b, which is whole characters, in the encoding. The result is valid until
// the next call.
func (r *recoder) recode(b []byte) ([]byte, error) {
	r.out = r.out[:0]
	for i := 0; i < len(b); {
		c, n := rune(b[i]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRune(b[i:])
		}
		switch {
		case r.bytes == nil:
			r.utf16(c)
		default:
			v, known := r.bytes[c]
			if !known {
				return nil, errNoEquivalent(b[i:i+n], "UTF8", r.name)
			}
			r.out = append(r.out, v)
		}
		i += n
	}
	return r.out, nil
}

// utf16 appends one character.
func (r *recoder) utf16(c rune) {
	units := []rune{c}
	if hi, lo := utf16.EncodeRune(c); hi != utf8.RuneError {
		units = []rune{hi, lo}
	}
	for _, u := range units {
		if r.big {
			r.out = append(r.out, byte(u>>8), byte(u))
		} else {
			r.out = append(r.out, byte(u), byte(u>>8))
		}
	}
}
