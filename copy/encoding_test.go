package copy

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// utf16Bytes returns s in UTF-16.
func utf16Bytes(s string, big bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

func TestEncodings(t *testing.T) {
	const text = "caf\u00e9,1\n\u20ac,2\n"
	want := [][]string{{"caf\u00e9", "1"}, {"\u20ac", "2"}}
	tests := []struct {
		encoding, in string
		want         [][]string
	}{
		{"LATIN1", "caf\xe9,1\n\x80,2\n", [][]string{{"caf\u00e9", "1"}, {"\u0080", "2"}}},
		{"win1252", "caf\xe9,1\n\x80,2\n", want},
		{"windows-1252", "caf\xe9,1\n\x80,2\n", want},
		{"LATIN9", "caf\xe9,1\n\xa4,2\n", want},
		{"KOI8R", "\xd4,1\n", [][]string{{"\u0442", "1"}}},
		{"UTF-16", "\xff\xfe" + utf16Bytes(text, false), want},
		{"UTF16", "\xfe\xff" + utf16Bytes(text, true), want},
		{"UTF16", utf16Bytes(text, false), want},
		{"UTF16BE", utf16Bytes("\U0001f600,1", true), [][]string{{"\U0001f600", "1"}}},
		{"UTF8", text, want},
	}
	for _, tc := range tests {
		t.Run(tc.encoding, func(t *testing.T) {
			for _, src := range []Source{
				FromFiles(writeFile(t, "in.csv", tc.in)),
				FromReader(strings.NewReader(tc.in), ""),
				FromReader(iotest.OneByteReader(strings.NewReader(tc.in)), ""),
			} {
				store := newStore(t)
				env := Env{Files: AnyFile(), Progress: new(Progress), smallBytes: -1}
				if _, err := fromText(t, store, "a text, b int4", fmt.Sprintf("FORMAT csv, ENCODING '%s'", tc.encoding), src, env); err != nil {
					t.Fatal(err)
				}
				compareRows(t, readTable(t, store), tc.want)
				if n := env.Progress.BytesProcessed.Load(); n != int64(len(tc.in)) {
					t.Errorf("%d bytes processed of %d", n, len(tc.in))
				}
			}
		})
	}
}

// TestEncodingErrors checks what cannot be converted, and that it is the error of its
// record and no other.
func TestEncodingErrors(t *testing.T) {
	tests := []struct {
		columns, encoding, in string
		state, message        string
		line, offset          int64
	}{
		{"a text", "WIN1252", "ok\n\xe9\x81\n", "22P05", `character with byte sequence 0x81 in encoding "WIN1252" has no equivalent in encoding "UTF8"`, 2, 5},
		{"a int4", "WIN1252", "1\n2\x81\n", "22P05", `character with byte sequence 0x81 in encoding "WIN1252" has no equivalent in encoding "UTF8"`, 2, 3},
		{"a int4", "WIN1252", "x\n2\x81\n", "22P02", `invalid input syntax for type integer: "x"`, 1, 0},
		{"a text", "LATIN1", "a\nb\x00c\n", "22021", `invalid byte sequence for encoding "UTF8": 0x00`, 2, 3},
		{"a text", "UTF16LE", "a\x00\n\x00\x00\xd8b\x00", "22021", `invalid byte sequence for encoding "UTF16LE": 0x00 0xd8`, 2, 2},
		{"a text", "UTF16", "a\x00\n\x00b", "22021", `invalid byte sequence for encoding "UTF16": 0x62`, 2, 2},
		{"a text", "UTF16", "a\x00\n\x00\x00\xd8", "22021", `invalid byte sequence for encoding "UTF16": 0x00 0xd8`, 2, 2},
	}
	for _, tc := range tests {
		for _, onError := range []string{"stop", "ignore", "set_null"} {
			options := fmt.Sprintf("FORMAT csv, ENCODING '%s', ON_ERROR %s", tc.encoding, onError)
			_, err := fromText(t, newStore(t), tc.columns, options, FromReader(strings.NewReader(tc.in), ""), Env{smallBytes: -1, BlockSize: 1})
			want := tc.state
			if want == "22P02" && onError != "stop" {
				want = "22P05"
				if e := wantState(t, err, want); e.Line != 2 {
					t.Errorf("%+v", e)
				}
				continue
			}
			e := wantState(t, err, want)
			if e.Message != tc.message || e.Line != tc.line || e.ByteOffset != tc.offset {
				t.Errorf("%s: %+v, offset %d", options, e, e.ByteOffset)
			}
		}
	}
}

func TestToEncoding(t *testing.T) {
	store := newStore(t)
	if _, err := fromText(t, store, "a text", "FORMAT csv", FromReader(strings.NewReader("caf\u00e9\n\u20ac\U0001f600\n"), ""), Env{}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ encoding, want string }{
		{"UTF16", "\xff\xfe" + utf16Bytes("caf\u00e9\n\u20ac\U0001f600\n", false)},
		{"UTF16BE", utf16Bytes("caf\u00e9\n\u20ac\U0001f600\n", true)},
		{"WIN1252", ""},
	} {
		opt, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT csv, ENCODING '"+tc.encoding+"')"))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = copyTable(t, store, ToWriter(&out), opt, Env{})
		if tc.want == "" {
			if e := wantState(t, err, pgerr.UntranslatableCharacter); !strings.Contains(e.Message, "0xf0 0x9f 0x98 0x80") {
				t.Error(e)
			}
			continue
		}
		if err != nil || out.String() != tc.want {
			t.Errorf("%s: %q, %v", tc.encoding, out.String(), err)
		}
	}
}

