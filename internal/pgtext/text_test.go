package pgtext

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestInvalidSequence has the bytes that PostgreSQL shows in its messages.
func TestInvalidSequence(t *testing.T) {
	for _, c := range []struct {
		in  string
		pos int
		seq string
	}{
		{"plain", -1, ""},
		{"", -1, ""},
		{"añ€𝄞", -1, ""},
		{"caf\xe9 \xe0 la", 3, "0xe9 0x20 0xe0"},
		{"ab\xe2\x82", 2, "0xe2 0x82"},
		{"\xff", 0, "0xff"},
		{"a\x80b", 1, "0x80"},
		{"\xc0\x80", 0, "0xc0 0x80"},
		{"\xed\xa0\x80x", 0, "0xed 0xa0 0x80"},
		{"\xf4\x90\x80\x80", 0, "0xf4 0x90 0x80 0x80"},
		{"\xf8\x88\x80\x80\x80", 0, "0xf8"},
		{"é\xc3", 2, "0xc3"},
		{"a\x00b", 1, "0x00"},
		{"12345678\xc3(", 8, "0xc3 0x28"},
	} {
		pos, seq := InvalidSequence([]byte(c.in))
		if pos != c.pos {
			t.Errorf("%q: at %d, want %d", c.in, pos, c.pos)
		}
		valid := ValidUTF8([]byte(c.in)) && !HasZero([]byte(c.in))
		if valid != (c.pos < 0) {
			t.Errorf("%q: valid %v", c.in, valid)
		}
		if c.pos < 0 {
			continue
		}
		want := `invalid byte sequence for encoding "UTF8": ` + c.seq
		if msg := EncodingMessage(seq); msg != want {
			t.Errorf("%q: %s, want %s", c.in, msg, want)
		}
		state, msg, _, _ := Describe(InvalidEncoding, "text", []byte(c.in))
		if state != "22021" || msg != want {
			t.Errorf("%q: described as %s %s", c.in, state, msg)
		}
	}
}

func TestValidUTF8(t *testing.T) {
	r := source(t)
	for range 50000 {
		text := []byte(string([]rune{'a', rune(r.IntN(0x110000)), 'b', rune(r.IntN(0x800))}) + "0123456789é€𝄞"[:r.IntN(20)])
		if r.IntN(2) == 0 {
			text[r.IntN(len(text))] = byte(r.Uint32())
		}
		if have := ValidUTF8(text); have != utf8.Valid(text) {
			t.Fatalf("%q: %v", text, have)
		}
		if pos, _ := InvalidSequence(text); (pos < 0) != (utf8.Valid(text) && !HasZero(text)) {
			t.Fatalf("%q: wrong at %d", text, pos)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		cut   int
		ok    bool
	}{
		{"", 0, 0, true}, {"abc", 3, 3, true}, {"abc   ", 3, 3, true}, {"ab    ", 3, 3, true},
		{"abcd", 3, 3, false}, {"abc d", 3, 3, false}, {"äöü", 3, 6, true}, {"äöü  ", 3, 6, true},
		{"äöüx", 3, 6, false}, {"abc\t", 3, 3, false}, {"€", 1, 3, true}, {"€€", 1, 3, false},
	} {
		if cut, ok := Truncate([]byte(c.in), c.limit); cut != c.cut || ok != c.ok {
			t.Errorf("Truncate(%q, %d) = %d, %v; want %d, %v", c.in, c.limit, cut, ok, c.cut, c.ok)
		}
	}
}

func TestJSONDepth(t *testing.T) {
	for _, c := range []struct {
		depth int
		ok    bool
	}{{1, true}, {63, true}, {64, true}, {65, true}, {MaxJSONDepth, true}, {MaxJSONDepth + 1, false}} {
		for _, pair := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			text := strings.Repeat(pair[0], c.depth)
			if pair[0] != "[" {
				text += "1"
			}
			text += strings.Repeat(pair[1], c.depth)
			if _, ok := ValidJSON([]byte(text)); ok != c.ok {
				t.Errorf("%s nested %d deep: %v", pair[0], c.depth, ok)
			}
			if _, ok := ValidJSON([]byte(text + pair[1])); ok {
				t.Errorf("%s nested %d deep closes once more than it opens", pair[0], c.depth)
			}
		}
	}
	state, _, _, _ := Describe(Syntax, "json", []byte(strings.Repeat("[", MaxJSONDepth+1)))
	if state != "54001" {
		t.Errorf("too deep is %s", state)
	}
}