// TestCompressed checks compressed files, alone, among others, by their number and with
// what can be wrong with them.
func TestCompressed(t *testing.T) {
	dir := t.TempDir()
	var rows strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&rows, "%d,v%d\n", i, i%97)
	}
	store := newStore(t)
	if _, err := fromText(t, store, "a int4, b text", "FORMAT csv", FromReader(strings.NewReader(rows.String()), ""), Env{}); err != nil {
		t.Fatal(err)
	}
	opt, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT csv, HEADER)"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p1.csv.gz", "p2.csv.zst", "p3.csv"} {
		if err := copyTable(t, store, ToFile(filepath.Join(dir, name)), opt, Env{Files: AnyFile()}); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{"p1*", "p2*", "p[12]*", "p*"} {
		again := newStore(t)
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		env := Env{Files: AnyFile(), Progress: new(Progress)}
		res, err := fromText(t, again, "a int4, b text", "FORMAT csv, HEADER", FromFiles(filepath.Join(dir, pattern)), env)
		if err != nil || res.Rows != int64(30_000*len(files)) {
			t.Errorf("%s: %d rows, %v", pattern, res.Rows, err)
		}
		size := int64(0)
		for _, f := range files {
			info, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}
		if p := env.Progress; len(files) < 3 && (p.BytesTotal.Load() != size || p.BytesProcessed.Load() != size) {
			t.Errorf("%s: %d of %d bytes processed, the files have %d", pattern, p.BytesProcessed.Load(), p.BytesTotal.Load(), size)
		}
	}
	whole, err := os.ReadFile(filepath.Join(dir, "p1.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	zst, err := os.ReadFile(filepath.Join(dir, "p2.csv.zst"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1 // the checksum
	for name, b := range map[string][]byte{
		"cut.gz": whole[:len(whole)-9], "sum.gz": flipped, "head.gz": whole[:5], "junk.gz": append(bytes.Clone(whole), "trailing garbage"...),
		"cut.zst": zst[:len(zst)-3],
	} {
		again := newStore(t)
		_, err := fromText(t, again, "a int4, b text", "FORMAT csv, HEADER", FromFiles(writeFile(t, name, string(b))), Env{Files: AnyFile()})
		if e := wantState(t, err, pgerr.BadCopyFileFormat); e.File == "" {
			t.Errorf("%s: %v names no file", name, err)
		}
		if n := len(readTable(t, again)); n != 0 {
			t.Errorf("%s: %d rows", name, n)
		}
	}
}

// zeros gives n times the byte 0.
type zeros int64

// Read gives as many as p has room for.
func (z *zeros) Read(p []byte) (int, error) {
	n := int(min(int64(len(p)), int64(*z)))
	if n == 0 {
		return 0, io.EOF
	}
	for i := range p[:n] {
		p[i] = '0'
	}
	*z -= zeros(n)
	return n, nil
}

// TestBombs loads files that expand to far more than they are.
func TestBombs(t *testing.T) {
	for _, name := range []string{"bomb.gz", "bomb.zst"} {
		var b bytes.Buffer
		var w io.WriteCloser = gzip.NewWriter(&b)
		if name == "bomb.zst" {
			w, _ = zstd.NewWriter(&b)
		}
		z := zeros(1 << 27)
		if _, err := io.Copy(w, &z); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := fromText(t, newStore(t), "a text", "FORMAT csv", FromFiles(writeFile(t, name, b.String())), Env{Files: AnyFile()})
		wantState(t, err, pgerr.ProgramLimitExceeded)
	}
	if _, err := fromText(t, newStore(t), "a int4", "FORMAT csv", FromFiles(writeFile(t, "e.gz", "")), Env{Files: AnyFile()}); err != nil {
		t.Error("an empty file:", err)
	}
}