func TestBytesRoundTrip(t *testing.T) {
	r := source(t)
	for range 2000 {
		v := make([]byte, r.IntN(40))
		for i := range v {
			v[i] = byte(r.Uint32())
		}
		text := AppendBytea(nil, v)
		back, st := Bytea(nil, text)
		if st != OK || !bytes.Equal(back, v) {
			t.Fatalf("%x prints as %s, which reads as %x, %d", v, text, back, st)
		}
		var u [16]byte
		copy(u[:], v)
		text = AppendUUID(nil, u)
		if got, st := UUID(text); st != OK || got != u {
			t.Fatalf("%x prints as %s, which reads as %x, %d", u, text, got, st)
		}
	}
}

// TestUnchanged checks that a refused text leaves the caller's slice alone.
func TestUnchanged(t *testing.T) {
	dst := []byte("abc")
	if out, st := Bytea(dst, []byte(`xx\9`)); st != Syntax || string(out) != "abc" {
		t.Errorf("bytea: %q, %d", out, st)
	}
	if out, st := Bytea(dst, []byte(`\x00ff0`)); st != HexOdd || string(out) != "abc" {
		t.Errorf("bytea: %q, %d", out, st)
	}
	if out, st := ParseNumericText(dst, []byte("1.2.3")); st != Syntax || string(out) != "abc" {
		t.Errorf("numeric: %q, %d", out, st)
	}
}

var fuzzTypes = []string{
	"smallint", "integer", "bigint", "double precision", "real", "boolean", "numeric", "numeric(10,3)", "numeric(38,38)",
	"numeric(38,0)", "numeric(3,-2)", "date", "time", "timestamp", "timestamp with time zone", "uuid", "bytea", "json",
}

// FuzzRead checks for every type that no text does harm, that what is printed reads back
// as itself, and that what is refused has a message.
func FuzzRead(f *testing.F) {
	for i, text := range []string{
		"-32768", "0x1F", "1_000", "1e23", "0x1.8p3", "yes", "-1.50e-3", "999.9995", "0.5", "1e37", "12345",
		"January 8, 99 BC", "04:05:06.7 PM", "20010203T040506.5-08", "2001-02-03 04:05 Europe/Berlin", "{a0eebc999c0b4ef8bb6d6bb9bd380a11}",
		`\x 00 ff`, `{"a":[1,{"b":"\u00e9"}]}`,
	} {
		f.Add(uint8(i), []byte(text))
	}
	f.Fuzz(func(t *testing.T, kind uint8, text []byte) {
		typ := fuzzTypes[int(kind)%len(fuzzTypes)]
		if len(text) > 1000 || !utf8.Valid(text) {
			return
		}
		out, st := rewrite(typ, text)
		if st != OK {
			state, message, _, _ := Describe(st, typ, text)
			if len(state) != 5 || state == "00000" || message == "" {
				t.Fatalf("%s %q: status %d is %q %q", typ, text, st, state, message)
			}
			return
		}
		if again, st := rewrite(typ, []byte(out)); st != OK || again != out {
			t.Fatalf("%s %q prints as %q, which reads as %q, %d", typ, text, out, again, st)
		}
	})
}

// FuzzJSON compares ValidJSON with encoding/json.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.5e+3,true,null],"b":"\n\u12aB"}`, `[1 2]`, `"a`, `01`, ` `, "\"\x7f\"", `{"a":1,}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !utf8.Valid(text) || len(text) > MaxJSONDepth {
			return
		}
		pos, ok := ValidJSON(text)
		if ok != json.Valid(text) {
			t.Fatalf("%q: %v", text, ok)
		}
		if !ok && (pos < 0 || pos > len(text)) {
			t.Fatalf("%q: goes wrong at %d", text, pos)
		}
	})
}

// FuzzSession reads timestamps in a zone with a history.
func FuzzSession(f *testing.F) {
	loc := mustLocation("Europe/Amsterdam")
	for _, text := range []string{"1937-07-01 00:00:00.5", "1890-01-01 lmt", "2021-10-31 02:30 CEST", "x"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		us, st := TimestampTZ(text, loc)
		if st != OK {
			return
		}
		out := AppendTimestampTZ(nil, us, loc)
		if back, st := TimestampTZ(out, time.UTC); st != OK || back != us {
			t.Fatalf("%q is %d, prints as %s, which reads as %d, %d", text, us, out, back, st)
		}
	})
}
